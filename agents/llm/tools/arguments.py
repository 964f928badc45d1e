"""Arguments of the harness's own tools, and the one way in which any tool's arguments are validated.

A market's tool brings its pydantic model; the harness holds every model to the same rules whatever
its configuration: no unknown field, no coercion, no control characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.llm import wording
from agents.llm.text import brief, forbidden_character
from tournament.records import Json

DEFAULT_ROWS: Final = 1000
MOST_ROWS: Final = 10_000
SQL_CHARACTERS: Final = 20_000
RATIONALE_CHARACTERS: Final = 2000
DEFAULT_READ: Final = 20_000
_FAULTS_SHOWN: Final = 5


class RefusedCall(Exception):
    """A call that changes nothing; the text goes back to the CEO."""


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NoArguments(Arguments):
    """For tools that take nothing."""


class QueryCompany(Arguments):
    sql: str = Field(min_length=1, max_length=SQL_CHARACTERS, description="one read-only SQL statement")
    limit: int = Field(
        default=DEFAULT_ROWS,
        ge=1,
        le=MOST_ROWS,
        description=f"most rows to return, {DEFAULT_ROWS} unless given",
    )


class ReadFile(Arguments):
    path: str = Field(description="path in the private folder")
    offset: int = Field(default=0, ge=0, description="first character to read, from 0")
    limit: int = Field(
        default=DEFAULT_READ,
        ge=1,
        le=65_536,
        description=f"most characters to read, {DEFAULT_READ} unless given",
    )


class WriteFile(Arguments):
    path: str = Field(description="relative path of letters, digits and . _ - /; no step starts with . or -")
    text: str = Field(description="the file's whole new text")


class EditFile(Arguments):
    path: str = Field(description="path in the private folder")
    old: str = Field(min_length=1, description="text to replace; must occur exactly once")
    new: str = Field(description="text to put in its place")


class DeleteFile(Arguments):
    path: str = Field(description="path in the private folder")


class SealDecision(Arguments):
    rationale: str = Field(
        max_length=RATIONALE_CHARACTERS,
        description=f"why, at most {RATIONALE_CHARACTERS} characters; kept for analysis only",
    )


@cache
def accepted(model: type[BaseModel]) -> str:
    """Return the names that a model accepts, for a correction."""
    names = [
        name if field.is_required() else f"{name} (optional)" for name, field in model.model_fields.items()
    ]
    return ", ".join(names) or "no arguments"


@cache
def schema(model: type[BaseModel]) -> Mapping[str, Json]:
    """Return a model's JSON schema as tools carry it: closed, without titles."""
    plain = _untitled(model.model_json_schema())
    return {
        "type": "object",
        "properties": plain.get("properties", {}),
        "required": plain.get("required", []),
        **({"$defs": plain["$defs"]} if "$defs" in plain else {}),
        "additionalProperties": False,
    }


def _untitled(node: Json) -> Any:
    """Drop the titles that pydantic adds; a property may itself be named `title`."""
    if isinstance(node, list):
        return [_untitled(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: {name: _untitled(item) for name, item in value.items()}
        if key == "properties"
        else _untitled(value)
        for key, value in node.items()
        if key != "title" or not isinstance(value, str)
    }


def validated(tool: str, model: type[BaseModel], arguments: Mapping[str, Json] | None) -> BaseModel:
    """Return the arguments as the tool's model; raises RefusedCall with what is wrong."""
    if arguments is None and model.model_fields:
        raise RefusedCall(wording.MISSING_ARGUMENTS.format(tool=tool, accepted=accepted(model)))
    given = arguments or {}
    unknown = [name for name in given if name not in model.model_fields]
    if unknown:
        names = brief(", ".join(repr(brief(name, 40)) for name in unknown))
        raise RefusedCall(wording.UNKNOWN_FIELDS.format(unknown=names, tool=tool, accepted=accepted(model)))
    fault = forbidden_character(given)
    if fault:
        raise RefusedCall(wording.FORBIDDEN_CHARACTER.format(fault=fault))
    try:
        return model.model_validate(given, strict=True)
    except ValidationError as error:
        faults = _faults(error)
    raise RefusedCall(wording.BAD_ARGUMENTS.format(faults=faults, tool=tool, accepted=accepted(model)))


def _faults(error: ValidationError) -> str:
    """Return pydantic's words without the input, which may be huge."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [
        f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in found[:_FAULTS_SHOWN]
    ]
    return brief("; ".join(lines), 1000)
