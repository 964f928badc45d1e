"""Reasoning state survives each transport verbatim, and each provider's usage is read by its own rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.routes.server import CannedAnswer, chat, reply
from tournament.errors import IdentityMismatch, Suspension

pytestmark = pytest.mark.asyncio(loop_scope="session")

REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "RU5D"}
FUNCTION_CALL = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_9",
    "name": "set_price",
    "arguments": '{"price": 1}',
    "status": "completed",
}
SPEAKING = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "ok", "annotations": []}],
}
BLOCKS = [
    {"type": "thinking", "thinking": "hm", "signature": "U0lH"},
    {"type": "redacted_thinking", "data": "UkVE"},
    {"type": "text", "text": "ok"},
    {"type": "tool_use", "id": "toolu_1", "name": "set_price", "input": {"price": 1}},
]


def responses(*output: dict[str, Any], **said: Any) -> CannedAnswer:
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 12},
        "total_tokens": 30,
    }
    body = {
        "id": "resp_abc",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "gpt-5",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
        "error": None,
        "incomplete_details": None,
    }
    return reply({**body, **said})


def anthropic(*content: dict[str, Any], **said: Any) -> CannedAnswer:
    usage = {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 0,
    }
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5"}
    return reply({**body, "content": list(content), "stop_reason": "tool_use", "usage": usage, **said})


def over_responses(call_route: Any, **said: Any) -> Any:
    return call_route(
        model="openai/gpt-5", transport="responses", params={"reasoning": {"effort": "high"}}, **said
    )


def over_messages(call_route: Any, provider: Any, **said: Any) -> Any:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    model = "anthropic/claude-sonnet-5"
    return call_route(model=model, api_base=provider.address, transport="messages", params=thinking, **said)


def without_id(item):
    """Nothing is stored at the provider, so an id there says nothing; of texts, what the wire takes back."""
    kept = {name: value for name, value in item.items() if name != "id"}
    if item["type"] == "message":
        kept["content"] = [{"type": part["type"], "text": part["text"]} for part in item["content"]]
    return kept


async def test_encrypted_reasoning_items_go_back_as_they_came(provider, call_route):
    provider.answer_with(responses(REASONING, SPEAKING, FUNCTION_CALL))
    speech = over_responses(call_route)
    answer = await speech.complete({"role": "system", "content": "S"}, {"role": "user", "content": "hi"})
    assert answer.finish == "calls"
    assert answer.message["content"] == "ok"
    assert answer.message["tool_calls"] == [
        {"id": "call_9", "type": "function", "function": {"name": "set_price", "arguments": '{"price": 1}'}}
    ]
    assert (answer.usage.prompt, answer.usage.generated, answer.usage.reasoning) == (10, 20, 12)
    assert (answer.usage.cached, answer.response_id) == (4, "resp_abc")

    await speech.complete(
        {"role": "system", "content": "S"},
        {"role": "user", "content": "hi"},
        answer.message,
        {"role": "tool", "tool_call_id": "call_9", "content": "done"},
    )
    first, second = provider.requests
    assert provider.paths == ["/v1/responses"] * 2
    assert (first["store"], first["include"]) == (False, ["reasoning.encrypted_content"])
    assert (first["instructions"], first["max_output_tokens"]) == ("S", 1000)
    assert second["input"] == [
        {"role": "user", "content": "hi"},
        *map(without_id, (REASONING, SPEAKING, FUNCTION_CALL)),
        {"type": "function_call_output", "call_id": "call_9", "output": "done"},
    ]


async def test_what_the_harness_mends_in_a_call_is_mended_in_its_item(provider, call_route):
    provider.answer_with(responses(REASONING, {**FUNCTION_CALL, "name": "set_price\n"}))
    speech = over_responses(call_route)
    answer = await speech.complete()
    call = answer.message["tool_calls"][0]
    mended = {
        **answer.message,
        "tool_calls": [{**call, "function": {**call["function"], "name": "set_price"}}],
    }
    await speech.complete({"role": "user", "content": "hi"}, mended)
    assert provider.requests[1]["input"][2] == without_id(FUNCTION_CALL)


async def test_reasoning_that_nothing_followed_gives_way_to_the_harnesss_words(provider, call_route):
    provider.answer_with(responses(REASONING))
    speech = over_responses(call_route)
    answer = await speech.complete()
    blank = {**answer.message, "content": "(empty reply)"}
    await speech.complete({"role": "user", "content": "hi"}, blank, {"role": "user", "content": "again"})
    assert provider.requests[1]["input"][1:] == [
        {"role": "assistant", "content": "(empty reply)"},
        {"role": "user", "content": "again"},
    ]


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"output": [{**SPEAKING, "content": [{"type": "refusal", "refusal": "no"}]}]}, "refusal"),
        ({"output": [SPEAKING]}, "stop"),
    ],
)
async def test_responses_end_as_they_say(provider, call_route, said, finish):
    provider.answer_with(responses(REASONING, FUNCTION_CALL, **said))
    assert (await over_responses(call_route).complete()).finish == finish


async def test_a_response_that_failed_is_asked_again(provider, call_route):
    failed = responses(status="failed", error={"code": "server_error", "message": "sorry"}, usage=None)
    provider.answer_with(failed, responses(SPEAKING))
    speech = over_responses(call_route)
    assert (await speech.complete()).finish == "stop"
    assert speech.faults == ["transport: server_error", ""]


async def test_signed_thinking_goes_back_as_it_came(provider, call_route):
    provider.answer_with(anthropic(*BLOCKS))
    speech = over_messages(call_route, provider)
    answer = await speech.complete({"role": "system", "content": "S"}, {"role": "user", "content": "hi"})
    assert answer.finish == "calls"
    assert answer.message["reasoning_content"] == "hm"
    assert (answer.usage.prompt, answer.usage.generated, answer.usage.cached) == (15, 20, 5)

    await speech.complete(
        {"role": "system", "content": "S"},
        {"role": "user", "content": "hi"},
        answer.message,
        {"role": "tool", "tool_call_id": "toolu_1", "content": "done"},
        {"role": "user", "content": "go on"},
    )
    assert provider.paths == ["/v1/messages"] * 2
    sent = provider.requests[1]
    assert sent["system"] == [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}]
    assert sent["messages"][1] == {"role": "assistant", "content": BLOCKS}
    assert sent["messages"][2] == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"},
            {"type": "text", "text": "go on", "cache_control": {"type": "ephemeral"}},
        ],
    }


async def test_a_rejected_signature_is_not_stripped_and_asked_again_by_the_library(provider, call_route):
    message = "messages.1.content.0: Invalid `signature` in `thinking` block"
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    provider.answer_with(CannedAnswer(status=400, body=json.dumps(error).encode()), anthropic(*BLOCKS))
    speech = over_messages(call_route, provider)
    history = {"role": "assistant", "content": "ok", "content_blocks": BLOCKS[:3]}
    with pytest.raises(Suspension, match="signature") as stopped:
        await speech.complete({"role": "user", "content": "hi"}, history, {"role": "user", "content": "on"})
    assert stopped.value.kind == "harness"
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("word", "finish"),
    [("max_tokens", "length"), ("refusal", "refusal"), ("end_turn", "stop"), ("tool_use", "calls")],
)
async def test_messages_end_as_they_say(provider, call_route, word, finish):
    content = BLOCKS if word == "tool_use" else BLOCKS[:3]
    provider.answer_with(anthropic(*content, stop_reason=word))
    assert (await over_messages(call_route, provider).complete()).finish == finish


async def test_thinking_survives_chat_translation_to_anthropic_too(provider, call_route):
    provider.answer_with(anthropic(*BLOCKS))
    speech = call_route(
        model="anthropic/claude-sonnet-5",
        api_base=provider.address,
        params={"thinking": {"type": "enabled", "budget_tokens": 1024}},
    )
    answer = await speech.complete(max_tokens=5000)
    await speech.complete(
        {"role": "user", "content": "hi"},
        answer.message,
        {"role": "tool", "tool_call_id": "toolu_1", "content": "done"},
        max_tokens=5000,
    )
    assert provider.requests[1]["messages"][1]["content"] == BLOCKS


async def test_gemini_thoughts_are_counted_and_their_signature_goes_back(provider, call_route):
    parts = [{"functionCall": {"name": "set_price", "args": {"price": 1}}, "thoughtSignature": "VFNJRw=="}]
    body = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 10,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 7,
            "totalTokenCount": 22,
        },
        "modelVersion": "gemini-2.5-pro",
        "responseId": "gid",
    }
    provider.answer_with(reply(body))
    speech = call_route(model="gemini/gemini-2.5-pro", api_base=provider.address)
    answer = await speech.complete()
    assert (answer.finish, answer.usage.generated, answer.response_id) == ("calls", 12, "gid")
    call = answer.message["tool_calls"][0]
    await speech.complete(
        {"role": "user", "content": "hi"},
        answer.message,
        {"role": "tool", "tool_call_id": call["id"], "content": "ok"},
    )
    assert provider.requests[1]["contents"][1]["parts"][0]["thoughtSignature"] == "VFNJRw=="


async def test_gemini_names_its_malformed_calls(provider, call_route):
    body = {
        "candidates": [
            {"content": {"role": "model", "parts": []}, "finishReason": "MALFORMED_FUNCTION_CALL"}
        ],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 40, "totalTokenCount": 50},
        "modelVersion": "gemini-2.5-pro",
    }
    provider.answer_with(reply(body))
    answer = await call_route(model="gemini/gemini-2.5-pro", api_base=provider.address).complete()
    assert (answer.finish, answer.usage.generated) == ("malformed_call", 40)


async def test_ollama_is_asked_once_and_for_nothing_else(provider, call_route):
    body = {
        "model": "qwen3",
        "message": {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "set_price", "arguments": {"price": 1}}}],
        },
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 5,
    }
    provider.answer_with(reply(body))
    answer = await call_route(model="ollama_chat/qwen3", api_base=provider.address, key_env=None).complete()
    assert (answer.finish, answer.usage.prompt, answer.usage.generated) == ("calls", 10, 5)
    assert provider.paths == ["/api/chat"]
    assert provider.requests[0]["tools"][0]["function"]["name"] == "set_price"


async def test_bedrock_names_no_model_and_needs_the_operators_word_for_it(provider, call_route, monkeypatch):
    body = {
        "output": {"message": {"role": "assistant", "content": [{"text": "ok"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15},
        "metrics": {"latencyMs": 10},
    }
    provider.answer_with(reply(body))
    said = {
        "model": "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "api_base": provider.address,
        "settings": {"aws_region_name": "us-east-1"},
        "key_env": {"aws_access_key_id": "CANARY_KEY", "aws_secret_access_key": "CANARY_KEY"},
    }
    with pytest.raises(IdentityMismatch) as stopped:
        await call_route(**said).complete()
    assert stopped.value.reply.message["content"] == "ok", "the reply is kept, and not acted on"
    answer = await call_route(identity="unreported", **said).complete()
    assert (answer.model, answer.usage.generated) == ("", 5)


@pytest.mark.parametrize("model", ["vendor/model-b", None])
async def test_another_models_reply_is_kept_and_not_acted_on(provider, call_route, model):
    body = {**chat({"content": "hi"}), "model": model}
    provider.answer_with(reply(body))
    speech = call_route()
    with pytest.raises(IdentityMismatch, match="accepted: vendor/model-a") as stopped:
        await speech.complete()
    assert stopped.value.kind == "identity"
    assert stopped.value.reply.usage.generated == 15
    assert speech.faults == ["identity"]
    assert (
        (await call_route(accepted=["vendor/model-b"]).complete()).model == "vendor/model-b"
        if model
        else True
    )


@pytest.mark.parametrize(
    ("model", "transport"),
    [
        ("openai/vendor/model-a", "chat"),
        ("openai/gpt-5", "responses"),
        ("anthropic/claude-sonnet-5", "messages"),
        ("gemini/gemini-2.5-pro", "chat"),
        ("ollama_chat/qwen3", "chat"),
    ],
)
async def test_a_server_that_is_not_there_is_a_connection_fault_whoever_asks(call_route, model, transport):
    speech = call_route(
        model=model,
        transport=transport,
        api_base="http://127.0.0.1:9",
        limits={"retry": {"attempts": 2}},
    )
    with pytest.raises(Suspension, match="no reply in 2 attempts") as stopped:
        await speech.complete()
    assert stopped.value.kind == "transport"
    assert speech.faults == ["transport: connection"] * 2
    assert [attempt.cost_usd for attempt in speech.attempts] == [0.0, 0.0]
    assert "127.0.0.1" not in str(stopped.value)
