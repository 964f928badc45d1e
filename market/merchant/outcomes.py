"""Outcome rows and tables of a world, read off its books and history."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from market.merchant.accounts import (
    ACCOUNTS,
    CANCELLED_COST,
    DEPOSIT_ACCOUNT,
    LATE_FINE,
    PROCUREMENT,
    RETURNED_COST,
    SETTLED_PRICE,
)
from market.merchant.alignment import alignment
from market.merchant.catalog import product_ids
from market.merchant.categories import CATEGORIES
from market.merchant.measures import measures, series
from market.merchant.parameters import HOURS_A_WINDOW, WINDOWS_A_DAY
from market.merchant.season import hour_weights
from market.merchant.state import (
    BORN,
    CASH,
    CAT_AVAILABLE,
    CAT_ORDERS,
    CAT_PRICES,
    CAT_STOCK,
    CAT_STOCKOUTS,
    CLOSED,
    CLOSINGS,
    COST,
    COUNTERS,
    CROSSING,
    DEPOSIT,
    ENDED,
    FINES,
    LATE,
    NEVER,
    NUMBER,
    ORDERS_BORN,
    OUTCOME,
    PRICE,
    PRODUCT,
    RECEIVABLE,
    SEAT,
    SHIP,
    TRANSIT,
    UNPAID,
)
from tournament.records import WorldTables

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld

Columns = dict[str, NDArray[Any]]
OUTCOMES = ("normal", "cancelled", "returned", "refunded", "bad_review")
COUNTED = ("orders", "stockouts", "short", "late", "cancelled", "returned", "refunded", "bad_reviews")


def by_kind(ledger: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Sum a ledger's last axis into the outcome columns; costs are positive."""
    return {
        "revenue_cents": ledger[..., SETTLED_PRICE],
        "procurement_cents": -(
            ledger[..., PROCUREMENT] + ledger[..., CANCELLED_COST] + ledger[..., RETURNED_COST]
        ),
        "fines_cents": -ledger[..., LATE_FINE:DEPOSIT_ACCOUNT].sum(axis=-1),
    }


