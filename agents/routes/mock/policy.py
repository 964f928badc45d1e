"""A policy without a model, played as a language model: it sees the conversation, and acts in tool calls.

Query, stage, preview, write memory, seal: what it knows of the market it has read from the company's
database, what it knows of the past from its MEMORY.md, and where it stands in the window from its own
calls and their results. Which tools there are it reads from the request, like any model. So the policy
seated directly and this one must decide alike, and everything between them - route, harness, tools,
memory - is what a rehearsal rehearses.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError

from agents.routes.mock.model import MockReply
from agents.routes.mock.staging import Stager, ToolCall, learn, staging
from tournament.errors import InputError
from tournament.ports import Desk, MarketKind, Policy, PolicyKind
from tournament.records import Decision, Json, SeatContext, Tool

POLICIES: Final = "tournament.policies"
MARKETS: Final = "tournament.markets"
# A market on which policies are to be rehearsed shows its Desk.facts() as the one row of this table.
OBSERVATION: Final = "observation"
PAGE: Final = 24_000
CALLS_PER_REPLY: Final = 48
MAX_TRIES: Final = 2
MAX_SEATS: Final = 64
# MEMORY.md is shown up to 40,000 characters; the memo has to fit with what stands around it.
MEMO_CHARACTERS: Final = 32_000
# The line of MEMORY.md on which the policy's memo stands as JSON, wherever the user message shows it.
_MEMO: Final = re.compile(r"^memo: (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessTools:
    """The names of the tools that every window has, told from those of a request by what they take."""

    query: str
    preview: str
    write: str
    reset: str
    seal: str


def harness_tools(offered: Sequence[Mapping[str, Json]]) -> HarnessTools | None:
    """Return the harness's tools among those of a request, None where it is no window's: a probe's, say."""

    def named(required: set[str], beginning: str = "") -> str | None:
        for function in (tool["function"] for tool in offered):
            takes = set(function["parameters"].get("required", ()))
            if takes == required and function["name"].startswith(beginning):
                return str(function["name"])
        return None

    names = {
        "query": named({"sql"}),
        "preview": named(set(), "preview_"),
        "write": named({"path", "text"}),
        "reset": named(set(), "reset_"),
        "seal": named({"rationale"}),
    }
    found = {role: name for role, name in names.items() if name is not None}
    return HarnessTools(**found) if len(found) == len(names) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """One call of the conversation and what came back; None where nothing did."""

    call: ToolCall
    result: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationDesk:
    """A desk that knows the observation that was read from the database, and no more."""

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
class PolicyBackedModel:
    """Replies for one policy; the same object serves every seat, for it keeps nothing."""

    name: str
    policy: Policy

    async def __call__(
        self, messages: Sequence[Mapping[str, Json]], tools: Sequence[Mapping[str, Json]]
    ) -> MockReply:
        harness = harness_tools(tools)
        if harness is None:
            return MockReply(
                text="No window.", calls=tuple(_call(tool["function"]["name"]) for tool in tools[:1])
            )
        turns = list(_turns(messages))
        pages = _pages(turns, harness.query)
        read = "".join(part for part, _ in pages)
        if not pages or len(read) < pages[0][1]:
            return MockReply(calls=(_query(harness.query, len(read)),))
        memory = next(str(message["content"]) for message in messages if message["role"] == "user")
        desk = ObservationDesk(observation=json.loads(read))
        choice = await self.policy.decide(cast(Desk, desk), _memo(memory))
        names = {tool["function"]["name"] for tool in tools}
        stagers = [stager for stager in market_stagers(desk.market_id) if stager.tool in names]
        steps = (
            list(staging(choice.decision, desk.facts().get("policy", {}), stagers)),
            [_call(harness.preview), self._write(harness.write, choice.memo)],
        )
        sealing = _call(harness.seal, rationale=choice.rationale)
        return _next_reply(turns, steps, sealing=sealing, reset=_call(harness.reset))

    def _write(self, tool: str, memo: Json) -> ToolCall:
        text = json.dumps(memo, sort_keys=True)
        if len(text) > MEMO_CHARACTERS:
            raise InputError(f"{self.name}: its memo of {len(text)} characters does not fit into MEMORY.md")
        return _call(tool, path="MEMORY.md", text=f"Notes of {self.name}.\n\nmemo: {text}\n")


