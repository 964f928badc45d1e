"""The life of an order: birth, dispatch, delivery, settlement; fines, credits and evidence on the way.

Merchants do not touch each other here: an hour's orders are worked off in order of birth.
"""

from __future__ import annotations

import math

import numpy as np

from market.jit import kernel, routine
from market.merchant import figures
from market.merchant.accounts import (
    CANCELLED_COST,
    DEPOSIT_ACCOUNT,
    LATE_FINE,
    RETURN_FINE,
    RETURNED_COST,
    REVIEW_FINE,
    SETTLED_PRICE,
)
from market.merchant.catalog import Catalog
from market.merchant.cells import CANCEL as CANCEL_CELL
from market.merchant.cells import OUTCOME as OUTCOME_CELL
from market.merchant.cells import SETTLE as SETTLE_CELL
from market.merchant.cells import cell4
from market.merchant.state import (
    BORN,
    BORN_ORDERS,
    CANCEL,
    CASH,
    CLOSED,
    CLOSED_ORDER,
    COST,
    COUNT_CANCELLED,
    COUNT_GMV,
    COUNT_LATE,
    COUNT_ORDERS,
    COUNT_REFUNDED,
    COUNT_RETURNED,
    COUNT_REVIEWS,
    COUNT_SETTLED,
    CROSSING,
    DELIVERED,
    DEPOSIT,
    ENDED,
    ENDS,
    EVENT_CENTS,
    EVENT_HOUR,
    EVENT_KIND,
    EVENT_ORDER,
    EVENT_PRODUCT,
    EVENT_SEAT,
    EVENTS_TOLD,
    FINES,
    LATE,
    NEVER,
    NORMAL,
    NUMBER,
    ON_CANCEL,
    ON_DELIVERY,
    ON_LATE,
    ON_ORDER,
    ON_REFUND,
    ON_RETURN,
    ON_REVIEW,
    ON_SETTLE,
    ON_SHIP,
    ORDERED,
    ORDERS_BORN,
    ORDERS_OPEN,
    OUTCOME,
    PAIR_CANCELLED,
    PAIR_FINES,
    PAIR_GMV,
    PAIR_GROSS,
    PAIR_LATE,
    PAIR_NET,
    PAIR_ORDERS,
    PAIR_REFUNDED,
    PAIR_RETURNED,
    PAIR_REVIEWS,
    PRICE,
    PRODUCT,
    RECEIVABLE,
    REFUND,
    RETURN,
    REVIEW,
    SEAT,
    SHIP,
    SHIPPED,
    SPELL,
    SPELL_FINES,
    SPELL_GMV,
    SPELL_NET,
    SPELL_OPEN,
    SPELL_ORDERS,
    SPELL_PAIR,
    SPELL_PRICE,
    SPELL_PRODUCT,
    SPELL_SEAT,
    SPELL_SOLD,
    STAGE,
    TODAY_SCORES,
    TODAY_WEIGHTS,
    TRANSIT,
    UNPAID,
    Books,
    History,
    Suppliers,
    Words,
)

LATE_HOURS = figures.DISPATCH_HOURS + 1
NORMAL_EVIDENCE = (figures.NORMAL[0] * figures.NORMAL[1], figures.NORMAL[1])
LATE_EVIDENCE = (figures.LATE[0] * figures.LATE[1], figures.LATE[1])
RETURN_EVIDENCE = (figures.RETURNED[0] * figures.RETURNED[1], figures.RETURNED[1])
REFUND_EVIDENCE = (figures.REFUNDED[0] * figures.REFUNDED[1], figures.REFUNDED[1])
REVIEW_EVIDENCE = (figures.REVIEWED[0] * figures.REVIEWED[1], figures.REVIEWED[1])


