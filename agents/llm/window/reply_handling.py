"""What is to be done with a reply, decided from the reply alone before any of its calls is run.

Three ways: nothing runs (the reply was cut, refused, filtered, holds no call, an unreadable one, or a
seal among others), or its calls run in order up to the cap. Decided on the presence of calls; the
finish reason can only forbid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.llm import wording
from agents.llm.tools.calls import Call, plain_text
from agents.llm.tools.harness import SEAL
from agents.llm.window.budget import CALLS_PER_REPLY
from agents.text_calls import is_call_as_text
from tournament.records import Json

# A reply that was stopped short of its end by anything: what calls it holds may be half of what was meant.
_CUT: Final[Mapping[str, str]] = {
    "length": wording.LENGTH,
    "content_filter": wording.CONTENT_FILTER,
    "refusal": wording.REFUSAL,
    "malformed_call": wording.MALFORMED_CALL,
}
# By whether every call of the reply is a seal.
_SEALS: Final = {True: ("two_seals", wording.TWO_SEALS), False: ("mixed_seal", wording.MIXED_SEAL)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyHandling:
    """`answers` are given without running, by position; every other call runs. `code` says why.

    `correction` is sent as a user message where there is no call to answer.
    """

    code: str = ""
    answers: Mapping[int, str] = field(default_factory=dict)
    correction: str = ""


def handling_of(message: Mapping[str, Json], finish: str, calls: Sequence[Call]) -> ReplyHandling:
    """Return how one reply is handled; pure, so that a resumed window decides it again alike."""
    if not calls:
        return _without_calls(message, finish)
    if finish in _CUT:
        return ReplyHandling(code=finish, answers={call.position: _CUT[finish] for call in calls})
    seals = sum(call.name == SEAL for call in calls)
    if seals and len(calls) > 1:
        code, text = _SEALS[seals == len(calls)]
        return ReplyHandling(code=code, answers={call.position: text for call in calls})
    if any(call.fault for call in calls):
        texts = {
            call.position: wording.UNREADABLE.format(fault=call.fault) if call.fault else wording.NEIGHBOUR
            for call in calls
        }
        return ReplyHandling(code="unreadable", answers=texts)
    if len(calls) > CALLS_PER_REPLY:
        texts = {
            call.position: wording.TOO_MANY.format(
                limit=CALLS_PER_REPLY, number=call.position + 1, count=len(calls)
            )
            for call in calls[CALLS_PER_REPLY:]
        }
        return ReplyHandling(code="too_many", answers=texts)
    return ReplyHandling()


def _without_calls(message: Mapping[str, Json], finish: str) -> ReplyHandling:
    if finish in _CUT:
        return ReplyHandling(code=finish, correction=_CUT[finish])
    if message.get("refusal"):
        return ReplyHandling(code="refusal", correction=wording.REFUSAL)
    text = plain_text(message)
    if not text.strip():
        return ReplyHandling(code="blank", correction=wording.BLANK)
    if is_call_as_text(text):
        return ReplyHandling(code="call_as_text", correction=wording.TEXT_CALL)
    return ReplyHandling(code="no_call", correction=wording.NO_CALL)


def is_reasoning_only_cut(message: Mapping[str, Json], finish: str) -> bool:
    """Tell a reply cut while it was still reasoning: it is left out of what is sent on."""
    return finish == "length" and not message.get("tool_calls") and not plain_text(message).strip()
