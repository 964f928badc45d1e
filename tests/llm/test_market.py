"""The harness at the desk of the built-in market, through the play loop and a real journal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agents.llm.accounting.usage import account_of
from agents.llm.policy import LLM
from tests.llm.rig import ScriptedRoute, call, reply, seal, services
from tournament.journal.writer import JOURNAL, open_journal
from tournament.playing.play import play_world
from tournament.records import ModelReply, ModelRequest, SeatContext
from tournament.registry import market_kind, policy_kind


def ceo(request: ModelRequest, ordinal: int) -> ModelReply:
    steps = [
        reply(
            call("query_company", {"sql": "SELECT cash_cents, tier FROM company"}),
            call("query_company", {"sql": "SELECT table_name, count(*) FROM schema_guide GROUP BY 1"}),
            call(
                "query_company",
                {"sql": "SELECT seat, product, posted_cents FROM public_prices ORDER BY 1, 2"},
            ),
        ),
        reply(
            call("set_price", {"product": "A", "price_cents": 4100, "promotion_percent": 5}),
            call("set_reorder_target", {"product": "A", "units": 150}),
            call(
                "set_marketing_budget", {"segment": "mainstream", "channel": "search", "cents_per_day": 1667}
            ),
            call("expand_capacity", {"tier": 1}),
            call("set_price", {"product": "A", "price_cents": 99_999, "promotion_percent": 5}),
            call("start_research_project", {"tier": 4}),
        ),
        reply(
            call("preview_decision"), call("write_file", {"path": "MEMORY.md", "text": "expand, then sell"})
        ),
        seal("grow"),
    ]
    return steps[ordinal - 1]


async def test_a_ceo_plays_the_built_in_market_and_its_files_follow_it_through_windows(
    tmp_path: Path,
) -> None:
    world = market_kind("ceo_arena@1").configure({"days": 14}).open(11, 2)
    journal = open_journal(tmp_path / "w" / JOURNAL, {"world": "w"}, durable=True)
    route = ScriptedRoute(ceo)
    context = SeatContext(
        world="w",
        seat=1,
        contestant="astra",
        store=journal.store(1),
        services=services({"scripted": route}),
    )
    idle = policy_kind("no_action@1")
    policies = {
        1: LLM.build(LLM.resolve({"route": "scripted"}, tmp_path), context),
        2: idle.build(idle.resolve({}, tmp_path), SeatContext(world="w", seat=2, contestant="idle")),
    }
    played = await play_world(
        world, policies, journal, stop=lambda: False, progress=lambda windows, scores: None
    )
    assert played.state == "ended"
    seals = [item for item in journal.seals() if item.seat == 1]
    assert seals[0].decision == {
        "prices": {"A": 4100},
        "promotions": {"A": 5},
        "reorder_targets": {"A": 150},
        "marketing": {"mainstream": {"search": 1667}},
        "capacity": {"expand": 1},
    }
    told = [message["content"] for message in route.requests[3].messages if message["role"] == "tool"]
    assert json.loads(told[0])["rows"] == [[50_000_000, 0]]
    assert json.loads(told[1])["row_count"] > 20
    assert "Refused" in told[7]
    assert "tier: Input should be less than or equal to 3" in told[8]
    assert "expand, then sell" in route.requests[4].messages[1]["content"]
    records = [record for window in (0, 1) for record in journal.store(1).records(window)]
    assert account_of(records).sealed == 2
    journal.close()


@pytest.mark.parametrize("hidden", ["Philox", "seed", "luck", "tape", "multinomial"])
def test_no_hidden_part_of_the_market_is_in_the_prompt_or_the_database(hidden: str) -> None:
    from agents.llm.prompt import system_text
    from agents.llm.sql.database import image, tables
    from agents.llm.window.budget import Budgets

    desk = market_kind("ceo_arena@1").configure({"days": 14}).open(987_654_321, 2).desk(1)
    text = system_text(desk.guide(), tables(desk), Budgets())
    content = image(desk)
    assert hidden not in text
    assert hidden.encode() not in content
    assert b"987654321" not in content


def test_every_tool_of_the_specification_is_offered_closed_and_without_company_or_version() -> None:
    from agents.llm.toolset import toolset

    desk = market_kind("ceo_arena@1").configure({}).open(11, 2).desk(1)
    offered = toolset(desk.tools())
    assert set(offered.tools) == {
        "query_company", "set_price", "set_reorder_target", "set_development_budget", "set_marketing_budget",
        "set_reliability_budget", "set_support_budget", "start_research_project", "request_market_research",
        "expand_capacity", "downsize_capacity", "cancel_capacity_project", "bid_tender", "withdraw_bid",
        "preview_decision", "reset_decision", "list_files", "read_file", "write_file", "edit_file", "delete_file",
        "seal_decision",
    }  # fmt: skip
    for item in offered.definitions:
        schema: Mapping[str, Any] = item["function"]["parameters"]
        assert schema["additionalProperties"] is False
        assert not {"seat", "company", "version", "world_version"} & set(schema["properties"])
        assert item["function"]["description"]


def test_the_prompt_states_the_aim_and_what_the_end_and_a_settlement_mean() -> None:
    from agents.llm.prompt import system_text
    from agents.llm.window.budget import Budgets

    desk = market_kind("ceo_arena@1").configure({"days": 140}).open(11, 2).desk(1)
    text = system_text(desk.guide(), (), Budgets())
    for sentence in (
        "only objective is the highest final Score",
        "must come back within them",
        "the company is liquidated",
        "may still fail",
        "Score = final cash + liquidation value",
        "After day 140",
        "never your quality",
        "action_receipts says after each settlement",
    ):
        assert sentence in text
    harness_text = system_text("", (), Budgets())
    assert "ceo_arena" not in harness_text
    assert "action_receipts" not in harness_text
