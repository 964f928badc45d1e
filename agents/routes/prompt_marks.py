"""Prompt caching where a wire wants it marked: the stable beginning of each request, on by default.

Most providers keep the beginnings of prompts by themselves. Anthropic's interface keeps what a request marks
with `cache_control`, looks back twenty blocks from each mark and takes four marks at most. Three are set: on
the system prompt, which every window of a route's seats shares with the tools before it, and on the last two
user turns, so that each request of a window finds the one before it however many results lie between.
https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agents.routes.entry import RouteEntry
from tournament.records import Json

MARK: Final[Mapping[str, Json]] = {"type": "ephemeral"}
# Chat models for which litellm puts a message's mark into Anthropic's form.
_CHAT_MODELS: Final = ("anthropic/",)
_USER_TURNS: Final = 2


def marks_prompts(entry: RouteEntry) -> bool:
    """Tell whether a route's requests are marked for a cache."""
    marked = entry.transport == "messages" or (
        entry.transport == "chat" and entry.model.startswith(_CHAT_MODELS)
    )
    return marked and entry.prompt_cache == "on"


def with_marks(entry: RouteEntry, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a request with the stable beginning of its prompt marked; others as they are."""
    if not marks_prompts(entry):
        return dict(arguments)
    if entry.transport == "messages":
        return {
            **arguments,
            "system": _marked_system(arguments["system"]),
            "messages": _marked(arguments["messages"], _marked_turn, frozenset({"user"})),
        }
    listed: list[Mapping[str, Json]] = arguments["messages"]
    system = [_with_mark(message) if message["role"] == "system" else message for message in listed]
    return {**arguments, "messages": _marked(system, _with_mark, frozenset({"user", "tool"}))}


def _marked_system(system: Json) -> Json:
    if not isinstance(system, str) or not system:
        return system
    return [{"type": "text", "text": system, "cache_control": dict(MARK)}]


def _marked(
    turns: Sequence[Mapping[str, Json]], mark: Any, roles: frozenset[str]
) -> list[Mapping[str, Json]]:
    """Mark the ends of the last two runs of turns of these roles."""
    ends = [
        at
        for at, turn in enumerate(turns)
        if turn["role"] in roles and (at + 1 == len(turns) or turns[at + 1]["role"] not in roles)
    ]
    chosen = set(ends[-_USER_TURNS:])
    return [mark(turn) if at in chosen else turn for at, turn in enumerate(turns)]


def _marked_turn(turn: Mapping[str, Json]) -> Mapping[str, Json]:
    """A Messages turn with its last block marked; an empty text takes no mark."""
    *before, last = turn["content"]
    if last.get("type") == "text" and not last.get("text"):
        return turn
    return {**turn, "content": [*before, _with_mark(last)]}


def _with_mark(part: Mapping[str, Json]) -> Mapping[str, Json]:
    return {**part, "cache_control": dict(MARK)}
