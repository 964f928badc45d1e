"""Applying a checked decision item by item; an item that cannot be done is refused alone, with a receipt."""

from __future__ import annotations

from typing import Literal, NamedTuple

from market.commerce.books import move, send, take
from market.commerce.catalog import Ints
from market.commerce.decision import Buy, Listing, Order
from market.commerce.firm import Place, dues, offer_price
from market.commerce.parameters import (
    CODES,
    COUNTRIES,
    FACTORING_FEE,
    FOCUS_FEE,
    LIQUIDATION_PERCENT,
    LOAN_LIMIT,
    NET_DAYS,
    OFFER_IDS,
    PAYABLES_LIMIT,
    PREFERRED,
    SKU_IDS,
)
from market.commerce.state import (
    FACTORING,
    LIQUIDATION,
    LOANS,
    NEVER,
    OVERHEAD,
    PERMITS,
    PROCUREMENT,
)
from tournament.records import Receipt

Status = Literal["applied", "refused", "expired"]
SET_ALIKE = ("price", "speed", "incoterm", "ad", "promotion")


class Purchase(NamedTuple):
    """An order placed with a supplier; `arrives` is the day of its delivery, `promised` the advertised lead."""

    number: int
    window: int
    offer: int
    units: int
    unit_price: int
    net7: bool
    promised: int
    arrives: int

    @property
    def promised_day(self) -> int:
        """Day of arrival as advertised; a setup purchase is there at once."""
        return 0 if self.window == 0 else self.window - 1 + self.promised

    @property
    def known_version(self) -> int:
        """Version of the world at which its quality is known: the day of its delivery is completed then."""
        return 1 if self.window == 0 else self.arrives + 2


