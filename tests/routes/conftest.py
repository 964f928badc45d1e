"""One event loop and one loopback provider for all tests of routes: litellm is loaded once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings

from agents.routes.build import close_routes, open_routes
from agents.routes.entry import RouteEntry
from agents.routes.route import Route
from tests.routes.server import Provider
from tournament.records import Attempt, ModelReply, ModelRequest

# Loading litellm falls into whichever example comes first.
settings.register_profile("routes", deadline=None)
settings.load_profile("routes")

KEY = "sk-canary-0123456789abcdef"
TOOL = {
    "type": "function",
    "function": {
        "name": "set_price",
        "description": "Set a price.",
        "parameters": {
            "type": "object",
            "properties": {"price": {"type": "integer"}},
            "required": ["price"],
            "additionalProperties": False,
        },
    },
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """pytest puts its own filters above those that loading litellm sets."""
    for item in items:
        item.add_marker(pytest.mark.filterwarnings(r"ignore:::pydantic\."))
        item.add_marker(pytest.mark.filterwarnings(r"ignore:::litellm\."))


class QuickClock:
    """Time that passes only by waiting, and at once."""

    def __init__(self) -> None:
        self.time = 1_796_000_000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        return self.time

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        await asyncio.sleep(0)
        if event.is_set():
            return
        if seconds is None:
            await event.wait()
            return
        self.waits.append(seconds)
        self.time += seconds


class RouteCaller:
    """A route to the loopback provider and what it told of its attempts."""

    def __init__(self, route: Route, clock: QuickClock) -> None:
        self.route = route
        self.clock = clock
        self.attempts: list[Attempt] = []

    async def complete(self, *messages: dict[str, Any], max_tokens: int = 1000) -> ModelReply:
        said = messages or ({"role": "system", "content": "S"}, {"role": "user", "content": "hi"})
        return await self.route.complete(request(*said, max_tokens=max_tokens), self.attempts.append, no_cap)

    @property
    def faults(self) -> list[str]:
        return [attempt.fault for attempt in self.attempts]


def request(*messages: dict[str, Any], max_tokens: int = 1000) -> ModelRequest:
    return ModelRequest(
        label="w seat 1 window 0 reply 1", messages=messages, tools=(TOOL,), max_tokens=max_tokens
    )


async def no_cap() -> None:
    """There is no dollar cap that another attempt could exceed."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def provider() -> AsyncIterator[Provider]:
    server = Provider()
    await server.start()
    yield server
    await close_routes()
    await server.stop()


@pytest.fixture
def call_route(provider: Provider, tmp_path: Any) -> Any:
    """Make a route to the provider from what an entry says beside id, model, address and key."""

    def make(**said: Any) -> RouteCaller:
        entry = {
            "id": "vendor",
            "model": "openai/vendor/model-a",
            "api_base": f"{provider.address}/v1",
            "key_env": "CANARY_KEY",
            "price": {"input": 3.0, "output": 15.0, "cached": 0.3},
            **said,
        }
        clock = QuickClock()
        routes = open_routes(
            [RouteEntry.model_validate(entry)],
            environment={"CANARY_KEY": KEY},
            folder=tmp_path,
            clock=clock,
        )
        return RouteCaller(routes["vendor"], clock)

    return make
