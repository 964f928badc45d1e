"""A window is the fold of its records: the same records give the same messages, draft and budgets.

The live loop applies each record as it is appended and a resumed one applies them all from the
journal, by this same code; there is no other state. Which records may follow which is told, and checked
before a journal's window is folded, by agents.llm.grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.llm import wording
from agents.llm.budget import LEAST_CEILING, Budgets, Spent, exhausted, finalization_due, replies_left
from agents.llm.calls import Call, read_calls, wire_message
from agents.llm.plan import Plan, is_reasoning_only_cut, plan_reply
from agents.llm.text import digest
from tournament.records import Decision, Json, Record


@dataclass(slots=True, kw_only=True)
class Pending:
    """A reply that is not fully answered yet; `results` has one place a call, `said` a correction."""

    ordinal: int
    calls: tuple[Call, ...]
    plan: Plan
    results: list[str | None]
    said: str = ""

    @property
    def next_call(self) -> Call | None:
        """The first call without a result."""
        for call, result in zip(self.calls, self.results, strict=True):
            if result is None:
                return call
        return None

    @property
    def unanswered(self) -> Mapping[int, str]:
        """What the plan answers without running a call, and no record has answered yet."""
        return {at: text for at, text in self.plan.answers.items() if self.results[at] is None}

    @property
    def uncorrected(self) -> bool:
        return bool(self.plan.correction) and not self.said

    @property
    def answered(self) -> bool:
        return not self.uncorrected and self.next_call is None


@dataclass(slots=True, kw_only=True)
class WindowState:
    """Where a window stands; `chain` is the running digest over all messages sent so far.

    `closed` is the body of the closing record.
    """

    budgets: Budgets
    least: int = LEAST_CEILING
    prompt: str = ""
    messages: list[Mapping[str, Json]] = field(default_factory=list)
    chain: str = ""
    draft: Decision = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    wire_ids: set[str] = field(default_factory=set)
    pending: Pending | None = None
    closed: Mapping[str, Any] | None = None

    @property
    def finalizing(self) -> bool:
        return self.spent.finalized_at is not None

    @property
    def exhausted(self) -> str:
        return exhausted(self.budgets, self.spent, self.least)


def fold(
    records: Iterable[Record], *, budgets: Budgets, system: str, least: int = LEAST_CEILING
) -> WindowState:
    """Return the state of a window from its records; `system` is the system prompt, which they only name,
    `least` the route's least response ceiling."""
    state = WindowState(budgets=budgets, least=least)
    for record in records:
        apply(state, record, system=system)
    return state


def apply(state: WindowState, record: Record, *, system: str = "") -> None:
    """Bring one more record into the state."""
    if record.kind == "open":
        _opened(state, record.body, system)
    else:
        _STEPS[record.kind](state, record.body)


def _opened(state: WindowState, body: Mapping[str, Json], system: str) -> None:
    state.prompt = body["prompt"]
    state.draft = body["draft"]
    _say(state, {"role": "system", "content": system})
    _say(state, {"role": "user", "content": body["user"]})


def _noted(state: WindowState, body: Mapping[str, Json]) -> None:
    """What is kept for accounts and audit only: it moves nothing, and the reply is asked for again."""


def _replied(state: WindowState, body: Mapping[str, Json]) -> None:
    spent = state.spent
    spent.replies += 1
    spent.tokens += body["generated"]
    spent.seconds += body["seconds"]
    message, finish = body["message"], body["finish"]
    calls = read_calls(message, body["ordinal"], state.wire_ids)
    if not is_reasoning_only_cut(message, finish):
        _say(state, wire_message(message, calls))
    state.pending = Pending(
        ordinal=body["ordinal"],
        calls=calls,
        plan=plan_reply(message, finish, calls),
        results=[None] * len(calls),
    )


def _answered(state: WindowState, body: Mapping[str, Json]) -> None:
    pending = _require(state)
    for position, text in body["answers"]:
        pending.results[position] = text
    pending.said = body["correction"]
    _settle(state, pending)


def _resulted(state: WindowState, body: Mapping[str, Json]) -> None:
    pending = _require(state)
    pending.results[body["position"]] = body["text"]
    state.spent.seconds += body["seconds"]
    if body["draft"] is not None:
        state.draft = body["draft"]
    _settle(state, pending)


def _closed(state: WindowState, body: Mapping[str, Json]) -> None:
    state.closed = body


def _require(state: WindowState) -> Pending:
    assert state.pending is not None, "a result without a reply"
    return state.pending


def _settle(state: WindowState, pending: Pending) -> None:
    """Once every call has its result, send them on, and say in the last one that finalization begins."""
    if not pending.answered:
        return
    notice = _notice(state)
    texts = [text or "" for text in pending.results] or [pending.said]
    texts[-1] = f"{texts[-1]}\n\n{notice}" if notice else texts[-1]
    if not pending.calls:
        _say(state, {"role": "user", "content": texts[0]})
    for call, text in zip(pending.calls, texts, strict=False):
        _say(state, {"role": "tool", "tool_call_id": call.wire_id, "content": text})
    state.pending = None


def _notice(state: WindowState) -> str:
    """Begin finalization where it is due; return what the CEO is told of it."""
    cause = finalization_due(state.budgets, state.spent, state.least)
    if state.finalizing or not cause:
        return ""
    state.spent.finalized_at = state.spent.replies
    return wording.FINALIZATION.format(cause=cause, left=replies_left(state.budgets, state.spent))


def _say(state: WindowState, message: Mapping[str, Json]) -> None:
    state.messages.append(message)
    state.chain = digest([state.chain, message])


_STEPS: Mapping[str, Callable[[WindowState, Mapping[str, Json]], None]] = {
    "intent": _noted,
    "attempt": _noted,
    "reply": _replied,
    "answers": _answered,
    "result": _resulted,
    "failed": _noted,
    "foreign": _noted,
    "close": _closed,
}
