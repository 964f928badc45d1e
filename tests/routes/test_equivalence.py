"""A strategy seated directly, and the same one speaking through a mock model: the same world, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agents.llm.policy import LLM
from agents.routes.build import open_routes
from agents.routes.entry import RouteEntry
from agents.routes.mock.faults import parse_faults
from agents.routes.mock.policy import strategies
from agents.routes.mock.provider import MockProvider, ProviderSettings
from tests.llm.rig import services
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL, open_journal
from tournament.playing.play import play_world
from tournament.ports import Policy
from tournament.records import SeatContext
from tournament.registry import market_kind, policy_kind

pytestmark = pytest.mark.asyncio(loop_scope="session")

DAYS = 56
RETRY = {"retry": {"base_seconds": 0.01, "cap_seconds": 0.1, "retry_after_cap_seconds": 0.1}}


@dataclass(frozen=True, slots=True)
class WorldResult:
    """What a world came to: everything that the identity of worlds speaks of."""

    seals: Any
    receipts: Any
    days: Any
    scores: Any
    outcomes: Any


async def play(folder: Path, seats: Mapping[int, str], routes: Mapping[str, Any]) -> WorldResult:
    """Play a short world; a seat's policy speaks through the route of its name where there is one."""
    market = market_kind("ceo_arena@1").configure({"days": DAYS})
    world = market.open(11, len(seats))
    journal = open_journal(folder / JOURNAL, {"world": "w"}, durable=False)
    policies: dict[int, Policy] = {}
    for seat, name in seats.items():
        context = SeatContext(
            world="w", seat=seat, contestant=name, store=journal.store(seat), services=services(routes)
        )
        route = name.removesuffix("@1")
        if route in routes:
            policies[seat] = LLM.build(LLM.resolve({"route": route}, folder), context)
        else:
            kind = policy_kind(name)
            policies[seat] = kind.build(kind.resolve({}, folder), context)
    played = await play_world(world, policies, journal, stop=lambda: False, progress=lambda *_: None)
    assert played.state == "ended", played.suspension
    journal.finish()
    journal.close()
    with read_journal(folder / JOURNAL) as reader:
        receipts = [reader.receipts(window) for window in range(market.windows)]
        seals = [
            (item.window, item.seat, item.state, item.decision, item.rationale) for item in reader.seals()
        ]
        return WorldResult(seals, receipts, reader.days(), world.scores(), world.outcomes())


def plays(name: str, market: str) -> bool:
    kind = policy_kind(name)
    return not kind.markets or market in kind.markets


async def test_every_strategy_decides_alike_directly_and_as_a_mock_model(tmp_path):
    names = [name for name in strategies() if name != "scripted@1" and plays(name, "ceo_arena@1")]
    seats = dict(enumerate(names[:16], start=1))
    direct = await play(tmp_path / "direct", seats, {})
    listed = [
        RouteEntry.model_validate(
            {"id": name, "model": f"mock/{name}", "limits": RETRY, "mock": {"faults": "0.2"}}
        )
        for name in (name.removesuffix("@1") for name in names)
    ]
    routes = open_routes(listed, environment={}, folder=tmp_path)
    spoken = await play(tmp_path / "spoken", seats, routes)
    assert spoken == direct
    bought = [count for route in routes.values() for count in route.caller.bought.values()]
    assert len(bought) > 4 * len(names) * 7, "they spoke"
    assert set(bought) == {1}, "no reply is bought twice"
    assert sum(route.snapshot().replies for route in routes.values()) == len(bought)


async def test_over_http_through_litellm_with_faults_it_is_the_same_world(tmp_path):
    seats = {1: "wholesaler@1", 2: "bayesian@1"}
    direct = await play(tmp_path / "direct", seats, {})
    provider = MockProvider(
        ProviderSettings(models=("mock-wholesaler", "mock-bayesian"), seed=3, faults=parse_faults("0.3"))
    )
    await provider.start()
    try:
        listed = [
            RouteEntry.model_validate(
                {
                    "id": name.removesuffix("@1"),
                    "model": f"openai/mock-{name.removesuffix('@1')}",
                    "api_base": provider.address,
                    "limits": RETRY,
                }
            )
            for name in seats.values()
        ]
        routes = open_routes(listed, environment={}, folder=tmp_path)
        spoken = await play(tmp_path / "spoken", seats, routes)
    finally:
        await provider.stop()
    assert spoken == direct
    assert set(provider.account.bought.values()) == {1}
    assert sum(provider.account.faults.values()) > 10
