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


def test_a_store_that_does_nothing_scores_nothing() -> None:
    world = opened({"days": 30})
    while world.window < world.windows:
        world.settle([{}, None, {}])
    assert world.scores() == (0, 0, 0)
