"""Tenders at their edges: ties, quality, stock, capacity, delivery on the due day, fines, the horizon."""

from __future__ import annotations

import hashlib

import pytest

from market.ceo_arena.world import CompanyWorld
from tests.market.worlds import account, open_world

QUIET = {"initial_target": (0, 0, 0), "window_days": 7}


def tender_world(seats: int = 2, **overrides: object) -> CompanyWorld:
    """A market without customers, in which tender 0 asks for 100 units of B at base quality."""
    world = open_world(11, seats, **{**QUIET, **overrides})
    world.luck.arrivals[:] = 0
    tenders = world.luck.tenders
    tenders.product[0], tenders.quantity[0] = 1, 100
    tenders.reservation[0], tenders.minimum_quality[0] = 9375, 0.6
    return world


def bid(price: int) -> dict[str, object]:
    return {"bids": {"0": price}}


def test_the_lowest_qualifying_bid_wins_at_its_own_price_and_is_delivered_the_next_day() -> None:
    world = tender_world()
    world.settle([bid(9000), bid(8999)])
    assert world.state.won.tolist() == [0, 1]
    assert world.state.reserved[1].tolist() == [0, 100, 0]
    assert account(world, 7, 2, "revenue:B:enterprise") == 0
    world.settle([{}, {}])
    delivered = [int(world.history.delivered[day, 1, 3, 1]) for day in (7, 8)]
    assert delivered == [60, 40]  # throughput is 60 a day
    assert account(world, 8, 2, "revenue:B:enterprise") == 60 * 8999
    facts = world.desk(1).facts()
    assert facts["tender_results"] == [
        {"tender": 0, "product": "B", "quantity": 100, "winner_seat": 2, "price_cents": 8999, "closed_day": 7}
    ]


def test_equal_bids_are_resolved_by_the_smallest_seed_keyed_hash() -> None:
    world = tender_world(seats=4)
    world.settle([bid(9000)] * 4)
    keys = [hashlib.sha256(f"ceo-arena-v1/11/tender-tie/0/{i}".encode()).hexdigest() for i in range(4)]
    assert world.state.won.tolist().index(1) == keys.index(min(keys))


def test_a_bid_of_a_firm_whose_quality_is_just_short_is_passed_over() -> None:
    world = tender_world()
    world.luck.tenders.minimum_quality[0] = 0.6 + 1e-9
    world.settle([{**bid(9000), "development": {"B": 5000}}, bid(1)])
    assert world.state.won.tolist() == [1, 0]


def test_stock_reserved_at_an_earlier_award_can_not_be_used_again() -> None:
    world = tender_world(
        tender_every=7, tender_delivery_days=14, throughput=(20, 90, 130, 180), initial_stock=(0, 150, 0)
    )
    tenders = world.luck.tenders
    tenders.product[1], tenders.quantity[1], tenders.reservation[1] = 1, 100, 9375
    tenders.minimum_quality[1] = 0.6
    world.settle([bid(9000), {}])
    world.settle([{"bids": {"1": 9000}}, {}])
    # 150 on hand, of which 100 were promised; on day 14 those 100 have left at 20 a day but 50 remain.
    assert world.state.won.tolist() == [1, 0]


@pytest.mark.parametrize(("throughput", "wins"), [(15, 1), (14, 0)])
def test_the_delivery_window_must_have_capacity_for_the_quantity(throughput: int, wins: int) -> None:
    world = tender_world(throughput=(throughput, 90, 130, 180))
    world.luck.tenders.quantity[0] = 7 * 15
    world.settle([bid(9000), {}])
    assert world.state.won.tolist() == [wins, 0]


def test_a_pending_downsizing_counts_in_the_delivery_window() -> None:
    world = tender_world(throughput=(10, 60, 130, 180), construction=(0, 1, 35, 49), downsize_days=7)
    world.state.tier[:] = 1
    world.settle([{**bid(9000), "capacity": {"downsize": 0}}, {}])
    # The tier falls on day 8: 7 days at 10 units are not enough for 100.
    assert world.state.won.tolist() == [0, 0]


def test_delivery_on_the_due_day_counts_and_the_rest_is_fined_rounded_down() -> None:
    world = tender_world(throughput=(15, 90, 130, 180))
    world.luck.tenders.quantity[0] = 100
    world.settle([bid(9005), {}])
    world.state.stock[0, 1] = 93  # some of the reserved stock is lost
    world.settle([{}, {}])
    assert account(world, 14, 1, "revenue:B:enterprise") == 3 * 9005
    assert account(world, 14, 1, "penalties") == -(7 * 9005 // 10)
    assert world.state.reserved[0].tolist() == [0, 0, 0]
    world.settle([{}, {}])
    assert sum(account(world, day, 1, "penalties") for day in range(15, 22)) == 0


def test_no_tender_opens_whose_closing_leaves_no_delivery_day() -> None:
    for days, count in ((7, 0), (8, 1), (21, 1), (22, 2)):
        tenders = open_world(11, 2, days=days).luck.tenders
        assert len(tenders.opens) == count
        assert all(
            due <= days and due > closes for due, closes in zip(tenders.due, tenders.closes, strict=True)
        )


def test_bids_stand_only_on_tenders_open_now_and_up_to_the_reservation_price() -> None:
    world = tender_world()
    desk = world.desk(1)
    assert desk.check(bid(9375)) is None
    assert "from 1 to 9375" in str(desk.check(bid(9376)))
    assert "not open now; open: 0" in str(desk.check({"bids": {"1": 5000}}))
    for key in ("00", "+0", "0.0", " 0", "x"):
        assert "plain decimals" in str(desk.check({"bids": {key: 5000}}))
    world.settle([{}, {}])
    assert "not open now; open: none" in str(world.desk(1).check(bid(9000)))
