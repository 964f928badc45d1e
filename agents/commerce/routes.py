"""Routes of the trader core: prices, contribution and expected units of every SKU in every country, and the choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.commerce.beliefs import Belief, shuffled
from agents.commerce.evidence import Evidence, Flags, Ints, Reals
from agents.commerce.parameters import TraderParameters

LOWEST, HIGHEST = 0.55, 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """By SKU and country `price`, contribution `gain`, `units` a day, `open` (permit there now) and `usable`.

    `value` and `worth` are by category and country, `chosen` SKUs in order, `extra` those of events among them.
    """

    cost: Reals
    price: Reals
    gain: Reals
    units: Reals
    open: Flags
    usable: Flags
    value: Reals
    worth: Flags
    paying: Flags
    chosen: Ints
    adjustment: Reals


def planned(seen: Evidence, belief: Belief, trader: TraderParameters) -> Plan:
    """Return the plan that purchases and listings follow."""
    cost = np.where(seen.stock > 0, seen.stock_cost / np.maximum(seen.stock, 1), belief.price)
    adjustment = adjusted(seen)
    price = prices(seen, cost, adjustment, trader)
    shipping = 1.8 * seen.freight if trader.express else seen.freight
    gain = price * (1.0 - seen.duty) - cost[:, None] - shipping
    units = expected_units(seen, belief, price)
    plain = trader.price != "disciplined" or trader.route == "blind"
    values = units if plain else units * np.maximum(gain, 0.0)
    if trader.route == "blind":
        values = np.where(np.arange(values.shape[1]) == costliest(seen), values, 0.0)
    value = category_values(seen, values)
    held = seen.held
    worth = value * max(seen.days_left - 4, 0) * 0.3 > seen.world.fee
    allowed = (held | worth) if trader.permits == "gate" else np.ones_like(held)
    usable, open_now = allowed[seen.category], held[seen.category]
    if trader.permits == "ignore":
        open_now = np.ones_like(open_now)
    if trader.route == "blind":
        only = np.arange(values.shape[1]) == costliest(seen)
        usable, open_now = usable & only, open_now & only
    return Plan(
        cost=cost,
        price=price,
        gain=gain,
        units=units,
        open=open_now,
        usable=usable,
        value=value,
        worth=worth,
        paying=np.ones_like(usable) if plain else gain > 0,
        chosen=chosen(belief, (values * usable).sum(axis=1) / cost, seen, trader),
        adjustment=adjustment,
    )


def adjusted(seen: Evidence) -> Reals:
    """Return the price adjustment by SKU: down where stock outlasts the horizon, up where it runs short."""
    if seen.window < 2:
        return seen.adjustment
    cover = seen.stock / np.maximum(seen.sales_a_day(4), 0.2)
    listed = (seen.listed > 0).any(axis=1)
    slow = listed & (seen.stock > 0) & (cover > 1.2 * seen.days_left)
    short = listed & ~slow & (cover < min(0.7 * seen.days_left, 6))
    factor = np.where(slow, 0.97, np.where(short, 1.04, 1.0))
    return np.clip(seen.adjustment * factor, LOWEST, HIGHEST)


def prices(seen: Evidence, cost: Reals, adjustment: Reals, trader: TraderParameters) -> Reals:
    """Return the asked prices in whole cents."""
    unit = cost[:, None]
    if trader.route == "blind":
        asked = np.broadcast_to(2.2 * unit, seen.guide.shape)
    elif trader.price == "near":
        asked = np.broadcast_to(1.05 * unit, seen.guide.shape)
    elif trader.price == "high":
        asked = 4.5 * (unit + seen.freight)
    else:
        m = trader.m if seen.day < trader.clear else 0.75 * trader.m
        asked = (unit + seen.freight) / (1.0 - seen.duty) + m * seen.guide * adjustment[:, None]
        if trader.express:
            asked = asked + 0.8 * seen.freight / (1.0 - seen.duty)
    return np.maximum(np.floor(asked), 1.0)


def expected_units(seen: Evidence, belief: Belief, price: Reals) -> Reals:
    """Return units a day by SKU and country: buyers there times the share that the offer would take."""
    quality = np.where(seen.stock > 0, seen.quality / 1000.0, belief.quality)[:, None]
    own = np.exp(1.2 - 2.5 * price / seen.guide + 1.5 * (quality - 0.5))
    others = seen.today.rivals(seen.facts["seat"], seen.guide.shape)
    return buyers(seen, belief) * 12.5 * own / (1.0 + own + others)


def buyers(seen: Evidence, belief: Belief) -> Reals:
    """Return what is believed of demand by SKU and country: that of the category times the SKU's interest."""
    return belief.demand[seen.category] * (seen.world.interest / 100.0)[:, None]


def costliest(seen: Evidence) -> int:
    """Return the country with the largest mean duty and share of freight: where a blind route leads."""
    friction = seen.duty.mean(axis=0) + seen.freight.mean(axis=0) / seen.guide.mean(axis=0)
    return int(np.argmax(friction))


def category_values(seen: Evidence, values: Reals) -> Reals:
    """Return the sum of each category's four largest cell values by country."""
    categories = int(seen.category[-1]) + 1
    grouped = np.sort(values.reshape(categories, -1, values.shape[1]), axis=1)
    total: Reals = grouped[:, -4:].sum(axis=1)
    return total


def chosen(belief: Belief, score: Reals, seen: Evidence, trader: TraderParameters) -> Ints:
    """Return the SKUs to hold, best first; events add up to four more of active categories."""
    if trader.select == "cheapest":
        score = -belief.price
    elif trader.select == "bulk":
        score = -shuffled(len(score))
    elif trader.relation == "chase":
        score = score * np.where(belief.known > 0, 3.0, 1.0)
    ranked = np.argsort(-score, kind="stable")
    best = ranked[: trader.skus]
    rest = ranked[trader.skus :]
    more = rest[belief.active[seen.category[rest]] > 0][:4]
    return np.concatenate((best, more))
