"""What a seat sees and may call: tools that stage, queries that answer, tables, texts and secrecy."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from market.commerce.desk import CommerceDesk
from market.commerce.world import CommerceWorld
from tests.commerce.worlds import drawn, open_world
from tournament.errors import InputError
from tournament.records import Decision, ReadTool, Tool

HIDDEN = {"popularity", "demand", "genuine", "willing", "archetype", "quality", "lead", "appeal"}


def world_at(windows: int, seed: int = 11, seats: int = 2) -> CommerceWorld:
    world, random = open_world(seed, seats), Random(3)
    for _ in range(windows):
        world.settle([drawn(world, seat, random) for seat in world.active()])
    return world


def reads(desk: CommerceDesk) -> list[ReadTool]:
    return [tool for tool in desk.tools() if isinstance(tool, ReadTool)]


def stage(desk: CommerceDesk, draft: Decision, name: str, **arguments: Any) -> Decision:
    tool = next(tool for tool in desk.tools() if tool.name == name and isinstance(tool, Tool))
    return tool.stage(draft, tool.arguments.model_validate(arguments))


def named(value: Any) -> list[str]:
    """Return every key at any depth."""
    if isinstance(value, dict):
        return [*value, *(name for item in value.values() for name in named(item))]
    return [name for item in value for name in named(item)] if isinstance(value, list) else []


def ask(desk: CommerceDesk, name: str, **arguments: Any) -> Any:
    query = next(query for query in reads(desk) if query.name == name)
    return query.answer(query.arguments.model_validate(arguments))


def test_there_are_twenty_staging_calls_and_sixteen_that_read() -> None:
    desk = open_world(11, 1).desk(1)
    names = [tool.name for tool in desk.tools()]
    assert (len(names), len(reads(desk)), len(set(names))) == (36, 16, 36)


def test_a_setup_is_staged_call_by_call_and_sealed_as_previewed() -> None:
    world = open_world(11, 1)
    desk = world.desk(1)
    draft = stage(desk, {}, "buy_initial_inventory", offer="O0003", units=60)
    draft = stage(desk, draft, "create_listing", sku="SH-04", country="EU", price_cents=4700)
    draft = stage(desk, draft, "set_ad_budget", sku="SH-04", country="EU", cents_per_day=150)
    draft = stage(
        desk, draft, "set_price_tiers", sku="SH-04", country="EU", tiers=[{"units": 10, "percent": 5}]
    )
    draft = stage(desk, draft, "update_price", sku="SH-04", country="EU", price_cents=4600)
    draft = stage(desk, draft, "declare_focus", categories=["SH"])
    assert draft["list"] == [{"sku": "SH-04", "country": "EU", "price": 4600, "ad": 150, "tiers": [[10, 5]]}]
    seen = desk.preview(draft)
    world.settle([draft])
    facts = world.desk(1).facts()
    assert seen["accepted"]
    assert (seen["cash_after_cents"], seen["net_worth_after_cents"]) == (
        facts["cash_cents"],
        facts["net_worth_cents"],
    )
    assert facts["stock"][3] == 60
    assert facts["listings"]["price"][3][2] == 4600


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("buy_inventory", {"offer": "O0003", "units": 60}, "in the setup use buy_initial_inventory"),
        ("buy_initial_inventory", {"offer": "O0003", "units": 1}, "units must be from"),
        ("buy_initial_inventory", {"offer": "O9999", "units": 60}, "unknown 'O9999'"),
        ("update_price", {"sku": "XX-01", "country": "US", "price_cents": 5}, "unknown 'XX-01'"),
        ("set_ad_budget", {"sku": "SH-04", "country": "US", "cents_per_day": 5}, "needs a price"),
        ("delist", {"sku": "SH-04", "country": "US"}, "no such listing"),
        ("apply_permit", {"category": "SH", "country": "CN"}, "no permit is needed"),
        ("borrow", {"cents": 4_000_001}, "at most 4000000"),
        ("liquidate", {"sku": "SH-04", "units": 2}, "more than the stock"),
        ("reply_inquiry", {"inquiry": 0, "price_cents": 100}, "not open"),
        ("withdraw_buy", {"offer": "O0003"}, "the draft holds no purchase"),
        ("withdraw_reply", {"inquiry": 4}, "the draft holds no reply"),
    ],
)
def test_a_call_that_could_not_be_sealed_says_why(name: str, arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason.replace("(", r"\(")):
        stage(open_world(11, 1).desk(1), {}, name, **arguments)


def test_an_earlier_refused_item_does_not_block_later_calls() -> None:
    desk = open_world(11, 1).desk(1)
    draft = stage(desk, {"delist": [["SH-04", "US"]]}, "borrow", cents=1000)
    assert draft["borrow"] == 1000
    assert desk.preview(draft)["refused_items"] == [
        {"action": "delist:SH-04:US", "reason": "there is no such listing"}
    ]


def test_purchases_add_up_and_are_withdrawn_together() -> None:
    desk = open_world(11, 1).desk(1)
    draft = stage(desk, {}, "buy_initial_inventory", offer="O0003", units=60)
    draft = stage(desk, draft, "buy_initial_inventory", offer="O0003", units=70)
    assert draft == {"buy": [["O0003", 60], ["O0003", 70]]}
    assert stage(desk, draft, "withdraw_buy", offer="O0003") == {}


def test_the_last_call_on_a_reply_stands() -> None:
    world = world_at(3)
    desk, number = world.desk(1), world.open_inquiries[0]
    draft = stage(desk, {}, "reply_inquiry", inquiry=number, price_cents=900, quality=500)
    draft = stage(desk, draft, "reply_inquiry", inquiry=number, price_cents=800, speed="express", permit=1)
    assert draft["replies"] == [{"inquiry": number, "price": 800, "speed": "express", "facts": {"permit": 1}}]
    assert stage(desk, draft, "withdraw_reply", inquiry=number) == {}


def test_a_preview_warns_of_what_may_have_been_overlooked() -> None:
    world = open_world(11, 1)
    needed = next(k for k in range(6) if world.catalog.permit_needed[0, k])
    country = world.desk(1).facts()["countries"][needed]
    draft = {
        "buy": [["O0003", 60], ["O0001", 60]],
        "list": [
            {"sku": "SH-04", "country": country, "price": 500},
            {"sku": "EL-01", "country": "CN", "price": 500, "ad": 100},
        ],
    }
    warnings = " | ".join(world.desk(1).preview(draft)["warnings"])
    for told in ("no valid permit", "below the landed cost", "listed nowhere", "an ad on an empty listing"):
        assert told in warnings


def test_reading_calls_answer_from_the_same_facts_as_the_tables() -> None:
    world = world_at(6)
    desk = world.desk(1)
    facts = desk.facts()
    trend = ask(desk, "trend", category="EL", country="US", days=3)
    rows = [row for row in desk.rows("trend_index") if row[1:3] == ("EL", "US")]
    assert [(row["day"], row["index"]) for row in trend] == [(row[0], row[3]) for row in rows[-3:]]
    quote = ask(desk, "offer_quote", offer="O0003", units=60)
    assert quote["total_cents"] == 60 * quote["unit_cents"]
    found = ask(desk, "search_offers", sku="SH-04", rank="quality", limit=5)
    assert [row["quality"] for row in found["offers"]] == sorted(
        (row["quality"] for row in found["offers"]), reverse=True
    )
    assert {row["sku"] for row in found["offers"]} == {"SH-04"}
    assert ask(desk, "net_worth")["net_worth_cents"] == facts["net_worth_cents"]
    forecast = ask(desk, "cash_forecast", days=4)
    assert [row["day"] for row in forecast] == [5, 6, 7, 8]
    freight = ask(desk, "freight_quote", sku="SH-04", country="US")["standard_cents"]
    assert ("SH-04", "US", freight, freight * 18 // 10) in list(desk.rows("freight_rates"))
    number = world.open_inquiries[0]
    assert ask(desk, "inquiry_detail", inquiry=number)["inquiry"] == number
    with pytest.raises(InputError, match="is not open; open:"):
        ask(desk, "inquiry_detail", inquiry=99_999)


def test_every_reading_call_answers_in_every_phase() -> None:
    given: dict[str, dict[str, Any]] = {
        "trend": {"category": "SH", "country": "EU"},
        "competitor_prices": {"sku": "SH-04", "country": "EU"},
        "calendar": {},
        "news": {},
        "search_offers": {},
        "offer_quote": {"offer": "O0001", "units": 50},
        "supplier_scorecard": {"supplier": "S0001"},
        "price_check": {"sku": "SH-04", "country": "EU", "price_cents": 4000},
        "ad_report": {},
        "landed_cost": {"sku": "SH-04", "country": "EU", "unit_cost_cents": 900},
        "freight_quote": {"sku": "SH-04", "country": "EU"},
        "tariff_lookup": {"category": "SH", "country": "EU"},
        "permit_check": {"sku": "SH-04", "country": "EU"},
        "cash_forecast": {},
        "net_worth": {},
    }
    for windows in (0, 1, 9):
        desk = world_at(windows).desk(1)
        assert {query.name for query in reads(desk)} == {*given, "inquiry_detail"}
        for name, arguments in given.items():
            assert ask(desk, name, **arguments) is not None


def test_every_table_gives_rows_of_its_columns_in_the_end() -> None:
    world = world_at(12)
    for seat in (1, 2):
        desk = world.desk(seat)
        for table in desk.tables():
            for row in desk.rows(table.name):
                assert len(row) == len(table.columns), table.name
    filled = {table.name for table in desk.tables() if list(desk.rows(table.name))}
    assert {table.name for table in desk.tables()} - filled <= {"slow_stock", "violations", "payables"}


def test_a_desk_shows_neither_hidden_coefficients_nor_a_rivals_books() -> None:
    world = world_at(8)
    assert not HIDDEN & set(named(world.desk(1).facts()))
    offers = world.desk(1).facts()
    unknown = [j for j, quality in enumerate(offers["known_quality"]) if quality is None]
    assert len(unknown) > 900
    news = {row["signal"] for row in offers["signals"]}
    assert all(world.drawn.signals[n].announced <= 7 for n in news)
    for row in offers["signals"]:
        genuine = world.drawn.signals[row["signal"]].genuine
        assert not row["corroborated"] or (genuine and row["announced"] < 7)


def test_the_briefing_says_unavailable_before_there_is_a_day_and_stays_short() -> None:
    world = world_at(0)
    first = world.desk(1).brief()
    assert first.startswith("SETUP before day 0")
    assert "closing cash: recent unavailable; previous unavailable" in first
    assert "SLOW STOCK (no sale in three days): unavailable" in first
    for windows in (1, 2, 20, 30):
        text = world_at(windows).desk(1).brief()
        assert f"DAY {windows - 1} of 0 to 29" in text
        assert len(text) < 20_000


def test_the_guide_is_the_same_for_every_seat_and_window() -> None:
    texts = {world_at(n).desk(seat).guide() for n in (0, 5) for seat in (1, 2)}
    assert len(texts) == 1
    (text,) = texts
    assert "Doing nothing scores -450000" in text
    assert len(text) < 9_000


def test_tables_of_a_finished_world_have_a_row_a_window_and_seat() -> None:
    world = world_at(31)
    tables = world.tables()
    assert {len(column) for column in tables.daily.values()} == {31 * 2}
    assert {len(column) for column in tables.market.values()} == {30 * 15 * 6}
    final = tables.daily["cash_cents"][-2:].tolist()
    assert final == [row["final_cash_cents"] for row in world.outcomes()]
    posted = sum(column for name, column in tables.daily.items() if name.startswith("account_"))
    for seat in (0, 1):
        assert 8_000_000 + int(posted[seat::2].sum()) == final[seat]
    for extra in tables.extra.values():
        assert len({len(column) for column in extra.values()}) == 1


def test_the_score_is_what_the_outcome_columns_say() -> None:
    for row in world_at(31).outcomes():
        parts = row["receivables_cents"] + row["goods_salvage_cents"] - row["debt_cents"]  # type: ignore[operator]
        assert row["salvage_cents"] == parts
        assert row["score_cents"] == row["final_cash_cents"] + parts - 8_000_000  # type: ignore[operator]
