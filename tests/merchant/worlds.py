"""Worlds of `merchant@1` played from recorded or drawn decisions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from agents.strategy import Strategy, without_blanks
from market.merchant.desk import MerchantDesk
from market.merchant.market import MARKET
from market.merchant.world import MerchantWorld
from tournament.records import Decision, Json, Settlement

VECTORS = Path(__file__).parent / "vectors"
SHORT: Mapping[str, Json] = {"days": 20, "products": 60}


@lru_cache(maxsize=3)
def vector(number: int) -> Any:
    """Return one of the three recorded worlds."""
    return json.loads((VECTORS / f"merchant-{number}.json").read_text(encoding="utf-8"))


def opened(overrides: Mapping[str, Json] | None = None, *, seed: int = 11, seats: int = 3) -> MerchantWorld:
    return MARKET.configure(overrides or {}).open(seed, seats)


def played_vector(number: int) -> tuple[MerchantWorld, list[Settlement]]:
    """Play a recorded world's decisions to its end."""
    recorded = vector(number)
    seats = recorded["seats"]
    decisions = [dict(map(tuple, seat["decisions"])) for seat in seats]
    world = opened(recorded["overrides"], seed=recorded["seed"], seats=len(seats))
    settlements = [
        world.settle([by_window.get(window, {}) for by_window in decisions])
        for window in range(world.windows)
    ]
    return world, settlements


def play(world: MerchantWorld, strategies: Sequence[Strategy[Any]]) -> MerchantWorld:
    """Play policies with their standard parameters, one a seat, to the world's end."""
    parameters = [strategy.parameters() for strategy in strategies]
    memos: list[Json] = [None] * len(strategies)
    while world.window < world.windows:
        row: list[Decision | None] = [None] * len(strategies)
        for seat in world.active():
            m = seat - 1
            move = strategies[m].decide(parameters[m], world.desk(seat).facts(), memos[m])
            memos[m] = move.memo
            row[m] = without_blanks(move.decision)
        assert not world.settle(row).refusals
    return world


def drawn(desk: MerchantDesk, random: Random) -> Decision:
    """Return a decision of a merchant who tries anything: some lists, reprices, relaunches and drops."""
    facts = desk.facts()
    shelf = [row["product"] for row in facts["listings"]]
    catalog, ids = facts["catalog"], facts["catalog_static"]["product"]
    dropped = random.sample(shelf, k=min(len(shelf), random.randint(0, 3)))
    stays = [name for name in shelf if name not in dropped]
    repriced = random.sample(stays, k=min(len(stays), random.randint(0, 3)))
    wanted = [name for i, name in enumerate(ids) if catalog["available"][i] and name not in stays]
    free = facts["slots"] - len(stays)
    listed = random.sample(wanted, k=min(len(wanted), free, random.randint(0, 8)))

    def price(name: str) -> int:
        cost: int = catalog["price_cents"][int(name[1:])]
        return max(1, int(cost * random.uniform(0.7, 2.5)))

    return {
        "delist": dropped,
        "reprice": {name: price(name) for name in repriced},
        "list": {name: price(name) for name in listed},
    }


def play_drawn(world: MerchantWorld, seed: int) -> tuple[list[list[Decision | None]], list[Settlement]]:
    """Play drawn decisions to the world's end; return them and what they settled to."""
    random = Random(seed)
    rows: list[list[Decision | None]] = []
    settlements = []
    while world.window < world.windows:
        row: list[Decision | None] = [None] * world.seats
        for seat in world.active():
            row[seat - 1] = drawn(world.desk(seat), random)
        rows.append(row)
        settlements.append(world.settle(row))
    return rows, settlements
