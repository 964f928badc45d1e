"""Reading `outcomes.csv`: one value a finished world, with its seats' metrics as integers.

The file is parsed once, strictly, at this edge; a missing column or a word where a number belongs
is damage that names file and line. Worlds come back sorted, so row order in the file means nothing.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from externalities.columns import KEY_COLUMNS, METRIC_COLUMNS, OPTIONAL_COUNTS, ScoreKind
from lineups.values import Draw, WorldSpec
from tournament.errors import DamageError, InputError

Cents = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedWorld:
    """One finished world: its place in the design and one row of metrics a seat.

    `metrics` maps an outcome column to int64 of shape (seats,); `bankrupt_days` holds None for a firm that
    stayed. `reference` is an empty text in the reference lineup, as in the tables.
    """

    spec: WorldSpec
    metrics: Mapping[str, Cents]
    bankrupt_days: tuple[int | None, ...]

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
        """Return each seat's Score in cents; the cash-only one leaves salvage out."""
        score = self.metrics["score_cents"]
        return score if kind == "score" else score - self.metrics["salvage_cents"]


def read_outcomes(path: Path) -> tuple[PlayedWorld, ...]:
    """Return the worlds of an outcomes file, sorted by reference, rotation, seed, repeat and lineup.

    Raises InputError when there is no such file and DamageError when it is not what the contract says.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            header = tuple(reader.fieldnames or ())
            missing = [name for name in (*KEY_COLUMNS, *METRIC_COLUMNS, "bankrupt_day") if name not in header]
            if missing:
                raise DamageError(f"{path}: column {missing[0]} is missing")
            rows = list(enumerate(reader, start=2))
    except FileNotFoundError:
        raise InputError(
            "no outcomes yet: no world of this run has ended, or this is not a run", file=path
        ) from None
    return gather(rows, source=str(path))


def gather(rows: Iterable[tuple[int, Mapping[str, str]]], *, source: str) -> tuple[PlayedWorld, ...]:
    """Return worlds from numbered rows of text, in any order."""
    by_world: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for line, row in rows:
        by_world.setdefault(row["world"], []).append((line, row))
    worlds = [_world(items, source) for items in by_world.values()]
    return tuple(sorted(worlds, key=order))


def order(world: PlayedWorld) -> tuple[str, Draw, str]:
    """Return the sorting key of the contract's tables."""
    return (world.reference, world.draw, world.lineup)


def _world(items: Sequence[tuple[int, Mapping[str, str]]], source: str) -> PlayedWorld:
    rows = sorted(items, key=lambda item: _integer(item, "seat", source))
    line, first = rows[0]
    seats = [_integer(item, "seat", source) for item in rows]
    if seats != list(range(1, len(seats) + 1)):
        raise DamageError(f"{source}:{line}: world {first['world']} has seats {seats}, not 1 to {len(seats)}")
    names = [*METRIC_COLUMNS, *(name for name in OPTIONAL_COUNTS if name in first)]
    entrant = first["lineup"].removeprefix(f"{first['reference']}-for-") if first["reference"] else ""
    spec = WorldSpec(
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
    return PlayedWorld(
        spec=spec,
        metrics={
            name: np.array([_integer(item, name, source) for item in rows], dtype=np.int64) for name in names
        },
        bankrupt_days=tuple(
            None if item[1]["bankrupt_day"] == "" else _integer(item, "bankrupt_day", source) for item in rows
        ),
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
