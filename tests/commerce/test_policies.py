"""The policies of `commerce@1`: the contract's Scores within its tolerance, and what each of them does."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import anyio
import pytest

from agents.commerce.ladders import ARMS
from agents.commerce.parameters import TraderParameters
from agents.commerce.strategies import STRATEGIES
from agents.no_action import NO_ACTION
from market.commerce.market import MARKET
from market.commerce.world import CommerceWorld
from tests.commerce.worlds import open_world
from tournament.conformance import check_policy
from tournament.playing.play import play_unrecorded
from tournament.records import SeatContext
from tournament.registry import policies, policy_kind, require_vocabulary

SEEDS = (11, 29, 47)
# The contract accepts 3 percent: a port that differs in the last bit of a mean differs by a few sales.
SCORES = {
    "bayes": (35_260_433, 36_492_418, 32_935_031),
    "wholesaler": (21_738_917, 21_243_449, 19_746_969),
    "velocity": (20_947_994, 18_983_386, 21_558_207),
    "swing": (25_440_040, 26_831_715, 21_484_328),
    "broker": (18_619_230, 18_240_541, 17_464_006),
    "premium": (27_277_954, 27_965_693, 24_376_421),
    "cheapest": (-869_964, -1_292_855, -1_225_977),
    "bulk": (-2_616_154, -3_285_127, -3_305_570),
    "nearcost": (-99_014_578, -46_829_388, -67_108_395),
    "rule": (16_640_142, 15_770_792, 14_022_752),
}


@cache
def played(seed: int, *names: str) -> CommerceWorld:
    world = open_world(seed, len(names))
    seated = {}
    for seat, name in enumerate(names, start=1):
        kind = policy_kind(name)
        context = SeatContext(world="test", seat=seat, contestant=name)
        seated[seat] = kind.build(kind.parameters(), context)
    anyio.run(play_unrecorded, world, seated)
    return world


@pytest.mark.parametrize("name", SCORES)
def test_a_strategy_alone_scores_what_the_contract_prints(name: str) -> None:
    scores = [played(seed, f"commerce-{name}@1").scores()[0] for seed in SEEDS]
    assert scores == [pytest.approx(expected, rel=0.03) for expected in SCORES[name]]


def test_the_cheapest_skus_score_to_the_cent_at_seed_11() -> None:
    assert played(11, "commerce-cheapest@1").scores() == (-869_964,)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_action_loses_thirty_days_of_overhead(seed: int) -> None:
    world = played(seed, NO_ACTION.id)
    assert world.scores() == (-450_000,)
    # A ratio of nothing is 0: only a moment that never came may be empty in a table of outcomes.
    assert {name for name, value in world.outcomes()[0].items() if value is None} == {"bankrupt_day"}


def test_a_field_of_eight_crowds_out_the_profits_of_those_alone() -> None:
    names = ("bayes", "wholesaler", "velocity", "swing", "broker", "premium", "cheapest", "bulk")
    field = played(11, *(f"commerce-{name}@1" for name in names)).scores()
    printed = (183, 132, 169, 142, 157, 144, 69, 38)
    for name, score, thousands in zip(names, field, printed, strict=True):
        assert score < SCORES[name][0] * (1 if score > 0 else 0.5)
        assert (score + 8_000_000) / 100_000 == pytest.approx(thousands, rel=0.12), name


def test_every_policy_is_registered_and_speaks_this_market_alone() -> None:
    ids = {strategy.id for strategy in (*STRATEGIES, *ARMS)}
    assert ids == {name for name in policies() if name.startswith("commerce-")}
    assert len(ids) == len(STRATEGIES) + len(ARMS)
    for name in ids:
        kind = policy_kind(name)
        assert kind.id == name
        assert kind.markets == {"commerce@1"}
        require_vocabulary(kind, "commerce@1")


def test_an_arm_changes_one_mechanism_and_leaves_the_rest_of_the_core() -> None:
    standard = TraderParameters().model_dump()
    for arm in ARMS:
        row = arm.parameters().model_dump()
        changed = {name for name, value in row.items() if value != standard[name]}
        choices = changed & {name for name, value in standard.items() if isinstance(value, str)}
        assert len(choices) == (0 if arm.id == "commerce-ladder-defaults@1" else 1), arm.id
        assert changed - choices <= {"skus", "per_sku"}, arm.id


def test_parameters_travel_between_processes() -> None:
    for strategy in (*STRATEGIES, *ARMS):
        parameters = strategy.parameters()
        assert pickle.loads(pickle.dumps(parameters)) == parameters


@pytest.mark.parametrize("name", ["commerce-bayes@1", "commerce-ladder-incident-ignore@1"])
def test_a_policy_passes_the_conformance_suite(name: str) -> None:
    kind = policy_kind(name)
    check_policy(kind, {}, MARKET.configure({"days": 6}), seats=2)


def setup_of(name: str) -> dict[str, Any]:
    """Return the decision of the setup at seed 11."""
    kind = policy_kind(name)
    move = kind.decide(kind.parameters(), open_world(11, 1).desk(1).facts(), None)  # type: ignore[attr-defined]
    decision: dict[str, Any] = move.decision
    return decision


def test_the_cheapest_buyer_takes_the_cheapest_offer_of_ten_skus() -> None:
    facts, decision = open_world(11, 1).desk(1).facts(), setup_of("commerce-cheapest@1")
    price, sku = facts["offer_price"], facts["offers"]["sku"]
    for offer, _ in decision["buy"]:
        j = int(offer[1:])
        assert price[j] == min(p for p, s in zip(price, sku, strict=True) if s == sku[j])
    lowest = sorted(min(p for p, s in zip(price, sku, strict=True) if s == n) for n in range(135))[:10]
    assert {price[int(offer[1:])] for offer, _ in decision["buy"]} <= set(lowest)


def test_the_blind_route_lists_in_the_costliest_country_alone() -> None:
    assert {row["country"] for row in setup_of("commerce-ladder-route-blind@1")["list"]} == {"BR"}


def test_careless_traders_ask_for_no_permit_and_pay_fines() -> None:
    world = played(11, "commerce-ladder-permits-ignore@1")
    assert not (world.state.permit_from[0] < 99).any()
    assert world.outcomes()[0]["fines_cents"] > 0  # type: ignore[operator]
    gated = played(11, "commerce-ladder-defaults@1").outcomes()[0]
    assert (gated["fines_cents"], gated["violations"]) == (0, 0)


def test_a_static_price_is_set_once() -> None:
    world = played(11, "commerce-ladder-price-high@1")
    changes = [row for row in world.receipts if row.action.startswith("list:")]
    assert changes
    listed = [cell for row in changes for cell in row.detail.split("; ")]
    assert all(cell.endswith(", new") for cell in listed)


def test_reckless_service_promises_what_does_not_hold() -> None:
    reckless = played(11, "commerce-ladder-service-reckless@1").outcomes()[0]
    safe = played(11, "commerce-ladder-defaults@1").outcomes()[0]
    assert reckless["false_claims"] == reckless["converted"]
    assert reckless["converted"] > 0  # type: ignore[operator]
    # A delivery between reply and settlement moves the stock's mean quality: an honest claim may not hold.
    assert safe["false_claims"] * 10 < safe["converted"]  # type: ignore[operator]
