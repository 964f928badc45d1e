"""Worlds and decisions for the market's tests: drawn decisions reach every kind of item, sensible and not."""

from __future__ import annotations

from random import Random
from typing import Any

from market.commerce.market import MARKET
from market.commerce.parameters import CODES, COUNTRIES, OFFER_IDS, SKU_IDS
from market.commerce.world import CommerceWorld
from tournament.records import Decision


def open_world(seed: int, seats: int, **overrides: Any) -> CommerceWorld:
    return MARKET.configure(overrides).open(seed, seats)


def drawn(world: CommerceWorld, seat: int, random: Random) -> Decision:
    """Return a decision of a careless trader; some of its items are refused, now and then all of it."""
    facts = world.desk(seat).facts()
    decision: dict[str, Any] = {"buy": _purchases(facts, random), "list": _listings(facts, random)}
    if random.random() < 0.3:
        decision["liquidate"] = {
            SKU_IDS[s]: random.randint(1, held + 2)
            for s, held in enumerate(facts["stock"])
            if held and random.random() < 0.3
        }
    if random.random() < 0.4:
        decision["permits"] = [[random.choice(CODES), random.choice(COUNTRIES)]]
    for name, most in (("borrow", 3_000_000), ("repay", 1_500_000), ("factor", 900_000)):
        if random.random() < 0.3:
            decision[name] = random.randint(1, most)
    if random.random() < 0.2:
        decision["focus"] = random.sample(CODES, random.randint(0, 3))
    decision["replies"] = [_reply(item, random) for item in facts["inquiries"] if random.random() < 0.5]
    if random.random() < 0.04:
        decision["nonsense"] = 1
    return decision


def _purchases(facts: Any, random: Random) -> list[Any]:
    rows: list[Any] = []
    for j in random.sample(range(len(OFFER_IDS)), 4):
        most = min(facts["offers"]["stock"][j], facts["offers"]["moq"][j] + 120)
        units = random.randint(max(1, facts["offers"]["moq"][j] - 1), max(most, facts["offers"]["moq"][j]))
        rows.append([OFFER_IDS[j], units] if random.random() < 0.7 else [OFFER_IDS[j], units, "net7"])
    return rows


def _listings(facts: Any, random: Random) -> list[Any]:
    rows = []
    for s, held in enumerate(facts["stock"]):
        if held or facts["inbound"][s]:
            for k in random.sample(range(6), 3):
                row = {
                    "sku": SKU_IDS[s],
                    "country": COUNTRIES[k],
                    "price": max(1, round(facts["guide"][s][k] * random.uniform(0.5, 1.3))),
                }
                if random.random() < 0.5:
                    row["incoterm"] = random.choice(("DDP", "DAP", "FOB"))
                    row["speed"] = random.choice(("standard", "express"))
                    row["ad"] = random.choice((0, 150, 900))
                    row["promotion"] = random.choice((0, 12))
                    row["tiers"] = random.choice(([], [[5, 4]], [[10, 5], [40, 15]]))
                rows.append(row)
    return rows


def _reply(item: Any, random: Random) -> Any:
    claims = {name: random.choice((0, 1, 600)) for name in ("quality", "permit") if random.random() < 0.5}
    return {"inquiry": item["inquiry"], "price": random.randint(500, 6000), "facts": claims}


def play(world: CommerceWorld, random: Random) -> CommerceWorld:
    """Play a world to its end with drawn decisions."""
    while world.window < world.windows:
        world.settle([drawn(world, seat, random) for seat in world.active()])
    return world
