"""Field cases that take more than one answer: refused histories, cut prompts, calls as text, lost answers.

The real route and, where a window is needed, the real harness; the provider says what the case says.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from agents.routes.adapter.reply import calls_of
from agents.routes.probe import TINY, probe
from tests.llm.rig import Rig, by_ordinal
from tests.routes.server import CannedAnswer, Provider, canned, chat, reply
from tests.strict.test_bodies import CALLED, CASES, caller, outcome
from tests.strict.test_field_cases import WIRES
from tests.strict.test_histories import sealing
from tournament.errors import Suspension

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIRE: Final = {"HIS-14": "responses", "PRE-01": "ollama", "PRE-02": "ollama", "PRE-03": "ollama"}
REFUSED: Final = ("HIS-03", "HIS-05", "HIS-06", "HIS-10", "HIS-14", "HIS-16")


def reading(body: Any) -> Any:
    """The body with its call turned into one that ends no window."""
    text = json.dumps(body).replace("seal_decision", "list_files")
    return json.loads(text.replace(json.dumps('{"rationale":"r"}'), '"{}"'))


def steps(case: str) -> list[CannedAnswer]:
    given = CASES[case]
    found = given["steps"] if given["kind"] == "sequence" else [given]
    return [reply(reading(step["body"])) if step["kind"] == "response" else canned(step) for step in found]


async def window(case: str, provider: Provider, folder: Path, *answers: CannedAnswer) -> tuple[Rig, str]:
    """Play one window of the real harness against these answers, then a seal."""
    name = WIRE.get(case, "openai")
    provider.answer_with(*answers, sealing(WIRES[name][1]["call"]("seal_decision", 90)))
    rig = Rig(by_ordinal())
    rig.route = caller(name, provider, folder, allow=["cut_prompts"]).route  # type: ignore[assignment]
    return rig, (await rig.play()).state


@pytest.mark.parametrize("case", REFUSED)
async def test_a_refusal_of_history_is_rebuilt_once_and_nothing_paid_is_lost(
    provider: Provider, case: str, tmp_path: Path
) -> None:
    given = steps(case)
    first = given if len(given) > 1 else [CALLED_FILES, *given]
    rig, state = await window(case, provider, tmp_path, *first)
    assert state == "sealed"
    assert len(rig.bodies("rebuilt")) == 1
    assert len(rig.bodies("reply")) == 2
    assert [attempt["fault"] for attempt in rig.bodies("attempt")] == ["history: refused_history"] or [
        attempt["fault"] for attempt in rig.bodies("attempt")
    ] == ["history: bad_request_400"]


CALLED_FILES: Final = WIRES["openai"][1]["call"]("list_files", 1)


def sent_turn(provider: Provider, at: int = 1) -> Any:
    """The assistant's turn in a later request."""
    (turn,) = (turn for turn in provider.requests[at]["messages"] if turn["role"] == "assistant")
    return turn


@pytest.mark.parametrize(
    ("case", "name", "value"),
    [
        ("HIS-10", "reasoning_content", ""),
        ("VEN-02", "reasoning", "hm"),
        ("PRE-04", "content", ""),
        ("HIS-05", "content", None),
    ],
)
async def test_a_field_goes_back_under_the_name_and_with_the_value_it_came_by(
    provider: Provider, case: str, name: str, value: str | None, tmp_path: Path
) -> None:
    _, state = await window(case, provider, tmp_path, steps(case)[0])
    assert state == "sealed"
    assert sent_turn(provider).get(name) == value


async def test_reasoning_details_alone_say_something_and_are_estimated_at_their_length(
    provider: Provider, tmp_path: Path
) -> None:
    """VEN-01: no usage is told; of what was cut nothing goes back."""
    rig, state = await window("VEN-01", provider, tmp_path, steps("VEN-01")[0])
    assert state == "sealed"
    said = CASES["VEN-01"]["body"]["choices"][0]["message"]["reasoning_details"]
    assert rig.bodies("reply")[0]["generated"] > len(said[0]["text"]) / 8
    assert sent_turn(provider)["content"] == "(cut while reasoning, nothing said)"


async def test_reasoning_details_beside_a_call_go_back_as_they_came(
    provider: Provider, tmp_path: Path
) -> None:
    (first, _) = steps("HIS-16")
    await window("HIS-16", provider, tmp_path, first)
    said = CASES["HIS-16"]["steps"][0]["body"]["choices"][0]["message"]["reasoning_details"]
    assert sent_turn(provider)["reasoning_details"] == said


async def test_an_item_of_reasoning_goes_back_without_an_id_that_means_nothing(
    provider: Provider, tmp_path: Path
) -> None:
    """HIS-14: a gateway's own ids are refused by whoever comes next."""
    await window("HIS-14", provider, tmp_path, steps("HIS-14")[0])
    (item,) = (item for item in provider.requests[1]["input"] if item.get("type") == "reasoning")
    assert "id" not in item
    assert item["encrypted_content"] == "RU5D"


