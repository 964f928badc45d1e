"""Values of a matched-replacement design: who sits where, who is replaced, which worlds follow.

A lineup is seats; a replacement takes one or several contestants out and seats the reference policy
in their place, everyone else staying; a world is one lineup under one rotation, seed and repeat.
Names are the contract's, so that a file name and a table row say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

REF = "ref"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """`reference` sits in the seats of `replaced`, contestants in the order of the reference lineup."""

    reference: str
    replaced: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.reference}-for-{'+'.join(self.replaced)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """Contestants by seat, unrotated; `replacement` is None for the reference lineup."""

    seats: tuple[str, ...]
    replacement: Replacement | None = None

    @property
    def name(self) -> str:
        return REF if self.replacement is None else self.replacement.name

    def replace(self, replacement: Replacement) -> Lineup:
        """Return the lineup with the reference in the replaced contestants' seats."""
        seats = tuple(
            replacement.reference if contestant in replacement.replaced else contestant
            for contestant in self.seats
        )
        return Lineup(seats=seats, replacement=replacement)

    def rotated(self, shift: int) -> tuple[str, ...]:
        """Return the contestants by seat after a cyclic shift: who sat in seat s sits in seat s + shift."""
        size = len(self.seats)
        return tuple(self.seats[(seat - shift) % size] for seat in range(size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference policy's contestant, and the seeds and repeats (by seed) that its set is played on."""

    contestant: str
    seeds: tuple[int, ...]
    repeats: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What is enumerated: the reference lineup, whom to replace (each item at once), by whom, and where."""

    lineup: tuple[str, ...]
    replace: tuple[tuple[str, ...], ...]
    references: tuple[Reference, ...]
    seeds: tuple[int, ...]
    repeats: Mapping[int, int]
    rotations: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Draw:
    """What matched worlds share: rotation, economic seed and repeat."""

    rotation: int
    seed: int
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSpec:
    """One world to play. `seats` holds contestant ids by seat; `replaced_seats` goes with `replaced`."""

    world: str
    lineup: str
    reference: str | None
    replaced: tuple[str, ...]
    replaced_seats: tuple[int, ...]
    rotation: int
    seed: int
    repeat: int
    seats: tuple[str, ...]

    @property
    def draw(self) -> Draw:
        return Draw(rotation=self.rotation, seed=self.seed, repeat=self.repeat)

    @property
    def entrant(self) -> str:
        """Who was replaced (`a+b` for several), an empty text in the reference lineup."""
        return "+".join(self.replaced)
