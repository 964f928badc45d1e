"""All tables of one run on one kind of Score, from values already read.

The order of work in one place: contrasts, summaries, stability, accounts, reliability, health, network.
Each step knows only the set it is given; nothing here computes a statistic of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from externalities import (
    accounts,
    agreement_tables,
    baselines,
    components,
    decomposition,
    health_tables,
    matched_tables,
    mixed,
    operating,
    operating_reliability,
    pairwise,
    seats,
    stability,
    summaries,
    summary_rows,
)
from externalities.bounds import effect_bounds
from externalities.design import ReferenceSet
from externalities.effects import ESTIMANDS, Estimand, Sample, samples
from externalities.estimands import contrasts
from externalities.health import outcome_measures
from externalities.network import Network, network
from externalities.resampling import DRAWS, stream
from externalities.rows import Row, TableSpec
from externalities.run_files import Run
from tournament.published import Published, ScoreKind
from tournament.records import Measured

Measures = Mapping[str, Sequence[Measured]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a caller may choose: confidence level, bootstrap draws, and one repeat alone."""

    level: float = 0.95
    draws: int = DRAWS
    repeat: int | None = None

    @property
    def canonical(self) -> bool:
        """Whether these are the options under which a run's own tables are written."""
        return self == Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuxiliaryInputs:
    """What is read beside outcomes: usage of models, health from world tables, hybrid worlds."""

    usage: tuple[operating_reliability.SeatUsage, ...]
    health: Measures
    hybrids: decomposition.Hybrids


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The results of one reference set that more than one file needs."""

    operating: Sequence[operating.OperatingRow]
    private: Sequence[summaries.PrivateSummaryRow]
    directed: Sequence[summaries.DirectedSummaryRow]
    market: Sequence[summaries.MarketSummaryRow]
    stability: Sequence[stability.StabilityRow]
    network: Network

    def families(self) -> Mapping[Estimand, Sequence[summaries.Estimate]]:
        """Return the effects by estimand, each once: the mean externality is the total one, divided."""
        return {
            "private": self.private,
            "directed": self.directed,
            "total": [row for row in self.market if row.estimand == "total"],
            "market": [row for row in self.market if row.estimand == "market"],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Every table on one kind of Score, and each reference policy's results."""

    kind: ScoreKind
    tables: Mapping[TableSpec, Sequence[Row]]
    groups: Mapping[str, Group]
    agreements: Sequence[baselines.Agreement]
    decomposition: Sequence[decomposition.DecompositionMeanRow]


def analyse(run: Run, kind: ScoreKind, options: Options, auxiliary: AuxiliaryInputs) -> Analysis:
    """Return all tables of the run; deterministic in its files and the options."""
    specs = tables_of(run.published)
    specs = (*specs, *DECOMPOSED) if auxiliary.hybrids else specs
    tables: dict[TableSpec, list[Row]] = {spec: [] for spec in specs}
    groups: dict[str, Group] = {}
    for group in run.sets:
        method = summaries.Method(
            level=options.level,
            draws=options.draws,
            stream=partial(_named, run.study_hash, group.reference, kind),
        )
        families = samples(group, kind)
        found = _group(group, kind, families, method)
        groups[group.reference] = found
        for spec, rows in _set_tables(group, kind, families, found, method).items():
            tables[spec] += rows
        if run.published.accounts:
            _add_accounts(tables, run.published, group, kind)
    based = baselines.baseline_rows(run.worlds, run.references, kind)
    tables[baselines.BASELINES] += based
    tables[stability.CHANCE] += stability.chance_rows(
        [row for group in groups.values() for row in group.stability]
    )
    for spec, rows in _run_tables(run, kind, options, auxiliary).items():
        tables[spec] += rows
    parts = [
        row for group in run.sets for row in decomposition.decomposition_rows(group, auxiliary.hybrids, kind)
    ]
    means = decomposition.decomposition_mean_rows(parts, options.level)
    if auxiliary.hybrids:
        tables[decomposition.DECOMPOSITION] += parts
        tables[decomposition.DECOMPOSITION_SUMMARY] += means
    return Analysis(
        kind=kind,
        tables=tables,
        groups=groups,
        agreements=baselines.agreements(based, run.references),
        decomposition=means,
    )


def _named(study_hash: str, reference: str, kind: ScoreKind, name: str) -> np.random.Generator:
    return stream(study_hash, f"{kind}/{reference}/{name}")


