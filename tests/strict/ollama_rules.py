"""Ollama's /api/chat: arguments are objects, contents are texts, and a prompt beyond `num_ctx` is cut in silence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tests.strict.rules import Given, Json, Request, Rule, Wire, first, mappings, rule

# https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion
REFERENCE: Final = "https://github.com/ollama/ollama/blob/main/docs/api.md"
DEFAULT_CONTEXT: Final = 4096
BYTES_PER_TOKEN: Final = 4


@rule("https://github.com/ollama/ollama/issues/6451")
def contents_are_texts(request: Request, given: Given) -> str | None:
    names = {list: "array", dict: "object", bool: "bool", int: "number", float: "number"}
    return first(
        f"json: cannot unmarshal {names.get(type(message['content']), 'value')} into Go struct field"
        " ChatRequest.messages.content of type string"
        for message in mappings(request.get("messages"))
        if "content" in message and not isinstance(message["content"], (str, type(None)))
    )


@rule("https://github.com/aliasrobotics/cai/issues/76")
def arguments_are_objects(request: Request, given: Given) -> str | None:
    return first(
        f"json: cannot unmarshal {'string' if isinstance(arguments, str) else 'array'} into Go struct field"
        " ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments"
        for message in mappings(request.get("messages"))
        for call in mappings(message.get("tool_calls"))
        for arguments in [call["function"].get("arguments", {})]
        if not isinstance(arguments, Mapping)
    )


@rule(REFERENCE)
def a_model_is_named(request: Request, given: Given) -> str | None:
    return None if request.get("model") else "model is required"


@rule(REFERENCE)
def the_answer_is_asked_for_whole(request: Request, given: Given) -> str | None:
    """`stream` is true unless said: a client that reads one object must say so."""
    return None if request.get("stream") is False else "the client did not say `stream: false`"


def prompt_tokens(request: Request) -> int:
    """Return about how many tokens a prompt has: messages and tools, four bytes each."""
    said = json.dumps([request.get("messages"), request.get("tools")], ensure_ascii=False)
    return len(said.encode()) // BYTES_PER_TOKEN


def context_of(request: Request) -> int:
    options = request.get("options")
    held: Any = options.get("num_ctx") if isinstance(options, Mapping) else None
    return held if isinstance(held, int) else DEFAULT_CONTEXT


def seen_tokens(request: Request) -> int:
    """Return how many tokens of the prompt the model sees: all that fit, else half of the context.

    https://github.com/ollama/ollama/issues/17427
    """
    sent, context = prompt_tokens(request), context_of(request)
    return sent if sent <= context else context // 2 + 2


def _error(failed: Rule, words: str) -> Json:
    return {"error": words}


def _good(request: Request) -> Json:
    tools = mappings(request.get("tools"))
    message: Json = {"role": "assistant", "content": "" if tools else "ok"}
    if tools:
        message["tool_calls"] = [{"function": {"name": tools[0]["function"]["name"], "arguments": {}}}]
    return {
        "model": request["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True,
        "done_reason": "stop", "eval_count": 15,
    }  # fmt: skip


OLLAMA: Final = Wire(
    name="ollama",
    path="/api/chat",
    rules=(a_model_is_named, contents_are_texts, arguments_are_objects, the_answer_is_asked_for_whole),
    error=_error,
    good=_good,
    seen_tokens=seen_tokens,
)
