"""A small real model as chief executive: `python -m benchmarks.real_model --server PATH --model FILE.gguf`.

Starts llama.cpp's server on loopback, writes a study whose models speak through an ordinary route
entry, plays it with `tournament run`, checks it with `tournament verify`, and prints what the journal
says. Everything between the study file and the model is the product's own: nothing here speaks to the
model. `docs/real-model.md` tells where a server and weights come from.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final

import pandas as pd
from ruamel.yaml import YAML

from tournament.journal.reader import JournalReader, read_journal
from tournament.journal.writer import JOURNAL

TEMPLATE: Final = Path(__file__).with_suffix(".jinja")
KEY: Final = "REAL_MODEL_KEY"
HOST: Final = "127.0.0.1"
BASELINES: Final = ("rule", "wholesaler")
SHOWN: Final = (
    *("seat", "window", "sealed", "replies", "tool_calls", "queries", "staged", "corrections"),
    *("length_cuts", "prompt_tokens", "cached_tokens", "generated_tokens", "active_seconds"),
)
COUNTED: Final = (*SHOWN[2:], "windows", "exhausted", "refused_calls", "failed_attempts", "possibly_paid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What is played: how many models for how long, with which budget and at which address."""

    alias: str
    port: int
    days: int
    seats: int
    replies: int
    ceiling: int
    context: int
    threads: int
    seed: int

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}/v1"


def study_of(rehearsal: Rehearsal) -> Mapping[str, Any]:
    """Return the study: models first, then the baselines, one world."""
    budgets = {"replies": rehearsal.replies, "seconds": 3600 * rehearsal.replies}
    models = [f"model-{seat}" for seat in range(1, rehearsal.seats + 1)]
    spoken = {"policy": "llm@1", "route": "local", "params": {"budgets": budgets}}
    return {
        "study": "real-model",
        "market": {"id": "ceo_arena@1", "overrides": {"days": rehearsal.days}},
        "seeds": [rehearsal.seed],
        "contestants": {
            **{name: {"policy": f"{name}@1"} for name in BASELINES},
            **dict.fromkeys(models, spoken),
        },
        "lineup": [*models, *BASELINES],
        "routes": [route_of(rehearsal)],
    }


def route_of(rehearsal: Rehearsal) -> Mapping[str, Any]:
    """Return the route's entry. A slow machine is no fault of the model: no time limit of hours bites."""
    return {
        "id": "local",
        "model": f"openai/{rehearsal.alias}",
        "api_base": rehearsal.address,
        "key_env": KEY,
        "params": {"tool_choice": "required", "parallel_tool_calls": False, "temperature": 1.0},
        # llama.cpp's own parameters: without a penalty a small model repeats its first call for ever.
        "options": {"repeat_penalty": 1.3, "repeat_last_n": 256},
        "ceiling": rehearsal.ceiling,
        "price": {"input": 0.0, "output": 0.0},
        "limits": {
            "concurrent": rehearsal.seats,
            "context_tokens": rehearsal.context,
            "timeouts": {"silence_seconds": 3600.0, "total_seconds": 3600.0},
        },
    }


def write_study(file: Path, rehearsal: Rehearsal) -> None:
    yaml = YAML()
    yaml.representer.ignore_aliases = lambda _: True
    with file.open("w", encoding="utf-8") as out:
        yaml.dump(study_of(rehearsal), out)


def server_command(server: Path, model: Path, rehearsal: Rehearsal) -> list[str]:
    """Return the server's command: a slot a seat, each with the whole context."""
    options = {
        "--model": model,
        "--alias": rehearsal.alias,
        "--host": HOST,
        "--port": rehearsal.port,
        "--chat-template-file": TEMPLATE,
        "--parallel": rehearsal.seats,
        "--threads": rehearsal.threads,
        "--ctx-size": rehearsal.context * rehearsal.seats,
    }
    return [str(server), "--jinja", "--offline", *(str(part) for pair in options.items() for part in pair)]


@contextmanager
def served(command: Sequence[str], port: int, key: str, log: Path) -> Iterator[None]:
    """Run the server until the block ends; the key travels in its environment, where no process list shows it."""
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, "LLAMA_API_KEY": key}
        )
    try:
        begun = time.perf_counter()
        while not healthy(port):
            if server.poll() is not None:
                raise SystemExit(f"the server ended with {server.returncode}; its words are in {log}")
            time.sleep(0.2)
        print(f"server {server.pid} ready after {time.perf_counter() - begun:.1f} s", flush=True)
        yield
    finally:
        server.terminate()
        server.wait()
        print(f"server {server.pid} ended", flush=True)


