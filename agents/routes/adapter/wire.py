"""What really went over the wire: one HTTP exchange an attempt, seen below litellm.

litellm turns a cut body, a refused connection, a surrogate and a list it did not expect into the same
"500", fills missing usage with zeros, invents ids and models, and may retry by itself. Here the
transport under its clients is wrapped: each attempt sees its own answer as it was, and a second model
request within one attempt does not leave the machine.
"""

from __future__ import annotations

import json
import re
import sys
from asyncio import CancelledError
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, Literal

import httpx

from agents.routes.adapter.body import decode
from agents.routes.adapter.gemini import with_required_fields
from tournament.records import Json

BODY_BYTES: Final = 64 * 1024 * 1024
# Of a longer refusal litellm gets a stand-in: it searches every word of one for secrets, minutes for megabytes.
REFUSAL_BYTES: Final = 64 * 1024
Failure = Literal["connection", "timeout", "malformed_http"]
# Addresses of Python objects that client libraries print into messages: no two are alike, and none helps.
_WIRE_NOISE: Final = re.compile(r" (ssl:)?<[^<>]*object at 0x[0-9a-f]+>")


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One attempt's exchange: `status` is None until the provider answered, `error` says what broke.

    `unsent` tells that no connection was made: whatever else breaks, the provider may have the request.
    """

    sent: int = 0
    status: int | None = None
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    body: bytes = b""
    error: str = ""
    failure: Failure = "connection"
    unsent: bool = False
    request: bytes = b""

    def broken(self, error: BaseException | None) -> None:
        """Keep what broke the exchange, be it the connection or HTTP that no library reads."""
        self.error = f"{type(error).__name__}: {_WIRE_NOISE.sub('', str(error))}"
        if isinstance(error, httpx.TimeoutException):
            self.failure = "timeout"
        elif not isinstance(error, (httpx.TransportError, httpx.StreamError, CancelledError)):
            self.failure = "malformed_http"
        self.unsent = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))

    @property
    def answered(self) -> bool:
        return self.status is not None and not self.error

    @property
    def parsed(self) -> Json:
        """The body as JSON, mended where it had to be, or None where it is none."""
        return decode(self.body).value


class SecondRequest(httpx.TransportError):
    """litellm asked again within one attempt; the retry loop is ours."""


_current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


class RecordingTransport(httpx.AsyncBaseTransport):
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
        whole = False
        try:
            response = await self._inner.handle_async_request(request)
            exchange.status, exchange.headers = response.status_code, response.headers
            exchange.body = await _read(response)
            whole = True
        finally:
            if not whole:
                exchange.broken(sys.exception())
        return _fresh_response(response, _for_litellm(exchange), request)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _for_litellm(exchange: Exchange) -> bytes:
    """The body as litellm reads it; what a long refusal says is read from the exchange alone."""
    long = len(exchange.body) > REFUSAL_BYTES
    if long and (
        exchange.status is None or not 200 <= exchange.status < 300 or _tells_error(exchange.parsed)
    ):
        return json.dumps({"error": {"message": f"a refusal of {len(exchange.body)} bytes"}}).encode()
    return with_required_fields(_readable(exchange.body))


def _tells_error(body: Json) -> bool:
    return isinstance(body, Mapping) and bool(body.get("error")) and not body.get("choices")


def _readable(body: bytes) -> bytes:
    """The body as a strict reader takes it."""
    held = decode(body)
    return json.dumps(held.value).encode() if held.mended and held.value is not None else body


def _is_login(request: httpx.Request) -> bool:
    """Token endpoints of cloud accounts are asked beside the model."""
    form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    return form or request.url.path.endswith(("/token", ":generateAccessToken"))


async def _read(response: httpx.Response) -> bytes:
    """Return an answer's body, decoded; one without end is left where it becomes too large."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > BODY_BYTES:
            await response.aclose()
            raise httpx.ReadError(f"an answer of more than {BODY_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)


def _fresh_response(response: httpx.Response, body: bytes, request: httpx.Request) -> httpx.Response:
    """The answer as a fresh response; its body is read and decoded already, and it leads nowhere else: what
    follows redirects would ask again, unseen."""
    hop_headers = {"content-encoding", "content-length", "transfer-encoding", "location"}
    headers = [
        (key, value) for key, value in response.headers.multi_items() if key.lower() not in hop_headers
    ]
    return httpx.Response(response.status_code, headers=headers, content=body, request=request)


@contextmanager
def record_exchange() -> Iterator[Exchange]:
    """Watch the exchange of the calls made inside, and of the tasks that they start."""
    exchange = Exchange()
    token = _current.set(exchange)
    try:
        yield exchange
    finally:
        _current.reset(token)
