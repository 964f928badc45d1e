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
from tournament.study.yaml import Document, Loc, Place


def refusal(
    document: Document, model: type[BaseModel], fault: ValidationError, prefix: Loc = ()
) -> InputError:
    """Return the first fault in the order of the file; `prefix` is where in the document the model starts."""
    part = _at(document.value, prefix)
    found: dict[Loc, tuple[str, bool]] = {}
    for problem in fault.errors(include_url=False):
        loc, at_key = _document_loc(part, problem["loc"])
        at_key = at_key or problem["type"] == "extra_forbidden"
        found.setdefault(loc, (_message(model, loc, problem, at_key=at_key), at_key))
    outer = {loc[:depth] for loc in found for depth in range(len(loc))}
    faults = [(loc, *error) for loc, error in found.items() if loc not in outer]
    loc, message, at_key = min(
        faults, key=lambda error: _order(document, (*prefix, *error[0]), at_key=error[2])
    )
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return document.refuse((*prefix, *loc), message + more, at_key=at_key)


def _order(document: Document, loc: Loc, *, at_key: bool) -> Place:
    """Place of a fault; what is missing comes after what is wrong."""
    return (document.keys if at_key else document.places).get(loc, (10**9, 0))


def _at(value: Json, loc: Loc) -> Json:
    for part in loc:
        if isinstance(value, dict) and part not in value:
            return {}
        value = value[part]
    return value


def _document_loc(value: Json, error_loc: tuple[int | str, ...]) -> tuple[Loc, bool]:
    """Return the loc without pydantic's own marks (union tags, `[key]`), and whether a key is at fault."""
    loc: list[str | int] = []
    for index, part in enumerate(error_loc):
        last = index == len(error_loc) - 1
        if part == "[key]":
            return tuple(loc), True
        inside = (isinstance(value, dict) and part in value) or (
            isinstance(value, list) and isinstance(part, int) and part < len(value)
        )
        if inside:
            value = value[part]
            loc.append(part)
        elif last and isinstance(value, dict) and not _is_mark(part):
            loc.append(part)
    return tuple(loc), False


def _is_mark(part: str | int) -> bool:
    return isinstance(part, str) and (not part.replace("_", "").isalnum() or part[:1].isupper())


def _message(model: type[BaseModel], loc: Loc, error: Mapping[str, Any], *, at_key: bool) -> str:
    kind = error["type"]
    known = _fields(model, loc[:-1])
    if kind == "extra_forbidden":
        return f"unknown key; {alternatives(str(loc[-1]), list(known))}"
    field = known.get(str(loc[-1])) if loc else None
    allowed = f" (allowed: {field.description})" if field is not None and field.description else ""
    if kind == "missing":
        return f"the key is missing{allowed}"
    value = loc[-1] if at_key else error["input"]
    return fault_words(error, value) + allowed


def _fields(model: type[BaseModel], loc: Loc) -> Mapping[str, FieldInfo]:
    """Return the fields of the model that a location leads to; none where it leads to no model."""
    annotation: Any = model
    for part in loc:
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
