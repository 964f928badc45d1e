"""All tables of a run, in the order of the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reports.claims import Sentence
from reports.tables import effects, evidence, performance
from reports.tables.model import Grid
from reports.view import View

BUILDERS: Final = (
    performance.operating,
    performance.lineups,
    performance.runs,
    effects.externalities,
    effects.private,
    effects.market,
    effects.directed,
    effects.observations,
    effects.baselines,
    effects.accounts,
    effects.decomposition,
    effects.health_differences,
    effects.health_lineups,
    evidence.stability,
    evidence.chance,
    evidence.components,
    evidence.pairwise,
    evidence.agreement,
    evidence.splits,
    evidence.mixed,
    evidence.power,
    evidence.seats,
    performance.salvage,
    performance.reliability,
    performance.usage,
    performance.faults,
    performance.outcomes,
)


def tables(view: View, caption: Sentence) -> Iterator[Grid]:
    """Yield every table; `caption` tells worlds, seeds and baseline."""
    for build in BUILDERS:
        yield build(view, caption)
