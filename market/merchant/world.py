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
    CHANGES_TOLD,
    CLOSED,
    DEPOSIT,
    EVENTS_TOLD,
    NEVER,
    ORDERS_BORN,
    ORDERS_OPEN,
    RECEIVABLE,
    SCORES,
    SPELL_BORN,
    SPELL_PRICE,
    SPELL_PRODUCT,
    SPELL_SEAT,
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
        if self._window >= self.windows:
            return ()
        return tuple(m + 1 for m in range(self.seats) if self.books.seat[m, CLOSED] == NEVER)

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
        for seat in set(still_open) - {m + 1 for m in range(self.seats) if self._is_open(m)}:
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

    def _is_open(self, m: int) -> bool:
        return int(self.books.seat[m, CLOSED]) == NEVER

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
        spell = self.shelves.scratch().spell
        rows = self.books.spell[spell][:, (SPELL_PRODUCT, 0, SPELL_PRICE, 0)]
        rows[:, 1] = self.books.spell[spell, SPELL_SEAT]
        rows[:, 3] = self.books.seat[rows[:, 1], STARS]
        self.offers.append(rows)
        if self._window % 2 == 0:
            self.open_days.append(np.packbits(self.suppliers.available.view(np.uint8)))

    def _play(self, w: int) -> None:
        """Play the half-day's hours; with the last half-day also the drain."""
        hours, horizon = HOURS_A_WINDOW, self.parameters.hours
        self._advance(w, hours * w, hours * (w + 1))
        if w + 1 == self.windows:
            self.drained_hour = self._advance(w, horizon, horizon + LONGEST_ORDER + 1)

    def _advance(self, w: int, first: int, last: int) -> int:
        scratch, horizon, t = self.shelves.scratch(), self.parameters.hours, first
        shared = self.parameters.competition == "share"
        while t < last:
            self.books = with_room(self.books, len(scratch.spell))
            arguments = (self.catalog, self.year, self._keys, self.plan, self.suppliers, self.books, self.history)
            t = int(advance(*arguments, scratch, shared, w, t, last, horizon))
            if t >= horizon and self.books.tally[ORDERS_OPEN] == 0:
                break
        return t

    def _record(self, w: int) -> None:
        history, seat = self.history, self.books.seat
        history.closing[w, :, 0:4] = seat[:, (CASH, DEPOSIT, TRANSIT, RECEIVABLE)]
        history.closing[w, :, 4] = [len(shelf) for shelf in self.shelves.spells]
        history.closing[w, :, 5] = seat[:, STARS]
        history.category[w, :, :CAT_ORDERS] = self.suppliers.category
        self.paid -= history.ledger[w, :, LATE_FINE:DEPOSIT_ACCOUNT].sum(axis=1)
        history.marks[w] = self.books.tally[[ORDERS_BORN, EVENTS_TOLD, CHANGES_TOLD]]

    def _postings(self, w: int) -> Ints:
        block = self.history.ledger[w]
        m, account = block.nonzero()
        rows = np.column_stack((np.full_like(m, w + 1), m + 1, account, block[m, account]))
        if w == 0:
            seats = np.arange(1, self.seats + 1)
            same = np.full_like(seats, CAPITAL), np.full_like(seats, INITIAL_CASH)
            rows = np.concatenate((np.column_stack((np.zeros_like(seats), seats, *same)), rows))
        return rows.astype(np.int64)

    def _hash(self, w: int) -> str:
        """Chain one SHA-256 a half-day over the one before and the whole state.

        Stock, price, availability and dispatch hours of all products enter by `suppliers.mark`, a sum of
        one word a value that changes with every change: hashing a large catalogue anew each half-day
        would cost more than playing it.
        """
        spell = self.books.spell[self.shelves.scratch().spell]
        digest = hashlib.sha256(self._digest)
        for part in (
            self.history.ledger[w],
            self.books.seat,
            spell[:, [SPELL_SEAT, SPELL_PRODUCT, SPELL_PRICE, SPELL_BORN]],
            self.books.evidence[:, [SCORES, WEIGHTS]],
            self.books.tally[:1],
            self.suppliers.mark,
        ):
            digest.update(np.ascontiguousarray(part).data)
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
