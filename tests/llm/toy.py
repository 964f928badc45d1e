"""A desk of one page for the harness: two prices, one purchase, and tables as large as a test wants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

from tournament.records import Column, Decision, Json, Table, Tool

SECRET = "RIVAL-SECRET-7c1d"


class SetPrice(BaseModel):
    """Lax on purpose: the harness holds every model to its own rules."""

    product: Literal["tea", "rye"]
    cents: int = Field(ge=1, le=500, description="price in cents")


class BuyPress(BaseModel):
    presses: int = Field(ge=1, description="how many to buy now")


class Offer(BaseModel):
    accept: bool = Field(description="whether to accept the offer")


class Nothing(BaseModel):
    pass


def _price(draft: Decision, asked: BaseModel) -> Decision:
    assert isinstance(asked, SetPrice)
    return {**draft, "prices": {**draft.get("prices", {}), asked.product: asked.cents}}


def _press(draft: Decision, asked: BaseModel) -> Decision:
    assert isinstance(asked, BuyPress)
    return {**draft, "presses": asked.presses}


def _offer(draft: Decision, asked: BaseModel) -> Decision:
    assert isinstance(asked, Offer)
    return {**draft, "accept": asked.accept}


def _clear(draft: Decision, asked: BaseModel) -> Decision:
    return {}


TOOLS = (
    Tool(name="set_price", description="Set a price.", arguments=SetPrice, stage=_price),
    Tool(name="buy_press", description="Buy presses, 400 cents each.", arguments=BuyPress, stage=_press),
    Tool(name="reply_offer", description="Accept or decline.", arguments=Offer, stage=_offer),
    Tool(name="clear_prices", description="Take all prices back.", arguments=Nothing, stage=_clear),
)
COMPANY = Table(
    name="company",
    description="your company, one row",
    columns=(
        Column(name="seat", type="INTEGER", description="your seat"),
        Column(name="cash_cents", type="INTEGER", description="cash today"),
        Column(name="name", type="TEXT", description="what you are called"),
    ),
)
SALES = Table(
    name="sales",
    description="units sold by day",
    columns=(
        Column(name="day", type="INTEGER", description="day"),
        Column(name="units", type="INTEGER", description="units sold"),
        Column(name="note", type="TEXT", description="what the clerk wrote"),
    ),
)


@dataclass(slots=True)
class ToyDesk:
    """One seat of a market with `rivals` that nobody may see; counts how often each thing was asked."""

    seat: int = 1
    window: int = 0
    days: int = 50
    cash: int = 1000
    note: str = "ok"
    name: str = "Tea & Rye"
    rivals: Mapping[str, str] = field(default_factory=lambda: {"cash": SECRET})
    rows_asked: list[str] = field(default_factory=list)
    market_id: str = "toy@1"
    rules: str = "Sell tea and rye."

    @property
    def version(self) -> int:
        return self.window * 7

    def facts(self) -> Mapping[str, Json]:
        return {"day": self.version, "horizon": 70, "days_left": 70 - self.version, "cash_cents": self.cash}

    def check(self, decision: Json) -> str | None:
        cost = 400 * decision.get("presses", 0)
        return f"presses cost {cost} cents, cash is {self.cash} cents" if cost > self.cash else None

    def null(self) -> Decision:
        return {}

    def preview(self, decision: Decision) -> Mapping[str, Json]:
        return {"one_off_cents": 400 * decision.get("presses", 0), "warnings": []}

    def tools(self) -> Sequence[Tool]:
        return TOOLS

    def tables(self) -> Sequence[Table]:
        return (COMPANY, SALES)

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        self.rows_asked.append(table)
        if table == "company":
            return [(self.seat, self.cash, self.name)]
        return ((day, day % 7, self.note) for day in range(1, self.days + 1))

    def guide(self) -> str:
        return self.rules

    def brief(self) -> str:
        return f"Cash {self.cash} cents. Recent period: unavailable."
