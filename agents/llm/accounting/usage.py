"""Usage of model seats: what windows cost and how they went, from their records alone, and tables of it.

Nothing is counted twice and nothing is invented: a count that a provider did not give stays unknown
beside the estimate that the budget used, and a request whose answer was lost is possibly paid. A world's
rows, one a window and seat, go to `worlds/<world>/usage.parquet`; every other figure is a sum of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from agents.llm.window.record_kinds import IDENTITY_MISMATCH, REBUILT, kind_of
from tournament.records import Json, Record

_MEANING: Final = "meaning"


def _sum(zero: float, meaning: str) -> Any:
    """A field that is added up; its meaning is what the manual says of the column."""
    return field(default=zero, metadata={_MEANING: meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Sums over windows; accounts add up to seats, contestants, routes, worlds and a study."""

    windows: int = _sum(0, "windows begun: 1 in a row of the table")
    sealed: int = _sum(0, "windows that the model sealed")
    exhausted: int = _sum(
        0, "windows that ended without a seal: a budget was used up, or the context overflowed"
    )
    replies: int = _sum(0, "accounting-valid replies: what the budget of replies counts")
    tool_calls: int = _sum(0, "tool calls asked for in replies, run or not")
    queries: int = _sum(0, "calls of `query_company` that were run")
    staged: int = _sum(0, "calls that changed the draft of the decision")
    refused_calls: int = _sum(0, "calls that changed nothing and were answered with an error")
    corrections: int = _sum(0, "errors returned for correction, of whole replies or of single calls")
    replies_without_calls: int = _sum(0, "replies that called no tool")
    calls_as_text: int = _sum(0, "replies that wrote a call as text")
    refusals: int = _sum(0, "replies in which the model or the provider's filter refused")
    length_cuts: int = _sum(0, "replies cut by the ceiling of the response")
    clock_stops: int = _sum(0, "queries that their processor time stopped, not the count of steps")
    prompt_tokens: int = _sum(
        0, "prompt tokens of replies whose provider told them; of the others nothing is in it"
    )
    generated_tokens: int = _sum(
        0,
        "generated tokens as budgets count them, reasoning included once, estimates too",
    )
    estimated_tokens: int = _sum(0, "the part of `generated_tokens` estimated for replies of unknown usage")
    reasoning_tokens: int = _sum(0, "the part of `generated_tokens` that providers told to be reasoning")
    cached_tokens: int = _sum(0, "the part of `prompt_tokens` that providers told to be read from a cache")
    unknown_usage_replies: int = _sum(0, "replies without a usable count of generated tokens")
    cost_usd: float = _sum(
        0.0,
        "known cost in US dollars, of replies of another model and charged failures too",
    )
    told_usd: float = _sum(
        0.0,
        "what providers said that replies of known cost cost, in US dollars; of the others nothing is in it",
    )
    told_cost_usd: float = _sum(0.0, "the part of `cost_usd` of replies whose provider told their cost too")
    unpriced_replies: int = _sum(0, "replies whose cost nobody knows, those of another model included")
    possibly_paid: int = _sum(
        0, "requests and attempts whose answer was lost and that may have been charged for"
    )
    possibly_paid_usd: float = _sum(
        0.0, "the most US dollars that lost answers and unpriced replies can have cost beside"
    )
    foreign_replies: int = _sum(
        0, "replies under a model id that the route does not accept: kept, not acted on"
    )
    failed_attempts: int = _sum(0, "attempts that brought no reply, asked again or not")
    failed_requests: int = _sum(0, "requests that the route gave up, which suspended the world")
    wait_seconds: float = _sum(0.0, "seconds waited between attempts, in no budget")
    active_seconds: float = _sum(0.0, "seconds of model and tool time, as the budget counts them")

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
    in_flight: float | None = None  # the bound of a request that no record has answered yet
    for record in records:
        kind = kind_of(record)
        if kind in ("intent", "open") and in_flight is not None:
            total += Account(possibly_paid=1, possibly_paid_usd=in_flight)
        if kind in ("reply", IDENTITY_MISMATCH) and _cost(record) is None:
            total += Account(possibly_paid_usd=in_flight or 0.0)
        if kind in ("open", "reply", "failed", IDENTITY_MISMATCH, REBUILT, "close"):
            in_flight = None
        if kind == "intent":
            in_flight = record.body["bound_usd"] or 0.0
        if kind in _ACCOUNTS:
            total += _ACCOUNTS[kind](record.body)
    return total if in_flight is None else total + Account(possibly_paid=1, possibly_paid_usd=in_flight)


