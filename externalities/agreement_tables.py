"""icc.csv and splits.csv: how far the ordering of agents repeats over seeds, and over repeats of one.

The unit over seeds is agent x seed, the mean over its lineups, so that a seed counts once. Where a seed
has repeats, agent x run at that seed is the layout of Business Arena's Appendix H.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from externalities.agreement import (
    Coefficient,
    icc_agreement,
    icc_consistency,
    icc_one_way,
    one_way,
)
from externalities.design import ReferenceSet
from externalities.inference import Array
from externalities.operating import agent_by_seed, contestants, run_means
from externalities.rows import Row, TableSpec
from externalities.splits import split_half
from lineups.values import Draw
from tournament.published import ScoreKind


class IccRow(Row):
    """One intraclass correlation of one layout."""

    reference: str = Field(description="reference set")
    layout: str = Field(
        description="`agent x seed`, or `agent x run at seed N` (a run is a rotation and repeat)"
    )
    agents: int = Field(description="agents in the layout")
    columns: int = Field(description="seeds or runs in which every agent has a mean")
    dropped: int = Field(description="seeds or runs left out because an agent has none")
    coefficient: str = Field(
        description="ICC(1,k) one-way; ICC(A,k) absolute agreement, ICC(C,k) consistency; k columns averaged"
    )
    value: float | None = Field(description="the coefficient; may be negative")
    low: float | None = Field(description="F interval, lower end")
    high: float | None = Field(description="the same, upper end")
    ci_level: float = Field(description="confidence level of the interval")
    f: float | None = Field(description="one-way F of agents")
    p_f: float | None = Field(description="its p, which takes columns as independent draws")
    share_between: float | None = Field(description="sum of squares between agents / total")
    share_within: float | None = Field(description="sum of squares within agents / total")
    note: str = Field(description="why a value is missing")


class SplitRow(Row):
    """Split-half agreement of one reference set."""

    reference: str = Field(description="reference set")
    seeds: int = Field(description="seeds in which every contestant has a mean")
    splits: int = Field(description="splits of whole seeds, the same for all contestants")
    enumerated: bool = Field(description="whether these are all splits; else 50,000 drawn ones")
    spearman: float | None = Field(description="mean rank correlation of the halves' Mean Scores")
    spearman_low: float | None = Field(description="its 2.5 % point over splits: a spread, no interval")
    same_leaders: float | None = Field(description="share of splits whose halves agree on the leading three")
    same_leader: float | None = Field(description="share of splits whose halves agree on the leader")
    note: str = Field(description="why a value is missing")


ICC = TableSpec(file="icc.csv", row=IccRow, description="Intraclass correlations of Mean Scores.")
SPLITS = TableSpec(file="splits.csv", row=SplitRow, description="Split-half agreement over whole seeds.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    name: str
    table: Array  # (agents, columns), complete
    dropped: int


def icc_rows(group: ReferenceSet, kind: ScoreKind, level: float) -> list[Row]:
    """Return all coefficients of every layout that the set has (McGraw and Wong 1996)."""
    return [row for layout in _layouts(group, kind) for row in _rows(group.reference, layout, level)]


def _layouts(group: ReferenceSet, kind: ScoreKind) -> Iterator[_Layout]:
    yield _complete("agent x seed", agent_by_seed(group, kind))
    for seed in group.seeds:
        draws = sorted({world.draw for world in group.planned if world.draw.seed == seed})
        if len(draws) > 1:
            yield _complete(f"agent x run at seed {seed}", _by_draw(group, kind, draws))


def _by_draw(group: ReferenceSet, kind: ScoreKind, draws: Sequence[Draw]) -> Array:
    names = contestants(group)
    table = np.full((len(draws), len(names)), np.nan)
    for row, draw in enumerate(draws):
        for name, lineups in run_means(group, draw, kind).items():
            table[row, names.index(name)] = sum(lineups) / len(lineups)
    return table


def _complete(name: str, table: Array) -> _Layout:
    """Return the layout with agents as rows, of the columns in which nobody is missing."""
    whole = ~np.isnan(table).any(axis=1)
    return _Layout(name=name, table=table[whole].T, dropped=int((~whole).sum()))


def _rows(reference: str, layout: _Layout, level: float) -> list[Row]:
    agents, columns = layout.table.shape
    if agents < 2 or columns < 2:
        note = "fewer than two agents" if agents < 2 else "fewer than two complete columns"
        names = ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)")
        return [_row(reference, layout, _none(name, note), None, level) for name in names]
    anova = one_way(layout.table)
    found = [icc_one_way(anova, k, level) for k in (1, columns)]
    found += [icc_agreement(layout.table, k, level) for k in (1, columns)]
    found += [icc_consistency(layout.table, k, level) for k in (1, columns)]
    statistics = (anova.f, anova.p, anova.share_between)
    return [_row(reference, layout, item, statistics, level) for item in found]


def _row(
    reference: str,
    layout: _Layout,
    item: Coefficient,
    statistics: tuple[float | None, float | None, float | None] | None,
    level: float,
) -> IccRow:
    f, p, share = statistics or (None, None, None)
    return IccRow(
        reference=reference,
        layout=layout.name,
        agents=layout.table.shape[0],
        columns=layout.table.shape[1],
        dropped=layout.dropped,
        coefficient=item.name,
        value=item.value,
        low=item.low,
        high=item.high,
        ci_level=level,
        f=f,
        p_f=p,
        share_between=share,
        share_within=None if share is None else 1 - share,
        note=item.note,
    )


def _none(name: str, note: str) -> Coefficient:
    return Coefficient(name=name, value=None, low=None, high=None, note=note)


def split_rows(
    group: ReferenceSet, kind: ScoreKind, stream: Callable[[str], np.random.Generator]
) -> list[Row]:
    """Return the split-half agreement of the set's complete seeds (Business Arena, appendix H)."""
    table = agent_by_seed(group, kind)
    whole = table[~np.isnan(table).any(axis=1)]
    found = split_half(whole, stream(f"{group.reference}/split-half"))
    return [
        SplitRow(
            reference=group.reference,
            seeds=found.seeds,
            splits=found.splits,
            enumerated=found.enumerated,
            spearman=found.spearman,
            spearman_low=found.spearman_low,
            same_leaders=found.leaders,
            same_leader=found.leader,
            note=found.note,
        )
    ]
