"""Kernels of choice: nested logit over all offers, systematic allocation, two rounds, backorders.

McFadden (1978) and Berry (1994) for the nested logit. Sums run left to right in offer order (seat, then
product), because the allocation's floors make the order of additions part of the contract.
"""

from __future__ import annotations

import math

from market.ceo_arena.exogenous import Exogenous
from market.ceo_arena.finance import book
from market.ceo_arena.rules import Rules
from market.ceo_arena.state import REVENUE, History, Ints, Reals, Scratch, State
from market.jit import kernel


@kernel
def quality_gap(span: float, scale: float, knowledge: float) -> float:
    """Quality above base that knowledge has added."""
    return span * (1.0 - math.exp(-knowledge / scale))


@kernel
def posted_price(prices: Ints, promotions: Ints, i: int, j: int) -> int:
    """Price after promotion, in cents, rounded half up."""
    return (prices[i, j] * (100 - promotions[i, j]) + 50) // 100


@kernel
def post_offers(rules: Rules, state: State, scratch: Scratch, i: int) -> None:
    """Work out what today's offers of a firm have that no sale changes.

    A promotion is noticed up to the drop below the reference price: none off an inflated price.
    """
    for j in range(3):
        ratio = posted_price(state.prices, state.promotions, i, j) / rules.list_price[j]
        scratch.ratio[i, j] = ratio
        scratch.discount[i, j] = min(
            state.promotions[i, j] / 100.0, max(0.0, 1.0 - ratio / state.reference[i, j])
        )
        scratch.gap[i, j] = quality_gap(rules.quality_range, rules.knowledge_scale, state.knowledge[i, j])


@kernel
def attractions(rules: Rules, state: State, scratch: Scratch, phase: int, s: int) -> None:
    """Fill attraction[i, j] = exp(v / (1 - sigma)) for the offers of active firms, 0 for others."""
    price_weight = rules.phase_weights[phase, 0]
    quality_weight = rules.phase_weights[phase, 1] * rules.quality_weight[s]
    service_weight = rules.phase_weights[phase, 2] * rules.service_weight[s]
    for i in range(scratch.attraction.shape[0]):
        if not state.active[i]:
            scratch.attraction[i] = 0.0
            continue
        felt = service_weight * (state.satisfaction[i, s] - rules.initial_satisfaction)
        known = rules.goodwill_weight[s] * math.log(1.0 + state.goodwill[i, s] / rules.goodwill_scale)
        loyal = rules.loyalty_weight[s] * math.log(1.0 + state.loyalty[i, s] / rules.loyalty_scale)
        for j in range(3):
            ratio = scratch.ratio[i, j]
            price = rules.price_weight[s] * (ratio - 1.0)
            price += rules.reference_weight[s] * (ratio / state.reference[i, j] - 1.0)
            v = (
                rules.appeal[s, j]
                - price_weight * price
                + rules.promotion_weight[s] * (scratch.discount[i, j] - state.fatigue[i, j])
                + quality_weight * scratch.gap[i, j]
                + felt
                + known
                + loyal
            )
            scratch.attraction[i, j] = math.exp(v / (1.0 - rules.nest))


@kernel
def total_of(e: Reals, order: Ints) -> float:
    """Sum in offer order."""
    total = 0.0
    for rank in range(order.shape[0]):
        i = order[rank]
        for j in range(3):
            total += e[i, j]
    return total


@kernel
def assign(n: int, draw: float, inside: float, e: Reals, total: float, order: Ints, assigned: Ints) -> None:
    """Systematic sampling of n customers with one uniform draw; the rest take the outside option."""
    cumulative = 0.0
    before = 0
    for rank in range(order.shape[0]):
        i = order[rank]
        for j in range(3):
            cumulative += (inside * e[i, j]) / total
            upto = math.floor(n * cumulative + draw)
            assigned[i, j] = upto - before
            before = upto


