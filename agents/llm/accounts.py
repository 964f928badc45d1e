"""What windows have cost and how they went, from their records alone.

Nothing is counted twice and nothing is invented: a count that a provider did not give stays unknown
beside the estimate that the budget used, and a request whose answer was lost is possibly paid.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from tournament.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Sums over windows; add accounts to go from windows to seats, contestants, routes, worlds, a study.

    `corrections` are errors returned for correction, of whole replies or of single calls, and
    `refused_calls` the calls that they left undone. `generated_tokens` is what budgets counted,
    `estimated_tokens` the part of it that replies without usage were estimated at. `cost_usd` sums the
    known costs, `unpriced_replies` had none; `possibly_paid_usd` is the most that requests without a
    reply, and replies without a price, can have cost.
    """

    windows: int = 0
    sealed: int = 0
    exhausted: int = 0
    replies: int = 0
    tool_calls: int = 0
    queries: int = 0
    staged: int = 0
    refused_calls: int = 0
    corrections: int = 0
    replies_without_calls: int = 0
    calls_as_text: int = 0
    refusals: int = 0
    length_cuts: int = 0
    clock_stops: int = 0
    prompt_tokens: int = 0
    generated_tokens: int = 0
    estimated_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    unknown_usage_replies: int = 0
    cost_usd: float = 0.0
    unpriced_replies: int = 0
    possibly_paid: int = 0
    possibly_paid_usd: float = 0.0
    foreign_replies: int = 0
    failed_attempts: int = 0
    failed_requests: int = 0
    wait_seconds: float = 0.0
    active_seconds: float = 0.0

    def __add__(self, other: Account) -> Account:
        return Account(
            **{item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(self)}
        )

    @property
    def spent_usd(self) -> float:
        """What a dollar cap counts: known costs, and lost replies at their worst."""
        return self.cost_usd + self.possibly_paid_usd


def account_of(records: Iterable[Record]) -> Account:
    """Return the account of one window's records, or of several windows in a row."""
    total = Account()
    asked: float | None = None
    for record in records:
        if record.kind in ("intent", "open") and asked is not None:
            total += Account(possibly_paid=1, possibly_paid_usd=asked)
        if record.kind in ("reply", "foreign") and _cost(record) is None:
            total += Account(possibly_paid_usd=asked or 0.0)
        if record.kind in _ENDS:
            asked = None
        if record.kind == "intent":
            asked = record.body["bound_usd"] or 0.0
        total += _one(record)
    return total if asked is None else total + Account(possibly_paid=1, possibly_paid_usd=asked)


_ENDS = frozenset({"open", "reply", "failed", "foreign", "close"})


def _one(record: Record) -> Account:
    kind, body = record.kind, record.body
    if kind == "open":
        return Account(windows=1)
    if kind == "reply":
        return _reply(record)
    if kind == "foreign":
        return _foreign(record)
    if kind == "answers":
        return _answers(record)
    if kind == "result":
        return _result(record)
    if kind == "attempt":
        return Account(
            failed_attempts=1,
            wait_seconds=body["wait_seconds"],
            cost_usd=body["cost_usd"],
            possibly_paid=int(body["possibly_paid"]),
            possibly_paid_usd=body["bound_usd"] or 0.0,
        )
    if kind == "failed":
        return Account(failed_requests=1)
    if kind == "close":
        return Account(sealed=int(body["state"] == "sealed"), exhausted=int(body["state"] != "sealed"))
    return Account()


def _reply(record: Record) -> Account:
    body = record.body
    usage, calls = body["usage"], body["message"].get("tool_calls") or []
    return Account(
        replies=1,
        tool_calls=len(calls),
        replies_without_calls=int(not calls),
        length_cuts=int(body["finish"] == "length"),
        prompt_tokens=usage["prompt"] or 0,
        generated_tokens=body["generated"],
        estimated_tokens=body["generated"] if body["estimated"] else 0,
        reasoning_tokens=usage["reasoning"] or 0,
        cached_tokens=usage["cached"] or 0,
        unknown_usage_replies=int(body["estimated"]),
        cost_usd=body["cost_usd"] or 0.0,
        unpriced_replies=int(body["cost_usd"] is None),
        active_seconds=body["seconds"],
    )


def _cost(record: Record) -> float | None:
    """Return the known cost of a reply, be it accepted or another model's."""
    reply = record.body["reply"] if record.kind == "foreign" else record.body
    return None if reply is None else reply["cost_usd"]


def _foreign(record: Record) -> Account:
    cost = _cost(record)
    return Account(foreign_replies=1, cost_usd=cost or 0.0, unpriced_replies=int(cost is None))


def _answers(record: Record) -> Account:
    code = record.body["code"]
    return Account(
        corrections=1,
        refused_calls=len(record.body["answers"]),
        refusals=int(code in ("refusal", "content_filter")),
        calls_as_text=int(code == "call_as_text"),
    )


def _result(record: Record) -> Account:
    body = record.body
    return Account(
        queries=int(body["tool"] == "query_company"),
        staged=int(body["draft"] is not None),
        refused_calls=int(not body["done"]),
        corrections=int(not body["done"]),
        clock_stops=int(body["limit"] == "clock"),
        active_seconds=body["seconds"],
    )
