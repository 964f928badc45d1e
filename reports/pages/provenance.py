"""What a report rests on: study, hashes, versions, and the commands that make and check it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A contestant's entry of the study."""

    name: str
    policy: str
    identity: str
    route: str
    parameters: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Pairs of a name and its value, by heading; contestants; the study as written; commands."""

    facts: Mapping[str, Sequence[tuple[str, str]]]
    contestants: Sequence[Contestant]
    study: str
    commands: Sequence[str]


def provenance(view: View) -> Provenance:
    manifest = view.manifest
    return Provenance(
        facts={
            "Study": [
                ("id", manifest.study),
                ("hash", manifest.study_hash),
                ("run directory", view.run.name),
            ],
            "Scenario": [
                ("market", manifest.scenario.market),
                ("id", manifest.scenario.id),
                ("hash", manifest.scenario.sha256),
                ("days", str(manifest.scenario.days)),
                ("windows", str(manifest.scenario.windows)),
            ],
            "Sources": sorted(manifest.sources.items()),
            "Versions": sorted(manifest.versions.items()),
            "Platform": sorted(manifest.platform.items()),
        },
        contestants=[entry for name in view.contestants if (entry := contestant(view, name))],
        study=_study_text(view),
        commands=[
            "tournament run study.yaml",
            f"tournament verify {view.run.name}",
            f"tournament externalities {view.run.name}",
            f"tournament report {view.run.name}",
        ],
    )


def contestant(view: View, name: str) -> Contestant | None:
    """Return a contestant as the study declares it, or None without a study file."""
    entry = view.contestant(name)
    if entry is None:
        return None
    return Contestant(
        name=name,
        policy=str(entry["policy"]),
        identity=str(entry["identity"]),
        route="" if entry["route"] is None else str(entry["route"]),
        parameters=json.dumps(entry["parameters"], ensure_ascii=False, indent=1, sort_keys=True),
    )


def _study_text(view: View) -> str:
    path = view.run / "study.yaml"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
