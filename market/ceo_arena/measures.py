"""What `ceo_arena@1` measures of a finished world: market health by segment, and firms' paths by window.

Computed once, from the world's own tables, when it ends; what is declared in `published.py` comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from market.ceo_arena.parameters import PRODUCTS, SEGMENTS, Parameters
from tournament.records import Measured

Columns = Mapping[str, NDArray[Any]]
Reals = NDArray[np.float64]
Ints = NDArray[np.int64]

CHOSEN: Final = ("development", "marketing", "reliability", "support", "capacity", "innovation", "research")


def measures(parameters: Parameters, daily: Columns, market: Columns) -> tuple[Measured, ...]:
    """Return the health of the market: prices and supply from `daily`, customers from `market`."""
    return (
        _fill_rate(daily),
        _mean_markup(parameters, daily),
        _price_following(daily, parameters.window_days),
        *_customers(daily, market),
    )


def _fill_rate(daily: Columns) -> Measured:
    """Served / demanded, both of the first round, over the whole world."""
    demand = sum(int(daily[f"demand_{name}"].sum()) for name in PRODUCTS)
    served = sum(int(daily[f"served_{name}"].sum()) for name in PRODUCTS)
    return _measured("fill_rate", served / demand if demand else None, "no demand")


def _mean_markup(parameters: Parameters, daily: Columns) -> Measured:
    """Sum of revenue x (price / cost - 1) / sum of revenue, prices after promotion (Tirole 1988)."""
    weight, weighted = 0.0, 0.0
    for name, cost in zip(PRODUCTS, parameters.cost, strict=True):
        revenue = daily[f"revenue_cents_{name}"].astype(np.float64)
        weight += float(revenue.sum())
        weighted += float((revenue * (_posted(daily, name) / cost - 1)).sum())
    return _measured("mean_markup", weighted / weight if weight > 0 else None, "no revenue")


def _posted(daily: Columns, product: str) -> Reals:
    """Posted prices in cents: floor((price x (100 - promotion) + 50) / 100)."""
    price = daily[f"price_cents_{product}"].astype(np.int64)
    promotion = daily[f"promotion_percent_{product}"].astype(np.int64)
    posted: Reals = ((price * (100 - promotion) + 50) // 100).astype(np.float64)
    return posted


def _price_following(daily: Columns, window: int) -> Measured:
    """The pooled slope of own on rivals' earlier log price changes, by product.

    b = sum x y / sum x^2 with y a firm's change in a window and x its rivals' mean change in the one
    before, both less their means: a descriptive regression, which common shocks move too.

    Source: CEO Arena, section 4.4.
    """
    own, others = _price_changes(daily, window)
    moved = own.size > 0 and float((others - others.mean()).std()) > 0.0
    if not moved:
        return _measured("price_following", None, "no price ever moved")
    x, y = others - others.mean(), own - own.mean()
    return _measured("price_following", float((x * y).sum() / (x**2).sum()), "")


def _price_changes(daily: Columns, window: int) -> tuple[Reals, Reals]:
    """A firm's change and its rivals' mean change one window earlier, over products and firms."""
    seats = int(daily["seat"].max())
    open_firms = daily["cash_cents"].reshape(-1, seats)[::window] > 0
    own, others = [], []
    for name in PRODUCTS:
        posted = _posted(daily, name).reshape(-1, seats)[::window]
        usable = open_firms & (posted > 0)
        change = np.diff(np.log(np.where(usable, posted, 1.0)), axis=0)
        present = usable[1:] & usable[:-1]
        change = np.where(present, change, 0.0)
        count = present.sum(axis=1, keepdims=True) - present
        with np.errstate(divide="ignore", invalid="ignore"):
            rivals = (change.sum(axis=1, keepdims=True) - change) / count
        kept = present[1:] & present[:-1] & (count[:-1] > 0)
        own.append(change[1:][kept])
        others.append(rivals[:-1][kept])
    return np.concatenate(own), np.concatenate(others)


def _customers(daily: Columns, market: Columns) -> list[Measured]:
    """Surplus and unserved share, for the whole market and for each segment (Small and Rosen 1981)."""
    days = daily["day"]
    here = np.zeros(int(days.max()) + 1, dtype=bool)
    np.logical_or.at(here, days, daily["cash_cents"] != 0)
    inclusive = np.where(here[market["day"]], market["inclusive_value"], -np.inf)
    found: list[Measured] = []
    for segment in ("", *sorted(SEGMENTS)):
        rows = np.full(len(days := market["day"]), True) if not segment else market["segment"] == segment
        arrivals = market["arrivals"][rows].astype(np.float64)
        total = float(arrivals.sum())
        surplus = _surplus(market["outside_value"][rows], inclusive[rows])
        unserved = float(market["unserved"][rows].sum())
        values = (
            ("surplus_utils", float((arrivals * surplus).sum()) / total if total else None),
            ("unserved_share", unserved / total if total else None),
        )
        found += [_measured(name, value, "no arrivals", segment) for name, value in values]
    return found


def _surplus(outside: NDArray[Any], inclusive: NDArray[Any]) -> Reals:
    """ln(e^v0 + e^I) - v0 by row: the expected utility of choosing (Small and Rosen 1981).

    A day without any offer has I at minus infinity and no surplus.
    """
    gain = np.where(np.isfinite(inclusive), inclusive - outside.astype(np.float64), -np.inf)
    surplus: Reals = np.logaddexp(0.0, gain)
    return surplus


def _measured(name: str, value: float | None, missing: str, group: str = "") -> Measured:
    return Measured(name=name, group=group, value=value, note=missing if value is None else "")


def series(parameters: Parameters, daily: Columns, exits: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Return every firm's path, a row a window and seat; `exits` is the day each seat left, 0 for never.

    A firm that has left by a window's last day has no value (NaN) there.
    """
    seats = len(exits)
    days = len(daily["day"]) // seats
    window = parameters.window_days
    ends = np.minimum(np.arange(window, days + window, window), days)
    left = np.array([day or days + 1 for day in exits])
    open_at_end = ends[:, None] < left[None, :]
    cells = {
        "cash_cents": _by_day(daily["cash_cents"], seats)[ends - 1],
        **_paths(daily, seats, np.arange(0, days, window), left),
    }
    return {
        "window": np.repeat(np.arange(len(ends)), seats),
        "last_day": np.repeat(ends, seats),
        "seat": np.tile(np.arange(1, seats + 1), len(ends)),
        "in_business": open_at_end.ravel(),
        **{name: np.where(open_at_end, values, np.nan).ravel() for name, values in cells.items()},
    }


