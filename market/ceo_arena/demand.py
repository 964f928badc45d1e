"""Kernels of choice: nested logit over all offers, systematic allocation, two rounds, backorders.

McFadden (1978) and Berry (1994) for the nested logit. Sums run left to right in offer order (seat, then
product), because the allocation's floors make the order of additions part of the contract.
"""

from __future__ import annotations

import math

import numpy as np

from market.ceo_arena.exogenous import Exogenous
from market.ceo_arena.finance import book
from market.ceo_arena.rules import Rules
from market.ceo_arena.state import REVENUE, History, State
from market.jit import kernel


@kernel
def quality_of(rules: Rules, state: State, i: int, j: int) -> float:
    """Quality index: base plus what knowledge adds."""
    grown = 1.0 - math.exp(-state.knowledge[i, j] / rules.knowledge_scale)
    return rules.base_quality[j] + rules.quality_range * grown


@kernel
def posted_price(state: State, i: int, j: int) -> int:
    """Price after promotion, in cents, rounded half up."""
    return (state.prices[i, j] * (100 - state.promotions[i, j]) + 50) // 100


@kernel
def noticed_discount(rules: Rules, state: State, i: int, j: int) -> float:
    """Promotion that a customer notices: none off an inflated price."""
    ratio = posted_price(state, i, j) / rules.list_price[j]
    return min(state.promotions[i, j] / 100.0, max(0.0, 1.0 - ratio / state.reference[i, j]))


@kernel
def utility(rules: Rules, state: State, phase: int, s: int, i: int, j: int) -> float:
    """Systematic utility v of offer (i, j) for segment s."""
    ratio = posted_price(state, i, j) / rules.list_price[j]
    price_term = rules.price_weight[s] * (ratio - 1.0)
    price_term += rules.reference_weight[s] * (ratio / state.reference[i, j] - 1.0)
    promotion_term = rules.promotion_weight[s] * (noticed_discount(rules, state, i, j) - state.fatigue[i, j])
    quality_term = rules.quality_weight[s] * (quality_of(rules, state, i, j) - rules.base_quality[j])
    service_term = rules.service_weight[s] * (state.satisfaction[i, s] - rules.initial_satisfaction)
    return (
        rules.appeal[s, j]
        - rules.phase_weights[phase, 0] * price_term
        + promotion_term
        + rules.phase_weights[phase, 1] * quality_term
        + rules.phase_weights[phase, 2] * service_term
        + rules.goodwill_weight[s] * math.log(1.0 + state.goodwill[i, s] / rules.goodwill_scale)
        + rules.loyalty_weight[s] * math.log(1.0 + state.loyalty[i, s] / rules.loyalty_scale)
    )


@kernel
def attractions(rules: Rules, state: State, phase: int, s: int, e: np.ndarray) -> None:
    """Fill e[i, j] = exp(v / (1 - sigma)) for the offers of active firms, 0 for others."""
    for i in range(e.shape[0]):
        for j in range(3):
            if state.active[i]:
                e[i, j] = math.exp(utility(rules, state, phase, s, i, j) / (1.0 - rules.nest))
            else:
                e[i, j] = 0.0


@kernel
def total_of(e: np.ndarray) -> float:
    """Sum in offer order."""
    total = 0.0
    for i in range(e.shape[0]):
        for j in range(3):
            total += e[i, j]
    return total


@kernel
def assign(n: int, draw: float, inside: float, e: np.ndarray, total: float, assigned: np.ndarray) -> None:
    """Systematic sampling of n customers with one uniform draw; the rest take the outside option."""
    cumulative = 0.0
    before = 0
    for i in range(e.shape[0]):
        for j in range(3):
            cumulative += (inside * e[i, j]) / total
            upto = int(math.floor(n * cumulative + draw))
            assigned[i, j] = upto - before
            before = upto


