"""Every capacity action, innovation and market research, from the decision to the day of effect."""

from __future__ import annotations

import math

import pytest

from market.ceo_arena.parameters import Parameters
from tests.market.worlds import account, hold, open_world
from tournament.errors import InputError

P = Parameters()


def test_an_expansion_is_charged_at_once_and_works_on_its_day() -> None:
    world = open_world()
    settlement = world.settle([{"capacity": {"expand": 2}}, {}])
    assert account(world, 1, 1, "capacity:expansion") == -7_000_000
    assert settlement.receipts[0].effective_day == 36
    hold(world, 4)
    assert world.version == 35
    assert world.state.tier[0] == 0
    world.settle([{}, {}])
    assert account(world, 35, 1, "overhead") == -40_000
    assert account(world, 36, 1, "overhead") == -68_000


def test_a_job_ordered_with_d_days_completed_is_still_pending_at_the_decision_before_its_day() -> None:
    world = open_world()
    world.settle([{"capacity": {"expand": 1}}, {}])
    hold(world, 2)
    assert world.version == 21
    assert world.desk(1).facts()["company"]["pending"]["ready_day"] == 22
    assert "is pending" in str(world.desk(1).check({"capacity": {"expand": 2}}))
    world.settle([{}, {}])
    assert world.desk(1).facts()["company"]["pending"] is None
    assert world.desk(1).check({"capacity": {"expand": 2}}) is None


def test_a_preview_of_a_cancellation_shows_the_cash_that_settlement_leaves() -> None:
    world = open_world()
    world.settle([{"capacity": {"expand": 1}}, {}])
    cancel = {"capacity": {"cancel": True}}
    shown = world.desk(1).preview(cancel)
    before = world.desk(1).facts()["cash_cents"]
    world.settle([cancel, {}])
    assert shown["refund_cents"] == account(world, 8, 1, "capacity:cancellation") > 0
    assert shown["cash_after_cents"] == before + shown["refund_cents"]
    assert world.desk(1).preview({})["refund_cents"] == 0


def test_a_preview_warns_of_offers_at_no_gain_promotions_and_standing_values_included() -> None:
    world = open_world()
    assert P.cost[0] == 2600
    for draft, warned in (
        ({"prices": {"A": 2600}}, True),
        ({"prices": {"A": 2601}}, False),
        ({"prices": {"A": 2601}, "promotions": {"A": 50}}, True),
        ({"promotions": {"A": 50}}, True),
        ({"promotions": {"A": 10}}, False),
    ):
        warnings = [text for text in world.desk(1).preview(draft)["warnings"] if "procurement cost" in text]
        assert bool(warnings) == warned, draft
    world.settle([{"promotions": {"A": 30}}, {}])
    assert "less 30 %" in world.desk(1).preview({"prices": {"A": 3000}})["warnings"][0]


def test_withdrawing_a_bid_that_the_draft_does_not_hold_is_told_so() -> None:
    tool = next(tool for tool in open_world().desk(1).tools() if tool.name == "withdraw_bid")
    asked = tool.arguments.model_validate({"tender": 3})
    with pytest.raises(InputError, match="holds no bid for tender 3; bids staged: 1, 12"):
        tool.stage({"bids": {"12": 5, "1": 7}}, asked)
    assert tool.stage({"bids": {"3": 5}, "support": 1}, asked) == {"support": 1}


def test_downsizing_charges_a_fee_a_tier_refunds_nothing_and_can_not_be_cancelled() -> None:
    world = open_world(construction=(0, 1, 1, 1))
    world.settle([{"capacity": {"expand": 3}}, {}])
    world.settle([{"capacity": {"downsize": 1}}, {}])
    assert account(world, 8, 1, "capacity:downsizing") == -200_000
    assert "no expansion is pending" in str(world.desk(1).check({"capacity": {"cancel": True}}))
    world.settle([{}, {}])
    assert account(world, 14, 1, "overhead") == -88_000
    assert account(world, 15, 1, "overhead") == -52_000


