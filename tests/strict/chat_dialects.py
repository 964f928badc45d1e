"""Chat completions as others speak it: what each refuses beside, or instead of, OpenAI's own rules."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tests.strict import chat_rules
from tests.strict.chat_rules import OPENAI, assistants, calls_of
from tests.strict.rules import Given, Json, Request, Rule, Wire, first, mappings, rule

MISTRAL_CODE: Final = (
    "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py"
)


@rule("https://github.com/abetlen/llama-cpp-python/issues/1805", status=422)
def the_key_content_is_there(request: Request, given: Given) -> str | None:
    """Servers whose model of a message requires the key: null is taken, its absence is not."""
    return first(
        f"Field required: body.messages.{at}.content"
        for at, message in enumerate(mappings(request["messages"]))
        if "content" not in message
    )


@rule("https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/261")
def content_is_never_null(request: Request, given: Given) -> str | None:
    return first(
        "Invalid 'content': 'content' field must be a string or an array of objects."
        for message in mappings(request["messages"])
        if message.get("content") is None
    )


@rule("https://github.com/nearai/ironclaw/issues/1241", code="3280")
def ids_are_nine_letters_and_digits(request: Request, given: Given) -> str | None:
    named = [call["id"] for _, message in assistants(request) for call in calls_of(message)]
    named += [
        message.get("tool_call_id") for message in mappings(request["messages"]) if "tool_call_id" in message
    ]
    return first(
        f"Tool call id was {name} but must be a-z, A-Z, 0-9, with a length of 9."
        for name in named
        if not re.fullmatch(r"[a-zA-Z0-9]{9}", str(name))
    )


# The same order as in the validator that Mistral publishes.
_NEXT: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"user", "assistant", "system"}),
    "user": frozenset({"assistant", "system", "user"}),
    "assistant": frozenset({"assistant", "user", "tool"}),
    "tool": frozenset({"assistant", "tool"}),
}


@rule("https://github.com/datapizza-labs/datapizza-ai/issues/98", code="3230")
def roles_are_in_order(request: Request, given: Given) -> str | None:
    roles = [str(message["role"]) for message in mappings(request["messages"])]
    return first(
        f"Unexpected role '{role}' after role '{before}'"
        for before, role in itertools.pairwise(roles)
        if role not in _NEXT.get(before, frozenset())
    )


@rule(MISTRAL_CODE)
def the_last_message_is_no_assistants(request: Request, given: Given) -> str | None:
    if mappings(request["messages"])[-1]["role"] in {"user", "tool"} or len(request["messages"]) == 1:
        return None
    return "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"


@rule(MISTRAL_CODE)
def as_many_results_as_calls(request: Request, given: Given) -> str | None:
    expected = 0
    for message in mappings(request["messages"]):
        if message["role"] == "tool":
            expected -= 1
        elif message["role"] == "assistant":
            if expected:
                return "Not the same number of function calls and responses"
            expected = len(calls_of(message))
    return "Not the same number of function calls and responses" if expected else None


@rule("https://github.com/OpenHands/OpenHands/issues/8685")
def an_assistant_says_or_calls(request: Request, given: Given) -> str | None:
    return first(
        "Assistant message must have either content or tool_calls, but not none."
        for _, message in assistants(request)
        if not message.get("content") and not calls_of(message)
    )


@rule("https://github.com/continuedev/continue/issues/10193")
def reasoning_comes_back_with_calls(request: Request, given: Given) -> str | None:
    """DeepSeek's thinking mode; asked for only of turns that the model gave with it."""
    return first(
        f"Missing `reasoning_content` field in the assistant message at message index {at}. For more information,"
        " please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls"
        for at, message in assistants(request)
        if _thought(message, given) and not isinstance(message.get("reasoning_content"), str)
    )


@rule("https://github.com/continuedev/continue/issues/11600")
def thinking_comes_back_with_calls(request: Request, given: Given) -> str | None:
    return first(
        f"thinking is enabled but reasoning_content is missing in assistant tool call message at index {at}"
        for at, message in assistants(request)
        if _thought(message, given) and not message.get("reasoning_content")
    )


def _thought(message: Mapping[str, Any], given: Given) -> bool:
    """Tell whether a turn with calls is one that this server gave with reasoning; a server that gave nothing
    yet takes it for one."""
    ids = {call.get("id") for call in calls_of(message)}
    if not ids or not given:
        return bool(ids)
    held = [choice.get("message") for body in given for choice in mappings(body.get("choices"))]
    own = [item for item in mappings(held) if ids & {call.get("id") for call in calls_of(item)}]
    return any("reasoning_content" in item for item in own)


@rule("https://github.com/CherryHQ/cherry-studio/issues/1313")
def no_assistant_is_empty(request: Request, given: Given) -> str | None:
    return first(
        f"Invalid request: the message at position {at} with role 'assistant' must not be empty"
        for at, message in assistants(request)
        if not calls_of(message) and not _text(message).strip()
    )


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in mappings(content))
    return content if isinstance(content, str) else ""


def only_fields(*allowed: str, words: str, source: str) -> Rule:
    """A rule that an assistant's message has these fields alone."""

    def no_other_fields(request: Request, given: Given) -> str | None:
        return first(
            words.format(at=at, field=name)
            for at, message in assistants(request)
            for name in message
            if name not in allowed
        )

    return rule(source)(no_other_fields)


