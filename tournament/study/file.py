"""A study, resolved and frozen: its market's scenario, its contestants with identities, its design.

`load_study` reads a person's file and refuses with its place whatever is wrong. `canonical` is the
resolved study as JSON, with everything that decides what is played: a hash over it names the run
directory, and `restore_study` makes the study again from it when the files it was read from are gone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ValidationError

from lineups.enumeration import worlds_of
from lineups.values import Design, Reference, WorldSpec
from tournament import seal
from tournament.errors import InputError
from tournament.field_errors import describe
from tournament.foreign_text import one_line
from tournament.ports import Market, PolicyKind
from tournament.records import Json
from tournament.registry import alternatives, market_kind, policy_kind, require_vocabulary
from tournament.study.checks import design_of
from tournament.study.model import ContestantEntry, MarketEntry, RunLimits, StudyFile
from tournament.study.refusals import refusal
from tournament.study.routes import (
    RouteEntry,
    RouteValidator,
    SourceLocation,
    binding,
    lists_routes,
    study_routes,
)
from tournament.study.yaml import Document, Loc, read_yaml

# Of what a script's or a plug-in's fault may say in one line.
FAULT_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A policy with all its parameters under the id of the study's tables."""

    id: str
    kind: PolicyKind
    parameters: BaseModel
    route: str | None
    identity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A resolved study. `text` is the file as it was read, empty for a restored one.

    `folder` is where the files lie that it names, `origins` where each route's entry was read.
    """

    id: str
    text: str
    market: Market
    overrides: Mapping[str, Json]
    design: Design
    contestants: Mapping[str, Contestant]
    routes: Mapping[str, RouteEntry]
    limits: RunLimits
    folder: Path | None = None
    origins: Mapping[str, SourceLocation] = field(default_factory=dict, repr=False, compare=False)

    def worlds(self) -> tuple[WorldSpec, ...]:
        """Return every world, in the order of play."""
        return worlds_of(self.design)

    def canonical(self) -> dict[str, Json]:
        """Return the resolved study as JSON. Limits and unused contestants and routes are not in it."""
        design = self.design
        played = [*design.lineup, *(reference.contestant for reference in design.references)]
        used = {self.contestants[contestant].route for contestant in played} - {None}
        return {
            "study": self.id,
            "market": {
                "id": self.market.id,
                "scenario": self.market.scenario,
                "overrides": seal.normal(self.overrides),
                "parameters": seal.digest(self.market.describe()),
            },
            "seeds": list(design.seeds),
            "repeats": _by_seed(design.repeats),
            "contestants": {name: _canonical_contestant(self.contestants[name]) for name in sorted(played)},
            "lineup": list(design.lineup),
            "replace": [list(group) for group in design.replace],
            "references": [
                {
                    "contestant": reference.contestant,
                    "seeds": list(reference.seeds),
                    "repeats": _by_seed(reference.repeats),
                }
                for reference in design.references
            ],
            "rotations": list(design.rotations),
            "routes": {route: seal.normal(self.routes[route]) for route in sorted(map(str, used))},
        }

    @property
    def hash(self) -> str:
        """SHA-256 (hex) of the canonical study; how fast or for how much a route is asked is left out."""
        bound = self.canonical()
        bound["routes"] = {route: binding(entry) for route, entry in bound["routes"].items()}
        return seal.digest(bound)

    @property
    def directory(self) -> str:
        """Name of the run directory unless told otherwise: the id and the first 8 of the hash."""
        return f"{self.id}-{self.hash[:8]}"


def load_study(file: Path | str, routes: RouteValidator | None = None) -> Study:
    """Return the study of a file; raises InputError with file, line, column, field and what is allowed.

    `routes` validates one route entry (a pydantic model's `model_validate`); without it entries are
    kept as they are.
    """
    document = read_yaml(Path(file))
    if lists_routes(document.value):
        reason = (
            "this is a routes file; include it from a study (`routes: FILE`), see `tournament routes list`"
        )
        raise document.refuse((), reason)
    if not isinstance(document.value, dict):
        raise document.refuse((), f"a study is a mapping of keys to values, not {describe(document.value)}")
    try:
        shape = StudyFile.model_validate(document.value)
    except ValidationError as fault:
        raise refusal(document, StudyFile, fault) from None
    design = design_of(document, shape)
    market, overrides = _market(document, shape)
    _check_seats(document, shape, market)
    listed = study_routes(document, shape.routes, routes)
    return Study(
        id=shape.study,
        text=document.text,
        market=market,
        overrides=overrides,
        design=design,
        contestants={
            name: _contestant(document, name, entry, market, listed.entries)
            for name, entry in shape.contestants.items()
        },
        routes=listed.entries,
        limits=shape.limits,
        folder=document.file.parent,
        origins=listed.origins,
    )


def restore_study(canonical: Mapping[str, Json], limits: RunLimits | None = None) -> Study:
    """Return the study that a canonical form describes, as the installed packages understand it now."""
    market = market_kind(canonical["market"]["id"]).configure(canonical["market"]["overrides"])
    return Study(
        id=canonical["study"],
        text="",
        market=market,
        overrides=canonical["market"]["overrides"],
        design=design_from(canonical),
        contestants={
            name: _restored(name, entry, canonical["routes"])
            for name, entry in canonical["contestants"].items()
        },
        routes=canonical["routes"],
        limits=limits or RunLimits(),
    )


def design_from(canonical: Mapping[str, Json]) -> Design:
    """Return the design of a canonical study, which needs no policy to be installed."""
    return Design(
        lineup=tuple(canonical["lineup"]),
        replace=tuple(tuple(group) for group in canonical["replace"]),
        references=tuple(
            Reference(
                contestant=entry["contestant"],
                seeds=tuple(entry["seeds"]),
                repeats=_from_seeds(entry["repeats"]),
            )
            for entry in canonical["references"]
        ),
        seeds=tuple(canonical["seeds"]),
        repeats=_from_seeds(canonical["repeats"]),
        rotations=tuple(canonical["rotations"]),
    )


def difference(old: Mapping[str, Json], new: Mapping[str, Json]) -> list[str]:
    """Return what differs between two canonical studies, one readable line each."""
    before, after = dict(_leaves(old, "")), dict(_leaves(new, ""))
    lines = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            lines.append(f"{name}: {_shown(before[name])} is gone")
        elif name not in before:
            lines.append(f"{name}: {_shown(after[name])} is new")
        elif before[name] != after[name] or type(before[name]) is not type(after[name]):
            lines.append(f"{name}: {_shown(before[name])} -> {_shown(after[name])}")
    return lines


def _by_seed(repeats: Mapping[int, int]) -> dict[str, int]:
    return {str(seed): count for seed, count in repeats.items()}


def _from_seeds(repeats: Mapping[str, int]) -> dict[int, int]:
    return {int(seed): count for seed, count in repeats.items()}


def _canonical_contestant(contestant: Contestant) -> dict[str, Json]:
    return {
        "policy": contestant.kind.id,
        "parameters": seal.normal(contestant.parameters.model_dump(mode="json")),
        "route": contestant.route,
        "identity": contestant.identity,
    }


def _market(document: Document, shape: StudyFile) -> tuple[Market, Mapping[str, Json]]:
    entry = shape.market if isinstance(shape.market, MarketEntry) else MarketEntry(id=shape.market)
    named: Loc = ("market",) if isinstance(shape.market, str) else ("market", "id")
    try:
        kind = market_kind(entry.id)
    except InputError as fault:
        raise document.refuse(named, str(fault)) from None
    try:
        return kind.configure(entry.overrides), entry.overrides
    except InputError as fault:
        named, reason = _override(str(fault), entry.overrides)
        raise document.refuse(("market", "overrides", *named), reason) from None


def _check_seats(document: Document, shape: StudyFile, market: Market) -> None:
    least, most = market.published.least_seats, market.published.most_seats
    if not least <= len(shape.lineup) <= most:
        text = f"{market.id} seats {least} to {most} firms, not {len(shape.lineup)}"
        raise document.refuse(("lineup",), text)


def _override(fault: str, overrides: Mapping[str, Json]) -> tuple[Loc, str]:
    """Return where in the overrides a market's refusal points, and what it says."""
    place, reason = re.fullmatch(r"(?:overrides((?:\.\w+)*): )?(.*)", fault, re.DOTALL).groups()  # type: ignore[union-attr]
    parts = [part for part in (place or "").split(".") if part]
    if not parts:
        parts = [key for key in overrides if repr(key) in reason][:1]
    return tuple(int(part) if part.isdecimal() else part for part in parts), reason


def _contestant(
    document: Document,
    name: str,
    entry: ContestantEntry,
    market: Market,
    routes: Mapping[str, RouteEntry],
) -> Contestant:
    loc: Loc = ("contestants", name)
    try:
        kind = policy_kind(entry.policy)
        require_vocabulary(kind, market.id)
    except InputError as fault:
        raise document.refuse((*loc, "policy"), str(fault)) from None
    parameters: dict[str, Json] = dict(entry.params)
    if _route_checked(document, loc, entry, kind, routes):
        parameters["route"] = entry.route
    try:
        resolved = kind.resolve(parameters, document.file.parent)
    except ValidationError as fault:
        raise refusal(document, kind.parameters, fault, (*loc, "params")) from None
    except InputError as fault:
        named = ("file",) if "file" in entry.params else ()
        raise document.refuse((*loc, "params", *named), one_line(str(fault), FAULT_CHARACTERS)) from None
    return Contestant(
        id=name,
        kind=kind,
        parameters=resolved,
        route=entry.route,
        identity=_identity(kind, resolved, entry.route, routes),
    )


def _route_checked(
    document: Document,
    loc: Loc,
    entry: ContestantEntry,
    kind: PolicyKind,
    routes: Mapping[str, RouteEntry],
) -> bool:
    """A policy speaks through a route exactly if its parameters have a field `route`."""
    if "route" in entry.params:
        raise document.refuse((*loc, "params", "route"), "a route stands beside policy, not in params")
    field = kind.parameters.model_fields.get("route")
    if entry.route is None:
        if field is not None and field.is_required():
            raise document.refuse(loc, f"policy {kind.id} needs a route; {alternatives('', list(routes))}")
        return False
    if field is None:
        raise document.refuse((*loc, "route"), f"policy {kind.id} takes no route")
    if entry.route not in routes:
        known = alternatives(entry.route, list(routes))
        raise document.refuse((*loc, "route"), f"unknown route {entry.route}; {known}")
    return True


def _identity(
    kind: PolicyKind, parameters: BaseModel, route: str | None, routes: Mapping[str, RouteEntry]
) -> str:
    identity = kind.identity(parameters)
    return identity if route is None else f"{identity}-{seal.digest(binding(routes[route]))[:8]}"


def _restored(name: str, entry: Mapping[str, Json], routes: Mapping[str, RouteEntry]) -> Contestant:
    kind = policy_kind(entry["policy"])
    parameters = kind.parameters.model_validate_json(seal.canonical(entry["parameters"]))
    return Contestant(
        id=name,
        kind=kind,
        parameters=parameters,
        route=entry["route"],
        identity=_identity(kind, parameters, entry["route"], routes),
    )


def _leaves(value: Json, name: str) -> list[tuple[str, Json]]:
    if isinstance(value, Mapping) and value:
        return [leaf for key in value for leaf in _leaves(value[key], f"{name}.{key}" if name else key)]
    return [(name, value)]


def _shown(value: Json) -> str:
    text = seal.canonical(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
