"""What the statistics read of a run directory: outcomes, plan, and the study's name and hash.

Files alone, in the contract's formats: a run can be analysed on another machine, without the market.
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
from tournament.rundir.checked import require_checked
from tournament.rundir.manifest import MANIFEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as read; `study` and `study_hash` are empty where there is no manifest.

    `identities` gives what binds each contestant's policy and parameters, empty without study.json.
    """

    path: Path
    study: str
    study_hash: str
    worlds: tuple[PlayedWorld, ...]
    planned: tuple[WorldSpec, ...]
    sets: tuple[ReferenceSet, ...]
    identities: Mapping[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """Return planned worlds that have not ended."""
        played = {world.world for world in self.worlds}
        return tuple(world.world for world in self.planned if world.world not in played)

    @property
    def references(self) -> tuple[str, ...]:
        return tuple(group.reference for group in self.sets if group.reference)


def read_run(path: Path, repeat: int | None = None) -> Run:
    """Return the run; `repeat` keeps the worlds of that repeat alone.

    Raises InputError where no world has ended, or none has that repeat.
    """
    if (path / MANIFEST).exists():
        require_checked(path, _is_read)
    study, study_hash = _identity(path / "manifest.json")
    identities, references = _contestants(path / "study.json")
    worlds = read_outcomes(path / "outcomes.csv")
    planned = read_plan(path / "plan.jsonl", worlds)
    if repeat is not None:
        worlds = tuple(world for world in worlds if world.draw.repeat == repeat)
        planned = tuple(world for world in planned if world.draw.repeat == repeat)
    if not worlds:
        which = "no world of this run has ended" if repeat is None else f"no world has repeat {repeat}"
        raise InputError(f"nothing to analyse: {which}", file=path)
    return Run(
        path=path,
        study=study,
        study_hash=study_hash,
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


def _identity(path: Path) -> tuple[str, str]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        return str(manifest["study"]), str(manifest["study_hash"])
    except FileNotFoundError:
        return "", ""
    except (json.JSONDecodeError, KeyError) as fault:
        raise DamageError(f"{path} is damaged: {fault}") from fault


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
