"""What is torn in a run directory is named before anything is bought, and made again where that loses nothing.

The plan, the study and the outcome tables are functions of the frozen study and the journals. A file that is
not what the manifest vouches for is made again beside it, compared with the manifest and swapped in; one that
cannot be is named with what to delete.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from lineups.plan_file import plan_text
from tournament import seal
from tournament.errors import DamageError
from tournament.foreign_text import quoted
from tournament.journal.writer import JOURNAL
from tournament.rundir.layout import CANONICAL, PLAN, STUDY, ended_world
from tournament.rundir.manifest import MANIFEST, Manifest, read_manifest, world_file
from tournament.rundir.outcomes import OUTCOMES_CSV, OUTCOMES_PARQUET, TEXT_COLUMNS, csv_text, table
from tournament.rundir.parquet import write_parquet
from tournament.storage import write_atomic
from tournament.study.file import Study


def mend_run(run: Path, study: Study) -> list[str]:
    """Make again what is torn in a run directory that the caller owns; return a line for each file.

    A folder without a manifest, or of another study, is left as it is. Raises DamageError naming what cannot be
    made again, and what to delete.
    """
    if not (run / MANIFEST).exists():
        return []
    manifest = read_manifest(run)
    if manifest.study_hash != study.hash:
        return []
    made: dict[str, Callable[[], str]] = {
        PLAN: lambda: plan_text(study.worlds()),
        CANONICAL: lambda: seal.canonical(study.canonical()) + "\n",
        STUDY: lambda: study.text,
    }
    mended = [_mended_text(run, manifest, name, text()) for name, text in made.items()]
    return [line for line in (*mended, *_mended_outcomes(run, manifest, study)) if line]


def _mended_text(run: Path, manifest: Manifest, name: str, text: str) -> str:
    if _is_whole(run, manifest, name):
        return ""
    if hashlib.sha256(text.encode()).hexdigest() != manifest.files[name]:
        raise DamageError(
            f"{run / name} is damaged, and the study given does not make it as it was: give the study file that the"
            f" run was begun with, or put the file back from a copy; to begin anew, delete {quoted(run)} or choose --out"
        )
    write_atomic(run / name, text)
    return f"{name} was damaged and is made again from the study"


def _mended_outcomes(run: Path, manifest: Manifest, study: Study) -> list[str]:
    """Make both outcome tables again from the journals; before every world has ended no manifest vouches for
    them, and the next world's end writes them anew."""
    names = [
        name
        for name in (OUTCOMES_CSV, OUTCOMES_PARQUET)
        if name in manifest.files and not _is_whole(run, manifest, name)
    ]
    if not names:
        return []
    worlds = study.worlds()
    missing = [spec.world for spec in worlds if not _has_journal(run, manifest, spec.world)]
    if missing:
        raise DamageError(
            f"{run / names[0]} is damaged, and so is world {missing[0]} that it is made of: delete"
            f" {quoted(run / 'worlds' / missing[0])} and run the study again"
        )
    columns, rows = table((ended_world(run, spec) for spec in worlds), study.market.published)
    write_atomic(run / OUTCOMES_CSV, csv_text(columns, rows))
    by_column = {name: [row[name] for row in rows] for name in columns}
    write_parquet(run / OUTCOMES_PARQUET, by_column, texts=TEXT_COLUMNS)
    for name in names:
        if not _is_whole(run, manifest, name):
            raise DamageError(
                f"{run / name} was damaged, and the journals make another one than the manifest vouches for: `tournament"
                f" verify {quoted(run)}` tells which world differs"
            )
    return [f"{name} was damaged and is made again from the journals" for name in names]


def _has_journal(run: Path, manifest: Manifest, world: str) -> bool:
    """Tell whether a world ended and its journal is the one that the manifest vouches for."""
    name = world_file(world, JOURNAL)
    return name in manifest.files and _is_whole(run, manifest, name)


def _is_whole(run: Path, manifest: Manifest, name: str) -> bool:
    """Tell whether a file is the one that the manifest vouches for."""
    try:
        held = (run / name).read_bytes()
    except FileNotFoundError:
        return False
    return hashlib.sha256(held).hexdigest() == manifest.files[name]