def _paths(daily: Columns, seats: int, starts: Ints, left: Ints) -> dict[str, Reals]:
    """Windows x seats of every path but cash; a day counts for a firm until it has left."""
    days = len(daily["day"]) // seats
    here = np.arange(1, days + 1)[:, None] <= left[None, :]
    length = np.add.reduceat(here.astype(np.float64), starts, axis=0)

    def summed(columns: Sequence[str]) -> Reals:
        table = sum((_by_day(daily[name], seats) for name in columns), np.zeros((days, seats)))
        total: Reals = np.add.reduceat(np.where(here, table, 0.0), starts, axis=0)
        return total

    demand = summed([f"demand_{name}" for name in PRODUCTS])
    revenue = summed([f"revenue_cents_{name}" for name in PRODUCTS])
    posted = [np.where(here, _posted(daily, name).reshape(-1, seats), np.nan) for name in PRODUCTS]
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.mean([prices / _mean(prices) for prices in posted], axis=0)
        return {
            "revenue_share": revenue / revenue.sum(axis=1, keepdims=True),
            "stockout_share": 1 - summed([f"served_{name}" for name in PRODUCTS]) / demand,
            "spending_cents": summed([f"{name}_cents" for name in CHOSEN]) / length,
            "relative_price": np.add.reduceat(np.nan_to_num(relative), starts, axis=0) / length,
            **{
                f"posted_cents_{name}": np.add.reduceat(np.nan_to_num(prices), starts, axis=0) / length
                for name, prices in zip(PRODUCTS, posted, strict=True)
            },
        }


def _mean(prices: Reals) -> Reals:
    """Each day's mean over firms in business; NaN on a day without any."""
    there = ~np.isnan(prices)
    mean: Reals = np.nansum(prices, axis=1, keepdims=True) / there.sum(axis=1, keepdims=True)
    return mean


def _by_day(column: NDArray[Any], seats: int) -> Reals:
    return column.astype(np.float64).reshape(-1, seats)
