"""One thing wrong with a route's entry: where in it, and what. Every check of routes speaks in these."""

from __future__ import annotations

from dataclasses import dataclass

from agents.routes.entry import RouteEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with a route: where in its entry, and what."""

    route: str
    place: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"routes.{self.route}.{'.'.join(self.place)}: {self.text}"


def problem(entry: RouteEntry, text: str, *place: str) -> Problem:
    """Return what is wrong at a place of an entry."""
    return Problem(route=entry.id, place=place, text=text)
