"""The order of the day, which is part of the contract, and the daily record of the whole state."""

from __future__ import annotations

import numpy as np

from market.ceo_arena.demand import post_offers, posted_price, serve_new_demand
from market.ceo_arena.exogenous import Exogenous
from market.ceo_arena.finance import charge_holding, charge_recurring, check_bankruptcy, settle_service
from market.ceo_arena.production import (
    age_stocks,
    award_tenders,
    carry_over,
    complete_jobs,
    deliver_backorders,
    deliver_contracts,
    expire_obligations,
    inbound_units,
    replenish,
)
from market.ceo_arena.rules import Rules
from market.ceo_arena.state import History, Scratch, State
from market.jit import kernel


@kernel
def mixed(seed: int, value: int) -> int:
    """One step of a 64-bit multiply-xorshift mix (Steele, Lea and Flood 2014, SplitMix)."""
    word = np.uint64(seed) ^ np.uint64(value)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(word ^ (word >> np.uint64(31)))


@kernel
def mix_filled(word: int, place: int, value: int) -> int:
    """Mix a slot with its place; most slots are empty and leave the word as it is."""
    return mixed(mixed(word, place), value) if value != 0 else word


@kernel
def mix_rings(state: State, i: int) -> int:
    """Mix what the core record leaves out: rings, contracts, bids, jobs and reports of one firm."""
    word = 0x9E37
    for slot in range(state.backorders.shape[1]):
        for j in range(3):
            for s in range(3):
                word = mix_filled(word, 9 * slot + 3 * j + s, state.backorders[i, slot, s, j])
            word = mix_filled(word, -1 - 3 * slot - j, state.backorder_price[i, slot, j])
    for j in range(3):
        for slot in range(state.inbound.shape[2]):
            word = mix_filled(word, 3 * slot + j, state.inbound[i, j, slot])
    for k in range(state.bids.shape[1]):
        word = mix_filled(word, k, state.bids[i, k])
    for k in range(state.tender_owner.shape[0]):
        if state.tender_owner[k] == i:
            word = mixed(mixed(word, state.tender_left[k]), state.tender_price[k])
    for n in range(state.project_count[i]):
        word = mixed(mixed(word, state.project_ready[i, n]), state.project_tier[i, n])
    for n in range(state.report_count[i]):
        word = mixed(mixed(word, state.report_sampled[i, n]), state.report_segment[i, n])
    for value in (state.pending_tier[i], state.pending_ordered[i], state.pending_days[i]):
        word = mixed(word, value)
    return mixed(word, state.pending_prepaid[i])


@kernel
def record_core(state: State, core: np.ndarray, i: int) -> None:
    """Write one firm's slow-moving closing values; every number below 2**53 is exact in a double."""
    core[0] = state.tier[i]
    core[1] = state.pending_tier[i]
    core[2] = state.project_count[i]
    core[3] = state.report_count[i]
    core[4] = state.won[i]
    core[5] = state.reliability[i]
    core[6] = state.exit_day[i]
    for n in range(3):
        core[7 + n] = state.knowledge[i, n]
        core[10 + n] = state.goodwill[i, n]
        core[13 + n] = state.satisfaction[i, n]
        core[16 + n] = state.loyalty[i, n]
        core[19 + n] = state.reference[i, n]
        core[22 + n] = state.fatigue[i, n]
        core[25 + n] = state.targets[i, n]
        core[28 + n] = state.reserved[i, n]


@kernel
def record_day(state: State, history: History, t: int) -> None:
    """Close the day's record of every firm; an exited firm closes at zero."""
    for i in range(state.cash.shape[0]):
        for j in range(3):
            history.stock[t - 1, i, j] = state.stock[i, j]
            history.inbound[t - 1, i, j] = inbound_units(state.inbound, i, j)
            history.waiting[t - 1, i, j] = state.waiting[i, j]
        history.cash[t - 1, i] = state.cash[i]
        record_core(state, history.core[t - 1, i], i)
        history.deep[t - 1, i] = mix_rings(state, i)


@kernel
def open_day(rules: Rules, luck: Exogenous, state: State, history: History, scratch: Scratch, t: int) -> None:
    """Steps 2 to 4, and today's posted offers."""
    for i in range(state.cash.shape[0]):
        if state.active[i]:
            history.active[t - 1, i] = 1
            complete_jobs(luck, state, t, i)
            carry_over(rules, state, i)
            charge_recurring(rules, state, history, t, i)
            post_offers(rules, state, scratch, i)
            for j in range(3):
                history.price[t - 1, i, j] = state.prices[i, j]
                history.promotion[t - 1, i, j] = state.promotions[i, j]
                history.posted[t - 1, i, j] = posted_price(state.prices, state.promotions, i, j)


@kernel
def serve_day(
    rules: Rules, luck: Exogenous, state: State, history: History, scratch: Scratch, t: int
) -> None:
    """Step 5: existing orders firm by firm, then new demand; one capacity a firm for all of it."""
    for i in range(state.cash.shape[0]):
        scratch.capacity[i] = 0
        if state.active[i]:
            scratch.capacity[i] = rules.throughput[state.tier[i]]
            deliver_contracts(luck, state, history, scratch, t, i)
            deliver_backorders(state, history, scratch, t, i)
    serve_new_demand(rules, luck, state, history, scratch, t)


@kernel
def close_day(
    rules: Rules, luck: Exogenous, state: State, history: History, scratch: Scratch, t: int
) -> None:
    """Steps 7 to 9."""
    seats = state.cash.shape[0]
    for i in range(seats):
        if state.active[i]:
            settle_service(rules, state, history, t, i)
            expire_obligations(rules, luck, state, history, t, i)
            age_stocks(rules, state, scratch, i)
    for i in range(seats):
        if state.active[i]:
            replenish(rules, state, history, t, i)
            charge_holding(rules, state, history, t, i)
    for i in range(seats):
        if state.active[i]:
            check_bankruptcy(state, t, i)


@kernel
def advance(
    rules: Rules, luck: Exogenous, state: State, history: History, scratch: Scratch, first: int, last: int
) -> None:
    """Play days `first` to `last`."""
    for t in range(first, last + 1):
        open_day(rules, luck, state, history, scratch, t)
        serve_day(rules, luck, state, history, scratch, t)
        award_tenders(rules, luck, state, t)
        close_day(rules, luck, state, history, scratch, t)
        record_day(state, history, t)
