"""What a run's market and seats do not offer: which tables and charts there are none of, said in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reports.view import View, listed

NEEDS_RIVALS: Final = (
    "The study seats one firm: externality needs rivals, so directed effects, networks and decompositions are"
    " left out."
)
_RIVALS: Final = frozenset({"observations", "directed", "decomposition"})


def lacking(view: View) -> Mapping[str, bool]:
    """Return by name whether a part of the report that a market may leave undeclared is lacking."""
    published = view.published
    return {
        "cash by time step": published.daily_cash is None,
        "exits of firms": published.role("exit") is None,
        "a cash-only score": not published.offers_cash_score,
        "concentration of income": published.role("income") is None,
        "accounts of effects": not published.accounts,
        "paths by window": not published.series,
        "measures of market health": not published.measures,
    }


def unoffered(view: View) -> list[str]:
    """Return what is left out, in a sentence for the market and one for a single seat."""
    names = [name for name, missing in lacking(view).items() if missing]
    market = [f"Not offered by this market, and left out: {listed(names)}."] if names else []
    return [*market, *([NEEDS_RIVALS] if view.seats == 1 else [])]


def offers_table(view: View, name: str) -> bool:
    """Whether a standard table can have a row for this market and so many seats."""
    if name in _RIVALS:
        return view.seats > 1
    needs = {"accounts": "accounts of effects", "salvage": "a cash-only score"}
    return name not in needs or not lacking(view)[needs[name]]
