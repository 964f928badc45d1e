"""The policies earn what the contract says, to the fen; a store that does nothing earns nothing."""

from __future__ import annotations

from typing import Any

import pytest

from agents.merchant.pricer import MERCHANT_PRICER
from agents.merchant.quality import MERCHANT_QUALITY
from agents.merchant.rule import MERCHANT_RULE
from agents.merchant.season import MERCHANT_SEASON
from agents.strategy import Strategy
from tests.merchant.worlds import opened, play

SEEDS = (11, 29, 47)
ALONE: tuple[tuple[Strategy[Any], tuple[int, int, int]], ...] = (
    (MERCHANT_RULE, (2_170_544, 2_406_878, 1_697_573)),
    (MERCHANT_QUALITY, (4_018_178, 5_048_567, 5_009_990)),
    (MERCHANT_SEASON, (5_915_552, 6_785_730, 7_068_363)),
    (MERCHANT_PRICER, (4_671_002, 5_801_051, 5_538_989)),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "seed", "score"),
    [
        (strategy, seed, score)
        for strategy, scores in ALONE
        for seed, score in zip(SEEDS, scores, strict=True)
    ],
    ids=lambda value: getattr(value, "id", str(value)),
)
def test_a_merchant_alone_earns_its_recorded_score(strategy: Strategy[Any], seed: int, score: int) -> None:
    assert play(opened(seed=seed, seats=1), [strategy]).scores() == (score,)


@pytest.mark.slow
def test_eight_rule_merchants_earn_their_recorded_scores() -> None:
    world = play(opened(seats=8), [MERCHANT_RULE] * 8)
    assert world.scores() == (450_112, 505_528, 444_457, 438_419, 332_583, 570_291, 330_569, 647_397)


# Net assets in thousands of RMB by seat: Rule, Quality, Season, Pricer, and all four once more.
FIELD = {
    11: (6.87, 9.00, 22.75, 27.57, 8.85, 9.00, 28.78, 24.59),
    29: (8.74, 11.99, 29.21, 26.40, 7.29, 9.58, 19.87, 30.12),
    47: (7.39, 11.67, 21.49, 26.17, 6.68, 11.93, 31.43, 28.13),
}


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "net_assets"), FIELD.items())
def test_a_mixed_field_ends_with_its_recorded_net_assets(seed: int, net_assets: tuple[float, ...]) -> None:
    seats = [MERCHANT_RULE, MERCHANT_QUALITY, MERCHANT_SEASON, MERCHANT_PRICER] * 2
    world = play(opened(seed=seed, seats=8), seats)
    assert tuple(round((score + 300_000) / 100_000, 2) for score in world.scores()) == net_assets


def test_a_store_that_does_nothing_scores_nothing() -> None:
    world = opened({"days": 30})
    while world.window < world.windows:
        world.settle([{}, None, {}])
    assert world.scores() == (0, 0, 0)
