"""The planner on a run's files: power.csv beside the other tables."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from externalities.power_tables import POWER, PowerRow, Question, power_rows, world_cost
from externalities.resampling import stream
from externalities.rows import csv_text
from externalities.run_files import Run, read_run
from externalities.write import FOLDER, USUAL
from tournament.errors import InputError
from tournament.storage import disk_errors, write_atomic


def write_power(run: Path, question: Question) -> list[PowerRow]:
    """Write and return the planner's answers for every reference policy of the run.

    Raises InputError where the run has no such entrant, or nothing to estimate variances from.
    """
    found = read_run(run)
    _require(found, question)
    cost = world_cost(run, found.worlds)
    rows = [
        row
        for group in found.sets
        for row in power_rows(
            group, question, cost, USUAL.level, partial(stream, f"{found.study_hash}/{group.reference}")
        )
    ]
    if all(row.sd_seed_cents is None for row in rows):
        raise InputError("no effect has two seeds: there are no variances to plan from", file=run)
    folder = run / FOLDER
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / POWER.file, csv_text(POWER.row, rows))
    return rows


def _require(run: Run, question: Question) -> None:
    if question.power <= question.alpha:
        raise InputError(
            f"{question.power:g} is not above the level {question.alpha:g}, which no effect at all reaches",
            field="--power",
        )
    entrants = list(dict.fromkeys(entrant for group in run.sets for entrant in group.entrants))
    if not entrants:
        raise InputError("the study replaces nobody: there are no effects to plan for", file=run.path)
    if question.entrant and question.entrant not in entrants:
        raise InputError(f"no entrant {question.entrant}; there is {', '.join(entrants)}", field="--entrant")
