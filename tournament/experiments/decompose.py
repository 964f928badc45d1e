"""Playing and checking a run's hybrid worlds, and the one table that statistics read of them.

The statistics subtract; what is subtracted is made here, from seals alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from lineups.pairs import matched_pairs
from tournament.errors import InputError
from tournament.experiments.hybrid import (
    HYBRIDS,
    PLAN,
    PlayedHybrid,
    hybrid_file,
    hybrids_of,
    plan_text,
    play_hybrids,
)
from tournament.published import Published, Role
from tournament.registry import market_kind
from tournament.rundir.checked import require_checked
from tournament.rundir.layout import published_of, read_canonical, read_plan
from tournament.rundir.manifest import read_manifest, record_files, withdraw_files
from tournament.storage import disk_errors, write_atomic

TABLE: Final = "hybrids/hybrids.csv"
DESIGN_COLUMNS: Final = (
    "world",
    "order",
    "control",
    "treated",
    "noise_repeat",
    "seat",
    "contestant",
    "source",
)
WINDOW_COLUMNS: Final = ("windows", "windows_refused", "windows_unsealed")
ROLES: Final[tuple[Role, ...]] = ("score", "cash", "salvage")


def decompose(run: Path, jobs: int, announce: Callable[[str], None]) -> int:
    """Play the hybrids of every finished matched pair and publish them; return how many there are.

    There are none, and nothing is written, where no pair leaves a rival in its seat. The caller owns the
    run directory. Raises InputError when no matched pair is finished.
    """
    require_checked(run, lambda name: not name.startswith("externalities/"))
    manifest = read_manifest(run)
    plan = read_plan(run)
    hybrids = hybrids_of(plan, [spec.world for spec in plan if manifest.finished(spec.world)])
    if not hybrids:
        raise InputError("no matched pair of worlds is finished: there is nothing to decompose", file=run)
    if not any(pair.rivals for pair in matched_pairs(plan)):
        return 0
    market_kind(manifest.scenario.market).prepare(announce)
    with disk_errors(run):
        (run / HYBRIDS).mkdir(exist_ok=True)
    played = play_hybrids(run, manifest, read_canonical(run)["market"]["overrides"], hybrids, jobs)
    files = {hybrid_file(item.hybrid.spec.world): item.journal_sha256 for item in played}
    # The statistics follow from the hybrids too: those of before would be damaged from here until they are anew.
    withdraw_files(run, lambda name: name in (PLAN, TABLE) or name.startswith("externalities/"))
    files[PLAN] = write_atomic(run / PLAN, plan_text(hybrids))
    files[TABLE] = write_atomic(run / TABLE, table_text(played, published_of(run)))
    record_files(run, files)
    return len(hybrids)


def score_columns(published: Published) -> tuple[str, ...]:
    """Return the outcome columns of a hybrid that statistics subtract: Score, cash and salvage, as far as there are."""
    return tuple(name for name in map(published.role, ROLES) if name is not None)


def table_text(played: Sequence[PlayedHybrid], published: Published) -> str:
    """Return one row a hybrid and seat as CSV, with what the market has of Score, cash and salvage."""
    scores = score_columns(published)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*DESIGN_COLUMNS, *scores, *WINDOW_COLUMNS])
    for item in played:
        hybrid = item.hybrid
        for index, metrics in enumerate(item.outcomes):
            writer.writerow(
                [
                    hybrid.spec.world,
                    hybrid.order,
                    hybrid.control,
                    hybrid.treated,
                    hybrid.noise_repeat or "",
                    index + 1,
                    hybrid.spec.seats[index],
                    hybrid.sources[index],
                    *(metrics[name] for name in scores),
                    item.windows[index],
                    item.refused[index],
                    item.unsealed[index],
                ]
            )
    return stream.getvalue()
