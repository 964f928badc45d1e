"""What a run was meant to play: planned worlds, and for each reference policy the set compared with it.

Planned worlds come from `plan.jsonl`, so that missing ones are counted and bounded; a run without a
plan is taken to have been meant as it is. A reference may cover fewer seeds and repeats than the
study, and its set holds the reference lineup only where it is covered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from externalities.estimands import Pair
from externalities.outcomes import PlayedWorld
from lineups.pairs import matched_pairs
from lineups.plan_file import read_plan_file
from lineups.values import WorldSpec
from tournament.errors import DamageError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSet:
    """The reference lineup and its replacements by one reference policy, planned and played.

    `contestants` lists the unrotated lineup by seat, then the reference; `entrants` who is replaced, in
    seat order. `reference` is empty for a study without replacements.
    """

    reference: str
    contestants: tuple[str, ...]
    entrants: tuple[str, ...]
    planned: tuple[WorldSpec, ...]
    played: Mapping[str, PlayedWorld]
    pairs: tuple[Pair, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(sorted({world.draw.seed for world in self.planned}))

    def rivals_of(self, entrant: str) -> int:
        """Return how many of the lineup keep their seats when the entrant is replaced."""
        return sum(name != self.reference for name in self.contestants) - len(entrant.split("+"))


def read_plan(path: Path, worlds: Sequence[PlayedWorld]) -> tuple[WorldSpec, ...]:
    """Return the planned worlds of a `plan.jsonl`, or the played ones where there is no such file."""
    try:
        return read_plan_file(path)
    except FileNotFoundError:
        return tuple(world.spec for world in worlds)


def reference_sets(planned: Sequence[WorldSpec], worlds: Sequence[PlayedWorld]) -> tuple[ReferenceSet, ...]:
    """Return one set a reference policy, in the plan's order."""
    played = {world.world: world for world in worlds}
    references = list(dict.fromkeys(world.reference for world in planned if world.reference)) or [""]
    return tuple(_reference_set(reference, planned, played) for reference in references)


def _reference_set(
    reference: str, planned: Sequence[WorldSpec], played: Mapping[str, PlayedWorld]
) -> ReferenceSet:
    draws = {world.draw for world in planned if (world.reference or "") == reference}
    mine = tuple(world for world in planned if world.draw in draws and world.reference in (None, reference))
    here = {world.world: played[world.world] for world in mine if world.world in played}
    lineup = _lineup(mine)
    entrants = dict.fromkeys(world.entrant for world in mine if world.reference)
    return ReferenceSet(
        reference=reference,
        contestants=(*lineup, *([reference] if reference else [])),
        entrants=tuple(sorted(entrants, key=lambda entrant: _place(entrant, lineup))),
        planned=mine,
        played=here,
        pairs=tuple(
            sorted(matched_pairs(here.values()), key=lambda pair: (pair.reference, pair.draw, pair.entrant))
        ),
    )


def _lineup(worlds: Sequence[WorldSpec]) -> tuple[str, ...]:
    """Return the reference lineup by unrotated seat."""
    world = min(
        (world for world in worlds if not world.reference), key=lambda world: world.draw, default=None
    )
    if world is None:
        raise DamageError("the plan holds no reference lineup")
    shift = world.draw.rotation % len(world.seats)
    return world.seats[shift:] + world.seats[:shift]


def _place(entrant: str, lineup: Sequence[str]) -> tuple[int, ...]:
    return tuple(lineup.index(name) for name in entrant.split("+"))
