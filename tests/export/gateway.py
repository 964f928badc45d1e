"""A provider behind a private gateway, for tests: it thinks aloud in every way that providers do, and
quotes its address and the key it was sent whenever it fails.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

THOUGHT = "canary-thought"
PLACE = "canary-place-5d20"


def thoughts() -> Iterator[str]:
    """A new thought each time, so that a test can tell which one is told."""
    number = 0
    while True:
        number += 1
        yield f"{THOUGHT}-{number}"


def reply(ordinal: int) -> dict[str, Any]:
    """The n-th message of a window: a note and a price, then the seal; both full of thoughts."""
    thought = thoughts()
    said = f"<think>{next(thought)}</think>I look at prices."
    calls = [
        call(
            "write_file", {"path": "MEMORY.md", "text": "noted: price 4100"}, f"c1__thought__{next(thought)}"
        ),
        call("set_price", {"product": "A", "price_cents": 4100, "promotion_percent": 0}, "c2"),
    ]
    if ordinal > 1:
        said = f"{next(thought)}</think>Done."
        calls = [call("seal_decision", {"rationale": "a public reason"}, "c3")]
    calls[0]["provider_specific_fields"] = {"thought_signature": next(thought)}
    return {
        "role": "assistant",
        "content": said,
        "reasoning_content": next(thought),
        "reasoning": next(thought),
        "reasoning_details": [{"type": "reasoning.text", "text": next(thought)}],
        "thinking_blocks": [{"type": "thinking", "thinking": next(thought), "signature": next(thought)}],
        "a_field_of_tomorrow": {"thoughts": next(thought)},
        "tool_calls": calls,
    }


def call(name: str, arguments: Mapping[str, Any], id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


class _Answers(BaseHTTPRequestHandler):
    """Fails every third request with what it should not say, and answers the others."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server: Any = self.server
        if server.mood == "overflows":
            message = f"{THOUGHT}: too long for our cluster"
            self._send(400, {"error": {"code": "context_length_exceeded", "message": message}})
            return
        if server.mood == "refuses":
            self._send(401, {"error": {"message": f"{THOUGHT}: ask our operator"}})
            return
        if server.mood == "busy":
            self._send(429, {"error": {"message": "slow down"}}, retry_after="600")
            return
        with server.lock:
            server.requests += 1
            failing = server.requests % 3 == 2
        if failing:
            key = self.headers["Authorization"]
            self._send(503, {"error": {"message": f"{server.address} is overloaded; you sent {key}"}})
            return
        ordinal = 1 + sum(message["role"] == "assistant" for message in body["messages"])
        finish = {"index": 0, "finish_reason": "tool_calls", "message": reply(ordinal)}
        usage = {"prompt_tokens": 8000, "completion_tokens": 20, "total_tokens": 8020}
        self._send(
            200,
            {
                "id": f"{THOUGHT}-response-id",
                "object": "chat.completion",
                "created": 1,
                "model": "model-a",
                "choices": [finish],
                "usage": usage,
            },
        )

    def _send(self, status: int, body: Mapping[str, Any], retry_after: str = "") -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def gateway(mood: Literal["", "overflows", "refuses", "busy"] = "") -> Iterator[str]:
    """Yield the address of a running gateway; one in a mood answers everybody alike."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    server.lock = threading.Lock()  # type: ignore[attr-defined]
    server.requests = 0  # type: ignore[attr-defined]
    server.mood = mood  # type: ignore[attr-defined]
    server.address = f"http://127.0.0.1:{server.server_address[1]}/{PLACE}/v1"  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.address  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