@cache
def market_stagers(market_id: str) -> tuple[Stager, ...]:
    """Return what the tools of a registered market write into a draft, learnt from a small world of it."""
    point = next((item for item in entry_points(group=MARKETS) if item.name == market_id), None)
    if point is None:
        raise InputError(f"a mock cannot play market {market_id!r}: it is not registered")
    market = cast(MarketKind, point.load()).configure({})
    for seats in range(1, MAX_SEATS + 1):
        # How few seats a market takes it tells by refusing fewer.
        try:
            world = market.open(0, seats)
        except InputError:
            continue
        return learn([tool for tool in world.desk(1).tools() if isinstance(tool, Tool)])
    raise InputError(f"market {market_id} opens with no number of seats up to {MAX_SEATS}")


def policy_backend(name: str, params: Mapping[str, Json]) -> PolicyBackedModel:
    """Return the backend of a registered policy; the version may be left out of its name."""
    kind = _kind(name)
    try:
        parameters = kind.resolve(params, Path())
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{kind.id}: {first['msg']}", field=place) from None
    context = SeatContext(world="", seat=0, contestant=name)
    return PolicyBackedModel(name=kind.id, policy=kind.build(parameters, context))


def strategies() -> tuple[str, ...]:
    """Return the policies that a mock can play: those without a model."""
    kinds = [cast(PolicyKind, point.load()) for point in entry_points(group=POLICIES)]
    return tuple(sorted(kind.id for kind in kinds if kind.model_free))


def _kind(name: str) -> PolicyKind:
    points = {point.name: point for point in entry_points(group=POLICIES)}
    point = points.get(name) or points.get(f"{name}@1")
    kind = cast(PolicyKind, point.load()) if point is not None else None
    if kind is None or not kind.model_free:
        raise InputError(f"no strategy {name!r} for a mock to play; known: {', '.join(strategies())}")
    return kind


def _next_reply(
    turns: list[CallResult], steps: tuple[list[ToolCall], ...], *, sealing: ToolCall, reset: ToolCall
) -> MockReply:
    """What is still to be done; a call that failed is sent once more, and then let go."""
    for step in steps:
        left = _left(step, turns)
        if left:
            return MockReply(calls=tuple(left[:CALLS_PER_REPLY]))
    made = [turn.call for turn in turns]
    return MockReply(calls=(reset if sealing in made and reset not in made else sealing,))


def _left(step: list[ToolCall], turns: list[CallResult]) -> list[ToolCall]:
    done = Counter(turn.call for turn in turns if isinstance(turn.result, dict))
    tried = Counter(turn.call for turn in turns)
    left = []
    for call, wanted in Counter(step).items():
        if tried[call] < MAX_TRIES * wanted:
            left += [call] * max(0, wanted - done[call])
    order = {call: at for at, call in enumerate(step)}
    return sorted(left, key=lambda call: order[call])


def _turns(messages: Sequence[Mapping[str, Json]]) -> Iterator[CallResult]:
    results = {
        message["tool_call_id"]: _json(message["content"])
        for message in messages
        if message["role"] == "tool"
    }
    for message in messages:
        for call in message.get("tool_calls") or []:
            function = call["function"]
            yield CallResult(call=(function["name"], function["arguments"]), result=results.get(call["id"]))


def _pages(turns: list[CallResult], query: str) -> list[tuple[str, int]]:
    return [
        (str(turn.result["rows"][0][0]), int(turn.result["rows"][0][1]))
        for turn in turns
        if turn.call[0] == query and isinstance(turn.result, dict) and turn.result["rows"]
    ]


def _query(tool: str, offset: int) -> ToolCall:
    page = f"substr(facts, {offset + 1}, {PAGE})"
    return _call(tool, sql=f"SELECT {page} AS part, length(facts) AS size FROM {OBSERVATION}")


def _memo(window: str) -> Json:
    found = _MEMO.search(window)
    return None if found is None else json.loads(found[1])


def _json(text: Json) -> Json:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _call(name: str, **arguments: Json) -> ToolCall:
    return name, json.dumps(arguments)
