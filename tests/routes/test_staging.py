"""A decision becomes tool calls by what the tools do: no word of any market is needed for it."""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from agents.llm.toolset import toolset
from agents.routes.mock.policy import HarnessTools, harness_tools, market_stagers, policy_backend
from agents.routes.mock.staging import learn, staging
from tests.routes.conftest import TOOL
from tournament.conformance_drawing import drawn_decision
from tournament.errors import InputError
from tournament.records import Tool
from tournament.registry import market_kind


class Ferry(BaseModel):
    model_config = ConfigDict(strict=True)
    line: Literal["north", "south"]
    boats: Annotated[int, Field(ge=1, le=9)]
    note: str | None = None


FERRY = Tool(
    name="run_ferry",
    description="Run boats on a line.",
    arguments=Ferry,
    stage=lambda draft, given: {
        **draft,
        "ferries": {**draft.get("ferries", {}), given.line: given.boats},  # type: ignore[attr-defined]
    },
)


def staged(calls: Any, tools: list[Tool]) -> Any:
    """Stage the calls on an empty draft, as the harness does."""
    by_name = {tool.name: tool for tool in tools}
    draft: Any = {}
    for name, arguments in calls:
        tool = by_name[name]
        draft = tool.stage(draft, tool.arguments.model_validate(json.loads(arguments)))
    return draft


def test_an_action_that_nobody_has_heard_of_is_staged():
    decision = {"ferries": {"south": 3, "north": 9}}
    calls = list(staging(decision, {}, learn([FERRY])))
    assert calls == [
        ("run_ferry", '{"line": "south", "boats": 3}'),
        ("run_ferry", '{"line": "north", "boats": 9}'),
    ]
    assert staged(calls, [FERRY]) == decision


def test_what_the_markets_own_tools_can_stage_is_staged_to_the_same_decision():
    random = Random(5)
    desk = market_kind("ceo_arena@1").configure({}).open(7, 2).desk(1)
    tools = list(desk.tools())
    for _ in range(60):
        decision: dict[str, Any] = {}
        for _ in range(3):
            decision |= drawn_decision(desk, random)
        calls = list(staging(decision, desk.facts()["policy"], market_stagers("ceo_arena@1")))
        assert staged(calls, tools) == decision


def test_what_a_tool_requires_beside_is_the_standing_value_and_equal_items_are_staged_each():
    decision = {"promotions": {"B": 5}, "innovation": [2, 2]}
    calls = list(staging(decision, {"prices": {"B": 77}}, market_stagers("ceo_arena@1")))
    assert calls == [
        ("set_price", '{"product": "B", "price_cents": 77, "promotion_percent": 5}'),
        ("start_research_project", '{"tier": 2}'),
        ("start_research_project", '{"tier": 2}'),
    ]


def test_a_field_that_no_tool_writes_is_named():
    with pytest.raises(InputError, match=r"no tool stages ferries\.west"):
        list(staging({"ferries": {"west": 1}}, {}, market_stagers("ceo_arena@1")))


async def test_a_request_that_is_no_windows_is_answered_with_a_call_of_its_tool():
    model = policy_backend("wholesaler", {})
    assert (await model([{"role": "user", "content": "hi"}], [TOOL])).calls == (("set_price", "{}"),)
    assert (await model([{"role": "user", "content": "hi"}], [])).calls == ()


def test_the_tools_of_a_window_are_told_by_what_they_take():
    desk = market_kind("ceo_arena@1").configure({}).open(7, 2).desk(1)
    found = harness_tools(toolset(desk.tools()).definitions)
    assert found == HarnessTools(
        query="query_company",
        preview="preview_decision",
        write="write_file",
        reset="reset_decision",
        seal="seal_decision",
    )


def test_a_market_that_is_not_registered_cannot_be_played():
    with pytest.raises(InputError, match="'elsewhere@1'"):
        market_stagers("elsewhere@1")


def test_nothing_of_the_mock_is_loaded_where_no_mock_is_played():
    modules = "agents.routes.build, agents.routes.check, agents.routes.probe, tournament.cli.app, tournament.cli.routes"
    script = f"import sys, {modules}; print([name for name in sys.modules if 'routes.mock' in name])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
