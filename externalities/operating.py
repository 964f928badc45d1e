"""Operating tables: Mean Score, rank and bankruptcies of every contestant, by reference set.

Mean Score averages repeats (and rotations) within a seed and lineup, lineups within a seed, then
seeds, all with equal weights (CEO Arena, section 4.2 and appendix A.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from externalities.bounds import Bounds, score_bounds
from externalities.design import ReferenceSet
from externalities.inference import Array, seed_means, t_interval
from externalities.rows import Row, TableSpec, optional
from lineups.values import Draw
from tournament.published import ScoreKind

REFERENCE = Field(description="reference policy whose set of lineups is averaged; empty without replacements")
CONTESTANT = Field(description="contestant id")


class OperatingRow(Row):
    """One contestant in one reference set."""

    reference: str = REFERENCE
    contestant: str = CONTESTANT
    rank: int | None = Field(description="rank by Mean Score, 1 the best; equal means share the better rank")
    rank_best: int = Field(description="best rank that missing worlds leave possible")
    rank_worst: int = Field(description="worst rank that missing worlds leave possible")
    mean_score_cents: float | None = Field(
        description="repeats averaged within a seed, then lineups and seeds with equal weights"
    )
    sd_cents: float | None = Field(description="sample SD (n - 1) over outcomes")
    outcomes: int = Field(description="outcomes that are there")
    planned: int = Field(description="outcomes that the plan holds")
    seeds: int = Field(description="seeds with an outcome: the clusters")
    seed_sd_cents: float | None = Field(description="sample SD over seed means")
    ci_level: float = Field(description="confidence level of the interval")
    ci_low_cents: float | None = Field(description="t(G - 1) interval on seed means, lower end")
    ci_high_cents: float | None = Field(description="the same, upper end")
    bankruptcies: int | None = Field(
        description="outcomes that ended in an exit; empty where firms of the market never leave"
    )
    bankruptcy_rate: float | None = Field(description="bankruptcies / outcomes")
    negative_scores: int = Field(description="outcomes with a Score below zero")
    note: str = Field(description="why a value is missing")


class OperatingLineupRow(Row):
    """One contestant in one lineup, over seeds."""

    reference: str = REFERENCE
    lineup: str = Field(description="lineup name")
    contestant: str = CONTESTANT
    seeds: int = Field(description="seeds with an outcome")
    outcomes: int = Field(description="outcomes that are there")
    mean_score_cents: float = Field(description="repeats averaged within a seed, then seeds")
    rank: int = Field(description="rank within the lineup by that mean")


class OperatingRunRow(Row):
    """One contestant in one run of all lineups: a rotation, seed and repeat (CEO Arena, table 4)."""

    reference: str = REFERENCE
    rotation: int = Field(description="cyclic seat shift")
    seed: int = Field(description="economic seed")
    repeat: int = Field(description="repeat of the seed")
    contestant: str = CONTESTANT
    lineups: int = Field(description="lineups with an outcome")
    mean_score_cents: float = Field(description="mean over those lineups")
    rank: int = Field(description="rank within the run by that mean")
    complete: bool = Field(description="whether every planned world of the run is there")


OPERATING = TableSpec(
    file="operating.csv", row=OperatingRow, description="Mean Score, rank and bankruptcy rate by contestant."
)
LINEUPS = TableSpec(
    file="operating_lineups.csv",
    row=OperatingLineupRow,
    description="Mean Score and rank within each lineup.",
)
RUNS = TableSpec(
    file="operating_runs.csv", row=OperatingRunRow, description="Mean Score and rank within each run."
)


def operating_rows(group: ReferenceSet, kind: ScoreKind, level: float) -> list[OperatingRow]:
    """Return one row a contestant, best first (CEO Arena, table 2)."""
    names = contestants(group)
    table = agent_by_seed(group, kind)
    means = seed_means(table)
    limits = t_interval(means, level)
    bounds = score_bounds(group, kind)
    ranks = competition_ranks(means.mean)
    rows: list[OperatingRow] = []
    for index, name in enumerate(names):
        scores, exits = _outcomes(group, name, kind)
        best, worst = rank_bounds(name, bounds)
        rows.append(
            OperatingRow(
                reference=group.reference,
                contestant=name,
                rank=ranks[index],
                rank_best=best,
                rank_worst=worst,
                mean_score_cents=optional(means.mean[index]),
                sd_cents=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
                outcomes=len(scores),
                planned=sum(world.seats.count(name) for world in group.planned),
                seeds=int(means.clusters[index]),
                seed_sd_cents=optional(means.sd[index]),
                ci_level=level,
                ci_low_cents=optional(limits.low[index]),
                ci_high_cents=optional(limits.high[index]),
                bankruptcies=exits,
                bankruptcy_rate=exits / len(scores) if scores and exits is not None else None,
                negative_scores=sum(score < 0 for score in scores),
                note=_note(int(means.clusters[index])),
            )
        )
    return sorted(rows, key=lambda row: (row.rank or len(rows) + 1, names.index(row.contestant)))


def contestants(group: ReferenceSet) -> tuple[str, ...]:
    """Return the contestants of the set that any planned world seats, in lineup order."""
    seated = {name for world in group.planned for name in world.seats}
    return tuple(name for name in group.contestants if name in seated)


def agent_by_seed(group: ReferenceSet, kind: ScoreKind) -> Array:
    """Return mean Scores in cents of shape (seeds, contestants): repeats, then lineups; NaN where none is.

    Source: CEO Arena, 4.2.
    """
    names, seeds = contestants(group), group.seeds
    cells = score_cells(group, kind)
    table = np.full((len(seeds), len(names)), np.nan)
    for (name, seed), lineups in _nested(cells).items():
        table[seeds.index(seed), names.index(name)] = sum(lineups) / len(lineups)
    return table


def score_cells(group: ReferenceSet, kind: ScoreKind) -> Mapping[tuple[str, int, str], list[int]]:
    """Return Scores by (contestant, seed, lineup), over draws and, for a reference, seats."""
    cells: dict[tuple[str, int, str], list[int]] = {}
    for world in group.played.values():
        scores = world.scores(kind)
        for seat, name in enumerate(world.seats):
            cells.setdefault((name, world.draw.seed, world.lineup), []).append(int(scores[seat]))
    return cells


def _nested(cells: Mapping[tuple[str, int, str], list[int]]) -> dict[tuple[str, int], list[float]]:
    result: dict[tuple[str, int], list[float]] = {}
    for (name, seed, _), scores in sorted(cells.items()):
        result.setdefault((name, seed), []).append(sum(scores) / len(scores))
    return result


def competition_ranks(values: Array | Sequence[float]) -> list[int | None]:
    """Return ranks from the largest, equal values sharing the better one; None for NaN."""
    array = np.asarray(values, dtype=np.float64)
    return [None if np.isnan(value) else 1 + int((array > value).sum()) for value in array]


def rank_bounds(name: str, bounds: Mapping[str, Bounds]) -> tuple[int, int]:
    """Return the best and worst rank that the bounds of all means leave possible (Manski 2003)."""
    mine = bounds[name]
    others = [bound for other, bound in bounds.items() if other != name]
    best = 1 + sum(other.low > mine.high for other in others)
    return best, 1 + sum(other.high > mine.low for other in others)


def _outcomes(group: ReferenceSet, name: str, kind: ScoreKind) -> tuple[list[int], int | None]:
    """Return a contestant's Scores and how many of these firms left; None where firms never leave."""
    scores, exits, told = [], 0, True
    for world in group.played.values():
        values = world.scores(kind)
        told = told and world.exits is not None
        for seat, seated in enumerate(world.seats):
            if seated == name:
                scores.append(int(values[seat]))
                exits += world.exits is not None and world.exits[seat] is not None
    return scores, exits if told else None


