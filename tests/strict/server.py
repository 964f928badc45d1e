"""A strict provider on loopback: it refuses what its wire refuses, and gives odd answers to the rest, in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from tests.routes.server import CannedAnswer, reply
from tests.strict.rules import Violation, Wire

BYTES_PER_TOKEN = 4
# Where a wire says how many tokens the prompt had, and how many there were in all.
COUNTS = (
    ("usage", "prompt_tokens", "total_tokens"),
    ("usage", "input_tokens", "total_tokens"),
    ("usageMetadata", "promptTokenCount", "totalTokenCount"),
)
JSON_HEADERS: Mapping[str, str] = {"Content-Type": "application/json"}


class StrictProvider:
    """The server; `answers` is what is still to be said, the wire's own good reply when nothing is left.

    A refused request takes no answer: it was never played. `violations` keeps every one, `given` every
    answer that a request was given, from which rules know signatures and ids.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.answers: list[CannedAnswer] = []
        self.asked: list[dict[str, Any]] = []
        self.given: list[Mapping[str, Any]] = []
        self.violations: list[Violation] = []
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        assert self._server is not None, "the provider is not started"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in tuple(self._open):
            writer.close()
        await self._server.wait_closed()

    def say(self, *answers: CannedAnswer) -> None:
        """Begin anew with these answers: nothing asked, nothing given, nothing broken."""
        self.answers = list(answers)
        self.asked.clear()
        self.given.clear()
        self.violations.clear()

    def answer(self, path: str, request: Mapping[str, Any]) -> CannedAnswer:
        """Return what the provider says to one request."""
        if self.wire.path not in path:
            error = {"message": f"nothing at {path}"}
            return CannedAnswer(status=404, headers=JSON_HEADERS, body=json.dumps({"error": error}).encode())
        self.asked.append(dict(request))
        broken = self.wire.broken(request, self.given)
        if broken is not None:
            rule, words = broken
            self.violations.append(Violation(rule=rule.name, words=words, request=len(self.asked) - 1))
            body = json.dumps(self.wire.error(rule, words)).encode()
            return CannedAnswer(status=rule.status, headers=JSON_HEADERS, body=body)
        return self._given(request)

    def _given(self, request: Mapping[str, Any]) -> CannedAnswer:
        told = self.answers.pop(0) if self.answers else reply(self.wire.good(request))
        body = _parsed(told.body)
        if told.status == 200 and body is not None:
            body = self._counted(body, request)
            self.given.append(body)
            if self.wire.streams_unless_told and request.get("stream") is not False:
                return CannedAnswer(headers={"Content-Type": "text/event-stream"}, body=_streamed(body))
            return CannedAnswer(status=200, headers=told.headers, body=json.dumps(body).encode())
        return told

    def _counted(self, body: dict[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
        """Put in how much of the prompt was seen: all of it, but where the wire cuts prompts without a word."""
        if self.wire.seen_tokens is not None:
            return {**body, "prompt_eval_count": self.wire.seen_tokens(request)}
        for place, prompt, total in COUNTS:
            usage = body.get(place)
            if isinstance(usage, Mapping) and isinstance(usage.get(prompt), int):
                seen = len(json.dumps(request, ensure_ascii=False).encode()) // BYTES_PER_TOKEN
                more = {total: usage[total] - usage[prompt] + seen} if total in usage else {}
                body = {**body, place: {**usage, prompt: seen, **more}}
        return body

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while await self._exchange(reader, writer):
                continue
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            return
        finally:
            self._open.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        length = next((int(line[15:]) for line in head if line.lower().startswith("content-length:")), 0)
        body = await reader.readexactly(length)
        told = self.answer(head[0].split()[1], json.loads(body) if body else {})
        if told.drop:
            return False
        headers = "".join(f"{name}: {value}\r\n" for name, value in told.headers.items())
        start = f"HTTP/1.1 {told.status} CannedAnswer\r\n{headers}Content-Length: {len(told.body)}\r\n\r\n"
        writer.write(start.encode() + told.body)
        await writer.drain()
        return True


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        held = json.loads(body)
    except ValueError:
        return None
    return held if isinstance(held, dict) else None


def _streamed(body: Mapping[str, Any]) -> bytes:
    """A whole chat completion as the stream that a gateway sends which was not told `stream: false`.

    https://github.com/decolua/9router/issues/3492
    """
    chunk = {**body, "object": "chat.completion.chunk"}
    chunk["choices"] = [
        {"index": 0, "delta": choice["message"], "finish_reason": choice["finish_reason"]}
        for choice in body["choices"]
    ]
    return b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n"
