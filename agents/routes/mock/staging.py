"""From a decision to the tool calls that stage it, for any market: learnt from what its tools do.

Each tool is staged once, on an empty draft, with one recognisable sample a field. Where a sample turns
up in the draft tells what the tool writes: a price at `prices.<product>`, say. Read backwards, that is
the call which stages a value of a decision. So a market's new action needs no word here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from tournament.errors import InputError
from tournament.records import Json, Tool

# A call's name and its arguments as JSON text.
ToolCall = tuple[str, str]
Leaves = Mapping[tuple[str, ...], Json]
# An item of a list has a number for a name, which no object's key is taken for.
_ITEM: Final = "#"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Argument:
    """Stands in a pattern for a tool's argument of that name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stager:
    """What one tool writes: paths and values of a draft in which its arguments stand for themselves."""

    tool: str
    types: Mapping[str, str]
    required: frozenset[str]
    patterns: tuple[tuple[tuple[str | _Argument, ...], Json], ...]

    def call(self, path: tuple[str, ...], decision: Leaves, standing: Leaves) -> dict[str, Json] | None:
        """Return the arguments that write the decision's value at this path, None where the tool does not.

        What else the tool writes with them is the decision's own value there, or the standing one where
        the tool requires it.
        """
        for pattern, written in self.patterns:
            bound = _bound(pattern, path, written, decision[path])
            if bound is None:
                continue
            for other, value in self.patterns:
                if not isinstance(value, _Argument) or value.name in bound:
                    continue
                place = tuple(
                    str(bound.get(part.name)) if isinstance(part, _Argument) else part for part in other
                )
                if place in decision:
                    bound[value.name] = decision[place]
                elif value.name in self.required and place in standing:
                    bound[value.name] = standing[place]
            if self.required <= bound.keys():
                return {name: self._typed(name, bound[name]) for name in self.types if name in bound}
        return None

    def _typed(self, name: str, value: Json) -> Json:
        """Keys of an object are texts; an argument that is a number is one again."""
        is_number = self.types[name] == "integer" and isinstance(value, str) and value.isdecimal()
        return int(value) if is_number else value


def _bound(
    pattern: tuple[str | _Argument, ...], path: tuple[str, ...], written: Json, value: Json
) -> dict[str, Json] | None:
    if len(pattern) != len(path):
        return None
    bound: dict[str, Json] = {}
    for part, name in zip(pattern, path, strict=True):
        if isinstance(part, _Argument):
            bound[part.name] = name
        elif part != name and not (part.startswith(_ITEM) and name.startswith(_ITEM)):
            return None
    if isinstance(written, _Argument):
        bound[written.name] = value
    elif written != value:
        return None
    return bound


def learn(tools: Sequence[Tool]) -> tuple[Stager, ...]:
    """Return what each tool writes into an empty draft; one that only takes something back writes nothing."""
    found: list[Stager] = []
    for tool in tools:
        schema = tool.arguments.model_json_schema()
        samples = {
            name: _sample(field, at, schema.get("$defs", {}))
            for at, (name, field) in enumerate(schema.get("properties", {}).items())
        }
        try:
            draft = tool.stage({}, tool.arguments.model_validate(samples))
        except (InputError, ValidationError):
            continue
        marks = {str(sample): _Argument(name=name) for name, sample in samples.items()}
        found.append(
            Stager(
                tool=tool.name,
                types={
                    name: str(field.get("type", "")) for name, field in schema.get("properties", {}).items()
                },
                required=frozenset(schema.get("required", ())),
                patterns=tuple(
                    (
                        tuple(part if at == 0 else marks.get(part, part) for at, part in enumerate(path)),
                        marks.get(str(value), value) if not isinstance(value, bool) else value,
                    )
                    for path, value in leaves(draft).items()
                ),
            )
        )
    return tuple(found)


def _sample(field: Mapping[str, Json], at: int, definitions: Mapping[str, Json]) -> Json:
    """Return a value that the field takes, unlike its neighbours' as far as its bounds allow."""
    if "$ref" in field:
        return _sample(definitions[field["$ref"].rpartition("/")[2]], at, definitions)
    if "enum" in field:
        return field["enum"][0]
    if field.get("type") in {"integer", "number"}:
        least = field.get("minimum", field.get("exclusiveMinimum", 0) + 1)
        return min(
            least + 7 * at, field.get("maximum", field.get("exclusiveMaximum", least + 7 * at + 1) - 1)
        )
    return True if field.get("type") == "boolean" else f"sample-{at}"


def leaves(value: Json, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Json]:
    """Return the plain values of a decision by their paths, in its order."""
    if isinstance(value, Mapping):
        items: Iterator[tuple[str, Json]] = iter(value.items())
    elif isinstance(value, (list, tuple)):
        items = ((f"{_ITEM}{at}", item) for at, item in enumerate(value))
    else:
        return {path: value}
    return {place: leaf for name, item in items for place, leaf in leaves(item, (*path, str(name))).items()}


def staging(decision: Json, standing: Json, stagers: Sequence[Stager]) -> Iterator[ToolCall]:
    """Yield the calls that stage a decision; raises InputError naming a field that no tool writes.

    `standing` are the policies in force, in a decision's form.
    """
    wanted, in_force = leaves(decision), leaves(standing)
    given: set[tuple[ToolCall, int]] = set()
    for path in wanted:
        calls = [
            (stager.tool, json.dumps(arguments))
            for stager in stagers
            if (arguments := stager.call(path, wanted, in_force)) is not None
        ]
        if not calls:
            raise InputError(f"no tool stages {'.'.join(path)}")
        # One call may write several values; equal items of a list each need their own.
        item = int(path[-1][1:]) if path[-1].startswith(_ITEM) else 0
        if (calls[0], item) not in given:
            given.add((calls[0], item))
            yield calls[0]
