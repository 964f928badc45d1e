"""What the merchant policies read off a desk's facts, as arrays by product number.

All seats of a window get the same catalogue, so that its arrays are made once: what is kept here is a
function of the object that it was made from, and is never anything else than that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.strategy import Facts
from tournament.records import Json

MERCHANT: Final = frozenset({"merchant@1"})
HOURS_A_WINDOW: Final = 12
RAMP_HOURS: Final = 336
DISPATCH_HOURS: Final = 48
PRICE_LIMIT: Final = 1_000_000

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Made = TypeVar("Made")


class _Last(Generic[Made]):
    """Remembers what was made from the last object, by identity."""

    def __init__(self, make: Callable[..., Made]) -> None:
        self._make = make
        self._kept: tuple[Any, Made] | None = None

    def __call__(self, source: Any, *more: Any) -> Made:
        kept = self._kept
        if kept is None or kept[0] is not source:
            kept = self._kept = (source, self._make(source, *more))
        return kept[1]


class Static:
    """The catalogue's columns that never change, by product number."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.product: list[str] = columns["product"]
        self.number: dict[str, int] = {name: i for i, name in enumerate(self.product)}
        self.keyword: Ints = np.array(columns["keyword"], dtype=np.int64)
        self.rating: Reals = np.array(columns["rating"], dtype=np.float64)
        self.supplier_rating: Reals = np.array(columns["supplier_rating"], dtype=np.float64)
        self.return_buyer_rate: Reals = np.array(columns["return_buyer_rate"], dtype=np.float64)
        self.by_rating: Ints = np.argsort(-self.rating, kind="stable")

    def numbers(self, names: Collection[str]) -> Ints:
        """Return the numbers of products by their ids."""
        return np.fromiter(map(self.number.__getitem__, names), dtype=np.int64, count=len(names))


@dataclass(frozen=True, slots=True)
class Dated:
    """Product numbers with an hour each, as a memo keeps them: two lists of numbers, aligned.

    A memo is written once a window and seat: ids as keys would be nine tenths of a world's journal.
    """

    product: Ints
    hour: Ints

    @classmethod
    def read(cls, memo: Json) -> Dated:
        """Return what `written` gave; nothing for None."""
        products, hours = ([], []) if memo is None else (memo["product"], memo["hour"])
        return cls(np.array(products, dtype=np.int64), np.array(hours, dtype=np.int64))

    def after(self, hour: int) -> Dated:
        """Return those whose hour is still to come."""
        kept = self.hour > hour
        return Dated(self.product[kept], self.hour[kept])

    def with_dates(self, product: Ints, hour: Iterable[int]) -> Dated:
        """Return these, with new ones that replace what was known of the same products."""
        if not len(product):
            return self
        replaced = np.zeros(1 + max(int(self.product.max(initial=0)), int(product.max())), dtype=np.bool_)
        replaced[product] = True
        kept = ~replaced[self.product]
        hours = np.fromiter(hour, dtype=np.int64, count=len(product))
        return Dated(np.concatenate((self.product[kept], product)), np.concatenate((self.hour[kept], hours)))

    def written(self) -> Json:
        return {"product": self.product.tolist(), "hour": self.hour.tolist()}


class Moving:
    """The catalogue's columns of one window, by product number."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.price: Ints = np.array(columns["price_cents"], dtype=np.int64)
        self.available: Flags = np.array(columns["available"], dtype=np.bool_)
        self.stock: Ints = np.array(columns["stock"], dtype=np.int64)
        self.ship: Ints = np.array(columns["ship_hours"], dtype=np.int64)
        self.sellable: Flags = self.available & (self.ship <= DISPATCH_HOURS)
        self._log: Reals | None = None

    @property
    def log_thousands(self) -> Reals:
        """log(price / 1000): the C library's logarithm, which numpy's own need not equal to the last bit."""
        if self._log is None:
            self._log = _LOGS.of(self.price)
        return self._log


class Offers:
    """Every seat's shelf of 24 hours ago; `number` gives a product's number by its id."""

    def __init__(self, columns: Mapping[str, Any], number: Mapping[str, int]) -> None:
        self._seat = np.array(columns["seat"], dtype=np.int64)
        self._product = np.array([number[name] for name in columns["product"]], dtype=np.int64)

    def crowd(self, seat: int, products: int) -> Ints:
        """Return the number of rival offers by product."""
        return np.bincount(self._product[self._seat != seat], minlength=products)


class _Logs:
    """log(price / 1000) by price, worked out once."""

    def __init__(self) -> None:
        self._known: Reals = np.full(1, np.nan)

    def of(self, prices: Ints) -> Reals:
        highest = int(prices.max(initial=0))
        if highest >= len(self._known):
            more = np.full(highest + 1 - len(self._known), np.nan)
            self._known = np.concatenate((self._known, more))
        values: Reals = self._known[prices]
        new = prices[np.isnan(values)]
        if len(new):
            self._known[new] = [math.log(price / 1000) for price in new.tolist()]
            values = self._known[prices]
        return values


_LOGS = _Logs()
_static = _Last(Static)
_moving = _Last(Moving)
_offers = _Last(Offers)


def static(facts: Facts) -> Static:
    return _static(facts["catalog_static"])


def moving(facts: Facts) -> Moving:
    return _moving(facts["catalog"])


def offers(facts: Facts) -> Offers:
    return _offers(facts["offers"], static(facts).number)


def now(facts: Facts) -> int:
    """Return the hour of the decision, from 0."""
    hour: int = HOURS_A_WINDOW * facts["window"]
    return hour


def asked(prices: Ints, multiple: Reals | float) -> list[int]:
    """Return supplier prices times a multiple, to the nearest fen, within what a price may be."""
    nearest = (prices * multiple + 0.5).astype(np.int64)
    within: list[int] = np.minimum(np.maximum(nearest, 1), PRICE_LIMIT).tolist()
    return within


def costs(rows: Sequence[Mapping[str, Any]]) -> Ints:
    """Return the supplier prices of listings."""
    return np.array([row["supplier_price_cents"] for row in rows], dtype=np.int64)


@lru_cache(maxsize=16384)
def exposed(age: int) -> float:
    """Return the exposure of an age, worked out once."""
    return exposure(age)


def exposure(age: int) -> float:
    """Return the relative traffic of a listing by its age in hours: a ramp of two weeks, then a decay."""
    if age <= RAMP_HOURS:
        return 0.2 + 0.8 * (age / 24) / 14
    return 0.1 + 0.9 * math.exp(-0.0092 * (age / 24 - 14))
