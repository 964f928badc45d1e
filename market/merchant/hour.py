"""The order of the hour, which is part of the contract: deliveries, buyers, suppliers, orders, the day's end."""

from __future__ import annotations

import math

from market.jit import kernel
from market.merchant import figures
from market.merchant.accounts import SHORT_FINE, STOCKOUT_FINE
from market.merchant.catalog import Catalog
from market.merchant.cells import ARRIVAL, SPLIT, TURN, cell2, cell3, stirred, unit
from market.merchant.demand import Year, arrivals, daily_demand, intensity
from market.merchant.orders import bear, fine, judge, tell, work_orders
from market.merchant.state import (
    BLOCK_HOURS,
    CASH,
    CAT_ORDERS,
    CAT_STOCKOUTS,
    CHANGES_TOLD,
    CLOSED,
    COUNT_EMPTY,
    COUNT_SHORT,
    COUNT_STOCKOUTS,
    EVENTS_TOLD,
    NEVER,
    ON_SHORT,
    ON_STOCKOUT,
    ORDERS_BORN,
    ORDERS_OPEN,
    PAIR_FINES,
    PAIR_NET,
    PAIR_STOCKOUTS,
    RATING,
    ROW_BORN,
    ROW_PRODUCT,
    ROW_SEAT,
    SCORES,
    SPELL_FINES,
    SPELL_NET,
    SPELL_PAIR,
    SPELL_PRODUCT,
    SPELL_SEAT,
    SPELL_STOCKOUTS,
    STARS,
    TODAY_SCORES,
    TODAY_WEIGHTS,
    WEIGHTS,
    Books,
    History,
    Plan,
    Scratch,
    Suppliers,
    Words,
)
from market.merchant.supply import change_suppliers, deliver, plan_changes, take_unit

STOCKOUT_EVIDENCE = (figures.STOCKOUT[0] * figures.STOCKOUT[1], figures.STOCKOUT[1])
MULTIPLIERS = figures.STAR_MULTIPLIERS
ONE, TWO, THREE, FOUR = figures.STAR_THRESHOLDS


@kernel
def turn_away(
    books: Books, suppliers: Suppliers, history: History, w: int, t: int, s: int, short: bool
) -> None:
    """A buyer whom the merchant can not serve: fined, and no order exists."""
    spell = books.spell
    m, i, p = spell[s, SPELL_SEAT], spell[s, SPELL_PRODUCT], spell[s, SPELL_PAIR]
    account = SHORT_FINE if short else STOCKOUT_FINE
    paid = fine(books.seat, history.ledger[w], m, account, figures.FINE_STOCKOUT, t)
    if short:
        history.counted[w, m, COUNT_SHORT] += 1
    else:
        judge(books.evidence, m, STOCKOUT_EVIDENCE[0], STOCKOUT_EVIDENCE[1])
        history.counted[w, m, COUNT_STOCKOUTS] += 1
        history.counted[w, m, COUNT_EMPTY] += suppliers.available[i]
        history.category[w, i % 10, CAT_STOCKOUTS] += 1
        spell[s, SPELL_STOCKOUTS] += 1
        books.pair[p, PAIR_STOCKOUTS] += 1
    spell[s, SPELL_FINES] += paid
    spell[s, SPELL_NET] -= paid
    books.pair[p, PAIR_FINES] += paid
    books.pair[p, PAIR_NET] -= paid
    tell(books.event, books.tally, t, m, NEVER, i, ON_SHORT if short else ON_STOCKOUT, -paid)


@kernel
def serve(
    catalog: Catalog,
    keys: Words,
    suppliers: Suppliers,
    books: Books,
    history: History,
    w: int,
    t: int,
    s: int,
    place: int,
    first: int,
    buyers: int,
) -> None:
    """Serve a merchant's buyers of a product-hour one by one; a closed merchant's rest vanish."""
    m, i = books.spell[s, SPELL_SEAT], books.spell[s, SPELL_PRODUCT]
    for q in range(first, first + buyers):
        if books.seat[m, CLOSED] != NEVER:
            break
        empty = suppliers.available[i] == 0 or suppliers.stock[i] == 0
        if empty or books.seat[m, CASH] < suppliers.price[i]:
            turn_away(books, suppliers, history, w, t, s, not empty)
        else:
            take_unit(catalog, suppliers, i)
            history.category[w, i % 10, CAT_ORDERS] += 1
            bear(catalog, keys, suppliers, books, history, w, t, s, place, q)


