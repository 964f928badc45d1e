"""Turns a validation error into one line that a person can act on: place, field, fault, what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tournament.errors import InputError
from tournament.field_errors import fault_words
from tournament.records import Json
from tournament.registry import alternatives
from tournament.study.yaml import Document, Place, Trail


def refusal(
    document: Document, model: type[BaseModel], fault: ValidationError, prefix: Trail = ()
) -> InputError:
    """Return the first fault in the order of the file; `prefix` is where in the document the model starts."""
    part = _at(document.value, prefix)
    found: dict[Trail, tuple[str, bool]] = {}
    for error in fault.errors(include_url=False):
        trail, at_key = _trail(part, error["loc"])
        at_key = at_key or error["type"] == "extra_forbidden"
        found.setdefault(trail, (_message(model, trail, error, at_key=at_key), at_key))
    outer = {trail[:depth] for trail in found for depth in range(len(trail))}
    faults = [(trail, *told) for trail, told in found.items() if trail not in outer]
    trail, message, at_key = min(
        faults, key=lambda told: _order(document, (*prefix, *told[0]), at_key=told[2])
    )
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return document.refuse((*prefix, *trail), message + more, at_key=at_key)


def _order(document: Document, trail: Trail, *, at_key: bool) -> Place:
    """Place of a fault; what is missing comes after what is wrong."""
    return (document.keys if at_key else document.places).get(trail, (10**9, 0))


def _at(value: Json, trail: Trail) -> Json:
    for part in trail:
        if isinstance(value, dict) and part not in value:
            return {}
        value = value[part]
    return value


def _trail(value: Json, loc: tuple[int | str, ...]) -> tuple[Trail, bool]:
    """Return the loc without pydantic's own marks (union tags, `[key]`), and whether a key is at fault."""
    trail: list[str | int] = []
    for index, part in enumerate(loc):
        last = index == len(loc) - 1
        if part == "[key]":
            return tuple(trail), True
        inside = (isinstance(value, dict) and part in value) or (
            isinstance(value, list) and isinstance(part, int) and part < len(value)
        )
        if inside:
            value = value[part]
            trail.append(part)
        elif last and isinstance(value, dict) and not _is_mark(part):
            trail.append(part)
    return tuple(trail), False


def _is_mark(part: str | int) -> bool:
    return isinstance(part, str) and (not part.replace("_", "").isalnum() or part[:1].isupper())


def _message(model: type[BaseModel], trail: Trail, error: Mapping[str, Any], *, at_key: bool) -> str:
    kind = error["type"]
    known = _fields(model, trail[:-1])
    if kind == "extra_forbidden":
        return f"unknown key; {alternatives(str(trail[-1]), list(known))}"
    told = known.get(str(trail[-1])) if trail else None
    allowed = f" (allowed: {told.description})" if told is not None and told.description else ""
    if kind == "missing":
        return f"the key is missing{allowed}"
    value = trail[-1] if at_key else error["input"]
    return fault_words(error, value) + allowed


def _fields(model: type[BaseModel], trail: Trail) -> Mapping[str, FieldInfo]:
    """Return the fields of the model that a trail leads to; none where it leads to no model."""
    annotation: Any = model
    for part in trail:
        nested = _models(annotation)
        field = next((m.model_fields[str(part)] for m in nested if str(part) in m.model_fields), None)
        annotation = field.annotation if field else _item(annotation)
    return {name: field for nested in _models(annotation) for name, field in nested.model_fields.items()}


def _models(annotation: Any) -> list[type[BaseModel]]:
    """Return the models among an annotation's own alternatives."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for choice in _choices(annotation) for model in _models(choice)]


def _choices(annotation: Any) -> tuple[Any, ...]:
    origin = get_origin(annotation)
    if origin is Annotated:
        return get_args(annotation)[:1]
    return get_args(annotation) if origin is Union or str(origin) == "<class 'types.UnionType'>" else ()


def _item(annotation: Any) -> Any:
    """Return the type of a list's items or a mapping's values, through alternatives."""
    if get_origin(annotation) in (list, tuple, dict):
        return get_args(annotation)[-1]
    found = [_item(choice) for choice in _choices(annotation)]
    return next((item for item in found if item is not None), None)
