"""One world of `merchant@1`: decisions in, settled half-days out, and the tables of a finished world."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from market.merchant.accounts import CAPITAL, DEPOSIT_ACCOUNT, LATE_FINE
from market.merchant.catalog import Catalog
from market.merchant.cells import cell_keys
from market.merchant.decision import Order, Refused, read
from market.merchant.demand import Year, year_of
from market.merchant.desk import MerchantDesk
from market.merchant.figures import INITIAL_CAPITAL, INITIAL_CASH, LONGEST_ORDER, MOST_SEATS
from market.merchant.hour import advance
from market.merchant.outcomes import outcome_rows, world_tables
from market.merchant.parameters import HOURS_A_WINDOW, Parameters
from market.merchant.receipts import applied, closure, refused
from market.merchant.report import Reports
from market.merchant.seen import Sight
from market.merchant.shelves import Shelves
from market.merchant.state import (
    CASH,
    CAT_ORDERS,
    CLOSED,
    CLOSINGS,
    DEPOSIT,
    HELD,
    NEVER,
    ORDERS_OPEN,
    RECEIVABLE,
    ROW_PRICE,
    ROW_PRODUCT,
    ROW_SEAT,
    SCORES,
    STARS,
    TRANSIT,
    WEIGHTS,
    Ints,
    new_books,
    new_history,
    new_plan,
    new_suppliers,
    with_room,
)
from market.merchant.supply import schedule_first
from tournament.errors import InputError
from tournament.records import Decisions, Json, Receipt, Settlement, WorldTables


class MerchantWorld:
    """One to sixteen stores on one platform under one seed.

    `suppliers`, `books`, `history`, `shelves` and `year` are for desks, outcomes and tests of this
    market alone. The seam's day is a half-day: `version` counts half-days completed.
    """

    def __init__(
        self, market_id: str, scenario: str, parameters: Parameters, catalog: Catalog, seed: int, seats: int
    ) -> None:
        if not 1 <= seats <= MOST_SEATS:
            raise InputError(f"a platform seats 1 to {MOST_SEATS} stores, got {seats}")
        self.market_id = market_id
        self.parameters = parameters
        self.seats = seats
        self.catalog = catalog
        self.year: Year = year_of(catalog, seed)
        self.suppliers = new_suppliers(catalog)
        self.plan = new_plan(len(catalog.base))
        self.books = new_books(seats, parameters.hours)
        self.history = new_history(parameters.windows, parameters.days, seats)
        self.shelves = Shelves(catalog, self.suppliers, seats)
        self.reports = Reports(catalog, self.year, seed)
        self.receipts: list[list[Receipt]] = [[] for _ in range(seats)]
        self.receipt_marks: list[list[int]] = [[0] for _ in range(seats)]  # receipts so far, by version
        self.offers: list[Ints] = []  # by window: rows product, seat, price, stars, in that order
        self._shown: tuple[Ints, Ints] = (np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64))
        self._offered: Ints = self._shown[0]
        self.open_days: list[np.ndarray] = []  # by day: a bit a product, available at its first hour
        self.drained_hour: int | None = None
        self.paid = np.zeros(seats, dtype=np.int64)  # fines paid so far
        self._keys = cell_keys(seed)
        self._window = 0
        self._digest = hashlib.sha256(f"{scenario}/{seed}/{seats}".encode()).digest()
        schedule_first(catalog, self._keys, self.plan)
        self.sight = Sight(self)

    @property
    def windows(self) -> int:
        return self.parameters.windows

    @property
    def window(self) -> int:
        return self._window

    @property
    def version(self) -> int:
        return self._window

    def active(self) -> tuple[int, ...]:
        return self._open_seats() if self._window < self.windows else ()

    def _open_seats(self) -> tuple[int, ...]:
        return tuple(m + 1 for m, hour in enumerate(self.books.seat[:, CLOSED].tolist()) if hour == NEVER)

    def desk(self, seat: int) -> MerchantDesk:
        if not 1 <= seat <= self.seats:
            raise InputError(f"seat {seat} is not one of 1 to {self.seats}")
        return MerchantDesk(self, seat)

    def refusal(self, m: int, decision: Json) -> str | None:
        """Return why merchant m's decision (from 0) would be refused now, or None; changes nothing."""
        try:
            self.order(m, decision)
        except Refused as reason:
            return str(reason)
        return None

    def order(self, m: int, decision: Json) -> Order:
        """Return the checked order; raises Refused."""
        shelf = self.shelves.spells[m]
        return read(decision, shelf, len(shelf), self.suppliers.available)

    def settle(self, decisions: Decisions) -> Settlement:
        if self._window >= self.windows:
            raise InputError(f"the world has ended after {self.windows} windows")
        if len(decisions) != self.seats:
            raise InputError(f"one decision a seat: expected {self.seats}, got {len(decisions)}")
        w = self._window
        refusals: dict[int, str] = {}
        receipts: list[Receipt] = []
        still_open = self.active()
        for seat in still_open:
            self._apply(seat - 1, decisions[seat - 1], receipts, refusals)
        self._show_offers()
        self._play(w)
        for seat in sorted(set(still_open).difference(self._open_seats())):
            receipts.append(closure(seat, w))
            self.shelves.clear(seat - 1)
        receipts.sort(key=lambda receipt: receipt.seat)
        for receipt in receipts:
            self.receipts[receipt.seat - 1].append(receipt)
        for marks, own in zip(self.receipt_marks, self.receipts, strict=True):
            marks.append(len(own))
        self._record(w)
        self._window = w + 1
        return Settlement(
            window=w,
            first_day=w + 1,
            last_day=w + 1,
            refusals=refusals,
            receipts=tuple(receipts),
            postings=self._postings(w),
            hashes=(self._hash(w),),
        )

    def _apply(self, m: int, decision: Json, receipts: list[Receipt], refusals: dict[int, str]) -> None:
        if decision is None or decision == {}:
            return
        try:
            order = self.order(m, decision)
        except Refused as reason:
            refusals[m + 1] = str(reason)
            receipts.append(refused(m + 1, self._window, str(reason)))
            return
        self.books = self.shelves.apply(self.books, m, order, self._window)
        receipts.extend(applied(m + 1, self._window, order))

    def _show_offers(self) -> None:
        """Keep every shelf as shoppers see it in this half-day."""
        row, stars = self.shelves.scratch(self.books).row, self.books.seat[:, STARS].copy()
        if row is not self._shown[0] or not np.array_equal(stars, self._shown[1]):
            seat = row[:, ROW_SEAT]
            self._shown = row, stars
            self._offered = np.stack((row[:, ROW_PRODUCT], seat, row[:, ROW_PRICE], stars[seat]), axis=1)
        self.offers.append(self._offered)
        if self._window % 2 == 0:
            self.open_days.append(np.packbits(self.suppliers.available.view(np.uint8)))

    def _play(self, w: int) -> None:
        """Play the half-day's hours; with the last half-day also the drain."""
        hours, horizon = HOURS_A_WINDOW, self.parameters.hours
        self._advance(w, hours * w, hours * (w + 1))
        if w + 1 == self.windows:
            self.drained_hour = self._advance(w, horizon, horizon + LONGEST_ORDER + 1)

    def _advance(self, w: int, first: int, last: int) -> int:
        """Play hours `first` to before `last`; return the hour reached, earlier where a drain has ended."""
        scratch, horizon, t = self.shelves.scratch(self.books), self.parameters.hours, first
        shared = self.parameters.competition == "share"
        exogenous = (self.catalog, self.year, self._keys, self.plan)
        while True:
            books = self.books
            t = int(
                advance(*exogenous, self.suppliers, books, self.history, scratch, shared, w, t, last, horizon)
            )
            if t == last or (t >= horizon and books.tally[ORDERS_OPEN] == 0):
                return t
            self.books = with_room(books, len(scratch.spell))

    def _record(self, w: int) -> None:
        closing, seat = self.history.closing[w], self.books.seat
        closing[:, :HELD] = seat[:, :HELD]
        closing[:, CLOSINGS.index("listings")] = [len(shelf) for shelf in self.shelves.spells]
        closing[:, CLOSINGS.index("stars")] = seat[:, STARS]
        self.history.category[w, :, :CAT_ORDERS] = self.suppliers.category
        self.paid -= self.history.ledger[w, :, LATE_FINE:DEPOSIT_ACCOUNT].sum(axis=1)
        self.history.marks[w] = self.books.tally[:ORDERS_OPEN]

    def _postings(self, w: int) -> Ints:
        block = self.history.ledger[w]
        m, account = block.nonzero()
        capital = self.seats if w == 0 else 0
        rows = np.empty((capital + len(m), 4), dtype=np.int64)
        if capital:
            rows[:capital] = (0, 0, CAPITAL, INITIAL_CASH)
            rows[:capital, 1] = np.arange(1, self.seats + 1)
        rows[capital:, 0] = w + 1
        rows[capital:, 1] = m + 1
        rows[capital:, 2] = account
        rows[capital:, 3] = block[m, account]
        return rows

    def _hash(self, w: int) -> str:
        """Chain one SHA-256 a half-day over the one before and the whole state.

        Stock, price, availability and dispatch hours of all products enter by `suppliers.mark`, a sum of
        one word a value that changes with every change: hashing a large catalogue anew each half-day
        would cost more than playing it.
        """
        books = self.books
        digest = hashlib.sha256(self._digest)
        digest.update(self.history.ledger[w].data)
        digest.update(books.seat.data)
        digest.update(self.shelves.scratch(books).row.data)
        digest.update(np.ascontiguousarray(books.evidence[:, [SCORES, WEIGHTS]]).data)
        digest.update(books.tally[:1].data)
        digest.update(self.suppliers.mark.data)
        self._digest = digest.digest()
        return digest.hexdigest()

    def scores(self) -> tuple[int, ...]:
        held = self.books.seat[:, [CASH, DEPOSIT, TRANSIT, RECEIVABLE]].sum(axis=1)
        return tuple(int(value) - INITIAL_CAPITAL for value in held)

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        if self._window < self.windows:
            raise InputError(
                f"the world has played {self._window} of {self.windows} windows: no outcomes yet"
            )
        return outcome_rows(self)

    def tables(self) -> WorldTables:
        return world_tables(self)
