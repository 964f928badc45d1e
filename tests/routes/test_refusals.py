"""Providers' own refusals, word for word, and what each of them is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.routes.errors.classification import body_codes, body_message, context_room, failed_generation
from tests.routes.test_faults import error, verdict


def openrouter(raw: Any, code: int = 400) -> dict[str, Any]:
    metadata = {"raw": raw, "provider_name": "Vendor"}
    return {"error": {"message": "Provider returned error", "code": code, "metadata": metadata}}


CLAUDE_TOO_LONG = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "prompt is too long: 210000 tokens > 200000 maximum",
    },
}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(400, openrouter(json.dumps(CLAUDE_TOO_LONG)), id="OpenRouter: JSON of the provider as text"),
        pytest.param(400, openrouter(CLAUDE_TOO_LONG), id="OpenRouter: JSON of the provider"),
        pytest.param(400, openrouter("ERROR: prompt is too long: 1 tokens > 0"), id="OpenRouter: plain text"),
        pytest.param(413, openrouter(json.dumps(CLAUDE_TOO_LONG), 413), id="OpenRouter under 413"),
        pytest.param(400, openrouter(json.dumps(openrouter(json.dumps(CLAUDE_TOO_LONG)))), id="a gateway of a gateway"),
        pytest.param(
            400,
            error("Total tokens of image and text exceed max message tokens. Request id: 0217", code="InvalidParameter"),
            id="Ark",
        ),
        pytest.param(
            400,
            error("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"),
            id="Moonshot",
        ),
        pytest.param(400, error("Prompt exceeds max length", code="1261"), id="Zhipu"),
        pytest.param(422, {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096."
            " Given: 3000 `inputs` tokens and 2000 `max_new_tokens`", "error_type": "validation"}, id="TGI"),
        pytest.param(400, error("Input is too long for requested model."), id="Bedrock"),
        pytest.param(400, error("Input tokens exceed the configured limit of 272000 tokens."), id="OpenAI"),
        pytest.param(400, error("invalid params, context window exceeds limit (2013)"), id="MiniMax"),
        pytest.param(400, error(
            "The input (516368 tokens) is longer than the model's context length (262144 tokens)."), id="SGLang"),
        pytest.param(400, error(
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens."), id="xAI"),
        pytest.param(500, error("the request exceeds the available context size", type="server_error"), id="llama.cpp"),
        pytest.param(500, {"error": "prompt too long; exceeded max context length by 512 tokens"}, id="Ollama"),
        pytest.param(500, {"error": "the input length exceeds the context length"}, id="Ollama, embedding or chat"),
        pytest.param(500, error("x", type="exceed_context_size_error"), id="llama.cpp's code"),
    ],
)  # fmt: skip
def test_a_prompt_too_long_for_the_model_is_an_overflow_whoever_says_so(status, body):
    assert verdict(status, body)[0] == "overflow"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (502, "exceeded context limit of worker memory"),
        (502, "the request exceeds the available context size"),
        (504, "prompt is too long: 210000 tokens > 200000 maximum"),
        (503, "maximum context length is 8192 tokens"),
        (500, "exceeded context limit of worker memory"),
        (500, "CUDA out of memory while allocating for context size 32768"),
        (500, "request took too long"),
        (500, "context limit service unavailable"),
    ],
)
def test_an_outage_that_speaks_of_contexts_is_no_overflow(status, message):
    assert verdict(status, error(message))[0] == "transport"
    assert verdict(status, openrouter(message, status))[0] == "transport"


def test_an_overflows_code_under_a_gateways_status_is_the_gateways_trouble():
    assert verdict(502, error("x", code="context_length_exceeded")) == ("transport", "bad_gateway")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(400, error("Content Exists Risk", code="invalid_request_error"), id="DeepSeek"),
        pytest.param(400, error("x", code="InputTextSensitiveContentDetected"), id="Ark, input"),
        pytest.param(400, error("x", code="OutputTextSensitiveContentDetected"), id="Ark, output"),
        pytest.param(400, error("x", code="SensitiveContentDetected.SevereViolation"), id="Ark, severe"),
        pytest.param(400, error("x", code="SensitiveContentDetected"), id="Ark"),
        pytest.param(400, error("系统检测到输入内容可能包含不安全或敏感内容", code="1301"), id="Zhipu"),
        pytest.param(403, error(
            'anthropic/claude requires moderation on Vendor. Your input was flagged for "violence/graphic". No credits'
            " were charged.", code=403, metadata={"reasons": ["violence"], "flagged_input": "..."}), id="OpenRouter"),
        pytest.param(403, {
            "code": "The caller does not have permission to execute the specified operation",
            "error": "Content violates usage guidelines. Team: t, API key ID: k, Failed check: SAFETY_CHECK_TYPE_BIO",
        }, id="xAI"),
        pytest.param(400, error("Output blocked by content filtering policy"), id="Anthropic"),
        pytest.param(400, error(
            "Input data may contain inappropriate content.", code="data_inspection_failed"), id="Alibaba"),
        pytest.param(400, error(
            "The request was rejected because it was considered high risk", type="content_filter"), id="Moonshot"),
        pytest.param(400, openrouter('{"error":{"message":"Content Exists Risk"}}'), id="DeepSeek behind OpenRouter"),
    ],
)  # fmt: skip
def test_a_filtered_prompt_stops_neither_the_world_nor_the_route(status, body):
    assert verdict(status, body)[0] == "content_filter"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, "Your account has been suspended for violating our usage policy"),
        (400, "This organization has been disabled."),
        (403, "You do not have permission to use this model"),
        (404, "No endpoints found matching your data policy"),
    ],
)
def test_a_forbidden_account_is_no_filtered_prompt(status, message):
    assert verdict(status, error(message))[0] == "configuration"


OPENAI_SPENT = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this"
    " error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
)
ALIBABA_BUSY = (
    "You exceeded your current quota, please check your plan and billing details. For details, see:"
    " https://help.aliyun.com/zh/model-studio/error-code#token-limit"
)


def test_one_code_and_one_sentence_are_a_spent_account_at_openai_and_a_passing_limit_at_alibaba():
    def said(message):
        return error(message, type="insufficient_quota", code="insufficient_quota")

    assert verdict(429, said(OPENAI_SPENT)) == ("configuration", "insufficient_quota")
    assert verdict(429, error(OPENAI_SPENT)) == ("configuration", "quota")
    assert verdict(429, said(ALIBABA_BUSY)) == ("transport", "rate_limit")
    assert verdict(429, error(ALIBABA_BUSY)) == ("transport", "rate_limit")
    assert verdict(429, openrouter(json.dumps(said(ALIBABA_BUSY)), 429)) == ("transport", "rate_limit")
    assert verdict(429, said("Allocated quota exceeded, please increase your quota limit."))[0] == "transport"
    assert verdict(429, said("Free allocated quota exceeded."))[0] == "configuration"


def test_a_quota_with_no_word_of_bills_is_waited_for():
    assert verdict(429, error("You exceeded your current quota", code="insufficient_quota"))[0] == "transport"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(429, {
            "code": "Some resource has been exhausted",
            "error": "Your team t has either used all available credits or reached its monthly spending limit. To"
            " continue making API requests, please purchase more credits or raise your spending limit.",
        }, id="xAI"),
        pytest.param(400, error(
            "You have reached your specified API usage limits. You will regain access on 2026-01-01 at 00:00 UTC.",
            type="invalid_request_error"), id="Anthropic"),
        pytest.param(429, error(
            "Your account [1] has reached the set inference limit for the [m] model, and the model service has been"
            " paused.", code="SetLimitExceeded", type="TooManyRequests"), id="Ark"),
        pytest.param(429, error(
            "Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your"
            " project and billing.", code=429, status="RESOURCE_EXHAUSTED"), id="Gemini"),
        pytest.param(429, error(
            "You exceeded your current token quota", type="exceeded_current_quota_error"), id="Moonshot"),
        pytest.param(400, error(
            "User location is not supported for the API use.", status="FAILED_PRECONDITION"), id="Gemini, region"),
        pytest.param(400, {
            "message": "Invocation of model ID m with on-demand throughput isn’t supported. Retry your request with"
            " the ID or ARN of an inference profile that contains this model.",
        }, id="Bedrock, profile"),
        pytest.param(400, {"message": "The provided model identifier is invalid."}, id="Bedrock, name"),
        pytest.param(500, error("no quota", code="insufficient_user_quota"), id="a gateway's own account"),
    ],
)  # fmt: skip
def test_what_only_the_operator_can_mend_stops_the_route(status, body):
    assert verdict(status, body)[0] == "configuration"


def test_a_request_above_the_rate_limit_stops_and_a_burst_waits():
    above = "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 34307."
    burst = "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000."
    limit = {"type": "tokens", "code": "rate_limit_exceeded"}
    assert verdict(429, error(above, **limit)) == ("configuration", "request_above_rate_limit")
    assert verdict(413, error(above, **limit)) == ("configuration", "request_above_rate_limit")
    assert verdict(429, error(burst, **limit)) == ("transport", "rate_limit")
    assert verdict(400, error(burst, **limit))[0] == "transport"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(499, error("The operation was cancelled.", status="CANCELLED"), id="Google"),
        pytest.param(498, error("Flex tier capacity exceeded", code="capacity_exceeded"), id="Groq"),
        pytest.param(424, {"message": "The system encountered an unexpected error during processing."}, id="Bedrock"),
        pytest.param(400, error("Overloaded", type="overloaded_error"), id="overloaded_error"),
        pytest.param(400, error("The server had an error", type="server_error"), id="server_error"),
        pytest.param(400, error("Too many", type="rate_limit_error"), id="rate_limit_error"),
        pytest.param(400, error("try again", type="engine_overloaded_error"), id="engine_overloaded"),
        pytest.param(400, {"__type": "com.amazon.coral.service#ThrottlingException"}, id="AWS"),
        pytest.param(400, error("x", type="internal_server_error"), id="internal"),
        pytest.param(400, error("The engine is currently overloaded, please try again later"), id="words alone"),
        pytest.param(429, error(
            "Usage limit reached for 5 hour. Your limit will reset at 2026-01-01 00:00:00", code="1308"), id="Zhipu"),
        pytest.param(503, error("No available channel for model m", code="model_not_found"), id="a gateway's model"),
        pytest.param(500, error("x", type="not_found_error"), id="not_found_error"),
        pytest.param(502, error("x", code="access_denied"), id="access_denied"),
        pytest.param(503, error("x", type="permission_error"), id="permission_error"),
    ],
)  # fmt: skip
def test_trouble_on_the_way_is_waited_for_under_whatever_status_and_name(status, body):
    assert verdict(status, body)[0] == "transport"


GROQ_FAILED = error(
    "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    type="invalid_request_error",
    code="tool_use_failed",
    failed_generation='<function=set_price>{"price": 1</function>',
)


def test_a_call_that_the_server_could_not_read_is_the_models_own():
    assert verdict(400, GROQ_FAILED) == ("malformed_call", "tool_use_failed")
    assert failed_generation(GROQ_FAILED) == '<function=set_price>{"price": 1</function>'
    assert verdict(400, openrouter(json.dumps(GROQ_FAILED))) == ("malformed_call", "tool_use_failed")
    assert failed_generation(openrouter(json.dumps(GROQ_FAILED))).startswith("<function=")
    without_code = error(
        "tool call validation failed: attempted to call tool 'x' which was not in request.tools"
    )
    assert verdict(400, without_code)[0] == "malformed_call"
    assert failed_generation(without_code) == ""


ROOMS = {
    "OpenAI, DeepSeek, older vLLM": (
        "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (7232 in the"
        " messages, 32768 in the completion). Please reduce the length of the messages or completion.", 25536),
    "OpenAI with functions": (
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (4000 in the messages,"
        " 1000 in the functions, and 4000 in the completion).", 3192),
    "OpenAI, completions": (
        "This model's maximum context length is 4097 tokens, however you requested 4226 tokens (3970 in your prompt;"
        " 256 for the completion). Please reduce your prompt; or completion length.", 127),
    "OpenRouter": (
        "This endpoint's maximum context length is 200000 tokens. However, you requested about 250000 tokens (200000 of"
        " text input, 20000 of tool input, 30000 in the output).", 0),
    "newer vLLM": (
        "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 32768"
        " tokens and your request has 7000 input tokens (32768 > 32768 - 7000). None", 25768),
    "vLLM that counts on": (
        "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your"
        " prompt contains 63000 input tokens, for a total of 128535 tokens.", 65000),
    "SGLang": (
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of"
        " 70000 tokens: 6000 tokens from the input messages and 64000 tokens for the completion.", 26768),
    "Anthropic": (
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or"
        " `max_tokens` and try again", 10000),
    "TGI, Together": (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and"
        " 2000 `max_new_tokens`", 1096),
    "thousands": (
        "This model's maximum context length is 32,768 tokens and your request has 7,000 input tokens", 25768),
}  # fmt: skip


@pytest.mark.parametrize(("message", "room"), ROOMS.values(), ids=ROOMS)
def test_a_refusal_of_prompt_and_completion_together_tells_what_is_left(message, room):
    assert context_room(message) == room
    assert context_room(body_message(openrouter(json.dumps(error(message))))) == room
    assert verdict(400, error(message))[0] == "overflow"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your"
        " prompt contains at least 62466 input tokens, for a total of at least 128001 tokens.",
        "Requested token count exceeds the model's maximum context length of 131072 tokens.",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
    ],
)
def test_a_refusal_that_does_not_tell_both_leaves_the_room_unknown(message):
    assert context_room(message) is None


@given(st.text())
def test_no_text_breaks_the_room(text):
    room = context_room(f"exceed context limit: {text} + 1 > {text}")
    assert room is None or room >= 0


def test_what_a_gateway_passes_on_is_read_however_it_is_packed():
    passed = openrouter(json.dumps({"error": {"message": "m", "code": "C"}}))
    assert body_message(passed) == "Provider returned error: m"
    assert body_codes(passed) == {"c"}
    assert body_message(openrouter("[" * 100_000)).startswith("Provider returned error: [")
    assert body_message(openrouter("12")) == "Provider returned error: 12"
    assert body_message(openrouter("")) == body_message(openrouter(None)) == "Provider returned error"
