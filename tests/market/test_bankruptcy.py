"""Bankruptcy: who leaves when, what becomes void, and what the rivals feel."""

from __future__ import annotations

import math

from tests.market.worlds import RULE, hold, open_world, vector

SPENDER = {
    "marketing": {"mainstream": {"search": 200_000, "display": 200_000}},
    "reorder_targets": {"A": 9000, "C": 9000},
}


def test_a_firm_with_negative_cash_leaves_the_next_day_and_its_rivals_demand_changes() -> None:
    world = open_world(47, 3)
    calm = open_world(47, 3)
    world.settle([SPENDER, RULE, RULE])
    calm.settle([RULE, RULE, RULE])
    hold(world)
    hold(calm)
    exit_day = int(world.state.exit_day[0])
    assert world.outcomes()[0]["bankrupt_day"] == exit_day
    assert world.history.cash[exit_day - 1, 0] < 0 <= world.history.cash[exit_day - 2, 0]
    assert world.history.active[exit_day - 1, 0] == 1
    assert world.history.active[exit_day:, 0].sum() == 0
    assert world.history.ledger[exit_day:, 0].sum() == 0
    after = slice(exit_day + 20, exit_day + 120)
    assert world.history.demand[after, 1].sum() > calm.history.demand[after, 1].sum()
    tables = world.tables().daily["cash_cents"].reshape(-1, 3)
    assert tables[exit_day - 1, 0] < 0
    assert tables[exit_day:, 0].tolist() == [0] * (500 - exit_day)


def test_an_exited_firm_is_scored_with_its_cash_and_holdings_at_exit() -> None:
    script = vector("v3")["seats"][0]
    world = open_world(47, 3)
    for window in range(world.windows):
        world.settle([script["windows"][window] if window < len(script["windows"]) else {}, {}, {}])
    row = world.outcomes()[0]
    assert row["final_cash_cents"] == int(world.history.cash[row["bankrupt_day"] - 1, 0])
    assert row["score_cents"] == row["final_cash_cents"] + row["salvage_cents"] - 51_600_000


def test_an_exited_firm_is_no_longer_asked_and_no_longer_public() -> None:
    world = open_world(47, 2, initial_cash=100_000)
    world.settle([SPENDER, {}])
    assert world.active() == (2,)
    assert world.desk(2).facts()["public_prices"][0] == {
        "seat": 1, "active": False, "prices": {}, "promotions": {}, "posted": {},
    }  # fmt: skip
    settlement = world.settle([{"prices": {"A": -1}}, {}])
    assert settlement.refusals == {}  # a decision sealed for a bankrupt firm is ignored


def test_a_market_whose_firms_have_all_left_plays_on_empty() -> None:
    world = open_world(11, 2, initial_cash=100_000, days=60)
    world.settle([SPENDER, SPENDER])
    hold(world)
    assert world.version == 60
    assert world.active() == ()
    assert all(row["bankrupt_day"] for row in world.outcomes())
    inclusive = world.tables().market["inclusive_value"].reshape(-1, 3)
    assert (inclusive[0] > 0).all()
    assert (inclusive[-1] == -math.inf).all()
