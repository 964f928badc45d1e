"""What tool calls work on, and what one call has done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from agents.llm.sql.database import CompanyDatabase
from agents.llm.text import normal_form
from tournament import seal
from tournament.ports import Desk
from tournament.records import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What the calls of a window work on: its desk, its database and the seat's private files."""

    desk: Desk
    database: CompanyDatabase
    files: Callable[[], Mapping[str, str]]
    file_sizes: Callable[[], Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a call; `draft` and `rationale` are None where there is no new draft and no seal.

    `changes` maps a changed private file to its new text (None: deleted). `limit` names the limit that
    stopped a query; `query_seconds` is the time it ran, without the time it stood in line, which is
    nobody's active time.
    """

    text: str
    done: bool = True
    draft: Decision | None = None
    changes: Mapping[str, str | None] = field(default_factory=dict)
    rationale: str | None = None
    limit: str = ""
    query_seconds: float | None = None


def plain_draft(draft: Decision) -> Decision:
    """Return a draft as the journal gives it back, so that a resumed window says the same words."""
    return cast(Decision, normal_form(seal.normal(draft)))
