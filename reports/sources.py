"""A run's published tables, read once: typed lines whose cells know the place they stand in.

Whatever a report tells is one of these cells, so that every number on a page can be followed back to
a file, a row and a column.
"""

from __future__ import annotations

import csv
import json
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin

from externalities.catalogue import catalogue
from externalities.rows import TableSpec
from externalities.write import FOLDER
from reports.numbers import Value
from tournament.errors import DamageError
from tournament.published import Published
from tournament.records import Json
from tournament.rundir.outcomes import OUTCOMES_CSV

ACCOUNTS: Final = "accounts_summary.csv"
PATHS: Final = "paths.csv"
SUMMARY: Final = f"{FOLDER}/summary.json"
_KEYS: Final = (
    "world", "lineup", "estimand", "entrant", "rival", "a", "b", "quantity", "contestant", "reference",
    "rotation", "seed", "repeat", "seat", "window", "layout", "coefficient", "component", "term", "measure",
    "segment", "method", "structure", "source", "seed_share", "question", "variance_end", "repeats",
)  # fmt: skip
_NOT_KEYS: Final = {"outcomes.csv": ("lineup", "reference", "rotation", "seed", "repeat", "contestant")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value and its place: `row` names the line by its key columns, `column` may be a JSON pointer."""

    value: Value
    file: str
    row: Mapping[str, str]
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a table, typed."""

    file: str
    key: Mapping[str, str]
    values: Mapping[str, Value]

    def __getitem__(self, column: str) -> Value:
        return self.values[column]

    def cell(self, column: str) -> Cell:
        return Cell(value=self.values[column], file=self.file, row=self.key, column=column)

    def text(self, column: str) -> str:
        return str(self.values[column])

    def number(self, column: str) -> float | None:
        """Return a number, or None where the cell is empty."""
        value = self.values[column]
        return None if value is None else float(value)

    def whole(self, column: str) -> int:
        value = self.values[column]
        if value is None or isinstance(value, str):
            raise DamageError(f"{self.file}: {column} of {dict(self.key)} is no number")
        return int(value)

    def has(self, **wanted: Value) -> bool:
        return all(self.values[name] == value for name, value in wanted.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A published table; `missing` says why there is none, and is empty where there is one."""

    file: str
    lines: tuple[Line, ...] = ()
    missing: str = ""

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def where(self, **wanted: Value) -> list[Line]:
        return [line for line in self.lines if line.has(**wanted)]

    def one(self, **wanted: Value) -> Line | None:
        """Return the first line with these values, or None."""
        return next((line for line in self.lines if line.has(**wanted)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A published JSON file, whose values are reached by pointer."""

    file: str
    content: Json = None
    missing: str = ""

    def cell(self, *steps: str) -> Cell:
        """Return the value that a pointer's steps lead to; raises DamageError where there is none."""
        value = self.content
        try:
            for step in steps:
                value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, TypeError, ValueError):
            raise DamageError(
                f"{self.file} has no /{'/'.join(steps)}: `tournament externalities` writes it anew"
            ) from None
        return Cell(value=value, file=self.file, row={}, column="/" + "/".join(map(_escaped, steps)))


@dataclass(slots=True, kw_only=True)
class Sources:
    """The tables of one run, each read when it is first asked for."""

    run: Path
    published: Published
    _read: dict[str, Table] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """Return a table of `externalities`, or `outcomes.csv`."""
        if name not in self._read:
            spec = self._catalogue.get(name)
            file = name if name == OUTCOMES_CSV else f"{FOLDER}/{name}"
            if spec is None:
                self._read[name] = Table(file=file, missing=f"{name}: not offered by this run's market")
            else:
                self._read[name] = read_table(self.run, file, spec)
        return self._read[name]

    @property
    def _catalogue(self) -> Mapping[str, TableSpec]:
        return catalogue(self.published)

    def summary(self) -> Document:
        return read_document(self.run, SUMMARY)


def document_lines(document: Document, name: str, keys: Sequence[str]) -> list[Line]:
    """Return a JSON file's list of objects as lines; none where there is no file."""
    if document.missing:
        return []
    rows: list[Mapping[str, Value]] = document.content[name]
    return [Line(file=document.file, key={key: str(row[key]) for key in keys}, values=row) for row in rows]


def read_table(run: Path, file: str, spec: TableSpec) -> Table:
    """Return a table by its model. Raises DamageError.

    Columns that the model lacks stay text; columns of the model that an older table lacks are undefined,
    but for its keys.
    """
    path = run / file
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            rows = list(reader)
            header = tuple(reader.fieldnames or ())
    except FileNotFoundError:
        return Table(file=file, missing=f"there is no {file}")
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        raise DamageError(f"{path} cannot be read: {fault}") from fault
    kinds = {name: _kind(model.annotation) for name, model in spec.row.model_fields.items()}
    keys = [name for name in kinds if name in _KEYS and name not in _NOT_KEYS.get(spec.file, ())]
    if rows and (lost := [name for name in keys if name not in header]):
        raise DamageError(f"{path} has no column {lost[0]}")
    absent: dict[str, Value] = {
        name: "" if kind is str else None for name, kind in kinds.items() if name not in header
    }
    here = {name: kind for name, kind in kinds.items() if name in header}
    lines = [_line(file, number, row, here, absent, keys) for number, row in enumerate(rows, start=2)]
    return Table(file=file, lines=tuple(lines), missing="" if lines else f"{file} has no row")


def read_document(run: Path, file: str) -> Document:
    try:
        return Document(file=file, content=json.loads((run / file).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Document(file=file, missing=f"there is no {file}")
    except (OSError, ValueError) as fault:
        raise DamageError(f"{run / file} cannot be read: {fault}") from fault


def _line(
    file: str,
    number: int,
    row: Mapping[str, str],
    kinds: Mapping[str, type],
    absent: Mapping[str, Value],
    keys: Sequence[str],
) -> Line:
    try:
        values = {name: _value(row[name], kind) for name, kind in kinds.items()}
    except (KeyError, ValueError, TypeError) as fault:
        raise DamageError(f"{file}:{number} is damaged: {fault}") from fault
    beyond = {name: text for name, text in row.items() if name not in kinds and isinstance(text, str)}
    return Line(file=file, key={name: row[name] for name in keys}, values={**absent, **beyond, **values})


def _value(text: str, kind: type) -> Value:
    if kind is str:
        return text
    if text == "":
        return None
    if kind is bool:
        if text not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        return text == "true"
    return int(text) if kind is int else float(text)


def _kind(annotation: Any) -> type:
    """Return a column's type without the None that says that it may be empty."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    kind: type = annotation
    return kind


def _escaped(step: str) -> str:
    """Return a JSON pointer's step (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")
