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
from tournament.secret_patterns import looks_secret
from tournament.study.refusals import refusal
from tournament.study.yaml import Document, Loc, read_yaml

RouteEntry = Mapping[str, Json]
RouteValidator = Callable[[RouteEntry], BaseModel]

UNBOUND: Final = frozenset({"limits", "price", "prompt_cache", "allow"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLocation:
    """Where an entry stands: what is found wrong with it after loading is told at its place."""

    document: Document
    loc: Loc

    def refuse(self, place: Loc, message: str, *, at_key: bool = False) -> InputError:
        """Return the refusal of a part of the entry, or of the nearest part that contains it."""
        return self.document.refuse((*self.loc, *place), message, at_key=at_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Routes:
    """Route entries by id, validated, and where each was read."""

    entries: Mapping[str, RouteEntry] = field(default_factory=dict)
    origins: Mapping[str, SourceLocation] = field(default_factory=dict)


def load_routes(file: Path, validate: RouteValidator | None = None) -> Routes:
    """Return the entries of a routes file: as `read_routes` takes them, or those under the one key `routes`."""
    document = read_yaml(file)
    loc: Loc = ("routes",) if isinstance(document.value, dict) and "routes" in document.value else ()
    if loc and len(document.value) > 1:
        other = next(key for key in document.value if key != "routes")
        raise document.refuse((other,), "unknown key; known: routes", at_key=True)
    return read_routes(document, loc, document.value["routes"] if loc else document.value, validate)


def study_routes(
    document: Document,
    routes: str | Sequence[RouteEntry] | Mapping[str, RouteEntry] | None,
    validate: RouteValidator | None,
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


def read_routes(document: Document, loc: Loc, listed: Json, validate: RouteValidator | None) -> Routes:
    """Return validated entries of a mapping of ids to entries, or of a list of entries that hold their ids.

    Raises InputError at the place of what is wrong.
    """
    if isinstance(listed, dict):
        found = [((*loc, key), _with_id(document, (*loc, key), entry)) for key, entry in listed.items()]
    elif isinstance(listed, list):
        found = [((*loc, index), entry) for index, entry in enumerate(listed)]
    else:
        raise document.refuse(
            loc, f"must be a mapping of ids to routes, or a list of routes, not {describe(listed)}"
        )
    entries: dict[str, RouteEntry] = {}
    origins: dict[str, SourceLocation] = {}
    for where, entry in found:
        route = _id(document, where, entry)
        if route in entries:
            raise document.refuse((*where, "id"), f"the route {route} is listed twice")
        entries[route] = entry if validate is None else _validated(document, where, entry, validate)
        origins[route] = SourceLocation(document=document, loc=where)
    return Routes(entries=entries, origins=origins)


def lists_routes(value: Json) -> bool:
    """Tell whether a file's value is one of routes rather than a study."""
    if isinstance(value, dict) and "study" in value:
        return False
    listed = value["routes"] if isinstance(value, dict) and list(value) == ["routes"] else value
    entries = listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else ()
    return any(
        isinstance(entry, dict) and isinstance(entry.get("model"), str) and "policy" not in entry
        for entry in entries
    )


def binding(entry: RouteEntry) -> RouteEntry:
    """Return what of a route belongs to a contestant's identity."""
    return {key: value for key, value in entry.items() if key not in UNBOUND}


def _with_id(document: Document, loc: Loc, entry: Json) -> Json:
    """Return an entry of a mapping as one of a list: its key is its id."""
    key = loc[-1]
    if not isinstance(entry, dict):
        return entry
    if not isinstance(key, str):
        raise document.refuse(loc, f"the key {key} is a number; quote it", at_key=True)
    if entry.get("id", key) != key:
        reason = f"the id of this route is its key {key}; leave the id out or give the same"
        raise document.refuse((*loc, "id"), reason)
    return {"id": key, **entry}


def _id(document: Document, loc: Loc, entry: Json) -> str:
    if not isinstance(entry, dict):
        raise document.refuse(loc, f"a route must be a mapping of keys to values, not {describe(entry)}")
    if "id" not in entry:
        raise document.refuse(loc, "a route needs an id")
    route = entry["id"]
    if not isinstance(route, str) or not route:
        raise document.refuse((*loc, "id"), f"must be text, not {describe(route)}")
    if looks_secret(route):
        raise document.refuse(loc, "its id looks like a key (not shown); give a name")
    return route


def _validated(document: Document, loc: Loc, entry: RouteEntry, validate: RouteValidator) -> RouteEntry:
    try:
        return validate(entry).model_dump(mode="json")
    except ValidationError as fault:
        model = getattr(validate, "__self__", BaseModel)
        raise refusal(document, model, fault, loc) from None
    except InputError as fault:
        raise document.refuse(loc, str(fault)) from None
