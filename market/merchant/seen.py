"""What seats see alike at one version, worked out once for all of them, and own totals that grow.

Everything here is built when somebody asks, and nothing that costs more as the year goes on.
"""

from __future__ import annotations

import weakref
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from market.merchant.accounts import (
    CANCELLED_COST,
    LATE_FINE,
    PROCUREMENT,
    RETURNED_COST,
    REVIEW_FINE,
    SETTLED_PRICE,
)
from market.merchant.catalog import catalog_of, product_ids, titles
from market.merchant.categories import CATEGORIES, keyword_category
from market.merchant.state import (
    COUNTERS,
    EVENT_KIND,
    EVENT_ORDER,
    EVENT_PRODUCT,
    EVENT_SEAT,
    EVENTS_TOLD,
    NEVER,
    ON_ORDER,
    ON_SETTLE,
    ON_STOCKOUT,
    ROW_PRODUCT,
    ROW_SEAT,
    SPELL_ORDERS,
    SPELL_SOLD,
    Ints,
)
from tournament.records import Json

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld

OFFER_DELAY: Final = 2


@lru_cache(maxsize=1)
def static_catalog(seed: int, n: int) -> dict[str, Json]:
    """Return the public columns of the catalogue that never change, aligned with `product`."""
    catalog = catalog_of(seed, n)
    supplier = catalog.supplier
    return {
        "product": product_ids(n),
        "title": titles(seed, n),
        "keyword": catalog.keyword.tolist(),
        "category": [keyword_category(k) for k in catalog.keyword.tolist()],
        "supplier": supplier.tolist(),
        "rating": catalog.rating.tolist(),
        "supplier_rating": catalog.supplier_rating[supplier].tolist(),
        "return_buyer_rate": catalog.return_buyers[supplier].tolist(),
        "age_years": catalog.age_years[supplier].tolist(),
        "logistics_hours": catalog.transit.tolist(),
    }


class Sight:
    """The shared and the growing part of what desks show."""

    def __init__(self, world: MerchantWorld) -> None:
        # The world holds its sight: a reference back would keep every world that has ended until a full
        # collection, a hundred megabytes each with the largest catalogue.
        self._world: MerchantWorld = weakref.proxy(world)
        self._catalog: tuple[int, dict[str, Json]] | None = None
        self._offers: tuple[int, dict[str, Json]] | None = None
        self._listings: tuple[int, list[list[dict[str, Json]]]] | None = None
        self._report: tuple[int, dict[str, Json]] | None = None
        self._periods: dict[tuple[int, int], list[dict[str, int]]] = {}
        self._orders: list[dict[str, int]] = [{} for _ in range(world.seats)]
        self._stockouts: list[dict[str, int]] = [{} for _ in range(world.seats)]
        self._open: list[dict[int, None]] = [{} for _ in range(world.seats)]
        self._counted = 0

    def static(self) -> dict[str, Json]:
        parameters = self._world.parameters
        return static_catalog(parameters.catalog_seed, parameters.products)

    def catalog(self) -> dict[str, Json]:
        """Return the columns that move: price, availability, stock and dispatch hours of all products."""
        world = self._world
        if self._catalog is None or self._catalog[0] != world.version:
            suppliers = world.suppliers
            columns = {
                "price_cents": suppliers.price.tolist(),
                "available": (suppliers.available == 1).tolist(),
                "stock": suppliers.stock.tolist(),
                "ship_hours": suppliers.ship.tolist(),
            }
            self._catalog = (world.version, columns)
        return self._catalog[1]

    def offer_rows(self) -> Ints:
        """Return every shelf of 24 hours ago: rows product, seat (from 0), price, stars."""
        window = self._world.window - OFFER_DELAY
        return self._world.offers[window] if window >= 0 else np.zeros((0, 4), dtype=np.int64)

    def offers(self) -> dict[str, Json]:
        """Return the offers by column, in order of product and seat."""
        if self._offers is None or self._offers[0] != self._world.version:
            rows = self.offer_rows()
            ids = self.static()["product"]
            columns = {
                "seat": (rows[:, 1] + 1).tolist(),
                "product": [ids[i] for i in rows[:, 0].tolist()],
                "price_cents": rows[:, 2].tolist(),
                "stars": rows[:, 3].tolist(),
            }
            self._offers = (self._world.version, columns)
        return self._offers[1]

    def listings(self, m: int) -> list[dict[str, Json]]:
        """Return a seat's listings, one object each, by product."""
        if self._listings is None or self._listings[0] != self._world.version:
            self._listings = (self._world.version, shown_listings(self._world))
        return self._listings[1][m]

    def report(self, day: int) -> dict[str, Json]:
        """Return a day's report (from 0); a category's momentum is None while unavailable."""
        if self._report is None or self._report[0] != day:
            today = self._world.reports.of(day)
            momentum = zip(CATEGORIES, today.momentum, strict=True)
            columns = {
                "day": day + 1,
                "hot": list(today.hot),
                "rising": list(today.rising),
                "categories": {row.name: percent for row, percent in momentum},
            }
            self._report = (day, columns)
        return self._report[1]

    def period(self, m: int, first: int, last: int) -> dict[str, int] | None:
        """Return a seat's totals over half-days `first` to before `last`, or None where some have not been."""
        if first < 0 or last > self._world.version or first >= last:
            return None
        if (first, last) not in self._periods:
            self._periods = dict([*self._periods.items()][-7:])
            self._periods[first, last] = totals(self._world, first, last)
        return self._periods[first, last][m]

    def lifetime(self, m: int) -> tuple[dict[str, int], dict[str, int]]:
        """Return a seat's orders and stockouts by product over its life, copies."""
        self._count()
        return dict(self._orders[m]), dict(self._stockouts[m])

    def open_orders(self, m: int) -> list[int]:
        """Return the rows of a seat's open orders, in order of birth."""
        self._count()
        return list(self._open[m])

    def _count(self) -> None:
        """Follow what was told since the last call: arrivals by product, and orders born and ended."""
        told = int(self._world.books.tally[EVENTS_TOLD])
        if told == self._counted:
            return
        event = self._world.books.event[self._counted : told]
        self._counted = told
        kind = event[:, EVENT_KIND]
        event = event[(kind <= ON_STOCKOUT) | (kind >= ON_SETTLE)]
        ids = product_ids(self._world.parameters.products)
        columns = (EVENT_SEAT, EVENT_PRODUCT, EVENT_KIND, EVENT_ORDER)
        for m, i, what, o in event[:, columns].tolist():
            if what >= ON_SETTLE:
                del self._open[m][o]
                continue
            counts = self._orders[m] if what == ON_ORDER else self._stockouts[m]
            counts[ids[i]] = counts.get(ids[i], 0) + 1
            if what == ON_ORDER:
                self._open[m][o] = None


