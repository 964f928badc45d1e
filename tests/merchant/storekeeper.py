"""A model that keeps a store, for tests: a provider on loopback whose every reply follows from the conversation.

It looks at the catalogue and its shelf, lists what is rated best, drops what cannot be delivered, notes how
many products it stages, and seals; in a third of its windows it seals at once. One that is to die may be asked
a number of requests before it is told to kill whoever asks.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "storekeeper"
SLOTS = 50
A_WINDOW = 4
WANTED = (
    "SELECT product, price_cents, (SELECT count(*) FROM listings) FROM products WHERE available = 1 AND"
    " ship_hours <= 48 AND stock >= 4 AND price_cents <= 3000 AND product NOT IN (SELECT product FROM listings)"
    f" ORDER BY rating DESC, product LIMIT {A_WINDOW}"
)
BAD = "SELECT product FROM listings WHERE available = 0 OR ship_hours > 48 OR days_without_sales > 14 ORDER BY product"
PAST = "SELECT count(*), coalesce(sum(fines_cents), 0) FROM daily_performance"


@dataclass(slots=True)
class Account:
    """What the model was asked: the first messages of its conversations, and how often it was spoken to."""

    requests: int = 0
    bodies: list[str] = field(default_factory=list)
    opened: list[tuple[int, int]] = field(default_factory=list)
    at: int | None = None
    then: Callable[[], None] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def when(self, request: int, then: Callable[[], None]) -> None:
        """Do something in place of answering the n-th request from now."""
        with self.lock:
            self.at, self.then = self.requests + request, then


def reply(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls of the next reply: a function of the conversation and of nothing else."""
    first = str(next(message["content"] for message in messages if message["role"] == "user"))
    digest = hashlib.sha256(first.encode()).hexdigest()
    ordinal = 1 + sum(message["role"] == "assistant" for message in messages)
    if ordinal > 2 or int(digest[:8], 16) % 3 == 0:
        return [call(digest, ordinal, "seal_decision", {"rationale": "as planned"})]
    if ordinal == 1:
        queries = (WANTED, BAD, PAST)
        return [call(digest, at, "query_company", {"sql": sql}) for at, sql in enumerate(queries)]
    wanted, bad, past = [
        json.loads(message["content"])["rows"] for message in messages if message["role"] == "tool"
    ]
    free = SLOTS - (wanted[0][2] if wanted else SLOTS) + len(bad)
    items = [{"product": name, "price_cents": 2 * price} for name, price, _ in wanted][:free]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("write_file", {"path": "MEMORY.md", "text": f"days on record {past[0][0]}, fines {past[0][1]}"})
    ]
    if bad:
        calls.append(("delist_products", {"products": [row[0] for row in bad]}))
    if items:
        calls.append(("list_products", {"items": items}))
    return [call(digest, 10 + at, name, arguments) for at, (name, arguments) in enumerate(calls)]


def call(digest: str, at: int, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A tool call whose id follows from the conversation."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{digest[:12]}_{at}", "type": "function", "function": function}


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = json.loads(text)
        account: Account = self.server.account  # type: ignore[attr-defined]
        with account.lock:
            account.requests += 1
            account.bodies.append(hashlib.sha256(text.encode()).hexdigest())
            dying = account.at == account.requests
            if not any(message["role"] == "assistant" for message in body["messages"]):
                account.opened.append((len(text), len(body["messages"][1]["content"])))
        if dying and account.then is not None:
            account.then()
            self.close_connection = True
            return
        prompt = len(text) // 4
        message = {"role": "assistant", "content": None, "tool_calls": reply(body["messages"])}
        answer = {
            "id": f"resp-{hashlib.sha256(text.encode()).hexdigest()[:12]}",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 60, "total_tokens": prompt + 60},
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def storekeeper() -> Iterator[tuple[str, Account]]:
    """Yield the address of the running model, and its account of what it was asked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    account = Account()
    server.account = account  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", account
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
