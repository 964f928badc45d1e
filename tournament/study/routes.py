"""The routes of a study: a file or entries in place, validated by whoever owns the entries.

What a route is belongs to the rooms that speak to providers; a study keeps entries by id and binds
them into the identity of the contestants that use them, except for what only says how fast and for
how much it may be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from tournament.errors import InputError
from tournament.field_errors import describe
from tournament.records import Json
from tournament.study.refusals import refusal
from tournament.study.yaml import Document, Trail, read_yaml

RouteEntry = Mapping[str, Json]
RouteValidator = Callable[[RouteEntry], BaseModel]

UNBOUND: Final = frozenset({"limits", "price"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an entry stands: what is found wrong with it after loading is told at its place."""

    document: Document
    trail: Trail

    def refuse(self, place: Trail, message: str, *, at_key: bool = False) -> InputError:
        """Return the refusal of a part of the entry, or of the nearest part that contains it."""
        return self.document.refuse((*self.trail, *place), message, at_key=at_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Routes:
    """Route entries by id, validated, and where each was read."""

    entries: Mapping[str, RouteEntry] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)


def load_routes(file: Path, validate: RouteValidator | None = None) -> Routes:
    """Return the entries of a routes file: a YAML list, or a mapping with the one key `routes`."""
    document = read_yaml(file)
    trail: Trail = ("routes",) if isinstance(document.value, dict) and "routes" in document.value else ()
    if trail and len(document.value) > 1:
        other = next(key for key in document.value if key != "routes")
        raise document.refuse((other,), "unknown key; known: routes", at_key=True)
    return read_routes(document, trail, document.value["routes"] if trail else document.value, validate)


def study_routes(
    document: Document, routes: str | Sequence[RouteEntry] | None, validate: RouteValidator | None
) -> Routes:
    """Return a study's route entries, from the file that it names or from the study itself."""
    if routes is None:
        return Routes()
    if isinstance(routes, str):
        file = document.file.parent / routes
        if not file.is_file():
            raise document.refuse(("routes",), f"{file} is no file")
        return load_routes(file, validate)
    return read_routes(document, ("routes",), routes, validate)


def read_routes(document: Document, trail: Trail, listed: Json, validate: RouteValidator | None) -> Routes:
    """Return validated entries; raises InputError at the place of what is wrong."""
    if not isinstance(listed, list):
        raise document.refuse(trail, f"must be a list of routes, not {describe(listed)}")
    entries: dict[str, RouteEntry] = {}
    origins: dict[str, Origin] = {}
    for index, entry in enumerate(listed):
        where = (*trail, index)
        route = _id(document, where, entry)
        if route in entries:
            raise document.refuse((*where, "id"), f"the route {route} is listed twice")
        entries[route] = entry if validate is None else _validated(document, where, entry, validate)
        origins[route] = Origin(document=document, trail=where)
    return Routes(entries=entries, origins=origins)


def lists_routes(value: Json) -> bool:
    """Tell whether a file's value is one of routes rather than a study."""
    listed = value["routes"] if isinstance(value, dict) and list(value) == ["routes"] else value
    return isinstance(listed, list) and any(
        isinstance(entry, dict) and "model" in entry and "policy" not in entry for entry in listed
    )


def binding(entry: RouteEntry) -> RouteEntry:
    """Return what of a route belongs to a contestant's identity."""
    return {key: value for key, value in entry.items() if key not in UNBOUND}


def _id(document: Document, trail: Trail, entry: Json) -> str:
    if not isinstance(entry, dict):
        raise document.refuse(trail, f"a route must be a mapping of keys to values, not {describe(entry)}")
    if "id" not in entry:
        raise document.refuse(trail, "a route needs an id")
    route = entry["id"]
    if not isinstance(route, str) or not route:
        raise document.refuse((*trail, "id"), f"must be text, not {describe(route)}")
    return route


def _validated(document: Document, trail: Trail, entry: RouteEntry, validate: RouteValidator) -> RouteEntry:
    try:
        return validate(entry).model_dump(mode="json")
    except ValidationError as fault:
        model = getattr(validate, "__self__", BaseModel)
        raise refusal(document, model, fault, trail) from None
    except InputError as fault:
        raise document.refuse(trail, str(fault)) from None
