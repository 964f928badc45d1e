"""Which JSON of an answer can be kept and sent back: nested no deeper than code recurses, finite numbers.

Read without recursion: what is looked for is just what would end a recursive reader.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from tournament.records import Json

# Of a message, and of a body around it that libraries read.
MAX_DEPTH: Final = 64
MAX_BODY_DEPTH: Final = 200


def is_deeper(value: Json, deepest: int) -> bool:
    """Tell whether a JSON value has more than `deepest` levels; a plain one has one."""
    return any(True for _ in islice(_levels(value), deepest, None))


def json_violation(message: Json, deepest: int = MAX_DEPTH) -> str:
    """Return why a message, or a part of one, cannot be kept, or an empty text."""
    if is_deeper(message, deepest):
        return f"it is nested deeper than {deepest} levels"
    numbers = (item for level in _levels(message) for item in level if isinstance(item, float))
    return "" if all(map(math.isfinite, numbers)) else "it holds a number that is not finite"


def _levels(value: Json) -> Iterator[list[Json]]:
    level = [value]
    while level:
        yield level
        inner: list[Json] = []
        for item in level:
            if isinstance(item, Mapping):
                inner += item.values()
            elif isinstance(item, (list, tuple)):
                inner += item
        level = inner
