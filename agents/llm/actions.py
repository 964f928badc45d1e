"""What one tool call does: a pure effect on the draft and the files, and the words of its result.

Nothing here is kept. The window appends the outcome to the seat's store, and that append is the
effect: a process killed before it has done nothing, one killed after it has done all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from agents.llm import files as private
from agents.llm import wording
from agents.llm.arguments import NoArguments, QueryCompany, RefusedCall, SealDecision, validated
from agents.llm.calls import Call
from agents.llm.database import CompanyDatabase, result_text
from agents.llm.text import brief, normal_form, shown, to_json
from agents.llm.toolset import Toolset
from tournament import seal
from tournament.errors import InputError
from tournament.ports import Desk
from tournament.records import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a call; `draft` and `rationale` are None where there is no new draft and no seal.

    `limit` names the limit that stopped a query; `query_seconds` is the time it ran, without the time
    it stood in line, which is nobody's active time.
    """

    text: str
    done: bool
    draft: Decision | None = None
    changes: Mapping[str, str | None] = field(default_factory=dict)
    rationale: str | None = None
    limit: str = ""
    query_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What the calls of a window work on: its desk, its tools, its database and the seat's files."""

    desk: Desk
    tools: Toolset
    database: CompanyDatabase
    files: Callable[[], Mapping[str, str]]
    file_sizes: Callable[[], Mapping[str, int]]


_FILE_TOOLS: Final[Mapping[str, Callable[[Mapping[str, str], Any], private.FileResult]]] = {
    "read_file": private.read_file,
    "write_file": private.write_file,
    "edit_file": private.edit_file,
    "delete_file": private.delete_file,
}


async def perform(bench: Bench, call: Call, draft: Decision, *, finalizing: bool) -> Outcome:
    """Run one call on the draft as it is; a refusal is an outcome like any other."""
    try:
        return await _perform(bench, call, draft, finalizing)
    except RefusedCall as refusal:
        return Outcome(text=shown(str(refusal)), done=False)


async def _perform(bench: Bench, call: Call, draft: Decision, finalizing: bool) -> Outcome:
    tools = bench.tools
    if call.name in tools.market:
        return _stage(bench, call, draft)
    if call.name not in tools.harness:
        names = ", ".join(tools.names)
        if not call.name:
            raise RefusedCall(wording.NO_NAME.format(names=names))
        raise RefusedCall(wording.UNKNOWN_TOOL.format(name=ascii(brief(call.name, 64)), names=names))
    asked = validated(call.name, tools.harness[call.name].arguments, call.arguments)
    if isinstance(asked, QueryCompany):
        return await _query(bench.database, asked, finalizing)
    if isinstance(asked, SealDecision):
        return _seal(bench.desk, draft, asked)
    if call.name == "list_files":
        return _file_outcome(private.list_files(bench.file_sizes()))
    if call.name in _FILE_TOOLS:
        return _file_outcome(_FILE_TOOLS[call.name](bench.files(), asked))
    assert isinstance(asked, NoArguments)
    return _preview(bench.desk, draft) if call.name == "preview_decision" else _reset(bench.desk)


def _file_outcome(result: private.FileResult) -> Outcome:
    return Outcome(text=shown(to_json(result.told)), done=True, changes=result.changes)


def _stage(bench: Bench, call: Call, draft: Decision) -> Outcome:
    tool = bench.tools.market[call.name]
    asked = validated(call.name, tool.arguments, call.arguments)
    try:
        staged = plain_draft(tool.stage(draft, asked))
    except InputError as fault:
        raise RefusedCall(wording.NOT_STAGED.format(reason=fault)) from None
    reason = bench.desk.check(staged)
    if reason is not None:
        raise RefusedCall(wording.NOT_STAGED.format(reason=reason))
    return Outcome(text=shown(to_json({"staged": call.name, "draft": staged})), done=True, draft=staged)


async def _query(database: CompanyDatabase, asked: QueryCompany, finalizing: bool) -> Outcome:
    if finalizing:
        raise RefusedCall(wording.QUERY_CLOSED)
    answer = await database.query(asked)
    try:
        text, done = result_text(answer.body), True
    except RefusedCall as refusal:
        text, done = str(refusal), False
    return Outcome(text=shown(text), done=done, limit=answer.body["limit"], query_seconds=answer.seconds)


def _seal(desk: Desk, draft: Decision, asked: SealDecision) -> Outcome:
    reason = desk.check(draft)
    if reason is not None:
        raise RefusedCall(wording.NOT_SEALED.format(reason=reason))
    return Outcome(text=to_json({"sealed": True}), done=True, rationale=asked.rationale)


def plain_draft(draft: Decision) -> Decision:
    """Return a draft as the journal gives it back, so that a resumed window says the same words."""
    return cast(Decision, normal_form(seal.normal(draft)))


def _preview(desk: Desk, draft: Decision) -> Outcome:
    return Outcome(text=shown(to_json({"draft": draft, **desk.preview(draft)})), done=True)


def _reset(desk: Desk) -> Outcome:
    empty = plain_draft(desk.null())
    return Outcome(text=to_json({"reset": True, "draft": empty}), done=True, draft=empty)