def test_cancelling_an_expansion_gives_back_four_fifths_of_the_unspent_share() -> None:
    world = open_world()
    world.settle([{"capacity": {"expand": 1}}, {}])
    world.settle([{}, {}])
    world.settle([{"capacity": {"cancel": True}}, {}])
    assert account(world, 15, 1, "capacity:cancellation") == math.floor(0.8 * 3_000_000 * (21 - 14) / 21)
    assert world.outcomes is not None
    assert world.state.tier[0] == 0
    assert world.desk(1).check({"capacity": {"expand": 1}}) is None


@pytest.mark.parametrize(
    "action",
    [
        {"expand": 0},
        {"expand": 4},
        {"downsize": 0},
        {"cancel": True},
        {"cancel": 1},
        {},
        {"expand": 1, "cancel": True},
    ],
)
def test_impossible_capacity_actions_are_refused(action: dict[str, object]) -> None:
    assert open_world().desk(1).check({"capacity": action}) is not None


def test_an_innovation_adds_its_gain_in_thirds_on_its_day_and_shows_expectations_alone() -> None:
    world = open_world()
    world.settle([{"innovation": [1]}, {}])
    days = int(world.luck.project_days[0, 0, 0])
    gain = float(world.luck.project_gain[0, 0, 0])
    shown = world.desk(1).facts()["company"]["projects"]
    assert shown == [{"tier": 1, "started_day": 0, "median_days": 45, "expected_gain": 14000.0}]
    while world.version < days + 1:
        world.settle([{}, {}])
    known = float(world.history.core[days, 0, 7])
    assert world.history.core[days - 1, 0, 7] == 0.0
    assert known == pytest.approx(gain / 3 * P.knowledge_retention, rel=1e-12)


def test_at_most_three_projects_run_at_once() -> None:
    desk = open_world().desk(1)
    assert desk.check({"innovation": [1, 1, 1]}) is None
    assert "at most 3" in str(desk.check({"innovation": [1, 1, 1, 1]}))


def test_research_is_sampled_the_next_day_and_readable_in_the_next_window() -> None:
    world = open_world()
    world.settle([{"research": ["premium", "value"]}, {}])
    report = world.desk(1).facts()["research"][0]
    assert (report["segment"], report["sampled_day"], report["readable_day"]) == ("premium", 1, 7)
    noise = world.luck.report_noise[0, 0]
    assert report["arrivals"] == pytest.approx(world.luck.rate[0, 1] * math.exp(0.15 * noise[0]))
    assert report["price_weight"] == pytest.approx(1.1 * math.exp(0.15 * noise[1]))
    assert world.desk(2).facts()["research"] == []
    assert "at most once" in str(world.desk(1).check({"research": ["premium", "premium"]}))


def test_reports_due_after_the_horizon_never_arrive() -> None:
    world = open_world(days=10)
    world.settle([{}, {}])
    world.settle([{"research": ["premium"]}, {}])
    assert world.version == 10
    assert world.desk(1).facts()["research"] == []


def test_the_signal_of_a_day_is_readable_a_week_later() -> None:
    world = open_world()
    world.settle([{}, {}])
    assert world.desk(1).facts()["signal"] is None
    world.settle([{}, {}])
    signal = world.desk(1).facts()["signal"]
    assert signal["day"] == 7
    total = float(world.luck.rate[6].sum())
    assert signal["value"] == pytest.approx(float(world.luck.signal[6]))
    assert abs(math.log(signal["value"] / (100 * total / 690))) < 0.4


def test_one_off_charges_beyond_todays_cash_refuse_the_whole_decision() -> None:
    world = open_world(initial_cash=7_000_000)
    settlement = world.settle(
        [{"prices": {"A": 4500}, "innovation": [3], "research": ["value"]}, {"innovation": [3]}]
    )
    assert "exceed today's cash" in settlement.refusals[1]
    assert 2 not in settlement.refusals
    assert world.history.price[0, 0, 0] == 4000
    assert [r.status for r in settlement.receipts if r.seat == 1] == ["refused"]
