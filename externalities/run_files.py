"""What the statistics read of a run directory: outcomes, plan, and the study's name and hash.

Files alone, in the contract's formats: a run can be analysed on another machine, without the market,
whose declaration of what it publishes stands in the manifest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from externalities.design import ReferenceSet, read_plan, reference_sets
from externalities.outcomes import PlayedWorld, read_outcomes
from lineups.values import WorldSpec
from tournament.errors import DamageError, InputError
from tournament.published import Published
from tournament.rundir.checked import require_checked
from tournament.rundir.layout import published_of
from tournament.rundir.manifest import read_manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as read, with what its market publishes.

    `identities` gives what binds each contestant's policy and parameters, empty without study.json.
    """

    path: Path
    study: str
    study_hash: str
    published: Published
    worlds: tuple[PlayedWorld, ...]
    planned: tuple[WorldSpec, ...]
    sets: tuple[ReferenceSet, ...]
    identities: Mapping[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """Return planned worlds that have not ended."""
        played = {world.world for world in self.worlds}
        return tuple(world.world for world in self.planned if world.world not in played)

    def has_world_file(self, name: str) -> bool:
        """Whether any finished world has a file of this name."""
        return any((self.path / "worlds" / world.world / name).exists() for world in self.worlds)

    @property
    def references(self) -> tuple[str, ...]:
        return tuple(group.reference for group in self.sets if group.reference)


def read_run(path: Path, repeat: int | None = None) -> Run:
    """Return the run; `repeat` keeps the worlds of that repeat alone.

    Raises InputError where this is no run, no world has ended, or none has that repeat.
    """
    manifest = read_manifest(path)
    require_checked(path, _is_read)
    published = published_of(path)
    identities, references = _contestants(path / "study.json")
    worlds = read_outcomes(path / "outcomes.csv", published)
    planned = read_plan(path / "plan.jsonl", worlds)
    if repeat is not None:
        worlds = tuple(world for world in worlds if world.draw.repeat == repeat)
        planned = tuple(world for world in planned if world.draw.repeat == repeat)
    if not worlds:
        which = "no world of this run has ended" if repeat is None else f"no world has repeat {repeat}"
        raise InputError(f"nothing to analyse: {which}", file=path)
    return Run(
        path=path,
        study=manifest.study,
        study_hash=manifest.study_hash,
        published=published,
        worlds=worlds,
        planned=planned,
        sets=tuple(sorted(reference_sets(planned, worlds), key=lambda group: _place(group, references))),
        identities=identities,
    )


def _is_read(name: str) -> bool:
    """Whether statistics read a file: outcomes, plan, study, hybrids' scores and the worlds' own tables."""
    return not name.startswith("externalities/") and not name.endswith("journal.sqlite")


def _place(group: ReferenceSet, references: Sequence[str]) -> int:
    """Return the set's place in the study's own order of reference policies."""
    return references.index(group.reference) if group.reference in references else len(references)


def _contestants(path: Path) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return identities by contestant and the reference policies in order, from the canonical study."""
    try:
        study = json.loads(path.read_text(encoding="utf-8"))
        identities = {name: str(entry["identity"]) for name, entry in study["contestants"].items()}
        return identities, tuple(str(entry["contestant"]) for entry in study["references"])
    except FileNotFoundError:
        return {}, ()
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as fault:
        raise DamageError(f"{path} is damaged: {fault}") from fault