@kernel
def sell(state: State, history: History, capacity: np.ndarray, t: int, s: int, i: int, j: int, units: int) -> int:
    """Serve up to `units` from unreserved stock and remaining capacity at the posted price."""
    free = state.stock[i, j] - state.reserved[i, j]
    quantity = max(0, min(units, min(free, capacity[i])))
    if quantity > 0:
        state.stock[i, j] -= quantity
        capacity[i] -= quantity
        book(state, history, t, i, REVENUE + 3 * j + s, quantity * posted_price(state, i, j))
        history.delivered[t - 1, i, s, j] += quantity
        history.ordered[t - 1, i, j] += quantity
        history.sold[t - 1, s] += quantity
        state.loyalty[i, s] += state.satisfaction[i, s] * quantity
    return quantity


@kernel
def place_backorder(rules: Rules, state: State, history: History, t: int, s: int, i: int, j: int, units: int) -> int:
    """Let the patient part of the unserved wait at today's posted price; return how many do."""
    patient = (units * rules.patience[s]) // 100
    if patient > 0:
        slot = t % state.backorders.shape[1]
        state.backorders[i, slot, s, j] += patient
        state.backorder_price[i, slot, j] = posted_price(state, i, j)
        history.ordered[t - 1, i, j] += patient
    return patient


@kernel
def inside_probability(rules: Rules, s: int, total: float) -> float:
    """Probability of buying inside the nest, from the inclusive value."""
    inclusive = (1.0 - rules.nest) * math.log(total)
    return 1.0 / (1.0 + math.exp(rules.outside_value[s] - inclusive))


@kernel
def first_round(
    rules: Rules,
    luck: Exogenous,
    state: State,
    history: History,
    capacity: np.ndarray,
    t: int,
    s: int,
    e: np.ndarray,
    assigned: np.ndarray,
) -> int:
    """Offer every arrival all offers; return how many unserved choose again."""
    total = total_of(e)
    if total <= 0.0:
        return 0
    history.inclusive[t - 1, s] = (1.0 - rules.nest) * math.log(total)
    n = luck.arrivals[t - 1, s]
    assign(n, luck.choice[t - 1, s, 0], inside_probability(rules, s, total), e, total, assigned)
    again = 0
    for i in range(e.shape[0]):
        for j in range(3):
            wanted = assigned[i, j]
            got = sell(state, history, capacity, t, s, i, j, wanted)
            history.demand[t - 1, i, s, j] = wanted
            history.served[t - 1, i, s, j] = got
            again += wanted - got - place_backorder(rules, state, history, t, s, i, j, wanted - got)
    return again


@kernel
def second_round(
    rules: Rules,
    luck: Exogenous,
    state: State,
    history: History,
    capacity: np.ndarray,
    t: int,
    s: int,
    again: int,
    e: np.ndarray,
    assigned: np.ndarray,
) -> None:
    """Let `again` customers choose among offers with stock and capacity left; the unserved leave."""
    for i in range(e.shape[0]):
        for j in range(3):
            if capacity[i] <= 0 or state.stock[i, j] - state.reserved[i, j] <= 0:
                e[i, j] = 0.0
    total = total_of(e)
    if again <= 0 or total <= 0.0:
        history.unserved[t - 1, s] += max(0, again)
        return
    assign(again, luck.choice[t - 1, s, 1], inside_probability(rules, s, total), e, total, assigned)
    for i in range(e.shape[0]):
        for j in range(3):
            got = sell(state, history, capacity, t, s, i, j, assigned[i, j])
            history.unserved[t - 1, s] += assigned[i, j] - got


@kernel
def serve_new_demand(
    rules: Rules, luck: Exogenous, state: State, history: History, capacity: np.ndarray, t: int
) -> None:
    """Both rounds for each segment in order."""
    seats = state.cash.shape[0]
    e = np.zeros((seats, 3))
    assigned = np.zeros((seats, 3), dtype=np.int64)
    for s in range(3):
        attractions(rules, state, luck.phase[t - 1], s, e)
        again = first_round(rules, luck, state, history, capacity, t, s, e, assigned)
        second_round(rules, luck, state, history, capacity, t, s, again, e, assigned)
