"""Split-half stability: whole seeds are split, the same split for all agents.

Business Arena's Appendix H splits the repeats of each model on its own, which is right in one shared
world; where agents share seeds, a split of seeds keeps the economy's luck out of the agreement.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from externalities.inference import Array

FEWEST_SEEDS = 4
MOST_SPLITS = 50_000
LEADERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitHalf:
    """Agreement of two halves over all splits; None with a `note` where it is undefined.

    `spearman` is the mean rank correlation, `leaders` and `leader` the shares of splits whose halves
    agree on the leading three as a set and on the first.
    """

    seeds: int
    splits: int
    enumerated: bool
    spearman: float | None
    spearman_low: float | None
    leaders: float | None
    leader: float | None
    note: str


def split_half(table: Array, generator: np.random.Generator) -> SplitHalf:
    """Return split-half agreement of a complete table (seeds, agents), as Appendix H reports it.

    rho = Spearman's correlation of the two halves' mean Scores, over all splits below 50,000, else over
    50,000 drawn ones (Business Arena, appendix H; Spearman 1904). `spearman_low` is its 2.5 % point.
    """
    seeds, agents = table.shape
    if seeds < FEWEST_SEEDS:
        return _none(seeds, f"fewer than {FEWEST_SEEDS} seeds: a half would be one seed or none")
    if agents < 3:
        return _none(seeds, "fewer than 3 agents: a rank correlation says nothing")
    masks, enumerated = _halves(seeds, generator)
    first = masks @ table / masks.sum(axis=1, keepdims=True)
    second = (~masks) @ table / (~masks).sum(axis=1, keepdims=True)
    rho = _spearman(first, second)
    if np.isnan(rho).all():
        return _none(seeds, "all agents are equal in every half")
    return SplitHalf(
        seeds=seeds,
        splits=len(masks),
        enumerated=enumerated,
        spearman=float(np.nanmean(rho)),
        spearman_low=float(np.nanquantile(rho, 0.025)),
        leaders=_same_leaders(first, second, LEADERS) if agents > LEADERS else None,
        leader=_same_leaders(first, second, 1),
        note="",
    )


def _halves(seeds: int, generator: np.random.Generator) -> tuple[NDArray[np.bool_], bool]:
    """Return masks of first halves; for an even number each split appears once, with seed 0 in front."""
    half = seeds // 2
    count = comb(seeds, half) // (2 if seeds % 2 == 0 else 1)
    if count < MOST_SPLITS:
        chosen = [picked for picked in combinations(range(seeds), half) if seeds % 2 == 1 or 0 in picked]
        masks = np.zeros((len(chosen), seeds), dtype=np.bool_)
        masks[np.arange(len(chosen))[:, None], np.array(chosen)] = True
        return masks, True
    order = np.argsort(generator.random((MOST_SPLITS, seeds)), axis=1)
    masks = np.zeros((MOST_SPLITS, seeds), dtype=np.bool_)
    np.put_along_axis(masks, order[:, :half], True, axis=1)
    return masks, False


def _spearman(first: Array, second: Array) -> Array:
    """Return rank correlations row by row, average ranks for ties; NaN where a half has no spread."""
    a, b = (stats.rankdata(side, axis=1) for side in (first, second))
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    bottom = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation: Array = np.where(bottom > 0, (a * b).sum(axis=1) / bottom, np.nan)
    return correlation


def _same_leaders(first: Array, second: Array, count: int) -> float:
    tops = [np.sort(np.argsort(-side, axis=1, kind="stable")[:, :count], axis=1) for side in (first, second)]
    return float((tops[0] == tops[1]).all(axis=1).mean())


def _none(seeds: int, note: str) -> SplitHalf:
    return SplitHalf(
        seeds=seeds,
        splits=0,
        enumerated=False,
        spearman=None,
        spearman_low=None,
        leaders=None,
        leader=None,
        note=note,
    )