def _cost(record: Record) -> float | None:
    """Return the known cost of a reply, be it accepted or another model's."""
    reply = record.body if record.kind == "reply" else record.body["reply"]
    return None if reply is None else reply["cost_usd"]


def _reply(body: Mapping[str, Json]) -> Account:
    usage, calls = body["usage"], body["message"].get("tool_calls")
    calls = calls if isinstance(calls, list) else []
    told, told_cost = _told(body)
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
        told_usd=told,
        told_cost_usd=told_cost,
        unpriced_replies=int(body["cost_usd"] is None),
        active_seconds=body["seconds"],
    )


def _told(body: Mapping[str, Json]) -> tuple[float, float]:
    """What a provider told of a reply's cost, beside ours where both are known; older records do not say."""
    told, own = body.get("told_usd"), body["cost_usd"]
    return (0.0, 0.0) if told is None or own is None else (told, own)


def _mismatch(body: Mapping[str, Json]) -> Account:
    cost = None if body["reply"] is None else body["reply"]["cost_usd"]
    return Account(foreign_replies=1, cost_usd=cost or 0.0, unpriced_replies=int(cost is None))


def _attempt(body: Mapping[str, Json]) -> Account:
    return Account(
        failed_attempts=1,
        wait_seconds=body["wait_seconds"],
        cost_usd=body["cost_usd"],
        possibly_paid=int(body["possibly_paid"]),
        possibly_paid_usd=body["bound_usd"] or 0.0,
    )


def _answers(body: Mapping[str, Json]) -> Account:
    return Account(
        corrections=1,
        refused_calls=len(body["answers"]),
        refusals=int(body["code"] in ("refusal", "content_filter")),
        calls_as_text=int(body["code"] == "call_as_text"),
    )


def _result(body: Mapping[str, Json]) -> Account:
    return Account(
        queries=int(body["tool"] == "query_company"),
        staged=int(body["draft"] is not None),
        refused_calls=int(not body["done"]),
        corrections=int(not body["done"]),
        clock_stops=int(body["limit"] == "clock"),
        active_seconds=body["seconds"],
    )


def _close(body: Mapping[str, Json]) -> Account:
    sealed = body["state"] == "sealed"
    return Account(sealed=int(sealed), exhausted=int(not sealed))


_ACCOUNTS: Final[Mapping[str, Callable[[Mapping[str, Json]], Account]]] = {
    "open": lambda body: Account(windows=1),
    "attempt": _attempt,
    "reply": _reply,
    IDENTITY_MISMATCH: _mismatch,
    "failed": lambda body: Account(failed_requests=1),
    "answers": _answers,
    "result": _result,
    "close": _close,
}

KEY_MEANINGS: Final[Mapping[str, str]] = {
    "world": "the world",
    "seat": "seat, from 1",
    "contestant": "who filled the seat",
    "window": "decision window, from 0",
    "route": "id of the route that the seat spoke through",
}
KEYS: Final = tuple(KEY_MEANINGS)
COUNTS: Final = tuple(item.name for item in fields(Account))
COLUMNS: Final = (*KEYS, *COUNTS)

_WORDS: Final = {"int": "integer", "float": "number"}

Row = Mapping[str, Json]


def column_meanings() -> list[tuple[str, str, str]]:
    """Return name, type and meaning of every column of a usage table, in order."""
    keys = [
        (name, "integer" if name in ("seat", "window") else "text", meaning)
        for name, meaning in KEY_MEANINGS.items()
    ]
    return [
        *keys,
        *((item.name, _WORDS[str(item.type)], item.metadata[_MEANING]) for item in fields(Account)),
    ]


def usage_columns(route: str, records: Sequence[Record]) -> Row:
    """Return what one window's records say, beside where it was played."""
    return {"route": route, **asdict(account_of(records))}


def totals(rows: Iterable[Row], *by: str) -> Mapping[tuple[Json, ...], Account]:
    """Add rows up by any of the key columns; without any, everything under the empty key.

    A table of an earlier version lacks the columns that there were not: nothing of them is in its sums.
    """
    sums: dict[tuple[Json, ...], Account] = {}
    for row in rows:
        key = tuple(row[name] for name in by)
        own = Account(**{name: row[name] for name in COUNTS if name in row})
        sums[key] = sums[key] + own if key in sums else own
    return sums
