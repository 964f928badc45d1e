"""What a composition root gives to the model seats of a run: routes, the meter of dollars, SQL processes.

One typed value under one name. Nothing in it that binds money has a default, so that a service which was
forgotten or misspelt is an error and never an uncapped study.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from agents.llm.accounting.spend import SpendMeter
from agents.llm.sql.pool import QueryPool
from tournament.errors import InputError
from tournament.ports import ModelRoute
from tournament.records import SeatContext

SERVICE: Final = "llm"
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmServices:
    """Shared by every model seat of a run; `clock` gives seconds, for active time."""

    routes: Mapping[str, ModelRoute]
    spend: SpendMeter
    queries: QueryPool
    clock: Clock = time.perf_counter


def services_of(context: SeatContext) -> LlmServices:
    """Return the services in a seat's context; raises InputError where they are not there."""
    given = context.services.get(SERVICE)
    if not isinstance(given, LlmServices):
        found = ", ".join(sorted(context.services)) or "none"
        raise InputError(
            f"seat {context.seat} of {context.world} is a model's, but no routes are set up: the service"
            f" {SERVICE!r} is missing; given: {found}"
        )
    return given


def route_of(services: LlmServices, name: str, context: SeatContext) -> ModelRoute:
    """Return a route by its id; raises InputError naming the seat and what there is."""
    if name not in services.routes:
        known = ", ".join(sorted(services.routes)) or "none"
        raise InputError(f"seat {context.seat} of {context.world}: unknown route {name}; known: {known}")
    return services.routes[name]
