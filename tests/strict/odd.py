"""Odd answers, by wire and by name: cut, filtered, blank and mixed replies that a provider really gives.

Each takes the name of a tool and a number that makes its ids, as that wire writes ids; in any order they
are what a conversation must survive without becoming one that the same wire refuses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.routes.server import CannedAnswer, reply

Odd = Callable[[str, int], CannedAnswer]


def _chat(
    message: Mapping[str, Any] | None, finish: str | None, generated: int = 15, **choice: Any
) -> CannedAnswer:
    whole = None if message is None else {"role": "assistant", **message}
    usage = {"prompt_tokens": 120, "completion_tokens": generated, "total_tokens": 120 + generated}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "vendor/model-a",
        "usage": usage,
    }
    return reply({**body, "choices": [{"index": 0, "finish_reason": finish, "message": whole, **choice}]})


def _called(name: str, number: int, arguments: str = "{}") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": f"abcDEF{number % 1000:03}", "type": "function", "function": function}


CHAT: Final[Mapping[str, Odd]] = {
    "call": lambda name, n: _chat({"content": None, "tool_calls": [_called(name, n)]}, "tool_calls"),
    "call_without_content": lambda name, n: _chat({"tool_calls": [_called(name, n)]}, "tool_calls"),
    "call_after_words": lambda name, n: _chat(
        {"content": "So:", "tool_calls": [_called(name, n)]}, "tool_calls"
    ),
    "two_calls_one_id": lambda name, n: _chat(
        {"content": None, "tool_calls": [_called(name, n), _called(name, n)]}, "tool_calls"
    ),
    "call_with_an_old_id": lambda name, n: _chat(
        {"content": None, "tool_calls": [_called(name, 0)]}, "tool_calls"
    ),
    "call_without_an_id": lambda name, n: _chat(
        {"content": None, "tool_calls": [{**_called(name, n), "id": ""}]}, "tool_calls"
    ),
    "call_cut": lambda name, n: _chat(
        {"content": None, "tool_calls": [_called(name, n, '{"path": "a')]}, "length", 1024
    ),
    "call_with_reasoning": lambda name, n: _chat(
        {"content": None, "reasoning_content": "hm", "tool_calls": [_called(name, n)]}, "tool_calls"
    ),
    "reasoning_cut": lambda name, n: _chat({"content": None, "reasoning_content": "hm"}, "length", 1024),
    "words": lambda name, n: _chat({"content": "I think."}, "stop"),
    "words_cut": lambda name, n: _chat({"content": "I thi"}, "length", 1024),
    "blank": lambda name, n: _chat({"content": ""}, "stop"),
    "white_space": lambda name, n: _chat({"content": " \n"}, "stop"),
    "null": lambda name, n: _chat({"content": None}, "stop"),
    "no_calls_listed": lambda name, n: _chat({"content": "So.", "tool_calls": []}, "stop"),
    "refusal": lambda name, n: _chat({"content": None, "refusal": "No."}, "stop"),
    "filtered": lambda name, n: _chat({"content": None}, "content_filter", 3),
    "filtered_without_message": lambda name, n: _chat(None, "content_filter: PROHIBITED_CONTENT", 0),
    "odd_name": lambda name, n: _chat({"content": None, "tool_calls": [_called("a.b c", n)]}, "tool_calls"),
    "list_of_parts": lambda name, n: _chat({"content": [{"type": "text", "text": "So."}]}, "stop"),
}


def _messages(*content: Mapping[str, Any], stop: str, generated: int = 15) -> CannedAnswer:
    usage = {"input_tokens": 120, "output_tokens": generated}
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "usage": usage,
    }
    return reply({**body, "content": list(content), "stop_reason": stop})


def _thought(number: int) -> dict[str, Any]:
    return {"type": "thinking", "thinking": "hm", "signature": f"U0lH{number:04}"}


def _used(name: str, number: int, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}, **more}


def _said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


MESSAGES: Final[Mapping[str, Odd]] = {
    "call": lambda name, n: _messages(_thought(n), _used(name, n), stop="tool_use"),
    "call_without_thought": lambda name, n: _messages(_used(name, n), stop="tool_use"),
    "two_calls_one_id": lambda name, n: _messages(
        _thought(n), _used(name, n), _used(name, n), stop="tool_use"
    ),
    "thought_between": lambda name, n: _messages(
        _thought(n), _said("So:"), _thought(n + 1), _used(name, n), stop="tool_use"
    ),
    "cut_in_thought": lambda name, n: _messages(_thought(n), stop="max_tokens", generated=1024),
    "cut_in_second_thought": lambda name, n: _messages(
        _thought(n), _said("So:"), _thought(n + 1), stop="max_tokens", generated=1024
    ),
    "cut_after_call": lambda name, n: _messages(
        _thought(n), _used(name, n), _thought(n + 1), stop="max_tokens", generated=1024
    ),
    "cut_in_call": lambda name, n: _messages(_thought(n), _used(name, n), stop="max_tokens", generated=1024),
    "redacted": lambda name, n: _messages(
        {"type": "redacted_thinking", "data": f"UkVE{n:04}"}, _used(name, n), stop="tool_use"
    ),
    "redacted_last": lambda name, n: _messages(
        _said("So."), {"type": "redacted_thinking", "data": f"UkVE{n:04}"}, stop="end_turn"
    ),
    "words": lambda name, n: _messages(_thought(n), _said("I think. "), stop="end_turn"),
    "blank": lambda name, n: _messages(_said(""), stop="end_turn"),
    "white_space": lambda name, n: _messages(_thought(n), _said("\n\n"), stop="end_turn"),
    "nothing": lambda name, n: _messages(stop="end_turn"),
    "refusal": lambda name, n: _messages(stop="refusal", generated=1),
    "unknown_block": lambda name, n: _messages(
        {"type": "server_thing", "data": 1}, _said("So."), stop="end_turn"
    ),
    "unknown_field": lambda name, n: _messages(_used(name, n, text=""), stop="tool_use"),
    "arguments_no_object": lambda name, n: _messages(_used(name, n, input="x"), stop="tool_use"),
    "odd_name": lambda name, n: _messages(_used("a.b c", n), stop="tool_use"),
    "odd_id": lambda name, n: _messages({**_used(name, n), "id": f"{name}:{n}"}, stop="tool_use"),
}


def _responses(
    *output: Mapping[str, Any], status: str = "completed", reason: str | None = None
) -> CannedAnswer:
    usage = {"input_tokens": 120, "output_tokens": 15, "total_tokens": 135}
    details = None if reason is None else {"reason": reason}
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5",
        "usage": usage,
        "error": None,
    }
    beside = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return reply({**body, **beside, "status": status, "incomplete_details": details, "output": list(output)})


def _reasoned(number: int, **more: Any) -> dict[str, Any]:
    kept = {"encrypted_content": f"RU5D{number:04}"}
    return {"id": f"rs_{number}", "type": "reasoning", "summary": [], **kept, **more}


def _item(name: str, number: int, **more: Any) -> dict[str, Any]:
    call = {"id": f"fc_{number}", "type": "function_call", "call_id": f"call_{number}", "name": name}
    return {**call, "arguments": "{}", "status": "completed", **more}


def _spoken(number: int, text: str = "So.", **more: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    said = {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed"}
    return {**said, "content": [part], **more}


_CUT: Final[Mapping[str, Any]] = {"status": "incomplete", "reason": "max_output_tokens"}
RESPONSES: Final[Mapping[str, Odd]] = {
    "call": lambda name, n: _responses(_reasoned(n), _item(name, n)),
    "call_after_words": lambda name, n: _responses(_reasoned(n), _spoken(n), _item(name, n)),
    "call_before_words": lambda name, n: _responses(_item(name, n), _spoken(n)),
    "two_calls_one_id": lambda name, n: _responses(_reasoned(n), _item(name, n), _item(name, n)),
    "call_with_a_long_id": lambda name, n: _responses(_item(name, n, call_id=f"call_{'x' * 55}{n}")),
    "two_calls_one_long_id": lambda name, n: _responses(
        *[_item(name, n, call_id=f"call_{'y' * 55}{n % 100}")] * 2
    ),
    "cut_in_reasoning": lambda name, n: _responses(_reasoned(n, status="incomplete"), **_CUT),
    "cut_in_second_reasoning": lambda name, n: _responses(_reasoned(n), _spoken(n), _reasoned(n + 1), **_CUT),
    "cut_after_call": lambda name, n: _responses(_reasoned(n), _item(name, n), _reasoned(n + 1), **_CUT),
    "cut_in_call": lambda name, n: _responses(
        _reasoned(n), _item(name, n, arguments='{"path": "a', status="incomplete"), **_CUT
    ),
    "not_encrypted": lambda name, n: _responses(_reasoned(n, encrypted_content=None), _item(name, n)),
    "words": lambda name, n: _responses(_reasoned(n), _spoken(n)),
    "blank": lambda name, n: _responses(_spoken(n, "")),
    "nothing": lambda name, n: _responses(),
    "reasoning_alone": lambda name, n: _responses(_reasoned(n)),
    "refusal": lambda name, n: _responses(_spoken(n, content=[{"type": "refusal", "refusal": "No."}])),
    "filtered": lambda name, n: _responses(_reasoned(n), status="incomplete", reason="content_filter"),
    "unknown_item": lambda name, n: _responses({"id": f"ws_{n}", "type": "surprise_call"}, _spoken(n)),
    "unknown_field": lambda name, n: _responses(_reasoned(n), _item(name, n, created_by="x")),
    "odd_name": lambda name, n: _responses(_item("a.b c", n)),
}


def _gemini(*parts: Mapping[str, Any], finish: str = "STOP", generated: int | None = 15) -> CannedAnswer:
    usage = {"promptTokenCount": 120, "totalTokenCount": 120 + (generated or 0)}
    if generated is not None:
        usage["candidatesTokenCount"] = generated
    content = {"role": "model", **({"parts": list(parts)} if parts else {})}
    candidates = [{"content": content, "finishReason": finish, "index": 0}]
    body = {
        "candidates": candidates,
        "usageMetadata": usage,
        "modelVersion": "gemini-3-pro",
        "responseId": "g",
    }
    return reply(body)


def _part(name: str, number: int | None = None) -> dict[str, Any]:
    signed = {} if number is None else {"thoughtSignature": f"U0lH{number:04}"}
    return {"functionCall": {"name": name, "args": {}}, **signed}


GEMINI: Final[Mapping[str, Odd]] = {
    "call": lambda name, n: _gemini(_part(name, n)),
    "two_calls": lambda name, n: _gemini(_part(name, n), _part(name)),
    "call_after_words": lambda name, n: _gemini({"text": "So:"}, _part(name, n)),
    "call_after_thought": lambda name, n: _gemini({"text": "hm", "thought": True}, _part(name, n)),
    "call_cut": lambda name, n: _gemini(_part(name, n), finish="MAX_TOKENS", generated=1024),
    "thought_cut": lambda name, n: _gemini({"text": "hm", "thought": True}, finish="MAX_TOKENS"),
    "words": lambda name, n: _gemini({"text": "I think."}),
    "signed_words": lambda name, n: _gemini({"text": "So."}, {"text": "", "thoughtSignature": f"U0lH{n:04}"}),
    "blank": lambda name, n: _gemini({"text": ""}),
    "nothing": lambda name, n: _gemini(generated=3),
    "malformed": lambda name, n: _gemini(finish="MALFORMED_FUNCTION_CALL", generated=None),
    "filtered": lambda name, n: _gemini(finish="SAFETY"),
    "prompt_filtered": lambda name, n: reply(
        {
            "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
            "usageMetadata": {"promptTokenCount": 120, "totalTokenCount": 120},
            "modelVersion": "gemini-3-pro",
        }
    ),
    "odd_name": lambda name, n: _gemini(_part("a b", n)),
}


def _ollama(content: str = "", done: str = "stop", **message: Any) -> CannedAnswer:
    said = {"role": "assistant", "content": content, **message}
    body = {"model": "qwen3", "created_at": "2026-01-01T00:00:00Z", "message": said, "done": True}
    return reply({**body, "done_reason": done, "eval_count": 15})


OLLAMA: Final[Mapping[str, Odd]] = {
    "call": lambda name, n: _ollama(tool_calls=[{"function": {"name": name, "arguments": {}}}]),
    "two_calls": lambda name, n: _ollama(tool_calls=[{"function": {"name": name, "arguments": {}}}] * 2),
    "call_after_thought": lambda name, n: _ollama(
        thinking="hm", tool_calls=[{"function": {"name": name, "arguments": {}}}]
    ),
    "call_as_text": lambda name, n: _ollama(json.dumps({"name": name, "arguments": {}})),
    "words": lambda name, n: _ollama("I think."),
    "words_cut": lambda name, n: _ollama("I thi", done="length"),
    "thought_cut": lambda name, n: _ollama(done="length", thinking="hm"),
    "blank": lambda name, n: _ollama(),
    "odd_name": lambda name, n: _ollama(tool_calls=[{"function": {"name": "a.b c", "arguments": {}}}]),
}
