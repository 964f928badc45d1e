"""The shipped suite passes what keeps the rules, and names the rule that a broken market or policy breaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from tests.toy.lemonade.market import LEMONADE, Counter, LemonadeMarket, Rules, Stand, Street
from tests.toy.lemonade.policies import HAGGLER, STAND, Kind, Parameters
from tournament import registry
from tournament.conformance import ConformanceError, check_market, check_policy
from tournament.ports import Desk
from tournament.records import (
    Choice,
    Column,
    Decision,
    Decisions,
    Json,
    SeatContext,
    Settlement,
    Table,
    Tool,
    WorldTables,
)


def stock_more(desk: Desk) -> Decision:
    return {"target": 37}


def order_one_more(desk: Desk) -> Decision:
    return {"reorder_targets": {"A": 613}}


def test_the_toy_market_and_its_policies_keep_the_rules() -> None:
    check_market(
        LEMONADE, seed=3, seats=3, private=stock_more, exogenous=("thirsty",), never_negative=("lemons",)
    )
    for kind in (STAND, HAGGLER):
        check_policy(kind, {}, LEMONADE.configure({}))


@pytest.mark.parametrize("seed", [11, 47])
def test_the_company_market_keeps_the_rules(seed: int) -> None:
    check_market(
        registry.market_kind("ceo_arena@1"),
        seed=seed,
        seats=4,
        private=order_one_more,
        overrides={"days": 105},
        exogenous=("arrivals", "phase", "outside_value"),
        never_negative=("stock", "inbound", "backorders", "throughput", "tier", "capacity", "units"),
    )


KINDS = {name: registry.policy_kind(name) for name in registry.policies()}
MODEL_FREE = [
    name
    for name, kind in KINDS.items()
    if kind.model_free and (not kind.markets or "ceo_arena@1" in kind.markets)
]
GIVEN: Mapping[str, Mapping[str, Json]] = {
    "scripted@1": {"windows": [{"prices": {"A": 3900}}, {}, {"prices": {"A": 1}, "innovation": [3, 3, 3, 3]}]}
}


@pytest.mark.parametrize("policy", MODEL_FREE)
def test_every_registered_policy_without_a_model_keeps_the_rules(policy: str) -> None:
    kind = registry.policy_kind(policy)
    market = registry.market_kind("ceo_arena@1").configure({"days": 140})
    check_policy(kind, GIVEN.get(policy, {}), market)


class Leaky(Counter):
    def facts(self) -> Mapping[str, Json]:
        return {**super().facts(), "rival_lemons": [stand.lemons for stand in self.street.stands]}


class Meddling(Counter):
    def check(self, decision: Json) -> str | None:
        self.street.stands[self.seat - 1].lemons += 1
        return super().check(decision)


class Restless(Counter):
    def null(self) -> Decision:
        return {"price": 90}


class Unplain(Counter):
    def facts(self) -> Mapping[str, Json]:
        return {**super().facts(), "odd": float("nan")}


class Overdrawn(Counter):
    def facts(self) -> Mapping[str, Json]:
        return {**super().facts(), "stock": {"lemons": -1}}


class Revising(Counter):
    """Rewrites yesterday's rows of a table that is said to grow."""

    def tables(self) -> tuple[Table, ...]:
        day = Column(name="day", type="INTEGER", description="day")
        return (Table(name="diary", description="days", columns=(day,), grows=True),)

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        return ((self.version - day,) for day in range(after, self.version))


@dataclass(frozen=True, slots=True)
class StreetWith(LemonadeMarket):
    """A lemonade market whose worlds are of another make."""

    make: Callable[..., Street] = Street

    def open(self, seed: int, seats: int) -> Street:
        return self.make(self.rules, seed, seats)


@dataclass(frozen=True, slots=True)
class KindOf:
    make: Callable[..., Street]
    id: str = "lemonade@1"
    summary: str = "broken"

    def configure(self, overrides: Mapping[str, Json]) -> StreetWith:
        return StreetWith(rules=LEMONADE.configure(overrides).rules, make=self.make)

    def prepare(self, announce: Callable[[str], None]) -> None:
        announce("nothing to prepare")


def with_desk(desk: type[Counter]) -> KindOf:
    class Other(Street):
        def desk(self, seat: int) -> Counter:
            return desk(self, seat)

    return KindOf(make=Other)


class Forgetful(Street):
    """Loses a cent that no posting tells of."""

    def settle(self, decisions: Decisions) -> Settlement:
        settled = super().settle(decisions)
        self.stands[0].cash -= 1
        return settled


class Fickle(Street):
    """Draws its luck anew in every world."""

    count = 0

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        Fickle.count += 1
        self.thirst = self.thirst + Fickle.count


class Pliable(Street):
    """More people come when prices are low."""

    def _apply(self, seat: int, decision: Decision) -> Any:
        self.thirst = self.thirst + len(decision)
        return super()._apply(seat, decision)


class Pedantic(Street):
    """Calls it a different day when the keys of a decision come in another order."""

    def settle(self, decisions: Decisions) -> Settlement:
        settled = super().settle(decisions)
        orders = json.dumps([[*decision] for decision in decisions if decision])
        return replace(settled, hashes=tuple(f"{digest} {orders}" for digest in settled.hashes))

    def desk(self, seat: int) -> Counter:
        return Stocking(self, seat)


class Glasses(BaseModel):
    glasses: Annotated[int, Field(ge=0, le=40)]


class Stocking(Counter):
    """Has a tool for the second field of a decision too."""

    def tools(self) -> tuple[Tool, ...]:
        def stage(draft: Decision, arguments: Any) -> Decision:
            return {**draft, "target": arguments.glasses}

        return (*super().tools(), Tool(name="stock", description="glasses", arguments=Glasses, stage=stage))


