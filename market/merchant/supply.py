"""The supplier side: price changes, delistings and dispatch delays by closed-form chains, and deliveries.

The three channels of a product are independent of each other and of every merchant. Only the hour of a
channel's next change is kept; a week of changes is worked out at a time, in one sweep over the channels,
and sorted by hour: memory stays small, and is read in order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from market.jit import kernel, routine
from market.merchant.catalog import Catalog
from market.merchant.cells import DELAY_SIZE, LENGTH, PRICE_SIZE, WAIT, cell2, stirred
from market.merchant.figures import EVENT_HORIZON
from market.merchant.state import (
    AFTER_MASK,
    BLOCK_HOURS,
    CAT_AVAILABLE,
    CAT_PRICES,
    CAT_STOCK,
    CHANGE_AFTER,
    CHANGE_BEFORE,
    CHANGE_HOUR,
    CHANGE_KIND,
    CHANGE_PRODUCT,
    CHANGE_SEATS,
    CHANGES_TOLD,
    DELAY_CHANNEL,
    DELIST_CHANNEL,
    HOUR_BITS,
    LATER,
    NEVER,
    PRICE_CHANNEL,
    PRODUCT_BITS,
    PRODUCT_MASK,
    Books,
    Plan,
    Suppliers,
    Words,
)


@routine
def marked(place: int, change: int) -> np.uint64:
    """Return what a value's change adds to the mark: a sum of values, each times a word of its place.

    Being a sum, it does not depend on the order of changes; two states differ in it but for one chance in 2^64.
    """
    return stirred(np.uint64(0), place) * np.uint64(change)


@routine
def onset(rate_log: float, key: np.uint64, i: int, j: int, at: int) -> int:
    """Return the hour at which event j of a channel begins, whose wait starts at hour `at`."""
    wait = math.floor(math.log(1 - cell2(key, i, j)) / rate_log)
    return at + wait if at + wait < EVENT_HORIZON else LATER


@kernel
def schedule_first(catalog: Catalog, keys: Words, plan: Plan) -> None:
    """Schedule the first event of every channel."""
    for channel in range(3):
        for i in range(plan.due.shape[1]):
            plan.due[channel, i] = onset(catalog.rate_log[channel, i], keys[WAIT + channel], i, 0, 0)


@kernel
def usual(catalog: Catalog, channel: int, i: int) -> int:
    """Return what a channel's value is while no event runs."""
    if channel == DELIST_CHANNEL:
        return 1
    return catalog.base[i] if channel == PRICE_CHANNEL else catalog.ship[i]


@kernel
def during(catalog: Catalog, keys: Words, channel: int, i: int, j: int) -> int:
    """Return what a channel's value is while event j runs."""
    if channel == DELIST_CHANNEL:
        return 0
    if channel == PRICE_CHANNEL:
        return math.floor(catalog.base[i] * (0.9 + 0.6 * cell2(keys[PRICE_SIZE], i, j)) + 0.5)
    return catalog.ship[i] + 12 + math.floor(85 * cell2(keys[DELAY_SIZE], i, j))


@kernel
def find_due(plan: Plan, channel: int, until: int) -> tuple[int, int]:
    """List the products whose event of a channel ends before an hour, and those where one begins.

    Both lists are written at every step and grow where the condition holds: a branch that nobody can
    foresee would cost more than all the rest.
    """
    due, steps = plan.due, plan.steps
    ends, begins = 0, 0
    for i in range(due.shape[1]):
        comes = due[channel, i] < until
        running = steps[channel, i] % 2 == 1
        plan.ending[ends] = i
        plan.beginning[begins] = i
        ends += comes & running
        begins += comes & (not running)
    return ends, begins


@kernel
def put_change(plan: Plan, found: int, channel: int, i: int, hour: int, after: int) -> None:
    """Add a change to the block's, and count it for its hour and channel."""
    plan.found[found] = (hour << HOUR_BITS) + (i << PRODUCT_BITS) + after
    plan.start[3 * hour + channel + 2] += 1


@kernel
def plan_channel(catalog: Catalog, keys: Words, plan: Plan, channel: int, first: int, found: int) -> int:
    """Work out a channel's changes of the block that begins at hour `first`; return how many there are by now.

    An event that has ended may be followed by another within the block; that one ends after it.
    """
    due, steps, until = plan.due, plan.steps, first + BLOCK_HOURS
    ends, begins = find_due(plan, channel, until)
    for k in range(ends):
        i = plan.ending[k]
        at, j = due[channel, i], steps[channel, i] // 2
        put_change(plan, found, channel, i, at - first, usual(catalog, channel, i))
        found += 1
        steps[channel, i] += 1
        at = onset(catalog.rate_log[channel, i], keys[WAIT + channel], i, j + 1, at + 1)
        due[channel, i] = at
        plan.beginning[begins] = i
        begins += at < until
    for k in range(begins):
        i = plan.beginning[k]
        at, j = due[channel, i], steps[channel, i] // 2
        put_change(plan, found, channel, i, at - first, during(catalog, keys, channel, i, j))
        found += 1
        steps[channel, i] += 1
        due[channel, i] = at + 168 + math.floor(505 * cell2(keys[LENGTH + channel], i, j))
    return found


