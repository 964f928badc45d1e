"""The prompt: a system text that is the same for every seat and day, and one user message a window.

Templates are files, rendered strictly: a name they lack is an error, not an empty place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import DictLoader, Environment, StrictUndefined

from agents.llm import wording
from agents.llm.text import RESULT_BYTES, to_json
from agents.llm.tools import harness
from agents.llm.toolset import definition
from agents.llm.window.budget import CALLS_PER_REPLY, CLOSING_REPLIES, Budgets
from tournament.ports import Desk
from tournament.records import Table

MEMORY_FILE: Final = "MEMORY.md"
MEMORY_CHARACTERS: Final = 40_000
_TEMPLATES: Final = ("system.md.j2", "window.md.j2")
# Calendar facts that a market may publish under these names; the harness asks for no others.
_CALENDAR: Final = ("day", "horizon", "days_left")


@cache
def _sources() -> Mapping[str, str]:
    folder = files("agents.llm") / "templates"
    return {name: (folder / name).read_text(encoding="utf-8") for name in _TEMPLATES}


@cache
def _environment() -> Environment:
    return Environment(
        loader=DictLoader(dict(_sources())),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=False,
        trim_blocks=True,
    )


def prompt_hash() -> str:
    """Return the SHA-256 (hex) over all that the harness itself says to a model.

    Templates, the common limits that are filled into them, every sentence of a result, and its own tools
    with names, descriptions and schemas.
    """
    said = {
        "templates": _sources(),
        "limits": system_text("", (), Budgets()),
        "sentences": wording.sentences(),
        "tools": [definition(tool) for tool in harness.HARNESS_TOOLS],
    }
    return hashlib.sha256(to_json(said).encode()).hexdigest()


def system_text(guide: str, tables: Sequence[Table], budgets: Budgets) -> str:
    """Return the system prompt: the harness's own contract, the market's guide, the database's tables."""
    return (
        _environment()
        .get_template("system.md.j2")
        .render(
            guide=guide.strip(),
            tables=tables,
            budgets=budgets,
            calls_per_reply=CALLS_PER_REPLY,
            closing_replies=CLOSING_REPLIES,
            result_kib=RESULT_BYTES // 1024,
            memory_characters=MEMORY_CHARACTERS,
        )
    )


def window_text(desk: Desk, memory: str | None, budgets: Budgets) -> str:
    """Return the user message of a window; `memory` is the whole text of MEMORY.md, or None."""
    facts = desk.facts()
    mark = ""
    if memory is not None and len(memory) > MEMORY_CHARACTERS:
        mark = wording.TRUNCATED_MEMORY.format(shown=MEMORY_CHARACTERS, total=len(memory))
    return (
        _environment()
        .get_template("window.md.j2")
        .render(
            version=desk.version,
            budgets=budgets,
            working_seconds=int(budgets.working_seconds),
            memory=None if memory is None else memory[:MEMORY_CHARACTERS],
            memory_mark=mark,
            brief=desk.brief().strip(),
            **{name: facts.get(name) for name in _CALENDAR},
        )
    )
