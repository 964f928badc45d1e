"""The field's faults that are a provider's, through the real litellm against a loopback server.

Each test is named by its case in `tests/cases/faults.jsonl` and says what a careful arena does with it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agents.routes.adapter.library import litellm
from agents.routes.adapter.reply import has_output
from tests.routes.conftest import KEY
from tests.routes.server import CannedAnswer, canned, chat, reply
from tournament.errors import ContextOverflow, Suspension

pytestmark = pytest.mark.asyncio(loop_scope="session")

CASES: Mapping[str, Any] = {
    case["id"]: case
    for case in map(
        json.loads, (Path(__file__).parent.parent / "cases" / "faults.jsonl").read_text().splitlines()
    )
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "set_price", "arguments": '{"price": 1}'}}
SEALED = reply(chat({"content": None, "tool_calls": [CALL]}, finish="tool_calls"))


def given(case: str, step: int | None = None) -> CannedAnswer:
    """Return the case's answer, or that of one of its steps."""
    found = CASES[case]["minimal_input"]
    return canned(found if step is None else found["steps"][step])


async def test_fin_01_calls_under_the_word_stop_are_calls(provider, call_route):
    provider.answer_with(given("FIN-01"))
    answer = await call_route().complete()
    assert answer.finish == "calls"
    assert answer.message["tool_calls"][0]["id"] == "call_1"


async def test_fin_03_a_reply_cut_by_length_says_so_though_it_holds_a_call(provider, call_route):
    provider.answer_with(given("FIN-03"))
    answer = await call_route().complete()
    assert answer.finish == "length"
    assert answer.usage.generated == 15
    assert answer.message["tool_calls"][0]["function"]["arguments"] == '{"note": "buy low, se'


async def test_fin_05_a_word_that_names_the_providers_error_is_asked_again(provider, call_route):
    provider.answer_with(given("FIN-05"), SEALED)
    speech = call_route()
    answer = await speech.complete()
    assert answer.finish == "calls"
    assert speech.faults == ["transport: provider_error", ""]


async def test_fin_07_a_malformed_call_that_cost_tokens_is_the_models(provider, call_route):
    provider.answer_with(given("FIN-07"))
    speech = call_route()
    answer = await speech.complete()
    assert (answer.finish, answer.usage.generated) == ("malformed_call", 40)
    assert speech.faults == [""]


async def test_fin_09_a_refusal_is_a_reply_named_as_one(provider, call_route):
    provider.answer_with(given("FIN-09"))
    speech = call_route()
    answer = await speech.complete()
    assert answer.finish == "refusal"
    assert answer.message["refusal"] == "I cannot help with that."
    assert speech.faults == [""]


async def test_shp_01_no_choices_are_no_reply_and_suspend_if_it_goes_on(provider, call_route):
    provider.answer_with(given("SHP-01"), SEALED)
    assert (await call_route().complete()).finish == "calls"
    provider.answer_with(given("SHP-01"))
    speech = call_route()
    with pytest.raises(Suspension, match="no_choices") as stopped:
        await speech.complete()
    assert stopped.value.kind == "transport"
    assert speech.faults == ["transport: no_choices"] * 5


