"""What the trader core reads of a seat's facts, as arrays by SKU and country.

All seats of a window are given the same public objects, so that their arrays are made once: what is kept
here is a function of the object that it was made from, and is never anything else than that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.commerce.parameters import TraderParameters
from agents.strategy import Facts
from tournament.records import Json

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Made = TypeVar("Made")

HORIZON = 30
VALID = 2
INDEX_DAYS = 5


class _Last(Generic[Made]):
    """Remembers what was made from the last object of its kind, by identity."""

    def __init__(self, make: Callable[[Facts], Made], source: str) -> None:
        self._make, self._source = make, source
        self._kept: tuple[Any, Made] | None = None

    def __call__(self, facts: Facts) -> Made:
        kept, source = self._kept, facts[self._source]
        if kept is None or kept[0] is not source:
            kept = self._kept = (source, self._make(facts))
        return kept[1]


class Catalogue:
    """The public columns that never change in a world, day 0's frictions among them.

    `by_sku` has offers SKU by SKU, in order of number; `first` is the place of each SKU's first one in it.
    """

    def __init__(self, facts: Facts) -> None:
        skus, terms = len(facts["skus"]), facts["offers"]
        self.category: Ints = np.arange(skus) // (skus // len(facts["categories"]))
        self.guide: Reals = np.array(facts["guide"], dtype=np.float64)
        self.interest: Reals = np.array(facts["interest"], dtype=np.float64)
        self.needed: Ints = np.array(facts["permit_needed"], dtype=np.int64)
        self.fee: Ints = np.array(facts["permit_fee"], dtype=np.int64)
        self.country: Ints = np.array(terms["country"], dtype=np.int64)
        self.moq: Ints = np.array(terms["moq"], dtype=np.int64)
        self.most: Ints = np.array(terms["stock"], dtype=np.int64)
        self.quality: Ints = np.array(terms["advertised_quality"], dtype=np.int64)
        self.lead: Ints = np.array(terms["advertised_lead"], dtype=np.int64)
        self.frictions = Frictions(facts["first_day"], self.category)
        sku = np.array(terms["sku"], dtype=np.int64)
        self.by_sku: Ints = np.argsort(sku, kind="stable")
        self.first: Ints = np.searchsorted(sku[self.by_sku], np.arange(skus))

    def least(self, value: Reals) -> Ints:
        """Return the offer of the smallest value of every SKU, the first one at ties."""
        sorted_values = value[self.by_sku]
        lowest = np.minimum.reduceat(sorted_values, self.first)
        counts = np.diff(np.append(self.first, len(sorted_values)))
        hits = np.flatnonzero(sorted_values == np.repeat(lowest, counts))
        return self.by_sku[hits[np.searchsorted(hits, self.first)]]


class Today:
    """The public columns of a window: supplier prices, the index, and rivals' offers by cell with their pull."""

    def __init__(self, facts: Facts) -> None:
        world = catalogue(facts)
        self.price: Reals = np.array(facts["offer_price"], dtype=np.float64)
        index = np.array(facts["index"][-INDEX_DAYS:], dtype=np.float64)
        self.demand: Reals = index.mean(axis=0) / 50.0
        self.frictions = Frictions(facts, world.category)
        self._firm, sku, country, asked = columns(facts["published"], "firm", "sku", "country", "price_cents")
        self._cell: Ints = sku * world.guide.shape[1] + country
        self._pull = np.exp(1.3 - 2.5 * asked / world.guide.ravel()[self._cell])

    def rivals(self, seat: int, shape: tuple[int, ...]) -> Reals:
        """Return the summed pull of the other firms' published offers by SKU and country."""
        others = self._firm != seat
        cells, pull = self._cell[others], self._pull[others]
        return (
            np.bincount(cells, weights=pull, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
        )


class Frictions:
    """Duty as a share and freight in cents, by SKU and country."""

    def __init__(self, values: Mapping[str, Json], category: Ints) -> None:
        self.duty: Reals = np.array(values["duty"], dtype=np.float64)[category] / 1000.0
        self.freight: Reals = np.array(values["freight"], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Facts of one window; `duty` is a share by SKU and country, `freight` cents, `sold` by SKU and recent days."""

    facts: Facts
    world: Catalogue
    today: Today
    window: int
    day: int
    days_left: int
    duty: Reals
    freight: Reals
    stock: Ints
    stock_cost: Ints
    inbound: Ints
    inbound_cost: Ints
    quality: Ints
    listed: Ints
    ad: Ints
    state: Ints
    adjustment: Reals

    @property
    def category(self) -> Ints:
        return self.world.category

    @property
    def guide(self) -> Reals:
        return self.world.guide

    @property
    def held(self) -> Flags:
        """Where a permit is held or none is needed, by category and country."""
        held: Flags = (self.world.needed == 0) | (self.state == VALID)
        return held

    def sales_a_day(self, days: int) -> Reals:
        """Return own units a day by SKU over the last days, up to so many."""
        span = min(days, self.day)
        total = np.zeros(len(self.stock))
        if span > 0:
            sold = self.facts["sold"]
            first = bisect_left(sold["day"], self.day - span)
            sku, units = (np.array(sold[name][first:], dtype=np.int64) for name in ("sku", "units"))
            total = np.bincount(sku, weights=units, minlength=len(total)) / span
        return total


def columns(values: Mapping[str, Json], *names: str) -> Ints:
    """Return named columns as an array with a row each."""
    return np.array([values[name] for name in names], dtype=np.int64)


def gathered(facts: Facts, memo: Json, trader: TraderParameters) -> Evidence:
    """Return the window's evidence; under `incident: ignore` day 0's duty and freight are believed for ever."""
    world, today = catalogue(facts), of_today(facts)
    believed = world.frictions if trader.incident == "ignore" else today.frictions
    listings = facts["listings"]
    ad = np.zeros(world.guide.shape, dtype=np.int64)
    ad[listings["sku"], listings["country"]] = listings["ad"]
    return Evidence(
        facts=facts,
        world=world,
        today=today,
        window=facts["window"],
        day=facts["day"],
        days_left=HORIZON - facts["day"],
        duty=believed.duty,
        freight=believed.freight,
        stock=np.array(facts["stock"], dtype=np.int64),
        stock_cost=np.array(facts["stock_cost"], dtype=np.int64),
        inbound=np.array(facts["inbound"], dtype=np.int64),
        inbound_cost=np.array(facts["inbound_cost"], dtype=np.int64),
        quality=np.array(facts["stock_quality"], dtype=np.int64),
        listed=np.array(listings["price"], dtype=np.int64),
        ad=ad,
        state=np.array(facts["permit_state"], dtype=np.int64),
        adjustment=np.array(memo["adjustment"]) if memo else np.ones(len(world.category)),
    )


catalogue = _Last(Catalogue, "offers")
of_today = _Last(Today, "published")
