"""Verification of a run by anyone who holds its files: hashes first, then whatever follows, derived anew.

Needs no write access and calls no policy. What is published must have the bytes that the manifest
vouches for; the plan must follow from the study, the journals' contents from their seals, every table from
the journals, and the statistics from the tables. An unfinished world is checked as far as it goes, and said
to be unfinished; what was not checked is named.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from lineups.values import WorldSpec
from tournament.checks.frame import Frame, LoadStudy, frame_faults, study_faults, unread_study
from tournament.checks.hybrids import check_hybrids
from tournament.checks.replay import replayed
from tournament.checks.tables import outcome_faults
from tournament.checks.worlds import bound_faults, derived_usage, table_faults
from tournament.errors import ArenaError, DamageError
from tournament.foreign_text import quoted
from tournament.journal.conversations import policies_of, require_conversations
from tournament.journal.reader import has_begun, read_journal
from tournament.journal.writer import JOURNAL
from tournament.playing.columns import USAGE
from tournament.playing.pool import map_processes
from tournament.records import Json
from tournament.registry import market_kind
from tournament.rundir.layout import (
    CANONICAL,
    PLAN,
    STUDY,
    WORLDS,
    ended_world,
    environment_diff,
    published_of,
    read_canonical,
    read_plan,
    world_folder,
)
from tournament.rundir.manifest import Manifest, read_manifest
from tournament.rundir.outcomes import OUTCOMES_CSV, OUTCOMES_PARQUET
from tournament.storage import sha256_of

PARALLEL_FROM: Final = 6
# Folders that `tournament trace` writes: copies out of the journal, vouched for by it alone.
COPIES: Final = ("files", "trace")
STATISTICS: Final = "externalities"
REPORT: Final = "report"
UNSOUND: Final = ("what follows from study and journals: the study or the plan is damaged",)
QUICK: Final = (
    "by --quick, hashes alone: no world was replayed, no table was derived from the journals, no statistic"
    " was computed, no report made anew, and the study's file was not compared with the resolved one",
)


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
    `unchecked` names what was not derived and why; `digest` is an export's, empty for a run.
    """

    run: str
    planned: int
    finished: tuple[str, ...]
    replayed: tuple[str, ...]
    unfinished: Mapping[str, int]
    files: int
    damage: tuple[Damage, ...]
    notes: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What rooms above give to verification.

    `study` resolves a study's own file; `statistics` returns the tables that follow from a run's files, by
    path in the run; `report` compares a run's report, by its own hashes and, where it is given processes to do
    so, made anew: it returns (file, what is wrong) and what was not compared.
    """

    study: LoadStudy
    statistics: Callable[[Path], Mapping[str, bytes]]
    report: Callable[[Path, int | None], tuple[Sequence[tuple[str, str]], Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a run is verified: `quick` compares hashes alone; `rewritten` are the files that an export changed."""

    jobs: int
    quick: bool = False
    export: bool = False
    rewritten: frozenset[str] = frozenset()


def verify_run(run: Path, asked: Asked, sources: Sources, on_note: Callable[[str], None]) -> Verified:
    """Check a run directory; raises InputError for a folder that is no run, DamageError for its frame.

    `on_note` gets a line about what takes time before anything is replayed.
    """
    manifest = read_manifest(run)
    plan = read_plan(run)
    frame = Frame(
        run=run, manifest=manifest, canonical=read_canonical(run), plan=plan, rewritten=asked.rewritten
    )
    damage = [*_files(run, manifest), *_unexpected_files(run, manifest, plan)]
    named = {item.file for item in damage}
    faults = list(frame_faults(frame))
    unsound = bool({CANONICAL, PLAN} & {*named, *(name for name, _ in faults)})
    if not asked.quick and not unsound:
        faults += _study_faults(frame, sources)
    damage += [Damage(world="", file=name, detail=detail) for name, detail in faults if name not in named]
    finished = [spec for spec in plan if manifest.finished(spec.world)]
    started = [spec for spec in plan if spec not in finished and has_begun(_journal(run, spec))]
    found = Verified(
        run=str(run),
        planned=len(plan),
        finished=tuple(spec.world for spec in finished),
        replayed=(),
        unfinished=dict(_windows_settled(run, started)),
        files=len(manifest.files),
        damage=tuple(damage),
        notes=tuple(environment_diff(manifest)),
        unchecked=UNSOUND if unsound else QUICK,
    )
    if not asked.quick and not unsound:
        found = _derived(frame, asked, sources, found, on_note)
    return found if asked.export else _with_report(run, asked, sources, found)


