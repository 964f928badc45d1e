"""Tables compared with what they were made from: parquet by its values, text by its bytes."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tournament.rundir.outcomes import EndedWorld, Value, csv_text, table
from tournament.rundir.parquet import Columns

UNREADABLE: Final = "cannot be read as a table"


def parquet_fault(path: Path, expected: Columns) -> str | None:
    """Return how a parquet file differs from the columns it must hold, or None where it does not."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    try:
        found = parquet.read_table(path)
    except FileNotFoundError:
        return "is missing"
    except (OSError, pa.ArrowException):
        return UNREADABLE
    if found.column_names != list(expected):
        return "has other columns than follow from the journal"
    for name, values in expected.items():
        if not _equal(found[name], values):
            return f"column {name} is not what follows from the journal"
    return None


def _equal(found: Any, expected: Any) -> bool:
    if len(found) != len(expected):
        return False
    if isinstance(expected, np.ndarray) and expected.dtype.kind in "iufb" and found.null_count == 0:
        values = found.to_numpy()
        return bool(values.dtype.kind == expected.dtype.kind) and np.array_equal(
            values, expected, equal_nan=expected.dtype.kind == "f"
        )
    told = expected.tolist() if isinstance(expected, np.ndarray) else list(expected)
    return all(map(_same, found.to_pylist(), told))


def _same(found: Any, expected: Any) -> bool:
    """Compare two cells; what no number is (NaN) is no value in one form and one in the other."""
    if isinstance(expected, float) and math.isnan(expected):
        return found is None or (isinstance(found, float) and math.isnan(found))
    return bool(found == expected)


def outcome_faults(
    run: Path, names: tuple[str, str], worlds: Mapping[str, EndedWorld], must: set[str], published: Any
) -> Iterator[tuple[str, str]]:
    """Yield (file, what is wrong) of both outcome tables.

    `worlds` are those that a table may speak of, `must` those that it has to: a run that was killed may
    have ended worlds that its tables hold already, or not yet.
    """
    text, binary = names
    if not must and not (run / text).exists():
        return
    try:
        content = (run / text).read_text(encoding="utf-8")
        shown = list(csv.reader(content.splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error):
        yield text, "is missing or cannot be read"
    else:
        yield from ((text, fault) for fault in _text_faults(content, shown, worlds, must, published))
    yield from ((binary, fault) for fault in _binary_faults(run / binary, worlds, must, published))


def _text_faults(
    content: str,
    shown: Sequence[Sequence[str]],
    worlds: Mapping[str, EndedWorld],
    must: set[str],
    published: Any,
) -> Iterator[str]:
    here = {row[0] for row in shown[1:] if row}
    fault = _membership(here, worlds, must)
    if fault:
        yield fault
        return
    columns, rows = table((worlds[name] for name in here), published)
    expected = csv_text(columns, rows)
    if content == expected:
        return
    lines, wanted = content.splitlines(), expected.splitlines()
    differing = next(
        (at for at, pair in enumerate(zip(lines, wanted, strict=False)) if pair[0] != pair[1]), None
    )
    if differing == 0:
        yield "has other columns than the journals give"
    elif differing is None:
        yield "holds a row twice, or one that no journal gives"
    else:
        yield f"line {differing + 1} differs from the world's journal"


def _binary_faults(
    path: Path, worlds: Mapping[str, EndedWorld], must: set[str], published: Any
) -> Iterator[str]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    try:
        here = set(parquet.read_table(path, columns=["world"])["world"].to_pylist())
    except (OSError, KeyError, pa.ArrowException):
        yield "is missing or cannot be read"
        return
    fault = _membership(here, worlds, must)
    if fault is None:
        columns, rows = table((worlds[name] for name in here), published)
        cells: dict[str, list[Value]] = {name: [row[name] for row in rows] for name in columns}
        fault = parquet_fault(path, cells)
    if fault:
        yield fault


def _membership(here: set[Any], worlds: Mapping[str, EndedWorld], must: set[str]) -> str | None:
    ghosts, lost = sorted(map(str, here - worlds.keys())), sorted(must - here)
    if ghosts:
        return f"holds rows of {ghosts[0]}, which no journal gives"
    if lost:
        return f"lacks the rows of {lost[0]}"
    return None
