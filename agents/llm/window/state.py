"""A window is the fold of its records: the same records give the same messages, draft and budgets.

The live loop applies each record as it is appended and a resumed one applies them all from the
journal, by this same code; there is no other state. Which records may follow which is told, and checked
before a journal's window is folded, by agents.llm.window.grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.llm import wording
from agents.llm.text import digest
from agents.llm.tools.calls import FIRST_HISTORY, HISTORY, Call, read_calls, wire_message
from agents.llm.window.budget import MIN_CEILING, Budgets, Spent, exhausted, finalization_due, replies_left
from agents.llm.window.conversation import FRESH, GIVEN, fresh, in_form, joined, joins
from agents.llm.window.record_kinds import IDENTITY_MISMATCH, REBUILT, kind_of
from agents.llm.window.reply_handling import ReplyHandling, handling_of, is_reasoning_only_cut
from tournament.records import Decision, Json, Record


@dataclass(slots=True, kw_only=True)
class UnansweredReply:
    """A reply that is not fully answered yet; `results` has one place a call, `correction` what was sent
    where there is none."""

    ordinal: int
    calls: tuple[Call, ...]
    handling: ReplyHandling
    results: list[str | None]
    correction: str = ""

    @property
    def next_call(self) -> Call | None:
        """The first call without a result."""
        for call, result in zip(self.calls, self.results, strict=True):
            if result is None:
                return call
        return None

    @property
    def to_answer(self) -> Mapping[int, str]:
        """What is answered without running a call, and no record has answered yet."""
        return {at: text for at, text in self.handling.answers.items() if self.results[at] is None}

    @property
    def uncorrected(self) -> bool:
        return bool(self.handling.correction) and not self.correction

    @property
    def answered(self) -> bool:
        return not self.uncorrected and self.next_call is None


@dataclass(slots=True, kw_only=True)
class WindowState:
    """Where a window stands; `chain` is the running digest over all messages sent so far.

    `closed` is the body of the closing record, `history` the rules that its conversation is made by and
    `form` the form that it is sent in. `maybe_paid` counts the requests for the next reply that brought
    none and may have been charged for.
    """

    budgets: Budgets
    min_ceiling: int = MIN_CEILING
    prompt: str = ""
    messages: list[Mapping[str, Json]] = field(default_factory=list)
    chain: str = ""
    draft: Decision = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    wire_ids: set[str] = field(default_factory=set)
    unanswered: UnansweredReply | None = None
    closed: Mapping[str, Any] | None = None
    history: int = HISTORY
    form: str = GIVEN
    maybe_paid: int = 0
    asking: bool = False

    @property
    def finalizing(self) -> bool:
        return self.spent.finalized_at is not None

    @property
    def exhausted(self) -> str:
        return exhausted(self.budgets, self.spent, self.min_ceiling)


def fold(
    records: Iterable[Record], *, budgets: Budgets, system: str, min_ceiling: int = MIN_CEILING
) -> WindowState:
    """Return the state of a window from its records; `system` is the system prompt, which they only name,
    `min_ceiling` the route's least response ceiling."""
    state = WindowState(budgets=budgets, min_ceiling=min_ceiling)
    for record in records:
        apply(state, record, system=system)
    return state


def apply(state: WindowState, record: Record, *, system: str = "") -> None:
    """Bring one more record into the state."""
    if record.kind == "open":
        _opened(state, record.body, system)
    else:
        _STEPS[kind_of(record)](state, record.body)


def _opened(state: WindowState, body: Mapping[str, Json], system: str) -> None:
    state.prompt = body["prompt"]
    state.draft = body["draft"]
    state.history = body.get("history", FIRST_HISTORY)
    state.form = body.get("form", GIVEN)
    _add_message(state, {"role": "system", "content": system})
    _add_message(state, {"role": "user", "content": body["user"]})


def _intended(state: WindowState, body: Mapping[str, Json]) -> None:
    """A request goes out; one before it that nothing was written of was lost with its process."""
    state.maybe_paid += state.asking
    state.asking = True