@rule("https://github.com/ggml-org/llama.cpp/issues/25510", status=500)
def arguments_are_json(request: Request, given: Given) -> str | None:
    """Refused under 500, which a client takes for an outage and repeats."""
    return first(
        "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1"
        for _, message in assistants(request)
        for call in calls_of(message)
        if not _is_object(call["function"]["arguments"])
    )


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


@rule("https://github.com/ggml-org/llama.cpp/issues/20861")
def no_assistant_is_last(request: Request, given: Given) -> str | None:
    if mappings(request["messages"])[-1]["role"] != "assistant":
        return None
    return "Assistant response prefill is incompatible with enable_thinking."


@rule("https://github.com/vllm-project/vllm/issues/6862")
def roles_alternate(request: Request, given: Given) -> str | None:
    """Chat templates of Mistral's and Google's open models; results of calls stand for a user's turn."""
    roles = ["user" if message["role"] == "tool" else message["role"] for message in request["messages"]]
    spoken = [role for role in roles if role not in {"system", "developer"}]
    merged = list(_without_runs_of_results(request, spoken))
    if all(role == ("user", "assistant")[at % 2] for at, role in enumerate(merged)):
        return None
    return "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."


def _without_runs_of_results(request: Request, spoken: list[str]) -> Iterator[str]:
    said = [message for message in request["messages"] if message["role"] not in {"system", "developer"}]
    for at, (message, role) in enumerate(zip(said, spoken, strict=True)):
        if not (at and message["role"] == said[at - 1]["role"] == "tool"):
            yield role


def openai_error(failed: Rule, words: str) -> Json:
    kind = "invalid_request_error" if failed.status < 500 else "server_error"
    return {"error": {"message": words, "type": kind, "param": "messages", "code": failed.code}}


def mistral_error(failed: Rule, words: str) -> Json:
    kind = {"3280": "invalid_function_call", "3230": "invalid_request_message_order"}.get(
        str(failed.code), "invalid_request_error"
    )
    return {"object": "error", "message": words, "type": kind, "param": None, "code": failed.code}


def vllm_error(failed: Rule, words: str) -> Json:
    return {
        "object": "error",
        "message": words,
        "type": "BadRequestError",
        "param": None,
        "code": failed.status,
    }


def llamacpp_error(failed: Rule, words: str) -> Json:
    kind = "server_error" if failed.status >= 500 else "invalid_request_error"
    return {"error": {"code": failed.status, "message": words, "type": kind}}


def good(request: Request) -> Json:
    """A reply that every reader takes: one call of the first tool, or a word."""
    call = (
        {
            "id": f"goodID{len(request['messages']) % 1000:03}",
            "type": "function",
            "function": {"name": request["tools"][0]["function"]["name"], "arguments": "{}"},
        }
        if request.get("tools")
        else None
    )
    message = {
        "role": "assistant",
        "content": None if call else "ok",
        **({"tool_calls": [call]} if call else {}),
    }
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"],
        "choices": [{"index": 0, "finish_reason": "tool_calls" if call else "stop", "message": message}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 15, "total_tokens": 135},
    }  # fmt: skip


def _wire(name: str, *rules: Rule, error: Callable[[Rule, str], Json] = openai_error, **more: Any) -> Wire:
    return Wire(name=name, path="/chat/completions", rules=rules, error=error, good=good, **more)


_WITHOUT_IDS: Final = tuple(item for item in OPENAI if item is not chat_rules.ids_are_short)
_PLAIN: Final = ("role", "content", "tool_calls", "name")
DIALECTS: Final[Mapping[str, Wire]] = {
    wire.name: wire
    for wire in (
        _wire("openai", *OPENAI),
        _wire("llama-cpp-python", *_WITHOUT_IDS, the_key_content_is_there, error=vllm_error),
        _wire("lmstudio", *_WITHOUT_IDS, content_is_never_null),
        _wire("mistral", *_WITHOUT_IDS, ids_are_nine_letters_and_digits, roles_are_in_order,
              as_many_results_as_calls, the_last_message_is_no_assistants, an_assistant_says_or_calls,
              error=mistral_error),
        _wire("deepseek", *_WITHOUT_IDS, reasoning_comes_back_with_calls),
        _wire("moonshot", *_WITHOUT_IDS, thinking_comes_back_with_calls, no_assistant_is_empty),
        _wire("groq", *_WITHOUT_IDS, only_fields(*_PLAIN, "reasoning",
              words="'messages.{at}' : for 'role:assistant' the following must be satisfied[('messages.{at}' :"
                    " property '{field}' is unsupported)]",
              source="https://github.com/AstrBotDevs/AstrBot/issues/5946")),
        _wire("cerebras", *_WITHOUT_IDS, only_fields(*_PLAIN, "reasoning",
              words="messages.{at}.assistant.{field}: property 'messages.{at}.assistant.{field}' is unsupported",
              source="https://github.com/egoist/chatwise-releases/issues/1442")),
        _wire("fireworks", *_WITHOUT_IDS, only_fields(*_PLAIN, "reasoning_content",
              words="Extra inputs are not permitted, field: 'messages[{at}].{field}'",
              source="https://github.com/AndyMik90/Aperant/issues/1988")),
        _wire("llama.cpp", *_WITHOUT_IDS, arguments_are_json, no_assistant_is_last, error=llamacpp_error),
        _wire("template", *_WITHOUT_IDS, roles_alternate, error=vllm_error),
        # https://github.com/decolua/9router/issues/3492
        _wire("gateway", *_WITHOUT_IDS, streams_unless_told=True),
    )
}  # fmt: skip
