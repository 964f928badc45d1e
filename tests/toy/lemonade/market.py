"""Lemonade stands share a street: the cheapest sell most, lemons are bought a window ahead.

Small enough to check by hand. `slow` makes each window last that many milliseconds, so that a test
can kill a run in the middle.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tournament.errors import InputError
from tournament.published import (
    Currency,
    EffectAccount,
    EventTable,
    MeasureColumn,
    OutcomeColumn,
    Published,
    Series,
    TimeAxis,
)
from tournament.records import (
    Decision,
    Decisions,
    Json,
    Measured,
    Receipt,
    Settlement,
    Table,
    Tool,
    WorldTables,
)

MARKET_ID: Final = "lemonade@1"
ACCOUNTS: Final = ("capital", "takings", "fruit")
CAPITAL, TAKINGS, FRUIT = range(3)
PUBLISHED: Final = Published(
    columns=(
        OutcomeColumn(
            name="score_cents", kind="money", unit="cents", sentence="till and lemons", role="score"
        ),
        OutcomeColumn(
            name="till_cents",
            kind="money",
            unit="cents",
            sentence="money in the till",
            role="cash",
            summary=True,
        ),
        OutcomeColumn(
            name="lemons_cents", kind="money", unit="cents", sentence="lemons left over", role="salvage"
        ),
        OutcomeColumn(
            name="closed_on", kind="time", unit="hour", sentence="hour in which it closed", role="exit"
        ),
        OutcomeColumn(
            name="takings_cents",
            kind="money",
            unit="cents",
            sentence="glasses sold",
            role="income",
            summary=True,
        ),
        OutcomeColumn(
            name="fruit_cents", kind="money", unit="cents", sentence="lemons and rent", summary=True
        ),
        OutcomeColumn(name="glasses", kind="count", unit="glasses", sentence="glasses sold", summary=True),
    ),
    accounts=(
        EffectAccount(name="takings", column="takings_cents", sign=1, group="income", ledger=("takings",)),
        EffectAccount(name="fruit", column="fruit_cents", sign=-1, group="goods", ledger=("fruit",)),
        EffectAccount(name="lemons", column="lemons_cents", sign=1, group="terminal", scores=("score",)),
    ),
    effect_counts=("glasses",),
    measures=(
        MeasureColumn(
            name="thirst_quenched",
            title="Thirst quenched",
            unit="share",
            sentence="glasses sold / thirsty people",
        ),
    ),
    group="street",
    series=(
        Series(
            name="glasses_sold", title="Glasses sold", sentence="glasses sold in the window", kind="count"
        ),
    ),
    events=(EventTable(table="heatwaves", title="Heat waves", moment="hour"),),
    time=TimeAxis(unit="hour", plural="hours"),
    currency=Currency(code="EUR", sign="€"),
    most_seats=12,
    daily_cash="till_cents",
    cash_fact="till_cents",
)


class Rules(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    days: int = Field(default=28, ge=1)
    window_days: int = Field(default=7, ge=1)
    cash_cents: int = 10_000
    lemon_cents: int = 20
    rent_cents: int = 0
    slow: int = 0


@dataclass(slots=True)
class Stand:
    """One firm; `lemons` is private, `price` is public."""

    cash: int
    lemons: int = 20
    price: int = 100
    target: int = 20
    active: bool = True
    left_on: int | None = None
    books: dict[str, int] = field(default_factory=lambda: {"takings": 0, "fruit": 0, "sold": 0})


class Street:
    """A world of the lemonade market."""

    def __init__(self, rules: Rules, seed: int, seats: int) -> None:
        if not PUBLISHED.least_seats <= seats <= PUBLISHED.most_seats:
            raise InputError(f"a street has room for 1 to 12 stands, not {seats}")
        self.rules = rules
        key = hashlib.sha256(f"lemonade/{seed}".encode()).digest()
        stream = np.random.Generator(np.random.Philox(key=np.frombuffer(key[:16], dtype=np.uint64)))
        self.thirst = stream.poisson(20 * seats, size=rules.days)
        self.stands = [Stand(cash=rules.cash_cents) for _ in range(seats)]
        self.window = 0
        self.version = 0
        self.daily: list[dict[str, int]] = []
        self._digest = key

    @property
    def windows(self) -> int:
        return -(-self.rules.days // self.rules.window_days)

    def active(self) -> tuple[int, ...]:
        return tuple(seat for seat, stand in enumerate(self.stands, start=1) if stand.active)

    def desk(self, seat: int) -> Counter:
        return Counter(self, seat)

    def settle(self, decisions: Decisions) -> Settlement:
        time.sleep(self.rules.slow / 1000)
        first = self.version + 1
        last = min(self.version + self.rules.window_days, self.rules.days)
        refusals: dict[int, str] = {}
        receipts: list[Receipt] = []
        postings: list[tuple[int, int, int, int]] = []
        if first == 1:
            postings += [(0, seat, CAPITAL, self.rules.cash_cents) for seat in self.active()]
        for seat, decision in enumerate(decisions, start=1):
            if decision is not None and self.stands[seat - 1].active:
                reason = self.desk(seat).check(decision)
                if reason is not None:
                    refusals[seat] = reason
                else:
                    receipts += self._apply(seat, decision)
        hashes = [self._day(day, postings) for day in range(first, last + 1)]
        settlement = Settlement(
            window=self.window,
            first_day=first,
            last_day=last,
            refusals=refusals,
            receipts=tuple(receipts),
            postings=np.array(postings, dtype=np.int64).reshape(-1, 4),
            hashes=tuple(hashes),
        )
        self.version = last
        self.window += 1
        return settlement

    def _apply(self, seat: int, decision: Decision) -> list[Receipt]:
        stand = self.stands[seat - 1]
        stand.price = decision.get("price", stand.price)
        stand.target = decision.get("target", stand.target)
        return [
            Receipt(
                seat=seat,
                window=self.window,
                action=action,
                status="applied",
                cents=0,
                effective_day=self.version + 1,
                detail=str(decision[action]),
            )
            for action in sorted(decision)
        ]

    def _day(self, day: int, postings: list[tuple[int, int, int, int]]) -> str:
        buyers = int(self.thirst[day - 1])
        served = 0
        told = dict.fromkeys(range(1, len(self.stands) + 1), (0, 0, 0))
        for seat in sorted(self.active(), key=lambda seat: (self.stands[seat - 1].price, seat)):
            stand = self.stands[seat - 1]
            wanted = min(buyers, max(0, 40 - stand.price // 10))
            sold = min(wanted, stand.lemons)
            buyers -= sold
            told[seat] = (wanted, sold, sold * stand.price)
            served += sold
            stand.lemons -= sold
            self._post(postings, day, seat, TAKINGS, sold * stand.price)
            stand.books["sold"] += sold
            bought = max(0, min(stand.target - stand.lemons, stand.cash // self.rules.lemon_cents))
            self._post(postings, day, seat, FRUIT, -bought * self.rules.lemon_cents)
            stand.lemons += bought
            self._post(postings, day, seat, FRUIT, -self.rules.rent_cents)
            if stand.cash < 0:
                stand.active, stand.left_on = False, day
        self._note(day, told)
        state = [[s.cash, s.lemons, s.price, s.target, s.active] for s in self.stands]
        self._digest = hashlib.sha256(self._digest + json.dumps([state, served]).encode()).digest()
        return self._digest.hex()

    def _note(self, day: int, told: Mapping[int, tuple[int, int, int]]) -> None:
        for seat, stand in enumerate(self.stands, start=1):
            wanted, sold, takings = told[seat]
            self.daily.append(
                {
                    "day": day,
                    "seat": seat,
                    "till_cents": stand.cash if stand.active else 0,
                    "price_cents": stand.price,
                    "lemons": stand.lemons,
                    "wanted": wanted,
                    "glasses": sold,
                    "takings_cents": takings,
                }
            )

    def _post(
        self, postings: list[tuple[int, int, int, int]], day: int, seat: int, account: int, cents: int
    ) -> None:
        self.stands[seat - 1].cash += cents
        self.stands[seat - 1].books[ACCOUNTS[account]] += cents
        postings.append((day, seat, account, cents))

    def scores(self) -> tuple[int, ...]:
        return tuple(stand.cash + 5 * stand.lemons - self.rules.cash_cents for stand in self.stands)

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        rows: list[Mapping[str, int | None]] = []
        for score, stand in zip(self.scores(), self.stands, strict=True):
            rows.append(
                {
                    "score_cents": score,
                    "till_cents": stand.cash,
                    "lemons_cents": 5 * stand.lemons,
                    "closed_on": stand.left_on,
                    "takings_cents": stand.books["takings"],
                    "fruit_cents": -stand.books["fruit"],
                    "glasses": stand.books["sold"],
                }
            )
        return tuple(rows)

    def tables(self) -> WorldTables:
        daily = {name: np.array([row[name] for row in self.daily]) for name in self.daily[0]}
        thirsty = int(self.thirst.sum())
        sold = int(daily["glasses"].sum())
        hot = [hour for hour, people in enumerate(self.thirst, start=1) if people > 22 * len(self.stands)]
        return WorldTables(
            daily=daily,
            market={"day": np.arange(1, len(self.thirst) + 1), "thirsty": self.thirst},
            measures=(
                Measured(
                    name="thirst_quenched",
                    group="",
                    value=sold / thirsty if thirsty else None,
                    note="" if thirsty else "nobody was thirsty",
                ),
            ),
            series=self._series(daily),
            extra={"heatwaves": {"hour": np.array(hot, dtype=np.int64)}},
        )

    def _series(self, daily: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        hours, seats, length = self.rules.days, len(self.stands), self.rules.window_days
        ends = np.minimum(np.arange(length, hours + length, length), hours)
        sold = np.add.reduceat(daily["glasses"].reshape(-1, seats), np.arange(0, hours, length), axis=0)
        till = daily["till_cents"].reshape(-1, seats)[ends - 1]
        left = np.array([stand.left_on or hours + 1 for stand in self.stands])
        open_at_end = ends[:, None] < left[None, :]
        return {
            "window": np.repeat(np.arange(len(ends)), seats),
            "last_day": np.repeat(ends, seats),
            "seat": np.tile(np.arange(1, seats + 1), len(ends)),
            "in_business": open_at_end.ravel(),
            "till_cents": np.where(open_at_end, till, np.nan).ravel(),
            "glasses_sold": np.where(open_at_end, sold, np.nan).ravel(),
        }


class Price(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    cents: int = Field(ge=1, le=300)


def _stage_price(draft: Decision, arguments: BaseModel) -> Decision:
    return {**draft, "price": Price.model_validate(arguments).cents}


@dataclass(frozen=True, slots=True)
class Counter:
    """A seat's desk."""

    street: Street
    seat: int
    market_id: str = MARKET_ID

    @property
    def version(self) -> int:
        return self.street.version

    @property
    def window(self) -> int:
        return self.street.window

    def facts(self) -> Mapping[str, Json]:
        own = self.street.stands[self.seat - 1]
        return {
            "market": MARKET_ID,
            "seat": self.seat,
            "day": self.version,
            "till_cents": own.cash,
            "lemons": own.lemons,
            "public_prices": [stand.price for stand in self.street.stands],
        }

    def check(self, decision: Json) -> str | None:
        if not isinstance(decision, dict) or set(decision) - {"price", "target"}:
            return "a decision is an object with price and target"
        for name, most in (("price", 300), ("target", 500)):
            if name in decision and not (type(decision[name]) is int and 1 <= decision[name] <= most):
                return f"{name} is 1 to {most}"
        return None

    def null(self) -> Decision:
        return {}

    def preview(self, decision: Decision) -> Mapping[str, Json]:
        return {"refused": self.check(decision)}

    def tools(self) -> tuple[Tool, ...]:
        return (Tool(name="set_price", description="a price", arguments=Price, stage=_stage_price),)

    def tables(self) -> tuple[Table, ...]:
        return ()

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        raise InputError(f"no table {table}")

    def guide(self) -> str:
        return "Sell lemonade."

    def brief(self) -> str:
        return f"Day {self.version}."


