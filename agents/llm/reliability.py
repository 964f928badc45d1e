"""Usage tables: one row a window of each seat that a model fills, from which everything else is a sum.

A world's rows go to `worlds/<world>/usage.parquet` when it ends. Windows add up to seats, contestants,
routes, worlds and the study; the statistics read operating reliability out of the same columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Final

from agents.llm.accounts import MEANING, Account, account_of
from tournament.records import Json, Record

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
    return [*keys, *((item.name, _WORDS[str(item.type)], item.metadata[MEANING]) for item in fields(Account))]


def usage_columns(route: str, records: Sequence[Record]) -> Row:
    """Return what one window's records say, beside where it was played."""
    return {"route": route, **asdict(account_of(records))}


def totals(rows: Iterable[Row], *by: str) -> Mapping[tuple[Json, ...], Account]:
    """Add rows up by any of the key columns; without any, everything under the empty key."""
    sums: dict[tuple[Json, ...], Account] = {}
    for row in rows:
        key = tuple(row[name] for name in by)
        own = Account(**{name: row[name] for name in COUNTS})
        sums[key] = sums[key] + own if key in sums else own
    return sums


def rates(account: Account) -> Mapping[str, float | None]:
    """Return operating reliability: shares of windows and of replies, None where there were none."""
    windows, replies = account.windows, account.replies
    return {
        "seal_rate": account.sealed / windows if windows else None,
        "exhaustion_rate": account.exhausted / windows if windows else None,
        "replies_per_window": replies / windows if windows else None,
        "tool_calls_per_window": account.tool_calls / windows if windows else None,
        "correction_rate": account.corrections / replies if replies else None,
        "refusal_rate": account.refusals / replies if replies else None,
        "call_as_text_rate": account.calls_as_text / replies if replies else None,
        "unknown_usage_rate": account.unknown_usage_replies / replies if replies else None,
    }
