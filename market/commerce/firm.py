"""What a seat's books say at this moment: unit prices, discounts, receivables, net worth. Nothing here changes them."""

from __future__ import annotations

from typing import NamedTuple

from market.commerce.catalog import Catalog
from market.commerce.exogenous import Exogenous
from market.commerce.parameters import MILLION, PARTNER, PREFERRED, SALVAGE_PERCENT, VOLUME
from market.commerce.state import State


class Place(NamedTuple):
    """One seat (from 0) at one window: what every question about its books needs.

    `day` is the day whose prices, tariffs and freight hold: that of the window, 0 in the setup.
    """

    catalog: Catalog
    drawn: Exogenous
    state: State
    i: int
    window: int

    @property
    def day(self) -> int:
        return max(self.window - 1, 0)


def relation_discount(orders: int) -> int:
    """Return the discount per mille that so many earlier orders with a supplier give."""
    for needed, discount in (PARTNER, PREFERRED):
        if orders >= needed:
            return discount
    return 0


def volume_discount(units: int, moq: int) -> int:
    """Return the discount per mille of an order's size."""
    for multiple, discount in VOLUME:
        if units >= multiple * moq:
            return discount
    return 0


def offer_price(place: Place, offer: int, units: int) -> int:
    """Return the unit price in cents of so many units of an offer for this seat now."""
    offers = place.catalog.offers
    supplier = int(offers.supplier[offer])
    r = relation_discount(int(place.state.supplier_orders[place.i, supplier]))
    v = volume_discount(units, int(offers.moq[offer]))
    return int(place.drawn.wholesale[place.day, offer]) * (1000 - v) * (1000 - r) // MILLION


class Due(NamedTuple):
    """A receivable: its due day, country, local units and worth in cents at a day's rate."""

    day: int
    country: int
    local: int
    cents: int


def dues(state: State, drawn: Exogenous, i: int, day: int) -> list[Due]:
    """Return a seat's receivables by due day, then country, worth at the rates of `day`."""
    rates = drawn.currency[day].tolist()
    held = state.receivables[i]
    days, countries = held.nonzero()
    return [
        Due(d, k, int(held[d, k]), int(held[d, k]) * rates[k] // MILLION)
        for d, k in zip(days.tolist(), countries.tolist(), strict=True)
    ]


def due_cents(state: State, drawn: Exogenous, i: int, day: int) -> int:
    """Return what a seat's receivables are worth at the rates of `day`, each item rounded down."""
    return int((state.receivables[i] * drawn.currency[day] // MILLION).sum())


def goods_cents(state: State, i: int) -> int:
    """Return what stock and goods on the way cost, in cents."""
    return int(state.stock_cost[i].sum()) + int(state.inbound_cost[i].sum())


def net_worth(state: State, drawn: Exogenous, i: int, day: int) -> int:
    """Return cash + receivables + salvage of goods - loan - payables, in cents at the rates of `day`."""
    receivable = due_cents(state, drawn, i, day)
    salvage = goods_cents(state, i) * SALVAGE_PERCENT // 100
    owed = int(state.loan[i]) + int(state.payables[i].sum())
    return int(state.cash[i]) + receivable + salvage - owed