class Applied:
    """Books one seat's order in a window and collects receipts."""

    def __init__(
        self, place: Place, ledger: Ints, purchases: list[Purchase], counters: dict[str, int]
    ) -> None:
        self.place, self.ledger = place, ledger
        self.purchases, self.counters = purchases, counters
        self.state, self.i, self.t, self.day = place.state, place.i, place.window, place.day
        self.receipts: list[Receipt] = []

    def apply(self, order: Order) -> list[Receipt]:
        """Apply every item in the contract's order and return one receipt each; replies wait."""
        if order.focus is not None:
            self._focus(order.focus)
        for amount, act in (
            (order.borrow, self._borrow),
            (order.factor, self._factor),
            (order.repay, self._repay),
        ):
            if amount is not None:
                act(amount)
        for s, units in order.liquidate:
            self._liquidate(s, units)
        for c, k in order.permits:
            self._permit(c, k)
        for buy in order.buy:
            self._buy(buy)
        for s, k in order.delist:
            self._delist(s, k)
        self._list_all(order.list)
        return self.receipts

    @property
    def cash(self) -> int:
        return int(self.state.cash[self.i])

    def _move(self, account: int, cents: int) -> None:
        move(self.state.cash, self.ledger, self.t, self.i, account, cents)

    def _note(
        self, action: str, cents: int, effective: int | None, detail: str, status: Status = "applied"
    ) -> None:
        self.receipts.append(receipt(self.i, self.t, action, status, cents, effective, detail))

    def _refuse(self, action: str, reason: str) -> None:
        self.counters["items_refused"] += 1
        self._note(action, 0, None, reason, "refused")

    def _focus(self, focus: tuple[int, ...]) -> None:
        fee = FOCUS_FEE if self.t > 0 else 0
        if fee > self.cash:
            self._refuse("focus", f"the change costs {fee} cents, cash is {self.cash}")
            return
        self.state.focus[self.i] = 0
        self.state.focus[self.i, list(focus)] = 1
        self._move(OVERHEAD, -fee)
        names = ", ".join(CODES[c] for c in focus) or "no category"
        self._note("focus", -fee, self.t, f"focus on {names}")

    def _borrow(self, amount: int) -> None:
        left = LOAN_LIMIT - int(self.state.loan[self.i])
        if amount > left:
            self._refuse("borrow", f"at most {left} cents more may be borrowed")
            return
        self.state.loan[self.i] += amount
        self._move(LOANS, amount)
        self._note("borrow", amount, self.t, f"loan now {int(self.state.loan[self.i])} cents")

    def _factor(self, amount: int) -> None:
        left, sold, fees = amount, 0, 0
        for due in dues(self.state, self.place.drawn, self.i, self.day):
            if due.cents <= left:
                left -= due.cents
                sold += due.cents
                fees += -(-due.cents * FACTORING_FEE // 100)
                self.state.receivables[self.i, due.day, due.country] = 0
        self.counters["factoring_fees_cents"] += fees
        self._move(FACTORING, sold - fees)
        self._note("factor", sold - fees, self.t, f"receivables of {sold} cents sold, fee {fees}")

    def _repay(self, amount: int) -> None:
        amount = min(amount, int(self.state.loan[self.i]))
        if amount > self.cash:
            self._refuse("repay", f"{amount} cents are more than the cash of {self.cash}")
            return
        self.state.loan[self.i] -= amount
        self._move(LOANS, -amount)
        self._note("repay", -amount, self.t, f"loan now {int(self.state.loan[self.i])} cents")

    def _liquidate(self, s: int, units: int) -> None:
        action = f"liquidate:{SKU_IDS[s]}"
        held = int(self.state.stock[self.i, s])
        if units > held:
            self._refuse(action, f"{units} units are more than the stock of {held}")
            return
        cost = int(take(self.state.stock, self.state.stock_cost, self.state.quality, self.i, s, units))
        cents = cost * LIQUIDATION_PERCENT // 100
        self.counters["units_liquidated"] += units
        self.counters["liquidated_cost"] += cost
        self._move(LIQUIDATION, cents)
        self._note(action, cents, self.t, f"{units} units that cost {cost} cents")

    def _permit(self, c: int, k: int) -> None:
        action = f"permit:{CODES[c]}:{COUNTRIES[k]}"
        catalog = self.place.catalog
        fee = int(catalog.permit_fee[c, k])
        if catalog.permit_needed[c, k] == 0:
            self._refuse(action, "no permit is needed there")
        elif self.state.permit_from[self.i, c, k] != NEVER:
            self._refuse(action, "the permit is held or already applied for")
        elif fee > self.cash:
            self._refuse(action, f"the fee of {fee} cents is more than the cash of {self.cash}")
        else:
            valid = self.t + int(catalog.permit_days[c, k])
            self.state.permit_from[self.i, c, k] = valid
            self._move(PERMITS, -fee)
            self._note(action, -fee, valid, f"valid from day {valid - 1}")

    def _buy(self, buy: Buy) -> None:
        action = f"buy:{OFFER_IDS[buy.offer]}"
        price = offer_price(self.place, buy.offer, buy.units)
        cents = price * buy.units
        reason = self._buy_refusal(buy, cents)
        if reason is not None:
            self._refuse(action, reason)
            return
        offers = self.place.catalog.offers
        s = int(offers.sku[buy.offer])
        if buy.net7:
            self.state.payables[self.i, self.day + NET_DAYS] += cents
        else:
            self._move(PROCUREMENT, -cents)
        arrives = self._arrival(buy.offer)
        if self.t == 0:
            self.state.stock[self.i, s] += buy.units
            self.state.stock_cost[self.i, s] += cents
            self.state.quality[self.i, s] += buy.units * int(offers.quality[buy.offer])
        else:
            inbound = (self.state.inbound, self.state.inbound_cost, self.state.inbound_quality)
            send(*inbound, self.i, s, arrives, buy.units, cents, int(offers.quality[buy.offer]))
        self.state.supplier_orders[self.i, int(offers.supplier[buy.offer])] += 1
        self.counters["procurement_cents"] += cents
        self.counters["units_bought"] += buy.units
        promised = int(offers.advertised_lead[buy.offer])
        self.purchases.append(
            Purchase(len(self.purchases), self.t, buy.offer, buy.units, price, buy.net7, promised, arrives)
        )
        terms = f"due at the end of day {self.day + NET_DAYS}" if buy.net7 else "paid"
        due = "in stock" if self.t == 0 else f"promised for day {self.day + promised}"
        detail = f"{buy.units} {SKU_IDS[s]} at {price} cents, {terms}, {due}"
        self._note(action, 0 if buy.net7 else -cents, None, detail)

    def _arrival(self, offer: int) -> int:
        if self.t == 0:
            return 0
        offers = self.place.catalog.offers
        delay = int(self.place.drawn.delay[self.day, int(offers.country[offer])])
        return self.day + int(offers.lead[offer]) + delay

    def _buy_refusal(self, buy: Buy, cents: int) -> str | None:
        offers = self.place.catalog.offers
        moq, most = int(offers.moq[buy.offer]), int(offers.stock[buy.offer])
        if not moq <= buy.units <= most:
            return f"units must be from {moq} (MOQ) to {most} (stock), got {buy.units}"
        if not buy.net7:
            return f"{cents} cents are more than the cash of {self.cash}" if cents > self.cash else None
        orders = int(self.state.supplier_orders[self.i, int(offers.supplier[buy.offer])])
        if orders < PREFERRED[0]:
            return f"net7 takes {PREFERRED[0]} orders with the supplier, so far {orders}"
        if self.cash < 0:
            return "net7 is not given while cash is below zero"
        owed = int(self.state.payables[self.i].sum()) + cents
        if owed > PAYABLES_LIMIT:
            return f"payables would be {owed} cents, at most {PAYABLES_LIMIT} are given"
        return None

    def _delist(self, s: int, k: int) -> None:
        action = f"delist:{SKU_IDS[s]}:{COUNTRIES[k]}"
        if self.state.price[self.i, s, k] == 0:
            self._refuse(action, "there is no such listing")
            return
        clear_listing(self.place, s, k)
        self._note(action, 0, self.t, "listing ended")

    def _list_all(self, listings: tuple[Listing, ...]) -> None:
        """Set listings and note them SKU by SKU: one receipt a listing would be most of a journal."""
        prices = self.state.price[self.i]
        told: dict[int, list[str]] = {}
        able = []
        for listing in listings:
            s, k, asked = listing[:3]
            standing = prices.item(s, k)
            if standing == 0 and asked is None:
                self._refuse(f"list:{SKU_IDS[s]}:{COUNTRIES[k]}", "a new listing needs a price")
                continue
            if standing == 0:
                clear_listing(self.place, s, k)
            able.append(listing)
            text = f"{COUNTRIES[k]} {standing if asked is None else asked} cents"
            told.setdefault(s, []).append(text if standing else f"{text}, new")
        if able:
            self._set_listings(able)
        for s, details in told.items():
            self._note(f"list:{SKU_IDS[s]}", 0, self.t, "; ".join(details))

    def _set_listings(self, listings: list[Listing]) -> None:
        """Set what listings name, a column at a time."""
        sku, country, *columns, tiers = zip(*listings, strict=True)
        for name, column in zip(SET_ALIKE, columns, strict=True):
            given = [n for n, value in enumerate(column) if value is not None]
            if given:
                cells = [sku[n] for n in given], [country[n] for n in given]
                getattr(self.state, name)[self.i][cells] = [column[n] for n in given]
        for s, k, steps in zip(sku, country, tiers, strict=True):
            if steps is not None:
                self._set_tiers(s, k, steps)

    def _set_tiers(self, s: int, k: int, tiers: tuple[tuple[int, int], ...]) -> None:
        units, percent = self.state.tier_units[self.i, s, k], self.state.tier_percent[self.i, s, k]
        units[:], percent[:] = 0, 0
        for step, tier in enumerate(tiers):
            units[step], percent[step] = tier


def clear_listing(place: Place, s: int, k: int) -> None:
    """Put a listing's place back to what an unlisted cell has."""
    state = place.state
    for array in (state.price, state.speed, state.incoterm, state.ad, state.promotion, state.idle):
        array[place.i, s, k] = 0
    state.tier_units[place.i, s, k] = 0
    state.tier_percent[place.i, s, k] = 0


def receipt(
    i: int, window: int, action: str, status: Status, cents: int, effective: int | None, detail: str
) -> Receipt:
    """Return a receipt of seat i (from 0); `effective` is a window, shown as a version of the world."""
    return Receipt(
        seat=i + 1,
        window=window,
        action=action,
        status=status,
        cents=cents,
        effective_day=effective,
        detail=detail,
    )
