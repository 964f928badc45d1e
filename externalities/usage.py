"""usage.json: what model seats used, by contestant and by seat, with the faults that routes had.

Sums of the worlds' usage tables and nothing else. They stand in no CSV, because a run that was killed
and resumed has bought and lost other requests than one that never stopped, and its tables must not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from externalities.run_files import Run
from tournament.records import Json
from tournament.storage import write_atomic

USAGE_JSON: Final = "usage.json"
_KEYS: Final = ("world", "seat", "contestant", "window", "route")


def write_usage(run: Run, folder: Path) -> dict[str, str]:
    """Write the sums where finished worlds have usage tables; return the file's hash by path in the run."""
    found = usage_sums(run)
    if found is None:
        return {}
    path = folder / USAGE_JSON
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return {path.relative_to(run.path).as_posix(): write_atomic(path, text)}


def usage_sums(run: Run) -> Mapping[str, Json] | None:
    """Return sums of every count by contestant, and by world and seat; None without usage tables.

    What one of the rows does not know (a table of an earlier version lacks the column) its sum does not know.
    """
    import pandas as pd  # noqa: PLC0415

    paths = [run.path / "worlds" / world.world / "usage.parquet" for world in run.worlds]
    tables = [pd.read_parquet(path) for path in paths if path.exists()]
    if not tables:
        return None
    table: Any = pd.concat(tables, ignore_index=True)
    counts = [name for name in table.columns if name not in _KEYS and table[name].dtype.kind in "iuf"]
    return {
        "contestants": _rows(_sums(table, ["contestant"], counts)),
        "seats": _rows(_sums(table, ["world", "seat", "contestant"], counts)),
    }


def _sums(table: Any, keys: list[str], counts: list[str]) -> Any:
    groups = table.groupby(keys, sort=False)[counts]
    return groups.sum().where(groups.count().eq(groups.size(), axis=0)).reset_index()


def _rows(table: Any) -> list[Mapping[str, Json]]:
    rows: list[Mapping[str, Json]] = json.loads(table.to_json(orient="records", double_precision=10))
    return rows
