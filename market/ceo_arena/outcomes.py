"""Scores, outcome rows and tables of a world, read off its state and history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from market.ceo_arena.exogenous import Exogenous
from market.ceo_arena.measures import measures, series
from market.ceo_arena.parameters import PHASES, PRODUCTS, SEGMENTS, Parameters
from market.ceo_arena.state import (
    CANCELLATION,
    DEVELOPMENT,
    ENTERPRISE,
    EXPANSION,
    HOLDING,
    INNOVATION,
    MARKETING,
    NONE,
    OVERHEAD,
    PENALTIES,
    PROCUREMENT,
    REFUNDS,
    RELIABILITY,
    RESEARCH,
    SUPPORT,
    History,
    Ints,
    State,
)
from tournament.records import WorldTables

# Outcome columns as sums over accounts [first, last); costs are positive in tables.
KINDS: tuple[tuple[str, int, int], ...] = (
    ("revenue_cents", 0, ENTERPRISE + 3),
    ("procurement_cents", PROCUREMENT, PROCUREMENT + 3),
    ("holding_cents", HOLDING, HOLDING + 3),
    ("development_cents", DEVELOPMENT, DEVELOPMENT + 3),
    ("marketing_cents", MARKETING, MARKETING + 9),
    ("reliability_cents", RELIABILITY, RELIABILITY + 1),
    ("support_cents", SUPPORT, SUPPORT + 1),
    ("overhead_cents", OVERHEAD, OVERHEAD + 1),
    ("capacity_cents", EXPANSION, CANCELLATION + 1),
    ("innovation_cents", INNOVATION, INNOVATION + 1),
    ("research_cents", RESEARCH, RESEARCH + 1),
    ("refunds_cents", REFUNDS, REFUNDS + 1),
    ("penalties_cents", PENALTIES, PENALTIES + 1),
)


def by_kind(ledger: Ints) -> dict[str, Ints]:
    """Sum a ledger's last axis into the outcome columns; revenue as it came in, costs positive.

    Capacity is net of the refunds of cancelled expansions.
    """
    sums = {}
    for name, first, last in KINDS:
        total = ledger[..., first:last].sum(axis=-1)
        sums[name] = total if name == "revenue_cents" else -total
    return sums


def salvage(parameters: Parameters, state: State) -> Ints:
    """Liquidation value of on-hand and paid inbound units, in cents, by firm."""
    held = state.stock + state.inbound.sum(axis=2)
    value: Ints = (held * np.array(parameters.liquidation)).sum(axis=1)
    return value


def scores(parameters: Parameters, state: State) -> tuple[int, ...]:
    """S = cash + salvage - initial enterprise value, in cents, by firm."""
    values = state.cash + salvage(parameters, state) - parameters.initial_value
    return tuple(int(value) for value in values)


def outcome_rows(
    parameters: Parameters, state: State, history: History
) -> tuple[Mapping[str, int | None], ...]:
    """Return one mapping a firm, keyed by the columns of outcomes.csv."""
    kinds = by_kind(history.ledger.sum(axis=0))
    units = history.delivered.sum(axis=(0, 2, 3))
    orders = history.ordered.sum(axis=(0, 2))
    value = salvage(parameters, state)
    final = scores(parameters, state)
    rows = []
    for i in range(len(state.cash)):
        exit_day = int(state.exit_day[i])
        rows.append(
            {
                "score_cents": final[i],
                "final_cash_cents": int(state.cash[i]),
                "salvage_cents": int(value[i]),
                "bankrupt_day": exit_day or None,
                **{name: int(sums[i]) for name, sums in kinds.items()},
                "units_sold": int(units[i]),
                "tenders_won": int(state.won[i]),
                "consumer_orders": int(orders[i]),
            }
        )
    return tuple(rows)


def _daily(parameters: Parameters, history: History) -> dict[str, NDArray[Any]]:
    days, seats = history.cash.shape
    on = history.active.astype(bool)
    # A firm that went bankrupt today still played the day, but closes it at zero.
    open_at_close = on & (history.cash >= 0)
    held = history.stock + history.inbound
    columns: dict[str, NDArray[Any]] = {
        "day": np.repeat(np.arange(1, days + 1), seats),
        "seat": np.tile(np.arange(1, seats + 1), days),
        "cash_cents": np.where(on, history.cash, 0).ravel(),
    }
    for j, name in enumerate(PRODUCTS):
        revenue = history.ledger[:, :, 3 * j : 3 * j + 3].sum(axis=2) + history.ledger[:, :, ENTERPRISE + j]
        for column, values in (
            ("price_cents", history.price[:, :, j]),
            ("promotion_percent", history.promotion[:, :, j]),
            ("stock", np.where(open_at_close, history.stock[:, :, j], 0)),
            ("inbound", np.where(open_at_close, history.inbound[:, :, j], 0)),
            ("demand", history.demand[:, :, :, j].sum(axis=2)),
            ("served", history.served[:, :, :, j].sum(axis=2)),
            ("delivered", history.delivered[:, :, :, j].sum(axis=2)),
            ("revenue_cents", revenue),
        ):
            columns[f"{column}_{name}"] = values.ravel()
    columns |= {name: sums.ravel() for name, sums in by_kind(history.ledger).items()}
    worth = (held * np.array(parameters.liquidation)).sum(axis=2)
    columns["salvage_cents"] = np.where(on, worth, 0).ravel()
    return columns


def world_tables(parameters: Parameters, luck: Exogenous, state: State, history: History) -> WorldTables:
    """Return the daily and the market table of a finished world."""
    days = parameters.days
    # A day without any firm offers nothing: the inclusive value of an empty nest is minus infinity.
    offered = history.active.max(axis=1, keepdims=True) > 0
    market: dict[str, NDArray[Any]] = {
        "day": np.repeat(np.arange(1, days + 1), 3),
        "segment": np.tile(np.array(SEGMENTS), days),
        "phase": np.repeat(np.array(PHASES)[luck.phase], 3),
        "arrivals": luck.arrivals.ravel(),
        "inclusive_value": np.where(offered, history.inclusive, -np.inf).ravel(),
        "outside_value": np.tile(np.array(parameters.outside_value), days),
        "served": history.sold.ravel(),
        "unserved": history.unserved.ravel(),
    }
    daily = _daily(parameters, history)
    return WorldTables(
        daily=daily,
        market=market,
        measures=measures(parameters, daily, market),
        series=series(parameters, daily, [int(day) for day in state.exit_day]),
        extra={"tenders": _tenders(luck, state)},
    )


def _tenders(luck: Exogenous, state: State) -> dict[str, NDArray[Any] | list[Any]]:
    """One row a tender; winner and price are missing where no bid qualified."""
    rows = luck.tenders
    count = len(rows.opens)
    won = [int(state.tender_winner[k]) != NONE for k in range(count)]
    return {
        "tender": np.arange(count),
        "product": np.array(PRODUCTS)[rows.product],
        "quantity": rows.quantity,
        "minimum_quality": rows.minimum_quality,
        "reservation_cents": rows.reservation,
        "opens_day": rows.opens,
        "closes_day": rows.closes,
        "due_day": rows.due,
        "winner_seat": [int(state.tender_winner[k]) + 1 if won[k] else None for k in range(count)],
        "price_cents": [int(state.tender_price[k]) if won[k] else None for k in range(count)],
    }
