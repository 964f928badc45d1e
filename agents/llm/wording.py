"""Every sentence that the harness says to a CEO outside the prompt templates.

Kept together because they are part of what a contestant is: their text enters its identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tournament.records import Json

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
CUT_REASONING: Final = "(cut while reasoning, nothing said)"
CALL_IN_WORDS: Final = "[called {name} with {arguments}]"
RESULT_IN_WORDS: Final = "[result: {text}]"
FRESH_START: Final = (
    "[This conversation was begun anew in the middle of the window, since the provider no longer took it. What was"
    " said and done so far, the oldest part left out where it is long; calls are retold here in words, and yours"
    " go through the tool channel:]\n\n{said}\n\n[The draft as it is now: {draft}]"
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
UNKNOWN_TOOL: Final = "There is no tool {name}. Nearest: {names}."
UNKNOWN_FAR_TOOL: Final = "There is no tool {name}. The tools are: {names}."
NO_NAME: Final = "The call names no tool. The tools are: {names}."
MISSING_ARGUMENTS: Final = "The call holds no arguments. {tool} takes: {accepted}."
UNKNOWN_FIELDS: Final = "Unknown argument {unknown}. {tool} takes: {accepted}."
BAD_ARGUMENTS: Final = "{faults}. {tool} takes: {accepted}."
FORBIDDEN_CHARACTER: Final = (
    "{fault}. Text may hold no control character but tab and line breaks, and no half surrogate pair."
)
NOT_STAGED: Final = "Refused, the draft is unchanged: {reason}"
NOT_SEALED: Final = "Not sealed, the draft is unchanged and can be edited: {reason}"
NOT_READ: Final = "No answer: {reason}"
CLOSED_LATE: Final = "Disabled in finalization."
QUERY_CLOSED: Final = "{tool} is disabled in finalization. Complete the draft and call seal_decision."
QUERY_REFUSED: Final = "Query refused: {reason}"
ROWS_CUT: Final = (
    "cut: {kept} of {count} rows fit into a tool result; page with LIMIT and OFFSET {kept} under a fixed"
    " ORDER BY, or select fewer columns"
)
RESULT_CUT: Final = "[cut: {limit} of {size} bytes shown; ask for less, or page with a limit and an offset]"
PATH_LENGTH: Final = "The path has {characters} characters; at most {most} are allowed."
PATH_FORM: Final = (
    "The path {path} is not allowed: it must be relative, of letters, digits and . _ - /, and no step of it may"
    " start with a dot or a dash."
)
PATH_RESERVED: Final = "The path {path} is not allowed: {step} is reserved on some systems."
PATH_CASE: Final = "{path} differs from the file {other} in upper and lower case only."
PATH_FOLDER: Final = "{path} and {other} can't both exist: one would be a folder of the other."
NO_FILE: Final = "There is no file {path}; list_files shows what there is."
TOO_MANY_FILES: Final = "There are {count} files already, and at most {most} are allowed; delete one."
FILE_SIZE: Final = "{path} is unchanged: {size} bytes, at most {most} are allowed."
EDIT_ABSENT: Final = "{path} is unchanged: old must occur exactly once, it does not occur."
EDIT_AMBIGUOUS: Final = "{path} is unchanged: old must occur exactly once, it occurs more than once."
FINALIZATION: Final = (
    "[Finalization has begun: {cause}. At most {left} more replies; query_company is disabled, as is every"
    " tool that says so. Complete the draft and call seal_decision alone.]"
)
TRUNCATED_MEMORY: Final = (
    "[MEMORY.md is cut here: the first {shown} of {total} characters are above. read_file shows the rest.]"
)

# The SQL engine's own refusals are explained by what they contain.
QUERY_HINTS: Final[Mapping[str, str]] = {
    "not authorized": "only reading the company's tables with plain functions is allowed",
    "prohibited": "only the company's tables can be read; schema_guide describes them",
    "no such table": "schema_guide lists the tables",
    "no such column": "schema_guide lists the columns",
    "one statement": "send one statement a call",
}


def sentences() -> dict[str, Json]:
    """Return every sentence by name."""
    return {name: value for name, value in sorted(globals().items()) if name.isupper()}
