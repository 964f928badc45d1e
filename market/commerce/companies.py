"""What a run's companies came to and traded, from its published tables: the ground of the report's parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from market.commerce.parameters import CAPITAL_CENTS, CODES, COUNTRIES, PERSONAS, SKU_IDS
from tournament.report_parts import Columns, RunTables, SeatedWorld

Counts = NDArray[np.int64]

SOLD: Final = ("units", "revenue_cents", "freight_cents", "duty_cents", "goods_cents")
BOUGHT: Final = ("units", "cents")
ADS: Final = ("spend_cents", "orders", "attributed_return_cents", "days")
PERMITS: Final = ("permits", "fee_cents", "sales", "fine_cents")
REPLIES: Final = ("replies", "won", "false_claims", "revenue_cents", "cost_cents", "coverage")
EVENTS: Final = ("genuine", "rumours", "bought", "units", "contribution", "whole")

_SKU: Final = {name: s for s, name in enumerate(SKU_IDS)}
_COUNTRY: Final = {name: k for k, name in enumerate(COUNTRIES)}
_CATEGORY: Final = {name: c for c, name in enumerate(CODES)}
_PERSONA: Final = {name: p for p, name in enumerate(PERSONAS)}
A_CATEGORY: Final = len(SKU_IDS) // len(CODES)


@dataclass(frozen=True, kw_only=True)
class Company:
    """One seat of a finished world with its declared outcomes."""

    world: str
    seed: int
    repeat: int
    seat: int
    contestant: str
    outcome: Mapping[str, int | None]

    def whole(self, column: str) -> int:
        """Return an outcome that every company has."""
        value = self.outcome[column]
        assert value is not None, column
        return value

    @property
    def net_worth_cents(self) -> int:
        return self.whole("score_cents") + CAPITAL_CENTS


def companies(run: RunTables, worlds: Iterable[SeatedWorld] | None = None) -> Iterator[Company]:
    """Yield every company of the finished worlds, or of some of them, in order of play and seat."""
    for spec in run.worlds() if worlds is None else worlds:
        outcomes = run.outcomes(spec.world)
        for seat, (contestant, outcome) in enumerate(zip(spec.seats, outcomes, strict=True), start=1):
            yield Company(
                world=spec.world,
                seed=spec.seed,
                repeat=spec.repeat,
                seat=seat,
                contestant=contestant,
                outcome=outcome,
            )


def by_contestant(run: RunTables, found: Iterable[Company]) -> Mapping[str, Sequence[Company]]:
    """Group companies by contestant, in the study's order; contestants without a company are left out."""
    groups: dict[str, list[Company]] = {name: [] for name in run.contestants}
    for company in found:
        groups[company.contestant].append(company)
    return {name: group for name, group in groups.items() if group}


@dataclass(frozen=True, kw_only=True)
class Total:
    """Sums over some companies; the last axis of `values` has the names that stand beside its kind above."""

    companies: int
    values: NDArray[np.float64]

    def __add__(self, other: Total) -> Total:
        return Total(companies=self.companies + other.companies, values=self.values + other.values)

    @property
    def each(self) -> NDArray[np.float64]:
        """Return the means over the companies."""
        return self.values / self.companies


