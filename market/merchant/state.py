"""The mutable state of a world and what it leaves behind, as named tuples of arrays.

Rows of integers have named columns. Only the kernels, and the application of decisions between
windows, write here; desks and outcomes read. Seats count from 0 here, products, hours t and windows
too; an hour of NEVER has not come.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.merchant.accounts import ACCOUNTS
from market.merchant.catalog import Catalog
from market.merchant.categories import CATEGORIES
from market.merchant.figures import (
    FULL_DEPOSIT,
    INITIAL_CASH,
    INITIAL_STARS,
    LONGEST_ORDER,
    MOST_ARRIVALS,
    MOST_SEATS,
    PRIOR_SCORE,
    SLOTS,
)

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Words = NDArray[np.uint64]
NEVER: Final = -1

# Columns of `seat`.
CASH, DEPOSIT, TRANSIT, RECEIVABLE, CLOSED, BORN_ORDERS, UNPAID, STARS = range(8)
HELD: Final = 4  # the first columns: what a seat owns
# Columns of `evidence`: the faded sums S and W, today's, and the published rating.
SCORES, WEIGHTS, TODAY_SCORES, TODAY_WEIGHTS, RATING = range(5)

# Columns of `spell`: one row a listing, from the window that listed it until it is delisted.
SPELL_SEAT, SPELL_PRODUCT, SPELL_PAIR, SPELL_BORN, SPELL_PRICE = range(5)
SPELL_ORDERS, SPELL_GMV, SPELL_STOCKOUTS, SPELL_FINES, SPELL_OPEN, SPELL_NET, SPELL_SOLD = range(5, 12)
# Columns of `row`, a listing's in a half-day, and whence they come.
ROW_SEAT, ROW_PRODUCT, ROW_PRICE, ROW_BORN = range(4)
ROW_COLUMNS: Final = np.array((SPELL_SEAT, SPELL_PRODUCT, SPELL_PRICE, SPELL_BORN))

# Columns of `pair`: one row a seat and product that it ever listed, over its life.
PAIR_SEAT, PAIR_PRODUCT, PAIR_ORDERS, PAIR_GMV, PAIR_GROSS, PAIR_NET, PAIR_FINES = range(7)
PAIR_LATE, PAIR_STOCKOUTS, PAIR_CANCELLED, PAIR_RETURNED, PAIR_REFUNDED, PAIR_REVIEWS = range(7, 13)

# Columns of `order`: one row an order, in order of birth. `due` is the hour of its next change.
SEAT, PRODUCT, NUMBER, SPELL, BORN, PRICE, COST, SHIP, CROSSING = range(9)
OUTCOME, STAGE, LATE, ENDS, FINES, ENDED = range(9, 15)
NORMAL, CANCEL, RETURN, REFUND, REVIEW = range(5)
ORDERED, SHIPPED, DELIVERED, CLOSED_ORDER = range(4)

# Columns of `event` (a row a change of an order, a stockout or a short), and its kinds.
EVENT_HOUR, EVENT_SEAT, EVENT_ORDER, EVENT_PRODUCT, EVENT_KIND, EVENT_CENTS = range(6)
EVENTS: Final = (
    *("ordered", "stockout", "short", "late", "shipped", "delivered"),
    *("settled", "bad_review", "returned", "refunded", "cancelled"),
)
ON_ORDER, ON_STOCKOUT, ON_SHORT, ON_LATE, ON_SHIP, ON_DELIVERY = range(6)
ON_SETTLE, ON_REVIEW, ON_RETURN, ON_REFUND, ON_CANCEL = range(6, 11)

# Columns of `change`: a row a supplier event of a product that somebody lists (a bit a seat in `seats`).
CHANGE_HOUR, CHANGE_PRODUCT, CHANGE_KIND, CHANGE_BEFORE, CHANGE_AFTER, CHANGE_SEATS = range(6)
CHANGES: Final = ("price", "delisted", "relisted", "dispatch")

# Counters of a half-day and seat.
COUNTERS: Final = (
    *("orders", "gmv_cents", "stockouts", "empty", "short", "late"),
    *("cancelled", "returned", "refunded", "bad_reviews", "settled"),
)
COUNT_ORDERS, COUNT_GMV, COUNT_STOCKOUTS, COUNT_EMPTY, COUNT_SHORT, COUNT_LATE = range(6)
COUNT_CANCELLED, COUNT_RETURNED, COUNT_REFUNDED, COUNT_REVIEWS, COUNT_SETTLED = range(6, 11)
# Closing values of a half-day and seat.
CLOSINGS: Final = ("cash_cents", "deposit_cents", "in_transit_cents", "receivable_cents", "listings", "stars")

# Columns of `category`, kept as events come; and of its record by half-day, with two counters more.
CAT_AVAILABLE, CAT_PRICES, CAT_STOCK = range(3)
CAT_ORDERS, CAT_STOCKOUTS = 3, 4

# Elements of `tally`.
ORDERS_BORN, EVENTS_TOLD, CHANGES_TOLD, ORDERS_OPEN = range(4)
# Supplier channels.
PRICE_CHANNEL, DELIST_CHANNEL, DELAY_CHANNEL = range(3)
# Supplier changes are worked out for so many hours at a time. Events last at least 168 hours and stand
# at least one apart: no channel changes more than twice in a block.
BLOCK_HOURS: Final = 168
LATER: Final = 2**31 - 1
# A planned change in one word: the new value below, the product above it, the hour of the block on top.
PRODUCT_BITS: Final = 32
HOUR_BITS: Final = 52
AFTER_MASK: Final = 2**PRODUCT_BITS - 1
PRODUCT_MASK: Final = 2 ** (HOUR_BITS - PRODUCT_BITS) - 1


class Suppliers(NamedTuple):
    """The supplier side: n products."""

    price: NDArray[np.int32]  # (n,) fen
    available: NDArray[np.int8]  # (n,) 1 or 0
    stock: NDArray[np.int32]  # (n,)
    ship: NDArray[np.int32]  # (n,) dispatch hours
    mark: Words  # (1,) sum of the changes of values, each times a word: stands for all of the above in a hash
    needs_first: NDArray[np.int32]  # (24,) products below their ceiling, by hour of delivery
    needs_next: NDArray[np.int32]  # (n,)
    needy: NDArray[np.int8]  # (n,) whether it is in such a list
    listed: NDArray[np.uint16]  # (n,) a bit a seat that lists it
    category: Ints  # (10, 3) available products, sum of prices, units in stock


class Plan(NamedTuple):
    """When the three channels of n products change next, and every change of the running block of hours."""

    due: NDArray[np.int32]  # (3, n) hour of a channel's next change, LATER when it never comes
    steps: NDArray[np.int32]  # (3, n) changes so far: 2j before event j, 2j + 1 while it runs
    ending: NDArray[np.int32]  # (n + 1,) products whose event ends in the block, channel by channel
    beginning: NDArray[np.int32]  # (n + 1,) products where an event begins in it
    found: Ints  # (6n,) the block's changes by channel and product
    planned: Ints  # (6n,) the block's changes by hour and channel
    start: NDArray[np.int32]  # (3 BLOCK_HOURS + 2,) first of each hour's and channel's in `planned`


class Books(NamedTuple):
    """Orders, listings and logs; rows are added by kernels (orders, events) or between windows (listings).

    `order_first` and `order_next` link the orders due in an hour, in order of birth.
    """

    seat: Ints  # (N, 8)
    evidence: Reals  # (N, 5)
    spell: Ints  # (S, 12)
    pull: Reals  # (S,) exp(-elasticity log(price / base))
    pair: Ints  # (P, 13)
    order: Ints  # (O, 15)
    order_first: NDArray[np.int32]  # (hours + 385,)
    order_next: NDArray[np.int32]  # (O,)
    event: Ints  # (E, 6)
    change: Ints  # (C, 6)
    tally: Ints  # (4,)


class History(NamedTuple):
    """What each half-day (window) and day left behind."""

    ledger: Ints  # (W, N, accounts)
    counted: Ints  # (W, N, counters)
    closing: Ints  # (W, N, closings)
    category: Ints  # (W, 10, 5)
    rating: Reals  # (days, N)
    marks: Ints  # (W, 3) orders born, events and changes told at the half-day's end


class Scratch(NamedTuple):
    """Working arrays of a call: E listings in order of product and seat, up to 16 merchants.

    What a half-day's hours ask of a listing again and again stands here side by side.
    """

    spell: Ints  # (E,)
    row: Ints  # (E, 4) seat, product, price, born
    after: Ints  # (E,) at a product's first listing, where those of the next product begin
    stars: Reals  # (E,) the seat's multiplier
    pull: Reals  # (E,)
    daily: Reals  # (E,) D of the product on the day
    weight: Ints  # (E,) row of the day's shape, the category
    word: Words  # (E,) arrival key stirred with place and product
    share: Reals  # (16,)
    turn: Reals  # (16,)
    line: Ints  # (16,)
    amount: Ints  # (16,)


def new_scratch(books: Books, spells: list[int]) -> Scratch:
    """Return the working arrays for listings in order of product and seat."""
    many, few = len(spells), MOST_SEATS
    spell = np.array(spells, dtype=np.int64)
    return Scratch(
        spell=spell,
        row=books.spell[spell[:, None], ROW_COLUMNS],
        after=np.zeros(many, dtype=np.int64),
        stars=np.zeros(many),
        pull=np.zeros(many),
        daily=np.zeros(many),
        weight=np.zeros(many, dtype=np.int64),
        word=np.zeros(many, dtype=np.uint64),
        share=np.zeros(few),
        turn=np.zeros(few),
        line=np.zeros(few, dtype=np.int64),
        amount=np.zeros(few, dtype=np.int64),
    )


def room_for_an_hour(seats: int) -> int:
    """Return the most orders or events that one hour's arrivals can add."""
    return MOST_ARRIVALS * SLOTS * seats


