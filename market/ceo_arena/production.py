"""Kernels of things: jobs that complete, existing orders, tenders, replenishment, slow stocks."""

from __future__ import annotations

from market.ceo_arena.demand import quality_gap
from market.ceo_arena.exogenous import Exogenous, Tenders
from market.ceo_arena.finance import book
from market.ceo_arena.rules import Rules
from market.ceo_arena.state import ENTERPRISE, PENALTIES, PROCUREMENT, REVENUE, History, Ints, Scratch, State
from market.jit import kernel


@kernel
def complete_jobs(luck: Exogenous, state: State, t: int, i: int) -> None:
    """Step 2: deliveries, innovation and capacity changes that come today."""
    slot = t % state.inbound.shape[2]
    for j in range(3):
        state.stock[i, j] += state.inbound[i, j, slot]
        state.inbound[i, j, slot] = 0
    for n in range(state.project_count[i]):
        if state.project_ready[i, n] == t:
            gain = luck.project_gain[i, n, state.project_tier[i, n]]
            for j in range(3):
                state.knowledge[i, j] += gain / 3.0
    if state.pending_tier[i] >= 0 and state.pending_ordered[i] + state.pending_days[i] + 1 == t:
        state.tier[i] = state.pending_tier[i]
        state.pending_tier[i] = -1


@kernel
def carry_over(rules: Rules, state: State, i: int) -> None:
    """Step 3: knowledge depreciates and grows by today's development, goodwill by today's marketing."""
    for j in range(3):
        spent = state.development[i, j] / 100.0
        gained = spent / (1.0 + spent / rules.development_scale)
        state.knowledge[i, j] = rules.knowledge_retention * state.knowledge[i, j] + gained
    for s in range(3):
        gained = 0.0
        for k in range(3):
            spent = state.marketing[i, s, k] / 100.0
            gained += rules.channel_effect[s, k] * spent / (1.0 + spent / rules.marketing_scale)
        state.goodwill[i, s] = rules.goodwill_retention * state.goodwill[i, s] + gained


@kernel
def deliver_contracts(
    luck: Exogenous, state: State, history: History, scratch: Scratch, t: int, i: int
) -> None:
    """Deliver tender contracts in tender order; what stays undelivered stays reserved."""
    for k in range(luck.tenders.opens.shape[0]):
        if state.tender_owner[k] != i or state.tender_left[k] <= 0:
            continue
        j = luck.tenders.product[k]
        units = min(state.tender_left[k], state.stock[i, j], scratch.capacity[i])
        if units > 0:
            state.stock[i, j] -= units
            state.reserved[i, j] -= units
            state.tender_left[k] -= units
            scratch.capacity[i] -= units
            book(state.cash, history.ledger, t, i, ENTERPRISE + j, units * state.tender_price[k])
            history.delivered[t - 1, i, 3, j] += units


@kernel
def deliver_backorders(state: State, history: History, scratch: Scratch, t: int, i: int) -> None:
    """Deliver consumer backorders from unreserved stock, oldest day first, at the price they were placed at."""
    if state.waiting[i, 0] + state.waiting[i, 1] + state.waiting[i, 2] == 0:
        return
    ring = state.backorders.shape[1]
    for age in range(ring - 1, 0, -1):
        slot = (t - age) % ring
        for s in range(3):
            for j in range(3):
                waiting = state.backorders[i, slot, s, j]
                free = state.stock[i, j] - state.reserved[i, j]
                units = min(waiting, free, scratch.capacity[i])
                if units > 0:
                    state.backorders[i, slot, s, j] -= units
                    state.waiting[i, j] -= units
                    state.stock[i, j] -= units
                    scratch.capacity[i] -= units
                    book(
                        state.cash,
                        history.ledger,
                        t,
                        i,
                        REVENUE + 3 * j + s,
                        units * state.backorder_price[i, slot, j],
                    )
                    history.delivered[t - 1, i, s, j] += units
                    state.loyalty[i, s] += state.satisfaction[i, s] * units


@kernel
def inbound_units(inbound: Ints, i: int, j: int) -> int:
    """Paid units of one product on their way."""
    total = 0
    for slot in range(inbound.shape[2]):
        total += inbound[i, j, slot]
    return total


@kernel
def scheduled_throughput(rules: Rules, state: State, i: int, first: int, last: int) -> int:
    """Sum of daily throughput from day `first` to day `last`, a pending change included."""
    total = 0
    for day in range(first, last + 1):
        tier = state.tier[i]
        if state.pending_tier[i] >= 0 and state.pending_ordered[i] + state.pending_days[i] + 1 <= day:
            tier = state.pending_tier[i]
        total += rules.throughput[tier]
    return total


