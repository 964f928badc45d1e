"""The harness's own tools: queries, the draft, private files, the seal. Each is defined in one place.

A tool carries the function that runs it, so that a tool which nothing handles cannot be made.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from agents.llm import wording
from agents.llm.sql.database import result_text
from agents.llm.text import shown, to_json
from agents.llm.tools import private_files
from agents.llm.tools.arguments import (
    DEFAULT_ROWS,
    MOST_ROWS,
    Arguments,
    DeleteFile,
    EditFile,
    NoArguments,
    QueryCompany,
    ReadFile,
    RefusedCall,
    SealDecision,
    WriteFile,
)
from agents.llm.tools.context import Outcome, ToolContext, plain_draft
from agents.llm.tools.private_files import FileResult
from tournament.records import Decision

SEAL: Final = "seal_decision"
QUERY: Final = "query_company"

A = TypeVar("A", bound=Arguments)
F = TypeVar("F", ReadFile, WriteFile, EditFile, DeleteFile)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessTool(Generic[A]):
    """A tool of the harness: what it is called, says of itself, takes and does.

    `run(context, arguments, draft)` gives the outcome or raises RefusedCall. One that `queries` is closed in
    finalization; `last` puts it behind the market's tools.
    """

    name: str
    description: str
    arguments: type[A]
    run: Callable[[ToolContext, A, Decision], Awaitable[Outcome]]
    queries: bool = False
    last: bool = True


async def _query(context: ToolContext, given: QueryCompany, draft: Decision) -> Outcome:
    answer = await context.database.query(given.sql, given.limit)
    try:
        text, done = result_text(answer.body), True
    except RefusedCall as refusal:
        text, done = str(refusal), False
    return Outcome(text=shown(text), done=done, limit=answer.body["limit"], query_seconds=answer.seconds)


async def _preview(context: ToolContext, given: NoArguments, draft: Decision) -> Outcome:
    return Outcome(text=shown(to_json({"draft": draft, **context.desk.preview(draft)})))


async def _reset(context: ToolContext, given: NoArguments, draft: Decision) -> Outcome:
    empty = plain_draft(context.desk.null())
    return Outcome(text=to_json({"reset": True, "draft": empty}), draft=empty)


async def _list_files(context: ToolContext, given: NoArguments, draft: Decision) -> Outcome:
    return Outcome(text=shown(to_json(private_files.list_files(context.file_sizes()).result)))


def _on_files(
    operation: Callable[[Mapping[str, str], F], FileResult],
) -> Callable[[ToolContext, F, Decision], Awaitable[Outcome]]:
    async def run(context: ToolContext, given: F, draft: Decision) -> Outcome:
        private_files.checked_path(given.path)
        done = operation(context.files(), given)
        return Outcome(text=shown(to_json(done.result)), changes=done.changes)

    return run


async def _seal(context: ToolContext, given: SealDecision, draft: Decision) -> Outcome:
    reason = context.desk.check(draft)
    if reason is not None:
        raise RefusedCall(wording.NOT_SEALED.format(reason=reason))
    return Outcome(text=to_json({"sealed": True}), rationale=given.rationale)


HARNESS_TOOLS: Final[tuple[HarnessTool[Any], ...]] = (
    HarnessTool(
        name=QUERY,
        description=(
            "Run one read-only SQL statement (SQLite) on your company's database, fixed during the window."
            f" {DEFAULT_ROWS} rows unless `limit` says otherwise, at most {MOST_ROWS}; the table schema_guide"
            " describes all tables and columns."
        ),
        arguments=QueryCompany,
        run=_query,
        queries=True,
        last=False,
    ),
    HarnessTool(
        name="preview_decision",
        description=(
            "Compare the draft with today's standing policies: one-off commitments, daily cost, funds after,"
            " warnings."
        ),
        arguments=NoArguments,
        run=_preview,
    ),
    HarnessTool(
        name="reset_decision",
        description="Empty the draft. No budget comes back; files and standing policies stay.",
        arguments=NoArguments,
        run=_reset,
    ),
    HarnessTool(
        name="list_files",
        description="List the files of your private folder.",
        arguments=NoArguments,
        run=_list_files,
    ),
    HarnessTool(
        name="read_file",
        description="Read a private file, or the part of it that begins at `offset`, counted in characters.",
        arguments=ReadFile,
        run=_on_files(private_files.read_file),
    ),
    HarnessTool(
        name="write_file",
        description="Write a private text file whole; it takes effect at once and persists across windows.",
        arguments=WriteFile,
        run=_on_files(private_files.write_file),
    ),
    HarnessTool(
        name="edit_file",
        description="Replace text that occurs exactly once in a private file; it takes effect at once.",
        arguments=EditFile,
        run=_on_files(private_files.edit_file),
    ),
    HarnessTool(
        name="delete_file",
        description="Delete a private file; it takes effect at once.",
        arguments=DeleteFile,
        run=_on_files(private_files.delete_file),
    ),
    HarnessTool(
        name=SEAL,
        description=(
            "Validate and seal the draft, which ends the window. Must be the only tool call of its reply."
            " An empty draft keeps all standing policies."
        ),
        arguments=SealDecision,
        run=_seal,
    ),
)