@kernel
def sort_channel(plan: Plan, channel: int, first: int, last: int) -> None:
    """Put a channel's changes, rows `first` to before `last` of those found, where their hour and channel begin."""
    start = plan.start
    for row in range(first, last):
        place = 3 * (plan.found[row] >> HOUR_BITS) + channel + 1
        plan.planned[start[place]] = plan.found[row]
        start[place] += 1


@kernel
def plan_changes(catalog: Catalog, keys: Words, plan: Plan, first: int) -> None:
    """Work out every change of the block of hours that begins at `first`; sort them by hour and channel."""
    plan.start[:] = 0
    prices = plan_channel(catalog, keys, plan, PRICE_CHANNEL, first, 0)
    delists = plan_channel(catalog, keys, plan, DELIST_CHANNEL, first, prices)
    delays = plan_channel(catalog, keys, plan, DELAY_CHANNEL, first, delists)
    for place in range(3 * BLOCK_HOURS):
        plan.start[place + 2] += plan.start[place + 1]
    sort_channel(plan, PRICE_CHANNEL, 0, prices)
    sort_channel(plan, DELIST_CHANNEL, prices, delists)
    sort_channel(plan, DELAY_CHANNEL, delists, delays)


@kernel
def tell_change(
    suppliers: Suppliers, books: Books, t: int, i: int, channel: int, before: int, after: int
) -> None:
    """Log a change of a product that somebody lists."""
    kind = 3
    if channel == PRICE_CHANNEL:
        kind = 0
    elif channel == DELIST_CHANNEL:
        kind = 1 + after
    if before != after:
        row = books.tally[CHANGES_TOLD]
        books.change[row, CHANGE_HOUR] = t
        books.change[row, CHANGE_PRODUCT] = i
        books.change[row, CHANGE_KIND] = kind
        books.change[row, CHANGE_BEFORE] = before
        books.change[row, CHANGE_AFTER] = after
        books.change[row, CHANGE_SEATS] = suppliers.listed[i]
        books.tally[CHANGES_TOLD] = row + 1


@kernel
def change_channel(
    plan: Plan, suppliers: Suppliers, books: Books, t: int, channel: int, values: NDArray[Any], column: int
) -> None:
    """Make an hour's changes of one channel, whose values are given; a column of -1 is summed nowhere."""
    place = 3 * (t % BLOCK_HOURS) + channel
    mark, category = np.uint64(0), suppliers.category
    for row in range(plan.start[place], plan.start[place + 1]):
        i = (plan.planned[row] >> PRODUCT_BITS) & PRODUCT_MASK
        before, after = int(values[i]), plan.planned[row] & AFTER_MASK
        if suppliers.listed[i] != 0:
            tell_change(suppliers, books, t, i, channel, before, after)
        values[i] = after
        mark += marked(3 * i + channel, after - before)
        if column >= 0:
            category[i % 10, column] += after - before
    suppliers.mark[0] += mark


@kernel
def change_suppliers(plan: Plan, suppliers: Suppliers, books: Books, t: int) -> None:
    """Step 2 of an hour: every onset and end that is due; seen by orders from the next hour on."""
    change_channel(plan, suppliers, books, t, PRICE_CHANNEL, suppliers.price, CAT_PRICES)
    change_channel(plan, suppliers, books, t, DELIST_CHANNEL, suppliers.available, CAT_AVAILABLE)
    change_channel(plan, suppliers, books, t, DELAY_CHANNEL, suppliers.ship, -1)


@kernel
def add_stock(suppliers: Suppliers, i: int, units: int) -> None:
    """Move a product's stock; `mark` knows it behind the three channels."""
    suppliers.stock[i] += units
    suppliers.mark[0] += marked(3 * suppliers.stock.shape[0] + i, units)
    suppliers.category[i % 10, CAT_STOCK] += units


@kernel
def take_unit(catalog: Catalog, suppliers: Suppliers, i: int) -> None:
    """A unit leaves the supplier, who will deliver again at the product's hour."""
    add_stock(suppliers, i, -1)
    if suppliers.needy[i] == 0:
        hour = catalog.delivery_hour[i]
        suppliers.needy[i] = 1
        suppliers.needs_next[i] = suppliers.needs_first[hour]
        suppliers.needs_first[hour] = i


@kernel
def deliver(catalog: Catalog, suppliers: Suppliers, hour: int) -> None:
    """Step 0 of an hour: deliveries to available products; those that are full again leave the list."""
    before = NEVER
    i = suppliers.needs_first[hour]
    while i != NEVER:
        following = suppliers.needs_next[i]
        if suppliers.available[i] == 1:
            room = catalog.ceiling[i] - suppliers.stock[i]
            add_stock(suppliers, i, min(room, catalog.delivery[i]))
        if suppliers.stock[i] == catalog.ceiling[i]:
            suppliers.needy[i] = 0
            if before == NEVER:
                suppliers.needs_first[hour] = following
            else:
                suppliers.needs_next[before] = following
        else:
            before = i
        i = following