def _group(
    group: ReferenceSet,
    kind: ScoreKind,
    families: Mapping[Estimand, tuple[Sample, ...]],
    method: summaries.Method,
) -> Group:
    tables = summary_rows.summary_rows(group, families, effect_bounds(group, kind), method)
    observed = [
        row
        for estimand in ESTIMANDS
        for row in stability.stability_rows(
            group.reference, families[estimand], components.components(families[estimand], method.level)
        )
    ]
    return Group(
        operating=operating.operating_rows(group, kind, method.level),
        private=tables.private,
        directed=tables.directed,
        market=tables.market,
        stability=observed,
        network=network(group.reference, tables.private, tables.directed, observed),
    )


def _set_tables(
    group: ReferenceSet,
    kind: ScoreKind,
    families: Mapping[Estimand, tuple[Sample, ...]],
    found: Group,
    method: summaries.Method,
) -> dict[TableSpec, Sequence[Row]]:
    return {
        **matched_tables.matched_rows(contrasts(group.pairs, kind)),
        operating.OPERATING: found.operating,
        operating.LINEUPS: operating.lineup_rows(group, kind),
        operating.RUNS: operating.run_rows(group, kind),
        summaries.PRIVATE_SUMMARY: found.private,
        summaries.DIRECTED_SUMMARY: found.directed,
        summaries.MARKET_SUMMARY: found.market,
        stability.STABILITY: found.stability,
        components.COMPONENTS: components.component_rows(
            group.reference, [families[estimand] for estimand in ESTIMANDS], method.level
        ),
        pairwise.PAIRWISE: pairwise.pairwise_rows(group, kind, method.level),
        agreement_tables.ICC: agreement_tables.icc_rows(group, kind, method.level),
        agreement_tables.SPLITS: agreement_tables.split_rows(group, kind, method.stream),
        mixed.MIXED: mixed.mixed_rows(group, kind, method.level),
    }


def _add_accounts(
    tables: Mapping[TableSpec, list[Row]], published: Published, group: ReferenceSet, kind: ScoreKind
) -> None:
    split, parts = accounts.account_tables(published), accounts.splits(group.pairs, kind)
    tables[split.accounts] += accounts.account_rows(split.accounts.row, group, parts)
    tables[split.summary] += accounts.account_mean_rows(split.summary.row, group, parts)


def _run_tables(
    run: Run, kind: ScoreKind, options: Options, auxiliary: AuxiliaryInputs
) -> dict[TableSpec, Sequence[Row]]:
    health = {
        world.world: {
            (measure.name, measure.group): measure
            for measure in (*outcome_measures(world, kind), *auxiliary.health[world.world])
        }
        for world in run.worlds
    }
    names = list(dict.fromkeys(name for group in run.sets for name in group.contestants))
    return {
        operating_reliability.RELIABILITY: operating_reliability.reliability_rows(
            run.worlds, auxiliary.usage, names
        ),
        health_tables.HEALTH: health_tables.health_rows(run.worlds, health),
        health_tables.HEALTH_LINEUPS: health_tables.lineup_health_rows(run.worlds, health, options.level),
        health_tables.HEALTH_DIFFERENCES: [
            row
            for group in run.sets
            for row in health_tables.health_difference_rows(group, health, options.level)
        ],
        seats.SEATS: seats.seat_rows(run.worlds, run.identities, kind, options.level),
    }


def tables_of(published: Published) -> tuple[TableSpec, ...]:
    """Return the tables of a run on this market, in the order of their description."""
    if not published.accounts:
        return (*_EFFECTS, *_ORDER)
    split = accounts.account_tables(published)
    return (*_EFFECTS, split.accounts, split.summary, *_ORDER)


_EFFECTS: tuple[TableSpec, ...] = (
    matched_tables.PRIVATE,
    matched_tables.DIRECTED,
    matched_tables.MARKET,
    operating.OPERATING,
    operating.LINEUPS,
    operating.RUNS,
    summaries.PRIVATE_SUMMARY,
    summaries.DIRECTED_SUMMARY,
    summaries.MARKET_SUMMARY,
    stability.STABILITY,
    stability.CHANCE,
    components.COMPONENTS,
    baselines.BASELINES,
)
_ORDER: tuple[TableSpec, ...] = (
    pairwise.PAIRWISE,
    agreement_tables.ICC,
    agreement_tables.SPLITS,
    mixed.MIXED,
    operating_reliability.RELIABILITY,
    health_tables.HEALTH,
    health_tables.HEALTH_LINEUPS,
    health_tables.HEALTH_DIFFERENCES,
    seats.SEATS,
)
DECOMPOSED: tuple[TableSpec, ...] = (decomposition.DECOMPOSITION, decomposition.DECOMPOSITION_SUMMARY)
