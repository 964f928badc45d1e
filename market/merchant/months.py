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
from tournament.report_parts import RunTables, SeatedWorld

_HELD: Final = ("cash_cents", "deposit_cents", "in_transit_cents", "receivable_cents")
_SUMS: Final = ("orders", "gmv_cents")
_READ: Final = ("calendar_day", "seat", "listings", *_HELD, *_SUMS)


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
        columns = {name: np.array(daily[name], dtype=np.int64) for name in _READ}
        for seat, contestant in enumerate(spec.seats, start=1):
            used = _used(active.get(seat))
            for month, own in enumerate(_books(columns, columns["seat"] == seat)):
                yield StoreMonth(
                    world=spec.world,
                    contestant=contestant,
                    month=month,
                    **own,
                    **used.get(month, {"effective": None, "calls": None}),
                    alignment=aligned.get((seat, month)),
                )


def _months(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the months of days, from 0."""
    return np.array([month_of(day) for day in range(int(days.max(initial=-1)) + 1)], dtype=np.int64)[days]


def _books(daily: Mapping[str, NDArray[np.int64]], rows: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return one seat's figures by month, from its rows of `daily` in order of half-days."""
    own = {name: values[rows] for name, values in daily.items()}
    months = _months(own["calendar_day"] - 1)
    gained = np.diff(np.array([own[name] for name in _HELD]).sum(axis=0), prepend=INITIAL_CAPITAL)
    return [
        {
            "profit_cents": int(gained[months == month].sum()),
            **{name: int(own[name][months == month].sum()) for name in _SUMS},
            "listings": float(own["listings"][months == month].mean()),
        }
        for month in range(int(months.max(initial=-1)) + 1)
    ]


def _used(activity: Activity | None) -> Mapping[int, dict[str, Any]]:
    """Return the share of active windows and the tool calls of every month in which a seat had windows."""
    if activity is None:
        return {}
    months, calls = _months(activity.windows // WINDOWS_A_DAY), activity.calls
    return {
        month: {
            "effective": float(activity.active[months == month].mean()),
            "calls": None if calls is None else int(calls[months == month].sum()),
        }
        for month in np.unique(months).tolist()
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