@kernel
def line_up(keys: Words, books: Books, scratch: Scratch, t: int, first: int, last: int) -> int:
    """Order the open merchants of listings `first` to `last` by their turn; return how many they are."""
    line, turn = scratch.line, scratch.turn
    k = 0
    for n in range(first, last):
        s = scratch.spell[n]
        m = books.spell[s, SPELL_SEAT]
        if books.seat[m, CLOSED] == NEVER:
            drawn = cell3(keys[TURN], m + 1, books.spell[s, SPELL_PRODUCT], t)
            place = k
            while place > 0 and turn[place - 1] > drawn:
                turn[place] = turn[place - 1]
                line[place] = line[place - 1]
                place -= 1
            turn[place] = drawn
            line[place] = n
            k += 1
    return k


@kernel
def divide(
    keys: Words, books: Books, scratch: Scratch, t: int, first: int, k: int, buyers: int, total: float
) -> None:
    """Share out a stream of buyers by systematic sampling, in the order of the line."""
    draw = cell2(keys[SPLIT], books.spell[scratch.spell[first], SPELL_PRODUCT], t)
    cumulated = 0.0
    given = 0
    for place in range(k):
        cumulated = cumulated + scratch.share[scratch.line[place] - first] / total
        upto = math.floor(buyers * cumulated + draw) if place < k - 1 else buyers
        scratch.amount[place] = upto - given
        given = upto


@kernel
def meet_buyers(
    catalog: Catalog,
    year: Year,
    keys: Words,
    suppliers: Suppliers,
    books: Books,
    history: History,
    scratch: Scratch,
    shared: bool,
    w: int,
    t: int,
    first: int,
    last: int,
) -> None:
    """Step 1 of an hour for one product, whose listings are `first` to `last` in order of seat."""
    spell, share = books.spell, scratch.share
    demand = scratch.daily[first] * year.weight[scratch.weight[first], t % 24]
    total, alone, k, came = 0.0, 0.0, 0, 0
    for n in range(first, last):
        share[n - first] = 0.0
        scratch.amount[n - first] = 0
        if books.seat[scratch.row[n, ROW_SEAT], CLOSED] != NEVER:
            continue
        pull = scratch.stars[n] * year.exposure[t - scratch.row[n, ROW_BORN]] * scratch.pull[n]
        k += 1
        if shared:
            alone = pull
            share[n - first] = (pull * pull) * (pull * pull)
            total = total + share[n - first]
        else:
            scratch.amount[n - first] = arrivals(intensity(demand, pull), unit(stirred(scratch.word[n], t)))
            came += scratch.amount[n - first]
    if shared and k > 0:
        pull = alone if k == 1 else math.sqrt(math.sqrt(total))
        came = arrivals(intensity(demand, pull), unit(stirred(scratch.word[first], t)))
    if came == 0:
        return
    if not shared:
        for n in range(first, last):
            # Each store's own buyers, kept by listing while `amount` is set in the order of the line.
            share[n - first] = scratch.amount[n - first]
    k = line_up(keys, books, scratch, t, first, last)
    if shared:
        divide(keys, books, scratch, t, first, k, came, total)
    q = 0
    for place in range(k):
        n = scratch.line[place]
        s = scratch.spell[n]
        buyers = scratch.amount[place] if shared else int(share[n - first])
        own = 0 if shared else spell[s, SPELL_SEAT] + 1
        serve(catalog, keys, suppliers, books, history, w, t, s, own, q, buyers)
        q = q + buyers if shared else 0


@kernel
def stars_of(rating: float) -> int:
    """Return the star level of a rating; a value on a threshold has the higher star."""
    return 1 + (rating >= ONE) + (rating >= TWO) + (rating >= THREE) + (rating >= FOUR)


