"""The attacks of `benchmarks.breakage` that come as input: SQL, arguments and files of a CEO, bodies of a provider."""

from __future__ import annotations

import asyncio
import copy
import json
import random
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from agents.llm.sql.database import image
from agents.routes.build import close_routes, open_routes, parse_entries
from agents.routes.entry import RouteEntry
from benchmarks.breakage_calls import Attack
from benchmarks.harness import POOL
from tournament.errors import ArenaError
from tournament.records import ModelRequest
from tournament.registry import market_kind

STATEMENTS = (
    "SELECT randomblob(1000000000)",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "ATTACH DATABASE '{path}' AS other",
    "SELECT load_extension('{path}')",
    "SELECT readfile('{path}')",
    "SELECT writefile('{path}', 'x')",
    "PRAGMA writable_schema = ON",
    "PRAGMA temp_store_directory = '{path}'",
    "VACUUM INTO '{path}'",
    "DROP TABLE daily_cashflow",
    "CREATE TABLE t (x)",
    "INSERT INTO daily_cashflow SELECT * FROM daily_cashflow",
    "SELECT fts3_tokenizer('simple')",
    "SELECT printf('%.*c', 1000000000, 'x')",
    "SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(1000)))",
    "SELECT group_concat(a.name || b.name) FROM sqlite_master a, sqlite_master b, sqlite_master c, sqlite_master d",
    "SELECT 1; DROP TABLE daily_cashflow",
    "SELECT * FROM daily_cashflow ORDER BY random()",
    "SELECT json_extract('{nested}', '$')",
    "SELECT {deep}",
    "EXPLAIN SELECT 1",
    "BEGIN EXCLUSIVE",
    "SELECT CAST(x'ff' AS TEXT)",
    "SELECT '\x00'",
    "",
    ";",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM generate_series(1, 1000000000)",
    "SELECT * FROM dbstat",
    "SELECT sqlite_version(), datetime('now')",
)
ODD_VALUES: tuple[Any, ...] = (
    None, True, [], {}, "", "x", 0, -1, 1e308, 2**63, ["x"], {"x": "y"}, "\x00", "\ud83d", "e" * 20_000, [[[[]]]],
)  # fmt: skip
KEY: Final = "sk-the-campaigns-own-key"
_CALLED: Final = '{"rationale": "x"}'
_USAGE: Final = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
# By wire: what its entry says beside id, key and price (`{at}` is the server's address), and an ordinary answer.
WIRES: Final[Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]]] = {
    "openai": (
        {"model": "openai/vendor/model-a", "api_base": "{at}/v1"},
        {
            "id": "r1",
            "object": "chat.completion",
            "created": 1,
            "model": "vendor/model-a",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "tool_calls",
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "reasoning_content": "hm",
                        "tool_calls": [
                            {
                                "id": "c1",
                                "type": "function",
                                "function": {"name": "seal_decision", "arguments": _CALLED},
                            }
                        ],
                    },
                }
            ],
            "usage": {**_USAGE, "completion_tokens_details": {"reasoning_tokens": 1}},
        },
    ),
    "messages": (
        {"model": "anthropic/claude-sonnet-4-5", "api_base": "{at}", "transport": "messages"},
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "U0lH"},
                {"type": "text", "text": "So:"},
                {"type": "tool_use", "id": "toolu_1", "name": "seal_decision", "input": {"rationale": "x"}},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 9, "output_tokens": 3},
        },
    ),
    "responses": (
        {"model": "openai/gpt-5", "api_base": "{at}/v1", "transport": "responses"},
        {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5",
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "output": [
                {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "RU5D"},
                {
                    "id": "fc_1",
                    "type": "function_call",
                    "call_id": "call_1",
                    "name": "seal_decision",
                    "arguments": _CALLED,
                    "status": "completed",
                },
            ],
            "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12},
        },
    ),
    "gemini": (
        {"model": "gemini/gemini-3-pro", "api_base": "{at}", "accepted": ["gemini-3-pro"]},
        {
            "candidates": [
                {
                    "content": {
                        "role": "model",
                        "parts": [
                            {"text": "hm", "thought": True},
                            {
                                "functionCall": {"name": "seal_decision", "args": {"rationale": "x"}},
                                "thoughtSignature": "U0lH",
                            },
                        ],
                    },
                    "finishReason": "STOP",
                    "index": 0,
                }
            ],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12},
            "modelVersion": "gemini-3-pro",
            "responseId": "g",
        },
    ),
    "ollama": (
        {"model": "ollama_chat/qwen3", "api_base": "{at}"},
        {
            "model": "qwen3",
            "created_at": "2026-01-01T00:00:00Z",
            "message": {
                "role": "assistant",
                "content": "",
                "thinking": "hm",
                "tool_calls": [{"function": {"name": "seal_decision", "arguments": {"rationale": "x"}}}],
            },
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 9,
            "eval_count": 3,
        },
    ),
}


