"""Worlds of `ceo_arena@1` for tests: opened through the registered market, played by decisions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from market.ceo_arena.market import MARKET
from market.ceo_arena.world import CompanyWorld

VECTORS = Path(__file__).parent / "vectors"

# Candidate 17 of the rule search, written out.
RULE: dict[str, Any] = {
    "prices": {"A": 4000, "B": 7500, "C": 13500},
    "reorder_targets": {"A": 150, "B": 100, "C": 50},
    "development": {"B": 5000},
    "marketing": {"mainstream": {"affiliate": 1667, "display": 1667, "search": 1666}},
    "reliability": 2500,
    "support": 5000,
}


def open_world(seed: int = 11, seats: int = 2, **overrides: Any) -> CompanyWorld:
    return MARKET.configure(overrides).open(seed, seats)


def hold(world: CompanyWorld, windows: int | None = None) -> None:
    """Settle windows in which nobody changes anything."""
    for _ in range(world.windows - world.window if windows is None else windows):
        world.settle([{}] * world.seats)


def play(decisions: Sequence[dict[str, Any]], seed: int, **overrides: Any) -> CompanyWorld:
    """Play a whole world in which each seat decides once, in the first window."""
    world = open_world(seed, len(decisions), **overrides)
    world.settle(list(decisions))
    hold(world)
    return world


def vector(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return content


def account(world: CompanyWorld, day: int, seat: int, name: str) -> int:
    """Cents that moved on one account on one day."""
    number = MARKET.configure({}).accounts.index(name)
    return int(world.history.ledger[day - 1, seat - 1, number])
