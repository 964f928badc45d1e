"""The routes of a study: a file or entries in place, validated by whoever owns the entries.

What a route is belongs to the rooms that speak to providers; a study keeps entries by id and binds
them into the identity of the contestants that use them, except for what only says how fast and for
how much it may be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from tournament.errors import InputError
from tournament.records import Json
from tournament.study_refusals import describe, refusal
from tournament.study_yaml import Document, Trail, read_yaml

RouteEntry = Mapping[str, Json]
RouteValidator = Callable[[RouteEntry], BaseModel]

UNBOUND: Final = frozenset({"limits", "price"})


def load_routes(file: Path, validate: RouteValidator | None = None) -> dict[str, RouteEntry]:
    """Return the entries of a routes file by id: a YAML list, or a mapping with the one key `routes`."""
    document = read_yaml(file)
    trail: Trail = ("routes",) if isinstance(document.value, dict) and "routes" in document.value else ()
    if trail and len(document.value) > 1:
        other = next(key for key in document.value if key != "routes")
        raise document.refuse((other,), "unknown key; known: routes", at_key=True)
    return entries(document, trail, document.value["routes"] if trail else document.value, validate)


def study_routes(
    document: Document, routes: str | Sequence[RouteEntry] | None, validate: RouteValidator | None
) -> dict[str, RouteEntry]:
    """Return a study's route entries by id, from the file that it names or from the study itself."""
    if routes is None:
        return {}
    if isinstance(routes, str):
        file = document.file.parent / routes
        if not file.is_file():
            raise document.refuse(("routes",), f"{file} is no file")
        return load_routes(file, validate)
    return entries(document, ("routes",), routes, validate)


def entries(
    document: Document, trail: Trail, listed: Json, validate: RouteValidator | None
) -> dict[str, RouteEntry]:
    """Return validated entries by id; raises InputError at the place of what is wrong."""
    if not isinstance(listed, list):
        raise document.refuse(trail, f"must be a list of routes, not {describe(listed)}")
    found: dict[str, RouteEntry] = {}
    for index, entry in enumerate(listed):
        where = (*trail, index)
        route = _id(document, where, entry)
        if route in found:
            raise document.refuse((*where, "id"), f"the route {route} is listed twice")
        found[route] = entry if validate is None else _validated(document, where, entry, validate)
    return found


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
