"""A draft played against a copy of one seat's books: what would be applied, refused and left, changing nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from market.commerce.actions import Applied, Purchase
from market.commerce.decision import Order
from market.commerce.firm import Place, net_worth
from market.commerce.parameters import COUNTRIES, DAP, DDP, EXPRESS, SKU_IDS
from market.commerce.state import State
from tournament.records import Json, Receipt

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld


def copied(state: State, i: int) -> State:
    """Return the state of one seat alone, as firm 0."""
    return State(*(array[i : i + 1].copy() for array in state))


class Trial:
    """One seat's window with an order applied to a copy of its books."""

    def __init__(self, world: CommerceWorld, i: int, order: Order) -> None:
        self.world, self.i, self.order = world, i, order
        self.state = copied(world.state, i)
        self.place = Place(world.catalog, world.drawn, self.state, 0, world.window)
        self.counters = dict.fromkeys(world.counters[i], 0)
        self.ledger = np.zeros((world.windows, 1, world.history.ledger.shape[2]), dtype=np.int64)
        self.placed: list[Purchase] = []
        booking = Applied(self.place, self.ledger, self.placed, self.counters)
        self.receipts: list[Receipt] = booking.apply(order)

    @property
    def refused(self) -> list[Receipt]:
        return [item for item in self.receipts if item.status == "refused"]

    def steps(self) -> list[Json]:
        """Return every item in order with its cents and the cash behind it."""
        cash = int(self.world.state.cash[self.i])
        rows: list[Json] = []
        for item in self.receipts:
            cash += item.cents
            rows.append(
                {
                    "action": item.action,
                    "status": item.status,
                    "cents": item.cents,
                    "cash_after_cents": cash,
                    "detail": item.detail,
                }
            )
        return rows

    def summary(self) -> dict[str, Json]:
        """Return what a preview shows of an accepted draft."""
        moved: dict[str, int] = {}
        for item in self.receipts:
            kind = item.action.split(":")[0]
            if item.cents:
                moved[kind] = moved.get(kind, 0) + item.cents
        day = self.world.day
        return {
            "accepted": True,
            "refusal": None,
            "items": self.steps(),
            "refused_items": [{"action": item.action, "reason": item.detail} for item in self.refused],
            "cents_by_kind": moved,
            "daily_ads_cents": int(self.state.ad[0][self.state.price[0] > 0].sum()),
            "cash_after_cents": int(self.state.cash[0]),
            "net_worth_after_cents": net_worth(self.state, self.world.drawn, 0, day),
            "warnings": self.warnings(),
        }

    def warnings(self) -> list[str]:
        """Return what the draft may have overlooked."""
        listed = self.state.price[0] > 0
        told = []
        for s, k in zip(*(cells.tolist() for cells in listed.nonzero()), strict=True):
            told += self._listing_warnings(s, k)
        for s in ((self.state.stock[0] > 0) & ~listed.any(axis=1)).nonzero()[0].tolist():
            told.append(f"{SKU_IDS[s]} is in stock and listed nowhere")
        for item in self.placed:
            if item.promised_day >= self.world.parameters.days:
                told.append(
                    f"buy {item.units} of order {item.number} would arrive on day {item.promised_day}, after the end"
                )
        told += self._reply_warnings()
        return told

    def _listing_warnings(self, s: int, k: int) -> list[str]:
        state, name = self.state, f"{SKU_IDS[s]} in {COUNTRIES[k]}"
        stock, told = int(state.stock[0, s]), []
        c = int(self.world.catalog.category[s])
        needed = self.world.catalog.permit_needed[c, k] == 1
        if stock and needed and state.permit_from[0, c, k] > max(self.world.window, 1):
            told.append(f"{name}: no valid permit, every sale is fined")
        if not stock:
            if state.ad[0, s, k]:
                told.append(f"{name}: an ad on an empty listing")
            return told
        lowest, landed = cheapest_sale(self.place, s, k)
        if lowest < landed:
            told.append(f"{name}: the lowest price of {lowest} cents is below the landed cost of {landed}")
        return told

    def _reply_warnings(self) -> list[str]:
        told = []
        for reply in self.order.replies:
            inquiry = self.world.drawn.inquiries[reply.inquiry]
            s, k = inquiry.sku, inquiry.country
            if self.state.price[0, s, k] == 0 or self.state.stock[0, s] < inquiry.units:
                told.append(
                    f"inquiry {reply.inquiry}: needs a listing and {inquiry.units} units when it is settled"
                )
        return told


def cheapest_sale(place: Place, s: int, k: int) -> tuple[int, int]:
    """Return the lowest price that a listing may sell at, and what a unit costs the seller at that price."""
    state, i = place.state, place.i
    tier = int(state.tier_percent[i, s, k].max())
    price = int(state.price[i, s, k]) * (100 - int(state.promotion[i, s, k])) * (100 - tier) // 10_000
    express = int(state.speed[i, s, k]) == EXPRESS
    landed = int(state.stock_cost[i, s]) // int(state.stock[i, s])
    landed += charges(place, s, k, price, express, int(state.incoterm[i, s, k]))
    return price, landed


def charges(place: Place, s: int, k: int, price: int, express: bool, incoterm: int) -> int:
    """Return the seller's share of freight and duty of a unit sold at a price, in cents."""
    freight = int(place.drawn.freight[place.day, s, k])
    if express:
        freight = freight * 18 // 10
    duty = price * int(place.drawn.duty[place.day, int(place.catalog.category[s]), k]) // 1000
    return (freight if incoterm in (DDP, DAP) else 0) + (duty if incoterm == DDP else 0)


def refused_whole(reason: str) -> dict[str, Any]:
    """Return the preview of a draft that could not be sealed."""
    return {"accepted": False, "refusal": reason}
