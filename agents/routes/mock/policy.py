"""A strategy policy as a language model: it sees the conversation, and acts in tool calls.

Query, stage field by field, preview, write memory, seal: what it knows of the market it has read from
the company's database, what it knows of the past from its MEMORY.md, and where it stands in the window
from its own calls and their results. So the policy seated directly and this one must decide alike, and
everything between them - route, harness, tools, memory - is what a rehearsal rehearses.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from agents.routes.mock.model import Said
from tournament.errors import InputError
from tournament.ports import Desk, Policy, PolicyKind
from tournament.records import Decision, Json, SeatContext

GROUP: Final = "tournament.policies"
PAGE: Final = 24_000
CALLS_PER_REPLY: Final = 48
ASKED_AT_MOST: Final = 2
# MEMORY.md is shown up to 40,000 characters; the memo has to fit with what stands around it.
MEMO_CHARACTERS: Final = 32_000
_MEMO: Final = re.compile(r"^memo: (.*)$", re.MULTILINE)

Call = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One call of the conversation and what came back; None where nothing did."""

    call: Call
    result: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldDesk:
    """A desk that knows what it was told, and no more."""

    observation: Mapping[str, Json]

    @property
    def market_id(self) -> str:
        return str(self.observation["market"])

    @property
    def seat(self) -> int:
        return int(self.observation["seat"])

    @property
    def version(self) -> int:
        return int(self.observation["day"])

    @property
    def window(self) -> int:
        return int(self.observation["window"])

    def facts(self) -> Mapping[str, Json]:
        return self.observation

    def null(self) -> Decision:
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategySpeaker:
    """Speaks for one policy; the same object serves every seat, for it keeps nothing."""

    name: str
    policy: Policy

    async def __call__(self, messages: list[Mapping[str, Json]]) -> Said:
        turns = list(_turns(messages))
        pages = _pages(turns)
        observed = "".join(part for part, _ in pages)
        if not pages or len(observed) < pages[0][1]:
            return Said(calls=(_query(len(observed)),))
        memory = next(str(message["content"]) for message in messages if message["role"] == "user")
        desk = cast(Desk, ToldDesk(observation=json.loads(observed)))
        choice = await self.policy.decide(desk, _memo(memory))
        return _next(
            turns,
            staging=list(staging(choice.decision, desk.facts())),
            closing=[_call("preview_decision"), self._write(choice.memo)],
            rationale=choice.rationale,
        )

    def _write(self, memo: Json) -> Call:
        text = json.dumps(memo, sort_keys=True)
        if len(text) > MEMO_CHARACTERS:
            raise InputError(f"{self.name}: its memo of {len(text)} characters does not fit into MEMORY.md")
        return _call("write_file", path="MEMORY.md", text=f"Notes of {self.name}.\n\nmemo: {text}\n")


def strategy_speaker(name: str, params: Mapping[str, Json]) -> StrategySpeaker:
    """Return the speaker of a registered policy; the version may be left out of its name."""
    kind = _kind(name)
    try:
        parameters = kind.resolve(params, Path())
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{kind.id}: {first['msg']}", field=place) from None
    context = SeatContext(world="", seat=0, contestant=name)
    return StrategySpeaker(name=kind.id, policy=kind.build(parameters, context))


def strategies() -> tuple[str, ...]:
    """Return the policies that a mock can play: those without a model."""
    kinds = [cast(PolicyKind, point.load()) for point in entry_points(group=GROUP)]
    return tuple(sorted(kind.id for kind in kinds if kind.model_free))


def _kind(name: str) -> PolicyKind:
    points = {point.name: point for point in entry_points(group=GROUP)}
    point = points.get(name) or points.get(f"{name}@1")
    kind = cast(PolicyKind, point.load()) if point is not None else None
    if kind is None or not kind.model_free:
        raise InputError(f"no strategy {name!r} for a mock to play; known: {', '.join(strategies())}")
    return kind


