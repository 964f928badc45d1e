"""A decision window from its opening to its close: seals, corrections, budgets, drafts."""

from __future__ import annotations

import pytest

from tests.llm.rig import Rig, by_ordinal, call, in_order, reply, say, seal
from tests.llm.toy import ToyDesk
from tournament.errors import ContextOverflow, InputError
from tournament.records import Usage


async def test_a_ceo_looks_drafts_previews_writes_notes_and_seals() -> None:
    rig = Rig(
        by_ordinal(
            reply(call("query_company", {"sql": "SELECT cash_cents FROM company"})),
            reply(call("set_price", {"product": "tea", "cents": 120}), call("buy_press", {"presses": 2})),
            reply(call("preview_decision"), call("write_file", {"path": "MEMORY.md", "text": "raise tea"})),
            seal("tea sells"),
        )
    )
    choice = await rig.play()
    assert choice.state == "sealed"
    assert choice.decision == {"prices": {"tea": 120}, "presses": 2}
    assert choice.rationale == "tea sells"
    assert rig.store.private == {"MEMORY.md": "raise tea"}
    assert '"rows":[[1000]]' in rig.results()[0]
    assert '"one_off_cents":800' in rig.results()[3]
    assert rig.kinds()[:4] == ["open", "intent", "reply", "result"]
    assert rig.kinds()[-3:] == ["intent", "reply", "close"]


async def test_a_window_begins_with_the_rules_the_calendar_the_memory_and_the_briefing() -> None:
    rig = Rig(by_ordinal(seal()), desk=ToyDesk(window=3))
    rig.store.private["MEMORY.md"] = "tea is good"
    await rig.play()
    system, user = rig.route.requests[0].messages
    assert system["role"] == "system"
    assert "Sell tea and rye." in system["content"]
    assert "`schema_guide` (table_name, column_name, type, description)" in system["content"]
    for text in (
        "21 days completed",
        "Day: 21",
        "Horizon: 70",
        "Days left: 49",
        "tea is good",
        "unavailable",
    ):
        assert text in user["content"]


async def test_memory_beyond_40000_characters_is_cut_and_marked_by_characters_not_bytes() -> None:
    rig = Rig(by_ordinal(seal()))
    rig.store.private["MEMORY.md"] = "é" * 40_000 + "TAIL"
    await rig.play()
    text = rig.route.requests[0].messages[1]["content"]
    assert text.count("é") == 40_000
    assert "TAIL" not in text
    assert "the first 40000 of 40004 characters" in text


async def test_a_new_window_knows_nothing_of_the_last_conversation_but_the_files() -> None:
    rig = Rig(by_ordinal(reply(call("write_file", {"path": "MEMORY.md", "text": "keep"})), seal("first")))
    first = await rig.play()
    rig.desk.window = 1
    await rig.play(first.memo)
    messages = rig.route.requests[2].messages
    assert len(messages) == 2
    assert "keep" in messages[1]["content"]


async def test_the_prompt_is_written_out_once_and_only_named_while_it_stays_the_same() -> None:
    rig = Rig(by_ordinal(seal()))
    first = await rig.play()
    rig.desk.window = 1
    await rig.play(first.memo)
    opened = rig.bodies("open")
    assert len(opened[0]["tools"]) == 13
    assert "Sell tea" in opened[0]["system"]
    assert (opened[1]["system"], opened[1]["tools"]) == (None, None)
    assert opened[0]["prompt"] == opened[1]["prompt"]


async def test_reset_empties_the_draft_and_gives_no_budget_back() -> None:
    rig = Rig(
        by_ordinal(
            reply(call("set_price", {"product": "tea", "cents": 9})), reply(call("reset_decision")), seal()
        )
    )
    choice = await rig.play()
    assert choice.decision == {}
    assert rig.bodies("close")[0]["replies"] == 3


async def test_a_call_that_cannot_be_afforded_changes_nothing_and_earlier_changes_stay() -> None:
    rig = Rig(
        by_ordinal(
            reply(call("set_price", {"product": "tea", "cents": 9}), call("buy_press", {"presses": 3})),
            seal(),
        )
    )
    choice = await rig.play()
    assert choice.decision == {"prices": {"tea": 9}}
    assert "presses cost 1200 cents, cash is 1000 cents" in rig.results()[1]


async def test_a_seal_that_the_market_refuses_leaves_the_draft_editable() -> None:
    desk = ToyDesk()
    rig = Rig(
        by_ordinal(reply(call("buy_press", {"presses": 2})), seal(), reply(call("reset_decision")), seal()),
        desk,
    )
    rig.route.script = _poorer_before_reply_two(rig)
    choice = await rig.play()
    assert "Not sealed" in rig.results()[1]
    assert choice.decision == {}


def _poorer_before_reply_two(rig: Rig):  # type: ignore[no-untyped-def]
    script = rig.script

    def answer(request, ordinal):  # type: ignore[no-untyped-def]
        if ordinal == 2:
            rig.desk.cash = 100
        return script(request, ordinal)

    return answer


