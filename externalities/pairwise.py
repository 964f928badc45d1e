"""pairwise.csv: which agent earns more than which, with intervals that hold for all pairs at once.

Agents meet the same seeds, so differences are taken within a seed. Two simultaneous intervals stand
side by side: Bonferroni's needs nothing but seeds, and is wide with three of them; Tukey's borrows the
residual of the agent-by-seed layout, and assumes it equal for all agents.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from pydantic import Field
from scipy import stats

from externalities.design import ReferenceSet
from externalities.inference import Array, SeedMeans, seed_means, t_interval
from externalities.operating import agent_by_seed, contestants
from externalities.rows import Row, TableSpec, optional
from tournament.published import ScoreKind


class PairwiseRow(Row):
    """Contestant `a` less contestant `b`."""

    reference: str = Field(description="reference set")
    a: str = Field(description="the contestant with the greater mean, or the earlier seat where equal")
    b: str = Field(description="the other contestant")
    seeds: int = Field(description="seeds in which both have a mean")
    difference_cents: float | None = Field(description="mean over seeds of the difference of seed means")
    se_cents: float | None = Field(description="its standard error over seeds")
    t_low_cents: float | None = Field(description="t(G - 1) interval of this pair alone, lower end")
    t_high_cents: float | None = Field(description="the same, upper end")
    bonferroni_low_cents: float | None = Field(
        description="simultaneous over all pairs, Bonferroni, lower end"
    )
    bonferroni_high_cents: float | None = Field(description="the same, upper end")
    tukey_low_cents: float | None = Field(
        description="simultaneous, Tukey on the agent x seed layout (equal residual variance), lower end"
    )
    tukey_high_cents: float | None = Field(description="the same, upper end")
    probability_a_higher: float | None = Field(
        description="probability that a's mean over seeds is the greater: t(G - 1) posterior, flat prior"
    )
    worlds: int = Field(description="finished worlds in which both sit")
    worlds_a_higher: float | None = Field(description="share of those in which a scores more, ties half")
    note: str = Field(description="why a value is missing")


PAIRWISE = TableSpec(
    file="pairwise.csv", row=PairwiseRow, description="Differences of Mean Score between contestants."
)


def pairwise_rows(group: ReferenceSet, kind: ScoreKind, level: float) -> list[Row]:
    """Return every pair once, the greater mean first.

    Bonferroni: level 1 - (1 - level) / pairs on paired t. Tukey: mean +- q(level; M, df) s / sqrt(G),
    s^2 the residual mean square of the two-way layout (Hsu 1996, sections 4.1 and 7.2).
    Probability: t(G - 1) of mean / se, the posterior under a flat prior (Box and Tiao 1973, section 2.5).
    """
    names = contestants(group)
    table = agent_by_seed(group, kind)
    means = seed_means(table).mean
    pairs = [_ordered(means, i, j) for i, j in combinations(range(len(names)), 2)]
    if not pairs:
        return []
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    differences = seed_means(table[:, first] - table[:, second])
    alone = t_interval(differences, level)
    joint = t_interval(differences, 1 - (1 - level) / len(pairs))
    margin = _tukey_margin(table, level)
    probability = _probability(differences)
    rows: list[Row] = []
    for index, (i, j) in enumerate(pairs):
        worlds, share = _meetings(group, names[i], names[j], kind)
        difference = differences.mean[index]
        rows.append(
            PairwiseRow(
                reference=group.reference,
                a=names[i],
                b=names[j],
                seeds=int(differences.clusters[index]),
                difference_cents=optional(difference),
                se_cents=optional(differences.se[index]),
                t_low_cents=optional(alone.low[index]),
                t_high_cents=optional(alone.high[index]),
                bonferroni_low_cents=optional(joint.low[index]),
                bonferroni_high_cents=optional(joint.high[index]),
                tukey_low_cents=None if margin is None else optional(difference - margin),
                tukey_high_cents=None if margin is None else optional(difference + margin),
                probability_a_higher=optional(probability[index]),
                worlds=worlds,
                worlds_a_higher=share,
                note=_note(int(differences.clusters[index]), margin),
            )
        )
    return rows


def _ordered(means: Array, i: int, j: int) -> tuple[int, int]:
    return (j, i) if means[j] > means[i] else (i, j)


def _tukey_margin(table: Array, level: float) -> float | None:
    """Return the half width common to all pairs, None unless the layout is complete and has two seeds."""
    seeds, agents = table.shape
    if np.isnan(table).any() or seeds < 2 or agents < 2:
        return None
    rest = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    degrees = (agents - 1) * (seeds - 1)
    spread = float(np.sqrt((rest**2).sum() / degrees / seeds))
    return float(stats.studentized_range.ppf(level, agents, degrees)) * spread


def _probability(differences: SeedMeans) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = differences.mean / np.where(differences.se > 0, differences.se, np.nan)
    p: Array = np.asarray(stats.t.cdf(statistic, np.maximum(differences.clusters - 1, 1)), dtype=np.float64)
    return p


def _meetings(group: ReferenceSet, a: str, b: str, kind: ScoreKind) -> tuple[int, float | None]:
    """Return in how many worlds both sit and the share in which a scores more."""
    wins: list[float] = []
    for world in group.played.values():
        if a in world.seats and b in world.seats:
            scores = world.scores(kind)
            mine, theirs = scores[world.seats.index(a)], scores[world.seats.index(b)]
            wins.append(1.0 if mine > theirs else 0.5 if mine == theirs else 0.0)
    return len(wins), sum(wins) / len(wins) if wins else None


def _note(seeds: int, margin: float | None) -> str:
    if seeds == 0:
        return "no seed in which both have a mean"
    if seeds == 1:
        return "one seed: no standard error"
    return "" if margin is not None else "Tukey needs every contestant in every seed"