@kernel
def close_day(books: Books, history: History, day: int) -> None:
    """Step 4: publish every store's rating."""
    evidence = books.evidence
    for m in range(evidence.shape[0]):
        evidence[m, SCORES] = evidence[m, SCORES] * figures.FADE + evidence[m, TODAY_SCORES]
        evidence[m, WEIGHTS] = evidence[m, WEIGHTS] * figures.FADE + evidence[m, TODAY_WEIGHTS]
        evidence[m, TODAY_SCORES] = 0.0
        evidence[m, TODAY_WEIGHTS] = 0.0
        rating = (20 * 4 + evidence[m, SCORES]) / (20 + evidence[m, WEIGHTS])
        evidence[m, RATING] = min(max(rating, 1.0), 5.0)
        books.seat[m, STARS] = stars_of(evidence[m, RATING])
        history.rating[day, m] = evidence[m, RATING]


@kernel
def has_room(books: Books, listings: int) -> bool:
    """Tell whether whatever this hour can add fits into the tables."""
    tally = books.tally
    arriving = figures.MOST_ARRIVALS * listings
    return (
        tally[ORDERS_BORN] + arriving <= books.order.shape[0]
        and tally[EVENTS_TOLD] + arriving + 2 * tally[ORDERS_OPEN] <= books.event.shape[0]
        and tally[CHANGES_TOLD] + 3 * listings <= books.change.shape[0]
    )


@kernel
def trade(
    catalog: Catalog,
    year: Year,
    keys: Words,
    plan: Plan,
    suppliers: Suppliers,
    books: Books,
    history: History,
    scratch: Scratch,
    shared: bool,
    w: int,
    t: int,
) -> None:
    """Steps 0 to 2 of an hour."""
    listings = scratch.spell.shape[0]
    deliver(catalog, suppliers, t % 24)
    n = 0
    while n < listings:
        meet_buyers(
            catalog, year, keys, suppliers, books, history, scratch, shared, w, t, n, scratch.after[n]
        )
        n = scratch.after[n]
    if t % BLOCK_HOURS == 0:
        plan_changes(catalog, keys, plan, t)
    change_suppliers(plan, suppliers, books, t)


@kernel
def spread(
    catalog: Catalog, year: Year, keys: Words, books: Books, scratch: Scratch, shared: bool, d: int
) -> None:
    """Lay out what a half-day's hours ask of every listing: stars and D stand until the day's end."""
    row, listings = scratch.row, scratch.spell.shape[0]
    after = listings
    for n in range(listings - 1, -1, -1):
        m, i = row[n, ROW_SEAT], row[n, ROW_PRODUCT]
        if n + 1 < listings and row[n + 1, ROW_PRODUCT] != i:
            after = n + 1
        scratch.after[n] = after
        scratch.stars[n] = MULTIPLIERS[books.seat[m, STARS] - 1]
        scratch.pull[n] = books.pull[scratch.spell[n]]
        scratch.daily[n] = daily_demand(catalog, year, i, d)
        scratch.weight[n] = catalog.keyword[i] // 8
        scratch.word[n] = stirred(stirred(keys[ARRIVAL], 0 if shared else m + 1), i)


@kernel
def advance(
    catalog: Catalog,
    year: Year,
    keys: Words,
    plan: Plan,
    suppliers: Suppliers,
    books: Books,
    history: History,
    scratch: Scratch,
    shared: bool,
    w: int,
    first: int,
    last: int,
    horizon: int,
) -> int:
    """Play hours `first` to before `last` of half-day w; return the hour reached, where room ran out.

    From the horizon on orders alone run to their end: the hour returned is then the first with nothing
    open. `scratch.spell` holds the listings in order of product, then seat.
    """
    listings = scratch.spell.shape[0]
    if first < horizon:
        spread(catalog, year, keys, books, scratch, shared, first // 24)
    for t in range(first, last):
        if not has_room(books, listings) or (t >= horizon and books.tally[ORDERS_OPEN] == 0):
            return t
        if t < horizon:
            trade(catalog, year, keys, plan, suppliers, books, history, scratch, shared, w, t)
        work_orders(books, history, w, t)
        if t < horizon and t % 24 == 23:
            close_day(books, history, t // 24)
    return last