@pytest.mark.parametrize("case", ["PRE-01", "PRE-02", "PRE-06"])
async def test_a_prompt_that_is_cut_in_silence_is_seen_by_the_check_and_stops_the_route_in_play(
    provider: Provider, case: str, tmp_path: Path
) -> None:
    given = CASES[case]
    answer = reply(given["answer"])
    speech = caller(WIRE.get(case, "openai"), provider, tmp_path)
    rules = {"role": "system", "content": "rule " * given["sent"]}
    turns = ({"role": "user", "content": "Begin."},)
    provider.answer_with(answer)
    for _ in range(2):
        await speech.complete(rules, *turns)
    with pytest.raises(Suspension, match="the prompt was cut in silence") as stopped:
        await speech.complete(rules, *turns)
    assert stopped.value.kind == "configuration"
    allowed = caller(WIRE.get(case, "openai"), provider, tmp_path, allow=["cut_prompts"])
    for _ in range(3):
        await allowed.complete(rules, *turns)
    body = json.loads(WIRES[WIRE.get(case, "openai")][1]["call"]("report_ready", 1).body)
    if "usage" in body:
        body["usage"].update(prompt_tokens=given["sent"] // 8, total_tokens=given["sent"] // 8 + 15)
    else:
        body["prompt_eval_count"] = given["sent"] // 8
    provider.answer_with(reply(body))
    said = replace(TINY, system=rules["content"])
    report = await probe(caller(WIRE.get(case, "openai"), provider, tmp_path).route, said)
    assert "the prompt was cut in silence" in report.fault


async def test_calls_as_text_in_every_reply_stop_the_route_unless_the_study_allows_it(
    provider: Provider, tmp_path: Path
) -> None:
    """PRE-03."""
    provider.answer_with(reply(CASES["PRE-03"]["body"]))
    told = (await probe(caller("ollama", provider, tmp_path).route)).fault
    assert told == "it wrote its tool call as text"
    speech = caller("ollama", provider, tmp_path, allow=["cut_prompts"])
    for _ in range(8):
        await speech.complete()
    with pytest.raises(Suspension, match="8 replies in a row wrote their tool calls as text"):
        await speech.complete()
    allowed = caller("ollama", provider, tmp_path, allow=["cut_prompts", "text_calls"])
    for _ in range(9):
        assert not calls_of((await allowed.complete()).message)


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        ("PRE-04", "it wrote its tool call as text"),
        ("PRE-05", "its second turn, which sends its own reply back: "),
    ],
)
async def test_the_second_turn_of_a_check_shows_what_one_turn_does_not(
    provider: Provider, case: str, fault: str, tmp_path: Path
) -> None:
    provider.answer_with(*(canned(step) for step in CASES[case]["steps"]))
    report = await probe(caller("openai", provider, tmp_path).route)
    assert report.fault.startswith(fault)
    assert len(provider.requests) == 2


async def test_every_drop_after_the_request_left_may_have_been_paid_and_few_are_allowed(
    provider: Provider, tmp_path: Path
) -> None:
    """PAY-01."""
    provider.answer_with(CannedAnswer(drop=True))
    speech = caller("openai", provider, tmp_path)
    assert await outcome(speech) == "suspended: transport"
    assert [attempt.cost_usd for attempt in speech.attempts] == [None] * 5


async def test_our_own_time_outs_may_have_been_paid_and_are_bounded_with_the_drops(
    provider: Provider, tmp_path: Path
) -> None:
    """PAY-02."""
    provider.answer_with(CannedAnswer(drop=True), CannedAnswer(hold=5.0), CannedAnswer(hold=5.0), CALLED)
    speech = caller("openai", provider, tmp_path, limits={"timeouts": {"total_seconds": 0.2}})
    assert await outcome(speech) == "reply: calls"
    assert [attempt.fault for attempt in speech.attempts][1:3] == ["transport: timeout"] * 2
    assert [attempt.cost_usd for attempt in speech.attempts][:3] == [None] * 3
    provider.answer_with(CannedAnswer(hold=5.0))
    assert await outcome(speech) == "suspended: transport"
    assert len(speech.attempts) == 4 + 5


async def test_reasoning_outside_the_completion_count_is_generated_too(
    provider: Provider, tmp_path: Path
) -> None:
    """VEN-05."""
    provider.answer_with(reply(CASES["VEN-05"]["body"]))
    answer = await caller("openai", provider, tmp_path).complete(max_tokens=8000)
    assert (answer.finish, answer.usage.generated) == ("stop", 4308)


async def test_what_is_planned_in_thought_alone_is_one_counted_reply_and_stays_on_record(
    provider: Provider, tmp_path: Path
) -> None:
    """VEN-04."""
    provider.answer_with(reply(CASES["VEN-04"]["body"]))
    answer = await caller("ollama", provider, tmp_path, allow=["cut_prompts"]).complete()
    assert (answer.finish, answer.usage.generated, calls_of(answer.message)) == ("stop", 40, [])
    assert "I call list_files." in json.dumps(answer.message)


async def test_what_a_provider_calls_malformed_is_not_run(provider: Provider, tmp_path: Path) -> None:
    """ANS-04: beside a call that looks whole."""
    provider.answer_with(reply(CASES["ANS-04"]["body"]))
    answer = await caller("gemini", provider, tmp_path).complete()
    assert (answer.finish, answer.usage.generated) == ("malformed_call", 20)


async def test_a_stream_that_nobody_asked_for_is_read_and_bought_once(
    provider: Provider, tmp_path: Path
) -> None:
    """ANS-11."""
    provider.answer_with(canned(CASES["ANS-11"]))
    answer = await caller("openai", provider, tmp_path).complete()
    assert (answer.message["content"], answer.usage.generated, len(provider.requests)) == ("hi", 2, 1)
    assert "a stream that was not asked for" in answer.usage.rule


async def test_a_plain_reply_is_none_of_these(provider: Provider, tmp_path: Path) -> None:
    provider.answer_with(reply(chat({"content": "hi"})))
    assert await outcome(caller("openai", provider, tmp_path)) == "reply: stop"
