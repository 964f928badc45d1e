"""Where a run stands, read from its plan, manifest and journals without disturbing it.

Nothing is remembered elsewhere: a world is finished by the manifest, begun by its journal, suspended by
what its journal says. A world whose journal cannot be read is invalid: it is named, and never counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from lineups.values import WorldSpec
from tournament.errors import ArenaError, DamageError
from tournament.journal.conversations import policies_of, require_conversations
from tournament.journal.reader import JournalReader, has_begun, read_journal
from tournament.journal.writer import JOURNAL
from tournament.records import Json
from tournament.rundir.layout import STUDY, read_canonical, read_plan, world_folder
from tournament.rundir.lock import owner_of
from tournament.rundir.manifest import Manifest, accepted_lines, read_manifest
from tournament.study.model import RunLimits
from tournament.study.yaml import read_yaml

State = Literal["done", "running", "stopped", "suspended", "invalid", "not_started"]
STATES: tuple[State, ...] = ("done", "running", "stopped", "suspended", "invalid", "not_started")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldStatus:
    """One world: windows settled of all, Score so far by seat (if any window is), why it stands still."""

    world: str
    state: State
    windows: int
    of: int
    contestants: tuple[str, ...]
    scores_cents: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """A run's worlds in order of play; `owner` says who is running it, or is None.

    `decisions` are an operator's since it began, in words.
    """

    run: str
    study: str
    study_hash: str
    owner: str | None
    worlds: tuple[WorldStatus, ...]
    decisions: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[State, int]:
        counted = Counter(world.state for world in self.worlds)
        return {state: counted[state] for state in STATES}


def run_status(run: Path) -> RunStatus:
    """Return where a run stands; raises InputError for a folder that is no run."""
    manifest = read_manifest(run)
    owner = owner_of(run)
    canonical = read_canonical(run)
    return RunStatus(
        run=str(run),
        study=manifest.study,
        study_hash=manifest.study_hash,
        owner=owner,
        worlds=tuple(_world(run, manifest, canonical, spec, owner is not None) for spec in read_plan(run)),
        decisions=tuple(accepted_lines(manifest)),
    )


def mean_scores(worlds: Sequence[WorldStatus]) -> Mapping[str, tuple[int, float]]:
    """Return each contestant's finished worlds and mean Score over its seats in them, in cents."""
    scores: dict[str, list[int]] = {}
    for world in worlds:
        if world.state == "done":
            for contestant, score in zip(world.contestants, world.scores_cents, strict=True):
                scores.setdefault(contestant, []).append(score)
    return {contestant: (len(found), sum(found) / len(found)) for contestant, found in scores.items()}


def dollar_caps(run: Path) -> tuple[float | None, float | None]:
    """Return the caps, whole and a world, of the study file that a run was begun with; none in one that
    cannot be read."""
    try:
        limits = RunLimits.model_validate(read_yaml(run / STUDY).value.get("limits") or {})
    except (ArenaError, ValidationError):
        return None, None
    return limits.usd, limits.usd_per_world


def _world(
    run: Path, manifest: Manifest, canonical: Mapping[str, Json], spec: WorldSpec, owned: bool
) -> WorldStatus:
    path = world_folder(run, spec.world) / JOURNAL
    if not has_begun(path) and not manifest.finished(spec.world):
        return _status(manifest, spec, "not_started")
    try:
        with read_journal(path) as journal:
            if not manifest.finished(spec.world):
                require_conversations(journal, policies_of(canonical, spec.seats))
            return journal_status(manifest, spec, journal, owned=owned)
    except DamageError as fault:
        return _status(manifest, spec, "invalid", reason=str(fault))


def journal_status(
    manifest: Manifest, spec: WorldSpec, journal: JournalReader, *, owned: bool
) -> WorldStatus:
    """Return where a world with a journal stands; `owned` says whether somebody runs the study now."""
    settled = journal.windows()
    scores = settled[-1][3] if settled else ()
    suspended = journal.suspended
    state: State = "running" if owned else "stopped"
    if manifest.finished(spec.world):
        state = "done"
    elif suspended is not None:
        state = "suspended"
    reason = "" if suspended is None else f"{suspended.kind}: {suspended.message}"
    return _status(manifest, spec, state, windows=len(settled), scores=scores, reason=reason)


def _status(
    manifest: Manifest,
    spec: WorldSpec,
    state: State,
    *,
    windows: int = 0,
    scores: tuple[int, ...] = (),
    reason: str = "",
) -> WorldStatus:
    return WorldStatus(
        world=spec.world,
        state=state,
        windows=windows,
        of=manifest.scenario.windows,
        contestants=spec.seats,
        scores_cents=scores,
        reason=reason,
    )
