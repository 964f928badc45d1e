"""Answers that nobody expects: each is a reply, a fault with its class and its cost, and never a crash."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agents.routes.build import open_routes
from agents.routes.entry import RouteEntry
from tests.routes.conftest import KEY, QuickClock, RouteCaller, request
from tests.routes.server import CannedAnswer, chat, reply
from tests.routes.test_cases import CALL, SEALED
from tests.routes.test_transports import BLOCKS, anthropic, over_messages, over_responses, responses
from tournament.errors import ContextOverflow, Suspension

pytestmark = pytest.mark.asyncio(loop_scope="session")

LISTED = {"type": "tool_use", "id": "toolu_2", "name": "list_files", "input": {}}


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def failing(status: int, body: Any = None, **headers: str) -> CannedAnswer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return CannedAnswer(status=status, headers=named, body=json.dumps(body or {"error": "busy"}).encode())


@pytest.mark.parametrize(
    "more", [{"details": nested(100)}, {"details": nested(700)}, {"weight": float("inf")}]
)
async def test_a_message_that_cannot_be_kept_is_asked_for_again_and_may_have_been_paid(
    provider, call_route, more
):
    provider.answer_with(reply(chat({"content": "a", **more})), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: malformed_body", ""]
    provider.answer_with(reply(chat({"content": "a", **more}, usage=None)))
    again = call_route()
    with pytest.raises(Suspension, match="no reply in 5 attempts"):
        await again.complete()
    assert [attempt.cost_usd for attempt in again.attempts] == [None] * 5


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 10**24, "completion_tokens": 10, "total_tokens": 10**24 + 10},
        {"prompt_tokens": 10**400, "completion_tokens": 10**400, "total_tokens": 1},
        {"prompt_tokens": 5, "completion_tokens": 2**40, "total_tokens": 2**40},
        "a lot",
        [1, 2],
    ],
)
async def test_absurd_counts_are_unknown(provider, call_route, usage):
    provider.answer_with(reply(chat({"content": "a"}, usage=usage)))
    told = (await call_route(price={"input": 1.0, "output": 1.0}).complete()).usage
    assert (told.prompt is None, told.generated in (None, 10)) in {(True, True), (False, True)}
    assert all(count is None or count < 2**31 for count in (told.prompt, told.generated, told.cached))


@pytest.mark.parametrize(
    "field",
    [{"reasoning_content": ["hm"]}, {"images": [{"url": "x"}]}, {"annotations": "x"}, {"audio": 5}],
)
async def test_a_field_that_litellm_stumbles_over_costs_no_paid_reply(provider, call_route, field):
    provider.answer_with(reply(chat({"content": None, "tool_calls": [CALL], **field}, finish="tool_calls")))
    answer = await call_route().complete()
    assert (answer.finish, answer.usage.generated) == ("calls", 15)
    assert answer.message["tool_calls"] == [CALL]


async def test_an_error_that_is_null_is_none(provider, call_route):
    listed = {"content": [{"type": "text", "text": "done"}]}
    provider.answer_with(reply(chat(listed, error=None)))
    assert (await call_route().complete()).message["content"] == listed["content"]


async def test_a_message_speaks_as_the_assistant_whatever_it_calls_itself(provider, call_route):
    provider.answer_with(reply(chat({"content": "a", "role": "model"})))
    assert (await call_route().complete()).message["role"] == "assistant"


@pytest.mark.parametrize("part", ["args", "usageMetadata"])
async def test_gemini_may_leave_out_what_is_empty(provider, call_route, part):
    call = {"functionCall": {"name": "set_price", "args": {"price": 1}}}
    body = {
        "candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "gemini-2.5-pro",
    }
    if part == "args":
        del call["functionCall"]["args"]
    else:
        del body["usageMetadata"]
    provider.answer_with(reply(body))
    answer = await call_route(model="gemini/gemini-2.5-pro", api_base=provider.address).complete()
    assert answer.finish == "calls"
    assert answer.usage.prompt == (10 if part == "args" else None)
    assert answer.usage.generated == (5 if part == "args" else None)


async def test_what_has_no_type_is_left_out_of_what_goes_back(provider, call_route):
    provider.answer_with(anthropic({"text": "hi"}, LISTED))
    speech = over_messages(call_route, provider)
    answer = await speech.complete()
    result = {"role": "tool", "tool_call_id": "toolu_2", "content": "done"}
    await speech.complete({"role": "user", "content": "hi"}, answer.message, result)
    assert provider.requests[1]["messages"][1]["content"] == [LISTED]
    item = {"type": "function_call", "call_id": "c", "name": "list_files", "arguments": "{}"}
    provider.answer_with(responses({"id": "x", "foo": 1}, item))
    other = over_responses(call_route)
    said = await other.complete()
    await other.complete({"role": "user", "content": "hi"}, said.message)
    assert provider.requests[1]["input"][1:] == [item]


async def test_blank_texts_and_arguments_that_are_no_object_are_not_sent_back(provider, call_route):
    provider.answer_with(anthropic({"type": "text", "text": " \n"}, {**LISTED, "input": "price 1"}))
    speech = over_messages(call_route, provider)
    answer = await speech.complete()
    (call,) = answer.message["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == "price 1"
    function = {**call["function"], "arguments": '{"unreadable": "price 1"}'}
    mended = {**answer.message, "tool_calls": [{**call, "function": function}]}
    result = {"role": "tool", "tool_call_id": "toolu_2", "content": "not an object"}
    await speech.complete({"role": "user", "content": "hi"}, mended, result)
    assert provider.requests[1]["messages"][1]["content"] == [{**LISTED, "input": {"unreadable": "price 1"}}]


async def test_a_model_that_nests_its_arguments_is_told_so_and_stops_nobody(provider, call_route):
    provider.answer_with(anthropic({**LISTED, "input": {"path": nested(150)}}))
    answer = await over_messages(call_route, provider).complete()
    assert answer.finish == "calls"
    assert "nested deeper" in json.loads(answer.message["tool_calls"][0]["function"]["arguments"])


@pytest.mark.parametrize("code", ["\N{SUPERSCRIPT TWO}", "9" * 5000, -5, True, None, "429.5"])
async def test_an_error_code_that_is_no_status_is_the_servers_fault(provider, call_route, code):
    provider.answer_with(reply({"error": {"code": code, "message": "slow"}}), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: server_error", ""]


async def test_errors_and_pages_under_status_200_are_waited_out_like_any_outage(provider, call_route):
    limited = reply({"error": {"code": 429, "message": "rate limited"}})
    page = CannedAnswer(body=b"<html>back soon</html>")
    provider.answer_with(*[limited] * 8, *[page] * 4, SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert {attempt.cost_usd for attempt in speech.attempts[:8]} == {0.0}
    # Behind a page nobody knows whether a model had the request.
    assert {attempt.cost_usd for attempt in speech.attempts[8:-1]} == {None}


@pytest.mark.parametrize("header", ["0", "1", "-5", "Wed, 21 Oct 2015 07:28:00 GMT"])
async def test_a_short_retry_after_does_not_defeat_the_back_off(provider, call_route, header):
    waits = {}
    for named in (None, header):
        provider.answer_with(*[failing(503, **({"Retry_After": named} if named else {}))] * 12, SEALED)
        speech = call_route()
        await speech.complete()
        waits[named] = [attempt.wait_seconds for attempt in speech.attempts]
    assert all(one >= other for one, other in zip(waits[header], waits[None], strict=True))
    assert sum(waits[header]) > 100


async def test_no_wait_is_shorter_than_the_provider_asked_for(provider, call_route):
    provider.answer_with(*[failing(429, retry_after_ms="2500")] * 3, failing(429, Retry_After="40"), SEALED)
    speech = call_route()
    await speech.complete()
    waits = [attempt.wait_seconds for attempt in speech.attempts]
    assert min(waits[:3]) >= 2.5
    assert waits[3] >= 40


@pytest.mark.parametrize(
    "raw",
    [
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nX-Name: caf\xc3\xa9\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 20_000 + b"\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
async def test_malformed_http_is_transport_and_may_have_been_paid(provider, call_route, raw):
    provider.answer_with(CannedAnswer(raw=raw), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults[0].startswith("transport: ")
    assert speech.attempts[0].cost_usd is None


async def test_a_request_that_left_may_have_been_paid_and_one_that_did_not_has_not(provider, call_route):
    provider.answer_with(CannedAnswer(drop=True), failing(504), failing(502), SEALED)
    speech = call_route()
    await speech.complete()
    assert [attempt.cost_usd for attempt in speech.attempts[:3]] == [None, None, None]
    nobody = call_route(api_base="http://127.0.0.1:1/v1", limits={"retry": {"attempts": 1}})
    with pytest.raises(Suspension, match="no reply in 1 attempts") as refused:
        await nobody.complete()
    assert [attempt.cost_usd for attempt in nobody.attempts] == [0.0]
    assert "object at 0x" not in str(refused.value)


async def test_a_redirect_is_not_followed_and_is_a_wrong_address(provider, call_route):
    provider.answer_with(CannedAnswer(status=302, headers={"Location": "/elsewhere"}))
    with pytest.raises(Suspension, match="the address leads elsewhere") as stopped:
        await call_route().complete()
    assert stopped.value.kind == "configuration"
    assert len(provider.paths) == 1


async def test_a_refused_key_is_named_by_its_variable(provider, call_route):
    provider.answer_with(failing(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    with pytest.raises(
        Suspension, match="the key is the value of the environment variable CANARY_KEY"
    ) as stopped:
        await call_route().complete()
    assert KEY not in str(stopped.value)


async def test_a_fault_of_one_routes_settings_stops_that_route_alone(provider, tmp_path):
    clock = QuickClock()
    same = {"model": "openai/vendor/model-a", "api_base": f"{provider.address}/v1"}
    entries = [
        RouteEntry.model_validate({"id": name, **same, "limits": {"concurrent": 1, "group": "one"}})
        for name in ("bad", "good")
    ]
    routes = open_routes(entries, environment={}, folder=tmp_path, clock=clock)
    bad, good = RouteCaller(routes["bad"], clock), RouteCaller(routes["good"], clock)
    provider.answer_with(
        failing(400, {"error": {"code": "unsupported_value", "message": "temperature"}}), SEALED
    )
    asked = await asyncio.gather(*(bad.complete() for _ in range(4)), return_exceptions=True)
    assert {str(fault).partition(":")[0] for fault in asked} == {"route bad"}
    assert len(provider.requests) == 1, "the seats that waited behind the first ask no more"
    assert (await good.complete()).finish == "calls"
    assert bad.route.snapshot().stopped
    assert not good.route.snapshot().stopped


async def test_a_thinking_budget_is_lowered_with_the_ceiling_of_its_request(provider, call_route):
    provider.answer_with(anthropic(*BLOCKS))
    thinking = {"type": "enabled", "budget_tokens": 16_000}
    speech = call_route(
        model="anthropic/claude-sonnet-4-5",
        accepted=["claude-sonnet-5"],
        api_base=provider.address,
        transport="messages",
        params={"thinking": thinking},
        allow=["cut_prompts"],  # the canned answer counts the same few tokens whatever was sent
    )
    assert speech.route.least_ceiling == 2048
    for asked, budget in ((30_000, 16_000), (17_024, 16_000), (8304, 7280), (2048, 1024)):
        await speech.complete(max_tokens=asked)
        assert provider.requests[-1]["max_tokens"] == asked
        assert provider.requests[-1]["thinking"] == {**thinking, "budget_tokens": budget}


TOO_LONG = (
    "This model's maximum context length is 32768 tokens. However, you requested {total} tokens"
    " ({prompt} in the messages, {asked} in the completion). Please reduce the length."
)


async def test_a_ceiling_above_what_the_context_has_left_is_lowered_and_no_overflow(provider, call_route):
    refused = TOO_LONG.format(total=32_800, prompt=32_000, asked=800)
    provider.answer_with(failing(400, {"error": {"message": refused, "code": 400}}), SEALED)
    speech = call_route()
    assert (await speech.complete(max_tokens=800)).finish == "calls"
    assert [asked["max_tokens"] for asked in provider.requests] == [800, 768]
    assert speech.faults == ["overflow: context_window", ""]
    assert [attempt.cost_usd for attempt in speech.attempts[:1]] == [0.0]


async def test_where_the_server_did_not_count_the_prompt_the_ceiling_is_halved_until_it_fits(
    provider, call_route
):
    refused = (
        "This model's maximum context length is 32768 tokens. However, you requested 800 output tokens and"
        " your prompt contains at least 31969 input tokens, for a total of at least 32769 tokens."
    )
    answer = failing(400, {"error": {"message": refused, "code": 400}})
    provider.answer_with(answer, answer, SEALED)
    assert (await call_route().complete(max_tokens=800)).finish == "calls"
    assert [asked["max_tokens"] for asked in provider.requests] == [800, 400, 200]
    provider.answer_with(answer)
    with pytest.raises(ContextOverflow):
        await call_route().complete(max_tokens=800)
    assert provider.requests[-1]["max_tokens"] == 25


async def test_a_call_that_the_provider_could_not_read_is_the_models_reply(provider, call_route):
    error = {
        "message": "Failed to call a function.",
        "code": "tool_use_failed",
        "failed_generation": "<fn=x>{",
    }
    provider.answer_with(failing(400, {"error": error}))
    answer = await call_route().complete()
    assert (answer.finish, answer.message["content"]) == ("malformed_call", "")
    assert answer.usage.generated
    assert answer.usage.rule.startswith("estimated")


async def test_a_prompt_that_leaves_no_room_for_an_answer_is_an_overflow(provider, call_route):
    refused = TOO_LONG.format(total=33_560, prompt=32_760, asked=800)
    provider.answer_with(failing(400, {"error": {"message": refused, "code": 400}}))
    with pytest.raises(ContextOverflow):
        await call_route().complete(max_tokens=800)
    assert len(provider.requests) == 1


async def test_an_effort_that_becomes_a_budget_sets_the_least_ceiling(call_route):
    effort = {"reasoning_effort": "high"}
    assert call_route(model="anthropic/claude-sonnet-4-5", params=effort).route.least_ceiling == 4096 + 1024
    assert call_route(model="openai/gpt-5", params=effort).route.least_ceiling == 16


async def test_an_attempt_after_a_lost_answer_needs_leave(provider, call_route):
    provider.answer_with(CannedAnswer(drop=True), SEALED)
    speech = call_route()

    async def no_leave() -> None:
        raise Suspension("beyond the cap", kind="budget", route="vendor")

    with pytest.raises(Suspension, match="beyond the cap"):
        await speech.route.complete(
            request({"role": "user", "content": "hi"}), speech.attempts.append, no_leave
        )
    assert speech.faults == ["transport: connection"]
    assert len(provider.requests) == 1
