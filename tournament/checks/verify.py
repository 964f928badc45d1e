"""Verification of a run by anyone who holds its files: hashes first, then a replay of every world.

Needs no write access and calls no policy. What is published must have the bytes that the manifest
vouches for, and what the journals say must come out again when the market settles their seals. An
unfinished world is checked as far as it goes, and said to be unfinished.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from lineups.values import WorldSpec
from tournament import seal
from tournament.checks.hybrids import check_hybrids
from tournament.checks.replay import check_journal
from tournament.errors import ArenaError, DamageError
from tournament.journal.conversations import policies_of, require_conversations
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.playing.pool import map_processes
from tournament.registry import market_kind
from tournament.rundir.layout import (
    CANONICAL,
    WORLDS,
    ended_world,
    environment_diff,
    published_of,
    read_canonical,
    read_plan,
    world_folder,
)
from tournament.rundir.manifest import Manifest, read_manifest
from tournament.rundir.outcomes import OUTCOMES_CSV, csv_text, table
from tournament.storage import sha256_of

PARALLEL_FROM: Final = 6
# Folders that `tournament trace` writes: copies out of the journal, vouched for by it alone.
COPIES: Final = ("files", "trace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One thing found wrong: the world (empty for the whole run), the file, and what is wrong with it."""

    world: str
    file: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What verification found; `notes` tell how these surroundings differ from those of the run.

    `finished` says the manifest; `replayed` are those of them whose journal came out again as recorded.
    """

    run: str
    planned: int
    finished: tuple[str, ...]
    replayed: tuple[str, ...]
    unfinished: Mapping[str, int]
    files: int
    damage: tuple[Damage, ...]
    notes: tuple[str, ...]


def verify_run(run: Path, jobs: int, on_note: Callable[[str], None]) -> Verified:
    """Check a run directory; raises InputError for a folder that is no run, DamageError for its frame.

    `on_note` gets a line about what takes time before anything is replayed.
    """
    manifest = read_manifest(run)
    plan = read_plan(run)
    damage = [*_frame(run, manifest), *_files(run, manifest), *_unexpected_files(run, manifest, plan)]
    named = {item.file for item in damage}
    finished = [spec for spec in plan if manifest.finished(spec.world)]
    started = [spec for spec in plan if spec not in finished and _journal(run, spec).exists()]
    whole = [spec for spec in finished if _journal(run, spec).relative_to(run).as_posix() not in named]
    if whole or started:
        market_kind(manifest.scenario.market).prepare(on_note)
    diverged = list(chain.from_iterable(_replays(run, manifest, [*whole, *started], jobs)))
    replayed = tuple(spec.world for spec in whole if spec.world not in {item.world for item in diverged})
    damage += diverged
    broken = {item.world for item in damage}
    damage += _outcomes(run, [spec for spec in whole if spec.world not in broken])
    damage += _hybrids(run, manifest, named)
    return Verified(
        run=str(run),
        planned=len(plan),
        finished=tuple(spec.world for spec in finished),
        replayed=replayed,
        unfinished=dict(_windows_settled(run, started)),
        files=len(manifest.files),
        damage=tuple(damage),
        notes=tuple(environment_diff(manifest)),
    )


def _journal(run: Path, spec: WorldSpec) -> Path:
    return world_folder(run, spec.world) / JOURNAL


def _frame(run: Path, manifest: Manifest) -> Iterator[Damage]:
    """The canonical study must be the one that the manifest names, and the market here must be its market."""
    canonical = read_canonical(run)
    if canonical["study"] != manifest.study:
        yield Damage(world="", file=CANONICAL, detail=f"is of study {canonical['study']}")
    market = market_kind(manifest.scenario.market).configure(canonical["market"]["overrides"])
    if seal.digest(market.describe()) != manifest.scenario.sha256:
        yield Damage(world="", file=CANONICAL, detail="its market has other parameters here than in the run")


def _files(run: Path, manifest: Manifest) -> Iterator[Damage]:
    for name, expected in manifest.files.items():
        path = run / name
        if not path.is_file():
            yield Damage(world=_world_of(name), file=name, detail="is missing")
        elif sha256_of(path) != expected:
            yield Damage(
                world=_world_of(name), file=name, detail="does not have the bytes that were published"
            )


def _world_of(name: str) -> str:
    parts = name.split("/")
    return parts[1] if parts[0] == WORLDS else ""


def _unexpected_files(run: Path, manifest: Manifest, plan: Sequence[WorldSpec]) -> Iterator[Damage]:
    """Name what stands beside a finished world's files: a stray log would be read by SQLite as its end."""
    known = {spec.world for spec in plan}
    folders = sorted((run / WORLDS).iterdir()) if (run / WORLDS).is_dir() else []
    for folder in folders:
        if folder.name not in known:
            yield Damage(
                world=folder.name, file=f"{WORLDS}/{folder.name}", detail="is no world of this study"
            )
        elif manifest.finished(folder.name):
            for path in sorted(folder.iterdir()):
                name = path.relative_to(run).as_posix()
                if name not in manifest.files and not (path.is_dir() and path.name in COPIES):
                    yield Damage(world=folder.name, file=name, detail="was never published")