@routine
def fine(seat: np.ndarray, ledger: np.ndarray, m: int, account: int, cents: int, t: int) -> int:
    """Take a fine from cash, then from the deposit; return what was paid. An empty deposit closes the store.

    `ledger` is the half-day's, by seat and account. What neither holds is forgiven.
    """
    from_cash = min(seat[m, CASH], cents)
    from_deposit = min(seat[m, DEPOSIT], cents - from_cash)
    paid = from_cash + from_deposit
    seat[m, CASH] -= from_cash
    seat[m, DEPOSIT] -= from_deposit
    seat[m, UNPAID] += cents - paid
    ledger[m, account] -= paid
    ledger[m, DEPOSIT_ACCOUNT] += from_deposit
    if from_cash < cents and seat[m, DEPOSIT] == 0 and seat[m, CLOSED] == NEVER:
        seat[m, CLOSED] = t
    return paid


@routine
def credit(seat: np.ndarray, ledger: np.ndarray, m: int, account: int, cents: int) -> None:
    """Restore the deposit first; the remainder is cash."""
    restored = min(figures.FULL_DEPOSIT - seat[m, DEPOSIT], cents)
    seat[m, DEPOSIT] += restored
    seat[m, CASH] += cents - restored
    ledger[m, account] += cents
    ledger[m, DEPOSIT_ACCOUNT] -= restored


@routine
def tell(
    event: np.ndarray, count: np.ndarray, t: int, m: int, order: int, product: int, kind: int, cents: int
) -> None:
    """Log what happened to an order (NEVER: to none), with the cents that it moved."""
    row = count[EVENTS_TOLD]
    event[row, EVENT_HOUR] = t
    event[row, EVENT_SEAT] = m
    event[row, EVENT_ORDER] = order
    event[row, EVENT_PRODUCT] = product
    event[row, EVENT_KIND] = kind
    event[row, EVENT_CENTS] = cents
    count[EVENTS_TOLD] = row + 1


@routine
def file_order(first: np.ndarray, following: np.ndarray, o: int, hour: int) -> None:
    """Put an order into the list of the hour of its next change, kept in order of birth."""
    before = NEVER
    other = first[hour]
    while other != NEVER and other < o:
        before = other
        other = following[other]
    following[o] = other
    if before == NEVER:
        first[hour] = o
    else:
        following[before] = o


@kernel
def next_change(order: np.ndarray, o: int) -> int:
    """Return the hour of an order's next change while it waits for dispatch."""
    leaves = order[o, ENDS] if order[o, OUTCOME] == CANCEL else order[o, BORN] + order[o, SHIP]
    return leaves if order[o, LATE] == 1 else min(leaves, order[o, BORN] + LATE_HOURS)


@kernel
def drawn_outcome(catalog: Catalog, keys: Words, order: np.ndarray, o: int, place: int, q: int) -> None:
    """Set an order's latent outcome and the hour at which it ends."""
    i, t = order[o, PRODUCT], order[o, BORN]
    draw = cell4(keys[OUTCOME_CELL], place, i, t, q)
    outcome = NORMAL
    if draw < catalog.risk[0, i]:
        outcome = CANCEL
    elif draw < catalog.risk[1, i]:
        outcome = RETURN
    elif draw < catalog.risk[2, i]:
        outcome = REFUND
    elif draw < catalog.risk[3, i]:
        outcome = REVIEW
    order[o, OUTCOME] = outcome
    if outcome == CANCEL:
        wait = math.floor(order[o, SHIP] * cell4(keys[CANCEL_CELL], place, i, t, q))
        order[o, ENDS] = t + 1 + wait
    else:
        wait = math.floor(figures.SETTLE_HOURS * cell4(keys[SETTLE_CELL], place, i, t, q))
        order[o, ENDS] = t + order[o, SHIP] + order[o, CROSSING] + 1 + wait