def shown_listings(world: MerchantWorld) -> list[list[dict[str, Json]]]:
    """Return every seat's listings, one object each, by product."""
    scratch, suppliers = world.shelves.scratch(world.books), world.suppliers
    by_seat = np.argsort(scratch.row[:, ROW_SEAT], kind="stable")
    row, spell = scratch.row[by_seat], world.books.spell[scratch.spell[by_seat]]
    product = row[:, ROW_PRODUCT]
    ids = world.sight.static()["product"]
    shown: list[dict[str, Json]] = [
        {
            "product": ids[i],
            "price_cents": price,
            "listed_hour": born,
            "orders": orders,
            "last_sale_hour": None if sold == NEVER else sold,
            "supplier_price_cents": cost,
            "available": available,
            "stock": stock,
            "ship_hours": ship,
        }
        for i, price, born, orders, sold, cost, available, stock, ship in zip(
            *row[:, ROW_PRODUCT:].T.tolist(),
            spell[:, SPELL_ORDERS].tolist(),
            spell[:, SPELL_SOLD].tolist(),
            suppliers.price[product].tolist(),
            (suppliers.available[product] == 1).tolist(),
            suppliers.stock[product].tolist(),
            suppliers.ship[product].tolist(),
            strict=True,
        )
    ]
    ends = np.cumsum(np.bincount(row[:, ROW_SEAT], minlength=world.seats)).tolist()
    return [shown[first:last] for first, last in pairwise([0, *ends])]


def totals(world: MerchantWorld, first: int, last: int) -> list[dict[str, int]]:
    """Return each seat's counts and cents over half-days `first` to before `last`; fines as paid, costs positive."""
    counted = world.history.counted[first:last].sum(axis=0).tolist()
    ledger = world.history.ledger[first:last].sum(axis=0)
    fines = (-ledger[:, LATE_FINE : REVIEW_FINE + 1].sum(axis=1)).tolist()
    rows = []
    for m, (counts, paid) in enumerate(zip(counted, fines, strict=True)):
        row = dict(zip(COUNTERS, counts, strict=True))
        del row["empty"]
        row["cost_cents"] = -int(ledger[m, PROCUREMENT])
        row["cost_returned_cents"] = int(ledger[m, CANCELLED_COST] + ledger[m, RETURNED_COST])
        row["settled_cents"] = int(ledger[m, SETTLED_PRICE])
        row["fines_cents"] = paid
        rows.append(row)
    return rows
