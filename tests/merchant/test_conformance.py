"""The market and its policies keep the rules of the shipped suite, and those that its draws do not reach."""

from __future__ import annotations

import json
from random import Random

import numpy as np
import pytest

from tests.merchant.worlds import SHORT, drawn, opened, play_drawn
from tournament import registry
from tournament.conformance import check_market, check_policy
from tournament.ports import Desk
from tournament.records import Decision, Json

POLICIES = ("merchant-rule@1", "merchant-quality@1", "merchant-season@1", "merchant-pricer@1", "no_action@1")


def dear_listing(desk: Desk) -> Decision:
    """At 1,000,000 fen nobody buys, and nobody sees the shelf within the window."""
    return {"list": {"P00007": 1_000_000}}


@pytest.mark.parametrize(
    ("seats", "overrides"),
    [
        (3, {"days": 6, "products": 50}),
        pytest.param(3, {"days": 20, "products": 120}, marks=pytest.mark.slow),
        pytest.param(1, {"days": 20, "products": 120}, marks=pytest.mark.slow),
    ],
)
def test_the_market_keeps_the_rules_and_gives_what_it_declares(
    seats: int, overrides: dict[str, Json]
) -> None:
    check_market(
        registry.market_kind("merchant@1"),
        seed=11,
        seats=seats,
        private=dear_listing,
        overrides=overrides,
        exogenous=("market_demand", "available_products", "price_index"),
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_decides_on_facts_and_memo_alone(policy: str) -> None:
    market = registry.market_kind("merchant@1").configure({"days": 16, "products": 80})
    check_policy(registry.policy_kind(policy), {}, market)


@pytest.mark.parametrize("competition", ["share", "none"])
def test_the_same_decisions_after_a_passage_through_json_give_the_same_world(competition: str) -> None:
    overrides = {**SHORT, "competition": competition}
    rows, first = play_drawn(opened(overrides), 5)
    again = opened(overrides)
    for before, row in zip(first, json.loads(json.dumps(rows)), strict=True):
        after = again.settle(row)
        assert (before.hashes, before.receipts, before.refusals) == (
            after.hashes,
            after.receipts,
            after.refusals,
        )
        assert np.array_equal(before.postings, after.postings)


def test_growing_tables_add_rows_behind_those_known_and_looking_changes_nothing() -> None:
    overrides = {"days": 12, "products": 60}
    rows, settlements = play_drawn(opened(overrides, seats=2), 8)
    world = opened(overrides, seats=2)
    known: dict[tuple[int, str], list[tuple[object, ...]]] = {}
    random, before = Random(3), 0
    for row, settlement in zip(rows, settlements, strict=True):
        for seat in world.active():
            desk = world.desk(seat)
            for table in desk.tables():
                held = list(desk.rows(table.name))
                assert all(len(values) == len(table.columns) for values in held)
                if table.grows:
                    known[seat, table.name] = [
                        *known.get((seat, table.name), []),
                        *desk.rows(table.name, before),
                    ]
                    assert known[seat, table.name] == held, table.name
            desk.brief()
            other = drawn(desk, random)
            assert desk.check(other) is None
            desk.preview(other)
        before = world.version
        assert world.settle(row).hashes == settlement.hashes
    assert any(known[1, name] for name in ("order_events", "closed_orders", "supply_changes"))


def test_a_rivals_listing_shows_after_a_day_and_not_before() -> None:
    world = opened(SHORT, seats=2)
    shown = []
    for window in range(4):
        shown.append(world.desk(1).facts()["offers"]["product"])
        world.settle([{}, {"list": {"P00007": 1_000_000}} if window == 0 else {}])
    assert shown == [[], [], ["P00007"], ["P00007"]]