@kernel
def bear(
    catalog: Catalog,
    keys: Words,
    suppliers: Suppliers,
    books: Books,
    history: History,
    w: int,
    t: int,
    s: int,
    place: int,
    q: int,
) -> None:
    """An order of listing s is born: paid for, and on its way."""
    order, seat, spell = books.order, books.seat, books.spell
    m, i, price = spell[s, SPELL_SEAT], spell[s, SPELL_PRODUCT], spell[s, SPELL_PRICE]
    cost = suppliers.price[i]
    seat[m, CASH] -= cost
    seat[m, TRANSIT] += cost
    history.ledger[w, m, 1] -= cost
    o = books.tally[ORDERS_BORN]
    books.tally[ORDERS_BORN] = o + 1
    books.tally[ORDERS_OPEN] += 1
    order[o, SEAT] = m
    order[o, PRODUCT] = i
    order[o, NUMBER] = seat[m, BORN_ORDERS]
    order[o, SPELL] = s
    order[o, BORN] = t
    order[o, PRICE] = price
    order[o, COST] = cost
    order[o, SHIP] = suppliers.ship[i]
    order[o, CROSSING] = catalog.transit[i]
    order[o, STAGE] = ORDERED
    order[o, LATE] = 0
    order[o, FINES] = 0
    order[o, ENDED] = NEVER
    seat[m, BORN_ORDERS] += 1
    drawn_outcome(catalog, keys, order, o, place, q)
    file_order(books.order_first, books.order_next, o, next_change(order, o))
    history.counted[w, m, COUNT_ORDERS] += 1
    history.counted[w, m, COUNT_GMV] += price
    spell[s, SPELL_ORDERS] += 1
    spell[s, SPELL_GMV] += price
    spell[s, SPELL_OPEN] += 1
    spell[s, SPELL_SOLD] = t
    pair = spell[s, SPELL_PAIR]
    books.pair[pair, PAIR_ORDERS] += 1
    books.pair[pair, PAIR_GMV] += price
    tell(books.event, books.tally, t, m, o, i, ON_ORDER, -cost)


@routine
def attribute(spell: np.ndarray, pair: np.ndarray, order: np.ndarray, o: int, gross: int, fines: int) -> None:
    """Book an order's profit and fines on its listing and product."""
    s = order[o, SPELL]
    p = spell[s, SPELL_PAIR]
    order[o, FINES] += fines
    spell[s, SPELL_FINES] += fines
    spell[s, SPELL_NET] += gross - fines
    pair[p, PAIR_GROSS] += gross
    pair[p, PAIR_NET] += gross - fines
    pair[p, PAIR_FINES] += fines


@routine
def judge(evidence: np.ndarray, m: int, scores: float, weights: float) -> None:
    """Add evidence to a merchant's day: score times weight, and weight."""
    evidence[m, TODAY_SCORES] += scores
    evidence[m, TODAY_WEIGHTS] += weights


@kernel
def end(books: Books, o: int, t: int) -> None:
    """Close an order."""
    books.order[o, STAGE] = CLOSED_ORDER
    books.order[o, ENDED] = t
    books.spell[books.order[o, SPELL], SPELL_OPEN] -= 1
    books.tally[ORDERS_OPEN] -= 1


@kernel
def cancel(books: Books, history: History, w: int, o: int, t: int) -> None:
    """A buyer cancels before dispatch: the cost comes back, without fine or evidence."""
    order = books.order
    m, cost = order[o, SEAT], order[o, COST]
    books.seat[m, TRANSIT] -= cost
    credit(books.seat, history.ledger[w], m, CANCELLED_COST, cost)
    history.counted[w, m, COUNT_CANCELLED] += 1
    books.pair[books.spell[order[o, SPELL], SPELL_PAIR], PAIR_CANCELLED] += 1
    tell(books.event, books.tally, t, m, o, order[o, PRODUCT], ON_CANCEL, cost)
    end(books, o, t)


