"""A real HTTP provider on loopback that plays the mock: OpenAI's chat completions, streamed or whole.

A model's name chooses the backend: `mock-STRATEGY`, or `mock-script`. What is answered is a pure function of
the request's body and the seed, faults of the number of the attempt too, which the server counts. It
keeps an account of what was bought, by the hash of the body, for tests that nothing is bought twice.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from agents.routes.limiter import Bucket, Clock, SystemClock
from agents.routes.mock.backends import SCRIPT, load_backend
from agents.routes.mock.faults import InjectedFault, MockResponse, draw_fault, json_response, respond
from agents.routes.mock.model import MockBackend, body_hash, ceiling_of, completion
from agents.routes.mock.stream import cut_stream, streamed
from tournament.errors import InputError
from tournament.records import Json

PREFIX: Final = "mock-"
HEAD_BYTES: Final = 64 * 1024
BODY_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """How the provider plays: which models it serves, what goes wrong, how slow, how often."""

    models: tuple[str, ...]
    script: Path | None = None
    seed: int = 0
    latency: float = 0.0
    faults: tuple[InjectedFault, ...] = ()
    rate_limit: int | None = None


@dataclass(slots=True, kw_only=True)
class Account:
    """What the provider received and gave, since it started."""

    attempts: Counter[str] = field(default_factory=Counter)
    bought: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def totals(self) -> dict[str, Json]:
        """Return the sums, at once however long the provider has served."""
        return {
            "requests": self.attempts.total(),
            "replies": self.bought.total(),
            "faults": dict(sorted(self.faults.items())),
        }

    def facts(self) -> dict[str, Json]:
        """Return the sums and what was bought, by the hash of the request's body."""
        return {**self.totals(), "bought": dict(sorted(self.bought.items()))}


class MockProvider:
    """The server: `start`, ask at `address`, `stop`."""

    def __init__(self, settings: ProviderSettings, clock: Clock | None = None) -> None:
        self.account = Account()
        self._settings = settings
        self._clock = clock or SystemClock()
        self._backends: dict[str, MockBackend] = {
            name: load_backend(
                name.removeprefix(PREFIX),
                params={},
                script=settings.script if name == f"{PREFIX}{SCRIPT}" else None,
            )
            for name in settings.models
        }
        self._buckets: dict[str, Bucket] = {}
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        """The address that an entry's `api_base` names."""
        assert self._server is not None, "the provider is not started"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def start(self, port: int = 0) -> None:
        """Listen on loopback; port 0 takes a free one."""
        try:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=HEAD_BYTES)
        except OSError as fault:
            raise InputError(f"cannot listen on port {port}: {fault.strerror}") from None

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in tuple(self._open):
            writer.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while await self._exchange(reader, writer):
                continue
        except (
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            asyncio.CancelledError,
            ConnectionError,
        ):
            return
        finally:
            self._open.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        words = head[0].split()
        method, path = (words[0], words[1]) if len(words) > 1 else ("", "")
        fields = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])
        }
        length = fields.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY_BYTES:
            await _write(writer, json_response({"error": {"message": "no length that can be read"}}, 413))
            return False
        answer = await self._answer(method, path, await reader.readexactly(int(length)))
        if answer.reset:
            _reset(writer)
        if answer.drop or answer.reset:
            return False
        await _write(writer, answer)
        return not answer.missing

    async def _answer(self, method: str, path: str, body: bytes) -> MockResponse:
        if method == "GET" and path == "/v1/models":
            return json_response(
                {"object": "list", "data": [{"id": name, "object": "model"} for name in self._backends]}
            )
        if method == "GET" and path == "/totals":
            return json_response(self.account.totals())
        if method == "GET" and path == "/account":
            return json_response(self.account.facts())
        if method != "POST" or path != "/v1/chat/completions":
            return json_response({"error": {"message": f"nothing at {method} {path}"}}, 404)
        try:
            request = json.loads(body)
            backend = self._backends[request["model"]]
            return await self._complete(request, backend)
        except (ValueError, TypeError):
            return json_response({"error": {"message": "the body is no JSON request"}}, 400)
        except KeyError as missing:
            error = {"message": f"no such model or field: {missing}", "code": "model_not_found"}
            return json_response({"error": error}, 404)

    async def _complete(self, request: Mapping[str, Json], backend: MockBackend) -> MockResponse:
        limited = self._limited(request["model"])
        if limited is not None:
            self.account.faults["rate_limited"] += 1
            return limited
        key = body_hash(request)
        self.account.attempts[key] += 1
        fault = draw_fault(
            self._settings.faults, key=key, seed=self._settings.seed, attempt=self.account.attempts[key]
        )
        body = await completion(backend, request, seed=self._settings.seed)
        answer = respond(fault, body, ceiling_of(request))
        await asyncio.sleep(self._settings.latency + answer.delay)
        if fault is not None:
            self.account.faults[fault] += 1
        if fault is None or (answer.status == 200 and fault in _BOUGHT):
            self.account.bought[key] += 1
        if (
            "stream" in request
            and request["stream"] is True
            and answer.status == 200
            and not (answer.drop or answer.reset)
        ):
            return cut_stream(body) if answer.missing else streamed(answer)
        return answer

    def _limited(self, model: str) -> MockResponse | None:
        """Take one request of the model's minute, or say when there is room for it."""
        if self._settings.rate_limit is None:
            return None
        now = self._clock.now()
        if model not in self._buckets:
            fresh = Bucket(per_minute=self._settings.rate_limit, level=0.0, filled=now)
            fresh.level = fresh.size
            self._buckets[model] = fresh
        wait = self._buckets[model].delay(1.0, now)
        if wait == 0.0:
            self._buckets[model].take(1.0)
            return None
        error = {"message": "too many requests a minute", "code": "rate_limit_exceeded"}
        return json_response({"error": error}, 429, Retry_After=f"{wait:.3f}")


_BOUGHT: Final = frozenset(
    {
        *(
            "slow",
            "no_usage",
            "zero_usage",
            "negative_usage",
            "reasoning_outside",
            "finish_null",
            "finish_stop",
        ),
        *("list_content", "no_content", "raw_newline", "bad_bytes", "ceiling", "null_message"),
        *("length", "malformed_call", "refusal", "text_call", "filtered"),
    }
)


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with a reset, as a gateway does that has lost its upstream."""
    linger_for_nothing = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_for_nothing)
    writer.transport.abort()


async def _write(writer: asyncio.StreamWriter, answer: MockResponse) -> None:
    length = len(answer.body) + answer.missing
    headers = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
    start = f"HTTP/1.1 {answer.status} Mock\r\n{headers}Content-Length: {length}\r\n\r\n"
    writer.write(start.encode("latin-1") + answer.body)
    await writer.drain()
