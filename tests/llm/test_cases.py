"""Faults seen in the field, re-created for our tools: one test a case, by its id in tests/cases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agents.llm.accounting.usage import account_of
from tests.llm.rig import Rig, Script, by_ordinal, call, reply, seal
from tournament.errors import ContextOverflow, Suspension
from tournament.records import Attempt, ModelReply, ModelRequest, Usage

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
]
EXPRESSIONS = {
    "digits": '{"product": "tea", "cents": ' + "9" * 4400 + "}",
    "brackets": "[" * 100_000,
    "huge": '{"product": "' + "x" * (4 * 1024 * 1024) + '"}',
}


def given(body: Mapping[str, Any]) -> ModelReply:
    if "expr" in body:
        return reply(call("set_price", EXPRESSIONS[body["expr"]]))
    return ModelReply(
        message=body["message"],
        finish=body["finish"],
        usage=Usage(prompt=120, generated=body["generated"]),
        model="vendor/model-a",
        response_id="resp-1",
        cost_usd=None,
        seconds=0.5,
    )


def then_seal(replies: list[ModelReply]) -> Script:
    queue = [*replies, seal()]
    return lambda request, ordinal: queue.pop(0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
async def test_a_model_fault_is_counted_and_corrected_and_changes_nothing_it_did_not_say(
    case: Mapping[str, Any],
) -> None:
    replies = [given(body) for body in case["replies"]]
    rig = Rig(then_seal(replies))
    choice = await rig.play()

    assert choice.state == "sealed"
    assert choice.decision == case["draft"]
    assert rig.store.private == case.get("files", {})
    assert rig.bodies("close")[0]["replies"] == len(replies) + 1
    assert len(rig.results()) == len(case["told"])
    for told, expected in zip(rig.results(), case["told"], strict=True):
        assert expected in told
    history = rig.route.requests[-1].messages
    assert_history_is_valid(history)
    assert_history_is_as_the_case_says(history, case, replies)
    account = account_of(rig.store.records(0))
    assert account.generated_tokens - 15 == case.get("tokens", sum(r.usage.generated or 0 for r in replies))
    for name, value in case.get("account", {}).items():
        assert getattr(account, name) == value


def assert_history_is_valid(messages: Any) -> None:
    """What providers refuse: unanswered or repeated ids, arguments that are no object, blank messages."""
    json.dumps(list(messages), ensure_ascii=False).encode()
    open_ids: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_ids.pop(0)
            continue
        assert open_ids == []
        calls = message.get("tool_calls") or []
        assert calls or message["content"]
        for item in calls:
            assert isinstance(json.loads(item["function"]["arguments"]), dict)
            assert item["id"] not in seen
            seen.add(item["id"])
            open_ids.append(item["id"])
    assert open_ids == []


def assert_history_is_as_the_case_says(
    messages: Any, case: Mapping[str, Any], replies: list[ModelReply]
) -> None:
    spoken = [message for message in messages if message["role"] == "assistant"]
    calls = [item for message in spoken for item in message.get("tool_calls") or []]
    if "history_ids" in case:
        assert [item["id"] for item in calls] == case["history_ids"]
    if "history_names" in case:
        assert [item["function"]["name"] for item in calls] == case["history_names"]
    if "verbatim" in case:
        assert spoken == [dict(item.message) for item in replies]


async def test_arg_01_one_unreadable_call_stops_its_whole_reply() -> None:
    rig = Rig(
        then_seal(
            [reply(call("set_price", {"product": "tea", "cents": 3}), call("buy_press", '{"presses": 1'))]
        )
    )
    choice = await rig.play()
    assert choice.decision == {}
    assert "another call of this reply" in rig.results()[0]
    assert "one complete JSON object" in rig.results()[1]
    raw = rig.bodies("reply")[0]["message"]["tool_calls"][1]["function"]["arguments"]
    assert raw == '{"presses": 1'


async def test_arg_15_a_readable_but_wrong_call_leaves_its_neighbours_alone() -> None:
    rig = Rig(
        then_seal(
            [reply(call("set_price", {"product": "tea", "cents": 3}), call("set_price", {"product": "ale"}))]
        )
    )
    assert (await rig.play()).decision == {"prices": {"tea": 3}}


@pytest.mark.parametrize("number", ["12.0", "1.2e1", "12"])
async def test_arg_11_an_integral_number_is_an_integer_however_it_is_written(number: str) -> None:
    rig = Rig(then_seal([reply(call("set_price", f'{{"product": "tea", "cents": {number}}}'))]))
    assert (await rig.play()).decision == {"prices": {"tea": 12}}


@pytest.mark.parametrize("value", ["true", '"12"', "NaN", "Infinity", "1e999", "12.5", "null", "[12]"])
async def test_arg_13_no_other_value_is_taken_for_a_number(value: str) -> None:
    rig = Rig(then_seal([reply(call("set_price", f'{{"product": "tea", "cents": {value}}}'))]))
    assert (await rig.play()).decision == {}


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("", "The call names no tool. The tools are: query_company, set_price, "),
        ("  ", "The call names no tool. The tools are: query_company, set_price, "),
        ("set price!", "There is no tool 'set price!'. Nearest: set_price, "),
        ("x" * 300, "There is no tool 'xxx"),
        (None, "The call names no tool. The tools are: query_company, set_price, "),
        (7, "The call names no tool. The tools are: query_company, set_price, "),
    ],
)
async def test_nam_01_blank_and_odd_names_are_answered_and_leave_a_valid_history(
    name: Any, answer: str
) -> None:
    item = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    rig = Rig(then_seal([reply(item)]))
    await rig.play()
    told = rig.results()[0]
    assert told.startswith(answer)
    assert "x" * 100 not in told, "a long name is not repeated whole"
    history = rig.route.requests[-1].messages
    assert history[2]["tool_calls"][0]["function"]["name"] == "invalid_name"


@pytest.mark.parametrize("item", ["set_price", None, {}, {"id": "a"}, {"id": 5, "function": "seal_decision"}])
async def test_nam_01_what_is_no_call_at_all_is_answered_too(item: Any) -> None:
    body = reply(content=None)
    broken = ModelReply(
        message={"role": "assistant", "content": None, "tool_calls": [item]},
        finish="calls",
        usage=body.usage,
        model=body.model,
        response_id=body.response_id,
        cost_usd=None,
        seconds=0.1,
    )
    rig = Rig(then_seal([broken]))
    assert (await rig.play()).state == "sealed"
    assert_history_is_valid(rig.route.requests[-1].messages)


@pytest.mark.parametrize("arguments", ["", "  ", None])
async def test_arg_01_no_argument_text_at_all_suits_only_a_tool_without_arguments(arguments: Any) -> None:
    empty = {"id": "a", "type": "function", "function": {"name": "preview_decision", "arguments": arguments}}
    wrong = {"id": "b", "type": "function", "function": {"name": "buy_press", "arguments": arguments}}
    rig = Rig(then_seal([reply(empty, wrong)]))
    assert (await rig.play()).decision == {}
    assert "one_off_cents" in rig.results()[0]
    assert "holds no arguments. buy_press takes: presses" in rig.results()[1]


async def test_fin_03_a_reply_cut_while_reasoning_is_left_out_of_what_is_sent_on_and_its_digest_kept() -> (
    None
):
    cut = reply(finish="length", reasoning_content="long thoughts")
    rig = Rig(then_seal([cut, cut]))
    assert (await rig.play()).state == "sealed"
    roles = [message["role"] for message in rig.route.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "long thoughts" not in str(rig.route.requests[-1].messages)
    assert len(rig.bodies("reply")[0]["left_out"]) == 64
    assert rig.bodies("reply")[0]["message"]["reasoning_content"] == "long thoughts"


async def test_fin_03_endless_cutting_is_bounded_by_the_reply_budget() -> None:
    rig = Rig(lambda request, ordinal: reply(call("list_files"), finish="length"))
    assert (await rig.play()).state == "budget_exhausted"
    assert len(rig.route.requests) == 32


async def test_use_03_reasoning_reported_outside_the_completion_is_taken_as_the_route_counts_it() -> None:
    usage = Usage(prompt=40, generated=712, reasoning=700, rule="total - prompt")
    rig = Rig(then_seal([reply(call("list_files"), usage=usage)]))
    await rig.play()
    assert rig.bodies("reply")[0]["usage"]["rule"] == "total - prompt"
    assert account_of(rig.store.records(0)).generated_tokens == 712 + 15


async def test_err_11_a_context_overflow_is_scored_and_an_outage_is_not() -> None:
    overflow = Rig(lambda request, ordinal: ContextOverflow("8192 tokens at most"))
    assert (await overflow.play()).state == "budget_exhausted"
    outage = Rig(lambda request, ordinal: Suspension("503", kind="transport"))
    with pytest.raises(Suspension):
        await outage.play()
    assert "close" not in outage.kinds()


async def test_tim_01_waiting_is_never_on_the_active_time() -> None:
    rig = Rig(then_seal([reply(call("list_files"))]), budgets={"seconds": 60})
    rig.route.attempts = tuple(
        Attempt(number=at, status=429, fault="rate_limit", detail="slow down", wait_seconds=50)
        for at in (1, 2)
    )
    choice = await rig.play()
    assert choice.state == "sealed"
    account = account_of(rig.store.records(0))
    assert account.wait_seconds == 200
    assert account.active_seconds < 3


async def test_out_01_a_huge_result_is_cut_at_a_characters_border_and_says_how_to_page() -> None:
    asks: list[ModelReply] = [
        reply(call("query_company", {"sql": "SELECT day, note FROM sales", "limit": 10_000})),
        reply(call("query_company", {"sql": "SELECT printf('%.60000c', 'ü') || day FROM sales LIMIT 1"})),
        reply(call("read_file", {"path": "big", "limit": 65_536})),
    ]
    rig = Rig(then_seal(asks))
    rig.desk.days, rig.desk.note = 5000, "ü" * 80
    rig.store.private["big"] = 'line "quoted" \\ \n' * 20_000
    await rig.play()
    rows, wide, text = rig.results()
    for told in (rows, wide, text):
        assert len(told.encode()) <= 64 * 1024
    assert "rows fit into a tool result; page with LIMIT and OFFSET" in rows
    assert len(json.loads(rows)["rows"]) > 300
    assert "bytes shown; ask for less" in wide
    part = json.loads(text)
    assert part["next_offset"] == len(part["text"]) > 10_000


async def test_res_01_a_pending_call_runs_once_after_a_kill_and_its_reply_stays_counted() -> None:
    script = then_seal([reply(call("buy_press", {"presses": 1}), call("list_files"))])
    rig = Rig(script)
    rig.store.die_after = 3
    from tests.llm.rig import Killed

    with pytest.raises(Killed):
        await rig.play()
    assert rig.kinds() == ["open", "intent", "reply"]
    again = Rig(script, store=rig.store.cut(3))
    assert (await again.play()).decision == {"presses": 1}
    assert_history_is_valid(again.route.requests[0].messages)
    assert again.kinds().count("reply") == 2
    assert [body["tool"] for body in again.bodies("result")] == ["buy_press", "list_files"]


async def test_err_13_a_half_pair_is_mended_before_it_is_stored_or_sent(tmp_path: Path) -> None:
    def script(request: ModelRequest, ordinal: int) -> ModelReply:
        json.dumps(list(request.messages), ensure_ascii=False).encode()
        return seal() if ordinal == 2 else reply(content="a \ud83d b", reasoning_content="\udc00")

    assert (await Rig(script).play()).state == "sealed"


async def test_rsn_01_a_reply_of_signed_reasoning_alone_keeps_it_beside_the_mark_that_it_was_empty() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "SIG"}
    rig = Rig(then_seal([reply(content=[thought])]))
    await rig.play()
    assert rig.route.requests[-1].messages[2]["content"] == [
        thought,
        {"type": "text", "text": "(empty reply)"},
    ]


async def test_a_reply_asked_for_in_vain_over_several_runs_is_asked_once_more_a_run() -> None:
    lost = Attempt(
        number=1, status=504, fault="transport: gateway_timeout", detail="", wait_seconds=0.0, cost_usd=None
    )
    rig = Rig(by_ordinal(seal()))
    rig.route.attempts = [lost] * 6
    first = Rig(by_ordinal(Suspension("down", kind="transport")), store=rig.store)
    first.route.attempts = [lost] * 5
    with pytest.raises(Suspension, match="down"):
        await first.play()
    with pytest.raises(Suspension, match="each run asks once"):
        await rig.play()
    assert len(rig.bodies("attempt")) == 6
