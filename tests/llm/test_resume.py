"""A process may die at any instant of a window: what follows is as if it had not."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm.accounting.usage import account_of
from agents.llm.window.state import fold
from tests.llm.rig import Killed, MemoryStore, Rig, Script, by_ordinal, call, reply, say, seal
from tournament.errors import Suspension
from tournament.records import Attempt, ModelRequest, Usage

THINKING = {"thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "SIG"}]}

EVENTFUL = by_ordinal(
    reply(call("query_company", {"sql": "SELECT day, units FROM sales", "limit": 3}), **THINKING),
    reply(
        call("set_price", {"product": "tea", "cents": 90}, id="same"),
        call("set_price", {"product": "rye", "cents": 80}, id="same"),
        call("buy_press", {"presses": 9}),
        call("write_file", {"path": "MEMORY.md", "text": "one"}),
    ),
    reply(call("set_price", '{"product": "tea"', id=""), call("list_files", id="")),
    reply(call("list_files"), call("seal_decision", {"rationale": "mixed"})),
    say("I would rather talk. \ud83d"),
    reply(call("write_file", {"path": "cut", "text": "x"}), finish="length"),
    reply(
        call("edit_file", {"path": "MEMORY.md", "old": "one", "new": "two"}),
        call("write_file", {"path": "gone", "text": "x"}),
        call("delete_file", {"path": "gone"}),
        call("preview_decision"),
        call("no_such_tool"),
    ),
    reply(call("buy_press", {"presses": 1}), usage=Usage(prompt=None, generated=None)),
    seal("finished"),
)


def resumed(rig: Rig, length: int, script: Script) -> Rig:
    return Rig(script, store=rig.store.cut(length), budgets=rig.budgets)


def whole(script: Script, **budgets: int) -> Rig:
    rig = Rig(script, budgets=budgets)
    asyncio.run(rig.play())
    return rig


def test_a_window_cut_at_every_record_and_resumed_ends_as_the_uninterrupted_one() -> None:
    first = whole(EVENTFUL)
    expected = first.state()
    for length in range(len(first.store.events)):
        again = resumed(first, length, EVENTFUL)
        choice = asyncio.run(again.play())
        replies = [kind for _, kind, _ in first.store.events[:length]].count("reply")
        assert len(again.route.requests) == len(first.route.requests) - replies, length
        assert choice.decision == {"prices": {"tea": 90, "rye": 80}, "presses": 1}
        assert again.state().messages == expected.messages, length
        assert again.state().chain == expected.chain
        assert again.state().draft == expected.draft
        assert again.state().spent.replies == expected.spent.replies
        assert again.state().spent.tokens == expected.spent.tokens
        assert again.store.private == first.store.private == {"MEMORY.md": "two"}


def test_every_request_after_a_resume_is_byte_for_byte_the_one_that_would_have_been_sent() -> None:
    first = whole(EVENTFUL)
    for length in range(len(first.store.events)):
        again = resumed(first, length, EVENTFUL)
        asyncio.run(again.play())
        count = len(again.route.requests)
        sent = [_body(request) for request in first.route.requests[len(first.route.requests) - count :]]
        assert [_body(request) for request in again.route.requests] == sent


def _body(request: ModelRequest) -> str:
    import json

    return json.dumps([list(request.messages), list(request.tools), request.max_tokens], ensure_ascii=False)


@settings(max_examples=40, deadline=None)
@given(deaths=st.lists(st.tuples(st.booleans(), st.integers(1, 12)), max_size=8))
def test_any_number_of_deaths_before_or_after_any_append_change_nothing(
    deaths: list[tuple[bool, int]],
) -> None:
    expected = whole(EVENTFUL)
    store = MemoryStore()
    bought = 0
    for before, at in [*deaths, (True, 10_000)]:
        store.appends = 0
        store.die_at, store.die_after = (at, None) if before else (None, at)
        rig = Rig(EVENTFUL, store=store)
        try:
            choice = asyncio.run(rig.play())
        except Killed:
            bought += len(rig.route.requests)
            continue
        bought += len(rig.route.requests)
        break
    assert choice.decision == {"prices": {"tea": 90, "rye": 80}, "presses": 1}
    assert rig.state().messages == expected.state().messages
    assert store.private == {"MEMORY.md": "two"}
    replies = [kind for _, kind, _ in store.events].count("reply")
    lost = account_of(store.records(0)).possibly_paid
    assert replies == 9
    assert bought <= replies + lost + len(deaths)


def test_an_intent_without_a_reply_is_asked_again_and_counts_against_money_only() -> None:
    first = whole(EVENTFUL)
    length = first.kinds().index("reply")
    again = resumed(first, length, EVENTFUL)
    asyncio.run(again.play())
    account = account_of(again.store.records(0))
    assert account.possibly_paid == 1
    assert account.possibly_paid_usd == pytest.approx(0.01)
    assert account.replies == 9
    assert again.state().spent.replies == 9


def test_an_exhausted_window_stays_exhausted_after_a_resume() -> None:
    def endless(request: ModelRequest, ordinal: int):  # type: ignore[no-untyped-def]
        return reply(call("query_company", {"sql": "SELECT count(*) FROM sales"}))

    first = whole(endless, replies=6)
    for length in range(len(first.store.events)):
        again = resumed(first, length, endless)
        choice = asyncio.run(again.play())
        assert choice.state == "budget_exhausted"
        assert again.state().messages == first.state().messages
        assert [kind for _, kind, _ in again.store.events].count("reply") == 6


def test_a_closed_window_is_answered_from_its_record_without_any_request() -> None:
    first = whole(EVENTFUL)
    again = resumed(first, len(first.store.events), EVENTFUL)
    choice = asyncio.run(again.play())
    assert choice.rationale == "finished"
    assert again.route.requests == []


def test_a_suspended_window_goes_on_where_it_stood() -> None:
    outage = Suspension("no answer after 8 attempts", kind="transport", route="scripted")
    rig = Rig(by_ordinal(reply(call("set_price", {"product": "tea", "cents": 5})), outage))
    rig.route.attempts = (Attempt(number=1, status=503, fault="overload", detail="busy", wait_seconds=2.0),)
    with pytest.raises(Suspension):
        asyncio.run(rig.play())
    assert rig.kinds()[-3:] == ["intent", "attempt", "failed"]
    again = resumed(rig, len(rig.store.events), by_ordinal(say("never asked"), seal()))
    choice = asyncio.run(again.play())
    assert choice.decision == {"prices": {"tea": 5}}
    assert len(again.route.requests) == 1
    assert again.state().spent.seconds < 3


def test_a_window_begun_under_another_prompt_is_not_continued() -> None:
    first = whole(EVENTFUL)
    again = resumed(first, 5, EVENTFUL)
    again.desk.rules = "other rules"
    with pytest.raises(Suspension, match="begun under another prompt"):
        asyncio.run(again.play())


def test_a_fold_is_pure() -> None:
    first = whole(EVENTFUL)
    budgets = first.policy().budgets
    records = first.store.records(0)
    assert fold(records, budgets=budgets, system="s") == fold(records, budgets=budgets, system="s")


def test_a_reply_cut_while_reasoning_is_left_out_after_a_resume_too() -> None:
    def script(request: ModelRequest, ordinal: int):  # type: ignore[no-untyped-def]
        steps = {
            2: reply(finish="length", reasoning_content="THOUGHT"),
            4: reply(call("list_files")),
            6: seal(),
        }
        return steps[len(request.messages)]

    first = whole(script)
    for length in range(len(first.store.events)):
        again = resumed(first, length, script)
        asyncio.run(again.play())
        assert again.state().messages == first.state().messages
    assert "THOUGHT" not in str(first.state().messages)
