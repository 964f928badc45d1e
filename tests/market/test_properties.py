"""Properties that hold whatever firms decide: books balance, nothing goes negative, luck stays the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from market.ceo_arena.world import CompanyWorld
from tests.market.worlds import open_world

cents = st.integers(0, 200_000)
products = st.sampled_from("ABC")
segments = st.sampled_from(["mainstream", "premium", "value"])
channels = st.sampled_from(["affiliate", "display", "search"])
capacity = st.one_of(
    st.builds(lambda tier: {"expand": tier}, st.integers(0, 4)),
    st.builds(lambda tier: {"downsize": tier}, st.integers(0, 3)),
    st.just({"cancel": True}),
)
decisions = st.fixed_dictionaries(
    {},
    optional={
        "prices": st.dictionaries(products, st.integers(1, 45_000)),
        "promotions": st.dictionaries(products, st.integers(0, 55)),
        "reorder_targets": st.dictionaries(products, st.integers(0, 900)),
        "development": st.dictionaries(products, cents),
        "marketing": st.dictionaries(segments, st.dictionaries(channels, cents)),
        "reliability": cents,
        "support": cents,
        "capacity": capacity,
        "innovation": st.lists(st.integers(1, 3), max_size=4),
        "research": st.lists(segments, max_size=2),
        "bids": st.dictionaries(st.sampled_from("0123"), st.integers(1, 17_000)),
    },
)
scripts = st.lists(st.tuples(decisions, decisions, decisions), min_size=1, max_size=9)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def played(script: list[tuple[Any, ...]], seed: int = 5) -> CompanyWorld:
    world = open_world(seed, 3, days=63)
    for decision in script:
        world.settle(list(decision))
    while world.window < world.windows:
        world.settle([{}] * 3)
    return world


@quick
@given(scripts)
def test_cash_is_the_sum_of_postings_and_the_outcome_columns_add_up(script: list[tuple[Any, ...]]) -> None:
    world = open_world(5, 3, days=63)
    booked = np.zeros(3, dtype=np.int64)
    for window in range(world.windows):
        settlement = world.settle(list(script[window]) if window < len(script) else [{}] * 3)
        np.add.at(booked, settlement.postings[:, 1] - 1, settlement.postings[:, 3])
        assert booked.tolist() == world.state.cash.tolist()
    costs = ("procurement", "holding", "development", "marketing", "reliability", "support", "overhead",
             "capacity", "innovation", "research", "refunds", "penalties")  # fmt: skip
    for row in world.outcomes():
        spent = sum(row[f"{name}_cents"] or 0 for name in costs)
        assert row["final_cash_cents"] == 50_000_000 + (row["revenue_cents"] or 0) - spent
        assert row["score_cents"] == row["final_cash_cents"] + row["salvage_cents"] - 51_600_000


@quick
@given(scripts)
def test_stock_capacity_and_reservations_never_go_wrong(script: list[tuple[Any, ...]]) -> None:
    world = played(script)
    history = world.history
    assert (history.stock >= 0).all()
    assert (world.state.reserved >= 0).all()
    assert np.array_equal(world.state.waiting, world.state.backorders.sum(axis=(1, 2)))
    assert (world.state.reserved <= world.state.stock).all()
    tiers = history.core[:, :, 0].astype(int)
    throughput = np.array(world.parameters.throughput)[tiers]
    assert (history.delivered.sum(axis=(2, 3)) <= throughput).all()
    assert (history.served <= history.demand).all()
    assert ((world.state.satisfaction >= 0) & (world.state.satisfaction <= 1)).all()
    assert ((world.state.reliability > 0.9) & (world.state.reliability <= 1)).all()


@quick
@given(scripts)
def test_arrivals_are_split_among_offers_and_the_outside_option(script: list[tuple[Any, ...]]) -> None:
    world = played(script)
    wanted = world.history.demand.sum(axis=(1, 3))
    assert (wanted <= world.luck.arrivals).all()
    assert (world.history.sold + world.history.unserved <= wanted).all()


@quick
@given(scripts)
def test_the_same_decisions_give_the_same_hashes_and_luck_ignores_them(script: list[tuple[Any, ...]]) -> None:
    one, two, other = played(script), played(script), played([])
    assert one.scores() == two.scores()
    assert one.history.deep.tobytes() == two.history.deep.tobytes()
    for mine, theirs in zip(one.luck[:-1], other.luck[:-1], strict=True):
        assert np.array_equal(mine, theirs)


@quick
@given(scripts)
def test_a_check_changes_nothing_and_agrees_with_the_settlement(script: list[tuple[Any, ...]]) -> None:
    world = open_world(5, 3, days=63)
    for decision in script:
        before = json.dumps(dict(world.desk(1).facts()))
        verdicts = [world.desk(seat).check(decision[seat - 1]) for seat in (1, 2, 3)]
        world.desk(1).preview(decision[0])
        assert json.dumps(dict(world.desk(1).facts())) == before
        active = world.active()
        refusals = world.settle(list(decision)).refusals
        assert refusals == {s: v for s, v in zip((1, 2, 3), verdicts, strict=True) if v and s in active}


@quick
@given(scripts, st.permutations(range(3)))
def test_permuting_firms_with_their_luck_and_order_permutes_the_results(
    script: list[tuple[Any, ...]], permutation: list[int]
) -> None:
    plain, moved = open_world(5, 3, days=63), open_world(5, 3, days=63)
    luck = moved.luck
    for own in (luck.project_days, luck.project_gain, luck.report_noise):
        own[permutation] = own.copy()
    luck.tenders.tie[:, permutation] = luck.tenders.tie.copy()
    luck.order[:] = permutation
    for window in range(plain.windows):
        decision = list(script[window]) if window < len(script) else [{}] * 3
        plain.settle(decision)
        shuffled: list[Any] = [None] * 3
        for firm, place in enumerate(permutation):
            shuffled[place] = decision[firm]
        moved.settle(shuffled)
    assert [moved.scores()[place] for place in permutation] == list(plain.scores())
    assert np.array_equal(moved.history.ledger[:, permutation], plain.history.ledger)
    assert np.array_equal(moved.history.core[:, permutation], plain.history.core)


names = st.sampled_from(["prices", "bids", "capacity", "A", "0", "expand", "x"])
leaves = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3)
)


@quick
@given(values)
def test_any_json_value_is_accepted_or_refused_with_a_reason(value: Any) -> None:
    reason = open_world(5, 2, days=7).desk(1).check(value)
    assert reason is None or (isinstance(reason, str) and 0 < len(reason) < 600)
