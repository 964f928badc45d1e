"""Turns a validation error into one line that a person can act on: place, field, fault, what is allowed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tournament.errors import InputError
from tournament.records import Json
from tournament.registry import alternatives
from tournament.study_model import LIST, OBJECT, SCALAR
from tournament.study_yaml import Document, Place, Trail

_EXPECTED: Final[Mapping[str, str]] = {
    "string_type": "text",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}
_FORMS: Final = {SCALAR: "a single value", LIST: "a list", OBJECT: "a mapping of keys to values"}
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "above"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "below"),
}


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


def describe(value: Json) -> str:
    """Return a value as a person would name it."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return f"the boolean {json.dumps(value)}"
    if isinstance(value, str):
        return f"the text {json.dumps(value[:60], ensure_ascii=False)}"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "a mapping"


def _hint(expected: str, value: Json) -> str:
    """The usual slip behind a wrong type: quotes where none belong, or none where they do."""
    if expected == "text" and isinstance(value, (bool, int, float)):
        return "; quote it if a name is meant"
    numeric = isinstance(value, str) and value.lstrip("-").replace(".", "", 1).isdecimal()
    return "; numbers stand without quotes" if numeric and expected != "text" else ""


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
    kind, context = error["type"], error.get("ctx", {})
    known = _fields(model, trail[:-1])
    if kind == "extra_forbidden":
        return f"unknown key; {alternatives(str(trail[-1]), list(known))}"
    told = known.get(str(trail[-1])) if trail else None
    allowed = f" (allowed: {told.description})" if told is not None and told.description else ""
    if kind == "missing":
        return f"the key is missing{allowed}"
    value = trail[-1] if at_key else error["input"]
    if kind in _EXPECTED:
        expected = _EXPECTED[kind]
        return f"must be {expected}, not {describe(value)}{_hint(expected, value)}{allowed}"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {context[name]:,}, not {value}{allowed}"
    return _OTHER.get(kind, _plain)(error, value) + allowed


def _literal(error: Mapping[str, Any], value: Json) -> str:
    return f"must be {error['ctx']['expected']}, not {describe(value)}"


def _pattern(error: Mapping[str, Any], value: Json) -> str:
    return f"{describe(value)} does not fit {error['ctx']['pattern'].strip('^$')}"


def _short(error: Mapping[str, Any], value: Json) -> str:
    return f"needs {error['ctx']['min_length']} or more items, has {error['ctx']['actual_length']}"


def _long(error: Mapping[str, Any], value: Json) -> str:
    return f"takes at most {error['ctx']['max_length']} items, has {error['ctx']['actual_length']}"


def _form(error: Mapping[str, Any], value: Json) -> str:
    tags: str = error["ctx"]["expected_tags"]
    forms = [words for tag, words in _FORMS.items() if tag in tags]
    return f"must be {' or '.join(forms)}, not {describe(value)}"


def _value(error: Mapping[str, Any], value: Json) -> str:
    return str(error["ctx"]["error"])


def _plain(error: Mapping[str, Any], value: Json) -> str:
    text: str = error["msg"]
    return f"{text[:1].lower()}{text[1:]}"


_OTHER: Final[Mapping[str, Callable[[Mapping[str, Any], Json], str]]] = {
    "literal_error": _literal,
    "string_pattern_mismatch": _pattern,
    "too_short": _short,
    "too_long": _long,
    "union_tag_invalid": _form,
    "value_error": _value,
}


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