def _note(seeds: int) -> str:
    if seeds == 0:
        return "no completed world"
    return "one seed: no standard error" if seeds == 1 else ""


def lineup_rows(group: ReferenceSet, kind: ScoreKind) -> list[Row]:
    """Return means and ranks within each lineup, contestants best first (CEO Arena, section 4.2)."""
    cells = score_cells(group, kind)
    rows: list[Row] = []
    for lineup in dict.fromkeys(world.lineup for world in group.planned):
        table: dict[str, list[list[int]]] = {}
        for (name, _, where), scores in sorted(cells.items()):
            if where == lineup:
                table.setdefault(name, []).append(scores)
        means = {name: sum(sum(s) / len(s) for s in seeds) / len(seeds) for name, seeds in table.items()}
        rows += [
            OperatingLineupRow(
                reference=group.reference,
                lineup=lineup,
                contestant=name,
                seeds=len(table[name]),
                outcomes=sum(len(scores) for scores in table[name]),
                mean_score_cents=means[name],
                rank=1 + sum(other > means[name] for other in means.values()),
            )
            for name in sorted(means, key=lambda name: (-means[name], group.contestants.index(name)))
        ]
    return rows


def run_rows(group: ReferenceSet, kind: ScoreKind) -> list[Row]:
    """Return means over lineups and ranks within each run (CEO Arena, table 4)."""
    rows: list[Row] = []
    for draw in sorted({world.draw for world in group.planned}):
        table = run_means(group, draw, kind)
        means = {name: sum(lineups) / len(lineups) for name, lineups in table.items()}
        complete = all(world.world in group.played for world in group.planned if world.draw == draw)
        rows += [
            OperatingRunRow(
                reference=group.reference,
                rotation=draw.rotation,
                seed=draw.seed,
                repeat=draw.repeat,
                contestant=name,
                lineups=len(table[name]),
                mean_score_cents=means[name],
                rank=1 + sum(other > means[name] for other in means.values()),
                complete=complete,
            )
            for name in sorted(means, key=lambda name: (-means[name], group.contestants.index(name)))
        ]
    return rows


def run_means(group: ReferenceSet, draw: Draw, kind: ScoreKind) -> dict[str, list[float]]:
    """Return each contestant's mean Score by lineup in one run (CEO Arena, table 4)."""
    cells: dict[tuple[str, str], list[int]] = {}
    for world in group.played.values():
        if world.draw == draw:
            scores = world.scores(kind)
            for seat, name in enumerate(world.seats):
                cells.setdefault((name, world.lineup), []).append(int(scores[seat]))
    table: dict[str, list[float]] = {}
    for (name, _), values in sorted(cells.items()):
        table.setdefault(name, []).append(sum(values) / len(values))
    return table
