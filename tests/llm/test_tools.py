"""Tools by construction: what is added runs, what is said is bound, what a market asks changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from agents.llm import wording
from agents.llm.accounting.usage import account_of
from agents.llm.policy import LLM
from agents.llm.tools import harness
from agents.llm.tools.arguments import NoArguments
from agents.llm.tools.context import Outcome, ToolContext
from agents.llm.tools.harness import HarnessTool
from tests.llm.rig import Rig, by_ordinal, call, reply, seal
from tests.llm.toy import ToyDesk
from tournament.errors import InputError, Suspension
from tournament.records import Decision, Json, MarketTool, ReadTool, SeatContext


async def _noon(context: ToolContext, given: NoArguments, draft: Decision) -> Outcome:
    return Outcome(text=f"noon in window {context.desk.window}")


NOON = HarnessTool(name="tell_time", description="Tell the time.", arguments=NoArguments, run=_noon)


async def test_a_tool_added_to_the_harness_runs_and_leaves_the_draft_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(harness, "HARNESS_TOOLS", (*harness.HARNESS_TOOLS, NOON))
    price = call("set_price", {"product": "tea", "cents": 9})
    rig = Rig(by_ordinal(reply(price), reply(call("tell_time")), seal()))
    assert (await rig.play()).decision == {"prices": {"tea": 9}}
    assert rig.results()[1] == "noon in window 0"


def test_a_tool_that_nothing_handles_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="run"):
        HarnessTool(name="idle", description="Nothing.", arguments=NoArguments)  # type: ignore[call-arg]


def identity() -> str:
    return LLM.identity(LLM.resolve({"route": "one"}, Path()))


class Titled(NoArguments):
    page: int = Field(default=1, description="page")


@pytest.mark.parametrize(
    "changed",
    [
        HarnessTool(name="list_files", description="List them.", arguments=NoArguments, run=_noon),
        HarnessTool(name="list_files", description=harness.HARNESS_TOOLS[3].description, arguments=Titled,
                    run=_noon),
    ],
    ids=["description", "schema"],
)  # fmt: skip
def test_another_description_or_schema_of_a_tool_is_another_contestant(
    monkeypatch: pytest.MonkeyPatch, changed: HarnessTool[NoArguments]
) -> None:
    before = identity()
    assert harness.HARNESS_TOOLS[3].name == "list_files"
    tools = (*harness.HARNESS_TOOLS[:3], changed, *harness.HARNESS_TOOLS[4:])
    monkeypatch.setattr(harness, "HARNESS_TOOLS", tools)
    assert identity() != before


@pytest.mark.parametrize("name", ["BLANK", "NO_FILE", "QUERY_HINTS", "CLOSED_LATE"])
def test_another_wording_is_another_contestant(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = identity()
    monkeypatch.setattr(wording, name, "otherwise")
    assert identity() != before


class Stock(BaseModel):
    model_config = ConfigDict(extra="forbid")
    product: str = Field(description="tea or rye")


class AskableDesk(ToyDesk):
    """A desk whose market answers questions too: one of its shelf, one that searches its books."""

    def tools(self) -> Sequence[MarketTool]:
        return (
            *ToyDesk.tools(self),
            ReadTool(name="read_shelf", description=self.shelf, arguments=Stock, answer=self._shelf),
            ReadTool(name="search", description="Search.", arguments=Stock, answer=self._shelf, queries=True),
        )

    shelf = "Tell what is on the shelf."

    def _shelf(self, given: BaseModel) -> Json:
        product = Stock.model_validate(given).product
        if product == "all":
            return {"note": "x" * 100_000}
        if product != "tea":
            raise InputError(f"no shelf for {product}")
        return {"product": product, "cash": self.cash}


def asking(product: str = "tea", tool: str = "read_shelf"):  # type: ignore[no-untyped-def]
    return reply(call(tool, {"product": product}))


async def test_a_market_answers_questions_and_the_draft_stays_as_it_is() -> None:
    price = call("set_price", {"product": "tea", "cents": 9})
    script = by_ordinal(reply(price), asking(), asking("rye"), asking("all"), seal())
    rig = Rig(script, AskableDesk())
    assert (await rig.play()).decision == {"prices": {"tea": 9}}
    told = rig.results()
    assert told[1] == '{"product":"tea","cash":1000}'
    assert told[2] == "No answer: no shelf for rye"
    assert "[cut: 65536 of" in told[3]
    account = account_of(rig.store.records(0))
    assert (account.staged, account.refused_calls) == (1, 1)
    answer = rig.bodies("result")[1]
    assert (answer["tool"], answer["draft"], answer["done"]) == ("read_shelf", None, True)


async def test_in_finalization_questions_are_answered_unless_they_query() -> None:
    both = reply(call("read_shelf", {"product": "tea"}), call("search", {"product": "tea"}))
    rig = Rig(lambda request, ordinal: both, AskableDesk(), budgets={"replies": 5})
    assert (await rig.play()).state == "budget_exhausted"
    told = rig.results()
    assert told[1].startswith('{"product":"tea"')
    assert told[-2].startswith('{"product":"tea"')
    assert told[-1].startswith("search is disabled in finalization")
    offered = {tool["function"]["name"]: tool["function"] for tool in rig.route.requests[0].tools}
    assert offered["search"]["description"] == "Search. Disabled in finalization."
    assert offered["read_shelf"]["description"] == "Tell what is on the shelf."


async def test_a_window_with_questions_resumes_at_every_record_and_none_is_answered_twice() -> None:
    script = by_ordinal(asking(), asking("rye"), seal())
    first = Rig(script, AskableDesk())
    await first.play()
    for length in range(len(first.store.events)):
        again = Rig(script, AskableDesk(), store=first.store.cut(length))
        await again.play()
        assert again.state().messages == first.state().messages
        assert again.kinds().count("result") == 2


async def test_a_window_is_not_continued_under_other_words_of_its_markets_tools() -> None:
    script = by_ordinal(asking(), seal())
    first = Rig(script, AskableDesk())
    await first.play()
    desk = AskableDesk()
    desk.shelf = "Tell it otherwise."
    with pytest.raises(Suspension, match="other tools"):
        await Rig(script, desk, store=first.store.cut(4)).play()


@pytest.mark.parametrize("services", [{}, {"lmm": None}, {"routes": {}, "spent": None}])
def test_a_seat_without_services_is_refused_and_never_lent_an_uncapped_meter(
    services: dict[str, object],
) -> None:
    rig = Rig(by_ordinal(seal()))
    context = SeatContext(world="w", seat=2, contestant="astra", store=rig.store, services=services)
    with pytest.raises(InputError, match="no routes are set up"):
        LLM.build(LLM.resolve({"route": "one"}, Path()), context)