@kernel
def sell(state: State, history: History, scratch: Scratch, t: int, s: int, i: int, j: int, units: int) -> int:
    """Serve up to `units` from unreserved stock and remaining capacity at the posted price."""
    free = state.stock[i, j] - state.reserved[i, j]
    quantity = max(0, min(units, free, scratch.capacity[i]))
    if quantity > 0:
        state.stock[i, j] -= quantity
        scratch.capacity[i] -= quantity
        book(
            state.cash,
            history.ledger,
            t,
            i,
            REVENUE + 3 * j + s,
            quantity * posted_price(state.prices, state.promotions, i, j),
        )
        history.delivered[t - 1, i, s, j] += quantity
        history.ordered[t - 1, i, j] += quantity
        history.sold[t - 1, s] += quantity
        state.loyalty[i, s] += state.satisfaction[i, s] * quantity
    return quantity


@kernel
def place_backorder(
    rules: Rules, state: State, history: History, t: int, s: int, i: int, j: int, units: int
) -> int:
    """Let the patient part of the unserved wait at today's posted price; return how many do."""
    patient = (units * rules.patience[s]) // 100
    if patient > 0:
        slot = t % state.backorders.shape[1]
        state.backorders[i, slot, s, j] += patient
        state.waiting[i, j] += patient
        state.backorder_price[i, slot, j] = posted_price(state.prices, state.promotions, i, j)
        history.ordered[t - 1, i, j] += patient
    return patient


@kernel
def inside_probability(nest: float, outside: float, total: float) -> float:
    """Probability of buying inside the nest, from the inclusive value."""
    return 1.0 / (1.0 + math.exp(outside - (1.0 - nest) * math.log(total)))


@kernel
def first_round(
    rules: Rules, luck: Exogenous, state: State, history: History, scratch: Scratch, t: int, s: int
) -> int:
    """Offer every arrival all offers; return how many unserved choose again."""
    total = total_of(scratch.attraction, luck.order)
    if total <= 0.0:
        return 0
    history.inclusive[t - 1, s] = (1.0 - rules.nest) * math.log(total)
    inside = inside_probability(rules.nest, rules.outside_value[s], total)
    assign(
        luck.arrivals[t - 1, s],
        luck.choice[t - 1, s, 0],
        inside,
        scratch.attraction,
        total,
        luck.order,
        scratch.assigned,
    )
    again = 0
    for rank in range(luck.order.shape[0]):
        i = luck.order[rank]
        for j in range(3):
            wanted = scratch.assigned[i, j]
            if wanted > 0:
                got = sell(state, history, scratch, t, s, i, j, wanted)
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
    scratch: Scratch,
    t: int,
    s: int,
    again: int,
) -> None:
    """Let `again` customers choose among offers with stock and capacity left; the unserved leave."""
    if again <= 0:
        return
    for i in range(scratch.attraction.shape[0]):
        for j in range(3):
            if scratch.capacity[i] <= 0 or state.stock[i, j] - state.reserved[i, j] <= 0:
                scratch.attraction[i, j] = 0.0
    total = total_of(scratch.attraction, luck.order)
    if total <= 0.0:
        history.unserved[t - 1, s] += again
        return
    inside = inside_probability(rules.nest, rules.outside_value[s], total)
    assign(again, luck.choice[t - 1, s, 1], inside, scratch.attraction, total, luck.order, scratch.assigned)
    for rank in range(luck.order.shape[0]):
        i = luck.order[rank]
        for j in range(3):
            wanted = scratch.assigned[i, j]
            if wanted > 0:
                got = sell(state, history, scratch, t, s, i, j, wanted)
                history.unserved[t - 1, s] += wanted - got


@kernel
def serve_new_demand(
    rules: Rules, luck: Exogenous, state: State, history: History, scratch: Scratch, t: int
) -> None:
    """Both rounds for each segment in order."""
    for s in range(3):
        attractions(rules, state, scratch, luck.phase[t - 1], s)
        again = first_round(rules, luck, state, history, scratch, t, s)
        second_round(rules, luck, state, history, scratch, t, s, again)
