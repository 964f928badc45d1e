"""What a report rests on: study, hashes, versions, and the commands that make and check it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agents.routes.public import PrivateWords, private_words
from reports.view import View
from tournament.errors import InputError
from tournament.export.study import listed_routes, rewritten_study
from tournament.foreign_text import quoted
from tournament.records import Json
from tournament.rundir.layout import STUDY
from tournament.study.yaml import Document, read_yaml

UNREADABLE: Final = "# The study file cannot be read as one; what is private in it could not be taken out.\n"


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
                ("run directory", view.name),
            ],
            "Scenario": [
                ("market", manifest.scenario.market),
                ("id", manifest.scenario.id),
                ("hash", manifest.scenario.sha256),
                (view.units.time.plural, str(manifest.scenario.days)),
                ("windows", str(manifest.scenario.windows)),
            ],
            "Sources": sorted(manifest.sources.items()),
            "Versions": sorted(manifest.versions.items()),
            "Platform": sorted(manifest.platform.items()),
            **_decisions(view),
        },
        contestants=[entry for name in view.contestants if (entry := contestant(view, name))],
        study=_study_text(view),
        commands=[
            "tournament run study.yaml",
            f"tournament verify {quoted(view.name)}",
            f"tournament externalities {quoted(view.name)}",
            f"tournament report {quoted(view.name)}",
        ],
    )


def _decisions(view: View) -> dict[str, list[tuple[str, str]]]:
    """What an operator decided while the run went on; no heading where that was nothing."""
    accepted = [
        (f"route {route}", f"accepted answers under {model_id} on {when}")
        for route, ids in sorted(view.manifest.accepted.items())
        for model_id, when in sorted(ids.items())
    ]
    return {"Decisions during the run": accepted} if accepted else {}


def contestant(view: View, name: str) -> Contestant | None:
    """Return a contestant as the study declares it, without what is private, or None without a study file."""
    entry = view.contestant(name)
    if entry is None:
        return None
    public = _private(view, None).study({"contestants": {name: entry}})["contestants"][name]
    return Contestant(
        name=name,
        policy=str(entry["policy"]),
        identity=str(entry["identity"]),
        route="" if entry["route"] is None else str(entry["route"]),
        parameters=json.dumps(public["parameters"], ensure_ascii=False, indent=1, sort_keys=True),
    )


def _study_text(view: View) -> str:
    """Return the study file as an export would show it: a report is passed on like one."""
    path = view.run / STUDY
    if not path.exists():
        return ""
    try:
        document = read_yaml(path)
    except InputError:
        return UNREADABLE
    if not isinstance(document.value, dict):
        return UNREADABLE
    shown = rewritten_study(document, _private(view, document))
    return document.text if shown is None else shown


def _private(view: View, document: Document | None) -> PrivateWords:
    """Learn what is private from the routes of the study, in both its forms, and from the environment."""
    entries: dict[str, Mapping[str, Json]] = {}
    if view.study.content is not None and "routes" in view.study.content:
        entries |= view.study.content["routes"]
    if document is not None:
        entries |= listed_routes(document.value)
    return private_words(entries, os.environ)
