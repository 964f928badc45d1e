"""The attacks of `benchmarks.breakage` that come as input: SQL, arguments and files of a CEO, bodies of a provider."""

from __future__ import annotations

import asyncio
import copy
import json
import random
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agents.llm.sql.database import image
from agents.routes.build import close_routes, open_routes, parse_entries
from benchmarks.harness import POOL, InstantRoute, seated
from tournament.errors import ArenaError
from tournament.journal.writer import JOURNAL, open_journal
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
NUMBERS = (
    0, -1, 1, 2**31, 2**31 - 1, -(2**31), 2**53, 2**53 + 1, -(2**53), 2**62, 2**63, 2**63 - 1, -(2**63), 2**64,
    10**30, -(10**30), 0.1, -0.0, 1e308, -1e308, 1e-320, 1.5, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (
    None, True, [], {}, "", "x", 0, -1, 1e308, 2**63, ["x"], {"x": "y"}, "\x00", "\ud83d", "e" * 20_000, [[[[]]]],
)  # fmt: skip
PATHS = (
    "MEMORY.md", "../x", "/etc/passwd", "", ".", "..", "a/../../b", "\x00", "x" * 5000, "a\\b", "CON", ".git/config",
    "-rf", "a//b", "a/", "é\u0301", "\u202e", "~/x",
)  # fmt: skip
BODY: Mapping[str, Any] = {
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
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "seal_decision", "arguments": '{"rationale": "x"}'},
                    }
                ],
            },
        }
    ],
    "usage": {
        "prompt_tokens": 9,
        "completion_tokens": 3,
        "total_tokens": 12,
        "completion_tokens_details": {"reasoning_tokens": 1},
    },
}
Attack = Callable[[random.Random], str | None]


@contextmanager
def statements(folder: Path) -> Iterator[Attack]:
    """Yield an attack by SQL; it holds where the next ordinary query has its answer and no file is there."""
    world = market_kind("ceo_arena@1").configure({}).open(11, 8)
    world.settle([{}] * 8)
    packed = zlib.compress(image(world.desk(1)), 1)
    target = folder / "written"

    def ask(sql: str) -> Mapping[str, Any]:
        return asyncio.run(POOL.run(packed, sql, 5)).body

    def attack(draw: random.Random) -> str | None:
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
def arguments(folder: Path) -> Iterator[Attack]:
    """Yield an attack by well-formed calls whose numbers and paths are not; it holds where the window is sealed."""
    kind = market_kind("ceo_arena@1")
    count = 0

    def attack(draw: random.Random) -> str | None:
        nonlocal count
        count += 1
        calls = tuple(_call(draw) for _ in range(4))
        world = kind.configure({}).open(11, 8)
        journal = open_journal(folder / f"a{count}" / JOURNAL, {"world": "a"}, durable=False)
        try:
            policy = seated(journal, 1, InstantRoute(5, calls))
            choice = asyncio.run(policy.decide(world.desk(1), None))
            settled = world.settle([choice.decision, *([{}] * 7)])
        finally:
            journal.close()
        return None if choice.state == "sealed" and 1 not in settled.refusals else f"{calls}: {choice.state}"

    yield attack


def _call(draw: random.Random) -> tuple[str, Mapping[str, Any]]:
    number = draw.choice(NUMBERS)
    return draw.choice(
        (
            (
                "set_price",
                {"product": "A", "price_cents": number, "promotion_percent": draw.choice(NUMBERS)},
            ),
            ("set_reorder_target", {"product": "B", "units": number}),
            ("set_support_budget", {"cents_per_day": number}),
            ("set_development_budget", {"product": "A", "cents_per_day": number}),
            ("change_capacity", {"tier": number}),
            ("start_research_project", {"tier": number}),
            ("bid_tender", {"tender": number, "price_cents": draw.choice(NUMBERS)}),
            ("query_company", {"sql": "SELECT 1", "limit": number}),
            (
                "write_file",
                {"path": draw.choice(PATHS), "text": draw.choice(("", "x", "\x00", "e" * 70_000))},
            ),
            ("read_file", {"path": draw.choice(PATHS)}),
        )
    )


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
    entry = {
        "id": "odd",
        "model": "openai/vendor/model-a",
        "api_base": f"http://127.0.0.1:{server.server_address[1]}/v1",
        "price": {"input": 1.0, "output": 1.0},
        "limits": {"retry": {"base_seconds": 0.001, "cap_seconds": 0.002, "attempts": 2}},
    }
    loop = asyncio.new_event_loop()
    route = open_routes(parse_entries({"odd": entry}).values(), environment={}, folder=folder)["odd"]

    async def again() -> None:
        return

    def attack(draw: random.Random) -> str | None:
        said[0] = _mutated(draw)
        request = ModelRequest(
            label="w/1/0/0", messages=[{"role": "user", "content": "go"}], tools=[], max_tokens=64
        )
        try:
            loop.run_until_complete(route.complete(request, lambda attempt: None, again))
        except ArenaError:
            return None
        except Exception as fault:  # noqa: BLE001 - whatever escapes here is what is looked for
            return f"{type(fault).__name__}: {said[0][:160]!r}"
        return None

    try:
        yield attack
    finally:
        loop.run_until_complete(close_routes())
        loop.close()
        server.shutdown()
        server.server_close()


def _mutated(draw: random.Random) -> bytes:
    body: Any = copy.deepcopy(dict(BODY))
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
