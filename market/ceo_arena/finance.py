"""Kernels of money: bookings, recurring charges, support and refunds, holding, bankruptcy.

Every cent moves through `book`, which writes cash and its account together: cash is the sum of the ledger.
"""

from __future__ import annotations

import math

from market.ceo_arena.rules import Rules
from market.ceo_arena.state import (
    DEVELOPMENT,
    HOLDING,
    MARKETING,
    OVERHEAD,
    REFUNDS,
    RELIABILITY,
    SUPPORT,
    History,
    Ints,
    State,
)
from market.jit import kernel


@kernel
def book(cash: Ints, ledger: Ints, t: int, i: int, account: int, cents: int) -> None:
    """Move cents into (positive) or out of (negative) a firm's cash on day t."""
    ledger[t - 1, i, account] += cents
    cash[i] += cents


@kernel
def charge_recurring(rules: Rules, state: State, history: History, t: int, i: int) -> None:
    """Step 4: development, marketing, reliability, support and the active tier's overhead."""
    for j in range(3):
        book(state.cash, history.ledger, t, i, DEVELOPMENT + j, -state.development[i, j])
    for s in range(3):
        for k in range(3):
            book(state.cash, history.ledger, t, i, MARKETING + 3 * s + k, -state.marketing[i, s, k])
    book(state.cash, history.ledger, t, i, RELIABILITY, -state.reliability_budget[i])
    book(state.cash, history.ledger, t, i, SUPPORT, -state.support_budget[i])
    book(state.cash, history.ledger, t, i, OVERHEAD, -rules.overhead[state.tier[i]])
    spent = state.reliability_budget[i] / 100.0
    level = 1.0 - rules.reliability_gap * math.exp(-spent / rules.reliability_scale)
    kept = rules.reliability_retention
    state.reliability[i] = kept * state.reliability[i] + (1.0 - kept) * level


@kernel
def consumer_revenue(ledger: Ints, t: int, i: int) -> int:
    """Today's revenue from consumers, in cents."""
    total = 0
    for account in range(9):
        total += ledger[t - 1, i, account]
    return total


@kernel
def units_delivered(delivered: Ints, t: int, i: int) -> int:
    """All units that left the firm today, contracts included."""
    units = 0
    for s in range(4):
        for j in range(3):
            units += delivered[t - 1, i, s, j]
    return units


@kernel
def unsolved_share(units: int, reliability: float, support: float, scale: float) -> float:
    """Share of today's deliveries that end in an unsolved incident; support in dollars."""
    incidents = (1.0 - reliability) * units
    if incidents <= 0.0:
        return 0.0
    return (1.0 - reliability) * math.exp(-support / (scale * incidents))


@kernel
def settle_service(rules: Rules, state: State, history: History, t: int, i: int) -> None:
    """Step 7: refunds, and satisfaction of each segment that asked in round 1."""
    units = units_delivered(history.delivered, t, i)
    support = state.support_budget[i] / 100.0
    unsolved = unsolved_share(units, state.reliability[i], support, rules.support_scale)
    refund = math.floor((rules.refund_share * unsolved) * consumer_revenue(history.ledger, t, i))
    book(state.cash, history.ledger, t, i, REFUNDS, -refund)
    kept = rules.satisfaction_retention
    for s in range(3):
        demand = 0
        served = 0
        for j in range(3):
            demand += history.demand[t - 1, i, s, j]
            served += history.served[t - 1, i, s, j]
        if demand > 0:
            felt = min(1.0, max(0.0, served / demand - rules.unsolved_penalty * unsolved))
            state.satisfaction[i, s] = kept * state.satisfaction[i, s] + (1.0 - kept) * felt


@kernel
def charge_holding(rules: Rules, state: State, history: History, t: int, i: int) -> None:
    """Holding on the closing stock of all three products."""
    for j in range(3):
        book(state.cash, history.ledger, t, i, HOLDING + j, -rules.holding[j] * state.stock[i, j])


@kernel
def check_bankruptcy(state: State, t: int, i: int) -> None:
    """Step 9: a firm with negative cash leaves from the next day; what it owed and awaited is void."""
    if state.cash[i] >= 0:
        return
    state.active[i] = 0
    state.exit_day[i] = t
    state.pending_tier[i] = -1
    state.backorders[i] = 0
    state.waiting[i] = 0
    state.reserved[i] = 0
    state.bids[i] = 0
    for k in range(state.tender_owner.shape[0]):
        if state.tender_owner[k] == i:
            state.tender_owner[k] = -1
            state.tender_left[k] = 0
