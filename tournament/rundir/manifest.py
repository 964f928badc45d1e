"""The manifest of a run: what it is of, what it was made with, and the SHA-256 of every finished file.

A file that stands here is complete and durable; a world counts as finished when all of its files do.
What a crash left out is made again from the journals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tournament.errors import DamageError, InputError
from tournament.published import Published
from tournament.storage import write_atomic

MANIFEST: Final = "manifest.json"
# What every finished world has; what else a market gives stands in the manifest by name.
WORLD_FILES: Final = ("journal.sqlite", "daily.parquet", "windows.parquet")


class Scenario(BaseModel):
    """The market's parameters by name and hash, and what a reader of its files needs to know of it.

    `published` is missing from runs of before there was one: `tournament.rundir.layout.published_of`
    asks the installed market then.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    market: str
    id: str
    sha256: str
    days: int
    windows: int
    accounts: tuple[str, ...]
    published: Published | None = None


class Manifest(BaseModel):
    """The published record of a run; `files` maps a path relative to the run to its SHA-256.

    `accepted` holds what an operator has decided since the run began: by route the model ids that may answer
    beside those of its entry, each with the UTC time of the decision.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal[1] = 1
    study: str
    study_hash: str
    scenario: Scenario
    sources: dict[str, str]
    versions: dict[str, str]
    platform: dict[str, str]
    files: dict[str, str]
    accepted: dict[str, dict[str, str]] = Field(default_factory=dict)

    def finished(self, world: str) -> bool:
        """Whether all files of a world are published."""
        return all(world_file(world, name) in self.files for name in WORLD_FILES)

    def with_files(self, files: Mapping[str, str]) -> Manifest:
        return self.model_copy(update={"files": dict(sorted({**self.files, **files}.items()))})


def world_file(world: str, name: str) -> str:
    """Return a world's file as the manifest names it."""
    return f"worlds/{world}/{name}"


def read_manifest(run: Path) -> Manifest:
    """Return a run's manifest; raises InputError where there is none, DamageError where it is not whole."""
    path = run / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{run} is not a run directory: it has no {MANIFEST}") from None
    except (NotADirectoryError, PermissionError) as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror}") from None
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise DamageError(f"{path} is damaged: {place or 'file'}: {first['msg']}") from None


def write_manifest(run: Path, manifest: Manifest) -> None:
    write_atomic(run / MANIFEST, manifest.model_dump_json(indent=1) + "\n")


def withdraw_files(run: Path, wanted: Callable[[str], bool]) -> None:
    """Take files out of a run's manifest before they are written anew: a killed command leaves them unfinished,
    never damaged. The caller owns the run directory and records them again."""
    manifest = read_manifest(run)
    kept = {name: digest for name, digest in manifest.files.items() if not wanted(name)}
    if len(kept) < len(manifest.files):
        write_manifest(run, manifest.model_copy(update={"files": kept}))


def record_files(run: Path, files: Mapping[str, str]) -> None:
    """Add published files to a run's manifest; the caller owns the run directory."""
    write_manifest(run, read_manifest(run).with_files(files))


def record_accepted(run: Path, route: str, model_id: str, when: str) -> None:
    """Keep an operator's decision that a route may be answered under one more model id; the caller owns the run."""
    manifest = read_manifest(run)
    kept = {**manifest.accepted.get(route, {})}
    kept.setdefault(model_id, when)
    write_manifest(run, manifest.model_copy(update={"accepted": {**manifest.accepted, route: kept}}))


def accepted_lines(manifest: Manifest) -> list[str]:
    """Return the operator's decisions in words, for whoever reads of the run."""
    return [
        f"route {route}: an operator accepted answers under the model id {model_id} on {when}"
        for route, ids in sorted(manifest.accepted.items())
        for model_id, when in sorted(ids.items())
    ]
