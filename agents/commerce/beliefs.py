"""Beliefs of the trader core: demand by route, events that count, and the supplier of every SKU."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.commerce.evidence import Evidence, Ints, Reals
from agents.commerce.parameters import TraderParameters

SUPPLY_DELAY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """`demand` by category and country, `active` categories, and by SKU the chosen offer and its terms."""

    demand: Reals
    active: Ints
    offer: Ints
    price: Reals
    quality: Reals
    lead: Ints
    moq: Ints
    most: Ints
    known: Ints


def believe(seen: Evidence, trader: TraderParameters) -> Belief:
    """Return the window's beliefs."""
    demand, active = demand_beliefs(seen, trader)
    world, price = seen.world, seen.today.price
    orders = np.array(seen.facts["supplier_orders"], dtype=np.int64)
    tried = orders.nonzero()[0].tolist()
    quality = known_or(seen.facts["known_quality"], world.quality, tried)
    lead = known_or(seen.facts["known_lead"], world.lead, tried)
    if trader.incident != "ignore":
        lead = lead + visible_delay(seen)[world.country]
    chosen = world.least(appeal(price, quality, lead, orders, trader))
    return Belief(
        demand=demand,
        active=active,
        offer=chosen,
        price=price[chosen],
        quality=quality[chosen] / 1000.0,
        lead=lead[chosen],
        moq=world.moq[chosen],
        most=world.most[chosen],
        known=(orders[chosen] > 0).astype(np.int64),
    )


def demand_beliefs(seen: Evidence, trader: TraderParameters) -> tuple[Reals, Ints]:
    """Return demand as the mean of the last five index rows, lifted by the events that this row counts."""
    demand = seen.today.demand.copy()
    active = np.zeros(len(demand), dtype=np.int64)
    for signal in seen.facts["signals"]:
        if signal["kind"] == "demand" and signal["announced"] <= seen.day < signal["end"]:
            if not counts(signal["corroborated"], seen.day, signal["announced"], signal["end"], trader):
                continue
            active[signal["category"]] = 1
            if seen.day < signal["start"]:
                lift = 10.0 if trader.incident == "trap" else 2.5
                demand[signal["category"], signal["country"]] *= lift
    return demand, active


def counts(corroborated: bool, day: int, announced: int, end: int, trader: TraderParameters) -> bool:
    """Tell whether an announced demand event moves capital."""
    if trader.incident == "trap":
        return not corroborated and day <= announced + 1
    if corroborated:
        return trader.events != "ignore" and day < end - 3
    return trader.events == "always" and day <= announced + 2


def known_or(known: Sequence[int | None], advertised: Ints, tried: Sequence[int]) -> Ints:
    """Return what own deliveries taught, else what is advertised; `tried` are the offers of known suppliers."""
    best = advertised.copy()
    for j in tried:
        own = known[j]
        if own is not None:
            best[j] = own
    return best


def visible_delay(seen: Evidence) -> Ints:
    """Return the days that corroborated supply incidents add now, by supplier country."""
    delay = np.zeros(seen.guide.shape[1], dtype=np.int64)
    for signal in seen.facts["signals"]:
        if (
            signal["kind"] == "supply"
            and signal["corroborated"]
            and signal["start"] <= seen.day < signal["end"]
        ):
            delay[signal["country"]] += SUPPLY_DELAY
    return delay


def appeal(price: Reals, quality: Ints, lead: Ints, orders: Ints, trader: TraderParameters) -> Reals:
    """Return what every offer counts as costing: the smallest of a SKU is its supplier."""
    if trader.select == "bulk":
        return np.arange(len(price), dtype=np.float64)
    if trader.select == "cheapest":
        return price
    if trader.relation == "naive":
        return price * np.where(orders > 0, 0.70, 1.0)
    if trader.relation == "chase":
        return price * np.where(orders > 0, 0.20, 1.0)
    value = price * (1.0 - 0.9 * (quality / 1000.0 - 0.6)) * (1.0 + 0.015 * lead)
    value = value * np.where((quality < trader.qmin) | (lead > trader.leadmax), 3.0, 1.0)
    if trader.relation == "fit":
        value = value * np.where(orders >= 3, 0.98, 1.0)
    elif trader.relation == "loyal":
        value = value * np.where(orders >= 1, 0.93, 1.0)
    return value


def shuffled(count: int) -> Reals:
    """Return the blind buyer's fixed preference: cell(0, `bulkpick`; s) of the market's random cells."""
    mask = (1 << 64) - 1
    key = int.from_bytes(hashlib.sha256(b"commerce-v1/0/bulkpick").digest()[:8], "little")
    drawn = []
    for s in range(count):
        z = (key + 0x9E3779B97F4A7C15 * (s + 1)) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        drawn.append(float((z ^ (z >> 31)) >> 11) * 2.0**-53)
    return np.array(drawn)
