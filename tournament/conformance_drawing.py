"""Decisions drawn for the conformance suite: tools called with arguments of their own schemas.

What a schema leaves open is drawn from what the desk shows, so that an action of an existing product or an
open inquiry is drawn as well as one of none. A tool whose schema refuses all that is drawn would never be
tried: the suite counts calls whose arguments fit, and names it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from pydantic import ValidationError

from tournament.errors import InputError
from tournament.ports import Desk, Market
from tournament.records import Decision, Json, Tool

TRIES: Final = 12
SPREAD: Final = 20_000
MOST_CALLS: Final = 6
MORE_ITEMS: Final = 3
MOST_SHOWN: Final = 20_000

Schema = Mapping[str, Json]


class _Shown(NamedTuple):
    """Words and whole numbers that a fact or a draft shows."""

    words: list[str]
    numbers: list[int]

    def matching(self, pattern: str) -> list[str]:
        return [word for word in self.words if re.search(pattern, word)]


class DraftChangedError(Exception):
    """A staging tool changed the draft that it was given; the message names the tool."""


def decisions_drawn(
    market: Market, seed: int, seats: int, called: Counter[str] | None = None
) -> list[list[Decision | None]]:
    """Return a whole world's decisions, drawn from each desk's tools; some of them may be refused.

    `called` counts by tool how often drawn arguments fitted its schema, 0 where none ever did.
    """
    random = Random(seed)
    world = market.open(seed, seats)
    rows: list[list[Decision | None]] = []
    while world.window < world.windows:
        row: list[Decision | None] = [None] * seats
        for seat in world.active():
            row[seat - 1] = drawn_decision(world.desk(seat), random, called)
        rows.append(row)
        world.settle(row)
    return rows


def drawn_decision(desk: Desk, random: Random, called: Counter[str] | None = None) -> Decision:
    """Return a decision staged by some of the desk's tools with arguments drawn from their schemas.

    An action that would be refused is dropped, one time in ten it is kept. Raises DraftChangedError.
    """
    draft = desk.null()
    tools = [tool for tool in desk.tools() if isinstance(tool, Tool)]
    drawing = _Drawing(desk, random, Counter() if called is None else called)
    for tool in random.sample(tools, k=min(len(tools), random.randint(1, MOST_CALLS))):
        before = json.dumps(draft, sort_keys=True)
        changed = drawing.staged(tool, draft)
        if json.dumps(draft, sort_keys=True) != before:
            raise DraftChangedError(f"tool {tool.name} changes the draft it was given")
        if changed is not None and (desk.check(changed) is None or random.random() < 0.1):
            draft = changed
    return draft


class _Drawing:
    """Draws values of JSON schemas for one desk and its draft.

    What is shown is kept apart by fact: a seat's own few listings are drawn as often as a whole catalogue.
    """

    def __init__(self, desk: Desk, random: Random, called: Counter[str]) -> None:
        self._desk = desk
        self._random = random
        self._called = called
        self._draft = _Shown([], [])
        self._words: dict[str, list[list[str]]] = {}

    def staged(self, tool: Tool, draft: Decision) -> Decision | None:
        """Return the draft after a call of the tool, or None where it took nothing that was drawn."""
        schema = tool.arguments.model_json_schema()
        self._draft = _shown(draft)
        self._called[tool.name] += 0
        for _ in range(TRIES):
            try:
                drawn = self._object(schema, schema.get("$defs", {}))
                arguments = tool.arguments.model_validate(drawn)
                self._called[tool.name] += 1
                return tool.stage(draft, arguments)
            except (ValidationError, InputError):
                continue
        return None

    @cached_property
    def _facts(self) -> list[_Shown]:
        return [_shown(fact) for fact in self._desk.facts().values()]

    def _value(self, field: Schema, definitions: Schema) -> Json:
        if "$ref" in field:
            return self._value(definitions[field["$ref"].split("/")[-1]], definitions)
        if "enum" in field:
            return self._random.choice(field["enum"])
        if "const" in field:
            return field["const"]
        for choice in ("anyOf", "oneOf"):
            if choice in field:
                return self._value(self._random.choice(field[choice]), definitions)
        return self._of_type(field, definitions)

    def _of_type(self, field: Schema, definitions: Schema) -> Json:
        kind = field.get("type")
        if kind == "integer":
            return self._integer(field)
        if kind == "number":
            low = field.get("minimum", 0.0)
            return self._random.uniform(low, field.get("maximum", low + 1.0))
        if kind == "boolean":
            return self._random.random() < 0.5
        if kind == "null":
            return None
        if kind == "array":
            return self._array(field, definitions)
        return self._object(field, definitions) if kind == "object" else self._word(field)

    def _integer(self, field: Schema) -> int:
        low: int = field.get("minimum", field.get("exclusiveMinimum", -1) + 1)
        most: int = field.get("maximum", low + 20)
        high = min(most, low + SPREAD)
        near = self._random.randint(low, min(high, low + 200))
        drawn = [low, high, near, self._random.randint(low, high)]
        shown = ([n for n in fact.numbers if low <= n <= most] for fact in (*self._facts, self._draft))
        if sources := [numbers for numbers in shown if numbers]:
            drawn.append(self._random.choice(self._random.choice(sources)))
        return self._random.choice(drawn)

    def _word(self, field: Schema) -> str:
        """Return a word that the desk or the draft shows, or an example of the schema; else a plain one."""
        pattern = field.get("pattern", "")
        if pattern not in self._words:
            self._words[pattern] = [words for fact in self._facts if (words := fact.matching(pattern))]
        others = (self._draft.matching(pattern), field.get("examples", []))
        sources = [*self._words[pattern], *(words for words in others if words)]
        word: str = self._random.choice(self._random.choice(sources)) if sources else "text"
        return word[: field.get("maxLength")]

    def _array(self, field: Schema, definitions: Schema) -> list[Json]:
        least = field.get("minItems", 0)
        most = min(field.get("maxItems", least + MORE_ITEMS), least + MORE_ITEMS)
        items = field.get("items", {"type": "string"})
        return [self._value(items, definitions) for _ in range(self._random.randint(least, most))]

    def _object(self, field: Schema, definitions: Schema) -> dict[str, Json]:
        required = field.get("required", ())
        drawn = {
            name: self._value(item, definitions)
            for name, item in field.get("properties", {}).items()
            if name in required or self._random.random() < 0.5
        }
        for pattern, item in self._open_keys(field):
            for _ in range(self._random.randint(1, 2)):
                drawn[self._word({"pattern": pattern})] = self._value(item, definitions)
        return drawn

    def _open_keys(self, field: Schema) -> Iterator[tuple[str, Schema]]:
        """Yield the pattern of keys and the schema of values of an object whose keys are not named."""
        yield from field.get("patternProperties", {}).items()
        if isinstance(field.get("additionalProperties"), Mapping):
            yield field.get("propertyNames", {}).get("pattern", ""), field["additionalProperties"]


def _shown(value: Json) -> _Shown:
    """Return the words and whole numbers of a value, keys included, each once and in order."""
    words: dict[str, None] = {}
    numbers: dict[int, None] = {}
    for leaf in islice(_leaves(value), MOST_SHOWN):
        if type(leaf) is str:
            words[leaf] = None
        elif type(leaf) is int:
            numbers[leaf] = None
    return _Shown(list(words), list(numbers))


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
