"""Says in words what is wrong with one field's value, and what a field takes: the style of every refusal.

Low in the house, so that a study's fields, a market's parameters and a script's rules are refused alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from tournament.records import Json
from tournament.secret_patterns import looks_secret

SCALAR, LIST, OBJECT = "<scalar>", "<list>", "<object>"
_EXPECTED: Final[Mapping[str, str]] = {
    "string_type": "text",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "finite_number": "a finite number",
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
_SCHEMA_TYPES: Final = {
    "integer": "an integer",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "object": "a mapping of keys to values",
    "null": "nothing",
}
_SCHEMA_BOUNDS: Final = (
    ("minimum", "from"),
    ("exclusiveMinimum", "above"),
    ("maximum", "to"),
    ("exclusiveMaximum", "below"),
)


def describe(value: Json) -> str:
    """Return a value as a person would name it; what looks like a key is not repeated."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return f"the boolean {json.dumps(value)}"
    if isinstance(value, str):
        if looks_secret(value):
            return "a text that looks like a key (not shown)"
        return f"the text {json.dumps(value[:60], ensure_ascii=False)}"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    return "a list" if isinstance(value, (list, tuple)) else "a mapping"


def fault_words(error: Mapping[str, Any], value: Json) -> str:
    """Return what one of pydantic's errors says of a value."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _EXPECTED:
        expected = _EXPECTED[kind]
        return f"must be {expected}, not {describe(value)}{_hint(expected, value)}"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {context[name]:,}, not {value}"
    return _OTHER.get(kind, _plain)(error, value)


def allowed_words(schema: Mapping[str, Any]) -> str:
    """Return what a field takes, from its JSON schema: `an integer from 1 to 2,000`."""
    if "prefixItems" in schema:
        return f"a list of {len(schema['prefixItems'])}, each {allowed_words(schema['prefixItems'][0])}"
    if "items" in schema:
        return f"a list, each {allowed_words(schema['items'])}"
    if "enum" in schema:
        return " or ".join(map(repr, schema["enum"]))
    kind = _SCHEMA_TYPES[schema["type"]]
    bounds = (f" {word} {schema[name]:,}" for name, word in _SCHEMA_BOUNDS if name in schema)
    return kind + "".join(bounds)


def _hint(expected: str, value: Json) -> str:
    """The usual slip behind a wrong type: quotes where none belong, or none where they do."""
    if expected == "text" and isinstance(value, (bool, int, float)):
        return "; quote it if a name is meant"
    numeric = isinstance(value, str) and value.lstrip("-").replace(".", "", 1).isdecimal()
    return "; numbers stand without quotes" if numeric and expected != "text" else ""


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


def _missing(error: Mapping[str, Any], value: Json) -> str:
    return "it is missing"


def _plain(error: Mapping[str, Any], value: Json) -> str:
    text: str = error["msg"]
    return f"{text[:1].lower()}{text[1:]}"


_OTHER: Final[Mapping[str, Callable[[Mapping[str, Any], Json], str]]] = {
    "literal_error": _literal,
    "missing": _missing,
    "string_pattern_mismatch": _pattern,
    "too_short": _short,
    "too_long": _long,
    "union_tag_invalid": _form,
    "value_error": _value,
}
