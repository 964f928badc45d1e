"""A model that runs a company, for tests: a provider on loopback whose every reply follows from the conversation.

It buys five goods in the setup and lists them where no permit is needed, orders again what runs short, answers
the inquiries that it can serve, notes its cash, and seals; in a fourth of its later windows it seals at once.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.merchant.storekeeper import Account, call

MODEL = "dealer"
NOW = "SELECT s.window, c.cash_cents FROM scenario s, company c"
GOODS = (
    "SELECT p.offer, p.sku, p.units, g.country, g.guide_cents FROM (SELECT o.offer, o.sku, min(o.stock, 4 * o.moq)"
    " AS units FROM supplier_offers o JOIN guide_prices h ON h.sku = o.sku AND h.country = 'CN' WHERE"
    " o.advertised_quality >= 650 AND o.price_cents < 2500 ORDER BY 1.0 * h.guide_cents / o.price_cents DESC,"
    " o.offer LIMIT 5) p JOIN guide_prices g ON g.sku = p.sku JOIN permit_requirements r ON r.country = g.country"
    " AND r.category = substr(p.sku, 1, 2) WHERE r.needed = 0 ORDER BY p.offer, g.country"
)
SHORT = (
    "SELECT p.offer, p.sku, min(p.units) FROM purchase_orders p LEFT JOIN inventory i ON i.sku = p.sku"
    " WHERE coalesce(i.units, 0) + coalesce(i.inbound, 0) < 40 GROUP BY p.offer, p.sku ORDER BY p.offer"
)
ASKED = (
    "SELECT i.inquiry, g.guide_cents, v.quality FROM inquiries i JOIN guide_prices g ON g.sku = i.sku AND"
    " g.country = i.country JOIN inventory v ON v.sku = i.sku WHERE i.can_serve = 1 ORDER BY i.inquiry"
)


def reply(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls of the next reply: a function of the conversation and of nothing else."""
    first = str(next(message["content"] for message in messages if message["role"] == "user"))
    digest = hashlib.sha256(first.encode()).hexdigest()
    ordinal = 1 + sum(message["role"] == "assistant" for message in messages)
    idle = int(digest[:8], 16) % 4 == 0 and "setup" not in first[:400].lower()
    if ordinal > 2 or idle:
        return [call(digest, ordinal, "seal_decision", {"rationale": "as planned"})]
    if ordinal == 1:
        queries = (NOW, GOODS, SHORT, ASKED)
        return [call(digest, at, "query_company", {"sql": sql}) for at, sql in enumerate(queries)]
    now, goods, short, asked = [
        json.loads(message["content"])["rows"] for message in messages if message["role"] == "tool"
    ]
    calls = _staged(now[0][0], goods, short, asked)
    calls.append(("write_file", {"path": "MEMORY.md", "text": f"window {now[0][0]}: cash {now[0][1]}"}))
    return [call(digest, 10 + at, name, arguments) for at, (name, arguments) in enumerate(calls)]


def _staged(
    window: int, goods: Sequence[Any], short: Sequence[Any], asked: Sequence[Any]
) -> list[tuple[str, dict[str, Any]]]:
    calls: list[tuple[str, dict[str, Any]]] = []
    if window == 0:
        bought = {offer: units for offer, _, units, _, _ in goods}
        calls += [("buy_initial_inventory", {"offer": offer, "units": n}) for offer, n in bought.items()]
        calls += [
            ("create_listing", {"sku": sku, "country": country, "price_cents": guide * 4 // 5})
            for _, sku, _, country, guide in goods
        ]
    elif window < 22:
        calls += [("buy_inventory", {"offer": offer, "units": units}) for offer, _, units in short]
    for inquiry, guide, quality in asked:
        claims = {"inquiry": inquiry, "price_cents": guide // 2, "quality": quality, "permit": 1}
        calls.append(("reply_inquiry", claims))
    return calls


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        messages = json.loads(text)["messages"]
        account: Account = self.server.account  # type: ignore[attr-defined]
        with account.lock:
            account.requests += 1
            account.bodies.append(hashlib.sha256(text.encode()).hexdigest())
            dying = account.at == account.requests
            if not any(message["role"] == "assistant" for message in messages):
                account.opened.append((len(text), len(messages[1]["content"])))
        if dying and account.then is not None:
            account.then()
            self.close_connection = True
            return
        message = {"role": "assistant", "content": None, "tool_calls": reply(messages)}
        tokens = {"prompt_tokens": len(text) // 4, "completion_tokens": 60}
        answer = {
            "id": f"resp-{hashlib.sha256(text.encode()).hexdigest()[:12]}",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {**tokens, "total_tokens": sum(tokens.values())},
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
def dealer() -> Iterator[tuple[str, Account]]:
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