async def test_shp_03_blank_without_tokens_is_asked_again_with_its_body_kept(provider, call_route):
    provider.answer_with(given("SHP-03"), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    blank = speech.attempts[0]
    assert blank.fault == "transport: blank"
    assert "resp-1" in blank.detail
    assert '"completion_tokens": 0' in blank.detail
    assert blank.cost_usd == pytest.approx(120 * 3 / 1e6)


async def test_shp_03_blank_with_tokens_is_a_reply(provider, call_route):
    provider.answer_with(reply(chat({"content": ""})))
    speech = call_route()
    answer = await speech.complete()
    assert (answer.finish, answer.usage.generated) == ("stop", 15)
    assert not has_output(answer.message)


async def test_shp_05_a_list_of_typed_parts_is_read_from_the_raw_body(provider, call_route):
    provider.answer_with(given("SHP-05"))
    speech = call_route()
    answer = await speech.complete()
    assert answer.message["content"][1] == {"type": "text", "text": "done"}
    assert answer.usage.generated == 15
    await speech.complete({"role": "user", "content": "hi"}, answer.message)
    assert provider.requests[1]["messages"][1]["content"] == answer.message["content"]


async def test_shp_05_an_answer_the_adapter_cannot_read_stops_at_once_and_may_have_been_paid(
    provider, call_route
):
    provider.answer_with(reply({"candidates": [{"content": {"parts": "what is this"}}], "modelVersion": "x"}))
    speech = call_route(model="gemini/gemini-2.5-pro", api_base=provider.address)
    with pytest.raises(Suspension, match="the adapter cannot read the provider's answer") as stopped:
        await speech.complete()
    assert stopped.value.kind == "harness"
    assert [attempt.cost_usd for attempt in speech.attempts] == [None]
    assert len(provider.requests) == 1


@pytest.mark.parametrize("body", [b"", b"[]", b"\n\n{", b'{"id": 1', b'"text"'])
async def test_shp_07_a_body_that_is_no_json_object_is_asked_again_at_unknown_cost(
    provider, call_route, body
):
    provider.answer_with(given("SHP-07"), CannedAnswer(body=body), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: malformed_body"] * 2 + [""]
    assert [attempt.cost_usd for attempt in speech.attempts[:2]] == [None, None]


async def test_shp_07_a_body_cut_on_the_wire_is_asked_again(provider, call_route):
    provider.answer_with(CannedAnswer(body=SEALED.body[:40], cut=True), CannedAnswer(drop=True), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: connection", "transport: connection", ""]


async def test_use_01_missing_usage_is_unknown_and_not_zero(provider, call_route):
    provider.answer_with(given("USE-01"))
    answer = await call_route().complete()
    assert (answer.usage.prompt, answer.usage.generated, answer.usage.rule) == (None, None, "missing")
    assert answer.cost_usd is None


async def test_use_01_zero_tokens_for_a_reply_that_speaks_are_unknown(provider, call_route):
    usage = {"prompt_tokens": 120, "completion_tokens": 0, "total_tokens": 120}
    provider.answer_with(reply(chat({"content": "hi"}, usage=usage)))
    assert (await call_route().complete()).usage.generated is None


async def test_use_01_negative_counts_are_unknown(provider, call_route):
    usage = {"prompt_tokens": 120, "completion_tokens": -4, "total_tokens": 116}
    provider.answer_with(reply(chat({"content": "hi"}, usage=usage)))
    assert (await call_route().complete()).usage.generated is None


async def test_use_03_reasoning_outside_the_completion_count_is_counted(provider, call_route):
    provider.answer_with(given("USE-03"))
    answer = await call_route().complete()
    assert answer.usage.generated == 712
    assert answer.usage.rule.startswith("total less prompt")


async def test_use_05_the_price_is_the_configured_models_whatever_the_reply_calls_itself(
    provider, call_route
):
    provider.answer_with(given("USE-05", 2))
    unknown = call_route(model="openai/totally-new", accepted=["gpt-4o"], price=None)
    answer = await unknown.complete()
    assert answer.cost_usd is None
    assert answer.usage.generated == 15
    known = call_route(model="openai/gpt-4o-mini", accepted=["gpt-4o"], price=None)
    assert (await known.complete()).cost_usd == pytest.approx((120 * 0.15 + 15 * 0.6) / 1e6)


async def test_rsn_01_thinking_goes_back_as_it_came(provider, call_route):
    provider.answer_with(given("RSN-01", 0))
    speech = call_route()
    answer = await speech.complete()
    await speech.complete(
        {"role": "user", "content": "hi"},
        answer.message,
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
    )
    came = CASES["RSN-01"]["minimal_input"]["steps"][0]["body"]["choices"][0]["message"]
    sent = provider.requests[1]["messages"][1]
    assert sent["thinking_blocks"] == came["thinking_blocks"]
    assert sent["tool_calls"] == came["tool_calls"]


async def test_rsn_01_a_conversation_the_provider_will_not_take_back_is_a_harness_fault(provider, call_route):
    step = CASES["RSN-01"]["minimal_input"]["steps"][2]
    provider.answer_with(
        CannedAnswer(status=400, body=json.dumps({"error": {"message": step["message"]}}).encode())
    )
    with pytest.raises(Suspension) as stopped:
        await call_route().complete()
    assert stopped.value.kind == "harness"


async def test_rsn_03_signatures_on_calls_go_back_as_they_came(provider, call_route):
    call = {**CALL, "provider_specific_fields": {"thought_signature": "U0lH"}}
    provider.answer_with(
        reply(chat({"content": None, "tool_calls": [call], "reasoning_details": [{"data": "E"}]}))
    )
    speech = call_route()
    answer = await speech.complete()
    await speech.complete({"role": "user", "content": "hi"}, answer.message)
    sent = provider.requests[1]["messages"][1]
    assert sent["tool_calls"] == [call]
    assert sent["reasoning_details"] == [{"data": "E"}]


async def test_prm_01_a_refused_parameter_stops_the_route(provider, call_route):
    provider.answer_with(given("PRM-01"))
    speech = call_route()
    with pytest.raises(Suspension, match="max_completion_tokens") as stopped:
        await speech.complete()
    assert stopped.value.kind == "configuration"
    assert len(provider.requests) == 1


async def test_prm_01_the_ceiling_goes_under_the_name_that_the_entry_says(provider, call_route):
    provider.answer_with(SEALED)
    await call_route(ceiling_param="max_completion_tokens", ceiling=300).complete(max_tokens=1000)
    assert provider.requests[0]["max_completion_tokens"] == 300
    assert "max_tokens" not in provider.requests[0]


async def test_prm_03_no_parameter_is_dropped_in_silence(provider, call_route):
    provider.answer_with(SEALED)
    with pytest.raises(Suspension, match="temperature") as stopped:
        await call_route(model="openai/gpt-5", params={"temperature": 0}).complete()
    assert stopped.value.kind == "configuration"
    assert provider.requests == []


async def test_err_01_spent_credit_is_no_reply_and_stops_the_route(provider, call_route):
    provider.answer_with(SEALED, given("ERR-01", 1))
    speech = call_route()
    await speech.complete()
    with pytest.raises(Suspension, match="Insufficient credits") as stopped:
        await speech.complete()
    assert stopped.value.kind == "configuration"
    with pytest.raises(Suspension, match="Insufficient credits"):
        await speech.complete()
    assert len(provider.requests) == 2, "a stopped route asks nothing more"


async def test_err_05_a_spent_quota_is_not_waited_for(provider, call_route):
    provider.answer_with(given("ERR-05"))
    speech = call_route()
    with pytest.raises(Suspension, match="quota used up") as stopped:
        await speech.complete()
    assert stopped.value.kind == "configuration"
    assert speech.clock.waits == []


@pytest.mark.parametrize(
    ("step", "least", "most"),
    [
        pytest.param(0, 900.0, 901.0, id="date days ahead"),
        pytest.param(1, 0.5, 1.5, id="fraction"),
        pytest.param(2, 0.0, 1.0, id="negative"),
        pytest.param(3, 0.0, 1.0, id="nan"),
        pytest.param(4, 900.0, 901.0, id="absurd"),
        pytest.param(5, 0.0, 1.0, id="date beyond time"),
    ],
)
async def test_err_07_retry_after_is_read_and_bounded(provider, call_route, step, least, most):
    provider.answer_with(given("ERR-07", step), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: rate_limit", ""]
    assert least <= speech.attempts[0].wait_seconds <= most


async def test_err_07_a_date_is_waited_for_and_the_wait_is_no_part_of_the_reply(provider, call_route):
    speech = call_route()
    speech.clock.time = 1_796_292_880.0  # twenty seconds before the case's date
    provider.answer_with(given("ERR-07", 0), SEALED)
    answer = await speech.complete()
    assert 20.0 <= speech.attempts[0].wait_seconds <= 21.0
    assert speech.attempts[0].until == pytest.approx(speech.attempts[0].wait_seconds + 1_796_292_880.0)
    assert answer.seconds == 0.0


async def test_err_09_an_html_page_under_504_is_asked_again(provider, call_route):
    provider.answer_with(given("ERR-09"), SEALED)
    speech = call_route()
    answer = await speech.complete()
    assert speech.faults == ["transport: gateway_timeout", ""]
    assert "504 Gateway Time-out" in speech.attempts[0].detail
    assert answer.seconds == 0.0


async def test_err_11_only_an_overflowing_context_is_the_models_doing(provider, call_route):
    overflow = {"error": {"message": "too long", "code": "context_length_exceeded"}}
    provider.answer_with(CannedAnswer(status=400, body=json.dumps(overflow).encode()))
    with pytest.raises(ContextOverflow, match="context_length_exceeded"):
        await call_route().complete()
    provider.answer_with(
        CannedAnswer(status=400, body=b'{"error": {"message": "could not parse the JSON body"}}')
    )
    with pytest.raises(Suspension) as stopped:
        await call_route().complete()
    assert stopped.value.kind == "harness"
    provider.answer_with(CannedAnswer(status=503, body=b"{}"), SEALED)
    assert (await call_route().complete()).finish == "calls"


async def test_err_13_a_lone_surrogate_is_mended_before_it_is_sent(provider, call_route):
    provider.answer_with(SEALED)
    await call_route().complete({"role": "user", "content": "price \ud83d up \U0001f600"})
    assert provider.requests[0]["messages"][0]["content"] == "price � up \U0001f600"


async def test_err_13_a_failure_without_a_request_is_ours_and_not_asked_again(provider, call_route):
    provider.answer_with(SEALED)
    speech = call_route(params={"response_format": {"type": "\ud83d"}}, options={"\ud83d": 1})
    with pytest.raises(Suspension, match="no request left the machine") as stopped:
        await speech.complete()
    assert stopped.value.kind == "harness"
    assert speech.faults == ["harness: not_sent"]
    assert provider.requests == []


async def test_tim_01_waits_for_a_rate_limit_are_told_before_and_counted_nowhere(provider, call_route):
    limited = CannedAnswer(status=429, headers={"Retry-After": "50"}, body=b'{"error": {"message": "slow"}}')
    provider.answer_with(limited, limited, SEALED)
    speech = call_route()
    answer = await speech.complete()
    assert [attempt.wait_seconds >= 50 for attempt in speech.attempts] == [True, True, False]
    assert sum(speech.clock.waits) >= 100
    assert answer.seconds == 0.0


async def test_tim_03_our_cancellation_stays_one_and_nothing_is_asked_again(provider, call_route):
    provider.answer_with(CannedAnswer(hold=30.0, body=SEALED.body))
    speech = call_route()
    asking = asyncio.create_task(speech.complete())
    await provider.was_called.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(provider.requests) == 1
    assert speech.attempts == []
    assert speech.route.snapshot().in_flight == 0


async def test_tim_03_a_library_that_makes_a_500_of_our_cancellation_does_not_deceive_us(
    call_route, monkeypatch
):
    library = litellm()
    asked: list[Any] = []
    waiting = asyncio.Event()

    async def stubborn(**said: Any) -> Any:
        asked.append(said)
        try:
            waiting.set()
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            raise library.APIError(500, "AzureException APIError", "azure", "m") from None

    monkeypatch.setattr(library, "acompletion", stubborn)
    speech = call_route()
    asking = asyncio.create_task(speech.complete())
    await waiting.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(asked) == 1
    assert speech.attempts == []


async def test_an_answer_that_never_ends_is_given_up_and_asked_again(provider, call_route):
    provider.answer_with(CannedAnswer(hold=5.0, body=SEALED.body), SEALED)
    speech = call_route(limits={"timeouts": {"total_seconds": 0.3}})
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: timeout", ""]
    assert speech.attempts[0].cost_usd is None


async def test_str_01_nothing_is_streamed_and_half_a_stream_is_no_reply(provider, call_route):
    chunks = CASES["STR-01"]["minimal_input"]["chunks"]
    half = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()
    provider.answer_with(CannedAnswer(headers={"Content-Type": "text/event-stream"}, body=half), SEALED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults == ["transport: malformed_body", ""]
    assert [asked["stream"] for asked in provider.requests] == [False, False]


async def test_par_01_parallel_calls_arrive_apart_because_nothing_is_streamed(provider, call_route):
    calls = [{**CALL, "id": "a"}, {**CALL, "id": "b"}]
    provider.answer_with(reply(chat({"content": None, "tool_calls": calls})))
    answer = await call_route().complete()
    assert [call["id"] for call in answer.message["tool_calls"]] == ["a", "b"]


async def test_ids_01_and_ids_03_ids_pass_untouched_doubles_and_kilobytes_alike(provider, call_route):
    long = CASES["IDS-03"]["minimal_input"]["steps"][0]["body"]["choices"][0]["message"]["tool_calls"][0]
    provider.answer_with(reply(chat({"content": None, "tool_calls": [CALL, CALL, long]})))
    speech = call_route()
    answer = await speech.complete()
    assert [call["id"] for call in answer.message["tool_calls"]] == ["call_1", "call_1", long["id"]]
    await speech.complete({"role": "user", "content": "hi"}, answer.message)
    assert provider.requests[1]["messages"][1]["tool_calls"][2]["id"] == long["id"]


async def test_res_11_the_same_prompt_is_asked_anew_each_time(provider, call_route):
    body = chat({"content": "hi"})
    provider.answer_with(*(reply({**body, "id": f"resp-{turn}"}) for turn in range(5)))
    speech = call_route()
    ids = [(await speech.complete()).response_id for _ in range(5)]
    assert ids == [f"resp-{turn}" for turn in range(5)]
    assert len(provider.requests) == 5


async def test_no_key_and_no_address_leaves_a_route(provider, call_route):
    quoted = {"error": {"message": f"bad key {KEY} (sk-cana...cdef) at {provider.address}/v1"}}
    provider.answer_with(
        CannedAnswer(status=500, body=json.dumps(quoted).encode()),
        CannedAnswer(status=401, body=json.dumps(quoted).encode()),
    )
    speech = call_route()
    with pytest.raises(Suspension) as stopped:
        await speech.complete()
    said = (
        repr(speech.attempts) + str(stopped.value) + repr(speech.route.snapshot()) + repr(speech.route.caller)
    )
    assert KEY not in said
    assert "127.0.0.1" not in said.replace(repr(speech.route.entry), "")
    assert "[hidden]" in said
    assert "[gateway]" in said
