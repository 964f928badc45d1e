"""Dollar caps and accounts: what may be asked, what it counted, and what stays unknown."""

from __future__ import annotations

import asyncio

import pytest

from agents.llm.accounting.spend import SpendMeter
from agents.llm.accounting.usage import COLUMNS, account_of, totals
from agents.llm.policy import LLM, LlmParameters
from tests.llm.rig import Rig, by_ordinal, call, reply, say, seal
from tests.llm.toy import ToyDesk
from tournament.errors import IdentityMismatch, Suspension
from tournament.records import Attempt, ModelReply, Usage


async def test_a_world_stops_at_a_durable_point_when_the_next_reply_could_exceed_its_cap() -> None:
    meter = SpendMeter(usd_per_world=0.0149)
    script = by_ordinal(*[reply(call("list_files"))] * 4, seal())
    rig = Rig(script, spend=meter)
    with pytest.raises(Suspension) as stopped:
        await rig.play()
    assert stopped.value.kind == "budget"
    assert "$0.0060" in str(stopped.value)
    assert rig.kinds()[-1] == "result"
    assert rig.kinds().count("intent") == 3

    again = Rig(script, store=rig.store, spend=SpendMeter(usd_per_world=1))
    assert (await again.play()).state == "sealed"
    assert len(again.route.requests) == 2


async def test_a_restored_meter_counts_what_the_journal_says_lost_replies_at_their_worst() -> None:
    rig = Rig(by_ordinal(reply(call("list_files")), seal()))
    await rig.play()
    lost = rig.store.cut(rig.kinds().index("reply"))
    assert account_of(lost.records(0)).spent_usd == pytest.approx(0.01)
    assert account_of(rig.store.records(0)).spent_usd == pytest.approx(0.004)
    meter = SpendMeter(usd=0.015)
    meter.restore("ref.r0.s11.n1", account_of(lost.records(0)).spent_usd)
    with pytest.raises(Suspension, match="the study has spent"):
        await Rig(by_ordinal(seal()), spend=meter).play()


async def test_use_05_a_cap_without_a_known_price_is_refused_and_without_a_cap_tokens_still_count() -> None:
    rig = Rig(by_ordinal(seal()), spend=SpendMeter(usd=5))
    rig.route.price = None
    with pytest.raises(Suspension, match="no known price"):
        await rig.play()
    assert rig.kinds() == ["open"]
    free = Rig(by_ordinal(_unpriced(seal())))
    free.route.price = None
    await free.play()
    account = account_of(free.store.records(0))
    assert (account.cost_usd, account.unpriced_replies, account.generated_tokens) == (0.0, 1, 15)


def _unpriced(given: ModelReply) -> ModelReply:
    return ModelReply(
        message=given.message,
        finish=given.finish,
        usage=given.usage,
        model=given.model,
        response_id=given.response_id,
        cost_usd=None,
        seconds=given.seconds,
    )


async def test_a_reply_without_a_price_counts_at_its_worst_now_and_after_a_restart() -> None:
    meter = SpendMeter()
    rig = Rig(by_ordinal(_unpriced(seal())), spend=meter)
    await rig.play()
    assert meter.spent() == pytest.approx(0.01)
    assert account_of(rig.store.records(0)).spent_usd == pytest.approx(0.01)


async def test_requests_in_flight_hold_their_worst_and_those_that_may_fit_later_wait() -> None:
    meter = SpendMeter(usd=1.0)
    order: list[str] = []

    async def request(name: str, bound: float, cost: float) -> None:
        async with meter.reserved("w", bound, "route") as reservation:
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            reservation.settle(cost)
            order.append(f"{name} ends")

    await asyncio.gather(request("a", 0.8, 0.1), request("b", 0.8, 0.1))
    assert order == ["a begins", "a ends", "b begins", "b ends"]
    assert meter.spent("w") == pytest.approx(0.2)
    with pytest.raises(Suspension):
        await request("c", 0.9, 0.1)


def lost(number: int) -> Attempt:
    fault = "transport: timeout"
    return Attempt(number=number, status=None, fault=fault, detail="", wait_seconds=1.0, cost_usd=None)