async def test_a_seal_beside_other_calls_is_rejected_with_all_of_them() -> None:
    rig = Rig(
        by_ordinal(
            reply(
                call("set_price", {"product": "tea", "cents": 9}),
                call("write_file", {"path": "a", "text": "x"}),
                call("seal_decision", {"rationale": "x"}),
            ),
            seal(),
        )
    )
    choice = await rig.play()
    assert choice.decision == {}
    assert rig.store.private == {}
    assert len(rig.results()) == 3
    assert all("Rejected whole" in text for text in rig.results())


async def test_text_alone_is_corrected_and_the_window_goes_on() -> None:
    rig = Rig(by_ordinal(say("I think I will wait."), seal()))
    assert (await rig.play()).state == "sealed"
    assert "no tool call" in rig.results()[0]


async def test_after_28_replies_four_more_may_come_without_queries_then_the_window_is_exhausted() -> None:
    query = reply(call("query_company", {"sql": "SELECT 1"}))
    rig = Rig(lambda request, ordinal: query)
    choice = await rig.play()
    assert choice.state == "budget_exhausted"
    assert choice.decision == {}
    assert "32 replies" in choice.reason
    assert len(rig.route.requests) == 32
    told = rig.results()
    assert "Finalization has begun: 28 replies used. At most 4 more replies" in told[27]
    assert all("disabled in finalization" in text for text in told[28:])
    assert not any("disabled in finalization" in text for text in told[:28])


async def test_files_written_in_an_exhausted_window_stay() -> None:
    rig = Rig(
        lambda request, ordinal: reply(call("write_file", {"path": "n.md", "text": str(ordinal)})),
        budgets={"replies": 5},
    )
    assert (await rig.play()).state == "budget_exhausted"
    assert rig.store.private == {"n.md": "5"}


async def test_finalization_begins_at_three_quarters_of_the_tokens_and_allows_four_replies() -> None:
    costly = reply(call("list_files"), usage=Usage(prompt=1, generated=800))
    cheap = reply(call("list_files"), usage=Usage(prompt=1, generated=10))
    rig = Rig(lambda request, ordinal: costly if ordinal == 1 else cheap, budgets={"tokens": 1000})
    choice = await rig.play()
    assert "4 replies of finalization" in choice.reason
    assert len(rig.route.requests) == 5


async def test_the_response_ceiling_is_the_routes_or_what_the_phase_has_left() -> None:
    costly = reply(call("list_files"), usage=Usage(prompt=1, generated=500))
    rig = Rig(lambda request, ordinal: seal() if ordinal == 4 else costly, budgets={"tokens": 2000})
    rig.route.ceiling = 600
    await rig.play()
    assert [request.max_tokens for request in rig.route.requests] == [600, 600, 500, 500]


async def test_a_phase_with_less_left_than_the_model_accepts_is_over() -> None:
    costly = reply(call("list_files"), usage=Usage(prompt=1, generated=3000))
    rig = Rig(lambda request, ordinal: costly, budgets={"tokens": 16_000})
    rig.route.least_ceiling = 2048
    choice = await rig.play()
    assert [request.max_tokens for request in rig.route.requests] == [8192, 8192, 6000, 3000, 4000]
    assert "15000 of 16000 generated tokens used" in choice.reason
    assert all(request.max_tokens >= 2048 for request in rig.route.requests)
    small = Rig(lambda request, ordinal: costly, budgets={"tokens": 2500})
    small.route.least_ceiling = 2048
    with pytest.raises(InputError, match="route scripted needs at least 2048 for one reply"):
        await small.play()


async def test_a_window_without_tokens_left_is_exhausted_and_asks_for_no_more() -> None:
    rig = Rig(
        lambda request, ordinal: reply(call("list_files"), usage=Usage(prompt=1, generated=999)),
        budgets={"tokens": 1000},
    )
    assert "1000 generated tokens" in (await rig.play()).reason
    assert len(rig.route.requests) == 1


async def test_a_reply_that_seals_within_its_request_counts_though_it_used_the_last_token() -> None:
    rig = Rig(
        lambda request, ordinal: reply(
            call("seal_decision", {"rationale": ""}), usage=Usage(prompt=1, generated=5000)
        ),
        budgets={"tokens": 1000},
    )
    assert (await rig.play()).state == "sealed"


async def test_active_time_counts_model_and_tools_and_ends_the_window() -> None:
    rig = Rig(lambda request, ordinal: reply(call("list_files")), budgets={"seconds": 4})
    choice = await rig.play()
    assert "4 active seconds" in choice.reason
    assert "three quarters of the active time" in rig.results()[2]


async def test_a_context_overflow_is_behaviour_and_named_as_such() -> None:
    rig = Rig(in_order(reply(call("list_files")), ContextOverflow("maximum context length is 8192 tokens")))
    choice = await rig.play()
    assert choice.state == "budget_exhausted"
    assert "context window exceeded" in choice.reason


@pytest.mark.parametrize("budgets", [{"replies": 0}, {"tokens": 1.5}, {"minutes": 3}, {"seconds": True}])
async def test_impossible_budgets_are_refused(budgets: dict[str, object]) -> None:
    from pydantic import ValidationError

    from agents.llm.policy import LlmParameters

    with pytest.raises(ValidationError):
        LlmParameters.model_validate({"route": "x", "budgets": budgets})
