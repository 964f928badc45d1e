"""From a run's finished worlds to the files of its `externalities` folder.

`run` calls this at its end, also when only part of the plan has been played: what is missing is left
out and counted, never filled. Equal outcomes give equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from externalities.estimands import contrasts, matched_pairs
from externalities.matched_tables import matched_rows
from externalities.outcomes import read_outcomes
from externalities.rows import Row, TableSpec, csv_text
from tournament.records import Json
from tournament.storage import write_atomic


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What was written: text for a terminal, the same for programs, and the SHA-256 of each file.

    `files` maps a path relative to the run directory to the hex digest of its bytes.
    """

    text: str
    report: Mapping[str, Json]
    files: Mapping[str, str]


def write_externalities(run: Path) -> Summary:
    """Write every table that the run's finished worlds allow and return what a reader needs first.

    Raises InputError if no world has ended, DamageError if outcomes do not add up.
    """
    worlds = read_outcomes(run / "outcomes.csv")
    pairs = matched_pairs(worlds)
    folder = run / "externalities"
    folder.mkdir(exist_ok=True)
    files: dict[str, str] = {}
    for spec, rows in matched_rows(contrasts(pairs)).items():
        files |= _publish(run, folder, spec, rows)
    text = f"{len(worlds)} worlds, {len(pairs)} matched pairs"
    return Summary(text=text, report={"worlds": len(worlds), "pairs": len(pairs)}, files=files)


def _publish(run: Path, folder: Path, spec: TableSpec, rows: list[Row]) -> dict[str, str]:
    path = folder / spec.file
    return {path.relative_to(run).as_posix(): write_atomic(path, csv_text(spec.row, rows))}