def contribution(sold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return revenue less freight, duty and cost of goods, of the last axis of SOLD."""
    left: NDArray[np.float64] = sold[..., 1] - sold[..., 2:].sum(axis=-1)
    return left


def by_category(by_sku: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums by category of sums by SKU, the first axis."""
    total: NDArray[np.float64] = by_sku.reshape(len(CODES), A_CATEGORY, *by_sku.shape[1:]).sum(axis=1)
    return total


def ratio(part: float, whole: float) -> float | None:
    """Return part over whole, None where there is nothing to divide by."""
    return float(part / whole) if whole else None


def totals(run: RunTables, kind: str, worlds: Iterable[SeatedWorld] | None = None) -> Mapping[str, Total]:
    """Return a kind of sums over all companies of each contestant, in the study's order.

    Worlds that lack one of its tables are passed over. Kinds: `sold` by SKU and country (SOLD, inquiries
    included), `bought` by SKU (BOUGHT), `ads` (ADS), `permits` by country (PERMITS), `replies` by persona
    (REPLIES), `events` (EVENTS).
    """
    names, made = _KINDS[kind]
    found: dict[str, Total] = {}
    for spec in run.worlds() if worlds is None else worlds:
        read = {name: run.table(spec.world, name) for name in names}
        tables = {name: columns for name, columns in read.items() if columns is not None}
        if len(tables) < len(names):
            continue
        for contestant, values in zip(spec.seats, made(tables, len(spec.seats)), strict=True):
            own = Total(companies=1, values=values)
            found[contestant] = found[contestant] + own if contestant in found else own
    return {name: found[name] for name in run.contestants if name in found}


def _bought(tables: Mapping[str, Columns], seats: int) -> NDArray[np.float64]:
    purchases = tables["purchases"]
    return _summed(
        (seats, len(SKU_IDS)),
        (_seat(purchases), _places(purchases, "sku", _SKU)),
        (_ints(purchases, "units"), _cost(purchases)),
    )


def _ads(tables: Mapping[str, Columns], seats: int) -> NDArray[np.float64]:
    ads = tables["ads"]
    spent = [_ints(ads, name) for name in ADS[:3]]
    return _summed((seats,), (_seat(ads),), (*spent, np.ones(len(ads["seat"]))))


def _permits(tables: Mapping[str, Columns], seats: int) -> NDArray[np.float64]:
    """Return permits asked for and their fees, then sales without one and their fines."""
    columns = (("permits", None, "fee_cents"), ("violations", "sales", "fine_cents"))
    halves = []
    for name, count, cents in columns:
        table = tables[name]
        counted = np.ones(len(table["seat"])) if count is None else _ints(table, count)
        places = (_seat(table), _places(table, "country", _COUNTRY))
        halves.append(_summed((seats, len(COUNTRIES)), places, (counted, _ints(table, cents))))
    return np.concatenate(halves, axis=2)


def _ints(table: Columns, name: str) -> NDArray[np.float64]:
    return np.array(table[name], dtype=np.float64)


def _seat(table: Columns) -> Counts:
    return np.array(table["seat"], dtype=np.int64) - 1


def _places(table: Columns, column: str, known: Mapping[str, int]) -> Counts:
    return np.array([known[name] for name in table[column]], dtype=np.int64)


def _cost(purchases: Columns) -> NDArray[np.float64]:
    return _ints(purchases, "units") * _ints(purchases, "unit_cents")


def _summed(
    shape: tuple[int, ...], places: Sequence[Counts], values: Sequence[NDArray[Any]]
) -> NDArray[np.float64]:
    """Return the values' sums by place, with an axis more: one entry a value. Cents stay below 2^53."""
    flat = np.ravel_multi_index(tuple(places), shape)
    sums = [np.bincount(flat, weights=value, minlength=math.prod(shape)) for value in values]
    return np.stack(sums, axis=-1).reshape(*shape, len(values)).astype(np.float64)


def _sold(tables: Mapping[str, Columns], seats: int) -> NDArray[np.float64]:
    """Return what consumers and won inquiries took, by seat, SKU and country."""
    shape = (seats, len(SKU_IDS), len(COUNTRIES))
    total: NDArray[np.float64] = np.zeros((*shape, len(SOLD)))
    for name in ("sales", "replies"):
        table = tables[name]
        taken = np.ones(len(table["seat"])) if name == "sales" else _ints(table, "won")
        places = (_seat(table), _places(table, "sku", _SKU), _places(table, "country", _COUNTRY))
        total += _summed(shape, places, [taken * _ints(table, column) for column in SOLD])
    return total


def _replies(tables: Mapping[str, Columns], seats: int) -> NDArray[np.float64]:
    table = tables["replies"]
    cost = sum((_ints(table, name) for name in ("freight_cents", "duty_cents", "goods_cents")), np.zeros(1))
    won = _ints(table, "won")
    values = (
        np.ones(len(won)),
        won,
        won * _ints(table, "false_claim"),
        _ints(table, "revenue_cents"),
        np.broadcast_to(cost, won.shape),
        _ints(table, "coverage"),
    )
    places = (_seat(table), _places(table, "persona", _PERSONA))
    return _summed((seats, len(PERSONAS)), places, values)


@dataclass(frozen=True, kw_only=True)
class Event:
    """An announced change of demand; only a genuine one came, from `start` until before `end`."""

    number: int
    category: int
    country: int
    announced: int
    start: int
    end: int
    genuine: bool


def events_of(signals: Columns) -> Sequence[Event]:
    """Return the announced changes of demand."""
    names = ("signal", "kind", "category", "country", "announced", "start", "end", "genuine")
    rows = zip(*(signals[name] for name in names), strict=True)
    return [
        Event(
            number=int(number),
            category=_CATEGORY[category],
            country=_COUNTRY[country],
            announced=int(announced),
            start=int(start),
            end=int(end),
            genuine=bool(genuine),
        )
        for number, kind, category, country, announced, start, end, genuine in rows
        if kind == "demand"
    ]


def _events(tables: Mapping[str, Columns], seats: int) -> NDArray[np.float64]:
    """Return cents bought of categories in the news (genuine, rumours) and of all, then units and contribution
    of consumers' orders where it came true, and their contribution everywhere."""
    found = events_of(tables["signals"])
    purchases, sales = tables["purchases"], tables["sales"]
    category = _places(purchases, "sku", _SKU) // A_CATEGORY
    day = np.maximum(np.array(purchases["window"], dtype=np.int64) - 1, 0)
    told = {True: np.zeros(len(day), dtype=bool), False: np.zeros(len(day), dtype=bool)}
    for event in found:
        told[event.genuine] |= (category == event.category) & (event.announced <= day) & (day < event.end)
    cents = _cost(purchases)
    # A category of which both a true and a false announcement run counts as in true news.
    capital = _summed(
        (seats,), (_seat(purchases),), (cents * told[True], cents * (told[False] & ~told[True]), cents)
    )
    came, left = came_true(sales, found), _ints(sales, "contribution_cents")
    taken = _summed((seats,), (_seat(sales),), (came * _ints(sales, "units"), came * left, left))
    return np.concatenate((capital, taken), axis=1)


def came_true(sales: Columns, events: Iterable[Event]) -> NDArray[np.bool_]:
    """Tell of each row of consumers' sales whether a genuine event raised demand there that day."""
    category = _places(sales, "sku", _SKU) // A_CATEGORY
    country, day = _places(sales, "country", _COUNTRY), np.array(sales["day"], dtype=np.int64)
    found = np.zeros(len(day), dtype=bool)
    for event in events:
        if event.genuine:
            here = (category == event.category) & (country == event.country)
            found |= here & (event.start <= day) & (day < event.end)
    return found


_KINDS: Final[
    Mapping[str, tuple[tuple[str, ...], Callable[[Mapping[str, Columns], int], NDArray[np.float64]]]]
] = {
    "sold": (("sales", "replies"), _sold),
    "bought": (("purchases",), _bought),
    "ads": (("ads",), _ads),
    "permits": (("permits", "violations"), _permits),
    "replies": (("replies",), _replies),
    "events": (("signals", "purchases", "sales"), _events),
}
