"""The tables of market health: by world, by lineup over seeds, and matched differences.

A difference is the reference lineup less the replacement, as everywhere: above zero the entrant raises
the measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from externalities.design import ReferenceSet
from externalities.inference import seed_means, t_interval
from externalities.outcomes import PlayedWorld
from externalities.rows import Row, TableSpec, optional
from tournament.records import Measured

MEASURE = Field(description="measure; see the list of measures")
SEGMENT = Field(description="group of customers, as the market names them; empty for the whole market")

Health = Mapping[str, Mapping[tuple[str, str], Measured]]  # world -> (measure, group) -> value


class HealthRow(Row):
    """One measure of one world."""

    world: str = Field(description="world")
    lineup: str = Field(description="lineup name")
    reference: str = Field(description="reference policy; empty for the reference lineup")
    rotation: int = Field(description="cyclic seat shift of the lineup")
    seed: int = Field(description="economic seed")
    repeat: int = Field(description="repeat of the seed, from 1")
    measure: str = MEASURE
    segment: str = SEGMENT
    value: float | None = Field(description="its value")
    note: str = Field(description="why it is missing")


class _Pooled(Row):
    measure: str = MEASURE
    segment: str = SEGMENT
    clusters: int = Field(description="seeds with a value")
    mean: float | None = Field(description="repeats averaged within a seed, then seeds")
    sd: float | None = Field(description="sample SD (n - 1) of seed means")
    ci_level: float = Field(description="confidence level of the interval")
    low: float | None = Field(description="t(G - 1) interval on seed means, lower end")
    high: float | None = Field(description="the same, upper end")


class _Lineup(Row):
    lineup: str = Field(description="lineup name")


class _Entrant(Row):
    entrant: str = Field(description="contestant that was replaced")
    reference: str = Field(description="contestant that took the entrant's seat")


class HealthLineupRow(_Pooled, _Lineup):
    """One measure of one lineup over seeds."""


class HealthDifferenceRow(_Pooled, _Entrant):
    """One matched difference over seeds: the reference lineup less the replacement."""

    pairs: int = Field(description="matched pairs in which both worlds have the measure")


HEALTH = TableSpec(file="health.csv", row=HealthRow, description="Market health of every world.")
HEALTH_LINEUPS = TableSpec(
    file="health_lineups.csv", row=HealthLineupRow, description="Market health of every lineup over seeds."
)
HEALTH_DIFFERENCES = TableSpec(
    file="health_differences.csv",
    row=HealthDifferenceRow,
    description="Matched differences of market health: what an entrant does to the market.",
)


def health_rows(worlds: Sequence[PlayedWorld], health: Health) -> list[Row]:
    """Return every measure of every world, in the contract's order of worlds."""
    return [
        HealthRow(
            world=world.world,
            lineup=world.lineup,
            reference=world.reference,
            rotation=world.draw.rotation,
            seed=world.draw.seed,
            repeat=world.draw.repeat,
            measure=measure.name,
            segment=measure.group,
            value=measure.value,
            note=measure.note,
        )
        for world in worlds
        for measure in health[world.world].values()
    ]


def lineup_health_rows(worlds: Sequence[PlayedWorld], health: Health, level: float) -> list[Row]:
    """Return every measure of every lineup, pooled over seeds (Cameron and Miller 2015)."""
    tables: dict[str, dict[tuple[str, str], dict[int, list[float]]]] = {}
    for world in worlds:
        for key, measure in health[world.world].items():
            if measure.value is not None:
                seeds = tables.setdefault(world.lineup, {}).setdefault(key, {})
                seeds.setdefault(world.draw.seed, []).append(measure.value)
    return [
        HealthLineupRow.model_validate(
            {"lineup": lineup, "measure": name, "segment": segment, **_pooled(seeds, level)}
        )
        for lineup, table in tables.items()
        for (name, segment), seeds in table.items()
    ]


def health_difference_rows(group: ReferenceSet, health: Health, level: float) -> list[Row]:
    """Return matched differences of every measure, pooled over seeds (CEO Arena, section 3.4)."""
    tables: dict[str, dict[tuple[str, str], dict[int, list[float]]]] = {}
    for pair in group.pairs:
        absent = health[pair.treated.world]
        for key, present in health[pair.control.world].items():
            other = absent[key].value if key in absent else None
            if present.value is not None and other is not None:
                seeds = tables.setdefault(pair.entrant, {}).setdefault(key, {})
                seeds.setdefault(pair.draw.seed, []).append(present.value - other)
    return [
        HealthDifferenceRow.model_validate(
            {
                "entrant": entrant,
                "reference": group.reference,
                "measure": name,
                "segment": segment,
                "pairs": sum(len(values) for values in seeds.values()),
                **_pooled(seeds, level),
            }
        )
        for entrant in group.entrants
        if entrant in tables
        for (name, segment), seeds in tables[entrant].items()
    ]


def _pooled(seeds: Mapping[int, Sequence[float]], level: float) -> dict[str, float | int | None]:
    table = np.array([[sum(values) / len(values)] for values in seeds.values()])
    means = seed_means(table)
    limits = t_interval(means, level)
    return {
        "clusters": int(means.clusters[0]),
        "mean": optional(means.mean[0]),
        "sd": optional(means.sd[0]),
        "ci_level": level,
        "low": optional(limits.low[0]),
        "high": optional(limits.high[0]),
    }
