"""What a decision may hold: refused whole for its form, item by item for what is not possible."""

from __future__ import annotations

from typing import Any

import pytest

from tests.commerce.worlds import open_world

LISTED = {"sku": "SH-04", "country": "US", "price": 4000}


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ([], "a decision must be an object"),
        ({"bye": 1}, "unknown field 'bye'; allowed: focus, borrow"),
        ({"borrow": True}, "borrow must be a whole number from 1"),
        ({"borrow": 1.5}, "borrow must be a whole number"),
        ({"borrow": 0}, "borrow must be from 1 to 1000000000"),
        ({"focus": ["SH", "TB", "AP", "EL"]}, "focus takes at most 3 items"),
        ({"focus": ["SH", "SH"]}, "each category at most once"),
        ({"focus": ["XX"]}, "unknown 'XX'; allowed: SH, TB"),
        ({"liquidate": {"SH-10": 1}}, "unknown 'SH-10'"),
        ({"permits": [["SH", "US"], ["SH", "US"]]}, "at most once"),
        ({"permits": [["SH"]]}, "permits[0] takes [category, country]"),
        ({"buy": [["O0965", 5]]}, "unknown 'O0965'; allowed: O0000 to O0964"),
        ({"buy": [["O0001", 5, "later"]]}, "allowed: cash, net7"),
        ({"buy": [["O0001", 1_000_001]]}, "buy[0] units must be from 1 to 1000000"),
        ({"buy": [["O0001", 5]] * 101}, "buy takes at most 100 items, got 101"),
        ({"delist": [["SH-04", "US"], ["SH-04", "US"]]}, "each SKU and country at most once"),
        ({"list": [LISTED, LISTED]}, "each SKU and country at most once"),
        ({"list": [{"sku": "SH-04"}]}, "list[0]: country is missing"),
        ({"list": [{**LISTED, "color": 1}]}, "unknown field 'color'"),
        ({"list": [{**LISTED, "price": 10_000_001}]}, "list[0].price must be from 1 to 10000000"),
        ({"list": [{**LISTED, "promotion": 51}]}, "list[0].promotion must be from 0 to 50"),
        ({"list": [{**LISTED, "tiers": [[10, 5], [10, 6]]}]}, "must begin at more units"),
        ({"list": [{**LISTED, "tiers": [[1, 5]]}]}, "must be from 2 to 120"),
        ({"list": [{**LISTED, "speed": "fast"}]}, "allowed: standard, express"),
        ({"replies": [{"inquiry": 0, "price": 9}]}, "inquiry 0 is not open now"),
    ],
)
def test_a_malformed_decision_is_refused_whole_with_the_place_and_what_is_allowed(
    decision: Any, reason: str
) -> None:
    world = open_world(11, 1)
    told = world.desk(1).check(decision)
    assert told is not None
    assert reason in told
    cash = int(world.state.cash[0])
    settled = world.settle([decision])
    assert settled.refusals == {1: told}
    assert int(world.state.cash[0]) == cash


def test_integral_reals_are_whole_numbers() -> None:
    assert open_world(11, 1).desk(1).check({"borrow": 1e3}) is None


@pytest.mark.parametrize(
    ("decision", "action", "reason"),
    [
        ({"borrow": 4_000_001}, "borrow", "at most 4000000 cents more"),
        ({"liquidate": {"SH-04": 1}}, "liquidate:SH-04", "more than the stock of 0"),
        ({"permits": [["SH", "CN"]]}, "permit:SH:CN", "no permit is needed"),
        ({"buy": [["O0001", 39]]}, "buy:O0001", "units must be from 40 (MOQ)"),
        ({"buy": [["O0001", 40, "net7"]]}, "buy:O0001", "net7 takes 3 orders with the supplier, so far 0"),
        ({"delist": [["SH-04", "US"]]}, "delist:SH-04:US", "there is no such listing"),
        ({"list": [{"sku": "SH-04", "country": "US", "ad": 5}]}, "list:SH-04:US", "needs a price"),
    ],
)
def test_an_impossible_item_is_refused_alone_and_the_rest_stands(
    decision: dict[str, Any], action: str, reason: str
) -> None:
    world = open_world(11, 1)
    settled = world.settle([{**decision, "focus": ["EL"]}])
    refused = [row for row in settled.receipts if row.status == "refused"]
    assert [row.action for row in refused] == [action]
    assert reason in refused[0].detail
    assert world.desk(1).facts()["focus"] == [3]
    assert world.counters[0]["items_refused"] == 1


def test_a_focus_is_free_in_the_setup_and_costs_later() -> None:
    world = open_world(11, 1)
    world.settle([{"focus": ["EL"]}])
    assert int(world.state.cash[0]) == 8_000_000
    world.settle([{"focus": ["SH"]}])
    assert int(world.state.cash[0]) == 8_000_000 - 20_000 - 15_000


def test_seats_are_bounded() -> None:
    for seats in (0, 9):
        with pytest.raises(Exception, match="seats 1 to 8 firms"):
            open_world(1, seats)


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        ({"day": 1}, "unknown override 'day'; did you mean days"),
        ({"sellers": 30}, "allowed"),
        ({"days": 31}, "days"),
        ({"days": "3"}, "days"),
    ],
)
def test_a_wrong_override_is_one_clear_line(overrides: dict[str, Any], told: str) -> None:
    with pytest.raises(Exception, match=told) as caught:
        open_world(1, 1, **overrides)
    assert "\n" not in str(caught.value)
