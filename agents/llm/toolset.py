"""The tools of a window: the market's and the harness's own, as one list for every route."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from agents.llm import wording
from agents.llm.tools import harness
from agents.llm.tools.arguments import schema
from agents.llm.tools.harness import HarnessTool
from tournament.errors import InputError
from tournament.records import Json, MarketTool, ReadTool

AnyTool = MarketTool | HarnessTool[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """All tools by name, in the order in which they are shown, with their definitions for a request."""

    tools: Mapping[str, AnyTool]
    definitions: tuple[Mapping[str, Json], ...]


def toolset(market_tools: Sequence[MarketTool]) -> Toolset:
    """Join the market's tools with the harness's; raises InputError where a name is used twice."""
    ordered: list[AnyTool] = [
        *(tool for tool in harness.HARNESS_TOOLS if not tool.last),
        *market_tools,
        *(tool for tool in harness.HARNESS_TOOLS if tool.last),
    ]
    names = [tool.name for tool in ordered]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the tool {name} is defined twice among the market's and the harness's tools")
    return Toolset(
        tools={tool.name: tool for tool in ordered},
        definitions=tuple(definition(tool) for tool in ordered),
    )


def is_query(tool: AnyTool) -> bool:
    """Tell a tool that is closed in finalization."""
    return isinstance(tool, ReadTool | HarnessTool) and tool.queries


def description(tool: AnyTool) -> str:
    return f"{tool.description} {wording.CLOSED_LATE}" if is_query(tool) else tool.description


def definition(tool: AnyTool) -> Mapping[str, Json]:
    """Return a tool as an OpenAI-shaped function."""
    arguments: type[BaseModel] = tool.arguments
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": description(tool),
            "parameters": schema(arguments),
        },
    }
