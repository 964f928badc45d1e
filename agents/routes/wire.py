"""What really went over the wire: one HTTP exchange an attempt, seen below litellm.

litellm turns a cut body, a refused connection, a surrogate and a list it did not expect into the same
"500", fills missing usage with zeros, invents ids and models, and may ask again by itself. Here the
transport under its clients is wrapped: each attempt sees its own answer as it was, and a second model
request within one attempt does not leave the machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

import httpx

from tournament.records import Json

BODY_BYTES: Final = 64 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One attempt's exchange: `status` is None until the provider answered, `error` says what broke."""

    sent: int = 0
    status: int | None = None
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    body: bytes = b""
    error: str = ""
    request: bytes = b""

    @property
    def answered(self) -> bool:
        return self.status is not None and not self.error

    @property
    def parsed(self) -> Json:
        """The body as JSON, or None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


class SecondRequest(httpx.TransportError):
    """litellm asked again within one attempt; the retry loop is ours."""


_current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


class Tap(httpx.AsyncBaseTransport):
    """A transport that keeps the exchange of whoever is asking."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        exchange = _current.get()
        if exchange is None or request.method != "POST" or _is_login(request):
            return await self._inner.handle_async_request(request)
        exchange.sent += 1
        if exchange.sent > 1:
            raise SecondRequest("a second request within one attempt", request=request)
        exchange.request = request.content
        try:
            response = await self._inner.handle_async_request(request)
            exchange.status, exchange.headers = response.status_code, response.headers
            exchange.body = await _read(response)
        except (httpx.TransportError, httpx.StreamError) as fault:
            exchange.error = f"{type(fault).__name__}: {fault}"
            raise
        return _again(response, exchange.body, request)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _is_login(request: httpx.Request) -> bool:
    """Token endpoints of cloud accounts are asked beside the model."""
    form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    return form or request.url.path.endswith(("/token", ":generateAccessToken"))


async def _read(response: httpx.Response) -> bytes:
    body = await response.aread()
    if len(body) > BODY_BYTES:
        raise httpx.ReadError(f"an answer of {len(body)} bytes")
    return body


def _again(response: httpx.Response, body: bytes, request: httpx.Request) -> httpx.Response:
    """The answer as a fresh response; its body is read and decoded already."""
    spent = {"content-encoding", "content-length", "transfer-encoding"}
    headers = [(key, value) for key, value in response.headers.multi_items() if key.lower() not in spent]
    return httpx.Response(response.status_code, headers=headers, content=body, request=request)


@contextmanager
def watching() -> Iterator[Exchange]:
    """Watch the exchange of the calls made inside, and of the tasks that they start."""
    exchange = Exchange()
    token = _current.set(exchange)
    try:
        yield exchange
    finally:
        _current.reset(token)
