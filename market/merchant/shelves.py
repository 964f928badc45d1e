"""Who lists what: every merchant's shelf between windows, and the kernel's view of all of them.

A listing is a spell: a row of the books from the window that listed it until it is delisted. A price
change keeps the spell, a relaunch starts another.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from market.merchant.catalog import Catalog
from market.merchant.decision import Order
from market.merchant.parameters import HOURS_A_WINDOW
from market.merchant.state import (
    NEVER,
    PAIR_PRODUCT,
    PAIR_SEAT,
    SPELL_BORN,
    SPELL_PAIR,
    SPELL_PRICE,
    SPELL_PRODUCT,
    SPELL_SEAT,
    SPELL_SOLD,
    Books,
    Scratch,
    Suppliers,
    new_scratch,
)

Number = TypeVar("Number", bound=np.generic)


class Shelves:
    """The shelves of all seats (from 0): product to spell, by seat."""

    def __init__(self, catalog: Catalog, suppliers: Suppliers, seats: int) -> None:
        self._catalog = catalog
        self._suppliers = suppliers
        self.spells: list[dict[int, int]] = [{} for _ in range(seats)]
        self._pairs: list[dict[int, int]] = [{} for _ in range(seats)]
        self._pair_count = 0
        self._lines: list[tuple[int, int, int]] = []  # product, seat, spell: sorted
        self._count = 0
        self._scratch: Scratch | None = None

    def pairs_of(self, m: int) -> list[tuple[int, int]]:
        """Return product and row of the pairs of a merchant, by product: all that it ever listed."""
        return sorted(self._pairs[m].items())

    def pull(self, i: int, price: int) -> float:
        """Return exp(-elasticity log(price / base)) of a product at a price."""
        base = int(self._catalog.base[i])
        return math.exp(-float(self._catalog.elasticity[i]) * math.log(price / base))

    def apply(self, books: Books, m: int, order: Order, window: int) -> Books:
        """Apply a checked order in the order delist, reprice, list; return the books, larger if need be."""
        for i in order.delist:
            self._remove(m, i)
        for i, price in order.reprice:
            s = self.spells[m][i]
            books.spell[s, SPELL_PRICE] = price
            books.pull[s] = self.pull(i, price)
            self._scratch = None
        for i, price in order.listing:
            books = self._add(books, m, i, price, HOURS_A_WINDOW * window)
        return books

    def clear(self, m: int) -> None:
        """End all listings of a merchant."""
        for i in list(self.spells[m]):
            self._remove(m, i)

    def scratch(self, books: Books) -> Scratch:
        """Return the working arrays of the kernel, with the listings in order of product and seat.

        They are the same object until a shelf changes.
        """
        if self._scratch is None:
            self._scratch = new_scratch(books, [line[2] for line in self._lines])
        return self._scratch

    def of(self, m: int) -> list[int]:
        """Return a merchant's spells in order of product."""
        return [self.spells[m][i] for i in sorted(self.spells[m])]

    def _remove(self, m: int, i: int) -> None:
        s = self.spells[m].pop(i)
        del self._lines[bisect_left(self._lines, (i, m, s))]
        self._suppliers.listed[i] ^= 1 << m
        self._scratch = None

    def _add(self, books: Books, m: int, i: int, price: int, born: int) -> Books:
        s = self._count
        pair = self._pairs[m].get(i)
        if pair is None:
            pair = self._pairs[m][i] = self._pair_count
            self._pair_count += 1
        if max(s, pair) >= len(books.spell):
            books = books._replace(
                spell=_doubled(books.spell), pull=_doubled(books.pull), pair=_doubled(books.pair)
            )
        row = books.spell[s]
        row[SPELL_SEAT], row[SPELL_PRODUCT], row[SPELL_PAIR] = m, i, pair
        row[SPELL_BORN], row[SPELL_PRICE], row[SPELL_SOLD] = born, price, NEVER
        books.pair[pair, PAIR_SEAT], books.pair[pair, PAIR_PRODUCT] = m, i
        books.pull[s] = self.pull(i, price)
        self.spells[m][i] = s
        insort(self._lines, (i, m, s))
        self._suppliers.listed[i] |= 1 << m
        self._count += 1
        self._scratch = None
        return books


def _doubled(table: NDArray[Number]) -> NDArray[Number]:
    return np.concatenate((table, np.zeros_like(table)))