@dataclass(frozen=True, slots=True)
class LemonadeMarket:
    rules: Rules

    @property
    def id(self) -> str:
        return MARKET_ID

    @property
    def scenario(self) -> str:
        changed = self.rules.model_dump(exclude_defaults=True)
        return MARKET_ID + "".join(f"+{name}={value}" for name, value in sorted(changed.items()))

    @property
    def days(self) -> int:
        return self.rules.days

    @property
    def windows(self) -> int:
        return -(-self.rules.days // self.rules.window_days)

    @property
    def accounts(self) -> tuple[str, ...]:
        return ACCOUNTS

    @property
    def published(self) -> Published:
        return PUBLISHED

    def describe(self) -> Mapping[str, Json]:
        return dict(self.rules.model_dump())

    def open(self, seed: int, seats: int) -> Street:
        return Street(self.rules, seed, seats)


@dataclass(frozen=True, slots=True)
class LemonadeKind:
    id: str = MARKET_ID
    summary: str = "lemonade stands on one street"

    def configure(self, overrides: Mapping[str, Json]) -> LemonadeMarket:
        return LemonadeMarket(replace_rules(overrides))

    def prepare(self, announce: Callable[[str], None]) -> None:
        announce("squeezing lemons 🍋")


def replace_rules(overrides: Mapping[str, Json]) -> Rules:
    unknown = set(overrides) - set(Rules.model_fields)
    if unknown:
        raise InputError(f"unknown override {sorted(unknown)[0]}")
    return Rules.model_validate(dict(overrides))


LEMONADE = LemonadeKind()
