"""Provider bodies bent at drawn places, over all five wires through the real route: nothing escapes as a crash.

Whatever a body becomes, the route answers with a reply or one of its own faults; and what the field
reported of answers, payments and statuses is decided as the cases say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from agents.routes.adapter.body import decode
from agents.routes.build import open_routes
from agents.routes.entry import RouteEntry
from tests.routes.conftest import KEY, QuickClock, RouteCaller
from tests.routes.server import CannedAnswer, Provider, canned, chat, reply
from tests.strict.page import cases
from tests.strict.test_field_cases import WIRES
from tests.strict.test_histories import entry
from tournament import seal
from tournament.errors import ContextOverflow, Suspension

pytestmark = pytest.mark.asyncio(loop_scope="session")

BENT: Final[tuple[Any, ...]] = (
    None,
    [],
    {},
    [[]],
    {"a": 1},
    "",
    "x",
    -1,
    1.5,
    True,
    10**30,
    "\ud800",
    [None],
)
CASES: Final = {case["id"]: case["minimal_input"] for case in cases()}
FUZZED = ("openai", "messages", "responses", "gemini", "ollama")
CALL = {"id": "call_1", "type": "function", "function": {"name": "set_price", "arguments": '{"price": 1}'}}
CALLED = reply(chat({"content": None, "tool_calls": [CALL]}, finish="tool_calls"))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything inside a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def bent(value: Any, path: tuple[Any, ...], put: Any) -> Any:
    """Return the value with something else at one place."""
    if not path:
        return put
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = bent(value[path[0]], path[1:], put)
    return copy


def mutations(name: str, count: int) -> Iterator[Any]:
    """Draw bodies by name: one of the wire's odd answers, bent at one or two places."""
    answers = WIRES[name][1]
    kinds = sorted(answers)
    for number in range(count):
        digits = seal.digest([name, number])
        drawn = [int(digits[at : at + 6], 16) for at in range(0, 36, 6)]
        body = json.loads(answers[kinds[drawn[0] % len(kinds)]]("set_price", 1).body)
        for at in range(1 + drawn[1] % 2):
            paths = list(places(body))[1:]
            body = bent(body, paths[drawn[2 + at] % len(paths)], BENT[drawn[4 + at] % len(BENT)])
            if not isinstance(body, (dict, list)):
                break
        yield body


def caller(name: str, provider: Provider, folder: Path, **more: Any) -> RouteCaller:
    given = RouteEntry.model_validate({**entry(name, provider.address), **more})
    clock = QuickClock()
    routes = open_routes([given], environment={"K": KEY}, folder=folder, clock=clock)
    return RouteCaller(routes["scripted"], clock)


async def outcome(speech: RouteCaller) -> str:
    try:
        return f"reply: {(await speech.complete()).finish}"
    except ContextOverflow:
        return "overflow"
    except Suspension as fault:
        return f"suspended: {fault.kind}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FUZZED)
async def test_no_bent_body_escapes_the_route(provider: Provider, name: str, tmp_path: Path) -> None:
    for body in mutations(name, 300):
        provider.answer_with(reply(body))
        limits = {"retry": {"attempts": 1}}
        said = await outcome(caller(name, provider, tmp_path, limits=limits))
        assert said.startswith(("reply", "overflow", "suspended")), body


@pytest.mark.parametrize("name", FUZZED)
@pytest.mark.parametrize("word", [[], {}, ["stop"], {"a": 1}, 7])
async def test_a_finish_word_or_status_of_another_type_is_no_crash(
    provider: Provider, name: str, word: Any, tmp_path: Path
) -> None:
    body = json.loads(WIRES[name][1]["words"]("set_price", 1).body)
    for path in list(places(body)):
        if path and path[-1] in ("finish_reason", "finishReason", "stop_reason", "status", "done_reason"):
            provider.answer_with(reply(bent(body, path, word)))
            said = await outcome(caller(name, provider, tmp_path, limits={"retry": {"attempts": 1}}))
            assert said.startswith(("reply", "suspended")), path


@pytest.mark.parametrize(
    ("body", "value", "mended"),
    [
        (b'{"a": 1}', {"a": 1}, ""),
        (b'{"a": "x\ny"}', {"a": "x\ny"}, "a control character"),
        (b'{"a": "x\xff"}', {"a": "x\ufffd"}, "a byte that is no UTF-8"),
        (b'{"a": 1}data: [DONE]', {"a": 1}, "text behind the answer"),
        (b'{"a": ', None, ""),
        (b"[" * 100_000, None, ""),
        (b"<html>", None, ""),
        (b"", None, ""),
    ],
)
async def test_any_bytes_are_decoded_and_what_was_mended_is_said(
    body: bytes, value: Any, mended: str
) -> None:
    assert (decode(body).value, decode(body).mended) == (value, mended)


async def test_a_raw_newline_or_a_bad_byte_loses_no_reply(provider, call_route):
    for bad in (b"line\nbreak", b"byte \xff"):
        body = reply(chat({"content": "HERE"})).body.replace(b"HERE", bad)
        provider.answer_with(CannedAnswer(headers={"Content-Type": "application/json"}, body=body))
        speech = call_route()
        answer = await speech.complete()
        assert (answer.finish, answer.usage.generated) == ("stop", 15)
        assert "the body was mended" in answer.usage.rule
        assert answer.cost_usd is not None


