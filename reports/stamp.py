"""A report's own list: what it was made from and by, its files' hashes; and whether it still follows from its run.

A report may be made while a run is played, so that no manifest vouches for it: its list stands beside it,
written last. Where the run and the program are still those that it names, the report is made anew and compared
byte by byte; where they are not, that is said, and the hashes alone are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tournament import seal
from tournament.foreign_text import quoted
from tournament.rundir.environment import OWN, hashes_of, platform_facts, versions
from tournament.rundir.manifest import read_manifest
from tournament.rundir.status import run_status
from tournament.storage import sha256_of, write_atomic

REPORT: Final = "report"
STAMP: Final = "made.json"
PROGRAM: Final = ("agents", "externalities", "market", "reports", *OWN)
DRAWN_BY: Final = ("altair", "jinja2", "markupsafe", "vl-convert-python")
Format = Literal["html", "md", "latex", "csv"]


class Stamp(BaseModel):
    """What a report was made from (`of`) and by, under which name of its run, in which formats, with which bytes.

    `own` is the digest of all the rest, so that a damaged list is no list.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal[1] = 1
    run: str
    formats: tuple[Format, ...]
    of: str
    by: str
    files: dict[str, str]
    own: str = ""

    @property
    def digest(self) -> str:
        return seal.digest(self.model_dump(mode="json", exclude={"own"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """How a report is made anew: into `folder`, under the run's name and in the formats of its stamp."""

    run: Path
    folder: Path
    name: str
    formats: tuple[Format, ...]
    workers: int


def forget_stamp(folder: Path) -> None:
    """Take a report's list away before its files are written: a killed command leaves it unfinished, not damaged."""
    (folder / STAMP).unlink(missing_ok=True)


def write_stamp(
    run: Path, folder: Path, name: str, formats: Sequence[Format], of: str, written: set[str]
) -> None:
    """Write the list of a report whose files are all there; `of` is what `state_of` was before the first."""
    files = {file: sha256_of(folder / file) for file in sorted(written)}
    stamp = Stamp(run=name, formats=tuple(formats), of=of, by=program(), files=files)
    whole = stamp.model_copy(update={"own": stamp.digest})
    write_atomic(folder / STAMP, whole.model_dump_json(indent=1) + "\n")


def state_of(run: Path) -> str:
    """Return the digest of everything of a run that its report tells of."""
    manifest = read_manifest(run)
    tables = [*run.glob("outcomes.*"), *(path for path in run.glob("externalities/**/*") if path.is_file())]
    return seal.digest(
        {
            "manifest": manifest.model_dump(mode="json"),
            "tables": {path.relative_to(run).as_posix(): sha256_of(path) for path in sorted(tables)},
            "worlds": [asdict(world) for world in run_status(run).worlds],
        }
    )


def program() -> str:
    """Return the digest of what makes a report's bytes: sources, libraries, platform."""
    drawn = {name: version(name) for name in DRAWN_BY}
    return seal.digest([hashes_of(PROGRAM), versions(), drawn, platform_facts()])


def report_faults(run: Path) -> tuple[list[tuple[str, str]], list[str], Stamp | None]:
    """Compare a report's files with its own list; return faults by file, what is not vouched for, and the list.

    No list where the report was interrupted or is of an earlier version.
    """
    folder = run / REPORT
    if not folder.is_dir():
        return [], [], None
    anew = f"`tournament report {quoted(run)}` writes it anew"
    if not (folder / STAMP).is_file():
        return [], [f"{REPORT}/: it has no {STAMP}, so that nothing vouches for it; {anew}"], None
    try:
        stamp = Stamp.model_validate_json((folder / STAMP).read_bytes())
    except ValidationError as fault:
        return [(f"{REPORT}/{STAMP}", f"is damaged: {fault.errors()[0]['msg']}")], [], None
    if stamp.own != stamp.digest:
        return [(f"{REPORT}/{STAMP}", "is damaged: it does not have its own digest")], [], None
    faults = list(_differing(folder, stamp.files))
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    others = sorted(there - stamp.files.keys() - {STAMP})
    notes = [f"{REPORT}/{others[0]} and {len(others) - 1} more: not of the last report"] if others else []
    return faults, notes, stamp


def remade_faults(
    run: Path, stamp: Stamp, folder: Path, workers: int, make: Callable[[Remade], Mapping[str, str]]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Make a report anew in `folder` and compare; `make` returns the SHA-256 of what it wrote, by name.

    Where run or program are others than the list names, nothing is compared and the reason returned.
    """
    anew = f"`tournament report {quoted(run)}` writes it anew"
    if stamp.of != state_of(run):
        return [], [f"{REPORT}/: made of another state of the run; {anew}"]
    if stamp.by != program():
        return [], [f"{REPORT}/: made by another version of the program or its libraries; {anew}"]
    made = make(Remade(run=run, folder=folder, name=stamp.run, formats=stamp.formats, workers=workers))
    return [
        (f"{REPORT}/{name}", "is not what follows from the run's files")
        for name in sorted(made.keys() | stamp.files.keys())
        if made.get(name) != stamp.files.get(name)
    ], []


def _differing(folder: Path, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            yield f"{REPORT}/{name}", "is missing"
        elif sha256_of(path) != expected:
            yield f"{REPORT}/{name}", "does not have the bytes that the report was written with"
