"""Reading a finished file of a run: its bytes are compared with the manifest's hash before anybody uses them.

Whoever concludes something from a run's files asks here first, so that nothing is concluded from what was
changed. What the manifest does not name yet (an unfinished run's tables) is given as it is; what it must
name, because every world of the run is finished, is not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lineups.plan_file import read_plan_file
from tournament.errors import DamageError
from tournament.foreign_text import quoted
from tournament.rundir.manifest import MANIFEST, Manifest, read_manifest
from tournament.rundir.outcomes import OUTCOMES_CSV
from tournament.storage import sha256_of

PLAN = "plan.jsonl"


def checked(run: Path, name: str) -> Path:
    """Return the place of a run's file once its bytes are those that the manifest vouches for.

    A file that is neither there nor in the manifest is for the caller to miss. Raises DamageError where the
    file is not what was published, InputError for a folder that is no run.
    """
    _compare(run, name, read_manifest(run).files.get(name))
    return run / name


def require_checked(run: Path, wanted: Callable[[str], bool]) -> None:
    """Compare every published file whose name is `wanted`; raises as `checked` does at the first that differs."""
    manifest = read_manifest(run)
    for name, expected in manifest.files.items():
        if wanted(name):
            _compare(run, name, expected)
    _require_outcomes(run, manifest)


def _compare(run: Path, name: str, expected: str | None) -> None:
    path = run / name
    if expected is None:
        return
    if not path.is_file():
        raise DamageError(
            f"{path} was published and is missing; `tournament verify {quoted(run)}` tells more"
        )
    if sha256_of(path) != expected:
        raise DamageError(f"{path} is not what was published; `tournament verify {quoted(run)}` tells more")


def _require_outcomes(run: Path, manifest: Manifest) -> None:
    """A manifest that names every world and not their outcomes was changed: they are recorded in one step."""
    if OUTCOMES_CSV in manifest.files or not (run / PLAN).is_file():
        return
    if all(manifest.finished(spec.world) for spec in read_plan_file(run / PLAN)):
        raise DamageError(
            f"{run / MANIFEST} is damaged: every world is finished, and it names no {OUTCOMES_CSV}"
        )
