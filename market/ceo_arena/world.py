"""One world of `ceo_arena@1`: decisions in, settled windows out, and the tables of a finished world."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from market.ceo_arena.actions import Applied
from market.ceo_arena.day import advance
from market.ceo_arena.decision import Order, Refused, commitments, limits_of, read
from market.ceo_arena.desk import CompanyDesk
from market.ceo_arena.exogenous import draw
from market.ceo_arena.facts import catalogue, periods, public_facts
from market.ceo_arena.outcomes import outcome_rows, scores, world_tables
from market.ceo_arena.parameters import Parameters
from market.ceo_arena.rules import Rules
from market.ceo_arena.state import CAPITAL, History, Ints, new_history, new_scratch, new_state
from tournament.errors import InputError
from tournament.records import Decisions, Json, Receipt, Settlement, WorldTables


class CompanyWorld:
    """Eight (2 to 16) firms in one market under one seed.

    `state`, `history` and `luck` are for desks, outcomes and tests of this market alone.
    """

    def __init__(self, market_id: str, parameters: Parameters, rules: Rules, seed: int, seats: int) -> None:
        if not 2 <= seats <= 16:
            raise InputError(f"a market seats 2 to 16 firms, got {seats}")
        self.market_id = market_id
        self.parameters = parameters
        self.rules = rules
        self.limits = limits_of(parameters)
        self.seats = seats
        self.luck = draw(parameters, seed, seats)
        self.state = new_state(parameters, seats, len(self.luck.tenders.opens))
        self.history = new_history(parameters.days, seats)
        self.scratch = new_scratch(seats)
        self.receipts: list[Receipt] = []
        self.catalogue = catalogue(parameters)
        self._day = 0
        self._window = 0
        self._public: tuple[int, dict[str, Json]] | None = None
        self._periods: dict[tuple[int, int], list[dict[str, Json]]] = {}
        self._digest = hashlib.sha256(f"{market_id}/{seed}/{seats}".encode()).digest()

    @property
    def windows(self) -> int:
        return self.parameters.windows

    @property
    def window(self) -> int:
        return self._window

    @property
    def version(self) -> int:
        return self._day

    def active(self) -> tuple[int, ...]:
        if self._window >= self.windows:
            return ()
        return tuple(int(i) + 1 for i in self.state.active.nonzero()[0])

    def desk(self, seat: int) -> CompanyDesk:
        if not 1 <= seat <= self.seats:
            raise InputError(f"seat {seat} is not one of 1 to {self.seats}")
        return CompanyDesk(self, seat)

    def public(self) -> dict[str, Json]:
        """Return what every seat sees alike at this version, worked out once for all of them."""
        if self._public is None or self._public[0] != self._day:
            self._public = (self._day, public_facts(self))
        return self._public[1]

    def period(self, i: int, first: int, last: int) -> dict[str, Json] | None:
        """Return a firm's sums over days `first` to `last`, or None where the period is not complete.

        Summed once for all firms; a window's recent period is the next one's previous.
        """
        if first < 1:
            return None
        if (first, last) not in self._periods:
            self._periods = dict([*self._periods.items()][-1:])
            self._periods[first, last] = periods(self, first, last)
        return self._periods[first, last][i]

    def refusal(self, i: int, decision: Json) -> str | None:
        """Return why firm i's decision (from 0) would be refused now, or None; changes nothing."""
        try:
            self.order(i, decision)
        except Refused as reason:
            return str(reason)
        return None

    def order(self, i: int, decision: Json) -> Order:
        """Return the checked order; raises Refused."""
        order = read(decision, self.parameters, self.limits, self.luck.tenders, self._day)
        commitments(order, self.parameters, self.state, i, self._day)
        return order

    def settle(self, decisions: Decisions) -> Settlement:
        if self._window >= self.windows:
            raise InputError(f"the world has ended after {self.windows} windows")
        if len(decisions) != self.seats:
            raise InputError(f"one decision a seat: expected {self.seats}, got {len(decisions)}")
        first = self._day + 1
        last = min(self._day + self.parameters.window_days, self.parameters.days)
        refusals: dict[int, str] = {}
        receipts: list[Receipt] = []
        for i, decision in enumerate(decisions):
            if decision is not None and self.state.active[i]:
                self._apply(i, decision, receipts, refusals)
        advance(self.rules, self.luck, self.state, self.history, self.scratch, first, last)
        settlement = Settlement(
            window=self._window,
            first_day=first,
            last_day=last,
            refusals=refusals,
            receipts=tuple(receipts),
            postings=self._postings(first, last),
            hashes=self._hashes(first, last),
        )
        self.receipts.extend(receipts)
        self._day = last
        self._window += 1
        return settlement

    def _apply(self, i: int, decision: Json, receipts: list[Receipt], refusals: dict[int, str]) -> None:
        try:
            order = self.order(i, decision)
        except Refused as reason:
            refusals[i + 1] = str(reason)
            receipts.append(
                Receipt(
                    seat=i + 1,
                    window=self._window,
                    action="decision",
                    status="refused",
                    cents=0,
                    effective_day=None,
                    detail=str(reason),
                )
            )
            return
        booking = Applied(self.parameters, self.luck, self.state, self.history, i, self._day, self._window)
        receipts.extend(booking.apply(order))

    def _postings(self, first: int, last: int) -> Ints:
        block = self.history.ledger[first - 1 : last]
        day, firm, account = block.nonzero()
        rows = np.column_stack((day + first, firm + 1, account, block[day, firm, account]))
        if first == 1:
            firms = np.arange(1, self.seats + 1)
            capital = np.column_stack(
                (
                    np.zeros_like(firms),
                    firms,
                    np.full_like(firms, CAPITAL),
                    np.full_like(firms, self.parameters.initial_cash),
                )
            )
            rows = np.concatenate((capital, rows))
        return rows.astype(np.int64)

    def _hashes(self, first: int, last: int) -> tuple[str, ...]:
        """Chain one SHA-256 a day over the day before's and the whole state."""
        blocks = [block[first - 1 : last] for block in _hashed(self.history)]
        days = [np.ascontiguousarray(block).reshape(last - first + 1, -1).view(np.int64) for block in blocks]
        hashes = []
        for row in np.concatenate(days, axis=1):
            digest = hashlib.sha256(self._digest)
            digest.update(row)
            self._digest = digest.digest()
            hashes.append(digest.hexdigest())
        return tuple(hashes)

    def scores(self) -> tuple[int, ...]:
        return scores(self.parameters, self.state)

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        if self._window < self.windows:
            raise InputError(
                f"the world has played {self._window} of {self.windows} windows: no outcomes yet"
            )
        return outcome_rows(self.parameters, self.state, self.history)

    def tables(self) -> WorldTables:
        return world_tables(self.parameters, self.luck, self.state, self.history)


def _hashed(history: History) -> tuple[np.ndarray, ...]:
    return (
        history.ledger,
        history.demand,
        history.served,
        history.delivered,
        history.cash,
        history.stock,
        history.price,
        history.promotion,
        history.unserved,
        history.core,
        history.deep,
    )