def healthy(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def alias_of(model: Path) -> tuple[str, str]:
    """Return a name bound to the weights, by which the server answers and the contestant is known, and their hash."""
    with model.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    return f"gguf-{found[:12]}", found


def tournament(*arguments: str, key: str) -> int:
    return subprocess.run(
        [sys.executable, "-m", "tournament", *arguments], env={**os.environ, KEY: key}, check=False
    ).returncode


def report(run: Path) -> None:
    """Print a row a window of each model, their sum, what tools were called, and the firms' Scores."""
    for journal in sorted(run.glob(f"worlds/*/{JOURNAL}")):
        with read_journal(journal) as reader:
            print("\ntools called:", _counts(tools_called(reader)))
            print("replies of which nothing ran:", _counts(corrected(reader)))
    usage = sorted(run.glob("worlds/*/usage.parquet"))
    if not usage:
        print("the world has not ended: no accounts yet")
        return
    rows = pd.concat([pd.read_parquet(file) for file in usage], ignore_index=True)
    print(f"\n{rows[list(SHOWN)].round(1).to_string(index=False)}\n\nin all")
    for name, total in rows[list(COUNTED)].sum().items():
        print(f"  {name:<18}{total:>12,.0f}")
    outcomes = pd.read_csv(run / "outcomes.csv")
    print(f"\n{outcomes[['seat', 'contestant', 'score_cents']].to_string(index=False)}")


def tools_called(reader: JournalReader) -> Counter[str]:
    """Count results by tool; a call that was refused is told apart."""
    return Counter(
        f"{record.body['tool']}{'' if record.body['done'] else ' (refused)'}"
        for record in _records(reader, "result")
    )


def corrected(reader: JournalReader) -> Counter[str]:
    return Counter(str(record.body["code"]) for record in _records(reader, "answers"))


def _records(reader: JournalReader, kind: str) -> Iterator[Any]:
    for seat, window in reader.query("SELECT DISTINCT seat, window FROM events ORDER BY seat, window"):
        yield from (record for record in reader.events(seat, window) if record.kind == kind)


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counter.most_common()) or "none"


def rehearsal_of(chosen: argparse.Namespace, alias: str) -> Rehearsal:
    return Rehearsal(
        alias=alias,
        port=chosen.port or free_port(),
        days=chosen.days,
        seats=chosen.seats,
        replies=chosen.budget_replies,
        ceiling=chosen.ceiling,
        context=chosen.context,
        threads=chosen.threads,
        seed=chosen.seed,
    )


def play(server: Path, model: Path, rehearsal: Rehearsal, folder: Path) -> int:
    """Play the study in a folder and verify it; return the exit code."""
    write_study(folder / "study.yaml", rehearsal)
    key = secrets.token_hex(16)
    command = server_command(server, model, rehearsal)
    with served(command, rehearsal.port, key, folder / "server.log"):
        begun = time.perf_counter()
        code = tournament("run", str(folder / "study.yaml"), "--out", str(folder / "run"), key=key)
        print(f"`tournament run` ended with {code} after {time.perf_counter() - begun:.0f} s")
    return code or tournament("verify", str(folder / "run"), key=key)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", type=Path, required=True, help="llama.cpp's llama-server")
    parser.add_argument("--model", type=Path, required=True, help="weights of an instruct model, GGUF")
    for name, default, what in (
        ("--days", 21, "days of the market; a window is seven"),
        ("--seats", 2, "seats that the model fills"),
        ("--budget-replies", 12, "replies of a window"),
        ("--ceiling", 512, "tokens of one reply at most"),
        ("--context", 32_768, "tokens of one conversation at most"),
        ("--threads", os.cpu_count() or 1, "of the server; fewer where the machine has other work"),
        ("--seed", 11, "economic seed"),
        ("--port", 0, "of the server; 0 is a free one"),
    ):
        parser.add_argument(name, type=int, default=default, help=f"{what} [{default}]")
    parser.add_argument("--out", type=Path, help="folder for study, log and run [a fresh temporary one]")
    return parser.parse_args(given)


def require_files(chosen: argparse.Namespace) -> None:
    """End in one line where a file that was named is not there or cannot be used."""
    for option, path, mode in (("--server", chosen.server, os.X_OK), ("--model", chosen.model, os.R_OK)):
        if not path.is_file():
            raise SystemExit(f"{option} {path}: no such file; docs/real-model.md tells where to get one")
        if not os.access(path, mode):
            raise SystemExit(f"{option} {path}: it may not be {'run' if mode == os.X_OK else 'read'}")


def main() -> None:
    chosen = arguments()
    require_files(chosen)
    alias, digest = alias_of(chosen.model)
    folder = chosen.out or Path(tempfile.mkdtemp(prefix="real-model-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{chosen.model.name}: {chosen.model.stat().st_size / 1e6:,.0f} MB, sha256 {digest}")
    print(f"{platform.machine()}, {os.cpu_count()} processors; {folder} has study, log and run", flush=True)
    code = play(chosen.server, chosen.model, rehearsal_of(chosen, alias), folder)
    report(folder / "run")
    raise SystemExit(code if code >= 0 else 1)


if __name__ == "__main__":
    main()
