"""The calls of `benchmarks.breakage`: well-formed replies whose arguments are drawn from a tool's own schema.

Whatever a schema calls a number gets one of fifty, most of which no market means; a text gets an odd path or
word. So every tool of every market is attacked, also one that nobody thought of when this was written.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from agents.llm.toolset import toolset
from benchmarks.harness import InstantRoute, seated
from tournament.journal.writer import JOURNAL, open_journal
from tournament.registry import market_kind

NUMBERS: Final[tuple[Any, ...]] = (
    0, -1, 1, 2, 7, 100, 101, -100, 2**15, 2**16, 2**31, 2**31 - 1, -(2**31), 2**32, 2**53 - 1, 2**53, 2**53 + 1,
    -(2**53), 2**62, 2**63, 2**63 - 1, -(2**63), -(2**63) - 1, 2**64, 2**128, 10**30, -(10**30), 10**308, 0.1, -0.0,
    0.5, 1.0, 1.5, 99.999999, 1e16, 1e308, -1e308, 1e-320, 5e-324, float("inf"), float("-inf"), float("nan"),
    True, "7", "0x10", "1e9", "-0", "٣", None, [1],
)  # fmt: skip
TEXTS: Final = (
    "MEMORY.md", "../x", "/etc/passwd", "", ".", "..", "a/../../b", "\x00", "x" * 5000, "a\\b", "CON", ".git/config",
    "-rf", "a//b", "a/", "é\u0301", "\u202e", "~/x", "\ud83d", "e" * 70_000, "SELECT 1",
)  # fmt: skip
# (market, seats); one attack in ten is on each of the two whose windows take longer.
MARKETS: Final = (*((("ceo_arena@1", 4),) * 8), ("commerce@1", 4), ("merchant@1", 2))
_CALLS: Final = 4
Attack = Callable[[random.Random, int], str | None]


@contextmanager
def arguments(folder: Path) -> Iterator[Attack]:
    """Yield an attack by calls of drawn tools; it holds where the window is sealed and the market settles it."""

    def attack(draw: random.Random, number: int) -> str | None:
        market, seats = MARKETS[number % len(MARKETS)]
        world = market_kind(market).configure({}).open(11, seats)
        desk = world.desk(1)
        tools = [tool["function"] for tool in toolset(desk.tools()).definitions]
        tools = [tool for tool in tools if tool["name"] != "seal_decision"]
        calls = tuple(call(draw.choice(tools), draw) for _ in range(_CALLS))
        journal = open_journal(folder / f"a{number}" / JOURNAL, {"world": "a"}, durable=False)
        try:
            choice = asyncio.run(seated(journal, 1, InstantRoute(_CALLS + 1, calls)).decide(desk, None))
            settled = world.settle([choice.decision, *([{}] * (seats - 1))])
        finally:
            journal.close()
        held = choice.state == "sealed" and 1 not in settled.refusals
        return None if held else f"{market} {str(calls)[:300]}: {choice.state}"

    yield attack


def call(tool: Mapping[str, Any], draw: random.Random) -> tuple[str, Mapping[str, Any]]:
    """Return a tool's name and arguments that its schema asks for, few of which it allows."""
    schema = tool["parameters"]
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    return tool["name"], drawn(schema, definitions, draw)


def drawn(schema: Mapping[str, Any], definitions: Mapping[str, Any], draw: random.Random) -> Any:
    """Return a value of the schema's form: numbers and texts are odd ones, choices and patterns mostly allowed."""
    if "$ref" in schema:
        return drawn(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions, draw)
    if "anyOf" in schema:
        return drawn(draw.choice(schema["anyOf"]), definitions, draw)
    for known in ("enum", "examples"):
        if known in schema and draw.random() < 0.9:
            return draw.choice(schema[known])
    kind = schema.get("type", "string")
    if kind == "object":
        fields: Mapping[str, Any] = schema.get("properties", {})
        return {
            name: drawn(field, definitions, draw) for name, field in fields.items() if draw.random() < 0.97
        }
    if kind == "array":
        return _items(schema["items"], definitions, draw)
    return draw.choice(NUMBERS if kind in ("integer", "number", "boolean") else TEXTS)


def _items(schema: Mapping[str, Any], definitions: Mapping[str, Any], draw: random.Random) -> Sequence[Any]:
    return [drawn(schema, definitions, draw) for _ in range(draw.choice((0, 1, 1, 2, 3, 200)))]
