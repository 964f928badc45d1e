"""Every sentence that the harness says to a CEO outside the prompt templates.

Kept together because they are part of what a contestant is: their text enters its identity.
"""

from __future__ import annotations

from typing import Final

NO_CALL: Final = (
    "Your reply held no tool call. Text is never executed and never seals: act through the tool channel,"
    " and end the window with seal_decision as the only call of a reply."
)
TEXT_CALL: Final = (
    "Your reply wrote a tool call, or data for one, as text. Text is never executed and never seals: send it"
    " through the tool channel."
)
BLANK: Final = (
    "Your reply was empty. It counts. Act through the tool channel, and end the window with seal_decision as"
    " the only call of a reply."
)
REFUSAL: Final = (
    "Your reply was a refusal. It is recorded and counts. The window goes on: act through the tool channel,"
    " and end it with seal_decision as the only call of a reply."
)
CONTENT_FILTER: Final = (
    "The provider's content filter stopped your reply. It counts and none of it was run. The window goes on."
)
LENGTH: Final = (
    "Your reply hit the output limit and was cut. None of it was run, the draft is unchanged and nothing is"
    " sealed. Send complete tool calls, fewer or shorter in one reply."
)
MALFORMED_CALL: Final = (
    "The provider reports that your tool call was malformed. It counts and nothing was run. Send the call"
    " again with arguments that are one JSON object."
)
MIXED_SEAL: Final = (
    "Rejected whole, no call of this reply was run: seal_decision must be the only tool call of its reply."
    " Send the other calls first, then seal_decision alone."
)
TWO_SEALS: Final = (
    "Rejected whole, nothing is sealed: a reply may hold one seal_decision only, as its only tool call."
)
UNREADABLE: Final = (
    "Not run: {fault}. Send the arguments as one complete JSON object, with nothing around it."
)
NEIGHBOUR: Final = "Not run: another call of this reply could not be read, so none was run. Send it again."
TOO_MANY: Final = "Not run: at most {limit} calls of one reply are run; this is call {number} of {count}."
UNKNOWN_TOOL: Final = "There is no tool {name}. The tools are: {names}."
NO_NAME: Final = "The call names no tool. The tools are: {names}."
MISSING_ARGUMENTS: Final = "The call holds no arguments. {tool} takes: {accepted}."
UNKNOWN_FIELDS: Final = "Unknown argument {unknown}. {tool} takes: {accepted}."
BAD_ARGUMENTS: Final = "{faults}. {tool} takes: {accepted}."
FORBIDDEN_CHARACTER: Final = (
    "{fault}. Text may hold no control character but tab and line breaks, and no half surrogate pair."
)
NOT_STAGED: Final = "Refused, the draft is unchanged: {reason}"
NOT_SEALED: Final = "Not sealed, the draft is unchanged and can be edited: {reason}"
QUERY_CLOSED: Final = "query_company is disabled in finalization. Complete the draft and call seal_decision."
FINALIZATION: Final = (
    "[Finalization has begun: {cause}. At most {left} more replies; query_company is disabled. Complete the"
    " draft and call seal_decision alone.]"
)
TRUNCATED_MEMORY: Final = (
    "[MEMORY.md is cut here: the first {shown} of {total} characters are above. read_file shows the rest.]"
)

ALL: Final = tuple(
    value for name, value in sorted(globals().items()) if name.isupper() and isinstance(value, str)
)
