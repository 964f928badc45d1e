"""Policies for lemonade stands: a fixed price, one with a memory, one that costs money, one with a bug."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from pydantic import BaseModel, ConfigDict

from tournament.errors import Suspension
from tournament.ports import Desk, Policy
from tournament.records import Choice, Json, SeatContext


class Parameters(BaseModel):
    """`outage` names a file: while it exists, a talker's provider is down from window 2 on."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    price: int = 100
    log: str = ""
    outage: str = ""


@dataclass(frozen=True, slots=True)
class Stand:
    """Keeps one price; a price that the street forbids is its way to be refused."""

    parameters: Parameters
    context: SeatContext

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        return Choice(decision={"price": self.parameters.price}, rationale="as ever")


@dataclass(frozen=True, slots=True)
class Haggler:
    """Undercuts the cheapest rival by a cent and remembers how often it has."""

    parameters: Parameters
    context: SeatContext

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        facts = desk.facts()
        count = (memo or 0) + 1
        rivals = [price for seat, price in enumerate(facts["public_prices"], 1) if seat != desk.seat]
        return Choice(decision={"price": max(40, min(rivals) - 1), "target": 20 + count % 7}, memo=count)


@dataclass(frozen=True, slots=True)
class Talker:
    """Pays for every answer: keeps it in its store, and never buys one twice."""

    parameters: Parameters
    context: SeatContext

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        store = self.context.store
        replies = [record for record in store.records(desk.window) if record.kind == "reply"]
        if not replies:
            self._call_provider(desk.window)
            await anyio.sleep(0.001)
            price = 60 + (desk.window * 7 + desk.seat * 3) % 50
            replies = [store.append(desk.window, "reply", {"price": price}, {"MEMORY.md": f"asked {price}"})]
        if desk.window == 1:
            return Choice(decision={}, state="budget_exhausted", reason="out of breath")
        return Choice(decision={"price": replies[0].body["price"]}, rationale=store.files()["MEMORY.md"])

    def _call_provider(self, window: int) -> None:
        if self.parameters.outage and window >= 2 and Path(self.parameters.outage).exists():
            raise Suspension("the provider is down", kind="transport", route="toy")
        if self.parameters.log:
            with Path(self.parameters.log).open("a", encoding="utf-8") as log:
                log.write(f"{self.context.world}/{self.context.seat}/{window}\n")


@dataclass(frozen=True, slots=True)
class Broken:
    """Has a bug."""

    parameters: Parameters
    context: SeatContext

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        return Choice(decision={"price": 1 // (desk.window - desk.window)})


@dataclass(frozen=True, slots=True)
class Spy:
    """Tells in its rationale which heavy libraries its process has loaded."""

    parameters: Parameters
    context: SeatContext

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        heavy = {"pandas", "pyarrow", "litellm", "typer", "rich"}
        return Choice(decision={}, rationale=" ".join(sorted(heavy & set(sys.modules))) or "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A policy kind of this street."""

    id: str
    seated: Any
    model_free: bool = True
    summary: str = "sells lemonade"
    markets: frozenset[str] = frozenset({"lemonade@1"})
    parameters: type[BaseModel] = Parameters

    def resolve(self, parameters: Mapping[str, Json], folder: Path) -> BaseModel:
        return Parameters.model_validate(dict(parameters))

    def identity(self, parameters: BaseModel) -> str:
        text = json.dumps(parameters.model_dump(), sort_keys=True)
        return f"{self.id}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def build(self, parameters: BaseModel, context: SeatContext) -> Policy:
        policy: Policy = self.seated(Parameters.model_validate(parameters), context)
        return policy


STAND = Kind(id="stand@1", seated=Stand)
HAGGLER = Kind(id="haggler@1", seated=Haggler)
TALKER = Kind(id="talker@1", seated=Talker, model_free=False)
BROKEN = Kind(id="broken@1", seated=Broken)
SPY = Kind(id="spy@1", seated=Spy)
