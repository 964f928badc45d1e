"""What holds in every world of `commerce@1`, whatever its companies decide."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.commerce.consumers import gather, weigh
from market.commerce.exogenous import Exogenous, draw
from market.commerce.state import FINES
from tests.commerce.worlds import drawn, open_world, play

SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=6, deadline=None)


@FEW
@given(SEEDS, SEEDS, st.integers(1, 8))
def test_cash_is_the_sum_of_its_postings_after_every_window(seed: int, luck: int, seats: int) -> None:
    world, random = open_world(seed, seats, days=7), Random(luck)
    sums = np.zeros(seats + 1, dtype=np.int64)
    while world.window < world.windows:
        settled = world.settle([drawn(world, seat, random) for seat in world.active()])
        np.add.at(sums, settled.postings[:, 1], settled.postings[:, 3])
        assert sums[1:].tolist() == world.state.cash[:seats].tolist()


@FEW
@given(SEEDS, SEEDS)
def test_every_unit_bought_is_sold_sent_back_liquidated_in_stock_or_on_its_way(seed: int, luck: int) -> None:
    world = play(open_world(seed, 3, days=10), Random(luck))
    for i, counters in enumerate(world.counters):
        gone = int(world.history.units[:, i].sum()) + counters["service_units"] + counters["units_liquidated"]
        held = int(world.state.stock[i].sum()) + int(world.state.inbound[i].sum())
        assert counters["units_bought"] == gone + held
        # Those sent back are among the units sold: no record is of more than was sent.
        assert (world.history.returned[:, i] <= world.history.units[:, i].sum(axis=2)).all()


@FEW
@given(SEEDS, SEEDS)
def test_the_cost_of_goods_is_conserved_too(seed: int, luck: int) -> None:
    world = play(open_world(seed, 2, days=8), Random(luck))
    for i, counters in enumerate(world.counters):
        h = world.history
        charged = -int(h.ledger[:, i, 5:7].sum())
        consumer = int(h.revenue[:, i].sum()) - int(h.contribution[:, i].sum())
        cost_of_sales = consumer + counters["service_charges_cents"] - charged
        held = int(world.state.stock_cost[i].sum()) + int(world.state.inbound_cost[i].sum())
        assert counters["procurement_cents"] == cost_of_sales + counters["liquidated_cost"] + held


@FEW
@given(SEEDS, SEEDS)
def test_no_decision_moves_what_is_exogenous(seed: int, luck: int) -> None:
    world = play(open_world(seed, 3, days=6), Random(luck))
    again = draw(world.catalog, seed)
    for name in Exogenous._fields:
        before, after = getattr(again, name), getattr(world.drawn, name)
        same = np.array_equal(before, after) if isinstance(before, np.ndarray) else before == after
        assert same, name


@FEW
@given(SEEDS)
def test_eight_idle_companies_leave_the_sellers_as_one_does(seed: int) -> None:
    ends: list[Any] = []
    for seats in (1, 8):
        world = open_world(seed, seats, days=12)
        while world.window < world.windows:
            world.settle([{}] * seats)
        state = world.state
        ends.append(
            [state.cash[seats:], state.stock[seats:], state.price[seats:], world.history.sold[:, seats:]]
        )
    for alone, among in zip(*ends, strict=True):
        assert np.array_equal(alone, among)


def _offer_alone(seed: int, price: int, ad: int, incoterm: int, units: int) -> float:
    """Return the weights of a cell with one stocked offer."""
    world = open_world(seed, 1, sellers=0)
    state, s, k = world.state, 7, 1
    state.stock[0, s], state.stock_cost[0, s], state.quality[0, s] = 50, 40_000, 30_000
    state.price[0, s, k], state.ad[0, s, k], state.incoterm[0, s, k] = price, ad, incoterm
    count = gather(world.goods, state, world.scratch, s, k)
    return float(weigh(world.goods, world.luck, state, world.scratch, 0, s, k, count, units))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 6000), st.integers(1, 3000), st.integers(0, 5000), st.integers(1, 5000), st.integers(0, 2)
)
def test_weights_rise_with_ads_and_fall_with_price(
    price: int, more: int, ad: int, ads: int, term: int
) -> None:
    weights = _offer_alone(5, price, ad, term, 3)
    assert _offer_alone(5, price, ad + ads, term, 3) > weights
    assert _offer_alone(5, price + more, ad, term, 3) < weights
    assert weights > 1.0


@pytest.mark.parametrize("seed", [3, 17, 40])
def test_a_permit_never_costs_fines(seed: int) -> None:
    """The same trader, with and without its permits: held ones bring no fine, missing ones only more."""
    fines = []
    for permits in (True, False):
        world = open_world(seed, 1)
        needed = [
            [world.desk(1).facts()["categories"][c], world.desk(1).facts()["countries"][k]]
            for c, k in zip(*np.nonzero(world.catalog.permit_needed[:2]), strict=True)
        ]
        buy = [[f"O{j:04d}", int(world.catalog.offers.moq[j])] for j in range(18)]
        places = [
            {"sku": sku, "country": country, "price": int(world.catalog.guide[s, k])}
            for s, sku in enumerate(world.desk(1).facts()["skus"][:18])
            for k, country in enumerate(world.desk(1).facts()["countries"])
        ]
        world.settle([{"permits": needed if permits else [], "buy": buy}])
        while world.window < world.windows:
            world.settle([{"list": places} if world.window == 4 else {}])
        fines.append(-int(world.history.ledger[:, 0, FINES].sum()))
    assert fines[0] == 0
    assert fines[1] > 0


@FEW
@given(SEEDS, SEEDS)
def test_facts_stay_json_and_debts_stay_positive(seed: int, luck: int) -> None:
    world, random = open_world(seed, 2, days=5), Random(luck)
    while world.window < world.windows:
        for seat in world.active():
            facts = world.desk(seat).facts()
            assert json.loads(json.dumps(facts, allow_nan=False)) == facts
            assert facts["loan_cents"] >= 0
            assert facts["payables_cents"] >= 0
            assert min(facts["stock"]) >= 0
        world.settle([drawn(world, seat, random) for seat in world.active()])
