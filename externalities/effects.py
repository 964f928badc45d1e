"""Effects as seed means: the samples that summaries, stability and power all start from.

A sample is one estimand of one entrant (and rival) against one reference policy, with an observation a
matched pair; averaging its repeats within a seed gives the clusters that inference counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from externalities.design import ReferenceSet
from externalities.estimands import contrasts
from externalities.inference import Array
from lineups.values import Draw
from tournament.published import ScoreKind

Estimand = Literal["private", "directed", "total", "market"]
ESTIMANDS: tuple[Estimand, ...] = ("private", "directed", "total", "market")

NO_RIVALS: Final = "everybody is replaced: no rival is left, there is no externality"
ONE_SEAT: Final = "one seat: an externality needs rivals"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Observations in cents by draw; `rival` is empty but for a directed effect.

    `undefined` says why there is nothing to estimate: the total externality of an entrant without rivals.
    """

    estimand: Estimand
    entrant: str
    rival: str
    observations: Mapping[Draw, int]
    undefined: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.estimand, self.entrant, self.rival)

    def by_seed(self) -> dict[int, list[int]]:
        """Return the observations of each seed, in order of draws."""
        seeds: dict[int, list[int]] = {}
        for draw in sorted(self.observations):
            seeds.setdefault(draw.seed, []).append(self.observations[draw])
        return dict(sorted(seeds.items()))


def samples(group: ReferenceSet, kind: ScoreKind) -> Mapping[Estimand, tuple[Sample, ...]]:
    """Return every planned effect of the set by estimand, entrants and rivals in seat order.

    An effect without a finished pair is there with no observation.

    Source: CEO Arena, section 3.4.
    """
    tables: dict[tuple[str, str, str], dict[Draw, int]] = {key: {} for key in planned_effects(group)}
    found = contrasts(group.pairs, kind)
    for gain in found.private:
        tables["private", gain.entrant, ""][gain.draw] = gain.cents
    for effect in found.directed:
        tables["directed", effect.entrant, effect.rival][effect.draw] = effect.cents
    for difference in found.market:
        if difference.rivals:
            tables["total", difference.entrant, ""][difference.draw] = difference.total_cents
        tables["market", difference.entrant, ""][difference.draw] = difference.market_cents
    return {
        estimand: tuple(
            Sample(
                estimand=estimand,
                entrant=entrant,
                rival=rival,
                observations=table,
                undefined=_undefined(group, entrant) if estimand == "total" else "",
            )
            for (name, entrant, rival), table in tables.items()
            if name == estimand
        )
        for estimand in ESTIMANDS
    }


def _undefined(group: ReferenceSet, entrant: str) -> str:
    """Return why an entrant has no externality, nothing where it has rivals."""
    if group.rivals_of(entrant):
        return ""
    return NO_RIVALS if any(len(world.seats) > 1 for world in group.planned) else ONE_SEAT


def planned_effects(group: ReferenceSet) -> list[tuple[str, str, str]]:
    """Return (estimand, entrant, rival) of every effect that the set can estimate."""
    lineup = [name for name in group.contestants if name != group.reference]
    keys = []
    for entrant in group.entrants:
        rivals = [name for name in lineup if name not in entrant.split("+")]
        keys += [("private", entrant, ""), ("total", entrant, ""), ("market", entrant, "")]
        keys += [("directed", entrant, rival) for rival in rivals]
    return keys


def cluster_table(group: Sequence[Sample], seeds: Sequence[int]) -> Array:
    """Return seed means in cents of shape (seeds, samples), repeats averaged; NaN where there is none.

    Source: Cameron and Miller 2015.
    """
    table = np.full((len(seeds), len(group)), np.nan)
    for column, sample in enumerate(group):
        for seed, values in sample.by_seed().items():
            table[seeds.index(seed), column] = sum(values) / len(values)
    return table
