"""Anthropic's Messages: turns, calls and their results, texts, and thinking that comes back as it was given."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.strict.rules import Given, Json, Request, Rule, Wire, first, mappings, rule

Block = Mapping[str, Any]
# https://docs.anthropic.com/en/api/messages
REFERENCE: Final = "https://docs.anthropic.com/en/api/messages"
THINKING_PAGE: Final = "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking"
_THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "text": frozenset({"type", "text", "citations", "cache_control"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "tool_use": frozenset({"type", "id", "name", "input", "caller", "cache_control"}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"}),
}
_TOP: Final = frozenset(
    {
        *("model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "temperature"),
        *("top_p", "top_k", "stop_sequences", "stream", "metadata", "service_tier", "inference_geo", "speed"),
        *("output_config", "context_management", "container", "cache_control"),
    }
)


def turns(request: Request) -> list[tuple[str, list[Block]]]:
    """Return role and blocks of each message; a text stands for one block."""
    return [
        (str(item.get("role")), _blocks(item.get("content"))) for item in mappings(request.get("messages"))
    ]


def _blocks(content: Json) -> list[Block]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else mappings(content)


def _each(request: Request) -> Iterator[tuple[str, str, Block]]:
    for at, (role, blocks) in enumerate(turns(request)):
        for number, block in enumerate(blocks):
            yield f"messages.{at}.content.{number}", role, block


@rule(REFERENCE)
def top_fields_are_known(request: Request, given: Given) -> str | None:
    return first(f"{name}: Extra inputs are not permitted" for name in request if name not in _TOP)


@rule("https://github.com/RooCodeInc/Roo-Code/issues/11429")
def message_fields_are_known(request: Request, given: Given) -> str | None:
    return first(
        f"messages.{at}.{name}: Extra inputs are not permitted"
        for at, message in enumerate(mappings(request.get("messages")))
        for name in message
        if name not in {"role", "content"}
    )


@rule("https://github.com/anthropics/claude-code/issues/4378")
def block_fields_are_known(request: Request, given: Given) -> str | None:
    return first(_odd_blocks(request))


def _odd_blocks(request: Request) -> Iterator[str]:
    for place, _, block in _each(request):
        kind = str(block.get("type"))
        if kind not in _FIELDS:
            tags = ", ".join(f"'{name}'" for name in _FIELDS)
            yield f"{place}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"
            continue
        for name in block:
            if name not in _FIELDS[kind]:
                yield f"{place}.{kind}.{name}: Extra inputs are not permitted"


@rule(REFERENCE)
def the_first_is_the_users(request: Request, given: Given) -> str | None:
    said = turns(request)
    if not said:
        return "messages: at least one message is required"
    return None if said[0][0] == "user" else 'messages: first message must use the "user" role'


@rule("https://docs.anthropic.com/en/api/errors")
def roles_alternate(request: Request, given: Given) -> str | None:
    """Today's interface merges turns of one role; platforms that speak it, Bedrock among them, still refuse."""
    roles = [role for role, _ in turns(request)]
    if "system" in roles:
        return 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter'
    return first(
        f'messages: roles must alternate between "user" and "assistant", but found multiple "{role}" roles in a row'
        for before, role in itertools.pairwise(roles)
        if before == role
    )


@rule("https://github.com/anthropics/claude-code/issues/6774")
def no_message_is_empty(request: Request, given: Given) -> str | None:
    said = turns(request)
    return first(
        f"messages.{at}: all messages must have non-empty content except for the optional final assistant message"
        for at, (role, blocks) in enumerate(said)
        if not blocks and not (at == len(said) - 1 and role == "assistant")
    )


@rule("https://github.com/anthropics/claude-code/issues/23369")
def no_text_is_blank(request: Request, given: Given) -> str | None:
    return first(
        "messages: text content blocks must contain non-whitespace text"
        if block.get("text")
        else "messages: text content blocks must be non-empty"
        for _, _, block in _each(request)
        if block.get("type") == "text" and not str(block.get("text") or "").strip()
    )


@rule("https://github.com/tailcallhq/forgecode/issues/1872")
def the_last_text_is_trimmed(request: Request, given: Given) -> str | None:
    role, blocks = turns(request)[-1]
    if role != "assistant" or not blocks or blocks[-1].get("type") != "text":
        return None
    text = str(blocks[-1]["text"])
    return (
        None
        if text == text.rstrip()
        else "messages: final assistant content cannot end with trailing whitespace"
    )


