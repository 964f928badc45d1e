"""OpenAI's Responses without storage: items that belong together come back together, and nothing by id alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.strict.rules import Given, Json, Request, Rule, Wire, first, mappings, rule

Item = Mapping[str, Any]
# https://platform.openai.com/docs/api-reference/responses/create
REFERENCE: Final = "https://platform.openai.com/docs/api-reference/responses/create"
_TOP: Final = frozenset(
    {
        *("model", "input", "instructions", "tools", "tool_choice", "max_output_tokens", "store", "include"),
        *("reasoning", "stream", "temperature", "top_p", "parallel_tool_calls", "metadata", "service_tier"),
        *(
            "text",
            "truncation",
            "user",
            "previous_response_id",
            "background",
            "prompt_cache_key",
            "verbosity",
        ),
    }
)
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "message": frozenset({"type", "id", "role", "content", "status", "phase"}),
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content", "status"}),
    "function_call": frozenset({"type", "id", "call_id", "name", "arguments", "status", "namespace"}),
    "function_call_output": frozenset({"type", "id", "call_id", "output", "status"}),
    "item_reference": frozenset({"type", "id"}),
}
_PREFIX: Final = {"message": "msg", "reasoning": "rs", "function_call": "fc"}


def items(request: Request) -> list[Item]:
    """Return the input items; a text is the user's message."""
    held = request.get("input")
    return [{"role": "user", "content": held}] if isinstance(held, str) else mappings(held)


def _kind(item: Item) -> str:
    return str(item.get("type") or "message")


@rule(REFERENCE, code="unknown_parameter")
def fields_are_known(request: Request, given: Given) -> str | None:
    return first(_unknown(request))


def _unknown(request: Request) -> Iterator[str]:
    yield from (f"Unknown parameter: '{name}'." for name in request if name not in _TOP)
    for at, item in enumerate(items(request)):
        kind = _kind(item)
        if kind not in _FIELDS:
            kinds = ", ".join(f"'{name}'" for name in _FIELDS)
            yield f"Invalid value: '{kind}'. Supported values are: {kinds}. (input[{at}])"
            continue
        yield from (f"Unknown parameter: 'input[{at}].{name}'." for name in item if name not in _FIELDS[kind])


@rule("https://github.com/openai/codex/issues/33176", code="invalid_id_prefix")
def ids_have_their_prefix(request: Request, given: Given) -> str | None:
    return first(
        f"Invalid 'input[{at}].id': '{item['id']}'. Expected an ID that begins with '{_PREFIX[_kind(item)]}'."
        for at, item in enumerate(items(request))
        if item.get("id") and not str(item["id"]).startswith(_PREFIX.get(_kind(item), ""))
    )


@rule("https://github.com/AnswerDotAI/fastllm/issues/45", code="string_above_max_length")
def call_ids_are_short(request: Request, given: Given) -> str | None:
    """The code is one that a length of a context also goes by."""
    return first(
        f"Invalid 'input[{at}].call_id': string too long. Expected a string with maximum length 64, but got a string"
        f" with length {len(str(item['call_id']))} instead."
        for at, item in enumerate(items(request))
        if len(str(item.get("call_id") or "")) > 64
    )


@rule("https://github.com/router-for-me/CLIProxyAPI/issues/2381", status=404)
def nothing_is_called_up_by_id(request: Request, given: Given) -> str | None:
    """Without storage a reasoning item is its encrypted content; an id alone names what nobody kept."""
    if request.get("store") is not False:
        return None
    return first(
        f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is set to false. Try again"
        " with `store` set to true, or remove this item from your input."
        for item in items(request)
        if _kind(item) == "item_reference"
        or (_kind(item) == "reasoning" and not item.get("encrypted_content"))
    )


@rule("https://platform.openai.com/docs/guides/reasoning", code="invalid_encrypted_content")
def encrypted_content_is_as_given(request: Request, given: Given) -> str | None:
    issued = {item.get("encrypted_content") for body in given for item in mappings(body.get("output"))} - {
        None
    }
    return first(
        "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed."
        for item in items(request)
        if _kind(item) == "reasoning" and issued and item.get("encrypted_content") not in issued
    )


@rule("https://github.com/openai/openai-node/issues/1567")
def reasoning_has_its_follower(request: Request, given: Given) -> str | None:
    """A message of the assistant's or a call right after it; several thoughts may stand before one."""
    said = items(request)
    return first(
        f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."
        for at, item in enumerate(said)
        if _kind(item) == "reasoning" and not _followed(said[at + 1 :])
    )


def _followed(rest: list[Item]) -> bool:
    after = next((item for item in rest if _kind(item) != "reasoning"), None)
    if after is None:
        return False
    return _kind(after) == "function_call" or (_kind(after) == "message" and after.get("role") == "assistant")


