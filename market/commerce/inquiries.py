"""Business inquiries: what buyers ask, how a reply is graded by rule, and who gets the order."""

from __future__ import annotations

from typing import NamedTuple

from market.commerce.books import fine_missing_permit, move, take
from market.commerce.cells import cell
from market.commerce.decision import Reply
from market.commerce.exogenous import Inquiry
from market.commerce.firm import Place
from market.commerce.parameters import EXPRESS, FALSE_CLAIM_PERCENT, MILLION, PERSONAS, TRADE_TERMS
from market.commerce.state import DUTY, FREIGHT, Goods, History

ASKED: tuple[tuple[str, ...], ...] = (
    ("quality",),
    ("quality", "permit"),
    ("freight",),
    ("permit", "duty"),
    ("freight", "duty"),
    ("quality",),
    ("freight", "permit"),
    ("permit",),
    ("duty",),
    ("quality", "freight"),
    ("quality", "freight"),
    ("permit", "duty", "quality"),
)
BARGAIN, SEEKER, URGENT, FORMAL = range(4)
MULTIPLIER = (0.85, 1.15, 1.15, 1.0)
UNMET = 0.70
SEEKER_QUALITY = 600


class Bid(NamedTuple):
    """A valid reply as the buyer sees it."""

    ratio: float
    coverage: float
    tie: float
    i: int
    reply: Reply
    false: bool


def records_of(place: Place, s: int, k: int) -> dict[str, int]:
    """Return what a seat's own records say of a SKU and country at this moment."""
    catalog, state, i = place.catalog, place.state, place.i
    c = int(catalog.category[s])
    stock = int(state.stock[i, s])
    needed = catalog.permit_needed[c, k] == 1
    return {
        "quality": int(state.quality[i, s]) // stock if stock > 0 else 0,
        "freight": int(place.drawn.freight[place.day, s, k]),
        "duty": int(place.drawn.duty[place.day, c, k]),
        "permit": 0 if needed and state.permit_from[i, c, k] > place.window else 1,
    }


def can_win(place: Place, inquiry: Inquiry) -> bool:
    """Tell whether the seat has a listing and the units."""
    s, k = inquiry.sku, inquiry.country
    return bool(place.state.price[place.i, s, k] > 0 and place.state.stock[place.i, s] >= inquiry.units)


def graded(place: Place, seed: int, inquiry: Inquiry, reply: Reply) -> Bid:
    """Grade a valid reply: price over the buyer's willingness, coverage, and whether a claim is false."""
    truth = records_of(place, inquiry.sku, inquiry.country)
    asked = ASKED[inquiry.message]
    supported = sum(name in reply.facts and reply.facts[name] == truth[name] for name in asked)
    coverage = supported / len(asked)
    persona = inquiry.message % len(PERSONAS)
    met = (True, truth["quality"] >= SEEKER_QUALITY, reply.speed == EXPRESS, truth["permit"] == 1)[persona]
    multiplier = MULTIPLIER[persona] if met else UNMET
    guide = int(place.catalog.guide[inquiry.sku, inquiry.country])
    willing = inquiry.willing * guide * (0.75 + 0.25 * coverage) * multiplier
    return Bid(
        ratio=reply.price / willing,
        coverage=coverage,
        tie=cell(seed, "b2b", inquiry.number, place.i + 1),
        i=place.i,
        reply=reply,
        false=any(truth[name] != claim for name, claim in reply.facts.items()),
    )


def best(bids: list[Bid]) -> Bid | None:
    """Return the bid that the buyer takes, or None where all ask too much."""
    first = min(bids, key=lambda bid: (bid.ratio, -bid.coverage, bid.tie))
    return first if first.ratio <= 1 else None


class Sale(NamedTuple):
    """What a won inquiry brought: revenue in cents as it will be received, charges and cost."""

    revenue: int
    freight: int
    duty: int
    cost: int


def deliver_sale(place: Place, goods: Goods, history: History, inquiry: Inquiry, bid: Bid) -> Sale:
    """Book a won inquiry in the winner's state: goods and charges now, the money five days later."""
    state, i, t, d = place.state, place.i, place.window, place.day
    s, k, n = inquiry.sku, inquiry.country, inquiry.units
    freight = int(place.drawn.freight[d, s, k])
    if bid.reply.speed == EXPRESS:
        freight = freight * 18 // 10
    duty = bid.reply.price * int(place.drawn.duty[d, int(place.catalog.category[s]), k]) // 1000
    cost = int(take(state.stock, state.stock_cost, state.quality, i, s, n))
    move(state.cash, history.ledger, t, i, FREIGHT, -freight * n)
    move(state.cash, history.ledger, t, i, DUTY, -duty * n)
    revenue = bid.reply.price * n
    if bid.false:
        revenue = revenue * FALSE_CLAIM_PERCENT // 100
    state.receivables[i, d + TRADE_TERMS, k] += revenue * MILLION // int(place.drawn.currency[d, k])
    fine_missing_permit(goods, state, history, t, i, s, k)
    return Sale(revenue, freight * n, duty * n, cost)
