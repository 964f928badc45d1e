"""A market's own charts and tables in the report: what it registers under `tournament.report`.

The entry point's name is the market's id, its object a sequence of `ReportPart`. A market that registers
none has the standard report; a run whose market is not installed is told without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tournament.published import Published

Place = Literal["index", "world", "contestant"]
CellKind = Literal["text", "count", "money", "unit_price", "share", "decimal", "moment"]
CellValue = str | int | float | None
Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much room a chart has, in pixels across; a narrow one is a phone's."""

    width: int
    narrow: bool


class SeatedWorld(Protocol):
    """A finished world: its name, contestants by seat, and place in the design."""

    @property
    def world(self) -> str: ...

    @property
    def seats(self) -> tuple[str, ...]: ...

    @property
    def reference(self) -> str | None:
        """The reference policy that replaces somebody; None in the reference lineup."""
        ...

    @property
    def rotation(self) -> int: ...

    @property
    def seed(self) -> int: ...

    @property
    def repeat(self) -> int: ...


class RunTables(Protocol):
    """A run as a part sees it: published tables alone, in the study's order."""

    @property
    def published(self) -> Published: ...

    @property
    def contestants(self) -> tuple[str, ...]:
        """All who sit anywhere, lineup first."""
        ...

    @property
    def steps(self) -> int:
        """Time steps of a world."""
        ...

    def worlds(self) -> Sequence[SeatedWorld]:
        """Return the finished worlds, in order of play."""
        ...

    def reference_worlds(self) -> Sequence[SeatedWorld]:
        """Return those of the reference lineup that an index shows: the first ones, six at most."""
        ...

    def table(self, world: str, name: str) -> Columns | None:
        """Return a table of a finished world by name (`daily`, `series`, one of the market's own) or None."""
        ...

    def outcomes(self, world: str) -> Sequence[Mapping[str, int | None]]:
        """Return a finished world's declared outcome columns by seat."""
        ...

    def color(self, name: str) -> str:
        """Return a contestant's colour, or that of a role: ink, muted, axis, other, gain, loss, c1 to c8."""
        ...

    def money(self, cents: float) -> str:
        """Return an amount as the report's sentences write it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PartColumn:
    """A column of a part's table: heading, and what its values are.

    money is cents shown in the report's unit, unit_price cents shown in the currency to the cent, share a
    fraction, moment a time step; None in any of them is shown as a dash.
    """

    title: str
    kind: CellKind = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTable:
    """Rows by column; `files` names what they were read from, relative to the run."""

    columns: tuple[PartColumn, ...]
    rows: Sequence[Sequence[CellValue]]
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


Chart = Any
"""A Vega-Lite specification as a dict, or an Altair chart, without a theme: the report puts its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart:
    """A chart or a table of a market's own.

    It stands under the heading `section`, which parts may share, on the index or on every page of a world
    or contestant; `subject` is None on the index, else the world's or contestant's name. `build` returns a
    Chart or a PartTable as `shape` says, or None where there is nothing to show, and the index says then
    that it `needs` something. Altair is imported within `build`, and marks say their words by the
    channel `description`, of a field `t`.
    """

    name: str
    section: str
    title: str
    caption: str
    needs: str
    place: Place
    shape: Literal["chart", "table"]
    build: Callable[[RunTables, str | None, Room], Chart | PartTable | None]
