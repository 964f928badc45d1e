"""Outcome rows and tables of a world, read off its state and history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from market.commerce.catalog import Ints
from market.commerce.firm import due_cents, goods_cents, net_worth
from market.commerce.measures import measures, series
from market.commerce.parameters import CAPITAL_CENTS, CODES, COUNTRIES, SALVAGE_PERCENT
from market.commerce.state import (
    ACCOUNTS,
    ADS,
    CAPITAL,
    DUTY,
    FACTORING,
    FINES,
    FREIGHT,
    INTEREST,
    LIQUIDATION,
    LOANS,
    OVERHEAD,
    PERMITS,
    PROCUREMENT,
    RECEIPTS,
)
from market.commerce.trade import trade_tables
from tournament.records import WorldTables

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld

COSTS: tuple[tuple[str, int], ...] = (
    ("freight_cents", FREIGHT),
    ("duty_cents", DUTY),
    ("ads_cents", ADS),
    ("fines_cents", FINES),
    ("permits_cents", PERMITS),
    ("interest_cents", INTEREST),
    ("overhead_cents", OVERHEAD),
)


def thousandths(part: int, whole: int) -> int:
    """Return a ratio in thousandths, rounded down; 0 where there is nothing to divide by."""
    return part * 1000 // whole if whole else 0


def outcome_row(world: CommerceWorld, i: int) -> Mapping[str, int | None]:
    """Return one seat's metrics; costs are positive."""
    state, history, counters = world.state, world.history, world.counters[i]
    posted: list[int] = history.ledger[:, i].sum(axis=0).tolist()
    worth = net_worth(state, world.drawn, i, world.day)
    cash = int(state.cash[i])
    consumer = int(history.revenue[:, i].sum())
    service = counters["service_revenue_cents"]
    sold = int(history.units[:, i].sum()) + counters["service_units"]
    contribution = int(history.contribution[:, i].sum()) + service - counters["service_charges_cents"]
    return {
        "score_cents": worth - CAPITAL_CENTS,
        "final_cash_cents": cash,
        "salvage_cents": worth - cash,
        "bankrupt_day": None,
        "revenue_cents": consumer,
        "service_revenue_cents": service,
        **{name: -posted[account] for name, account in COSTS},
        "procurement_cents": counters["procurement_cents"],
        "liquidation_cents": posted[LIQUIDATION],
        "factoring_fees_cents": counters["factoring_fees_cents"],
        "orders": int(history.orders[:, i].sum()),
        "units_sold": int(history.units[:, i].sum()),
        "refunds": int(history.refunds[:, i].sum()),
        "violations": int(state.violations[i]),
        "replies": counters["replies"],
        "converted": counters["converted"],
        "false_claims": counters["false_claims"],
        "expired": counters["expired"],
        "skus_bought": len({int(world.catalog.offers.sku[item.offer]) for item in world.purchases[i]}),
        "supplier_orders": len(world.purchases[i]),
        "sell_through_thousandths": thousandths(sold, counters["units_bought"]),
        "order_margin_thousandths": thousandths(contribution, consumer + service),
        "items_refused": counters["items_refused"],
        "receivables_cents": due_cents(state, world.drawn, i, world.day),
        "goods_salvage_cents": goods_cents(state, i) * SALVAGE_PERCENT // 100,
        "debt_cents": int(state.loan[i]) + int(state.payables[i].sum()),
        "receipts_cents": posted[RECEIPTS],
        "factoring_cents": posted[FACTORING],
        "loans_cents": posted[LOANS],
        "procurement_paid_cents": -posted[PROCUREMENT],
    }


def outcome_rows(world: CommerceWorld) -> tuple[Mapping[str, int | None], ...]:
    """Return one mapping a seat, keyed by outcome column."""
    return tuple(outcome_row(world, i) for i in range(world.seats))


def _after_setup(rows: Ints, world: CommerceWorld) -> Ints:
    return rows[:, : world.seats].ravel()


def _daily(world: CommerceWorld) -> dict[str, NDArray[Any]]:
    """A row a window and seat; `day` counts versions: 1 is the setup, day d + 2 the market's day d."""
    history, windows, seats = world.history, world.windows, world.seats

    def by_day(values: Ints) -> Ints:
        """Put zeros for the setup before sums by day and seat."""
        total = values.reshape(*values.shape[:2], -1).sum(axis=2)
        return np.concatenate((np.zeros((1, seats), dtype=np.int64), total)).ravel()

    ledger = history.ledger[:, :seats]
    columns: dict[str, NDArray[Any]] = {
        "day": np.repeat(np.arange(1, windows + 1), seats),
        "seat": np.tile(np.arange(1, seats + 1), windows),
        "market_day": np.repeat(np.maximum(np.arange(windows) - 1, 0), seats),
        "cash_cents": _after_setup(history.cash, world),
        "receivables_cents": _after_setup(history.receivable, world),
        "stock_cost_cents": _after_setup(history.stock_cost, world),
        "inbound_cost_cents": _after_setup(history.inbound_cost, world),
        "loan_cents": _after_setup(history.loan, world),
        "payables_cents": _after_setup(history.payable, world),
        "orders": by_day(history.orders),
        "units": by_day(history.units),
        "revenue_cents": by_day(history.revenue),
        "service_revenue_cents": by_day(history.service),
    }
    for number, account in enumerate(ACCOUNTS):
        if number != CAPITAL:
            columns[f"account_{account}_cents"] = ledger[:, :, number].ravel()
    return columns


def _market(world: CommerceWorld) -> dict[str, NDArray[Any]]:
    """A row a day, category and country; only demand, index, duty, mean freight and currency are exogenous."""
    history, drawn, days = world.history, world.drawn, world.parameters.days
    shape = (days, len(CODES), len(COUNTRIES))
    cells = len(CODES) * len(COUNTRIES)
    freight = drawn.freight[:days].reshape(days, len(CODES), -1, len(COUNTRIES)).mean(axis=2)
    rates = np.repeat(drawn.currency[:days, None, :], len(CODES), axis=1)
    return {
        "day": np.repeat(np.arange(days), cells),
        "category": np.tile(np.repeat(np.array(CODES), len(COUNTRIES)), days),
        "country": np.tile(np.array(COUNTRIES), days * len(CODES)),
        "demand": drawn.demand[:days].ravel(),
        "demand_index": drawn.trend[:days].ravel(),
        "duty_permille": drawn.duty[:days].ravel(),
        "mean_freight_cents": freight.ravel(),
        "currency_micros": np.broadcast_to(rates, shape).ravel(),
        "orders": history.market_orders.ravel(),
        "units": history.market_units.ravel(),
        "offers": history.market_offers.ravel(),
    }


def world_tables(world: CommerceWorld) -> WorldTables:
    """Return the daily and the market table of a finished world, and those of its trade."""
    daily, market, trade = _daily(world), _market(world), trade_tables(world)
    units, refunds = int(world.history.units.sum()), int(world.history.refunds.sum())
    return WorldTables(
        daily=daily,
        market=market,
        measures=measures(market, trade["inquiries"], units, refunds),
        series=series(daily, world.seats),
        extra=trade,
    )
