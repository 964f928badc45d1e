"""Chat completions: OpenAI's own rules of the history, which every dialect shares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.strict.rules import Given, Json, Request, Rule, first, mappings, rule

Message = Mapping[str, Any]
# https://platform.openai.com/docs/api-reference/chat/create
REFERENCE: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
_FIELDS: Final = frozenset(
    {
        *("model", "messages", "tools", "tool_choice", "parallel_tool_calls", "max_tokens", "stream"),
        *("max_completion_tokens", "temperature", "top_p", "reasoning_effort", "stop", "seed", "n", "user"),
        *("service_tier", "store", "metadata", "response_format", "presence_penalty", "frequency_penalty"),
        *("logprobs", "top_logprobs", "stream_options", "verbosity", "prompt_cache_key", "logit_bias"),
        *("thinking", "enable_thinking", "chat_template_kwargs", "extra_body", "prompt_cache_retention"),
    }
)


def calls_of(message: Message) -> list[Mapping[str, Any]]:
    return mappings(message.get("tool_calls"))


def assistants(request: Request) -> Iterator[tuple[int, Message]]:
    """Yield the assistant messages of a request with their places."""
    for at, message in enumerate(mappings(request.get("messages"))):
        if message.get("role") == "assistant":
            yield at, message


@rule("https://github.com/CopilotKit/CopilotKit/issues/529", code="empty_array")
def messages_are_there(request: Request, given: Given) -> str | None:
    if mappings(request.get("messages")):
        return None
    return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."


@rule(REFERENCE)
def fields_are_known(request: Request, given: Given) -> str | None:
    return first(f"Unrecognized request argument supplied: {name}" for name in request if name not in _FIELDS)


@rule(REFERENCE, code="invalid_value")
def roles_are_known(request: Request, given: Given) -> str | None:
    return first(
        f"Invalid value: '{message.get('role')}'. Supported values are: 'system', 'assistant', 'user',"
        " 'function', 'tool', and 'developer'."
        for message in mappings(request["messages"])
        if message.get("role") not in _ROLES
    )


@rule("https://github.com/livekit/agents/issues/1297")
def content_is_there(request: Request, given: Given) -> str | None:
    """A text or a list of parts; null for an assistant that calls, and for one that refused."""
    return first(_without_content(mappings(request["messages"])))


def _without_content(messages: list[Message]) -> Iterator[str]:
    for at, message in enumerate(messages):
        content = message.get("content")
        may_be_null = message["role"] == "assistant" and (calls_of(message) or message.get("refusal"))
        if content is None and not may_be_null:
            yield f"Invalid value for 'content': expected a string, got null. (messages.[{at}].content)"
        if isinstance(content, list) and not content:
            yield f"Invalid 'messages[{at}].content': empty array. Expected an array with minimum length 1."
        if content is not None and not isinstance(content, (str, list)):
            yield f"Invalid type for 'messages[{at}].content': expected one of a string or array of objects."


@rule("https://github.com/openai/openai-python/issues/2061", code="empty_array")
def calls_are_no_empty_list(request: Request, given: Given) -> str | None:
    return first(
        f"Invalid 'messages[{at}].tool_calls': empty array. Expected an array with minimum length 1, but got an"
        " empty array instead."
        for at, message in assistants(request)
        if "tool_calls" in message and not message["tool_calls"]
    )


@rule(REFERENCE)
def calls_are_whole(request: Request, given: Given) -> str | None:
    """Each call has an id, the type `function`, a name, and arguments that are a text."""
    return first(_torn(request))


def _torn(request: Request) -> Iterator[str]:
    for at, message in assistants(request):
        for number, call in enumerate(calls_of(message)):
            place = f"messages[{at}].tool_calls[{number}]"
            function = call.get("function")
            if not isinstance(call.get("id"), str) or not call["id"]:
                yield f"Missing required parameter: '{place}.id'."
            if call.get("type") != "function":
                yield f"Missing required parameter: '{place}.type'."
            if not isinstance(function, Mapping):
                yield f"Missing required parameter: '{place}.function'."
            elif not isinstance(function.get("arguments"), str):
                yield (
                    f"Invalid type for '{place}.function.arguments': expected a string, but got an object instead."
                )


@rule("https://github.com/mcp-use/mcp-use/pull/94", code="invalid_value")
def names_fit(request: Request, given: Given) -> str | None:
    return first(
        f"Invalid 'messages[{at}].tool_calls[{number}].function.name': string does not match pattern. Expected a"
        " string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        for at, message in assistants(request)
        for number, call in enumerate(calls_of(message))
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(call["function"].get("name")))
    )


@rule("https://github.com/camel-ai/camel/issues/2215", code="string_above_max_length")
def ids_are_short(request: Request, given: Given) -> str | None:
    """The code is one that a length of a context also goes by."""
    return first(
        f"Invalid 'messages[{at}].tool_calls[{number}].id': string too long. Expected a string with maximum length"
        f" 40, but got a string with length {len(call['id'])} instead."
        for at, message in assistants(request)
        for number, call in enumerate(calls_of(message))
        if len(call["id"]) > 40
    )


@rule("https://github.com/BloomLabsInc/genkit-plugins/issues/225")
def calls_are_answered(request: Request, given: Given) -> str | None:
    return first(_unanswered(mappings(request["messages"])))


def _unanswered(messages: list[Message]) -> Iterator[str]:
    for at, message in enumerate(messages):
        wanted = [call["id"] for call in calls_of(message)]
        missing = [name for name in wanted if name not in _results_after(messages, at)]
        if missing:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
                " 'tool_call_id'. The following tool_call_ids did not have response messages: "
                + ", ".join(missing)
            )


def _results_after(messages: list[Message], at: int) -> list[Json]:
    """The ids that the tool messages right after a message answer."""
    found: list[Json] = []
    for message in messages[at + 1 :]:
        if message.get("role") != "tool":
            break
        found.append(message.get("tool_call_id"))
    return found


@rule("https://github.com/smarter-sh/smarter/issues/264")
def results_follow_calls(request: Request, given: Given) -> str | None:
    return first(_orphans(mappings(request["messages"])))


def _orphans(messages: list[Message]) -> Iterator[str]:
    open_ids: set[Json] = set()
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                yield (
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with"
                    f" 'tool_calls'. (messages.[{at}].role)"
                )
        else:
            open_ids = {call["id"] for call in calls_of(message)}


OPENAI: Final[tuple[Rule, ...]] = (
    messages_are_there,
    fields_are_known,
    roles_are_known,
    content_is_there,
    calls_are_no_empty_list,
    calls_are_whole,
    names_fit,
    ids_are_short,
    calls_are_answered,
    results_follow_calls,
)
