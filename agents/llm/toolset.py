"""The tools of a window: the market's staging tools and the harness's own, as one list for every route."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from agents.llm.arguments import (
    DEFAULT_ROWS,
    MOST_ROWS,
    DeleteFile,
    EditFile,
    NoArguments,
    QueryCompany,
    ReadFile,
    SealDecision,
    WriteFile,
    schema,
)
from tournament.errors import InputError
from tournament.records import Json, Tool

SEAL: Final = "seal_decision"
QUERY: Final = "query_company"


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessTool:
    """A tool of the harness: what it is called, does and takes; `last` puts it behind the market's."""

    name: str
    description: str
    arguments: type[BaseModel]
    last: bool = True


HARNESS_TOOLS: Final = (
    HarnessTool(
        name=QUERY,
        description=(
            "Run one read-only SQL statement (SQLite) on your company's database, fixed during the window."
            f" {DEFAULT_ROWS} rows unless `limit` says otherwise, at most {MOST_ROWS}; the table schema_guide"
            " describes all tables and columns. Disabled in finalization."
        ),
        arguments=QueryCompany,
        last=False,
    ),
    HarnessTool(
        name="preview_decision",
        description=(
            "Compare the draft with today's standing policies: one-off commitments, daily cost, funds after,"
            " warnings."
        ),
        arguments=NoArguments,
    ),
    HarnessTool(
        name="reset_decision",
        description="Empty the draft. No budget comes back; files and standing policies stay.",
        arguments=NoArguments,
    ),
    HarnessTool(
        name="list_files",
        description="List the files of your private folder.",
        arguments=NoArguments,
    ),
    HarnessTool(
        name="read_file",
        description="Read a private file, or the part of it that begins at `offset`, counted in characters.",
        arguments=ReadFile,
    ),
    HarnessTool(
        name="write_file",
        description="Write a private text file whole; it takes effect at once and persists across windows.",
        arguments=WriteFile,
    ),
    HarnessTool(
        name="edit_file",
        description="Replace text that occurs exactly once in a private file; it takes effect at once.",
        arguments=EditFile,
    ),
    HarnessTool(
        name="delete_file",
        description="Delete a private file; it takes effect at once.",
        arguments=DeleteFile,
    ),
    HarnessTool(
        name=SEAL,
        description=(
            "Validate and seal the draft, which ends the window. Must be the only tool call of its reply."
            " An empty draft keeps all standing policies."
        ),
        arguments=SealDecision,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """All tools by name, in the order in which they are shown, with their definitions for a request."""

    market: Mapping[str, Tool]
    harness: Mapping[str, HarnessTool]
    definitions: tuple[Mapping[str, Json], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item["function"]["name"] for item in self.definitions)


def toolset(market_tools: Sequence[Tool]) -> Toolset:
    """Join the market's tools with the harness's; raises InputError where a name is used twice."""
    ordered: list[Tool | HarnessTool] = [tool for tool in HARNESS_TOOLS if not tool.last]
    ordered += market_tools
    ordered += [tool for tool in HARNESS_TOOLS if tool.last]
    names = [tool.name for tool in ordered]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the tool {name} is defined twice, by the market and by the harness")
    return Toolset(
        market={tool.name: tool for tool in market_tools},
        harness={tool.name: tool for tool in HARNESS_TOOLS},
        definitions=tuple(definition(tool) for tool in ordered),
    )


def definition(tool: Tool | HarnessTool) -> Mapping[str, Json]:
    """Return a tool as an OpenAI-shaped function."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": schema(tool.arguments),
        },
    }
