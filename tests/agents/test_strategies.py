"""Each strategy is put before situations and its moves are listed; then all of them play the market."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.desks import CONTEXT, facts, period, played, quote
from tournament import registry
from tournament.ports import World
from tournament.records import Decision, Json

STRATEGIES = [
    f"{name}@1"
    for name in (
        "bayesian",
        "broker",
        "follower",
        "overinvestor",
        "planner",
        "premium",
        "swing",
        "tester",
        "velocity",
        "wholesaler",
    )
]
LISTS = {"A": 4000, "B": 7500, "C": 13500}
TENDER = {
    "tender": 2,
    "product": "B",
    "quantity": 200,
    "minimum_quality": 0.60,
    "reservation_cents": 9375,
    "closes_day": 28,
    "due_day": 35,
}


async def move(
    policy_id: str, shown: dict[str, Any], memo: Json = None, **parameters: Any
) -> tuple[Decision, Json]:
    """What a strategy seals on an observation, and the memo that it leaves."""
    kind = registry.policy_kind(policy_id)
    policy = kind.build(kind.resolve(parameters, Path()), CONTEXT)
    choice = await played(policy, shown, memo)
    return choice.decision, choice.memo


def trading(day: int = 21, **changed: Any) -> dict[str, Any]:
    """The observation after a week in which 70 A, 70 B and 21 C were asked for and served."""
    recent = changed.pop("recent", period(day - 6, A=(70, 70), B=(70, 70), C=(21, 21)))
    return facts(day=day, recent=recent, previous=recent, stock={"A": 60, "B": 80, "C": 35}, **changed)


def spent(decision: Decision, segment: str | None = None) -> int:
    rows = decision["marketing"] if segment is None else {segment: decision["marketing"][segment]}
    return sum(cents for row in rows.values() for cents in row.values())


async def test_the_broker_keeps_lead_time_stock_and_buys_no_acquisition() -> None:
    decision, _ = await move("broker@1", trading())
    assert spent(decision) == 0
    assert "development" not in decision
    assert decision["reorder_targets"] == {"A": 68, "B": 89, "C": 39}
    assert decision["prices"] == {"A": 4240, "B": 7500, "C": 13500}


async def test_the_broker_drops_a_product_whose_capital_turns_too_slowly() -> None:
    slow = trading(recent=period(15, A=(70, 70), B=(70, 70), C=(0, 0)))
    decision, _ = await move("broker@1", slow)
    assert decision["reorder_targets"]["C"] == 0


async def test_the_market_maker_walks_prices_down_while_capacity_idles_and_up_when_it_is_full() -> None:
    first, memo = await move("velocity@1", facts())
    assert first["prices"] == LISTS
    idle, memo = await move("velocity@1", trading(), memo)
    assert idle["prices"]["B"] == round(7500 * 0.985)
    full = trading(recent=period(15, A=(250, 240), B=(180, 150), C=(30, 30)))
    busy, _ = await move("velocity@1", full, memo)
    assert busy["prices"]["B"] == 7500
    assert busy["capacity"] == {"expand": 1}


async def test_the_market_maker_never_leaves_its_price_band() -> None:
    memo: Json = {"level": 0.93}
    decision, memo = await move("velocity@1", trading(), memo)
    assert decision["prices"]["A"] == round(4000 * 0.93)


async def test_the_premium_house_buys_quality_first_and_charges_for_its_lead() -> None:
    opening, _ = await move("premium@1", facts())
    assert opening["innovation"] == [3]
    assert opening["prices"]["C"] == round(13500 * 1.03)
    ahead = trading(company={"quality": {"A": 0.7, "B": 0.8, "C": 0.9}})
    decision, _ = await move("premium@1", ahead)
    assert decision["prices"]["C"] == round(13500 * (1.03 + 0.55 * 0.2))
    assert "innovation" not in decision
    assert spent(decision, "premium") > spent(decision, "mainstream") > spent(decision, "value") == 0


async def test_the_follower_undercuts_the_median_rival_but_keeps_its_margin() -> None:
    shown = trading(
        public_prices=[quote(1), quote(2, A=3800), quote(3, A=3800), quote(4, A=9000, active=False)]
    )
    decision, memo = await move("follower@1", shown)
    assert decision["prices"]["A"] == round(3800 * 0.98)
    war = trading(public_prices=[quote(1), quote(2, A=2700), quote(3, A=2700)])
    decision, _ = await move("follower@1", war, memo)
    assert decision["prices"]["A"] == round(2600 * 1.22)


async def test_the_follower_cuts_stock_that_has_stopped_moving_step_by_step() -> None:
    dead = trading(recent=period(15, A=(70, 70), B=(70, 70), C=(1, 1)))
    decision, memo = await move("follower@1", dead)
    assert decision["prices"]["C"] == round(13500 * 0.96)
    decision, _ = await move("follower@1", dead, memo)
    assert decision["prices"]["C"] == round(13500 * 0.94)


async def test_the_over_investor_buys_the_largest_of_everything_and_stops_in_fright() -> None:
    opening, _ = await move("overinvestor@1", facts())
    assert opening["capacity"] == {"expand": 3}
    assert opening["innovation"] == [3]
    assert spent(opening) == 75_000
    afraid, _ = await move("overinvestor@1", trading(cash_cents=11_000_000))
    assert spent(afraid) == sum(afraid["development"].values()) == afraid["support"] == 0
    assert "capacity" not in afraid
    assert "innovation" not in afraid


async def test_the_wholesaler_bids_just_below_the_reservation_where_delivery_is_sure() -> None:
    shown = facts(day=21, tenders=[TENDER])
    decision, _ = await move("wholesaler@1", shown)
    assert decision["bids"] == {"2": int(0.96 * 9375)}
    assert decision["reorder_targets"]["B"] > 310
    for hindered in (
        facts(day=21, tenders=[{**TENDER, "minimum_quality": 0.61}]),
        facts(day=21, tenders=[TENDER], stock={"A": 600, "B": 199, "C": 200}),
        facts(day=21, tenders=[{**TENDER, "quantity": 421}]),
    ):
        decision, _ = await move("wholesaler@1", hindered)
        assert "bids" not in decision


async def test_the_wholesaler_learns_from_results_down_after_a_loss_and_up_after_a_win() -> None:
    _, memo = await move("wholesaler@1", facts(day=21, tenders=[TENDER]))
    result = {"tender": 2, "product": "B", "quantity": 200, "closed_day": 28}
    lost = {**result, "winner_seat": 5, "price_cents": 7500}
    decision, after_loss = await move("wholesaler@1", facts(day=28, tender_results=[lost]), memo)
    assert after_loss["levels"]["B"] == pytest.approx(0.8 * 0.98)
    assert "bids" not in decision
    won = {**result, "winner_seat": 1, "price_cents": 9000}
    _, after_win = await move("wholesaler@1", facts(day=28, tender_results=[won]), memo)
    assert after_win["levels"]["B"] == pytest.approx(0.96 * 1.01)


async def test_the_wholesaler_never_bids_below_its_margin() -> None:
    memo = {"levels": {"A": 0.5, "B": 0.5, "C": 0.5}, "asked": {}}
    decision, _ = await move("wholesaler@1", facts(day=21, tenders=[TENDER]), memo)
    assert decision["bids"] == {"2": int(4800 * 1.15)}


async def test_the_learner_moves_its_price_with_what_demand_did_at_other_prices() -> None:
    def week(price: int, demand: int) -> dict[str, Any]:
        shown = trading(recent=period(15, A=(demand, demand), B=(70, 70), C=(21, 21)))
        shown["policy"]["prices"]["A"] = price
        return shown

    async def taught(*weeks: tuple[int, int]) -> int:
        memo: Json = None
        decision: Decision = {}
        for price, demand in weeks * 8:
            decision, memo = await move("bayesian@1", week(price, demand), memo, probe=0.0, spread=0.8)
        return int(decision["prices"]["A"])

    insensitive = await taught((3800, 72), (4200, 68))
    sensitive = await taught((3800, 105), (4200, 48))
    assert sensitive < 3900 < insensitive


async def test_the_learner_probes_on_both_sides_while_it_is_unsure() -> None:
    even, _ = await move("bayesian@1", facts(day=0))
    odd, _ = await move("bayesian@1", facts(day=7))
    assert all((even["prices"][j] > odd["prices"][j]) is (j == "B") for j in LISTS)


async def test_the_swing_trader_asks_for_a_report_when_its_customers_change() -> None:
    _, memo = await move("swing@1", facts())
    _, memo = await move("swing@1", trading(), memo)
    swung = trading(day=28)
    swung["recent"]["segments"]["premium"]["demand"] *= 2
    decision, memo = await move("swing@1", swung, memo)
    assert decision["research"] == ["premium"]
    assert decision["prices"] == LISTS
    again, _ = await move("swing@1", swung, memo)
    assert "research" not in again


async def test_the_swing_trader_leans_in_only_when_a_report_agrees() -> None:
    _, memo = await move("swing@1", facts())
    _, memo = await move("swing@1", trading(), memo)
    for arrivals, price in ((180.0, round(13500 * 1.06)), (140.0, 13500)):
        swung = trading(day=28)
        swung["recent"]["segments"]["premium"]["demand"] *= 2
        old = {"segment": "premium", "sampled_day": 1, "readable_day": 7, "arrivals": 138.0}
        swung["research"] = [old, {**old, "sampled_day": 22, "readable_day": 28, "arrivals": arrivals}]
        decision, _ = await move("swing@1", swung, memo)
        assert decision["prices"]["C"] == price


async def test_the_swing_trader_stocks_up_for_a_tender_that_stock_can_still_reach() -> None:
    near = {**TENDER, "product": "A", "minimum_quality": 0.5, "reservation_cents": 5000}
    decision, _ = await move("swing@1", trading(tenders=[near]))
    plain, _ = await move("swing@1", trading())
    assert decision["bids"] == {"2": 4600}
    assert decision["reorder_targets"]["A"] == plain["reorder_targets"]["A"] + 200
    far, _ = await move("swing@1", trading(tenders=[TENDER]))
    assert "bids" not in far


async def test_the_tester_tries_one_small_cell_and_keeps_it_only_if_it_pays() -> None:
    async def after(demand: int) -> dict[str, Any]:
        _, memo = await move("tester@1", facts())
        assert memo == {"cell": 0, "age": 0, "baseline": None, "kept": {}}
        _, memo = await move("tester@1", trading(), memo)
        for _week in range(4):
            shown = trading()
            shown["recent"]["segments"]["mainstream"]["demand"] = demand
            decision, memo = await move("tester@1", shown, memo)
        assert decision["marketing"]["mainstream"]["display"] == 0
        kept: dict[str, Any] = memo["kept"]
        assert memo["cell"] == 1
        return kept

    assert await after(demand=85) == {"mainstream/search": 3000}
    assert await after(demand=54) == {}


async def test_the_tester_spends_nothing_before_it_knows_a_baseline() -> None:
    decision, memo = await move("tester@1", facts())
    assert spent(decision) == 0
    decision, _ = await move("tester@1", trading(), memo)
    assert decision["marketing"]["mainstream"]["search"] == 3000
    assert spent(decision) == 3000


async def test_the_planner_commits_early_scales_what_fills_and_harvests_late() -> None:
    opening, _ = await move("planner@1", facts())
    assert opening["innovation"] == [3]
    full = trading(day=140, recent=period(134, A=(250, 250), B=(180, 150), C=(40, 40)))
    scaling, _ = await move("planner@1", full)
    assert "innovation" not in scaling
    assert scaling["capacity"] == {"expand": 1}
    assert scaling["prices"]["B"] > 7500
    late, _ = await move("planner@1", trading(day=399))
    assert sum(late["development"].values()) == 0
    assert "innovation" not in late


@pytest.mark.parametrize("policy_id", STRATEGIES)
async def test_every_strategy_draws_its_stock_down_before_the_end(policy_id: str) -> None:
    _, memo = await move(policy_id, facts())
    mid, memo = await move(policy_id, trading(day=252), memo)
    end, _ = await move(policy_id, trading(day=493), memo)
    assert all(end["reorder_targets"][j] < mid["reorder_targets"][j] for j in LISTS)
    assert sum(end["reorder_targets"].values()) < 100
    assert "capacity" not in end
    assert "innovation" not in end


@pytest.mark.parametrize("policy_id", STRATEGIES)
async def test_a_strategy_decides_alike_on_like_facts_and_leaves_them_as_they_were(policy_id: str) -> None:
    _, memo = await move(policy_id, facts())
    shown = trading(tenders=[TENDER])
    before = json.dumps(shown, sort_keys=True)
    first = await move(policy_id, shown, memo)
    again = await move(policy_id, json.loads(before), json.loads(json.dumps(memo)))
    assert first == again
    assert json.dumps(shown, sort_keys=True) == before


@pytest.mark.parametrize("policy_id", STRATEGIES)
def test_a_strategy_declares_itself(policy_id: str) -> None:
    kind = registry.policy_kind(policy_id)
    assert kind.model_free
    assert kind.markets == {"ceo_arena@1"}
    assert len(kind.summary) < 110
    with pytest.raises(ValueError, match="Extra inputs"):
        kind.resolve({"no_such_parameter": 1}, Path())


async def field_of(*policy_ids: str, seed: int, days: int) -> tuple[World, list[str]]:
    """Seat policies in the real market, play it to the end, and collect every refusal."""
    world = (
        registry.market_kind("ceo_arena@1").configure({"days": days}).open(seed=seed, seats=len(policy_ids))
    )
    kinds = [registry.policy_kind(policy_id) for policy_id in policy_ids]
    policies = [kind.build(kind.resolve({}, Path()), CONTEXT) for kind in kinds]
    memos: list[Json] = [None] * len(policies)
    refused: list[str] = []
    while world.window < world.windows:
        decisions: list[Decision | None] = [None] * len(policies)
        for seat in world.active():
            choice = await policies[seat - 1].decide(world.desk(seat), memos[seat - 1])
            decisions[seat - 1] = choice.decision
            memos[seat - 1] = json.loads(json.dumps(choice.memo))
        settled = world.settle(decisions)
        refused += [f"{policy_ids[seat - 1]}: {reason}" for seat, reason in settled.refusals.items()]
    return world, refused


@pytest.mark.parametrize("policy_id", STRATEGIES)
async def test_a_strategy_survives_weeks_without_a_customer_or_a_rival(policy_id: str) -> None:
    memo: Json = None
    for week in range(12):
        shown = trading(day=7 * week + 7, recent=period(7 * week + 1), public_prices=[quote(1)])
        decision, memo = await move(policy_id, shown, memo)
        assert all(1 <= cents <= 3 * LISTS[j] for j, cents in decision["prices"].items())
        assert all(units >= 0 for units in decision["reorder_targets"].values())


@pytest.mark.parametrize("seed", [11, 29])
async def test_no_decision_of_any_strategy_is_ever_refused(seed: int) -> None:
    world, refused = await field_of(*STRATEGIES, seed=seed, days=500)
    assert refused == []
    assert len(set(world.scores())) == len(STRATEGIES)


async def test_the_ready_field_has_winners_losers_and_survivors() -> None:
    names = ("wholesaler", "velocity", "premium", "broker", "follower", "overinvestor", "swing", "bayesian")
    world, _ = await field_of(*(f"{name}@1" for name in names), seed=11, days=500)
    scores = dict(zip(names, world.scores(), strict=True))
    assert sum(row["bankrupt_day"] is None for row in world.outcomes()) >= 6
    assert min(scores, key=lambda name: scores[name]) == "overinvestor"
    assert {"premium", "bayesian"} == set(sorted(scores, key=lambda name: scores[name])[-2:])
    assert world.outcomes()[0]["tenders_won"] == max(row["tenders_won"] or 0 for row in world.outcomes())
