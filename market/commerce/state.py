"""The mutable state of a world and its day-by-day history, as named tuples of arrays.

Firms are seats first, then scripted sellers, indexed from 0. Only the kernels and the application of
decisions write here; desks and outcomes read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.commerce.catalog import Catalog, Ints, Reals
from market.commerce.exogenous import Exogenous
from market.commerce.parameters import (
    CAPITAL_CENTS,
    CATEGORIES,
    COUNTRIES,
    DAYS,
    SKUS,
    SUPPLIERS,
    TRADE_TERMS,
)

ACCOUNTS = (
    "capital",
    "receipts",
    "factoring",
    "loans",
    "liquidation",
    "freight",
    "duty",
    "ads",
    "fines",
    "procurement",
    "permits",
    "overhead",
    "interest",
)
(
    CAPITAL,
    RECEIPTS,
    FACTORING,
    LOANS,
    LIQUIDATION,
    FREIGHT,
    DUTY,
    ADS,
    FINES,
    PROCUREMENT,
    PERMITS,
    OVERHEAD,
    INTEREST,
) = range(len(ACCOUNTS))

NEVER = 99  # a window that never comes
ARRIVALS = DAYS + 1  # arrival days 0..29, and one place for goods whose day never comes
DUE_DAYS = DAYS + TRADE_TERMS + 4  # longest credit given or taken, past the last day


class Goods(NamedTuple):
    """What kernels read of the catalogue."""

    category: Ints
    popularity: Reals
    guide: Ints
    permit_needed: Ints
    offer_country: Ints
    moq: Ints
    most: Ints
    quality: Ints
    lead: Ints


class Luck(NamedTuple):
    """What kernels read of the exogenous course, a row a day."""

    demand: Reals
    phase: Ints
    duty: Ints
    freight: Ints
    currency: Ints
    wholesale: Ints
    delay: Ints
    keys: NDArray[np.uint64]


class State(NamedTuple):
    """By firm, and as named by SKU, country, category or day; cents, units, thousandths times units.

    `permit_from` is the first window in which a permit is valid, `idle` days without sale of a listing,
    `published` the prices that everybody saw after the last day.
    """

    cash: Ints
    loan: Ints
    payables: Ints
    receivables: Ints
    stock: Ints
    stock_cost: Ints
    quality: Ints
    inbound: Ints
    inbound_cost: Ints
    inbound_quality: Ints
    price: Ints
    speed: Ints
    incoterm: Ints
    ad: Ints
    promotion: Ints
    tier_units: Ints
    tier_percent: Ints
    idle: Ints
    permit_from: Ints
    violations: Ints
    focus: Ints
    published: Ints
    supplier_orders: Ints


class History(NamedTuple):
    """Records by window (`ledger`, closing values) or day; those by listing are of seats alone.

    `sold` has units by firm and SKU, the goods sent back included. `contribution` is revenue less
    freight, duty and cost of what was sold to consumers.
    """

    ledger: Ints
    cash: Ints
    receivable: Ints
    stock_cost: Ints
    inbound_cost: Ints
    loan: Ints
    payable: Ints
    sold: Ints
    orders: Ints
    units: Ints
    refunds: Ints
    revenue: Ints
    contribution: Ints
    freight: Ints
    duty: Ints
    returned: Ints
    ad_spend: Ints
    ad_return: Ints
    violations: Ints
    fines: Ints
    service: Ints
    market_orders: Ints
    market_units: Ints
    market_offers: Ints
    world_units: Ints


class Scratch(NamedTuple):
    """Work space of a day: the firms in serving order, and the offers of the cell being served."""

    order: Ints
    firm: Ints
    base: Reals
    price: Ints
    weight: Reals
    seen: Ints


def goods_of(catalog: Catalog) -> Goods:
    """Return the catalogue's columns for kernels."""
    offers = catalog.offers
    return Goods(
        category=catalog.category,
        popularity=catalog.popularity,
        guide=catalog.guide,
        permit_needed=catalog.permit_needed,
        offer_country=offers.country,
        moq=offers.moq,
        most=offers.stock,
        quality=offers.quality,
        lead=offers.lead,
    )


def luck_of(drawn: Exogenous) -> Luck:
    """Return the exogenous paths for kernels."""
    return Luck(*(getattr(drawn, name) for name in Luck._fields))


def _zeros(*shape: int) -> Ints:
    return np.zeros(shape, dtype=np.int64)


def new_state(seats: int, sellers: int) -> State:
    """Return the state before the setup: seats with their capital, sellers still empty."""
    firms, cells = seats + sellers, (SKUS, len(COUNTRIES))
    state = State(
        cash=_zeros(firms),
        loan=_zeros(firms),
        payables=_zeros(firms, DUE_DAYS),
        receivables=_zeros(firms, DUE_DAYS, len(COUNTRIES)),
        stock=_zeros(firms, SKUS),
        stock_cost=_zeros(firms, SKUS),
        quality=_zeros(firms, SKUS),
        inbound=_zeros(firms, SKUS, ARRIVALS),
        inbound_cost=_zeros(firms, SKUS, ARRIVALS),
        inbound_quality=_zeros(firms, SKUS, ARRIVALS),
        price=_zeros(firms, *cells),
        speed=_zeros(firms, *cells),
        incoterm=_zeros(firms, *cells),
        ad=_zeros(firms, *cells),
        promotion=_zeros(firms, *cells),
        tier_units=_zeros(firms, *cells, 2),
        tier_percent=_zeros(firms, *cells, 2),
        idle=_zeros(firms, *cells),
        permit_from=np.full((firms, len(CATEGORIES), len(COUNTRIES)), NEVER, dtype=np.int64),
        violations=_zeros(firms),
        focus=_zeros(firms, len(CATEGORIES)),
        published=_zeros(firms, *cells),
        supplier_orders=_zeros(seats, SUPPLIERS),
    )
    state.cash[:seats] = CAPITAL_CENTS
    state.permit_from[seats:] = 0
    return state


def new_history(windows: int, days: int, seats: int, sellers: int) -> History:
    """Return empty records of a world."""
    firms, cells = seats + sellers, (SKUS, len(COUNTRIES))
    regions = (days, len(CATEGORIES), len(COUNTRIES))
    history = History(
        ledger=_zeros(windows, firms, len(ACCOUNTS)),
        **{
            name: _zeros(windows, firms)
            for name in ("cash", "receivable", "stock_cost", "inbound_cost", "loan", "payable")
        },
        sold=_zeros(days, firms, SKUS),
        **{
            name: _zeros(days, seats, *cells)
            for name in ("orders", "units", "refunds", "revenue", "contribution", "freight", "duty")
        },
        returned=_zeros(days, seats, SKUS),
        ad_spend=_zeros(days, seats, *cells),
        ad_return=_zeros(days, seats, *cells),
        violations=_zeros(days, seats, *cells),
        fines=_zeros(days, seats, *cells),
        service=_zeros(days, seats),
        market_orders=_zeros(*regions),
        market_units=_zeros(*regions),
        market_offers=_zeros(*regions),
        world_units=_zeros(days, *cells),
    )
    history.ledger[0, :seats, CAPITAL] = CAPITAL_CENTS
    return history


def new_scratch(seats: int, sellers: int) -> Scratch:
    """Return work space; scripted sellers are served first, then seats."""
    firms = seats + sellers
    return Scratch(
        order=np.concatenate((np.arange(seats, firms), np.arange(seats))).astype(np.int64),
        firm=_zeros(firms),
        base=np.zeros(firms),
        price=_zeros(firms),
        weight=np.zeros(firms),
        seen=_zeros(firms),
    )
