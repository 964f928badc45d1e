"""A table as a reader wants it: columns with units, shown text beside the value it sorts by.

Built from published lines by naming their columns; rendering to HTML, CSV, Markdown and LaTeX is
elsewhere, so that all forms show the same digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from reports import numbers
from reports.claims import NOTHING, Sentence
from reports.numbers import Units, Value
from reports.sources import Line

Kind = Literal[
    "text",
    "money",
    "unit_price",
    "count",
    "moment",
    "share",
    "probability",
    "decimal",
    "flag",
    "interval",
    "usd",
]
NONE: Final = numbers.DASH


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a shown table.

    `source` names the published column, or two of them for an interval; `unit` stands in the heading, and
    for money is the run's own.
    """

    source: str | tuple[str, str]
    label: str
    kind: Kind = "text"
    unit: str = ""
    emphasis: bool = False

    @property
    def heading(self) -> str:
        return f"{self.label}, {self.unit}" if self.unit else self.label

    def in_units(self, units: Units) -> Column:
        """Return the column with its unit of money."""
        unit = {
            "money": units.money.unit,
            "interval": units.money.unit,
            "unit_price": units.money.currency.code,
        }.get(self.kind)
        return self if unit is None else replace(self, unit=unit)

    @property
    def numeric(self) -> bool:
        return self.kind not in ("text", "flag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Datum:
    """One cell: what is shown, what it sorts by, plain values for CSV, and a link's address or nothing."""

    text: str
    sort: Value
    plain: tuple[Value, ...]
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A whole table; `title` and `notes` are plain text, `files` what it was read from."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Datum, ...], ...]
    files: tuple[str, ...]
    caption: Sentence = NOTHING
    notes: tuple[str, ...] = ()
    missing: str = ""
    strong: frozenset[int] = field(default_factory=frozenset)

    @property
    def head(self) -> int:
        """The column whose cells head their rows; -1 where none does."""
        return next((index for index, column in enumerate(self.columns) if column.emphasis), -1)


Linker = Callable[[Line, Column], str]


def grid(
    units: Units,
    name: str,
    title: str,
    columns: Sequence[Column],
    lines: Iterable[Line],
    *,
    caption: Sentence = NOTHING,
    notes: Sequence[str] = (),
    missing: str = "",
    link: Linker | None = None,
    strong: Callable[[Line], bool] | None = None,
) -> Grid:
    """Return the table of these lines; `strong` says which rows stand out."""
    found = list(lines)
    rows = tuple(
        tuple(datum(units, line, column, link(line, column) if link else "") for column in columns)
        for line in found
    )
    return Grid(
        name=name,
        title=title,
        columns=tuple(column.in_units(units) for column in columns),
        rows=rows,
        files=tuple(dict.fromkeys(line.file for line in found)),
        caption=caption,
        notes=tuple(notes),
        missing=missing or ("" if rows else "there is no row"),
        strong=frozenset(index for index, line in enumerate(found) if strong is not None and strong(line)),
    )


def datum(units: Units, line: Line, column: Column, link: str = "") -> Datum:
    """Return one published value, or two for an interval, as a cell."""
    if isinstance(column.source, tuple):
        return _interval(units, line, column.source)
    return cell(units, line[column.source], column.kind, link)


def cell(units: Units, value: Value, kind: Kind, link: str = "") -> Datum:
    """Return a value of a kind as a cell."""
    return Datum(text=shown(units, value, kind), sort=value, plain=(plain(units, value, kind),), link=link)


def _interval(units: Units, line: Line, source: tuple[str, str]) -> Datum:
    low, high = (line.number(name) for name in source)
    if low is None or high is None:
        return Datum(text=NONE, sort=None, plain=(None, None))
    return Datum(
        text=numbers.interval(units.money.bare(low), units.money.bare(high)),
        sort=low,
        plain=(plain(units, low, "money"), plain(units, high, "money")),
    )


_SHOWN: Final[Mapping[Kind, Callable[[float], str]]] = {
    "unit_price": numbers.units,
    "count": numbers.count,
    "share": numbers.percent,
    "probability": numbers.probability,
    "decimal": numbers.decimal,
    "usd": numbers.usd,
}


def shown(units: Units, value: Value, kind: Kind) -> str:
    """Return a value as a person reads it; a dash where it is undefined."""
    if value is None or value == "":
        return NONE if kind != "text" else ""
    if kind == "flag":
        return {True: "yes", False: "no"}[bool(value)]
    if kind in ("text", "interval") or isinstance(value, str):
        return str(value)
    if kind == "money":
        return units.money.bare(value)
    if kind == "moment":
        return units.time.moment(int(value))
    return _SHOWN[kind](float(value))


def plain(units: Units, value: Value, kind: Kind) -> Value:
    """Return a value for CSV in the unit of its heading: the run's money, per cent for shares, time steps."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if kind == "money":
        return round(units.money.scaled(value), 5)
    if kind == "unit_price":
        return value / numbers.CENTS
    return round(value * 100, 6) if kind == "share" else value
