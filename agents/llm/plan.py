"""What is to be done with a reply, decided from the reply alone before any of its calls is run.

Three ways: nothing runs (the reply was cut, refused, filtered, holds no call, an unreadable one, or a
seal among others), or its calls run in order up to the cap. Decided on the presence of calls; the
finish reason can only forbid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.llm import wording
from agents.llm.calls import Call, plain_text
from agents.llm.prompt import CALLS_PER_REPLY
from agents.llm.toolset import SEAL
from tournament.records import Json

# A reply that was stopped short of its end by anything: what calls it holds may be half of what was meant.
_CUT: Final[Mapping[str, str]] = {
    "length": wording.LENGTH,
    "content_filter": wording.CONTENT_FILTER,
    "refusal": wording.REFUSAL,
    "malformed_call": wording.MALFORMED_CALL,
}
_CALL_AS_TEXT: Final = re.compile(
    r"<[|/]?\s*(?:tool|function|invoke|parameter)|\[TOOL_CALLS\]|\"arguments\"\s*:|\{\s*\"", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`answers` are given without running, by position; every other call runs. `code` says why.

    `correction` is said in a user message where there is no call to answer.
    """

    code: str = ""
    answers: Mapping[int, str] = field(default_factory=dict)
    correction: str = ""


def plan_reply(message: Mapping[str, Json], finish: str, calls: Sequence[Call]) -> Plan:
    """Return the plan of one reply; pure, so that a resumed window decides it again alike."""
    if not calls:
        return _without_calls(message, finish)
    if finish in _CUT:
        return Plan(code=finish, answers={call.position: _CUT[finish] for call in calls})
    seals = sum(call.name == SEAL for call in calls)
    if seals and len(calls) > 1:
        text = wording.TWO_SEALS if seals == len(calls) else wording.MIXED_SEAL
        code = "two_seals" if seals == len(calls) else "mixed_seal"
        return Plan(code=code, answers={call.position: text for call in calls})
    if any(call.fault for call in calls):
        return Plan(code="unreadable", answers={call.position: _unreadable(call) for call in calls})
    if len(calls) > CALLS_PER_REPLY:
        return Plan(code="too_many", answers=_beyond_cap(calls))
    return Plan()


def _without_calls(message: Mapping[str, Json], finish: str) -> Plan:
    if finish in _CUT:
        return Plan(code=finish, correction=_CUT[finish])
    if message.get("refusal"):
        return Plan(code="refusal", correction=wording.REFUSAL)
    text = plain_text(message)
    if not text.strip():
        return Plan(code="blank", correction=wording.BLANK)
    if _CALL_AS_TEXT.search(text):
        return Plan(code="call_as_text", correction=wording.TEXT_CALL)
    return Plan(code="no_call", correction=wording.NO_CALL)


def _unreadable(call: Call) -> str:
    return wording.UNREADABLE.format(fault=call.fault) if call.fault else wording.NEIGHBOUR


def _beyond_cap(calls: Sequence[Call]) -> Mapping[int, str]:
    return {
        call.position: wording.TOO_MANY.format(
            limit=CALLS_PER_REPLY, number=call.position + 1, count=len(calls)
        )
        for call in calls[CALLS_PER_REPLY:]
    }


def is_reasoning_only_cut(message: Mapping[str, Json], finish: str) -> bool:
    """Tell a reply cut while it was still reasoning: it is left out of what is sent on."""
    return finish == "length" and not message.get("tool_calls") and not plain_text(message).strip()
