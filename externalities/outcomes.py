"""Reading `outcomes.csv`: one value a finished world, with its seats' metrics as integers.

The file is parsed once, strictly, at this edge; a missing column or a word where a number belongs
is damage that names file and line. Worlds come back sorted, so row order in the file means nothing.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lineups.values import Draw, WorldSpec
from tournament.errors import DamageError, InputError
from tournament.published import Published, ScoreKind
from tournament.rundir.outcomes import DESIGN_COLUMNS, WINDOWS

Cents = NDArray[np.int64]

NO_CASH_SCORE: Final = "cash-only score: not offered by this run's market, whose Score holds no salvage"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedWorld:
    """One finished world: its place in the design and one row of metrics a seat.

    `metrics` maps an outcome column to int64 of shape (seats,), those of time left out. `exits` holds the
    time step in which each firm left, None for one that stayed; it is None itself where firms of this
    market never leave. `reference` is an empty text in the reference lineup, as in the tables.
    """

    spec: WorldSpec
    published: Published
    metrics: Mapping[str, Cents]
    exits: tuple[int | None, ...] | None

    @property
    def world(self) -> str:
        return self.spec.world

    @property
    def lineup(self) -> str:
        return self.spec.lineup

    @property
    def reference(self) -> str:
        return self.spec.reference or ""

    @property
    def draw(self) -> Draw:
        return self.spec.draw

    @property
    def entrant(self) -> str:
        return self.spec.entrant

    @property
    def seats(self) -> tuple[str, ...]:
        return self.spec.seats

    def scores(self, kind: ScoreKind) -> Cents:
        """Return each seat's Score in cents; the cash-only one leaves salvage out.

        Raises InputError for a cash-only score that the market does not offer.
        """
        score = self.metrics[self.published.score]
        if kind == "score":
            return score
        salvage = self.published.role("salvage")
        if salvage is None:
            raise InputError(NO_CASH_SCORE)
        return score - self.metrics[salvage]


def read_outcomes(path: Path, published: Published) -> tuple[PlayedWorld, ...]:
    """Return the worlds of an outcomes file, sorted by reference, rotation, seed, repeat and lineup.

    Columns that the market puts behind the windows' counts came later than others: a run may lack them.

    Raises InputError when there is no such file and DamageError when it is not what the contract says.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            header = tuple(reader.fieldnames or ())
            missing = [name for name in _required(published) if name not in header]
            if missing:
                raise DamageError(f"{path}: column {missing[0]} is missing")
            rows = list(enumerate(reader, start=2))
    except FileNotFoundError:
        raise InputError(
            "no outcomes yet: no world of this run has ended, or this is not a run", file=path
        ) from None
    return gather(rows, published, source=str(path))


def _required(published: Published) -> tuple[str, ...]:
    always = (column.name for column in published.columns if not column.after_windows)
    return (*DESIGN_COLUMNS, *always, *WINDOWS)


def gather(
    rows: Iterable[tuple[int, Mapping[str, str]]], published: Published, *, source: str
) -> tuple[PlayedWorld, ...]:
    """Return worlds from numbered rows of text, in any order."""
    by_world: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for line, row in rows:
        by_world.setdefault(row["world"], []).append((line, row))
    worlds = [_world(items, published, source) for items in by_world.values()]
    return tuple(sorted(worlds, key=order))


def order(world: PlayedWorld) -> tuple[str, Draw, str]:
    """Return the sorting key of the contract's tables."""
    return (world.reference, world.draw, world.lineup)


def _world(items: Sequence[tuple[int, Mapping[str, str]]], published: Published, source: str) -> PlayedWorld:
    rows = sorted(items, key=lambda item: _integer(item, "seat", source))
    line, first = rows[0]
    seats = [_integer(item, "seat", source) for item in rows]
    if seats != list(range(1, len(seats) + 1)):
        raise DamageError(f"{source}:{line}: world {first['world']} has seats {seats}, not 1 to {len(seats)}")
    return PlayedWorld(
        spec=_spec(rows, source),
        published=published,
        metrics={
            name: np.array([_integer(item, name, source) for item in rows], dtype=np.int64)
            for name in _counted(published)
            if name in first
        },
        exits=_exits(rows, published, source),
    )


def _counted(published: Published) -> tuple[str, ...]:
    return (*(column.name for column in published.columns if column.kind != "time"), *WINDOWS)


def _exits(
    rows: Sequence[tuple[int, Mapping[str, str]]], published: Published, source: str
) -> tuple[int | None, ...] | None:
    column = published.role("exit")
    if column is None:
        return None
    return tuple(None if item[1][column] == "" else _integer(item, column, source) for item in rows)


def _spec(rows: Sequence[tuple[int, Mapping[str, str]]], source: str) -> WorldSpec:
    _, first = rows[0]
    entrant = first["lineup"].removeprefix(f"{first['reference']}-for-") if first["reference"] else ""
    return WorldSpec(
        world=first["world"],
        lineup=first["lineup"],
        reference=first["reference"] or None,
        replaced=tuple(entrant.split("+")) if entrant else (),
        replaced_seats=_replaced_seats(rows[0], source),
        rotation=_integer(rows[0], "rotation", source),
        seed=_integer(rows[0], "seed", source),
        repeat=_integer(rows[0], "repeat", source),
        seats=tuple(row["contestant"] for _, row in rows),
    )


def _replaced_seats(item: tuple[int, Mapping[str, str]], source: str) -> tuple[int, ...]:
    line, row = item
    parts = row["replaced_seat"].split("+") if row["replaced_seat"] else []
    if not all(part.isdecimal() for part in parts):
        raise DamageError(f"{source}:{line}: replaced_seat is {row['replaced_seat']!r}, not seats")
    return tuple(int(part) for part in parts)


def _integer(item: tuple[int, Mapping[str, str]], column: str, source: str) -> int:
    line, row = item
    try:
        return int(row[column])
    except (TypeError, ValueError):
        raise DamageError(f"{source}:{line}: {column} is {row[column]!r}, not an integer") from None
