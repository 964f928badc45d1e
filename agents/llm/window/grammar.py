"""Which records a window may have, and in which order: what a journal's conversation is checked against.

    open (intent attempt* (reply answers? result* | failed | identity_mismatch | rebuilt)?)* close

An intent followed by another intent has lost its reply to a stopped process: it is possibly paid. The
call that seals has no result: the window's close is its effect. What cannot be so was not written by
the harness, and folding it would let a paid reply or a tool's effect vanish without a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agents.llm.window.conversation import FORMS
from agents.llm.window.record_kinds import IDENTITY_MISMATCH, REBUILT, kind_of
from tournament.records import Json, Record

_AFTER_INTENT: Final = ("attempt", "reply", "failed", IDENTITY_MISMATCH, REBUILT, "intent", "close")
FOLLOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("open",),
    "open": ("intent", "close"),
    "intent": _AFTER_INTENT,
    "attempt": _AFTER_INTENT,
    "reply": ("answers", "result", "close"),
    "answers": ("result", "intent", "close"),
    "result": ("result", "intent", "close"),
    "failed": ("intent", "close"),
    IDENTITY_MISMATCH: ("intent", "close"),
    REBUILT: ("intent", "close"),
    "close": (),
}
# Fields of money and time come as JSON numbers; what nobody knows is null, never zero.
_NUMBER: Final = (int, float)
_MONEY: Final = (int, float, type(None))
_REPLY: Final[Mapping[str, Any]] = {
    "ordinal": int,
    "message": dict,
    "finish": str,
    "generated": int,
    "estimated": bool,
    "usage": dict,
    "cost_usd": _MONEY,
    "seconds": _NUMBER,
}
# What later code reads out of each body, and its type; a body may hold more.
FIELDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "open": {"prompt": str, "user": str, "draft": dict},
    "intent": {"ordinal": int, "bound_usd": _MONEY},
    "attempt": {
        "fault": str,
        "wait_seconds": _NUMBER,
        "until": _MONEY,
        "cost_usd": _NUMBER,
        "bound_usd": _MONEY,
        "possibly_paid": bool,
    },
    "reply": _REPLY,
    "answers": {"code": str, "answers": list, "correction": str},
    "result": {
        "position": int,
        "tool": str,
        "done": bool,
        "text": str,
        "draft": (dict, type(None)),
        "limit": object,
        "seconds": _NUMBER,
    },
    "failed": {"message": str},
    REBUILT: {"ordinal": int, "form": str, "message": str},
    IDENTITY_MISMATCH: {"reply": (dict, type(None)), "message": str},
    "close": {"state": str, "reason": str, "decision": dict, "rationale": str},
}
_USAGE: Final = ("prompt", "reasoning", "cached")


class GrammarFault(ValueError):
    """A record that cannot stand where it stands, in words."""


@dataclass(slots=True)
class _Reader:
    """Where a window's records stand; `unanswered` are the places of the last reply's calls."""

    last: str = ""
    replies: int = 0
    answered: bool = True
    unanswered: set[int] = field(default_factory=set)

    def read(self, record: Record) -> None:
        kind, body = kind_of(record), record.body
        if kind not in FIELDS:
            raise GrammarFault(f"a record of unknown kind {kind[:40]!r}")
        if kind not in FOLLOWS[self.last]:
            raise GrammarFault(f"{_a(kind)} {f'after {_a(self.last)}' if self.last else 'before the open'}")
        _require_fields(kind, body, FIELDS[kind])
        if kind == "intent":
            self._intent(body)
        elif kind == "reply":
            self._reply(body)
        elif kind == "answers":
            self._answers(body)
        elif kind == "result":
            self._answer_call(body["position"])
        elif kind == REBUILT and body["form"] not in FORMS:
            raise GrammarFault(f"a conversation rebuilt in an unknown form {body['form'][:40]!r}")
        elif kind == IDENTITY_MISMATCH and body["reply"] is not None:
            _require_reply(kind, body["reply"])
        self.last = kind

    def _intent(self, body: Mapping[str, Any]) -> None:
        if self.unanswered or not self.answered:
            raise GrammarFault("an intent before the last reply is answered")
        if body["ordinal"] != self.replies + 1:
            raise GrammarFault(f"an intent for reply {body['ordinal']} after {self.replies} replies")

    def _reply(self, body: Mapping[str, Any]) -> None:
        _require_reply("reply", body)
        self.replies += 1
        if body["ordinal"] != self.replies:
            raise GrammarFault(f"a reply {body['ordinal']} in the place of reply {self.replies}")
        calls = body["message"].get("tool_calls")
        self.unanswered = set(range(len(calls))) if isinstance(calls, list) else set()
        self.answered = bool(self.unanswered)

    def _answers(self, body: Mapping[str, Any]) -> None:
        for answer in body["answers"]:
            if not isinstance(answer, list) or len(answer) != 2 or not isinstance(answer[1], str):
                raise GrammarFault("an answers that cannot be read")
            self._answer_call(answer[0])
        self.answered = True

    def _answer_call(self, position: Json) -> None:
        if not isinstance(position, int) or position not in self.unanswered:
            raise GrammarFault("an answer to a call that the last reply does not have, or has answered")
        self.unanswered.discard(position)


def record_fault(records: Sequence[Record], *, closed: bool) -> str:
    """Return what is wrong with one window's records, or an empty text.

    `closed` says that the window must have come to its close: its decision has been taken.
    """
    reader = _Reader()
    for record in records:
        try:
            reader.read(record)
        except GrammarFault as fault:
            return f"sequence {record.sequence}: {fault}"
    if closed and reader.last != "close":
        return f"sequence {len(records)}: no close, though the window's decision was taken"
    return ""


def _require_reply(kind: str, body: Mapping[str, Any]) -> None:
    _require_fields(kind, body, _REPLY)
    _require_fields(kind, body["usage"], dict.fromkeys(_USAGE, (int, type(None))))


def _require_fields(kind: str, body: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    wrong = list(_wrong(body, wanted.items()))
    if wrong:
        raise GrammarFault(f"{_a(kind)} without a readable {wrong[0]}")


def _wrong(body: Mapping[str, Any], wanted: Iterable[tuple[str, Any]]) -> Iterable[str]:
    for name, types in wanted:
        if name not in body or not isinstance(body[name], types):
            yield name


def _a(kind: str) -> str:
    return kind if kind == "answers" else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
