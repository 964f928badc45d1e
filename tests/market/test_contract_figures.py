"""The economic contract's own figures: test vectors, endowments, and the field under section 12."""

from __future__ import annotations

import math
from typing import Any

import pytest

from market.ceo_arena.parameters import Parameters
from tests.market.worlds import RULE, open_world, play, vector

P = Parameters()


@pytest.mark.parametrize("name", ["v1", "v2", "v3"])
def test_random_scripts_end_to_the_cent_as_two_independent_implementations_say(name: str) -> None:
    expected = vector(name)
    seats = expected["seats"]
    world = open_world(expected["seed"], len(seats))
    refused: list[list[int]] = [[] for _ in seats]
    for window in range(world.windows):
        scripts = [seat["windows"] for seat in seats]
        decisions = [script[window] if window < len(script) else {} for script in scripts]
        for seat in world.settle(decisions).refusals:
            refused[seat - 1].append(window)
    cash = world.tables().daily["cash_cents"].reshape(-1, len(seats))
    for i, (row, seat) in enumerate(zip(world.outcomes(), seats, strict=True)):
        assert row["score_cents"] == seat["score_cents"]
        assert row["tenders_won"] == seat["tenders_won"]
        assert row["bankrupt_day"] == seat["exit_day"]
        assert refused[i] == seat["refused_windows"]
        assert cash[:, i].tolist() == seat["closing_cash_cents"]


FIELD = {
    "eight Rules": ([RULE] * 8, [78359, 78662, 78069, 77994, 78309, 78368, 78529, 78453]),
    "No Action among Rules": ([{}, *[RULE] * 7], [21762, 86918, 87096, 87662, 86787, 87237, 87482, 87443]),
    "eight No Actions": ([{}] * 8, [78305, 78987, 79174, 79164, 78626, 79317, 78981, 79091]),
}


@pytest.mark.parametrize("field", FIELD, ids=str)
def test_the_field_of_fixed_policies_earns_what_the_contract_prints(field: str) -> None:
    decisions, expected = FIELD[field]
    scores = [play(decisions, seed).scores() for seed in (11, 29, 47)]
    means = [round(sum(seat) / 300) for seat in zip(*scores, strict=True)]
    assert means == expected


def heavy(window: int) -> dict[str, Any]:
    """Three breakthroughs, two tiers of capacity, development early, steady marketing, drawdown at the end."""
    channels = ("affiliate", "display", "search")
    if window == 0:
        return {
            "development": dict.fromkeys("ABC", 20000),
            "marketing": {s: dict.fromkeys(channels, 2000) for s in ("mainstream", "premium", "value")},
            "reliability": 10000,
            "support": 5000,
            "innovation": [3, 3, 3],
            "capacity": {"expand": 2},
            "reorder_targets": dict.fromkeys("ABC", 300),
        }
    if window == 15:
        return {"development": dict.fromkeys("ABC", 0)}
    return {"reorder_targets": dict.fromkeys("ABC", 0)} if window == 69 else {}


def test_a_heavy_investor_among_rules_gains_while_each_rival_loses_half_or_more() -> None:
    def scores(investors: int) -> tuple[int, ...]:
        world = open_world(11, 8)
        for window in range(world.windows):
            rest: list[dict[str, Any]] = [RULE if window == 0 else {}] * (8 - investors)
            world.settle([heavy(window)] * investors + rest)
        return world.scores()

    calm, one, crowd = scores(0), scores(1), scores(8)
    assert one[0] > calm[0] + 15_000_000
    assert all(after < 0.5 * before for after, before in zip(one[1:], calm[1:], strict=True))
    assert sum(crowd) / 8 < -15_000_000


def test_derived_endowments_have_the_printed_ratios() -> None:
    margins = [round(100 * (p - c) / p, 2) for p, c in zip(P.list_price, P.cost, strict=True)]
    liquidation = [round(100 * v / c, 2) for v, c in zip(P.liquidation, P.cost, strict=True)]
    holding = [round(100 * 365 * h / c, 2) for h, c in zip(P.holding, P.cost, strict=True)]
    assert margins == [35.0, 36.0, 37.04]
    assert liquidation == [30.77, 31.25, 30.59]
    assert holding == [28.08, 22.81, 25.76]
    assert P.initial_value == 51_600_000
    assert P.initial_cash / P.overhead[0] == 1250
    assert sum(P.initial_stock) == 20 * P.throughput[0]
    assert P.windows == 72
    assert all(21 <= days <= 49 for days in P.construction[1:])


@pytest.mark.parametrize(
    ("retention", "half_life"),
    [("goodwill_retention", 27.4), ("satisfaction_retention", 17.0), ("macro_retention", 34.3)],
)
def test_retentions_have_the_printed_half_lives(retention: str, half_life: float) -> None:
    assert round(math.log(0.5) / math.log(getattr(P, retention)), 1) == half_life


def test_a_fixed_knowledge_stock_keeps_four_fifths_over_the_horizon() -> None:
    assert round(100 * P.knowledge_retention**500, 2) == 79.85