@pytest.mark.parametrize("name", FUZZED)
async def test_what_stops_at_the_ceiling_sent_is_cut_whatever_word_it_ends_in(
    provider: Provider, name: str, tmp_path: Path
) -> None:
    """ANS-03, ANS-15: nothing of it may run."""
    provider.answer_with(WIRES[name][1]["call"]("set_price", 1))
    speech = caller(name, provider, tmp_path, params={})
    assert (await speech.complete(max_tokens=15 + 1)).finish == "calls"
    body = json.loads(WIRES[name][1]["call"]("set_price", 1).body)
    text = json.dumps(body).replace(": 15", ": 16").replace(": 135", ": 136")
    provider.answer_with(CannedAnswer(headers={"Content-Type": "application/json"}, body=text.encode()))
    assert (await speech.complete(max_tokens=16)).finish == "length"


async def test_an_error_inside_the_choice_is_no_answer_and_is_asked_again(provider, call_route):
    for finish in ("stop", None):
        body = chat({"content": None, "tool_calls": [CALL]}, finish=finish)
        body["choices"][0]["error"] = {"code": 502, "message": "upstream lost"}
        provider.answer_with(reply(body), CALLED)
        speech = call_route()
        assert (await speech.complete()).finish == "calls"
        assert speech.faults == ["transport: provider_error", ""]


async def test_a_filtered_null_message_is_one_counted_reply_at_its_known_cost(provider, call_route):
    body = chat({}, finish="content_filter: PROHIBITED_CONTENT")
    body["choices"][0]["message"] = None
    body["usage"] = {"prompt_tokens": 120, "completion_tokens": 0, "total_tokens": 120}
    provider.answer_with(reply(body))
    speech = call_route()
    answer = await speech.complete()
    assert (answer.finish, speech.faults) == ("content_filter", [""])
    assert answer.cost_usd == pytest.approx(120 * 3 / 1e6)


ANSWERS: Final = {
    "ANS-01": "suspended: transport",
    "ANS-02": "suspended: transport",
    "ANS-04": "reply: malformed_call",
    "ANS-08": "reply: content_filter",
    "ANS-09": "reply: refusal",
    "ANS-13": "reply: content_filter",
    "ANS-14": "reply: length",
    "STA-08": "suspended: transport",
    "ANS-05": "reply: malformed_call",
    "ANS-06": "reply: content_filter",
    "ANS-07": "reply: content_filter",
    "ANS-10": "reply: length",
    "ANS-12": "reply: stop",
    "VEN-03": "reply: length",
    "STA-01": "suspended: transport",
    "STA-02": "suspended: transport",
    "STA-03": "suspended: transport",
    "STA-04": "suspended: configuration",
    "STA-05": "suspended: transport",
    "STA-06": "overflow",
    "STA-07": "overflow",
    "STA-09": "suspended: harness",
    "ALS-03": "suspended: harness",
    "ALS-04": "suspended: harness",
}


def wire_of(case: str) -> str:
    body = CASES[case].get("body")
    if isinstance(body, dict):
        for name, key in (
            ("gemini", "candidates"),
            ("gemini", "promptFeedback"),
            ("messages", "stop_reason"),
            ("responses", "output"),
        ):
            if key in body:
                return name
    return "openai"


@pytest.mark.parametrize("case", sorted(ANSWERS))
async def test_a_field_case_is_decided_as_it_says(provider: Provider, case: str, tmp_path: Path) -> None:
    provider.answer_with(canned(CASES[case]))
    speech = caller(wire_of(case), provider, tmp_path, identity="unreported")
    assert await outcome(speech) == ANSWERS[case]
    assert sum(attempt.cost_usd is None for attempt in speech.attempts) <= 5


@pytest.mark.parametrize("case", ["PAY-03", "PAY-05", "PAY-06"])
async def test_a_gateways_failure_may_have_been_paid_and_is_asked_five_times_at_most(
    provider, call_route, case
):
    provider.answer_with(canned(CASES[case]))
    speech = call_route()
    assert await outcome(speech) == "suspended: transport"
    assert [attempt.cost_usd for attempt in speech.attempts] == [None] * 5


async def test_a_billed_refusal_is_booked_at_what_its_usage_tells(provider, call_route):
    provider.answer_with(canned(CASES["PAY-04"]), CALLED)
    speech = call_route()
    await speech.complete()
    assert speech.attempts[0].cost_usd == pytest.approx(
        sum(CASES["PAY-04"]["body"]["usage"][name] * usd for name, usd in PRICES.items()) / 1e6
    )


PRICES: Final = {"prompt_tokens": 3.0, "completion_tokens": 15.0}


@pytest.mark.parametrize("case", ["ALS-01", "ALS-02"])
async def test_an_overload_under_any_status_slows_every_seat(provider, call_route, case):
    provider.answer_with(canned(CASES[case]), CALLED)
    speech = call_route()
    assert (await speech.complete()).finish == "calls"
    assert speech.faults[0] == "transport: overloaded"
    assert speech.attempts[0].wait_seconds >= 0
    assert speech.route.limiter.streak == 0