def _with_report(run: Path, asked: Asked, sources: Sources, found: Verified) -> Verified:
    """Compare the report last: it is made anew only where everything that it tells of is as recorded."""
    sound = not asked.quick and not found.damage
    faults, notes = sources.report(run, asked.jobs if sound else None)
    if found.damage and (run / REPORT).is_dir():
        notes = [
            *notes,
            f"{REPORT}/: compared with its own hashes alone, for what it follows from is damaged",
        ]
    damage = [Damage(world="", file=file, detail=detail) for file, detail in faults]
    return replace(found, damage=(*found.damage, *damage), unchecked=(*found.unchecked, *notes))


def _study_faults(frame: Frame, sources: Sources) -> list[tuple[str, str]]:
    return [] if STUDY in frame.rewritten else list(study_faults(frame, sources.study))


def _derived(
    frame: Frame, asked: Asked, sources: Sources, found: Verified, on_note: Callable[[str], None]
) -> Verified:
    """Add what a replay of every world tells, and what follows from the journals."""
    run, manifest = frame.run, frame.manifest
    named = {item.file for item in found.damage}
    finished = [spec for spec in frame.plan if spec.world in found.finished]
    started = [spec for spec in frame.plan if spec.world in found.unfinished]
    whole = [spec for spec in finished if _journal(run, spec).relative_to(run).as_posix() not in named]
    if whole or started:
        market_kind(manifest.scenario.market).prepare(on_note)
    diverged = list(chain.from_iterable(_replays(frame, asked, [*whole, *started])))
    diverged = [item for item in diverged if item.file not in named]
    journals = {item.world for item in diverged if item.file.endswith(JOURNAL)}
    damage = [*found.damage, *diverged]
    broken = {item.world for item in damage if item.world}
    if len(whole) == len(finished) and not journals:
        damage += _outcomes(run, finished, started, named)
    damage += _hybrids(frame, named)
    told, unchecked = _statistics(frame, sources, damage)
    return replace(
        found,
        replayed=tuple(spec.world for spec in whole if spec.world not in journals),
        damage=(*damage, *told),
        unchecked=(*unchecked, *_unread(frame, asked, sources, broken)),
    )


def _unread(frame: Frame, asked: Asked, sources: Sources, broken: set[str]) -> Iterator[str]:
    """Name what nothing here derives."""
    reason = unread_study(frame, sources.study)
    if reason:
        yield reason
    if broken:
        yield "outcome tables, as far as damaged worlds enter them"
    if asked.export and any(name.endswith(USAGE) for name in frame.manifest.files):
        yield f"worlds/*/{USAGE}: an export leaves out the records that it follows from"


def _journal(run: Path, spec: WorldSpec) -> Path:
    return world_folder(run, spec.world) / JOURNAL


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


def _replays(frame: Frame, asked: Asked, specs: Sequence[WorldSpec]) -> Iterator[list[Damage]]:
    check = partial(_replay, frame.run, frame.manifest, frame.canonical, asked.export)
    alone = asked.jobs < 2 or len(specs) < PARALLEL_FROM
    yield from map(check, specs) if alone else map_processes(check, specs, asked.jobs)


