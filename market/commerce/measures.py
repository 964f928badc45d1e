"""What `commerce@1` measures of a finished world: how its market fared, and firms' paths by day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tournament.records import Measured

Columns = Mapping[str, NDArray[Any]]


def measures(
    market: Columns, inquiries: Mapping[str, NDArray[Any] | Sequence[Any]], own_units: int, refunds: int
) -> tuple[Measured, ...]:
    """Return the market's measures; `own_units` and `refunds` are all contestants' consumer units."""
    winners = inquiries["winner_seat"]
    won = sum(winner is not None for winner in winners)
    sold = int(market["units"].sum())
    return (
        _ratio("seats_share", own_units, sold, "nothing was sold"),
        *_served(market),
        _ratio("inquiries_won", won, len(winners), "no inquiry was settled"),
        _ratio("refund_share", refunds, own_units, "contestants sold nothing"),
    )


def _served(market: Columns) -> Iterator[Measured]:
    yield _ratio("units_per_demand", int(market["units"].sum()), float(market["demand"].sum()), "no demand")
    for category in sorted(set(market["category"].tolist())):
        rows = market["category"] == category
        units, demand = int(market["units"][rows].sum()), float(market["demand"][rows].sum())
        yield _ratio("units_per_demand", units, demand, "no demand", category)


def _ratio(name: str, part: float, whole: float, missing: str, group: str = "") -> Measured:
    value = part / whole if whole else None
    return Measured(name=name, group=group, value=value, note="" if whole else missing)


def series(daily: Columns, seats: int) -> dict[str, NDArray[Any]]:
    """Return every firm's path, a row a window and seat; no firm ever leaves."""
    windows = len(daily["day"]) // seats

    def table(name: str) -> NDArray[np.float64]:
        return daily[name].astype(np.float64).reshape(windows, seats)

    sales = table("revenue_cents") + table("service_revenue_cents")
    with np.errstate(divide="ignore", invalid="ignore"):
        share = sales / sales.sum(axis=1, keepdims=True)
    kept = ("cash_cents", "receivables_cents", "stock_cost_cents", "loan_cents", "orders")
    cells = {**{name: table(name) for name in kept}, "revenue_share": share}
    return {
        "window": np.repeat(np.arange(windows), seats),
        "last_day": np.repeat(np.arange(1, windows + 1), seats),
        "seat": np.tile(np.arange(1, seats + 1), windows),
        "in_business": np.full(windows * seats, True),
        **{name: values.ravel() for name, values in cells.items()},
        "ads_cents": -table("account_ads_cents").ravel(),
    }
