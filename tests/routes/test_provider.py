"""The mock provider over real HTTP: every fault on demand, and what a route makes of it through litellm."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from agents.routes.build import open_routes
from agents.routes.entry import RouteEntry
from agents.routes.mock.faults import BEHAVIOUR, PASSING, WIRE, draw_fault, parse_faults
from agents.routes.mock.model import body_hash
from agents.routes.mock.provider import MockProvider, ProviderSettings
from agents.routes.probe import probe
from tests.routes.conftest import QuickClock, RouteCaller
from tournament.errors import ContextOverflow, IdentityMismatch, InputError, Suspension

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = [
    {"when": {"reply": 1}, "calls": [{"name": "set_price", "arguments": {"price": 3}}]},
    {"text": "that is all"},
]


@pytest.fixture
async def serve(tmp_path: Any) -> AsyncIterator[Any]:
    """Start a provider that plays the script under these faults, and a route to it."""
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    running: list[MockProvider] = []

    async def start(faults: str = "", **said: Any) -> tuple[MockProvider, RouteCaller]:
        settings = ProviderSettings(
            models=("mock-script",), script=tmp_path / "script.json", faults=parse_faults(faults), **said
        )
        clock = QuickClock()
        provider = MockProvider(settings, clock)
        await provider.start()
        running.append(provider)
        entry = RouteEntry.model_validate(
            {
                "id": "m",
                "model": "openai/mock-script",
                "api_base": provider.address,
                "price": {"input": 1.0, "output": 1.0},
            }
        )
        return provider, RouteCaller(
            open_routes([entry], environment={}, folder=tmp_path, clock=clock)["m"], clock
        )

    yield start
    for provider in running:
        await provider.stop()


async def test_a_script_answers_by_the_conversation(serve):
    _, speech = await serve()
    first = await speech.complete()
    assert first.message["tool_calls"][0]["function"]["arguments"] == '{"price": 3}'
    second = await speech.complete({"role": "user", "content": "hi"}, first.message)
    assert (second.finish, second.message["content"]) == ("stop", "that is all")


async def test_the_same_request_is_answered_alike_and_another_seed_only_by_other_ids(serve):
    _, speech = await serve()
    _, other = await serve(seed=5)
    one, again, elsewhere = await speech.complete(), await speech.complete(), await other.complete()
    assert one.message == again.message
    assert one.response_id == again.response_id != elsewhere.response_id


MENDED = (
    *PASSING,
    *("html_body", "slow", "rate_limit_bare", "rate_limit_past", "rate_limit_negative", "rate_limit_nan"),
    *("rate_limit_absurd", "rate_limit_date"),
)
FINAL = {
    "quota": "configuration",
    "payment": "configuration",
    "unauthorized": "configuration",
    "forbidden": "configuration",
    "unknown_model": "configuration",
    "unsupported_parameter": "configuration",
    "bad_request": "harness",
    "wrong_model": "identity",
    "no_model": "identity",
}
OWN = {
    "no_content": ("calls", True),
    "raw_newline": ("calls", True),
    "bad_bytes": ("calls", True),
    "ceiling": ("length", True),
    "null_message": ("content_filter", True),
    "length": ("length", True),
    "list_content": ("calls", True),
    "malformed_call": ("malformed_call", True),
    "refusal": ("refusal", True),
    "filtered": ("content_filter", True),
    "content_filter": ("content_filter", True),
    "text_call": ("stop", True),
    "finish_null": ("calls", True),
    "finish_stop": ("calls", True),
    "no_usage": ("calls", False),
    "zero_usage": ("calls", False),
    "negative_usage": ("calls", False),
    "reasoning_outside": ("calls", True),
}


async def test_every_fault_is_played_here():
    assert {*MENDED, *FINAL, *OWN, "context_overflow", "too_large"} == {*WIRE, *BEHAVIOUR}


@pytest.mark.parametrize("fault", MENDED)
async def test_a_passing_fault_is_asked_again_and_then_forgotten(serve, fault):
    provider, speech = await serve(f"{fault}@1")
    answer = await speech.complete()
    assert answer.finish == "calls"
    assert len(speech.attempts) == (1 if fault == "slow" else 2)
    assert all(attempt.fault.startswith("transport: ") for attempt in speech.attempts[:-1])
    assert provider.account.facts()["replies"] == 1


@pytest.mark.parametrize(("fault", "kind"), FINAL.items())
async def test_what_asking_again_does_not_mend_is_asked_once(serve, fault, kind):
    provider, speech = await serve(fault)
    with pytest.raises(Suspension) as stopped:
        await speech.complete()
    assert stopped.value.kind == kind
    assert isinstance(stopped.value, IdentityMismatch) == (kind == "identity")
    assert provider.account.facts()["requests"] == 1


@pytest.mark.parametrize("fault", OWN)
async def test_what_is_the_models_own_is_a_reply(serve, fault):
    finish, known = OWN[fault]
    _, speech = await serve(fault)
    answer = await speech.complete()
    assert answer.finish == finish
    assert (answer.usage.generated is not None) == known
    assert speech.faults == [""] or fault == "content_filter"


async def test_a_proxys_limit_of_bytes_is_waited_out_within_bounds_and_never_an_overflow(serve):
    provider, speech = await serve("too_large")
    with pytest.raises(Suspension) as stopped:
        await speech.complete()
    assert (stopped.value.kind, type(stopped.value)) == ("transport", Suspension)
    assert 1 < provider.account.facts()["requests"] == len(speech.attempts)


async def test_reasoning_outside_the_count_costs_what_it_costs_inside(serve):
    _, plain = await serve()
    _, outside = await serve("reasoning_outside")
    assert (await plain.complete()).usage.generated == (await outside.complete()).usage.generated


async def test_an_overflow_is_the_models_own_end(serve):
    _, speech = await serve("context_overflow")
    with pytest.raises(ContextOverflow):
        await speech.complete()


async def test_a_rate_limit_of_the_server_is_obeyed_and_everything_answered(serve):
    provider, speech = await serve(rate_limit=60)
    for turn in range(9):
        await speech.complete({"role": "user", "content": f"turn {turn}"})
    assert provider.account.facts()["replies"] == 9
    assert provider.account.facts()["faults"]["rate_limited"] > 0


async def test_streams_carry_the_same_reply_and_may_break_off(serve):
    provider, _ = await serve()
    asked = {"model": "mock-script", "messages": [{"role": "user", "content": "hi"}]}
    async with httpx.AsyncClient(trust_env=False) as client:
        whole = (await client.post(f"{provider.address}/chat/completions", json=asked)).json()
        streamed = await client.post(f"{provider.address}/chat/completions", json={**asked, "stream": True})
    events = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: {")]
    assert streamed.text.endswith("data: [DONE]\n\n")
    assert (
        events[1]["choices"][0]["delta"]["tool_calls"][0]["function"]
        == (whole["choices"][0]["message"]["tool_calls"][0]["function"])
    )
    assert events[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert events[-1]["usage"]["completion_tokens"] > 0
    broken, _ = await serve("cut_body")
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(f"{broken.address}/chat/completions", json={**asked, "stream": True})


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("GET", "/v1/models", None, 200),
        ("GET", "/account", None, 200),
        ("GET", "/totals", None, 200),
        ("POST", "/v1/embeddings", b"{}", 404),
        ("POST", "/v1/chat/completions", b"no json", 400),
        ("POST", "/v1/chat/completions", b"[]", 400),
        ("POST", "/v1/chat/completions", b'{"model": "gpt-4o", "messages": []}', 404),
        ("POST", "/v1/chat/completions", b'{"model": "mock-script"}', 404),
    ],
)
async def test_every_request_gets_an_answer(serve, method, path, content, status):
    provider, _ = await serve()
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.request(method, provider.address.removesuffix("/v1") + path, content=content)
    assert answer.status_code == status
    assert answer.json()


@pytest.mark.parametrize(
    "text", ["2", "-0.1", "nan", "unheard_of", "drop:x", "drop:1:1", "drop@", "0.1:drop"]
)
async def test_a_list_of_faults_that_is_none_is_refused(text):
    with pytest.raises(InputError):
        parse_faults(text)


async def test_faults_of_the_wire_change_with_the_attempt_and_those_of_behaviour_do_not():
    keys = [body_hash({"n": n}) for n in range(400)]
    wire = [
        [draw_fault(parse_faults("0.2"), key=key, seed=1, attempt=attempt) for attempt in (1, 2)]
        for key in keys
    ]
    assert 40 < sum(first is not None for first, _ in wire) < 120
    assert sum(first is not None and second is not None for first, second in wire) < 40
    own = [
        [draw_fault(parse_faults("refusal:0.2"), key=key, seed=1, attempt=attempt) for attempt in (1, 2)]
        for key in keys
    ]
    assert all(first == second for first, second in own)
    assert 40 < sum(first is not None for first, _ in own) < 120


async def test_a_probe_reports_what_a_route_does(serve):
    _, sound = await serve()
    report = await probe(sound.route)
    assert (report.passed, report.calls_tools, report.returned, report.accepted) == (
        True,
        True,
        "mock-script",
        True,
    )
    assert report.usage_rule == "completion"
    assert report.cost_usd is not None
    _, foreign = await serve("wrong_model")
    report = await probe(foreign.route)
    assert (report.passed, report.returned, report.accepted) == (False, "another-model", False)
    _, mute = await serve("text_call")
    assert (await probe(mute.route)).fault == "it wrote its tool call as text"
    _, locked = await serve("unauthorized")
    assert (await probe(locked.route)).fault.startswith("configuration: invalid_api_key")
