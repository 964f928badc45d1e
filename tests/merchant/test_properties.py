"""What holds in every world: books that balance, orders that end once, and seats that are all alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from market.merchant.accounts import DEPOSIT_ACCOUNT
from market.merchant.demand import arrivals
from market.merchant.state import (
    CASH,
    CLOSED_ORDER,
    DEPOSIT,
    EVENT_KIND,
    EVENT_ORDER,
    EVENTS_TOLD,
    ON_SETTLE,
    ORDERS_BORN,
    RECEIVABLE,
    STAGE,
    TRANSIT,
)
from tests.merchant.worlds import opened, play_drawn

worlds = settings(
    max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
seeds = st.integers(min_value=0, max_value=2**40)
forms = st.sampled_from(["share", "none"])


@worlds
@given(seed=seeds, competition=forms, seats=st.integers(1, 5))
def test_cash_and_deposit_equal_their_postings_after_every_half_day(
    seed: int, competition: str, seats: int
) -> None:
    world = opened({"days": 15, "products": 50, "competition": competition}, seed=seed, seats=seats)
    _, settlements = play_drawn(world, seed)
    cash, deposit = np.zeros(seats, dtype=np.int64), np.full(seats, 100_000)
    for w, settlement in enumerate(settlements):
        rows = settlement.postings
        np.add.at(cash, rows[:, 1] - 1, rows[:, 3])
        own = rows[rows[:, 2] == DEPOSIT_ACCOUNT]
        np.subtract.at(deposit, own[:, 1] - 1, own[:, 3])
        assert np.array_equal(cash, world.history.closing[w, :, 0])
        assert np.array_equal(deposit, world.history.closing[w, :, 1])
        assert (cash >= 0).all()
        assert ((deposit >= 0) & (deposit <= 100_000)).all()


@worlds
@given(seed=seeds, competition=forms)
def test_every_order_ends_in_one_way_and_nothing_is_left_open(seed: int, competition: str) -> None:
    world = opened({"days": 12, "products": 50, "competition": competition}, seed=seed)
    play_drawn(world, seed)
    born = int(world.books.tally[ORDERS_BORN])
    events = world.books.event[: int(world.books.tally[EVENTS_TOLD])]
    ended = events[events[:, EVENT_KIND] >= ON_SETTLE][:, EVENT_ORDER]
    assert sorted(ended.tolist()) == list(range(born))
    assert (world.books.order[:born, STAGE] == CLOSED_ORDER).all()
    assert not world.books.seat[:, [TRANSIT, RECEIVABLE]].any()
    for metrics, held in zip(world.outcomes(), world.books.seat, strict=True):
        spent = metrics["procurement_cents"], metrics["fines_cents"]
        assert metrics["score_cents"] == metrics["revenue_cents"] - sum(spent)
        assert metrics["score_cents"] == int(held[CASH] + held[DEPOSIT]) - 300_000
        assert metrics["orders"] == metrics["units_sold"] + sum(
            metrics[name] for name in ("cancelled", "returned", "refunded")
        )


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.floats(0, 50), st.floats(0, 50), st.floats(0, 1, exclude_max=True))
def test_a_higher_intensity_never_lowers_the_arrivals_of_a_draw(one: float, two: float, draw: float) -> None:
    low, high = sorted((one, two))
    assert arrivals(low, draw) <= arrivals(high, draw)


@worlds
@given(seed=seeds)
def test_rivals_move_no_demand_no_supplier_price_and_no_availability(seed: int) -> None:
    overrides = {"days": 10, "products": 50}
    busy, idle = opened(overrides, seed=seed), opened(overrides, seed=seed)
    play_drawn(busy, seed)
    while idle.window < idle.windows:
        idle.settle([{}] * 3)
    for name in ("market_demand", "available_products", "price_index"):
        assert np.array_equal(busy.tables().market[name], idle.tables().market[name])
    assert np.array_equal(busy.suppliers.price, idle.suppliers.price)
    assert np.array_equal(busy.suppliers.ship, idle.suppliers.ship)


@worlds
@given(seed=seeds)
def test_stores_on_different_products_do_not_care_which_seat_they_have(seed: int) -> None:
    """Under shared buyers a seat enters a product-hour through its turn alone: without a rival on the
    product, permuted seats and decisions give permuted results."""
    shelves: list[dict[str, Any]] = [
        {"list": {f"P{i:05d}": 2500 for i in range(first, 50, 3)}} for first in range(3)
    ]
    straight = opened({"days": 12, "products": 50}, seed=seed)
    turned = opened({"days": 12, "products": 50}, seed=seed)
    for world, row in ((straight, shelves), (turned, [shelves[2], shelves[0], shelves[1]])):
        world.settle(row)
        while world.window < world.windows:
            world.settle([{}] * 3)
    a, b, c = straight.scores()
    assert turned.scores() == (c, a, b)


def test_the_tables_grow_when_they_must_and_nothing_changes() -> None:
    """The kernel stops before an hour that might not fit, and goes on where it stopped."""
    overrides = {"days": 8, "products": 50}
    rows, first = play_drawn(opened(overrides), 4)
    tight = opened(overrides)
    for row, settlement in zip(rows, first, strict=True):
        used = [int(tight.books.tally[k]) for k in range(3)]
        tight.books = tight.books._replace(
            order=tight.books.order[: used[0]].copy(),
            order_next=tight.books.order_next[: used[0]].copy(),
            event=tight.books.event[: used[1]].copy(),
            change=tight.books.change[: used[2]].copy(),
        )
        assert tight.settle(row).hashes == settlement.hashes
