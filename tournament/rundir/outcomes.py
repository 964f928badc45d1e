"""`outcomes.csv` and `outcomes.parquet`: one row a seat of every finished world, in the contract's order.

Rows are sorted by the design, never by completion, so that the order in which worlds end leaves no
trace. The market declares its columns and their order.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lineups.values import WorldSpec
from tournament.published import Published

Value = str | int | None

OUTCOMES_CSV: Final = "outcomes.csv"
OUTCOMES_PARQUET: Final = "outcomes.parquet"

DESIGN_COLUMNS: Final = (
    "world",
    "lineup",
    "reference",
    "replaced_seat",
    "rotation",
    "seed",
    "repeat",
    "seat",
    "contestant",
)
TEXT_COLUMNS: Final = frozenset({"world", "lineup", "reference", "replaced_seat", "contestant"})
WINDOWS: Final = ("windows_sealed", "windows_refused", "windows_exhausted")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedWorld:
    """A finished world's metrics by seat, as the market gave them, and its windows by how they ended."""

    spec: WorldSpec
    metrics: tuple[Mapping[str, int | None], ...]
    windows: tuple[Mapping[str, int], ...]


def window_states(states: Sequence[tuple[int, str]], seats: int) -> tuple[Mapping[str, int], ...]:
    """Count each seat's windows by how they ended, from (seat, state) pairs."""
    counts = [{"windows_sealed": 0, "windows_refused": 0, "windows_exhausted": 0} for _ in range(seats)]
    columns = {
        "sealed": "windows_sealed",
        "refused": "windows_refused",
        "budget_exhausted": "windows_exhausted",
    }
    for seat, state in states:
        counts[seat - 1][columns[state]] += 1
    return tuple(counts)


def columns(published: Published) -> tuple[str, ...]:
    """Return the table's columns: design, the market's, windows, then what the market puts behind them."""
    names = published.outcome_names()
    late = {column.name for column in published.columns if column.after_windows}
    before = tuple(name for name in names if name not in late)
    return (*DESIGN_COLUMNS, *before, *WINDOWS, *(name for name in names if name in late))


def world_rows(world: EndedWorld) -> list[dict[str, Value]]:
    """Return one row a seat."""
    spec = world.spec
    design: dict[str, Value] = {
        "world": spec.world,
        "lineup": spec.lineup,
        "reference": spec.reference,
        "replaced_seat": "+".join(str(seat) for seat in spec.replaced_seats) or None,
        "rotation": spec.rotation,
        "seed": spec.seed,
        "repeat": spec.repeat,
    }
    return [
        {**design, "seat": seat, "contestant": contestant, **metrics, **windows}
        for seat, (contestant, metrics, windows) in enumerate(
            zip(spec.seats, world.metrics, world.windows, strict=True), start=1
        )
    ]


def table(
    worlds: Iterable[EndedWorld], published: Published
) -> tuple[tuple[str, ...], list[dict[str, Value]]]:
    """Return columns and rows of all finished worlds, sorted as the contract says."""
    ended = sorted(worlds, key=lambda world: _order(world.spec))
    return columns(published), [row for world in ended for row in world_rows(world)]


def csv_text(names: tuple[str, ...], rows: Iterable[Mapping[str, Value]]) -> str:
    """Return rows as CSV: None is empty, lines end with a line feed."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([row[name] for name in names] for row in rows)
    return stream.getvalue()


def _order(spec: WorldSpec) -> tuple[str, int, int, int, str]:
    return (spec.reference or "", spec.rotation, spec.seed, spec.repeat, spec.lineup)
