"""Matched pairs: a replacement world beside the reference-lineup world of the same draw.

Planned and played worlds are paired by one rule, so that what is compared is what was designed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from lineups.values import Draw
from tournament.errors import DamageError


class SeatedWorld(Protocol):
    """A world of a design, planned (a WorldSpec) or played: `reference` is empty in the reference lineup."""

    @property
    def world(self) -> str: ...
    @property
    def reference(self) -> str | None: ...
    @property
    def entrant(self) -> str: ...
    @property
    def draw(self) -> Draw: ...
    @property
    def seats(self) -> tuple[str, ...]: ...


W = TypeVar("W", bound=SeatedWorld)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedPair(Generic[W]):
    """The reference-lineup world `control` and the replacement world `treated` of one draw.

    `replaced` and `rivals` are seat indices from 0: whose contestant differs, and whose does not.
    """

    entrant: str
    reference: str
    draw: Draw
    control: W
    treated: W
    replaced: tuple[int, ...]
    rivals: tuple[int, ...]


def matched_pairs(worlds: Iterable[W]) -> tuple[MatchedPair[W], ...]:
    """Return each replacement world with its control, in the order given; one without a partner is left out.

    Raises DamageError where two worlds differ otherwise than in the replaced contestants' seats.

    Source: CEO Arena, section 3.4.
    """
    there = tuple(worlds)
    controls = {world.draw: world for world in there if not world.reference}
    return tuple(
        _pair(controls[world.draw], world, world.reference)
        for world in there
        if world.reference and world.draw in controls
    )


def _pair(control: W, treated: W, reference: str) -> MatchedPair[W]:
    if len(treated.seats) != len(control.seats):
        raise DamageError(f"{treated.world} and {control.world} differ in their number of seats")
    seats = range(len(control.seats))
    replaced = tuple(seat for seat in seats if treated.seats[seat] != control.seats[seat])
    gone = sorted(control.seats[seat] for seat in replaced)
    if gone != sorted(treated.entrant.split("+")) or {treated.seats[seat] for seat in replaced} != {
        reference
    }:
        raise DamageError(f"{treated.world}: its seats do not differ from {control.world} as its name says")
    return MatchedPair(
        entrant=treated.entrant,
        reference=reference,
        draw=treated.draw,
        control=control,
        treated=treated,
        replaced=replaced,
        rivals=tuple(seat for seat in seats if seat not in replaced),
    )
