"""Down-sampled paths from a run's parquet tables: every n-th day, the last one, and the day of an exit.

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
from reports.view import View
from tournament.errors import DamageError

BATCH: Final = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class CashPath:
    """One firm's closing cash in cents on some days; `exit_day` where it went bankrupt."""

    world: str
    seat: int
    contestant: str
    days: tuple[int, ...]
    cents: tuple[int, ...]
    exit_day: int | None


def cash_paths(view: View, world: str, points: int) -> tuple[CashPath, ...]:
    """Return each firm's path with about so many points; empty where the world has no daily table."""
    (seats,) = (spec.seats for spec in view.plan if spec.world == world)
    exits = _exit_days(view, world)
    last = view.manifest.scenario.days
    step = max(1, last // points)
    kept: dict[int, tuple[list[int], list[int]]] = {seat: ([], []) for seat in range(1, len(seats) + 1)}
    for day, seat, cents in _rows(view.folder(world) / "daily.parquet", ("day", "seat", "cash_cents")):
        exit_day = exits.get(seat)
        shown = day % step == 0 or day in (1, last) or day == exit_day
        if shown and (exit_day is None or day <= exit_day):
            kept[seat][0].append(day)
            kept[seat][1].append(cents)
    return tuple(
        CashPath(
            world=world,
            seat=seat,
            contestant=seats[seat - 1],
            days=tuple(days),
            cents=tuple(cents),
            exit_day=exits.get(seat),
        )
        for seat, (days, cents) in kept.items()
        if days
    )


def _exit_days(view: View, world: str) -> dict[int, int]:
    """Return the day on which each bankrupt seat left, as far as outcomes tell of the world yet."""
    lines = view.outcomes.where(world=world)
    return {line.whole("seat"): line.whole("bankrupt_day") for line in lines if line["bankrupt_day"]}


def window_paths(view: View, world: str, points: int) -> Iterator[Mapping[str, Any]]:
    """Yield a world's lines of paths.parquet: one a window and firm in business, of about so many windows."""
    path = view.run / FOLDER / PATHS_PARQUET
    step = max(1, view.manifest.scenario.windows // points)
    table = columns(path, None, [("world", "=", world), ("in_business", "=", True)])
    if table is None:
        return
    names = list(table)
    for values in zip(*table.values(), strict=True):
        line = dict(zip(names, values, strict=True))
        if line["window"] % step == 0:
            yield line


def tenders(view: View, world: str) -> list[Mapping[str, Any]]:
    """Return a world's tenders in order, none where its market keeps no such table."""
    table = columns(view.folder(world) / "tenders.parquet", None)
    if table is None:
        return []
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


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
