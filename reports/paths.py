"""Down-sampled paths from a run's parquet tables: every n-th step, the last one, and that of an exit.

Only columns that a picture needs are read, one world at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from externalities.paths import PATHS_PARQUET
from externalities.write import FOLDER
from lineups.values import WorldSpec
from reports.view import View
from tournament.errors import DamageError

BATCH: Final = 8192
MOST_MARKETS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class CashPath:
    """One firm's closing cash in cents at some time steps; `exit` is the step in which it left."""

    world: str
    seat: int
    contestant: str
    steps: tuple[int, ...]
    cents: tuple[int, ...]
    exit: int | None


def cash_paths(view: View, world: str, points: int) -> tuple[CashPath, ...]:
    """Return each firm's path with about so many points; empty where there is no cash by time step."""
    cash = view.published.daily_cash
    if cash is None:
        return ()
    (seats,) = (spec.seats for spec in view.plan if spec.world == world)
    exits = _exits(view, world)
    last = view.manifest.scenario.days
    every = max(1, last // points)
    kept: dict[int, tuple[list[int], list[int]]] = {seat: ([], []) for seat in range(1, len(seats) + 1)}
    for step, seat, cents in _rows(view.folder(world) / "daily.parquet", ("day", "seat", cash)):
        left = exits.get(seat)
        shown = step % every == 0 or step in (1, last) or step == left
        if shown and (left is None or step <= left):
            kept[seat][0].append(step)
            kept[seat][1].append(cents)
    return tuple(
        CashPath(
            world=world,
            seat=seat,
            contestant=seats[seat - 1],
            steps=tuple(steps),
            cents=tuple(cents),
            exit=exits.get(seat),
        )
        for seat, (steps, cents) in kept.items()
        if steps
    )


def _exits(view: View, world: str) -> dict[int, int]:
    """Return the step in which each seat left that did, as far as outcomes tell of the world yet."""
    column = view.published.role("exit")
    if column is None:
        return {}
    return {
        line.whole("seat"): line.whole(column) for line in view.outcomes.where(world=world) if line[column]
    }


def window_paths(view: View, world: str, points: int) -> Iterator[Mapping[str, Any]]:
    """Yield a world's declared paths: a line a window and firm in business, of about so many windows."""
    every = max(1, view.manifest.scenario.windows // points)
    table = _series(view, world)
    if table is None:
        return
    (seats,) = (spec.seats for spec in view.plan if spec.world == world)
    for values in zip(*table.values(), strict=True):
        line = dict(zip(table, values, strict=True))
        if line["in_business"] and line["window"] % every == 0:
            yield {**line, "contestant": seats[line["seat"] - 1]}


def _series(view: View, world: str) -> dict[str, list[Any]] | None:
    """Return a world's own table of paths; a run of before there was one has them in a table of all worlds."""
    own = columns(view.folder(world) / "series.parquet", None)
    if own is not None:
        return own
    return columns(view.run / FOLDER / PATHS_PARQUET, None, [("world", "=", world)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An event of a world that is worth marking: its title, step, and seat, None where it is nobody's."""

    title: str
    step: int
    seat: int | None


def happenings(view: View, world: str) -> Iterator[Happening]:
    """Yield the declared events of a finished world."""
    for event in view.published.events:
        table = columns(view.folder(world) / f"{event.table}.parquet", None)
        if table is None or event.moment not in table:
            continue
        nobody: list[Any] = [None] * len(table[event.moment])
        seats = nobody if event.seat is None else table[event.seat]
        for step, seat in zip(table[event.moment], seats, strict=True):
            if step is not None:
                yield Happening(title=event.title, step=step, seat=seat or None)


def reference_markets(view: View) -> list[WorldSpec]:
    """Return the first finished worlds of the reference lineup, first repeats before others."""
    found = [spec for spec in view.finished if not spec.reference]
    return sorted(found, key=lambda spec: (spec.repeat, spec.rotation, view.plan.index(spec)))[:MOST_MARKETS]


def _rows(path: Path, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield a parquet file's rows, some thousands in memory at a time; none where there is no file."""
    from pyarrow import parquet  # noqa: PLC0415

    if not path.exists():
        return
    with _readable(path), parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(BATCH, columns=list(names)):
            yield from zip(*(batch.column(name).to_pylist() for name in names), strict=True)


def columns(
    path: Path, names: Sequence[str] | None, filters: Sequence[tuple[str, str, Any]] | None = None
) -> dict[str, list[Any]] | None:
    """Return a parquet file's columns as lists, or None where there is no such file."""
    from pyarrow import parquet  # noqa: PLC0415

    if not path.exists():
        return None
    with _readable(path):
        table = parquet.read_table(path, columns=None if names is None else list(names), filters=filters)
    return {name: table[name].to_pylist() for name in table.column_names}


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what a damaged file raises into the error that names it."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except (OSError, pa.ArrowException) as fault:
        raise DamageError(f"{path} cannot be read: {fault}") from fault
