"""One world of `commerce@1`: decisions in, settled windows out, and the tables of a finished world."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from market.commerce.actions import Applied, Purchase, receipt
from market.commerce.catalog import Ints, catalog
from market.commerce.day import close_books, play_market
from market.commerce.decision import Order, Refused, Reply, read
from market.commerce.desk import CommerceDesk
from market.commerce.exogenous import Exogenous, Inquiry, draw
from market.commerce.facts import Sold, constant_facts, public_facts
from market.commerce.firm import Place, due_cents, net_worth
from market.commerce.inquiries import Bid, Sale, best, can_win, deliver_sale, graded
from market.commerce.outcomes import outcome_rows, world_tables
from market.commerce.parameters import CAPITAL_CENTS, OFFERS, SEATS, Parameters
from market.commerce.sellers import crowd, found
from market.commerce.state import (
    CAPITAL,
    Goods,
    Luck,
    goods_of,
    luck_of,
    new_history,
    new_scratch,
    new_state,
)
from tournament.errors import InputError
from tournament.records import Decisions, Json, Receipt, Settlement, WorldTables

COUNTERS = (
    "items_refused",
    "factoring_fees_cents",
    "units_liquidated",
    "liquidated_cost",
    "procurement_cents",
    "units_bought",
    "replies",
    "converted",
    "false_claims",
    "expired",
    "service_revenue_cents",
    "service_units",
    "service_charges_cents",
)


class Closed(NamedTuple):
    """What became of an inquiry: `won` by a seat (from 0), `gone` or `expired`, on a day, at a price."""

    inquiry: Inquiry
    state: str
    day: int
    winner: int
    price: int
    revenue: int


class Answer(NamedTuple):
    """A valid reply to an inquiry on a day, as its buyer graded it, and the sale if it won."""

    inquiry: Inquiry
    day: int
    bid: Bid
    sale: Sale | None


class CommerceWorld:
    """One to eight firms and the scripted sellers in one market under one seed.

    Everything public here is for desks, outcomes and tests of this market alone.
    """

    def __init__(self, market_id: str, parameters: Parameters, seed: int, seats: int) -> None:
        if not 1 <= seats <= SEATS:
            raise InputError(f"{market_id} seats 1 to {SEATS} firms, got {seats}")
        self.market_id, self.parameters, self.seed, self.seats = market_id, parameters, seed, seats
        self.catalog = catalog(parameters.catalog_seed)
        self.drawn: Exogenous = draw(self.catalog, seed)
        self.goods: Goods = goods_of(self.catalog)
        self.luck: Luck = luck_of(self.drawn)
        self.state = new_state(seats, parameters.sellers)
        self.history = new_history(parameters.windows, parameters.days, seats, parameters.sellers)
        self.scratch = new_scratch(seats, parameters.sellers)
        self.crowd = crowd(self.catalog, self.drawn, seed, parameters.sellers)
        found(self.catalog, self.drawn, self.crowd, self.state, seats)
        self.purchases: list[list[Purchase]] = [[] for _ in range(seats)]
        self.counters: list[dict[str, int]] = [dict.fromkeys(COUNTERS, 0) for _ in range(seats)]
        self.receipts: list[Receipt] = []
        self.closed: list[Closed] = []
        self.answers: list[Answer] = []
        self.sold = [Sold() for _ in range(seats)]
        self.known_quality: list[list[int | None]] = [[None] * OFFERS for _ in range(seats)]
        self.known_lead: list[list[int | None]] = [[None] * OFFERS for _ in range(seats)]
        self.constant = constant_facts(self)
        self.open_inquiries: tuple[int, ...] = ()
        self._window = 0
        self._public: tuple[int, dict[str, Json]] | None = None
        self._digest = hashlib.sha256(f"{market_id}/{seed}/{seats}".encode()).digest()

    @property
    def windows(self) -> int:
        return self.parameters.windows

    @property
    def window(self) -> int:
        return self._window

    @property
    def version(self) -> int:
        return self._window

    @property
    def day(self) -> int:
        """Day that the next window decides; the setup counts as day 0."""
        return max(self._window - 1, 0)

    def active(self) -> tuple[int, ...]:
        return tuple(range(1, self.seats + 1)) if self._window < self.windows else ()

    def desk(self, seat: int) -> CommerceDesk:
        if not 1 <= seat <= self.seats:
            raise InputError(f"seat {seat} is not one of 1 to {self.seats}")
        return CommerceDesk(self, seat)

    def place(self, i: int) -> Place:
        """Return where seat i (from 0) stands now."""
        return Place(self.catalog, self.drawn, self.state, i, self._window)

    def public(self) -> dict[str, Json]:
        """Return what every seat sees alike at this version, worked out once for all of them."""
        if self._public is None or self._public[0] != self._window:
            self._public = (self._window, public_facts(self))
        return self._public[1]

    def refusal(self, decision: Json) -> str | None:
        """Return why a decision would be refused whole now, or None; changes nothing."""
        try:
            self.order(decision)
        except Refused as reason:
            return str(reason)
        return None

    def order(self, decision: Json) -> Order:
        """Return the checked order; raises Refused."""
        return read(decision, self.open_inquiries)

    def settle(self, decisions: Decisions) -> Settlement:
        if self._window >= self.windows:
            raise InputError(f"the world has ended after {self.windows} windows")
        if len(decisions) != self.seats:
            raise InputError(f"one decision a seat: expected {self.seats}, got {len(decisions)}")
        t = self._window
        refusals: dict[int, str] = {}
        receipts: list[Receipt] = []
        replies: dict[int, list[tuple[int, Reply]]] = {}
        for i, decision in enumerate(decisions):
            if decision is not None:
                self._apply(i, decision, receipts, refusals, replies)
        if t > 0:
            self._play(t - 1, replies, receipts)
        self._learn(t)
        self._close(t)
        settlement = Settlement(
            window=t,
            first_day=t + 1,
            last_day=t + 1,
            refusals=refusals,
            receipts=tuple(receipts),
            postings=self._postings(t),
            hashes=(self._hash(t),),
        )
        self.receipts.extend(receipts)
        self._window += 1
        self._open()
        return settlement

    def _apply(
        self,
        i: int,
        decision: Json,
        receipts: list[Receipt],
        refusals: dict[int, str],
        replies: dict[int, list[tuple[int, Reply]]],
    ) -> None:
        try:
            order = self.order(decision)
        except Refused as reason:
            refusals[i + 1] = str(reason)
            receipts.append(receipt(i, self._window, "decision", "refused", 0, None, str(reason)))
            return
        booking = Applied(self.place(i), self.history.ledger, self.purchases[i], self.counters[i])
        receipts.extend(booking.apply(order))
        for reply in order.replies:
            replies.setdefault(reply.inquiry, []).append((i, reply))

    def _play(self, d: int, replies: Mapping[int, list[tuple[int, Reply]]], receipts: list[Receipt]) -> None:
        play_market(self.goods, self.luck, self.state, self.history, self.crowd, self.scratch, d)
        for number in self.open_inquiries:
            self._answer(self.drawn.inquiries[number], replies.get(number, []), receipts)
        close_books(self.luck, self.state, self.history, d)

    def _answer(self, inquiry: Inquiry, replies: list[tuple[int, Reply]], receipts: list[Receipt]) -> None:
        """Settle one open inquiry with the replies to it, by seat."""
        bids = []
        action = f"reply:{inquiry.number}"
        for i, reply in replies:
            place = self.place(i)
            if can_win(place, inquiry):
                bids.append(graded(place, self.seed, inquiry, reply))
                self.counters[i]["replies"] += 1
            else:
                self.counters[i]["items_refused"] += 1
                detail = f"needs a listing of {inquiry.units} units in stock"
                receipts.append(receipt(i, self._window, action, "refused", 0, None, detail))
        winner = best(bids) if bids else None
        sale = None if winner is None else self._win(inquiry, winner, receipts)
        self.answers.extend(Answer(inquiry, self.day, bid, sale if bid is winner else None) for bid in bids)
        if bids and winner is None:
            self.closed.append(Closed(inquiry, "gone", self.day, -1, 0, 0))
        elif not bids and self.day > inquiry.day:
            self._expire(inquiry, receipts)
        for bid in bids:
            if bid is not winner:
                detail = "the buyer took another offer" if winner else "the buyer found it too dear and left"
                receipts.append(receipt(bid.i, self._window, action, "expired", 0, None, detail))

    def _win(self, inquiry: Inquiry, bid: Bid, receipts: list[Receipt]) -> Sale:
        sale: Sale = deliver_sale(self.place(bid.i), self.goods, self.history, inquiry, bid)
        counters = self.counters[bid.i]
        counters["converted"] += 1
        counters["false_claims"] += bid.false
        counters["service_revenue_cents"] += sale.revenue
        counters["service_units"] += inquiry.units
        counters["service_charges_cents"] += sale.freight + sale.duty + sale.cost
        self.history.service[self.day, bid.i] += sale.revenue
        self.closed.append(Closed(inquiry, "won", self.day, bid.i, bid.reply.price, sale.revenue))
        told = "; a claim did not hold, the buyer pays 30 percent" if bid.false else ""
        detail = f"{inquiry.units} units at {bid.reply.price} cents, {sale.revenue} cents to come{told}"
        charges = -(sale.freight + sale.duty)
        receipts.append(
            receipt(bid.i, self._window, f"reply:{inquiry.number}", "applied", charges, self._window, detail)
        )
        return sale

    def _expire(self, inquiry: Inquiry, receipts: list[Receipt]) -> None:
        self.closed.append(Closed(inquiry, "expired", self.day, -1, 0, 0))
        for i in range(self.seats):
            if self.state.price[i, inquiry.sku, inquiry.country] > 0:
                self.counters[i]["expired"] += 1
                detail = "nobody gave a valid reply in time"
                action = f"inquiry:{inquiry.number}"
                receipts.append(receipt(i, self._window, action, "expired", 0, None, detail))

    def _learn(self, t: int) -> None:
        """Let seats know quality and lead of what was delivered; a setup purchase tells no lead."""
        offers = self.catalog.offers
        for i, purchases in enumerate(self.purchases):
            for item in purchases:
                if item.known_version == t + 1:
                    self.known_quality[i][item.offer] = int(offers.quality[item.offer])
                    if item.window > 0:
                        self.known_lead[i][item.offer] = item.arrives - (item.window - 1)

    def _open(self) -> None:
        """List the inquiries open in the next window: those of its day and the day before, not yet closed."""
        if self._window == 0:
            return
        settled = {item.inquiry.number for item in self.closed}
        self.open_inquiries = tuple(
            item.number
            for item in self.drawn.inquiries
            if item.day in (self.day - 1, self.day) and item.number not in settled
        )

    def _close(self, t: int) -> None:
        """Keep every firm's closing values of window t."""
        state, history = self.state, self.history
        history.cash[t], history.loan[t] = state.cash, state.loan
        history.payable[t] = state.payables.sum(axis=1)
        history.stock_cost[t] = state.stock_cost.sum(axis=1)
        history.inbound_cost[t] = state.inbound_cost.sum(axis=(1, 2))
        for i in range(self.seats):
            history.receivable[t, i] = due_cents(state, self.drawn, i, t)
        wrong = history.ledger[: t + 1, : self.seats].sum(axis=(0, 2)) != state.cash[: self.seats]
        if wrong.any():
            raise AssertionError(f"cash differs from its postings after window {t}")

    def _postings(self, t: int) -> Ints:
        block = self.history.ledger[t, : self.seats]
        firm, account = block.nonzero()
        day = np.where(account == CAPITAL, 0, t + 1)
        return np.column_stack((day, firm + 1, account, block[firm, account])).astype(np.int64)

    def _hash(self, t: int) -> str:
        """Chain SHA-256 over the window before's and the whole state of seats and sellers."""
        n, state = self.seats, self.state
        digest = hashlib.sha256(self._digest)
        for array in (
            self.history.ledger[t],
            state.cash,
            state.loan,
            state.payables,
            state.receivables,
            state.stock,
            state.stock_cost,
            state.quality,
            *self._listing_arrays(),
            state.permit_from,
            state.violations,
            state.focus,
        ):
            digest.update(array[:n].tobytes())
        for array in (state.cash, state.stock, state.price):
            digest.update(array[n:].tobytes())
        self._digest = digest.digest()
        return digest.hexdigest()

    def _listing_arrays(self) -> tuple[Ints, ...]:
        state = self.state
        return (
            state.price,
            state.speed,
            state.incoterm,
            state.ad,
            state.promotion,
            state.tier_units,
            state.tier_percent,
        )

    def scores(self) -> tuple[int, ...]:
        return tuple(
            net_worth(self.state, self.drawn, i, self.day) - CAPITAL_CENTS for i in range(self.seats)
        )

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        if self._window < self.windows:
            raise InputError(
                f"the world has played {self._window} of {self.windows} windows: no outcomes yet"
            )
        return outcome_rows(self)

    def tables(self) -> WorldTables:
        return world_tables(self)