@contextmanager
def statements(folder: Path) -> Iterator[Attack]:
    """Yield an attack by SQL; it holds where the next ordinary query has its answer and no file is there."""
    world = market_kind("ceo_arena@1").configure({}).open(11, 8)
    world.settle([{}] * 8)
    packed = zlib.compress(image(world.desk(1)), 1)
    target = folder / "written"

    def ask(sql: str) -> Mapping[str, Any]:
        return asyncio.run(POOL.run(packed, sql, 5)).body

    def attack(draw: random.Random, _: int) -> str | None:
        sql = draw.choice(STATEMENTS)
        depth = draw.randrange(1, 4000)
        sql = sql.replace("{path}", str(target)).replace("{nested}", "[" * depth)
        sql = sql.replace("{deep}", "(" * depth + "1" + ")" * depth)
        if draw.random() < 0.3 and sql:
            at = draw.randrange(len(sql))
            sql = sql[:at] + chr(draw.randrange(1, 0x2FF)) + sql[at:]
        ask(sql)
        after = ask("SELECT count(*) AS n FROM daily_cashflow")
        if target.exists() or "rows" not in after:
            return f"{sql[:80]!r}: {str(after)[:80]}"
        return None

    try:
        yield attack
    finally:
        POOL.close()


@contextmanager
def bodies(folder: Path) -> Iterator[Attack]:
    """Yield an attack by a provider's body; it holds where the route replies, or suspends the seat in words."""
    said: list[bytes] = [b""]

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said[0])))
            self.end_headers()
            self.wfile.write(said[0])

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    loop = asyncio.new_event_loop()
    routes = open_routes(_entries(address), environment={"K": KEY}, folder=folder)

    async def again() -> None:
        return

    def attack(draw: random.Random, number: int) -> str | None:
        wire = list(WIRES)[number % len(WIRES)]
        said[0] = _mutated(WIRES[wire][1], draw)
        request = ModelRequest(
            label="w/1/0/0", messages=[{"role": "user", "content": "go"}], tools=[], max_tokens=64
        )
        try:
            loop.run_until_complete(routes[wire].complete(request, lambda attempt: None, again))
        except ArenaError:
            return None
        except Exception as fault:  # noqa: BLE001 - whatever escapes here is what is looked for
            return f"{wire}: {type(fault).__name__}: {said[0][:160]!r}"
        return None

    try:
        yield attack
    finally:
        loop.run_until_complete(close_routes())
        loop.close()
        server.shutdown()
        server.server_close()


def _entries(address: str) -> Iterable[RouteEntry]:
    """Return an entry for every wire, which asks twice at most and hardly waits."""
    retry = {"base_seconds": 0.001, "cap_seconds": 0.002, "attempts": 2}
    base = {
        "key_env": "K",
        "ceiling": 4096,
        "price": {"input": 1.0, "output": 1.0},
        "limits": {"retry": retry},
    }
    entries = {
        wire: {"id": wire, **base, **said, "api_base": said["api_base"].replace("{at}", address)}
        for wire, (said, _) in WIRES.items()
    }
    return parse_entries(entries).values()


def _mutated(whole: Mapping[str, Any], draw: random.Random) -> bytes:
    """Return a body with one or two of its values replaced or left out, and sometimes cut."""
    body: Any = copy.deepcopy(dict(whole))
    for _ in range(draw.choice((1, 1, 2))):
        holder, key = draw.choice(list(_places(body)))
        if draw.random() < 0.25:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(draw.choice(ODD_VALUES))
    raw = json.dumps(body).encode()
    return raw[: draw.randrange(len(raw))] if draw.random() < 0.05 else raw


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (holder, key) of every value below."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])