async def test_attempts_whose_answers_were_lost_count_before_the_next_one_goes_out() -> None:
    meter = SpendMeter(usd_per_world=0.035)
    rig = Rig(by_ordinal(seal()), spend=meter)
    rig.route.attempts = [lost(number) for number in range(1, 9)]
    with pytest.raises(Suspension, match=r"world ref\.r0\.s11\.n1 has spent") as stopped:
        await rig.play()
    assert stopped.value.kind == "budget"
    assert rig.kinds() == ["open", "intent", "attempt", "attempt", "attempt", "failed"]
    assert meter.spent() == pytest.approx(0.03)
    assert account_of(rig.store.records(0)).spent_usd == pytest.approx(0.03)
    again = Rig(by_ordinal(seal()), store=rig.store, spend=SpendMeter(usd_per_world=1))
    assert (await again.play()).state == "sealed"


async def test_a_lost_attempt_of_one_seat_leaves_less_for_the_others() -> None:
    meter = SpendMeter(usd=1.0)
    async with meter.reserved("w", 0.4, "route") as first:
        first.charge(0.4)
        with pytest.raises(Suspension):
            async with meter.reserved("w", 0.7, "route"):
                pass
        await first.again()
        first.settle(0.1)
    assert meter.spent() == pytest.approx(0.5)


async def test_another_attempt_waits_for_the_room_that_others_in_flight_may_leave() -> None:
    meter = SpendMeter(usd=1.0)
    order: list[str] = []

    async def losing() -> None:
        async with meter.reserved("w", 0.4, "route") as held:
            await asyncio.sleep(0)
            held.charge(0.4)
            await held.again()
            order.append("asked again")
            held.settle(0.1)

    async def slow() -> None:
        async with meter.reserved("v", 0.5, "route") as held:
            for _ in range(9):
                await asyncio.sleep(0)
            order.append("the other is done")
            held.settle(0.05)

    await asyncio.gather(losing(), slow())
    assert order == ["the other is done", "asked again"]
    assert meter.spent() == pytest.approx(0.55)


async def test_a_request_that_was_cut_off_counts_at_its_worst() -> None:
    meter = SpendMeter()
    with pytest.raises(asyncio.CancelledError):
        async with meter.reserved("w", 0.5, "route"):
            raise asyncio.CancelledError
    assert meter.spent() == 0.5


async def test_a_reply_of_another_model_is_kept_paid_for_and_not_acted_on() -> None:
    other = reply(call("buy_press", {"presses": 1}))
    fault = IdentityMismatch("answered as vendor/other", route="scripted", reply=other)
    rig = Rig(by_ordinal(fault))
    with pytest.raises(IdentityMismatch):
        await rig.play()
    assert rig.kinds() == ["open", "intent", "identity_mismatch"]
    assert rig.bodies("identity_mismatch")[0]["reply"]["message"] == other.message
    account = account_of(rig.store.records(0))
    assert (account.replies, account.foreign_replies, account.cost_usd) == (0, 1, 0.002)
    again = Rig(by_ordinal(seal()), store=rig.store)
    assert (await again.play()).decision == {}


async def test_usage_rows_add_up_by_seat_contestant_route_world_and_study() -> None:
    rows = []
    for seat, contestant in ((1, "astra"), (2, "sol")):
        rig = Rig(by_ordinal(say("hm"), seal()), desk=ToyDesk(seat=seat))
        await rig.play()
        records = rig.store.records(0)
        keys = {"world": "w", "seat": seat, "contestant": contestant, "window": 0}
        rows.append({**keys, **LLM.usage(LlmParameters(route="r"), records)})
    assert tuple(rows[0]) == COLUMNS
    assert totals(rows, "contestant")[("astra",)].replies == 2
    study = totals(rows)[()]
    assert (study.windows, study.sealed, study.replies, study.corrections, study.tool_calls) == (
        2,
        2,
        4,
        2,
        2,
    )


async def test_unknown_usage_is_estimated_for_the_cap_and_stays_unknown_in_the_account() -> None:
    spoken = say("word " * 100, usage=Usage(prompt=None, generated=None))
    rig = Rig(by_ordinal(spoken, seal()))
    await rig.play()
    account = account_of(rig.store.records(0))
    assert account.unknown_usage_replies == 1
    assert account.estimated_tokens == 125
    assert rig.bodies("reply")[0]["usage"]["generated"] is None


async def test_a_token_budget_never_runs_free_on_missing_usage() -> None:
    rig = Rig(
        lambda request, ordinal: reply(call("list_files"), usage=Usage(prompt=None, generated=0)),
        budgets={"tokens": 300, "replies": 1000},
    )
    assert "tokens" in (await rig.play()).reason
