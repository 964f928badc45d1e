"""Nothing above a market knows one of its columns by name: the code is searched for what markets declare."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tournament.published import Published
from tournament.registry import market_kind

ROOT = Path(__file__).resolve().parents[2]
MARKETS = ("ceo_arena@1", "commerce@1", "merchant@1")
# Words that everybody above a market needs, whatever is traded: they name roles, kinds and the design.
GENERIC = frozenset({"score", "cash", "salvage", "income", "spending", "score_cents", "spending_cents"})
# Columns of the statistics' own tables that a market's table happens to have too: docs/outputs.md.
STATISTICS = frozenset({"cash_cents"})
# Words of the code's own subject, that a market happens to use for an account, an area or an event too.
HOMONYMS = frozenset(
    {
        "reliability",
        "support",
        "capacity",
        "research",
        "penalties",
        "pricing",
        "replies",
        "receipts",
        "expired",
    }
)


def declared(published: Published) -> set[str]:
    """Return every name that a market has chosen for its columns, accounts, measures, paths and events."""
    names = {column.name for column in published.columns}
    names |= {account.name for account in published.accounts}
    names |= {name for account in published.accounts for name in (account.column, *account.ledger)}
    names |= {measure.name for measure in published.measures}
    names |= {series.name for series in published.series}
    names |= {event.table for event in published.events}
    names |= {name for event in published.events for name in (event.moment, event.seat) if name}
    names |= {name for name in (published.daily_cash, published.cash_fact) if name}
    return names - GENERIC - HOMONYMS - STATISTICS


def names() -> set[str]:
    return set().union(*(declared(market_kind(name).configure({}).published) for name in MARKETS))


def constants(path: Path) -> Iterator[tuple[int, str]]:
    """Yield a module's string constants with their lines, docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value


def known_in(rooms: tuple[str, ...]) -> list[str]:
    """Return where the rooms have a declared name as a constant or as a keyword of a call."""
    wanted = names()
    return [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for room in rooms
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, text in constants(path)
        if text in wanted
    ]


@pytest.mark.parametrize(
    "rooms",
    [("externalities",), ("tournament",), ("agents/llm",), ("lineups",), ("reports",)],
    ids="+".join,
)
def test_no_room_above_a_market_knows_a_declared_name(rooms: tuple[str, ...]) -> None:
    assert known_in(rooms) == []


def test_the_search_finds_a_name_where_there_is_one() -> None:
    assert {"units_sold", "fill_rate", "procurement", "relative_price", "closes_day"} <= names()
    assert any("units_sold" in found for found in known_in(("market/ceo_arena",)))
