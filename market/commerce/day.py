"""A day from arrivals to closing, as two compiled kernels with the business inquiries between them."""

from __future__ import annotations

from market.commerce.books import deliver, move
from market.commerce.consumers import open_listings, serve_consumers
from market.commerce.parameters import LOAN_INTEREST, MILLION, OVERDRAFT_INTEREST, OVERHEAD_CENTS
from market.commerce.sellers import Crowd, act
from market.commerce.state import (
    INTEREST,
    OVERHEAD,
    PROCUREMENT,
    RECEIPTS,
    Goods,
    History,
    Luck,
    Scratch,
    State,
)
from market.jit import kernel


@kernel
def play_market(
    goods: Goods, luck: Luck, state: State, history: History, who: Crowd, scratch: Scratch, d: int
) -> None:
    """Steps 2 to 4 of a window: arrivals, scripted sellers, listing clocks and ads, consumers."""
    firms, seats = state.cash.shape[0], history.orders.shape[1]
    for f in range(firms):
        deliver(state, f, d)
    for i in range(who.archetype.shape[0]):
        act(goods, luck, state, history, who, scratch, d, i, seats + i)
    open_listings(state, history, d)
    serve_consumers(goods, luck, state, history, scratch, d)


@kernel
def collect(luck: Luck, state: State, history: History, d: int, f: int) -> None:
    """Pay out a firm's receivables due today at today's rates, country by country."""
    for k in range(state.receivables.shape[2]):
        local = state.receivables[f, d, k]
        if local > 0:
            state.receivables[f, d, k] = 0
            move(state.cash, history.ledger, d + 1, f, RECEIPTS, local * luck.currency[d, k] // MILLION)


@kernel
def pay(state: State, history: History, d: int, f: int) -> None:
    """Pay a seat's due payables, interest on loan and overdraft, and overhead."""
    owed = state.payables[f, d]
    state.payables[f, d] = 0
    move(state.cash, history.ledger, d + 1, f, PROCUREMENT, -owed)
    interest = state.loan[f] * LOAN_INTEREST // 1000
    if state.cash[f] < 0:
        interest += -state.cash[f] * OVERDRAFT_INTEREST // 1000
    move(state.cash, history.ledger, d + 1, f, INTEREST, -interest)
    move(state.cash, history.ledger, d + 1, f, OVERHEAD, -OVERHEAD_CENTS)


@kernel
def publish(state: State) -> None:
    """Make every firm's prices public where it has stock."""
    firms, skus, countries = state.price.shape
    for f in range(firms):
        for s in range(skus):
            stocked = state.stock[f, s] > 0
            for k in range(countries):
                state.published[f, s, k] = state.price[f, s, k] if stocked else 0


@kernel
def close_books(luck: Luck, state: State, history: History, d: int) -> None:
    """Steps 5 and 6 of a window: receivables, payables, interest, overhead; then prices are published."""
    for f in range(state.cash.shape[0]):
        collect(luck, state, history, d, f)
        if f < history.orders.shape[1]:
            pay(state, history, d, f)
    publish(state)
