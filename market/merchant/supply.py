"""The supplier side: price changes, delistings and dispatch delays by closed-form chains, and deliveries.

The three channels of a product are independent of each other and of every merchant. Only the next
change of a channel is kept, in a list of the hour at which it comes.
"""

from __future__ import annotations

import math

import numpy as np

from market.jit import kernel, routine
from market.merchant.catalog import Catalog
from market.merchant.cells import DELAY_SIZE, LENGTH, PRICE_SIZE, WAIT, cell2, stirred
from market.merchant.figures import EVENT_HORIZON
from market.merchant.state import (
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
    NEVER,
    PRICE_CHANNEL,
    Books,
    Suppliers,
    Words,
)


@routine
def marked(place: int, before: int, after: int) -> np.uint64:
    """Return what a value's change adds to the mark: a sum over all values, whatever the order of changes."""
    return stirred(stirred(np.uint64(0), place), after) - stirred(stirred(np.uint64(0), place), before)


@routine
def file_change(due_first: np.ndarray, due_next: np.ndarray, item: int, hour: int) -> None:
    """Put a channel's next change into the list of its hour; beyond the world's hours it never comes."""
    if hour < due_first.shape[0]:
        due_next[item] = due_first[hour]
        due_first[hour] = item


@routine
def file_onset(
    rate_log: np.ndarray,
    keys: Words,
    due_first: np.ndarray,
    due_next: np.ndarray,
    numbers: np.ndarray,
    ends: np.ndarray,
    item: int,
    at: int,
) -> None:
    """Schedule the onset of a channel's event j, whose wait starts at hour `at`."""
    i, channel = item // 3, item % 3
    draw = cell2(keys[WAIT + channel], i, numbers[item])
    wait = math.floor(math.log(1 - draw) / rate_log[channel, i])
    ends[item] = NEVER
    if at + wait < EVENT_HORIZON:
        file_change(due_first, due_next, item, at + wait)


@kernel
def schedule_first(catalog: Catalog, keys: Words, suppliers: Suppliers) -> None:
    """Schedule the first event of every channel."""
    for item in range(suppliers.due_next.shape[0]):
        file_onset(
            catalog.rate_log,
            keys,
            suppliers.due_first,
            suppliers.due_next,
            suppliers.number,
            suppliers.ends,
            item,
            0,
        )


@kernel
def tell_change(
    suppliers: Suppliers, books: Books, t: int, i: int, kind: int, before: int, after: int
) -> None:
    """Log a change of a product that somebody lists."""
    if suppliers.listed[i] != 0 and before != after:
        row = books.tally[CHANGES_TOLD]
        books.change[row, CHANGE_HOUR] = t
        books.change[row, CHANGE_PRODUCT] = i
        books.change[row, CHANGE_KIND] = kind
        books.change[row, CHANGE_BEFORE] = before
        books.change[row, CHANGE_AFTER] = after
        books.change[row, CHANGE_SEATS] = suppliers.listed[i]
        books.tally[CHANGES_TOLD] = row + 1


@kernel
def set_channel(
    catalog: Catalog, keys: Words, suppliers: Suppliers, books: Books, t: int, item: int, on: bool
) -> None:
    """Apply the onset or the end of a channel's event to what a merchant sees."""
    i, channel = item // 3, item % 3
    j = suppliers.number[item]
    values = suppliers.price
    after = catalog.base[i]
    if channel == DELIST_CHANNEL:
        values = suppliers.available
        after = 0 if on else 1
    elif channel == DELAY_CHANNEL:
        values = suppliers.ship
        after = catalog.ship[i]
    if on and channel != DELIST_CHANNEL:
        size = cell2(keys[PRICE_SIZE if channel == PRICE_CHANNEL else DELAY_SIZE], i, j)
        if channel == PRICE_CHANNEL:
            after = math.floor(catalog.base[i] * (0.9 + 0.6 * size) + 0.5)
        else:
            after = catalog.ship[i] + 12 + math.floor(85 * size)
    before = values[i]
    values[i] = after
    suppliers.mark[0] += marked(item, before, after)
    kind = channel
    if channel == PRICE_CHANNEL:
        suppliers.category[i % 10, CAT_PRICES] += after - before
    elif channel == DELIST_CHANNEL:
        suppliers.category[i % 10, CAT_AVAILABLE] += after - before
        kind = 1 if on else 2
    else:
        kind = 3
    tell_change(suppliers, books, t, i, kind, before, after)


@kernel
def change_suppliers(catalog: Catalog, keys: Words, suppliers: Suppliers, books: Books, t: int) -> None:
    """Step 2 of an hour: every onset and end that is due; seen by orders from the next hour on."""
    item = suppliers.due_first[t]
    while item != NEVER:
        following = suppliers.due_next[item]
        on = suppliers.ends[item] == NEVER
        set_channel(catalog, keys, suppliers, books, t, item, on)
        if on:
            i, channel = item // 3, item % 3
            length = math.floor(505 * cell2(keys[LENGTH + channel], i, suppliers.number[item]))
            suppliers.ends[item] = t + 168 + length
            file_change(suppliers.due_first, suppliers.due_next, item, t + 168 + length)
        else:
            suppliers.number[item] += 1
            file_onset(
                catalog.rate_log,
                keys,
                suppliers.due_first,
                suppliers.due_next,
                suppliers.number,
                suppliers.ends,
                item,
                t + 1,
            )
        item = following


@kernel
def add_stock(suppliers: Suppliers, i: int, units: int) -> None:
    """Move a product's stock; `mark` knows it behind the three channels."""
    before = suppliers.stock[i]
    suppliers.stock[i] = before + units
    suppliers.mark[0] += marked(3 * suppliers.stock.shape[0] + i, before, before + units)
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