def new_suppliers(catalog: Catalog) -> Suppliers:
    """Return the supplier side before hour 0: base prices, full stocks, no event scheduled."""
    n = len(catalog.base)
    category = np.zeros((len(CATEGORIES), 3), dtype=np.int64)
    number = np.arange(n) % len(CATEGORIES)
    for column, values in (
        (CAT_AVAILABLE, np.ones(n)),
        (CAT_PRICES, catalog.base),
        (CAT_STOCK, catalog.ceiling),
    ):
        np.add.at(category[:, column], number, values.astype(np.int64))

    def never(length: int) -> NDArray[np.int32]:
        return np.full(length, NEVER, dtype=np.int32)

    return Suppliers(
        price=catalog.base.astype(np.int32),
        available=np.ones(n, dtype=np.int8),
        stock=catalog.ceiling.astype(np.int32),
        ship=catalog.ship.astype(np.int32),
        mark=np.zeros(1, dtype=np.uint64),
        needs_first=never(24),
        needs_next=never(n),
        needy=np.zeros(n, dtype=np.int8),
        listed=np.zeros(n, dtype=np.uint16),
        category=category,
    )


def new_plan(n: int) -> Plan:
    """Return the plan before the first block of hours, with nothing scheduled."""
    return Plan(
        due=np.zeros((3, n), dtype=np.int32),
        steps=np.zeros((3, n), dtype=np.int32),
        ending=np.empty(n + 1, dtype=np.int32),
        beginning=np.empty(n + 1, dtype=np.int32),
        found=np.empty(6 * n, dtype=np.int64),
        planned=np.empty(6 * n, dtype=np.int64),
        start=np.zeros(3 * BLOCK_HOURS + 2, dtype=np.int32),
    )


