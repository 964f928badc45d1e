"""Odd, cut, filtered and blank replies in any order over every wire: no window is bricked by its own history.

The real route and the real harness play whole windows against providers that refuse what theirs refuse. A
refusal may happen once a form; what must not happen is one that is never mended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agents.routes.build import close_routes, open_routes
from agents.routes.entry import RouteEntry
from tests.llm.rig import MemoryStore, Rig, by_ordinal
from tests.routes.conftest import KEY, QuickClock
from tests.routes.server import CannedAnswer
from tests.strict.page import cases
from tests.strict.rules import Violation
from tests.strict.server import StrictProvider
from tests.strict.test_field_cases import WIRES
from tournament import seal

pytestmark = pytest.mark.asyncio(loop_scope="session")

THINKING = {"type": "enabled", "budget_tokens": 1024}
HISTORIES = [case for case in cases() if case["minimal_input"]["kind"] == "history"]


def entry(name: str, address: str) -> dict[str, Any]:
    base = {"id": "scripted", "key_env": "K", "ceiling": 4096, "price": {"input": 3.0, "output": 15.0}}
    if name == "messages":
        said = {"model": "anthropic/claude-sonnet-4-5", "api_base": address, "transport": "messages"}
        return {**base, **said, "params": {"thinking": THINKING}}
    if name == "responses":
        said = {"model": "openai/gpt-5", "api_base": f"{address}/v1", "transport": "responses"}
        return {**base, **said, "params": {"reasoning": {"effort": "high"}}}
    if name == "gemini":
        said = {"model": "gemini/gemini-3-pro", "api_base": address}
        return {**base, **said, "accepted": ["gemini-3-pro"]}
    if name == "ollama":
        return {**base, "model": "ollama_chat/qwen3", "api_base": address}
    return {**base, "model": "openai/vendor/model-a", "api_base": f"{address}/v1"}


def sealing(answer: CannedAnswer) -> CannedAnswer:
    """The wire's own call, of no arguments, with those of a seal."""
    body = answer.body
    for key, empty in ((b"arguments", b'"{}"'), (b"arguments", b"{}"), (b"input", b"{}"), (b"args", b"{}")):
        rationale = b'"{\\"rationale\\": \\"r\\"}"' if empty.startswith(b'"') else b'{"rationale": "r"}'
        body = body.replace(b'"%s": %s' % (key, empty), b'"%s": %s' % (key, rationale))
    return replace(answer, body=body)


@dataclass(frozen=True, slots=True)
class Played:
    state: str
    rig: Rig
    violations: tuple[Violation, ...]
    given: int


async def play(name: str, order: list[str], folder: Path, store: MemoryStore | None = None) -> Played:
    """Play one window: the replies in this order, then a seal."""
    wire, answers = WIRES[name]
    provider = StrictProvider(wire)
    await provider.start()
    said = [answers[kind]("list_files", at + 1) for at, kind in enumerate(order)]
    provider.say(*said, sealing(answers["call"]("seal_decision", 90)))
    given = RouteEntry.model_validate(entry(name, provider.address))
    routes = open_routes([given], environment={"K": KEY}, folder=folder, clock=QuickClock())
    rig = Rig(by_ordinal())
    rig.route = routes["scripted"]  # type: ignore[assignment]
    try:
        state = (await rig.play()).state
    finally:
        violations, taken = tuple(provider.violations), len(provider.given)
        await close_routes()
        await provider.stop()
    return Played(state=state, rig=rig, violations=violations, given=taken)


def orders(name: str) -> list[list[str]]:
    """Drawn by name: each reply after a call and after itself, and mixtures of five."""
    kinds = sorted(WIRES[name][1])
    found = [["call", kind, kind] for kind in kinds]
    for number in range(6):
        places = [int(seal.digest([name, number, at])[:8], 16) for at in range(5)]
        found.append([kinds[place % len(kinds)] for place in places])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WIRES))
async def test_replies_in_any_order_never_brick_a_window(provider: object, name: str, tmp_path: Path) -> None:
    if name == "gateway":
        pytest.skip("streams unless told: what is asked for, not what is sent back")
    for order in orders(name):
        played = await play(name, order, tmp_path)
        assert played.state == "sealed", order
        assert len(played.violations) == len(played.rig.bodies("rebuilt")) <= 3, (order, played.violations)
        replies = played.rig.bodies("reply")
        assert len(replies) + _unanswered(played) == played.given, order
        assert all(reply["usage"] is not None for reply in replies)


def _unanswered(played: Played) -> int:
    """Answers that were none, each on record as an attempt that may have been paid for or as a known cost."""
    return sum(not attempt["fault"].startswith("history") for attempt in played.rig.bodies("attempt"))


@pytest.mark.parametrize("name", ["messages", "responses", "gemini", "ollama", "openai", "mistral"])
async def test_what_the_harness_makes_itself_is_taken_at_once(
    provider: object, name: str, tmp_path: Path
) -> None:
    """Nothing that these wires publish is broken, whatever came before: no form is rebuilt."""
    for order in orders(name)[-3:]:
        played = await play(name, order, tmp_path)
        assert played.violations == (), order
        assert played.rig.bodies("rebuilt") == []


@pytest.mark.parametrize("case", HISTORIES, ids=[case["id"] for case in HISTORIES])
async def test_a_field_case_of_history_ends_in_a_seal(
    provider: object, case: dict[str, Any], tmp_path: Path
) -> None:
    given = case["minimal_input"]
    played = await play(given["strict"], list(given["odd"]), tmp_path)
    assert played.state == "sealed"
    assert len(played.violations) == len(played.rig.bodies("rebuilt")) <= 3