def _replays(run: Path, manifest: Manifest, specs: Sequence[WorldSpec], jobs: int) -> Iterator[list[Damage]]:
    check = partial(_replay, run, manifest)
    alone = jobs < 2 or len(specs) < PARALLEL_FROM
    yield from map(check, specs) if alone else map_processes(check, specs, jobs)


def _replay(run: Path, manifest: Manifest, spec: WorldSpec) -> list[Damage]:
    path = _journal(run, spec)
    name = path.relative_to(run).as_posix()
    try:
        with read_journal(path) as journal:
            complaint = journal.damage()
            found = [complaint] if complaint else check_journal(journal, spec, manifest.scenario)
            if not found and not manifest.finished(spec.world):
                require_conversations(journal, policies_of(read_canonical(run), spec.seats))
    except ArenaError as fault:
        found = [str(fault)]
    return [Damage(world=spec.world, file=name, detail=detail) for detail in found]


def _outcomes(run: Path, worlds: Sequence[WorldSpec]) -> Iterator[Damage]:
    """Name the first row of outcomes.csv that a finished world's journal does not give, or that lacks."""
    if not worlds:
        return
    names, rows = table((ended_world(run, spec) for spec in worlds), published_of(run))
    expected = list(csv.reader(csv_text(names, rows).splitlines()))
    try:
        with (run / OUTCOMES_CSV).open(encoding="utf-8", newline="") as stream:
            shown = list(csv.reader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        yield Damage(world="", file=OUTCOMES_CSV, detail=f"cannot be read: {fault}")
        return
    if not shown or shown[0] != expected[0]:
        yield Damage(world="", file=OUTCOMES_CSV, detail="has other columns than the journals give")
        return
    checked = {spec.world for spec in worlds}
    found = [row for row in shown[1:] if row[:1] and row[0] in checked]
    for row in expected[1:]:
        if row not in found:
            yield Damage(world=row[0], file=OUTCOMES_CSV, detail="differs from the world's journal")
            return
    if len(found) != len(expected) - 1:
        yield Damage(world="", file=OUTCOMES_CSV, detail="holds a row twice, or one that no journal gives")


def _hybrids(run: Path, manifest: Manifest, named: Collection[str]) -> Iterator[Damage]:
    """Name the hybrid worlds of a decomposed run that do not replay or do not repeat their sources."""
    for world, file, detail in check_hybrids(run, manifest, named):
        yield Damage(world=world, file=file, detail=detail)


def _windows_settled(run: Path, specs: Sequence[WorldSpec]) -> Iterator[tuple[str, int]]:
    for spec in specs:
        try:
            with read_journal(_journal(run, spec)) as journal:
                yield spec.world, len(journal.windows())
        except DamageError:
            yield spec.world, 0