@rule("https://github.com/NousResearch/hermes-agent/pull/11098")
def no_turn_ends_in_thought(request: Request, given: Given) -> str | None:
    """Of every assistant's turn; some models were measured to refuse the last one alone
    (https://github.com/router-for-me/CLIProxyAPI/issues/5321)."""
    return first(
        f"messages.{at}: The final block in an assistant message cannot be `thinking`."
        for at, (role, blocks) in enumerate(turns(request))
        if role == "assistant" and blocks and blocks[-1].get("type") in _THOUGHTS
    )


@rule(THINKING_PAGE)
def thoughts_are_signed(request: Request, given: Given) -> str | None:
    return first(_unsigned(request, given))


def _unsigned(request: Request, given: Given) -> Iterator[str]:
    issued = {_seal(block) for body in given for block in mappings(body.get("content"))} - {""}
    for place, _, block in _each(request):
        kind = block.get("type")
        if kind in _THOUGHTS and not _seal(block):
            yield f"{place}.{kind}.{'signature' if kind == 'thinking' else 'data'}: Field required"
        elif kind in _THOUGHTS and issued and _seal(block) not in issued:
            yield f"{place}: Invalid `signature` in `thinking` block"


def _seal(block: Block) -> str:
    return (
        str(block.get("signature") or "") if block.get("type") == "thinking" else str(block.get("data") or "")
    )


@rule("https://github.com/anthropics/claude-code/issues/63432")
def the_latest_thoughts_are_as_given(request: Request, given: Given) -> str | None:
    """All thoughts of the latest turn, in order, where this server gave that turn."""
    place, sent = _latest(request)
    if sent is None:
        return None
    ids = {block.get("id") for block in sent if block.get("type") == "tool_use"}
    for body in reversed(given):
        own = mappings(body.get("content"))
        if ids and ids & {block.get("id") for block in own if block.get("type") == "tool_use"}:
            if [b for b in sent if b.get("type") in _THOUGHTS] == [
                b for b in own if b.get("type") in _THOUGHTS
            ]:
                return None
            return (
                f"{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be"
                " modified. These blocks must remain as they were in the original response."
            )
    return None


def _latest(request: Request) -> tuple[str, list[Block] | None]:
    said = turns(request)
    found = [
        (f"messages.{at}.content.0", blocks) for at, (role, blocks) in enumerate(said) if role == "assistant"
    ]
    return found[-1] if found else ("", None)


@rule("https://github.com/anomalyco/opencode/issues/3077")
def a_call_follows_its_thought(request: Request, given: Given) -> str | None:
    """With a budget of thinking, the latest turn with calls begins with a thought; of turns that this server
    gave it knows better, and asks for what it gave."""
    thinking = request.get("thinking")
    place, sent = _latest(request)
    if not isinstance(thinking, Mapping) or thinking.get("type") != "enabled" or sent is None:
        return None
    calls = [block for block in sent if block.get("type") == "tool_use"]
    if given or not calls or sent[0].get("type") in _THOUGHTS:
        return None
    return (
        f"{place}.type: Expected `thinking` or `redacted_thinking`, but found `{sent[0].get('type')}`. When"
        " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the"
        " lastmost set of `tool_use` and `tool_result` blocks)."
    )


@rule("https://github.com/router-for-me/CLIProxyAPI/issues/1872")
def call_ids_fit(request: Request, given: Given) -> str | None:
    return first(
        f"{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        for place, _, block in _each(request)
        if block.get("type") == "tool_use" and not re.fullmatch(r"[a-zA-Z0-9_-]+", str(block.get("id")))
    )


@rule("https://github.com/apify/tester-mcp-client/issues/11")
def call_names_fit(request: Request, given: Given) -> str | None:
    return first(
        f"{place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        for place, _, block in _each(request)
        if block.get("type") == "tool_use"
        and not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(block.get("name")))
    )


@rule(REFERENCE)
def arguments_are_objects(request: Request, given: Given) -> str | None:
    return first(
        f"{place}.tool_use.input: Input should be a valid dictionary"
        for place, _, block in _each(request)
        if block.get("type") == "tool_use" and not isinstance(block.get("input"), Mapping)
    )


