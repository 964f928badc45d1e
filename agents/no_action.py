"""No Action: seals an empty decision every window, so that the standing policies persist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from agents.strategy import Parameters, bound_id
from tournament.ports import Desk, Policy
from tournament.records import Choice, Json, SeatContext


class NoParameters(Parameters):
    """No Action has nothing to set."""


class _NoAction:
    async def decide(self, desk: Desk, memo: Json) -> Choice:
        return Choice(decision=desk.null())


@dataclass(frozen=True, slots=True)
class NoActionKind:
    """Speaks every market's vocabulary: each desk has a decision that changes nothing."""

    id: str = "no_action@1"
    summary: str = "seals an empty decision each window; settlement goes on under the standing policies"
    markets: frozenset[str] = frozenset()
    model_free: bool = True
    parameters: type[BaseModel] = NoParameters
    traits: tuple[str, ...] = ("fixed", "reference")

    def resolve(self, parameters: Mapping[str, Json], folder: Path) -> BaseModel:
        return NoParameters.model_validate(dict(parameters))

    def identity(self, parameters: BaseModel) -> str:
        return bound_id(self.id, parameters)

    def build(self, parameters: BaseModel, context: SeatContext) -> Policy:
        return _NoAction()


NO_ACTION: Final = NoActionKind()
