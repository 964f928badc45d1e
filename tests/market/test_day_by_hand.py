"""The order of the day, followed by hand for two firms and one segment.

Every utility is equal and the outside option is set so that three of four customers buy: ten arrivals
with the draw 0.5 fall on the six offers as 1, 2, 1, 1, 1, 2.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from market.ceo_arena.world import CompanyWorld
from tests.market.worlds import account, open_world

ZEROS = (0.0, 0.0, 0.0)


def even_world(**overrides: object) -> CompanyWorld:
    weights = dict.fromkeys(
        ("price_weight", "reference_weight", "promotion_weight", "quality_weight", "service_weight",
         "goodwill_weight", "loyalty_weight"), ZEROS)  # fmt: skip
    outside = 0.5 * math.log(6) - math.log(3)
    world = open_world(appeal=(ZEROS, ZEROS, ZEROS), outside_value=(outside,) * 3, **{**weights, **overrides})
    world.luck.arrivals[:] = 0
    world.luck.choice[:] = 0.5
    return world


def test_one_day_of_two_firms_as_worked_out_by_hand() -> None:
    world = even_world(initial_stock=(10, 1, 10), initial_target=(10, 3, 10), window_days=1)
    world.luck.arrivals[0] = [10, 0, 0]
    settlement = world.settle([{"support": 900, "reliability": 600, "development": {"A": 3000}}, {}])
    history, state = world.history, world.state

    assert history.demand[0, :, 0].tolist() == [[1, 2, 1], [1, 1, 2]]
    # Firm 1 has one B for two customers: 30 % of one is nobody who waits, so one chooses again. Both Bs went
    # in round 1, so four offers are left, each with the probability of buying divided by four.
    inside = 1 / (1 + math.exp((0.5 * math.log(6) - math.log(3)) - 0.5 * math.log(4)))
    steps = [math.floor(0.5 + k * inside / 4) for k in range(5)]
    second = [b - a for a, b in pairwise(steps)]
    assert sum(second) == 1
    sold = [[1, 1, 1], [1, 1, 2]]
    for unit, (firm, product) in zip(second, [(0, 0), (0, 2), (1, 0), (1, 2)], strict=True):
        sold[firm][product] += unit
    assert history.stock[0].tolist()[0] == [10 - sold[0][0], 0, 10 - sold[0][2]]

    revenue = 4000 * sold[0][0] + 7500 + 13500 * sold[0][2]
    assert sum(account(world, 1, 1, f"revenue:{p}:mainstream") for p in "ABC") == revenue
    reliability = 0.96 * 0.91 + 0.04 * (1 - 0.09 * math.exp(-6 / 60))
    assert state.reliability[0] == pytest.approx(reliability, abs=1e-15)
    units = sum(sold[0])
    unsolved = (1 - reliability) * math.exp(-9 / (10 * (1 - reliability) * units))
    assert account(world, 1, 1, "refunds") == -math.floor(0.4 * unsolved * revenue)
    satisfaction = 0.96 * 0.8 + 0.04 * max(0.0, 3 / 4 - 1.2 * unsolved)
    assert state.satisfaction[0, 0] == pytest.approx(satisfaction, abs=1e-15)
    assert state.satisfaction[0, 1] == 0.8  # nobody asked: no change
    assert state.knowledge[0].tolist() == [30 / (1 + 30 / 300), 0.0, 0.0]
    assert state.loyalty[0, 0] == pytest.approx(0.98 * 0.8 * units, abs=1e-12)

    # Step 8: order up to the target at today's stock, holding on what is left on hand.
    assert account(world, 1, 1, "procurement:B") == -3 * 4800
    assert account(world, 1, 1, "procurement:A") == -sold[0][0] * 2600
    assert account(world, 1, 1, "holding:C") == -6 * (10 - sold[0][2])
    assert settlement.hashes[0] != ""
    cash = 50_000_000 + int(history.ledger[0, 0].sum())
    assert state.cash[0] == cash


def test_replenishment_of_day_t_comes_in_step_two_of_day_t_plus_lead_time() -> None:
    world = even_world(initial_stock=(0, 0, 0), initial_target=(7, 0, 0), window_days=1)
    for _ in range(5):
        world.settle([{}, {}])
        assert world.history.stock[world.version - 1, 0, 0] == 0
    world.settle([{}, {}])
    assert world.history.stock[5, 0, 0] == 7


def test_the_two_rounds_skip_offers_without_stock_and_the_unserved_leave() -> None:
    world = even_world(initial_stock=(0, 0, 0), initial_target=(0, 0, 0), window_days=1)
    world.luck.arrivals[0] = [1000, 0, 0]
    world.settle([{}, {}])
    demand = int(world.history.demand[0].sum())
    waiting = int(world.state.backorders.sum())
    assert demand == 750
    assert waiting == sum((n * 30) // 100 for n in world.history.demand[0, :, 0].ravel().tolist())
    assert world.history.unserved[0, 0] == demand - waiting


def test_capacity_is_shared_by_contracts_backorders_and_new_demand_in_that_order() -> None:
    world = even_world(
        initial_stock=(200, 0, 0), initial_target=(0, 0, 0), window_days=1, throughput=(10, 90, 130, 180)
    )
    world.luck.arrivals[0] = [160, 0, 0]
    world.settle([{}, {}])
    assert world.history.delivered[0, 0].sum() == 10
    first = int(world.state.backorders[0, 1, 0, 0])
    assert first > 0
    world.luck.arrivals[1] = [160, 0, 0]
    world.settle([{"prices": {"A": 5000}}, {}])
    # The waiting orders go first, at the price they were placed at.
    old = min(first, 10)
    assert account(world, 2, 1, "revenue:A:mainstream") == 4000 * old + 5000 * (10 - old)


def test_a_backorder_is_last_served_on_its_fourteenth_day_and_then_cancelled() -> None:
    world = even_world(
        initial_stock=(0, 0, 0), initial_target=(0, 0, 0), lead_time=(40, 40, 40), window_days=1
    )
    world.luck.arrivals[0] = [100, 0, 0]
    world.settle([{}, {}])
    waiting = int(world.state.backorders[0, 1].sum())
    assert waiting > 0
    for _ in range(13):
        world.settle([{}, {}])
    assert world.version == 14
    assert world.state.backorders[0].sum() == waiting
    world.state.stock[1] = 100  # stock that arrives in time for firm 2 alone
    world.settle([{}, {}])
    assert world.version == 15
    assert world.state.backorders.sum() == 0
    assert world.history.delivered[14, 0].sum() == 0
    assert world.history.delivered[14, 1].sum() > 0


def test_replenishment_is_cut_to_what_cash_covers_product_by_product() -> None:
    world = even_world(
        initial_cash=100_000, initial_stock=(0, 0, 0), initial_target=(20, 10, 10), window_days=1
    )
    world.settle([{}, {}])
    cash = 100_000 - 40_000
    a = min(20, cash // 2600)
    b = min(10, (cash - a * 2600) // 4800)
    assert account(world, 1, 1, "procurement:A") == -a * 2600
    assert account(world, 1, 1, "procurement:B") == -b * 4800
    assert account(world, 1, 1, "procurement:C") == 0
    assert world.state.inbound[0].sum() == a + b
    assert np.all(world.state.cash >= 0)