@rule("https://github.com/mastra-ai/mastra/issues/8738")
def an_item_has_its_reasoning(request: Request, given: Given) -> str | None:
    """A call or message sent under its id wants the thought before it, where this server gave one."""
    here = {item.get("id") for item in items(request)}
    return first(
        f"Item '{item['id']}' of type '{_kind(item)}' was provided without its required 'reasoning' item: '{before}'."
        for item in items(request)
        for before in [_thought_before(item, given)]
        if before is not None and before not in here
    )


def _thought_before(item: Item, given: Given) -> Json:
    for body in given:
        output = mappings(body.get("output"))
        for before, own in itertools.pairwise(output):
            if item.get("id") and own.get("id") == item["id"] and before.get("type") == "reasoning":
                return before.get("id")
    return None


@rule("https://github.com/leookun/cursor-byok/issues/307")
def every_output_has_its_call(request: Request, given: Given) -> str | None:
    called = {item.get("call_id") for item in items(request) if _kind(item) == "function_call"}
    return first(
        f"No tool call found for function call output with call_id {item.get('call_id')}."
        for item in items(request)
        if _kind(item) == "function_call_output" and item.get("call_id") not in called
    )


@rule("https://github.com/OpenRouterTeam/typescript-agent/pull/125")
def every_call_has_its_output(request: Request, given: Given) -> str | None:
    answered = {item.get("call_id") for item in items(request) if _kind(item) == "function_call_output"}
    return first(
        f"No tool output found for function call {item.get('call_id')}."
        for item in items(request)
        if _kind(item) == "function_call" and item.get("call_id") not in answered
    )


@rule(REFERENCE, code="invalid_value")
def calls_are_whole(request: Request, given: Given) -> str | None:
    return first(_torn(request))


def _torn(request: Request) -> Iterator[str]:
    for at, item in enumerate(items(request)):
        if _kind(item) != "function_call":
            continue
        if not isinstance(item.get("arguments"), str):
            yield f"Invalid type for 'input[{at}].arguments': expected a string."
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(item.get("name"))):
            yield (
                f"Invalid 'input[{at}].name': string does not match pattern. Expected a string that matches the"
                " pattern '^[a-zA-Z0-9_-]+$'."
            )
        if not item.get("call_id"):
            yield f"Missing required parameter: 'input[{at}].call_id'."


@rule(REFERENCE, code="invalid_value")
def status_and_content_fit(request: Request, given: Given) -> str | None:
    return first(_odd(request))


def _odd(request: Request) -> Iterator[str]:
    for at, item in enumerate(items(request)):
        status = item.get("status")
        if status not in {None, "completed", "in_progress", "incomplete"}:
            yield (
                f"Invalid value: '{status}'. Supported values are: 'in_progress', 'completed', and 'incomplete'."
                f" (input[{at}].status)"
            )
        if _kind(item) != "message":
            continue
        content = item.get("content")
        if content is None or content == []:
            yield f"Missing required parameter: 'input[{at}].content'."
        kinds = {"output_text", "refusal"} if item.get("role") == "assistant" else {"input_text"}
        yield from (
            f"Invalid value: '{part.get('type')}'. Supported values are: {sorted(kinds)}. (input[{at}].content)"
            for part in mappings(content)
            if part.get("type") not in kinds
        )


@rule(REFERENCE, code="integer_below_min_value")
def the_ceiling_is_sixteen_at_least(request: Request, given: Given) -> str | None:
    ceiling = request.get("max_output_tokens")
    if ceiling is None or ceiling >= 16:
        return None
    return (
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got"
        f" {ceiling} instead."
    )


def _error(failed: Rule, words: str) -> Json:
    return {
        "error": {"message": words, "type": "invalid_request_error", "param": "input", "code": failed.code}
    }


def _good(request: Request) -> Json:
    tools = mappings(request.get("tools"))
    fresh = len(items(request))
    call = {
        "id": f"fc_good{fresh}",
        "type": "function_call",
        "call_id": f"call_good{fresh}",
        "arguments": "{}",
    }
    text = {"type": "output_text", "text": "ok", "annotations": []}
    said = {
        "id": f"msg_good{fresh}",
        "type": "message",
        "role": "assistant",
        "content": [text],
        "status": "completed",
    }
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": request["model"],
        "output": [{**call, "name": tools[0]["name"], "status": "completed"}] if tools else [said],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
        "usage": {"input_tokens": 120, "output_tokens": 15, "total_tokens": 135},
    }  # fmt: skip


RESPONSES: Final = Wire(
    name="responses",
    path="/responses",
    rules=(
        fields_are_known,
        ids_have_their_prefix,
        call_ids_are_short,
        calls_are_whole,
        status_and_content_fit,
        nothing_is_called_up_by_id,
        encrypted_content_is_as_given,
        reasoning_has_its_follower,
        an_item_has_its_reasoning,
        every_output_has_its_call,
        every_call_has_its_output,
        the_ceiling_is_sixteen_at_least,
    ),
    error=_error,
    good=_good,
)
