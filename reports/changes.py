"""How a private file changed in a window: its difference, in lines, cut where it is long."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

LINES: Final = 80
LINE_CHARACTERS: Final = 400
COMPARED_CHARACTERS: Final = 200_000

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f]")
Mark = Literal["+", "-", " ", "@"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file: how it came out of the window, and the lines that differ with their marks."""

    path: str
    kind: Literal["new", "changed", "deleted"]
    characters: int
    lines: Sequence[tuple[Mark, str]]
    place: str


def changed_file(path: str, before: str | None, after: str | None, place: str) -> FileChange:
    """Return the difference; `place` is shown where it is cut."""
    marks = _marked(before or "", after or "")
    lines: list[tuple[Mark, str]] = []
    whole = True
    for mark, text in marks:
        if len(lines) == LINES:
            whole = False
            break
        whole = whole and len(text) <= LINE_CHARACTERS
        lines.append((mark, visible(text if len(text) <= LINE_CHARACTERS else f"{text[:LINE_CHARACTERS]}…")))
    return FileChange(
        path=path,
        kind="new" if before is None else "deleted" if after is None else "changed",
        characters=len(after or ""),
        lines=lines,
        place="" if whole else f"cut; the whole text: {place}",
    )


def visible(text: str) -> str:
    """Return the text with control characters as pictures of themselves: a page cannot hold them."""
    return _CONTROL.sub(lambda match: chr(0x2400 + ord(match.group())), text)


def _marked(before: str, after: str) -> Iterator[tuple[Mark, str]]:
    """Yield differing lines; very long texts are not compared, what is new is shown."""
    if len(before) + len(after) > COMPARED_CHARACTERS:
        yield "@", "too long to compare line by line; the text as it is now:"
        yield from ((" ", line) for line in after.splitlines())
        return
    old, new = before.splitlines(), after.splitlines()
    begun = False
    for line in islice(difflib.unified_diff(old, new, n=1, lineterm=""), 2, None):
        if line.startswith("@@"):
            if begun:
                yield "@", "…"
            begun = True
        elif line.startswith("+"):
            yield "+", line[1:]
        elif line.startswith("-"):
            yield "-", line[1:]
        else:
            yield " ", line[1:]
