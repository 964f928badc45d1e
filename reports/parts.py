"""A market's own charts and tables: given the run's tables, and set into the report's forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import altair as alt

from lineups.values import WorldSpec
from reports import palette
from reports.charts.drawing import AnyChart, Frame
from reports.claims import NOTHING, Sentence
from reports.paths import columns, reference_markets
from reports.tables.model import Column, Grid, Kind, cell
from reports.view import View, contestant_page
from tournament.errors import InputError
from tournament.published import Published
from tournament.report_parts import CellKind, Columns, PartColumn, PartTable, Place, ReportPart, Room

WHOLE: Final = Room(width=900, narrow=False)
_KINDS: Final[Mapping[CellKind, Kind]] = {
    "text": "text",
    "count": "count",
    "money": "money",
    "unit_price": "unit_price",
    "share": "share",
    "decimal": "decimal",
    "moment": "moment",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTables:
    """A view as `tournament.report_parts.RunTables`."""

    view: View

    @property
    def published(self) -> Published:
        return self.view.published

    @property
    def contestants(self) -> tuple[str, ...]:
        return self.view.contestants

    @property
    def steps(self) -> int:
        return self.view.manifest.scenario.days

    def worlds(self) -> Sequence[WorldSpec]:
        return self.view.finished

    def reference_worlds(self) -> Sequence[WorldSpec]:
        return reference_markets(self.view)

    def table(self, world: str, name: str) -> Columns | None:
        return columns(self.view.folder(world) / f"{name}.parquet", None)

    def outcomes(self, world: str) -> Sequence[Mapping[str, int | None]]:
        names = self.published.outcome_names()
        lines = sorted(self.view.outcomes.where(world=world), key=lambda line: line.whole("seat"))
        return [{name: None if line[name] is None else line.whole(name) for name in names} for line in lines]

    def color(self, name: str) -> str:
        if name in self.view.contestants:
            return palette.series_color(self.view.order(name))
        return palette.color(name)

    def money(self, cents: float) -> str:
        return self.view.money.text(cents)


def of_place(view: View, place: Place, shape: Literal["chart", "table"]) -> Iterator[ReportPart]:
    """Yield the market's parts of a place and shape, in its order."""
    for part in view.parts:
        if part.place == place and part.shape == shape:
            yield part


def built_chart(part: ReportPart, view: View, frame: Frame, subject: str | None = None) -> AnyChart | None:
    """Return a part's chart for a frame, None where it has nothing to show."""
    room = Room(width=frame.width, narrow=frame.narrow)
    chart = part.build(ViewTables(view=view), subject, room)
    if chart is None or isinstance(chart, (alt.TopLevelMixin, dict)):
        return chart
    raise InputError(f"the report part {part.name} is declared a chart and gives something else")


def part_grid(part: ReportPart, view: View, subject: str | None = None, caption: Sentence = NOTHING) -> Grid:
    """Return a part's table; it says what it needs where there is nothing to show."""
    found: Any = part.build(ViewTables(view=view), subject, WHOLE)
    if found is None:
        return Grid(name=part.name, title=part.title, columns=(), rows=(), files=(), missing=part.needs)
    if not isinstance(found, PartTable):
        raise InputError(f"the report part {part.name} is declared a table and gives something else")
    return Grid(
        name=part.name,
        title=part.title,
        columns=tuple(_column(view, column, first=at == 0) for at, column in enumerate(found.columns)),
        rows=tuple(
            tuple(
                cell(view.units, value, _KINDS[column.kind], _link(view, value))
                for value, column in zip(row, found.columns, strict=True)
            )
            for row in found.rows
        ),
        files=found.files,
        caption=caption,
        notes=(*((part.caption,) if part.caption else ()), *found.notes),
        missing="" if found.rows else part.needs,
    )


def _column(view: View, column: PartColumn, *, first: bool) -> Column:
    plain = Column(source=column.title, label=column.title, kind=_KINDS[column.kind], emphasis=first)
    return plain.in_units(view.units)


def _link(view: View, value: object) -> str:
    return contestant_page(value) if isinstance(value, str) and value in view.contestants else ""
