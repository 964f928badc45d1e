"""The policy `llm@1`: a language model as chief executive, spoken to through a route.

Stateless between windows but for the last image of its database, which only saves work: the
conversation is new in each one, and what a CEO keeps are its files in the seat's store. The memo only
says which prompt the last window had, so that its text is kept once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field

from agents.llm.accounting.usage import usage_columns
from agents.llm.prompt import prompt_hash, system_text
from agents.llm.services import LlmServices, route_of, services_of
from agents.llm.sql.database import CompanyDatabase, KeptImage, tables
from agents.llm.tools.context import ToolContext
from agents.llm.toolset import toolset
from agents.llm.window.budget import Budgets
from agents.llm.window.conversation import GIVEN
from agents.llm.window.grammar import record_fault
from agents.llm.window.loop import Window
from agents.strategy import Parameters
from tournament import seal
from tournament.errors import InputError
from tournament.ports import Desk, ModelRoute, Policy
from tournament.records import Choice, Json, Record, SeatContext

# Raised whenever the harness would treat the same reply otherwise than before.
HARNESS_VERSION: Final = 3


class LlmParameters(Parameters):
    """The route, and budgets where they are not the common ones."""

    route: str = Field(min_length=1, description="id of the route that the CEO speaks through")
    budgets: Budgets = Field(default_factory=Budgets, description="budgets of a window")


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmPolicy:
    """One seat's model: everything that its windows share."""

    context: SeatContext
    route: ModelRoute
    budgets: Budgets
    services: LlmServices
    image: KeptImage = field(default_factory=KeptImage)

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        store = self.context.store
        window = Window(
            label=f"{self.context.world} seat {self.context.seat} window {desk.window}",
            world=self.context.world,
            route=self.route,
            store=store,
            spend=self.services.spend,
            clock=self.services.clock,
            budgets=self.budgets,
            tools=toolset(desk.tools()),
            context=ToolContext(
                desk=desk,
                database=CompanyDatabase(desk, self.services.queries, self.image),
                files=store.files,
                file_sizes=store.file_sizes,
            ),
            system=system_text(desk.guide(), tables(desk), self.budgets),
            known_prompt=memo["prompt"] if isinstance(memo, dict) else "",
            form=memo.get("form", GIVEN) if isinstance(memo, dict) else GIVEN,
        )
        return await window.play()


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmKind:
    """The registered kind."""

    id: str = "llm@1"
    summary: str = "a language model with tools, memory and budgets, through one route"
    markets: frozenset[str] = frozenset()
    model_free: bool = False
    parameters: type[BaseModel] = LlmParameters
    traits: tuple[str, ...] = ("model",)

    def resolve(self, parameters: Mapping[str, Json], folder: Path) -> BaseModel:
        return LlmParameters.model_validate(dict(parameters))

    def identity(self, parameters: BaseModel) -> str:
        """Bind parameters, harness, prompt and the harness's tools; the study adds what the route's entry says.

        A market's guide and tools are bound where they are met: in each window's prompt digest, and by
        the run's hashes of its sources.
        """
        bound = {
            "harness": HARNESS_VERSION,
            "prompt": prompt_hash(),
            "parameters": parameters.model_dump(mode="json"),
        }
        return f"{self.id}-{seal.digest(bound)[:8]}"

    def usage(self, parameters: BaseModel, records: Sequence[Record]) -> Mapping[str, Json]:
        """Account for one window (a tournament.ports.Accountable)."""
        return usage_columns(LlmParameters.model_validate(parameters).route, records)

    def record_fault(self, records: Sequence[Record], *, closed: bool) -> str:
        """Check one window's records (a tournament.ports.Recording)."""
        return record_fault(records, closed=closed)

    def build(self, parameters: BaseModel, context: SeatContext) -> Policy:
        given = LlmParameters.model_validate(parameters)
        if context.store is None:
            raise InputError(f"{self.id} needs a seat's store: its windows live in a world's journal")
        services = services_of(context)
        route = route_of(services, given.route, context)
        if given.budgets.working_tokens < route.least_ceiling:
            raise InputError(
                f"budgets of {given.budgets.tokens} tokens leave {given.budgets.working_tokens} before"
                f" finalization; route {route.id} needs at least {route.least_ceiling} for one reply"
            )
        return LlmPolicy(context=context, route=route, budgets=given.budgets, services=services)


LLM: Final = LlmKind()
