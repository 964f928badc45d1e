"""The smallest compiled movements: cash through a ledger account, goods into and out of stock."""

from __future__ import annotations

from market.commerce.catalog import Ints
from market.commerce.parameters import ARRIVAL_LIMIT, FINE_LIMIT, FINE_STEP
from market.commerce.state import FINES, Goods, History, State
from market.jit import kernel


@kernel
def move(cash: Ints, ledger: Ints, t: int, f: int, account: int, cents: int) -> None:
    """Let cents enter or leave a firm's cash under an account, in window t."""
    cash[f] += cents
    ledger[t, f, account] += cents


@kernel
def take(stock: Ints, stock_cost: Ints, quality: Ints, f: int, s: int, n: int) -> int:
    """Take n units off a stock and return what they cost, in cents."""
    held = stock[f, s]
    cost = stock_cost[f, s] * n // held
    quality[f, s] -= quality[f, s] * n // held
    stock_cost[f, s] -= cost
    stock[f, s] = held - n
    return cost


@kernel
def send(
    inbound: Ints,
    inbound_cost: Ints,
    inbound_quality: Ints,
    f: int,
    s: int,
    day: int,
    n: int,
    cost: int,
    each: int,
) -> None:
    """Put n paid units of quality `each` on their way, to arrive before the market of `day`."""
    slot = min(day, ARRIVAL_LIMIT)
    inbound[f, s, slot] += n
    inbound_cost[f, s, slot] += cost
    inbound_quality[f, s, slot] += n * each


@kernel
def deliver(state: State, f: int, day: int) -> None:
    """Receive everything that arrives on a day."""
    for s in range(state.stock.shape[1]):
        units = state.inbound[f, s, day]
        if units > 0:
            state.stock[f, s] += units
            state.stock_cost[f, s] += state.inbound_cost[f, s, day]
            state.quality[f, s] += state.inbound_quality[f, s, day]
            state.inbound[f, s, day] = 0
            state.inbound_cost[f, s, day] = 0
            state.inbound_quality[f, s, day] = 0


@kernel
def fine_missing_permit(goods: Goods, state: State, history: History, t: int, f: int, s: int, k: int) -> None:
    """Fine a sale into a country whose permit is needed and not valid in window t."""
    c = goods.category[s]
    if goods.permit_needed[c, k] == 1 and state.permit_from[f, c, k] > t:
        state.violations[f] += 1
        fine = min(FINE_STEP * state.violations[f], FINE_LIMIT)
        history.violations[t - 1, f, s, k] += 1
        history.fines[t - 1, f, s, k] += fine
        move(state.cash, history.ledger, t, f, FINES, -fine)