class Code(BaseModel):
    """A word that no desk shows and no example gives."""

    code: Annotated[str, Field(pattern="^Q[0-9]{9}$")]


class Cryptic(Counter):
    def tools(self) -> tuple[Tool, ...]:
        said = Tool(name="say", description="a code", arguments=Code, stage=lambda draft, _: draft)
        return (*super().tools(), said)


class Writing(Counter):
    """Stages into the draft that it is given."""

    def tools(self) -> tuple[Tool, ...]:
        (tool,) = super().tools()

        def stage(draft: Decision, arguments: Any) -> Decision:
            draft["price"] = 1
            return tool.stage(draft, arguments)

        return (replace(tool, stage=stage),)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (KindOf(Pedantic), "window [0-9]+ depends on the order of a decision's keys"),
        (with_desk(Cryptic), "no arguments of tool say could be drawn from its schema"),
        (with_desk(Writing), "tool set_price changes the draft it was given"),
        (with_desk(Leaky), "seat 1 sees what seat 3 did in private"),
        (with_desk(Meddling), "a check or preview changes seat 1's view|looking at the desks changes window"),
        (with_desk(Restless), "the decision that changes nothing changes window 0"),
        (with_desk(Unplain), "facts are not JSON"),
        (with_desk(Overdrawn), r"seat 1 sees \.stock\.lemons = -1"),
        (with_desk(Revising), "seat 1's table diary at day 14 is not that of day 7 and new rows behind it"),
        (KindOf(Forgetful), "its postings sum to"),
        (KindOf(Fickle), "replays to another state"),
        (KindOf(Pliable), "decisions move the exogenous column thirsty"),
    ],
    ids=[
        "pedantic",
        "cryptic",
        "writing",
        "leaky",
        "meddling",
        "restless",
        "unplain",
        "overdrawn",
        "revising",
        "forgetful",
        "fickle",
        "pliable",
    ],
)
def test_a_broken_market_is_told_what_it_breaks(kind: KindOf, sentence: str) -> None:
    with pytest.raises(ConformanceError, match=sentence):
        check_market(
            kind,
            seed=3,
            seats=3,
            private=stock_more,
            exogenous=("thirsty",),
            never_negative=("lemons", "stock"),
        )


class Unlisted(Street):
    """Gives an outcome that it does not declare."""

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        return tuple({**row, "smiles": 3} for row in super().outcomes())


class Secretive(Street):
    """Keeps an outcome back that it declares."""

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        return tuple({name: row[name] for name in row if name != "glasses"} for row in super().outcomes())


class Generous(Street):
    """Says that it earned a cent that no posting tells of."""

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        rows = [dict(row) for row in super().outcomes()]
        rows[0]["takings_cents"] = (rows[0]["takings_cents"] or 0) + 1
        return tuple(rows)


class Unmeasured(Street):
    def tables(self) -> WorldTables:
        return replace(super().tables(), measures=())


class Pathless(Street):
    def tables(self) -> WorldTables:
        tables = super().tables()
        return replace(tables, series={name: tables.series[name][1:] for name in tables.series})


class Uneventful(Street):
    def tables(self) -> WorldTables:
        return replace(super().tables(), extra={})


class Crowded(Street):
    """Opens for more stands than it declares."""

    def __init__(self, rules: Rules, seed: int, seats: int) -> None:
        super().__init__(rules, seed, min(seats, 12))
        self.stands += [Stand(cash=rules.cash_cents) for _ in range(seats - 12)]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (Unlisted, "the outcome column smiles is given and not declared"),
        (Secretive, "the outcome column glasses is declared and not given"),
        (Generous, "the accounts do not make the score|takings_cents says"),
        (Unmeasured, "the measure thirst_quenched is declared and not given"),
        (Pathless, "has 11 rows, not one a window and seat"),
        (Uneventful, "the events of heatwaves are declared, and there is no such table"),
        (Crowded, "it declares 1 to 12 seats and opens with 13"),
    ],
    ids=lambda given: given.__name__.lower() if isinstance(given, type) else "",
)
def test_a_market_that_gives_other_than_it_declares_is_told_where(make: type[Street], sentence: str) -> None:
    with pytest.raises(ConformanceError, match=sentence):
        check_market(KindOf(make), seed=3, seats=3, private=stock_more)


@dataclass(slots=True)
class Hoarder:
    """Keeps a count of its own beside the memo."""

    parameters: Parameters
    context: SeatContext
    seen: list[int] = field(default_factory=list)

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        self.seen.append(desk.window)
        return Choice(decision={"price": 50 + len(self.seen)})


@dataclass(frozen=True, slots=True)
class Mystic:
    parameters: Parameters
    context: SeatContext

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        return Choice(decision={"price": 50}, memo={"vision": {1, 2}})


def test_a_policy_that_keeps_more_than_its_memo_is_told_so() -> None:
    with pytest.raises(ConformanceError, match="it keeps more than its memo"):
        check_policy(Kind(id="hoarder@1", seated=Hoarder), {}, LEMONADE.configure({}))


def test_a_memo_that_is_not_json_is_named() -> None:
    with pytest.raises(ConformanceError, match=r"policy mystic@1: decision or memo is not JSON"):
        check_policy(Kind(id="mystic@1", seated=Mystic), {}, LEMONADE.configure({}), folder=Path())


def test_a_policy_is_not_seated_in_a_market_whose_words_it_does_not_speak() -> None:
    with pytest.raises(ConformanceError, match="does not speak market lemonade@1"):
        check_policy(registry.policy_kind("rule@1"), {}, LEMONADE.configure({}))
