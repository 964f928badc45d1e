"""Balance of a design: how often each contestant plays, and in which seats.

Without rotations an entrant and its seat cannot be told apart; the tables say so rather than hide it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lineups.values import WorldSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Attendance:
    """One contestant's worlds, and its appearances by seat (a reference may hold several in a world)."""

    contestant: str
    worlds: int
    seats: Mapping[int, int]

    @property
    def seat_bound(self) -> bool:
        """Whether all its appearances are in one seat, so that seat and contestant are one effect."""
        return len(self.seats) == 1

    @property
    def even(self) -> bool:
        """Whether it sits equally often in every seat that it holds."""
        return len(set(self.seats.values())) <= 1


def attendance(worlds: Iterable[WorldSpec]) -> tuple[Attendance, ...]:
    """Return every contestant's attendance, in order of first appearance."""
    played: Counter[str] = Counter()
    seats: dict[str, Counter[int]] = {}
    for spec in worlds:
        played.update(dict.fromkeys(spec.seats, 1))
        for seat, contestant in enumerate(spec.seats, start=1):
            seats.setdefault(contestant, Counter())[seat] += 1
    return tuple(
        Attendance(contestant=contestant, worlds=played[contestant], seats=dict(sorted(counts.items())))
        for contestant, counts in seats.items()
    )
