"""Stores month by month, from a run's published tables: activity, sales, profit and portfolio alignment.

After the MerchantBench paper, Figures 5 and 6. Months are those of the calendar, from June 2025; a horizon that is
not a whole year ends within one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from market.merchant.activity import Activity, activities
from market.merchant.figures import INITIAL_CAPITAL
from market.merchant.parameters import WINDOWS_A_DAY
from market.merchant.season import FIRST_DATE, month_of
from tournament.report_parts import Columns, RunTables, SeatedWorld

_HELD: Final = ("cash_cents", "deposit_cents", "in_transit_cents", "receivable_cents")
_SUMS: Final = ("orders", "gmv_cents")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreMonth:
    """One store in one month (from 0).

    `profit_cents` is what its net assets grew by, the drain in the last month: a year's months add up to the
    Score. `effective` is the share of its windows that were active, `calls` are a model's tool calls, and
    `alignment` is the mean percentile of demand over its listed product-hours; each None where it has none.
    """

    world: str
    contestant: str
    month: int
    profit_cents: int
    gmv_cents: int
    orders: int
    listings: float
    effective: float | None
    calls: int | None
    alignment: float | None


def month_name(month: int) -> str:
    """Return a month as tables head it: June 2025."""
    return f"{_first(month):%B %Y}"


def month_label(month: int) -> str:
    """Return a month as an axis shows it: Jun."""
    return f"{_first(month):%b}"


def _first(month: int) -> Any:
    years, number = divmod(FIRST_DATE.month - 1 + month, 12)
    return FIRST_DATE.replace(year=FIRST_DATE.year + years, month=number + 1)


def store_months(run: RunTables, worlds: Iterable[SeatedWorld] | None = None) -> Iterator[StoreMonth]:
    """Yield every store and month of the finished worlds, or of some of them."""
    for spec in run.worlds() if worlds is None else worlds:
        daily = run.table(spec.world, "daily")
        if daily is None:
            continue
        active, aligned = activities(run, spec.world), _alignment(run, spec.world)
        seats = np.array(daily["seat"], dtype=np.int64)
        for seat, contestant in enumerate(spec.seats, start=1):
            books = _books(daily, seats == seat)
            for month, own in enumerate(books):
                yield StoreMonth(
                    world=spec.world,
                    contestant=contestant,
                    month=month,
                    **own,
                    **_used(active.get(seat), month),
                    alignment=aligned.get((seat, month)),
                )


def _books(daily: Columns, rows: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return one seat's figures by month, from its rows of `daily` in order of half-days."""

    def own(name: str) -> NDArray[np.int64]:
        return np.array(daily[name], dtype=np.int64)[rows]

    months = np.array([month_of(day - 1) for day in own("calendar_day").tolist()])
    held = np.array([own(name) for name in _HELD]).sum(axis=0)
    gained = np.diff(held, prepend=INITIAL_CAPITAL)
    sums = {name: own(name) for name in _SUMS}
    listings = own("listings")
    return [
        {
            "profit_cents": int(gained[months == month].sum()),
            **{name: int(values[months == month].sum()) for name, values in sums.items()},
            "listings": float(listings[months == month].mean()),
        }
        for month in range(int(months.max(initial=-1)) + 1)
    ]


def _used(activity: Activity | None, month: int) -> dict[str, Any]:
    """Return a month's share of active windows and its tool calls."""
    if activity is None:
        return {"effective": None, "calls": None}
    inside = np.array([month_of(w // WINDOWS_A_DAY) == month for w in activity.windows.tolist()], dtype=bool)
    if not inside.any():
        return {"effective": None, "calls": None}
    calls = activity.calls
    return {
        "effective": float(activity.active[inside].mean()),
        "calls": None if calls is None else int(calls[inside].sum()),
    }


def _alignment(run: RunTables, world: str) -> Mapping[tuple[int, int], float]:
    table = run.table(world, "alignment")
    if table is None:
        return {}
    rows = zip(table["seat"], table["month"], table["alignment"], strict=True)
    return {(seat, month - 1): value for seat, month, value in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Mean and sample standard deviation over stores; the deviation is None of a single one."""

    mean: float
    sd: float | None
    stores: int


def spread(values: Sequence[float | None]) -> Spread | None:
    """Return mean and deviation of the values that are there; None where none is."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    mean = sum(known) / len(known)
    squares = sum((value - mean) ** 2 for value in known)
    sd = math.sqrt(squares / (len(known) - 1)) if len(known) > 1 else None
    return Spread(mean=mean, sd=sd, stores=len(known))


def by_month(run: RunTables, found: Iterable[StoreMonth]) -> Mapping[tuple[str, int], Sequence[StoreMonth]]:
    """Return stores by contestant, in the study's order, and month."""
    groups: dict[tuple[str, int], list[StoreMonth]] = {}
    for item in found:
        groups.setdefault((item.contestant, item.month), []).append(item)
    order = {name: place for place, name in enumerate(run.contestants)}
    return {key: groups[key] for key in sorted(groups, key=lambda key: (order[key[0]], key[1]))}
