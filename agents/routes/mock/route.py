"""The mock in this process: the same bodies, faults and judgement as over HTTP, without a socket or litellm."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from agents.routes.adapter import chat
from agents.routes.adapter.reply import ReplyReader
from agents.routes.adapter.wire import Exchange
from agents.routes.entry import MockSettings, RouteEntry
from agents.routes.errors.redaction import Scrubber
from agents.routes.errors.response import classify_response, is_error
from agents.routes.limiter import Clock
from agents.routes.mock.backends import load_backend
from agents.routes.mock.faults import InjectedFault, MockResponse, draw_fault, parse_faults, respond
from agents.routes.mock.model import MockBackend, body_hash, ceiling_of, completion
from agents.routes.price import Tariff
from tournament.errors import InputError
from tournament.records import Json, ModelReply, ModelRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class MockCaller:
    """Calls a mock model; `bought` counts the replies given, by the hash of the request's body."""

    entry: RouteEntry
    backend: MockBackend
    faults: tuple[InjectedFault, ...]
    seed: int
    reader: ReplyReader
    clock: Clock
    bought: Counter[str] = field(default_factory=Counter)

    async def send(self, request: ModelRequest, number: int) -> ModelReply:
        body = self._body(request)
        key = body_hash(body)
        begun = self.clock.now()
        fault = draw_fault(self.faults, key=key, seed=self.seed, attempt=number)
        answer = respond(fault, await completion(self.backend, body, seed=self.seed), ceiling_of(body))
        await asyncio.sleep(answer.delay)
        seconds = self.clock.now() - begun
        exchange = _exchange(answer)
        parsed = exchange.parsed
        ceiling = min(request.max_tokens, self.entry.ceiling)
        if is_error(exchange) or not isinstance(parsed, dict):
            return classify_response(
                exchange, None, ceiling=ceiling, seconds=seconds, price=self.reader.price_of
            )
        reply = self.reader.reply(
            chat.answer(parsed, parsed), seconds=seconds, body=exchange.body, ceiling=ceiling, raw=parsed
        )
        self.bought[key] += 1
        return reply

    def _body(self, request: ModelRequest) -> dict[str, Json]:
        """What would go over the wire."""
        arguments: dict[str, Any] = chat.arguments(self.entry, request)
        plain: dict[str, Json] = json.loads(
            json.dumps({"model": self.entry.model.partition("/")[2], **arguments})
        )
        return plain


def mock_caller(entry: RouteEntry, clock: Clock, folder: Path, tariff: Tariff | None) -> MockCaller:
    """Return the caller of a mock entry; raises InputError for a script or strategy that is none."""
    settings = entry.mock or MockSettings()
    name = entry.model.partition("/")[2]
    script = folder / settings.script if settings.script is not None else None
    try:
        backend = load_backend(name, params=settings.params, script=script)
        faults = parse_faults(settings.faults)
    except InputError as fault:
        raise InputError(str(fault), field=f"routes.{entry.id}.mock") from None
    return MockCaller(
        entry=entry,
        backend=backend,
        faults=faults,
        seed=settings.seed,
        reader=ReplyReader(entry=entry, tariff=tariff, scrub=Scrubber()),
        clock=clock,
    )


def _exchange(answer: MockResponse) -> Exchange:
    headers: Mapping[str, str] = answer.headers
    if answer.drop or answer.reset:
        return Exchange(sent=1, error="RemoteProtocolError: the server closed the connection")
    if answer.missing:
        return Exchange(sent=1, status=answer.status, error="ReadError: the body is cut", body=answer.body)
    return Exchange(sent=1, status=answer.status, headers=httpx.Headers(dict(headers)), body=answer.body)