@kernel
def qualifies(rules: Rules, tenders: Tenders, state: State, t: int, k: int, i: int) -> bool:
    """Tell whether a bid meets quality, unreserved stock and the delivery window's capacity."""
    j = tenders.product[k]
    if (
        rules.base_quality[j] + quality_gap(rules.quality_range, rules.knowledge_scale, state.knowledge[i, j])
        < tenders.minimum_quality[k]
    ):
        return False
    queue = 0
    for product in range(3):
        queue += state.reserved[i, product] + state.waiting[i, product]
    free = state.stock[i, j] - state.reserved[i, j] - state.waiting[i, j]
    spare = scheduled_throughput(rules, state, i, t + 1, tenders.due[k]) - queue
    return free >= tenders.quantity[k] and spare >= tenders.quantity[k]


@kernel
def award_tenders(rules: Rules, luck: Exogenous, state: State, t: int) -> None:
    """Step 6: the lowest qualifying bid wins at its own price; its units are reserved at once."""
    tenders = luck.tenders
    for k in range(tenders.opens.shape[0]):
        if tenders.closes[k] != t:
            continue
        winner = -1
        for i in range(state.cash.shape[0]):
            if not state.active[i] or state.bids[i, k] <= 0 or not qualifies(rules, tenders, state, t, k, i):
                continue
            lower = winner < 0 or state.bids[i, k] < state.bids[winner, k]
            if lower or (
                state.bids[i, k] == state.bids[winner, k] and tenders.tie[k, i] < tenders.tie[k, winner]
            ):
                winner = i
        if winner >= 0:
            state.tender_owner[k] = winner
            state.tender_winner[k] = winner
            state.tender_left[k] = tenders.quantity[k]
            state.tender_price[k] = state.bids[winner, k]
            state.reserved[winner, tenders.product[k]] += tenders.quantity[k]
            state.won[winner] += 1


@kernel
def expire_obligations(rules: Rules, luck: Exogenous, state: State, history: History, t: int, i: int) -> None:
    """Step 7: contracts due today and undelivered cost a fine; backorders that waited too long are cancelled."""
    for k in range(luck.tenders.opens.shape[0]):
        if state.tender_owner[k] == i and luck.tenders.due[k] == t:
            left = state.tender_left[k]
            if left > 0:
                fine = (left * state.tender_price[k] * rules.tender_penalty_percent) // 100
                book(state.cash, history.ledger, t, i, PENALTIES, -fine)
                history.fines[t - 1, i] += left
                state.reserved[i, luck.tenders.product[k]] -= left
            state.tender_left[k] = 0
            state.tender_owner[k] = -1
    if t > rules.backorder_days:
        slot = (t - rules.backorder_days) % state.backorders.shape[1]
        for s in range(3):
            for j in range(3):
                state.waiting[i, j] -= state.backorders[i, slot, s, j]
                state.backorders[i, slot, s, j] = 0


@kernel
def age_stocks(rules: Rules, state: State, scratch: Scratch, i: int) -> None:
    """Step 7: loyalty fades; the reference price and promotion fatigue follow today's offer."""
    for s in range(3):
        state.loyalty[i, s] *= rules.loyalty_retention
    for j in range(3):
        ratio = min(1.5, max(0.5, scratch.ratio[i, j]))
        kept = rules.reference_retention
        state.reference[i, j] = kept * state.reference[i, j] + (1.0 - kept) * ratio
        kept = rules.fatigue_retention
        state.fatigue[i, j] = kept * state.fatigue[i, j] + (1.0 - kept) * scratch.discount[i, j]


@kernel
def replenish(rules: Rules, state: State, history: History, t: int, i: int) -> None:
    """Step 8: order up to the target, as far as cash covers; paid now, delivered after the lead time."""
    slots = state.inbound.shape[2]
    for j in range(3):
        position = state.stock[i, j] + inbound_units(state.inbound, i, j)
        position -= state.waiting[i, j] + state.reserved[i, j]
        affordable = max(0, state.cash[i] // rules.cost[j])
        units = min(max(0, state.targets[i, j] - position), affordable)
        if units > 0:
            book(state.cash, history.ledger, t, i, PROCUREMENT + j, -units * rules.cost[j])
            state.inbound[i, j, (t + rules.lead_time[j]) % slots] += units
