"""All tables of a run, in the order of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from reports.claims import Sentence
from reports.offers import offers_table
from reports.parts import of_place, part_grid
from reports.tables import effects, evidence, performance
from reports.tables.model import Grid
from reports.view import View

Build = Callable[[View, Sentence], Grid]

BUILDERS: Final[Mapping[str, Build]] = {
    "operating": performance.operating,
    "lineups": performance.lineups,
    "runs": performance.runs,
    "externalities": effects.externalities,
    "private": effects.private,
    "market": effects.market,
    "directed": effects.directed,
    "observations": effects.observations,
    "baselines": effects.baselines,
    "accounts": effects.accounts,
    "decomposition": effects.decomposition,
    "health-differences": effects.health_differences,
    "health-lineups": effects.health_lineups,
    "stability": evidence.stability,
    "chance": evidence.chance,
    "components": evidence.components,
    "pairwise": evidence.pairwise,
    "icc": evidence.agreement,
    "splits": evidence.splits,
    "mixed": evidence.mixed,
    "power": evidence.power,
    "seats": evidence.seats,
    "salvage": performance.salvage,
    "reliability": performance.reliability,
    "usage": performance.usage,
    "faults": performance.faults,
    "outcomes": performance.outcomes,
}


def tables(view: View, caption: Sentence) -> Iterator[Grid]:
    """Yield every table that the run's market and seats offer, the market's own last.

    `caption` tells worlds, seeds and baseline.
    """
    for name, build in BUILDERS.items():
        if offers_table(view, name):
            yield build(view, caption)
    for part in of_place(view, "index", "table"):
        yield part_grid(part, view, caption=caption)
