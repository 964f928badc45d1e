"""What prompt caching saves over a window: `python -m benchmarks.caching [--windows 3]`.

One seat of the real harness plays through the real route to a Messages server on loopback, once with
`prompt_cache: on` and once with `off`. The server keeps prompts as Anthropic documents it: a prefix of tools,
system prompt and messages is kept at each mark from 1,024 tokens on, and found up to twenty blocks before a
later mark; it bills what it read, what it wrote, and the rest. It counts a token for every four characters.
Its replies are those of a working window: twelve, with 29 calls, as the CEO Arena paper's totals imply.
Prices are those of litellm's map for the model named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final

import pandas as pd

MODEL: Final = "claude-sonnet-4-5"
LEAST_TOKENS: Final = 1024
LOOKBACK: Final = 20
CHARACTERS_A_TOKEN: Final = 4
THOUGHT: Final = "What sold last week, at which price, and what the rivals asked for it. " * 6
STUDY: Final = """\
study: caching
market: {{id: ceo_arena@1, overrides: {{days: {days}}}}}
seeds: [11]
contestants:
  rule: {{policy: rule@1}}
  rival: {{policy: premium@1}}
  model: {{policy: llm@1, route: sonnet}}
lineup: [model, rival]
replace: [model]
references: [{{contestant: rule}}]
routes:
  sonnet: {{model: anthropic/{model}, transport: messages, api_base: "{address}", prompt_cache: "{cache}"}}
limits: {{usd: 100}}
"""
QUERIES: Final = (
    "SELECT * FROM public_prices",
    "SELECT * FROM daily_product_sales",
    "SELECT * FROM daily_cashflow",
)
Call = tuple[str, dict[str, Any]]


def query(number: int) -> Call:
    return "query_company", {"sql": QUERIES[number % len(QUERIES)], "limit": 20 + number}


REPLIES: Final[Sequence[Sequence[Call]]] = (
    [("list_files", {}), query(0), query(1)],
    *([query(3 * turn), query(3 * turn + 1), query(3 * turn + 2)] for turn in range(1, 5)),
    [("write_file", {"path": "notes.md", "text": THOUGHT}), query(15), query(16)],
    [("set_price", {"product": "A", "price_cents": 4200})],
    [("set_marketing_budget", {"segment": "value", "channel": "search", "cents_per_day": 2000}), query(17)],
    [("preview_decision", {}), query(18), query(19)],
    [query(20), query(21)],
    [("preview_decision", {}), query(22)],
    [("seal_decision", {"rationale": "Prices follow what was seen."})],
)


@dataclass
class Cache:
    """Prefixes kept, by hash."""

    kept: dict[str, int] = field(default_factory=dict)

    def bill(self, request: Mapping[str, Any]) -> dict[str, int]:
        """Return the input tokens of a request: read from what was kept, written to it, and the rest."""
        blocks = list(_blocks(request))
        sizes = list(accumulate(len(text) // CHARACTERS_A_TOKEN for text, _ in blocks))
        digest = hashlib.sha256()
        prefixes = []
        for text, _ in blocks:
            digest.update(text.encode() + b"\0")
            prefixes.append(digest.hexdigest())
        marks = [at for at, (_, marked) in enumerate(blocks) if marked]
        found = (prefixes[at] for mark in marks for at in range(mark, max(-1, mark - LOOKBACK), -1))
        read = max((self.kept.get(prefix, 0) for prefix in found), default=0)
        worth = [at for at in marks if sizes[at] >= LEAST_TOKENS]
        written = max(0, max((sizes[at] for at in worth), default=0) - read)
        self.kept.update({prefixes[at]: sizes[at] for at in worth})
        rest = sizes[-1] - read - written
        return {
            "input_tokens": rest,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
        }


def _blocks(request: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield each part of a prompt in the order in which it is kept, as text, and whether it is marked."""
    system = request.get("system", [])
    parts = [*request.get("tools", []), *([{"text": system}] if isinstance(system, str) else system)]
    for message in request["messages"]:
        content = message["content"]
        inner = [{"text": content}] if isinstance(content, str) else content
        parts += [{"role": message["role"], **part} for part in inner]
    for part in parts:
        plain = {name: value for name, value in part.items() if name != "cache_control"}
        yield json.dumps(plain, sort_keys=True), "cache_control" in part


def reply(request: Mapping[str, Any], cache: Cache) -> dict[str, Any]:
    """Return the next reply of the window that a request tells of."""
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    calls = REPLIES[min(turn, len(REPLIES) - 1)]
    content: list[dict[str, Any]] = [{"type": "text", "text": THOUGHT}]
    content += [
        {"type": "tool_use", "id": f"toolu_{turn}_{at}", "name": name, "input": arguments}
        for at, (name, arguments) in enumerate(calls)
    ]
    said = len(json.dumps(content)) // CHARACTERS_A_TOKEN
    return {
        "id": f"msg_{turn}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {**cache.bill(request), "output_tokens": said},
    }


class Server(ThreadingHTTPServer):
    """The Messages interface on loopback, with a cache of its own."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.cache = Cache()


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps(reply(request, self.server.cache)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Say nothing of single requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """What a window was bought for, on average."""

    windows: int
    replies: float
    tool_calls: float
    prompt_tokens: float
    cached_tokens: float
    dollars: float


def play(cache: str, windows: int) -> Bought:
    """Play a study of one model seat to its end and read what it used."""
    server = Server()
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        with TemporaryDirectory() as folder:
            study = Path(folder) / "study.yaml"
            address = f"http://127.0.0.1:{server.server_port}"
            study.write_text(STUDY.format(days=7 * windows, model=MODEL, address=address, cache=cache))
            run = Path(folder) / "run"
            command = [
                sys.executable,
                "-m",
                "tournament",
                "run",
                str(study),
                "--out",
                str(run),
                "--only",
                "ref.*",
            ]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(done.stderr)
            table = pd.concat(pd.read_parquet(path) for path in run.glob("worlds/*/usage.parquet"))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert int(table["sealed"].sum()) == len(table), "a window was not sealed"
    mean = table[["replies", "tool_calls", "prompt_tokens", "cached_tokens", "cost_usd"]].mean()
    return Bought(
        windows=len(table),
        replies=float(mean["replies"]),
        tool_calls=float(mean["tool_calls"]),
        prompt_tokens=float(mean["prompt_tokens"]),
        cached_tokens=float(mean["cached_tokens"]),
        dollars=float(mean["cost_usd"]),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.caching")
    parser.add_argument("--windows", type=int, default=3, help="decision windows to play")
    windows = parser.parse_args(arguments).windows
    print(f"{'a window, mean of ' + str(windows):<28}{'off':>12}{'on':>12}")
    off, on = play("off", windows), play("on", windows)
    for title, name, digits in (
        ("replies", "replies", 0),
        ("tool calls", "tool_calls", 0),
        ("prompt tokens", "prompt_tokens", 0),
        ("of them read from a cache", "cached_tokens", 0),
        ("US dollars", "dollars", 4),
    ):
        print(f"{title:<28}{getattr(off, name):12,.{digits}f}{getattr(on, name):12,.{digits}f}")
    print(f"saved with {MODEL}: {1 - on.dollars / off.dollars:.0%} of the cost of a window")


if __name__ == "__main__":
    main()