def new_books(seats: int, hours: int) -> Books:
    """Return the books before hour 0, with room for the first hours."""
    seat = np.zeros((seats, 8), dtype=np.int64)
    seat[:, CASH], seat[:, DEPOSIT] = INITIAL_CASH, FULL_DEPOSIT
    seat[:, CLOSED], seat[:, STARS] = NEVER, INITIAL_STARS
    evidence = np.zeros((seats, 5))
    evidence[:, RATING] = PRIOR_SCORE
    room = room_for_an_hour(seats)
    return Books(
        seat=seat,
        evidence=evidence,
        spell=np.zeros((1024, 12), dtype=np.int64),
        pull=np.zeros(1024),
        pair=np.zeros((1024, 13), dtype=np.int64),
        order=np.empty((room, 15), dtype=np.int64),
        order_first=np.full(hours + LONGEST_ORDER + 2, NEVER, dtype=np.int32),
        order_next=np.full(room, NEVER, dtype=np.int32),
        event=np.empty((room, 6), dtype=np.int64),
        change=np.empty((1024, 6), dtype=np.int64),
        tally=np.zeros(4, dtype=np.int64),
    )


def with_room(books: Books, listings: int) -> Books:
    """Return books whose tables hold whatever the next hour can add, the old rows kept.

    Twelve hours of the heaviest arrivals are more than a world sells in a year: the kernel stops before
    an hour that might not fit, and goes on when there is room again. Rows not yet used cost no memory.
    """
    born, told, changed, still_open = (int(value) for value in books.tally)
    arriving = MOST_ARRIVALS * listings
    need = {
        "order": (born, arriving),
        "order_next": (born, arriving),
        "event": (told, arriving + 2 * still_open),
        "change": (changed, 3 * listings),
    }
    grown = {}
    for name, (used, more) in need.items():
        table = getattr(books, name)
        if len(table) < used + more:
            larger = np.empty((used + used // 2 + 2 * more, *table.shape[1:]), dtype=table.dtype)
            larger[:used] = table[:used]
            grown[name] = larger
    return books._replace(**grown)


def new_history(windows: int, days: int, seats: int) -> History:
    """Return an empty history."""

    def ints(*shape: int) -> Ints:
        return np.zeros((windows, *shape), dtype=np.int64)

    return History(
        ledger=ints(seats, len(ACCOUNTS)),
        counted=ints(seats, len(COUNTERS)),
        closing=ints(seats, len(CLOSINGS)),
        category=ints(len(CATEGORIES), 5),
        rating=np.zeros((days, seats)),
        marks=ints(3),
    )
