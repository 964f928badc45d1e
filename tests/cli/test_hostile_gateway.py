"""A gateway that sends terminal codes, megabytes and the key itself: nothing of it is printed, kept or passed on."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from tests.cli.arena import tournament

KEY = "canary/Zq7w9x0123456789+Key"
STUDY = """\
study: gateway
market: {{id: ceo_arena@1, overrides: {{days: 7}}}}
seeds: [1]
contestants:
  rule: {{policy: rule@1}}
  base: {{policy: swing@1}}
  one: {{policy: llm@1, route: far}}
lineup: [one, rule]
replace: [one]
references: [{{contestant: base}}]
routes:
  - {{id: far, model: openai/far, api_base: "{address}/v1", key_env: FAR_KEY, price: {{input: 1, output: 1}},
     limits: {{retry: {{attempts: 1}}}}}}
limits: {{usd: 100}}
"""
FORGED = "\x1b]0;owned\x07\x1b[2J\r\nerror: forged\u202e\x9b31m"


@contextmanager
def gateway(answer: Callable[[str, int], tuple[int, bytes]]) -> Iterator[str]:
    """Serve; `answer` takes the key that came in and how many requests came before, and gives status and body."""
    count = iter(range(1_000_000))

    class Gateway(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, body = answer(self.headers["Authorization"].removeprefix("Bearer "), next(count))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.slow
def test_a_fifty_megabyte_error_full_of_terminal_codes_is_bounded_and_plain_everywhere(
    tmp_path: Path,
) -> None:
    body = json.dumps({"error": {"message": FORGED + "A" * 50_000_000}}).encode()
    env = {"FAR_KEY": KEY}
    with gateway(lambda key, number: (400, body)) as address:
        (tmp_path / "study.yaml").write_text(STUDY.format(address=address))
        told = [
            tournament("routes", "check", "study.yaml", cwd=tmp_path, env=env, expect=3),
            tournament("run", "study.yaml", "--out", "r", cwd=tmp_path, env=env, expect=3),
            tournament("status", "r", cwd=tmp_path, env=env),
            tournament("export", "r", "--out", "r.tar.gz", cwd=tmp_path, env=env),
        ]
    for done in told:
        shown = done.stdout + done.stderr
        assert len(shown) < 20_000
        assert all(line.isprintable() for line in shown.split("\n")), shown
        assert not any(line.startswith("error: forged") for line in shown.split("\n"))
    assert "cut: " in told[1].stdout + told[1].stderr
    assert max(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 1_000_000


def echoing(key: str, number: int) -> tuple[int, bytes]:
    """Return the key in a call's arguments, each letter as JSON may escape it: a note first, then the seal."""
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
    name, arguments = (
        ("write_file", f'{{"path": "notes.md", "text": "{escaped}"}}')
        if number == 0
        else ("seal_decision", f'{{"rationale": "{escaped}"}}')
    )
    call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
    choice = {
        "index": 0,
        "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": None, "tool_calls": [call]},
    }
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    body = {"id": f"r{number}", "object": "chat.completion", "created": 1, "model": "far", "usage": usage}
    return 200, json.dumps({**body, "choices": [choice]}).encode()


@pytest.mark.slow
def test_a_key_as_escapes_inside_a_calls_arguments_is_nowhere_in_the_run(tmp_path: Path) -> None:
    env = {"FAR_KEY": KEY}
    with gateway(echoing) as address:
        (tmp_path / "study.yaml").write_text(STUDY.format(address=address))
        tournament("run", "study.yaml", "--out", "r", cwd=tmp_path, env=env)
    tournament("report", "r", "--format", "csv,html", cwd=tmp_path)
    tournament("trace", "r", cwd=tmp_path)
    journal = next((tmp_path / "r" / "worlds").glob("ref.*/journal.sqlite"))
    with closing(sqlite3.connect(journal)) as connection:
        ((note,),) = connection.execute("SELECT text FROM files")
        ((rationale,),) = connection.execute("SELECT rationale FROM seals WHERE seat = 1")
    assert (note, rationale) == ("[hidden]", "[hidden]")
    windows = parquet.read_table(journal.parent / "windows.parquet")
    assert "[hidden]" in windows["rationale"].to_pylist()
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        raw = path.read_bytes()
        assert KEY.encode() not in raw, path
        assert escaped.encode() not in raw, path
        assert escaped.replace("\\", "\\\\").encode() not in raw, path
