"""What one tool call does: a pure effect on the draft and the files, and the words of its result.

Nothing here is kept. The window appends the outcome to the seat's store, and that append is the
effect: a process killed before it has done nothing, one killed after it has done all.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final, assert_never

from pydantic import BaseModel

from agents.llm import wording
from agents.llm.text import brief, normal_form, shown, to_json
from agents.llm.tools.arguments import RefusedCall, validated
from agents.llm.tools.calls import Call
from agents.llm.tools.context import Outcome, ToolContext, plain_draft
from agents.llm.tools.harness import HarnessTool
from agents.llm.toolset import Toolset, is_query
from tournament import seal
from tournament.errors import InputError
from tournament.ports import Desk
from tournament.records import Decision, ReadTool, Tool

# Names that a correction gives for one that does not exist, and how near they must be, from 0 to 1.
NEAREST: Final = 3
_NEAR: Final = 0.5


async def run_call(
    tools: Toolset, context: ToolContext, call: Call, draft: Decision, *, finalizing: bool
) -> Outcome:
    """Run one call on the draft as it is; a refusal is an outcome like any other."""
    try:
        return await _run(tools, context, call, draft, finalizing)
    except RefusedCall as refusal:
        return Outcome(text=shown(str(refusal)), done=False)


async def _run(
    tools: Toolset, context: ToolContext, call: Call, draft: Decision, finalizing: bool
) -> Outcome:
    if call.name not in tools.tools:
        raise RefusedCall(_no_such_tool(call.name, list(tools.tools)))
    tool = tools.tools[call.name]
    arguments = validated(tool.name, tool.arguments, call.arguments)
    if finalizing and is_query(tool):
        raise RefusedCall(wording.QUERY_CLOSED.format(tool=tool.name))
    match tool:
        case HarnessTool():
            return await tool.run(context, arguments, draft)
        case Tool():
            return _stage(tool, context.desk, arguments, draft)
        case ReadTool():
            return _read(tool, arguments)
        case _:
            assert_never(tool)


def _no_such_tool(name: str, names: list[str]) -> str:
    """Name the tools that are near to what was called; all of them only where none is."""
    if not name:
        return wording.NO_NAME.format(names=", ".join(names))
    shown_name = ascii(brief(name, 64))
    near = get_close_matches(name.lower(), names, n=NEAREST, cutoff=_NEAR)
    if near:
        return wording.UNKNOWN_TOOL.format(name=shown_name, names=", ".join(near))
    return wording.UNKNOWN_FAR_TOOL.format(name=shown_name, names=", ".join(names))


def _stage(tool: Tool, desk: Desk, arguments: BaseModel, draft: Decision) -> Outcome:
    try:
        staged = plain_draft(tool.stage(draft, arguments))
    except InputError as fault:
        raise RefusedCall(wording.NOT_STAGED.format(reason=fault)) from None
    reason = desk.check(staged)
    if reason is not None:
        raise RefusedCall(wording.NOT_STAGED.format(reason=reason))
    return Outcome(text=shown(to_json({"staged": tool.name, "draft": staged})), draft=staged)


def _read(tool: ReadTool, arguments: BaseModel) -> Outcome:
    try:
        answer = to_json(seal.normal(tool.answer(arguments)))
    except InputError as fault:
        raise RefusedCall(wording.NOT_READ.format(reason=fault)) from None
    return Outcome(text=shown(normal_form(answer)))