def staging(decision: Decision, facts: Mapping[str, Any]) -> Iterator[Call]:
    """Yield the tool calls that stage a decision, field by field."""
    unknown = decision.keys() - _STAGED
    if unknown:
        raise InputError(f"no tool stages {', '.join(sorted(unknown))}")
    yield from _priced(decision, facts)
    for product, units in decision.get("reorder_targets", {}).items():
        yield _call("set_reorder_target", product=product, units=units)
    for product, cents in decision.get("development", {}).items():
        yield _call("set_development_budget", product=product, cents_per_day=cents)
    for segment, cells in decision.get("marketing", {}).items():
        for channel, cents in cells.items():
            yield _call("set_marketing_budget", segment=segment, channel=channel, cents_per_day=cents)
    for field in ("reliability", "support"):
        if field in decision:
            yield _call(f"set_{field}_budget", cents_per_day=decision[field])
    yield from _one_off(decision)


_STAGED: Final = frozenset(
    {
        *("prices", "promotions", "reorder_targets", "development", "marketing", "reliability", "support"),
        *("capacity", "innovation", "research", "bids"),
    }
)


def _priced(decision: Decision, facts: Mapping[str, Any]) -> Iterator[Call]:
    """A promotion is set with its price: the standing price where the decision names none."""
    prices, promotions = decision.get("prices", {}), decision.get("promotions", {})
    for product in [*prices, *(name for name in promotions if name not in prices)]:
        price = prices[product] if product in prices else facts["policy"]["prices"][product]
        told = {"promotion_percent": promotions[product]} if product in promotions else {}
        yield _call("set_price", product=product, price_cents=price, **told)


def _one_off(decision: Decision) -> Iterator[Call]:
    for action, value in decision.get("capacity", {}).items():
        if action == "cancel":
            yield _call("cancel_capacity_project")
        else:
            yield _call(f"{action}_capacity", tier=value)
    for tier in decision.get("innovation", []):
        yield _call("start_research_project", tier=tier)
    for segment in decision.get("research", []):
        yield _call("request_market_research", segment=segment)
    for tender, cents in decision.get("bids", {}).items():
        yield _call("bid_tender", tender=int(tender), price_cents=cents)


def _next(turns: list[Turn], *, staging: list[Call], closing: list[Call], rationale: str) -> Said:
    """What is still to be done; a call that failed is sent once more, and then let go."""
    for step in (staging, closing):
        left = _left(step, turns)
        if left:
            return Said(calls=tuple(left[:CALLS_PER_REPLY]))
    sealing = _call("seal_decision", rationale=rationale)
    refused = [turn for turn in turns if turn.call == sealing]
    reset = _call("reset_decision")
    if refused and not any(turn.call == reset for turn in turns):
        return Said(calls=(reset,))
    return Said(calls=(sealing,))


def _left(step: list[Call], turns: list[Turn]) -> list[Call]:
    done = Counter(turn.call for turn in turns if isinstance(turn.result, dict))
    asked = Counter(turn.call for turn in turns)
    left = []
    for call, wanted in Counter(step).items():
        if asked[call] < ASKED_AT_MOST * wanted:
            left += [call] * max(0, wanted - done[call])
    order = {call: at for at, call in enumerate(step)}
    return sorted(left, key=lambda call: order[call])


def _turns(messages: list[Mapping[str, Json]]) -> Iterator[Turn]:
    results = {
        message["tool_call_id"]: _json(message["content"])
        for message in messages
        if message["role"] == "tool"
    }
    for message in messages:
        for call in message.get("tool_calls") or []:
            function = call["function"]
            yield Turn(call=(function["name"], function["arguments"]), result=results.get(call["id"]))


def _pages(turns: list[Turn]) -> list[tuple[str, int]]:
    return [
        (str(turn.result["rows"][0][0]), int(turn.result["rows"][0][1]))
        for turn in turns
        if turn.call[0] == "query_company" and isinstance(turn.result, dict) and turn.result["rows"]
    ]


def _query(offset: int) -> Call:
    page = f"substr(facts, {offset + 1}, {PAGE})"
    return _call("query_company", sql=f"SELECT {page} AS part, length(facts) AS size FROM observation")


def _memo(window: str) -> Json:
    found = _MEMO.search(window)
    return None if found is None else json.loads(found[1])


def _json(text: Json) -> Json:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _call(name: str, **arguments: Json) -> Call:
    return name, json.dumps(arguments)