@rule("https://github.com/anthropics/claude-code/issues/20885")
def call_ids_are_unique(request: Request, given: Given) -> str | None:
    seen: set[Json] = set()
    for place, _, block in _each(request):
        if block.get("type") == "tool_use":
            if block.get("id") in seen:
                return f"{place}: `tool_use` ids must be unique"
            seen.add(block.get("id"))
    return None


@rule("https://github.com/anthropics/claude-code/issues/12526")
def every_call_is_answered_at_once(request: Request, given: Given) -> str | None:
    """In the next message, and there before anything else."""
    said = turns(request)
    for at, (_, blocks) in enumerate(said):
        called = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
        after = said[at + 1][1] if at + 1 < len(said) else []
        leading = [block for block in after[: len(_results(after))] if block.get("type") == "tool_result"]
        missing = [
            name for name in called if name not in {str(block.get("tool_use_id")) for block in leading}
        ]
        if missing:
            return (
                f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after:"
                f" {', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the"
                " next message."
            )
    return None


def _results(blocks: list[Block]) -> list[Block]:
    return [block for block in blocks if block.get("type") == "tool_result"]


@rule("https://github.com/anthropics/claude-code/issues/13460")
def every_result_has_its_call(request: Request, given: Given) -> str | None:
    said = turns(request)
    for at, (_, blocks) in enumerate(said):
        before = {str(block.get("id")) for block in said[at - 1][1]} if at else set()
        for number, block in enumerate(blocks):
            if block.get("type") == "tool_result" and str(block.get("tool_use_id")) not in before:
                return (
                    f"messages.{at}.content.{number}: unexpected `tool_use_id` found in `tool_result` blocks:"
                    f" {block.get('tool_use_id')}. Each `tool_result` block must have a corresponding `tool_use`"
                    " block in the previous message."
                )
    return None


@rule(THINKING_PAGE)
def the_ceiling_exceeds_the_budget(request: Request, given: Given) -> str | None:
    thinking, ceiling = request.get("thinking"), request.get("max_tokens")
    if not isinstance(ceiling, int):
        return "max_tokens: Field required"
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    if budget is None:
        return None
    if budget < 1024:
        return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    if ceiling > budget:
        return None
    return f"`max_tokens` must be greater than `thinking.budget_tokens`. Please consult {THINKING_PAGE}"


@rule("https://github.com/continuedev/continue/pull/6937")
def four_marks_of_the_cache(request: Request, given: Given) -> str | None:
    parts = [*mappings(request.get("system")), *mappings(request.get("tools"))]
    parts += [block for _, blocks in turns(request) for block in blocks]
    marked = sum("cache_control" in part for part in parts)
    return (
        None if marked <= 4 else f"A maximum of 4 blocks with cache_control may be provided. Found {marked}."
    )


def _error(failed: Rule, words: str) -> Json:
    return {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": words},
        "request_id": "req_011",
    }


def _fresh(request: Request) -> str:
    """An id that no earlier turn has."""
    return f"toolu_good{len(request['messages'])}"


def _good(request: Request) -> Json:
    tools = mappings(request.get("tools"))
    call = (
        {"type": "tool_use", "id": _fresh(request), "name": tools[0]["name"], "input": {}} if tools else None
    )
    return {
        "id": "msg_01", "type": "message", "role": "assistant", "model": request["model"],
        "content": [call or {"type": "text", "text": "ok"}], "stop_reason": "tool_use" if call else "end_turn",
        "usage": {"input_tokens": 120, "output_tokens": 15},
    }  # fmt: skip


MESSAGES: Final = Wire(
    name="messages",
    path="/v1/messages",
    rules=(
        top_fields_are_known,
        the_first_is_the_users,
        roles_alternate,
        message_fields_are_known,
        block_fields_are_known,
        no_message_is_empty,
        no_text_is_blank,
        call_ids_fit,
        call_names_fit,
        arguments_are_objects,
        call_ids_are_unique,
        no_turn_ends_in_thought,
        thoughts_are_signed,
        every_call_is_answered_at_once,
        every_result_has_its_call,
        the_latest_thoughts_are_as_given,
        a_call_follows_its_thought,
        the_last_text_is_trimmed,
        the_ceiling_exceeds_the_budget,
        four_marks_of_the_cache,
    ),
    error=_error,
    good=_good,
)