def _replay(
    run: Path, manifest: Manifest, canonical: Mapping[str, Json], export: bool, spec: WorldSpec
) -> list[Damage]:
    path = _journal(run, spec)
    name = path.relative_to(run).as_posix()
    tables: list[tuple[str, str]] = []
    try:
        with read_journal(path) as journal:
            complaint = journal.damage()
            found, derive = ([complaint], dict) if complaint else replayed(journal, spec, manifest.scenario)
            found = found if found else [*found, *bound_faults(journal, canonical, spec)]
            if not found and not export:
                require_conversations(journal, policies_of(canonical, spec.seats))
            if not found and manifest.finished(spec.world):
                derived = derive() | ({} if export else derived_usage(journal, canonical, spec))
                tables = list(table_faults(run, manifest, spec.world, derived, export=export))
    except ArenaError as fault:
        found = [str(fault)]
    damage = [Damage(world=spec.world, file=name, detail=detail) for detail in found]
    return damage + [Damage(world=spec.world, file=file, detail=detail) for file, detail in tables]


def _outcomes(
    run: Path, finished: Sequence[WorldSpec], started: Sequence[WorldSpec], named: Collection[str]
) -> Iterator[Damage]:
    """Name what the outcome tables say that no journal does. A killed run may hold a world more than is finished."""
    worlds = {spec.world: ended_world(run, spec) for spec in finished}
    for spec in started:
        world = ended_world(run, spec)
        if world.metrics:
            worlds[spec.world] = world
    must = {spec.world for spec in finished}
    for file, detail in outcome_faults(
        run, (OUTCOMES_CSV, OUTCOMES_PARQUET), worlds, must, published_of(run)
    ):
        if file not in named:
            yield Damage(world="", file=file, detail=detail)


def _hybrids(frame: Frame, named: Collection[str]) -> Iterator[Damage]:
    """Name the hybrid worlds of a decomposed run that do not replay or do not repeat their sources."""
    for world, file, detail in check_hybrids(frame.run, frame.manifest, frame.plan, named):
        yield Damage(world=world, file=file, detail=detail)


def _statistics(frame: Frame, sources: Sources, damage: Sequence[Damage]) -> tuple[list[Damage], list[str]]:
    """Compute the statistics anew and compare; what is damaged already is no ground to compute on."""
    run, manifest = frame.run, frame.manifest
    if not all(manifest.finished(spec.world) for spec in frame.plan):
        return [], [f"{STATISTICS}/: the run is not finished"]
    if any(not item.file.startswith(f"{STATISTICS}/") for item in damage):
        return [], [f"{STATISTICS}/: what it follows from is damaged"]
    named = {item.file for item in damage}
    made = sources.statistics(run)
    faults: list[Damage] = []
    open_files = []
    for name, content in made.items():
        listed = name in manifest.files
        same = (run / name).is_file() and (run / name).read_bytes() == content
        if listed and not same and name not in named:
            detail = "is not what follows from the journals by this program's statistics"
            faults.append(Damage(world="", file=name, detail=detail))
        elif not listed and not same:
            open_files.append(name)
    unchecked = sorted(
        name for name in manifest.files if name.startswith(f"{STATISTICS}/") and name not in made
    )
    for name in unchecked:
        if not _is_optional(name):
            faults.append(Damage(world="", file=name, detail="does not follow from the journals"))
    told = [f"{name}: made on request with options of its own" for name in unchecked if _is_optional(name)]
    if open_files:
        told.append(
            f"{open_files[0]} and {len(open_files) - 1} more are not what follows from the journals, and nothing"
            f" vouches for them: an interrupted command; `tournament externalities {quoted(run)}` writes them anew"
        )
    return faults, told


def _is_optional(name: str) -> bool:
    """Whether a table is made for a question of its own: the planner's, or one of other options."""
    inner = name.removeprefix(f"{STATISTICS}/")
    return inner == "power.csv" or inner.startswith(("repeat-", "ci-", "draws-"))


def _windows_settled(run: Path, specs: Sequence[WorldSpec]) -> Iterator[tuple[str, int]]:
    for spec in specs:
        try:
            with read_journal(_journal(run, spec)) as journal:
                yield spec.world, len(journal.windows())
        except DamageError:
            yield spec.world, 0