@kernel
def wait_for_dispatch(books: Books, history: History, w: int, o: int, t: int) -> None:
    """An order not yet shipped ends, grows late, or ships."""
    order = books.order
    if order[o, OUTCOME] == CANCEL and order[o, ENDS] == t:
        cancel(books, history, w, o, t)
        return
    m, i = order[o, SEAT], order[o, PRODUCT]
    if order[o, LATE] == 0 and t == order[o, BORN] + LATE_HOURS:
        paid = fine(books.seat, history.ledger[w], m, LATE_FINE, figures.FINE_LATE, t)
        order[o, LATE] = 1
        history.counted[w, m, COUNT_LATE] += 1
        books.pair[books.spell[order[o, SPELL], SPELL_PAIR], PAIR_LATE] += 1
        attribute(books.spell, books.pair, order, o, 0, paid)
        tell(books.event, books.tally, t, m, o, i, ON_LATE, -paid)
    due = next_change(order, o)
    if order[o, OUTCOME] != CANCEL and t == order[o, BORN] + order[o, SHIP]:
        order[o, STAGE] = SHIPPED
        due = t + order[o, CROSSING]
        tell(books.event, books.tally, t, m, o, i, ON_SHIP, 0)
    file_order(books.order_first, books.order_next, o, due)


@kernel
def settle(books: Books, history: History, w: int, o: int, t: int) -> None:
    """A delivered order ends by its outcome."""
    order, seat, ledger = books.order, books.seat, history.ledger[w]
    m, price, cost, outcome = order[o, SEAT], order[o, PRICE], order[o, COST], order[o, OUTCOME]
    p = books.spell[order[o, SPELL], SPELL_PAIR]
    seat[m, RECEIVABLE] -= price
    gross, paid, moved, kind, counter = price - cost, 0, price, ON_SETTLE, COUNT_SETTLED
    scores, weights = NORMAL_EVIDENCE
    if outcome == RETURN:
        credit(seat, ledger, m, RETURNED_COST, cost)
        paid = fine(seat, ledger, m, RETURN_FINE, figures.FINE_RETURN, t)
        scores, weights = RETURN_EVIDENCE
        books.pair[p, PAIR_RETURNED] += 1
        gross, moved, kind, counter = 0, cost, ON_RETURN, COUNT_RETURNED
    elif outcome == REFUND:
        scores, weights = REFUND_EVIDENCE
        books.pair[p, PAIR_REFUNDED] += 1
        gross, moved, kind, counter = -cost, 0, ON_REFUND, COUNT_REFUNDED
    else:
        credit(seat, ledger, m, SETTLED_PRICE, price)
        if outcome == REVIEW:
            paid = fine(seat, ledger, m, REVIEW_FINE, figures.FINE_REVIEW, t)
            scores, weights = REVIEW_EVIDENCE
            books.pair[p, PAIR_REVIEWS] += 1
            kind, counter = ON_REVIEW, COUNT_REVIEWS
        elif order[o, LATE] == 1:
            scores, weights = LATE_EVIDENCE
    judge(books.evidence, m, scores, weights)
    history.counted[w, m, counter] += 1
    attribute(books.spell, books.pair, order, o, gross, paid)
    tell(books.event, books.tally, t, m, o, order[o, PRODUCT], kind, moved - paid)
    end(books, o, t)


@kernel
def work_orders(books: Books, history: History, w: int, t: int) -> None:
    """Step 3 of an hour: every order whose next change is due."""
    order = books.order
    o = books.order_first[t]
    while o != NEVER:
        following = books.order_next[o]
        if order[o, STAGE] == ORDERED:
            wait_for_dispatch(books, history, w, o, t)
        elif order[o, STAGE] == SHIPPED:
            m = order[o, SEAT]
            order[o, STAGE] = DELIVERED
            books.seat[m, TRANSIT] -= order[o, COST]
            books.seat[m, RECEIVABLE] += order[o, PRICE]
            tell(books.event, books.tally, t, m, o, order[o, PRODUCT], ON_DELIVERY, 0)
            file_order(books.order_first, books.order_next, o, order[o, ENDS])
        else:
            settle(books, history, w, o, t)
        o = following