def _attempted(state: WindowState, body: Mapping[str, Json]) -> None:
    state.maybe_paid += body["possibly_paid"]


def _gave_up(state: WindowState, body: Mapping[str, Json]) -> None:
    """The route gave the request up: it moves nothing, and the reply is asked for again."""
    state.asking = False


def _rebuilt(state: WindowState, body: Mapping[str, Json]) -> None:
    """The conversation was refused: from here on it is sent in a safer form."""
    state.asking = False
    state.form = body["form"]
    messages = fresh(state.messages, state.draft) if state.form == FRESH else state.messages
    state.messages = []
    state.chain = digest([state.chain, state.form])
    for message in messages:
        _add_message(state, message)


def _replied(state: WindowState, body: Mapping[str, Json]) -> None:
    spent = state.spent
    state.asking, state.maybe_paid = False, 0
    spent.replies += 1
    spent.tokens += body["generated"]
    spent.seconds += body["seconds"]
    message, finish = body["message"], body["finish"]
    calls = read_calls(message, body["ordinal"], state.wire_ids, state.history)
    if is_reasoning_only_cut(message, finish):
        if state.history > FIRST_HISTORY:
            # Turns alternate: a mark stands where a reply is left out.
            _add_message(state, {"role": "assistant", "content": wording.CUT_REASONING})
    else:
        _add_message(state, wire_message(message, calls))
    state.unanswered = UnansweredReply(
        ordinal=body["ordinal"],
        calls=calls,
        handling=handling_of(message, finish, calls),
        results=[None] * len(calls),
    )


def _answered(state: WindowState, body: Mapping[str, Json]) -> None:
    reply = _require(state)
    for position, text in body["answers"]:
        reply.results[position] = text
    reply.correction = body["correction"]
    _settle(state, reply)


def _resulted(state: WindowState, body: Mapping[str, Json]) -> None:
    reply = _require(state)
    reply.results[body["position"]] = body["text"]
    state.spent.seconds += body["seconds"]
    if body["draft"] is not None:
        state.draft = body["draft"]
    _settle(state, reply)


def _closed(state: WindowState, body: Mapping[str, Json]) -> None:
    state.closed = body


def _require(state: WindowState) -> UnansweredReply:
    assert state.unanswered is not None, "a result without a reply"
    return state.unanswered


def _settle(state: WindowState, reply: UnansweredReply) -> None:
    """Once every call has its result, send them on, and say in the last one that finalization begins."""
    if not reply.answered:
        return
    notice = _notice(state)
    texts = [text or "" for text in reply.results] or [reply.correction]
    texts[-1] = f"{texts[-1]}\n\n{notice}" if notice else texts[-1]
    if not reply.calls:
        _add_message(state, {"role": "user", "content": texts[0]})
    for call, text in zip(reply.calls, texts, strict=False):
        _add_message(state, {"role": "tool", "tool_call_id": call.wire_id, "content": text})
    state.unanswered = None


def _notice(state: WindowState) -> str:
    """Begin finalization where it is due; return what the CEO is told of it."""
    cause = finalization_due(state.budgets, state.spent, state.min_ceiling)
    if state.finalizing or not cause:
        return ""
    state.spent.finalized_at = state.spent.replies
    return wording.FINALIZATION.format(cause=cause, left=replies_left(state.budgets, state.spent))


def _add_message(state: WindowState, message: Mapping[str, Json]) -> None:
    message = in_form(state.form, message)
    state.chain = digest([state.chain, message])
    if state.messages and joins(state.form, state.messages[-1], message):
        state.messages[-1] = joined(state.messages[-1], message)
    else:
        state.messages.append(message)


_STEPS: Mapping[str, Callable[[WindowState, Mapping[str, Json]], None]] = {
    "intent": _intended,
    "attempt": _attempted,
    "reply": _replied,
    "answers": _answered,
    "result": _resulted,
    "failed": _gave_up,
    REBUILT: _rebuilt,
    IDENTITY_MISMATCH: _gave_up,
    "close": _closed,
}
