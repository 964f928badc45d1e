"""Reading the tables that the statistics wrote, as a user's script would."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from externalities.analysis import Options
from externalities.write import Summary, write_externalities
from tests.externalities import synthetic


def analysed(folder: Path, made: Sequence[dict[str, str]], **options: Any) -> tuple[Path, Summary]:
    """Write a run of these outcomes, with its plan, and all its tables."""
    run = synthetic.write_run(folder, made)
    synthetic.write_plan(run, made)
    return run, write_externalities(run, options=Options(**options))


def table(run: Path, name: str, folder: str = "") -> list[dict[str, str]]:
    with (run / "externalities" / folder / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def row(rows: Sequence[dict[str, str]], **wanted: str) -> dict[str, str]:
    """Return the one row that has these cells."""
    (found,) = [item for item in rows if all(item[name] == value for name, value in wanted.items())]
    return found


def document(run: Path, folder: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "externalities" / folder / "summary.json").read_text())
    return found
