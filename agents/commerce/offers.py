"""Listings, ads and replies of the trader core."""

from __future__ import annotations

import math

import numpy as np

from agents.commerce.beliefs import Belief
from agents.commerce.evidence import Evidence, Flags, Ints
from agents.commerce.parameters import TraderParameters
from agents.commerce.routes import Plan, buyers
from tournament.records import Decision, Json

PERSONA_PRICE = (0.80, 1.0, 1.05, 0.90)
URGENT = 2


def ads(seen: Evidence, belief: Belief, plan: Plan, trader: TraderParameters) -> Ints:
    """Return the ad budget a day by SKU and country, in cents."""
    shape = plan.price.shape
    if trader.ads == "blind":
        return np.full(shape, 1_500, dtype=np.int64)
    if trader.ads == "small":
        on = (buyers(seen, belief) > 1) & (plan.gain > 600) & (seen.day < 28)
        return np.where(on, 200, 0)
    if trader.ads == "gated":
        budget = np.clip(np.floor(0.15 * plan.units * plan.gain - 100), 0, 600).astype(np.int64)
        return np.where(budget < 150, 0, budget)
    return np.zeros(shape, dtype=np.int64)


def listings(seen: Evidence, belief: Belief, plan: Plan, trader: TraderParameters, bought: Ints) -> Decision:
    """List every stocked SKU where it pays, reprice what moved, end the rest."""
    held = (seen.stock + seen.inbound + bought > 0)[:, None]
    on = held & plan.open
    if trader.price == "disciplined" and trader.route == "aware":
        on &= plan.gain > 0.04 * plan.price
    budget = ads(seen, belief, plan, trader)
    names, countries = seen.facts["skus"], seen.facts["countries"]
    standing = seen.listed > 0
    repriced = standing & (np.abs(plan.price - seen.listed) >= 0.03 * seen.listed)
    if trader.price == "high":
        repriced = np.zeros_like(standing)
    changed = on & (~standing | repriced | (budget != seen.ad))
    s, k = changed.nonzero()
    terms = (plan.price[s, k], budget[s, k], (repriced | ~standing)[s, k], (budget != seen.ad)[s, k])
    express = "express" if trader.express else None
    changes: list[Json] = []
    for sku, country, price, ad, new_price, new_ad, listed in zip(
        s.tolist(), k.tolist(), *(term.tolist() for term in terms), standing[s, k].tolist(), strict=True
    ):
        change: dict[str, Json] = {"sku": names[sku], "country": countries[country]}
        if new_price:
            change["price"] = int(price)
        if new_ad:
            change["ad"] = ad
        if express and not listed:
            change["speed"] = express
        changes.append(change)
    ended = [[names[sku], countries[country]] for sku, country in _cells(standing & ~on)]
    return {"delist": ended, "list": changes}


def _cells(mask: Flags) -> list[tuple[int, int]]:
    s, k = mask.nonzero()
    return list(zip(s.tolist(), k.tolist(), strict=True))


def replies(seen: Evidence, plan: Plan, trader: TraderParameters) -> list[Json]:
    """Answer the inquiries that stock on hand can serve."""
    answers: list[Json] = []
    if trader.service == "ignored":
        return answers
    held, stock, listed = seen.held, seen.facts["stock"], seen.facts["listings"]["price"]
    for inquiry in seen.facts["inquiries"]:
        s, k = inquiry["sku"], inquiry["country"]
        if listed[s][k] == 0 or stock[s] < inquiry["units"]:
            continue
        if trader.service == "reckless":
            price = max(math.floor(0.9 * float(plan.cost[s])), 1)
            answers.append(reply(inquiry["inquiry"], price, "express", {"quality": 950}))
        elif held[seen.category[s], k]:
            answers.append(safe_reply(seen, plan, inquiry, s, k))
    return answers


def safe_reply(seen: Evidence, plan: Plan, inquiry: Decision, s: int, k: int) -> Json:
    """Offer below what such a buyer is likely to pay, never below a tenth above landed cost, all facts true."""
    persona = inquiry["message"] % len(PERSONA_PRICE)
    express = persona == URGENT
    freight = float(seen.freight[s, k]) * (1.8 if express else 1.0)
    landed = (float(plan.cost[s]) + freight) / (1.0 - float(seen.duty[s, k]))
    hoped = math.floor(0.85 * PERSONA_PRICE[persona] * float(seen.guide[s, k]))
    price = max(hoped, math.floor(1.10 * landed) + 1)
    facts = seen.facts
    claims = {
        "quality": int(seen.quality[s]),
        "freight": facts["freight"][s][k],
        "duty": facts["duty"][int(seen.category[s])][k],
        "permit": 1,
    }
    return reply(inquiry["inquiry"], price, "express" if express else "standard", claims)


def reply(inquiry: int, price: int, speed: str, facts: Decision) -> Json:
    return {"inquiry": inquiry, "price": price, "speed": speed, "facts": facts}
