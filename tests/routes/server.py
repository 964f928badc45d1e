"""A provider on loopback for tests: it gives the answers it was told to, in order, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class CannedAnswer:
    """One answer: status, headers, body; `cut` leaves bytes out, `drop` closes without a word, `hold` waits;
    `raw` are the bytes that go over the wire in place of all that."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: bool = False
    drop: bool = False
    hold: float = 0.0
    raw: bytes = b""


def canned(step: Mapping[str, Any]) -> CannedAnswer:
    """Return a case's step (`response` or `http`) as an answer."""
    if step["kind"] == "response":
        return reply(step["body"])
    body = step["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    return CannedAnswer(status=step["status"], headers=step.get("headers", {}), body=text.encode())


def reply(body: Any) -> CannedAnswer:
    return CannedAnswer(headers={"Content-Type": "application/json"}, body=json.dumps(body).encode())


def chat(
    message: Mapping[str, Any], *, finish: str | None = "stop", model: str = "vendor/model-a", **more: Any
) -> dict[str, Any]:
    """Return a chat completion's body."""
    usage = {"prompt_tokens": 120, "completion_tokens": 15, "total_tokens": 135}
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    body = {"id": "resp-1", "object": "chat.completion", "created": 1, "model": model}
    return {**body, "choices": [choice], "usage": usage, **more}


class Provider:
    """The server; `answers` is what is still to be said, the last one again and again."""

    def __init__(self) -> None:
        self.answers: list[CannedAnswer] = []
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.was_called = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in tuple(self._open):
            writer.close()
        await self._server.wait_closed()

    def answer_with(self, *answers: CannedAnswer) -> None:
        self.answers = list(answers)
        self.requests.clear()
        self.paths.clear()
        self.was_called.clear()

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
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        length = next((int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0)
        body = await reader.readexactly(length)
        self.paths.append(lines[0].split()[1])
        self.requests.append(json.loads(body) if body else {})
        self.was_called.set()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer.hold:
            await asyncio.sleep(answer.hold)
        if answer.drop or answer.raw:
            writer.write(answer.raw)
            await writer.drain()
            return False
        length = len(answer.body) + (64 if answer.cut else 0)
        headers = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        start = f"HTTP/1.1 {answer.status} CannedAnswer\r\n{headers}Content-Length: {length}\r\n\r\n"
        writer.write(start.encode() + answer.body)
        await writer.drain()
        return not answer.cut
