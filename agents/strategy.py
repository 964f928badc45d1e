"""How a policy without a model is made: one function from facts to a decision, wrapped for the registry.

A strategy module holds a parameter model, a `decide(parameters, facts, memo)` and its declaration.
The function sees the desk's facts alone and keeps nothing between windows but the memo, so that
replay, resume and replacement need no code of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from tournament.ports import Desk, Policy
from tournament.records import Choice, Decision, Json, SeatContext

Facts = Mapping[str, Any]
CEO_ARENA = frozenset({"ceo_arena@1"})


class Parameters(BaseModel):
    """Base of every parameter model: frozen, no unknown field, no type coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What a strategy answers: a decision, the memo for its next window, and why."""

    decision: Decision
    memo: Json = None
    rationale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy(Generic[P]):
    """A registered policy made of one decide function (a tournament.ports.PolicyKind)."""

    id: str
    summary: str
    parameters: type[P]
    decide: Callable[[P, Facts, Json], Move]
    traits: tuple[str, ...] = ()
    markets: frozenset[str] = CEO_ARENA
    model_free: bool = True

    def resolve(self, parameters: Mapping[str, Json], folder: Path) -> BaseModel:
        return self.parameters.model_validate(dict(parameters))

    def identity(self, parameters: BaseModel) -> str:
        return bound_id(self.id, parameters)

    def build(self, parameters: BaseModel, context: SeatContext) -> Policy:
        return _Seated(decide_on=self.decide, parameters=self.parameters.model_validate(parameters))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seated(Generic[P]):
    decide_on: Callable[[P, Facts, Json], Move]
    parameters: P

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        move = self.decide_on(self.parameters, desk.facts(), memo)
        return Choice(decision=without_blanks(move.decision), memo=move.memo, rationale=move.rationale)


def without_blanks(decision: Decision) -> Decision:
    """Return the decision without empty fields: a bid on no tender is no bid, as when tools stage it."""
    return {field: value for field, value in decision.items() if value not in ({}, [])}


def bound_id(policy_id: str, parameters: BaseModel) -> str:
    """Return the policy's id with a hash of every parameter: `rule@1-5f0c1c0a`."""
    text = json.dumps(parameters.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return f"{policy_id}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
