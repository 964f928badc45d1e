"""The run directory: begun or continued for one frozen study, and what of it is already finished.

A directory belongs to the study that began it, under the sources that began it: a changed study is
refused with the difference shown, an unfinished one is not continued by other code or prompts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from lineups.plan_file import plan_text, read_plan_file
from lineups.values import WorldSpec
from tournament import seal
from tournament.errors import DamageError, DirectoryError, InputError
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.ports import Market
from tournament.published import Published
from tournament.records import Json
from tournament.registry import market_kind
from tournament.rundir.environment import differences, hashes_of, platform_facts, source_hashes, versions
from tournament.rundir.lock import OWNER, WORKERS
from tournament.rundir.manifest import (
    MANIFEST,
    WORLD_FILES,
    Manifest,
    Scenario,
    read_manifest,
    write_manifest,
)
from tournament.rundir.outcomes import EndedWorld, window_states
from tournament.storage import write_atomic
from tournament.study.file import Study, difference

STUDY: Final = "study.yaml"
CANONICAL: Final = "study.json"
PLAN: Final = "plan.jsonl"
WORLDS: Final = "worlds"
# What helps where a file is torn that a study makes.
_RUN_AGAIN: Final = "`tournament run STUDY --out RUN` with the study's file makes it again"
_FIRST_FILES: Final = frozenset({STUDY, CANONICAL, PLAN, OWNER, WORKERS})


def begin_or_continue(run: Path, study: Study) -> Manifest:
    """Return the manifest of a run directory that the caller owns, made if it is new.

    Raises DirectoryError for another study's directory, InputError for a folder that is no run.
    """
    if not (run / MANIFEST).exists():
        return _begin(run, study)
    manifest = read_manifest(run)
    if manifest.study_hash != study.hash:
        changed = "; ".join(difference(read_canonical(run), study.canonical())) or "its routes"
        raise DirectoryError(
            f"{run} belongs to another study ({manifest.study} {manifest.study_hash[:8]}, this one is"
            f" {study.id} {study.hash[:8]}): {changed}; choose another folder with --out"
        )
    return manifest


def require_sources(run: Path, manifest: Manifest, study: Study) -> None:
    """Raise DirectoryError where an unfinished run would be continued under changed code or prompts."""
    changed = differences(manifest.sources, source_hashes(_kinds(study)))
    if changed:
        raise DirectoryError(
            f"{run} was begun under other sources ({'; '.join(changed)}): an unfinished study is not"
            " continued by changed code or prompts; restore them, or start anew with --out"
        )


def environment_diff(manifest: Manifest) -> list[str]:
    """Return how sources, libraries and platform here differ from those that a run was made with."""
    sources = differences(manifest.sources, hashes_of(manifest.sources))
    return [
        *(f"sources of {line}" for line in sources),
        *differences(manifest.platform, platform_facts()),
        *differences(manifest.versions, versions()),
    ]


def published_of(run: Path) -> Published:
    """Return what the market of a run publishes: from its manifest, else from the market installed here.

    Raises InputError where the manifest is silent and the market is not installed.
    """
    scenario = read_manifest(run).scenario
    if scenario.published is not None:
        return scenario.published
    overrides = read_canonical(run)["market"]["overrides"]
    return market_kind(scenario.market).configure(overrides).published


def world_folder(run: Path, world: str) -> Path:
    return run / WORLDS / world


def is_finished(run: Path, manifest: Manifest, world: str) -> bool:
    """Whether a world's files are all published and there."""
    folder = world_folder(run, world)
    return manifest.finished(world) and all((folder / name).exists() for name in WORLD_FILES)


def is_complete(run: Path) -> bool:
    """Whether every planned world of a run is finished."""
    manifest = read_manifest(run)
    return all(is_finished(run, manifest, spec.world) for spec in read_plan(run))


def ended_world(run: Path, spec: WorldSpec) -> EndedWorld:
    """Return a finished world's rows as its journal keeps them."""
    with read_journal(world_folder(run, spec.world) / JOURNAL) as journal:
        states = journal.query("SELECT seat, state FROM seals")
        return EndedWorld(
            spec=spec, metrics=journal.outcomes(), windows=window_states(states, len(spec.seats))
        )


def read_canonical(run: Path) -> dict[str, Json]:
    """Return the canonical study that a run directory was begun for."""
    path = run / CANONICAL
    try:
        canonical: dict[str, Json] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise DamageError(f"{path} is damaged: {fault}; {_RUN_AGAIN}") from None
    return canonical


def read_plan(run: Path) -> tuple[WorldSpec, ...]:
    """Return the worlds of a run directory in their order of play."""
    try:
        return read_plan_file(run / PLAN)
    except FileNotFoundError:
        raise InputError(f"{run} is not a run directory: it has no {PLAN}") from None


def _begin(run: Path, study: Study) -> Manifest:
    _require_empty_or_ours(run)
    market = study.market
    files = {
        STUDY: write_atomic(run / STUDY, study.text),
        CANONICAL: write_atomic(run / CANONICAL, seal.canonical(study.canonical()) + "\n"),
        PLAN: write_atomic(run / PLAN, plan_text(study.worlds())),
    }
    manifest = Manifest(
        study=study.id,
        study_hash=study.hash,
        scenario=scenario_entry(market),
        sources=source_hashes(_kinds(study)),
        versions=versions(),
        platform=platform_facts(),
        files=files,
    )
    write_manifest(run, manifest)
    return manifest


def scenario_entry(market: Market) -> Scenario:
    """Return what a manifest says of a market."""
    return Scenario(
        market=market.id,
        id=market.scenario,
        sha256=seal.digest(market.describe()),
        days=market.days,
        windows=market.windows,
        accounts=market.accounts,
        published=market.published,
    )


def _require_empty_or_ours(run: Path) -> None:
    foreign = sorted(
        path.name
        for path in run.iterdir()
        if path.name not in _FIRST_FILES and not path.name.endswith(".new")
    )
    if foreign:
        raise InputError(
            f"{run} holds other files ({foreign[0]}) and is no run directory; choose another --out"
        )


def _kinds(study: Study) -> list[object]:
    played = {name for spec in study.worlds() for name in spec.seats}
    return [market_kind(study.market.id), *(study.contestants[name].kind for name in sorted(played))]