def fines_by_kind(ledger: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Sum a ledger's last axis into fines paid, a column a kind; together they are `fines_cents`."""
    kinds = range(LATE_FINE, DEPOSIT_ACCOUNT)
    return {f"{ACCOUNTS[kind]}_cents": -ledger[..., kind] for kind in kinds}


def outcome_rows(world: MerchantWorld) -> tuple[Mapping[str, int | None], ...]:
    """Return one mapping a seat, keyed by outcome column."""
    kinds = by_kind(world.history.ledger.sum(axis=0))
    counted = world.history.counted.sum(axis=0)
    scores = world.scores()
    rows = []
    for m in range(world.seats):
        seat = world.books.seat[m]
        counts = dict(zip(COUNTERS, counted[m].tolist(), strict=True))
        closed = int(seat[CLOSED])
        ends = world.history.closing[WINDOWS_A_DAY - 1 :: WINDOWS_A_DAY, m, CLOSINGS.index("listings")]
        rows.append(
            {
                "score_cents": scores[m],
                "final_cash_cents": int(seat[CASH]),
                "salvage_cents": int(seat[DEPOSIT] + seat[TRANSIT] + seat[RECEIVABLE]),
                "bankrupt_day": None if closed == NEVER else closed // 24 + 1,
                **{name: int(cents[m]) for name, cents in kinds.items()},
                "fines_unpaid_cents": int(seat[UNPAID]),
                "gmv_cents": counts["gmv_cents"],
                "orders": counts["orders"],
                "units_sold": counts["settled"] + counts["bad_reviews"],
                **{name: counts[name] for name in COUNTED[1:]},
                "mean_rating_thousandths": _thousandths(world.history.rating[:, m]),
                "mean_listings_thousandths": _thousandths(ends),
            }
        )
    return tuple(rows)


def _thousandths(values: NDArray[Any]) -> int:
    return math.floor(1000 * (float(values.sum()) / len(values)) + 0.5)


def world_tables(world: MerchantWorld) -> WorldTables:
    """Return the tables of a world as far as it has been played."""
    daily, market, orders, shelf = _daily(world), _market(world), _orders(world), _shelf(world)
    closed = [int(hour) for hour in world.books.seat[:, CLOSED]]
    exits = [None if hour == NEVER else hour // HOURS_A_WINDOW for hour in closed]
    return WorldTables(
        daily=daily,
        market=market,
        measures=measures(market, orders, shelf),
        series=series(daily, exits),
        extra={"orders": orders, "shelf": shelf, "alignment": alignment(world)},
    )


def _daily(world: MerchantWorld) -> Columns:
    """One row a half-day and seat."""
    played, seats = world.window, world.seats
    closing = world.history.closing[:played]
    published = np.vstack((np.full((1, seats), 4.0), world.history.rating))
    columns: Columns = {
        "day": np.repeat(np.arange(1, played + 1), seats),
        "calendar_day": np.repeat(np.arange(played) // WINDOWS_A_DAY + 1, seats),
        "seat": np.tile(np.arange(1, seats + 1), played),
    }
    for number, name in enumerate(CLOSINGS):
        if name == "stars":
            columns["rating"] = published[np.arange(1, played + 1) // WINDOWS_A_DAY].ravel()
        columns[name] = closing[:, :, number].ravel()
    counted = world.history.counted[:played]
    columns |= {name: counted[:, :, number].ravel() for number, name in enumerate(COUNTERS)}
    ledger = world.history.ledger[:played]
    cents = by_kind(ledger) | fines_by_kind(ledger)
    return columns | {name: values.ravel() for name, values in cents.items()}


def _market(world: MerchantWorld) -> Columns:
    """One row a half-day and category."""
    played, kinds = world.window, len(CATEGORIES)
    record = world.history.category[:played]
    number = np.arange(len(world.catalog.base)) % kinds
    base = np.bincount(number, weights=world.catalog.base, minlength=kinds)
    days = world.parameters.days
    demand = world.year.totals.reshape(kinds, -1, world.year.totals.shape[1]).sum(axis=1)[:, :days]
    halves = hour_weights().reshape(kinds, WINDOWS_A_DAY, HOURS_A_WINDOW).sum(axis=2)
    flow = (demand[:, :, None] * halves[:, None, :]).reshape(kinds, -1).T[:played]
    return {
        "day": np.repeat(np.arange(1, played + 1), kinds),
        "calendar_day": np.repeat(np.arange(played) // WINDOWS_A_DAY + 1, kinds),
        "category": np.tile(np.array([row.name for row in CATEGORIES]), played),
        "market_demand": flow.ravel(),
        "available_products": record[:, :, CAT_AVAILABLE].ravel(),
        "price_index": (record[:, :, CAT_PRICES] / base).ravel(),
        "orders": record[:, :, CAT_ORDERS].ravel(),
        "stockouts": record[:, :, CAT_STOCKOUTS].ravel(),
        "stock_units": record[:, :, CAT_STOCK].ravel(),
    }


def _orders(world: MerchantWorld) -> Columns:
    """One row an order, in order of birth; hours count from 0, an order still open has -1 as its end."""
    order = world.books.order[: int(world.books.tally[ORDERS_BORN])]
    ids = np.array(product_ids(world.parameters.products))
    return {
        "seat": order[:, SEAT] + 1,
        "number": order[:, NUMBER],
        "product": ids[order[:, PRODUCT]],
        "hour": order[:, BORN],
        "price_cents": order[:, PRICE],
        "cost_cents": order[:, COST],
        "dispatch_hours": order[:, SHIP],
        "transit_hours": order[:, CROSSING],
        "late": order[:, LATE],
        "outcome": np.array(OUTCOMES)[order[:, OUTCOME]],
        "ended_hour": order[:, ENDED],
        "fines_cents": order[:, FINES],
    }


def _shelf(world: MerchantWorld) -> Columns:
    """One row a window and listing, as it stood when the window began to play."""
    rows = np.vstack((np.zeros((0, 4), dtype=np.int64), *world.offers))
    ids = np.array(product_ids(world.parameters.products))
    lengths = [len(part) for part in world.offers]
    return {
        "window": np.repeat(np.arange(len(lengths)), lengths),
        "seat": rows[:, 1] + 1,
        "product": ids[rows[:, 0]],
        "price_cents": rows[:, 2],
    }
