"""The command line as a user meets it: `tournament` in a child process, with the toy market installed."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "toy"
Finished = subprocess.CompletedProcess[str]


def environment(**extra: str) -> dict[str, str]:
    """Return an environment in which the toy market is an installed plug-in."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COLUMNS", "LINES"))
    }
    path = os.pathsep.join([str(TOY), str(ROOT)])
    return {**kept, "PYTHONPATH": path, "PYTHONWARNINGS": "error", **extra}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tournament", *map(str, arguments)]


def tournament(
    *arguments: str | Path,
    cwd: Path,
    expect: int | None = 0,
    env: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    before: Callable[[], None] | None = None,
) -> Finished:
    """Run a command to its end and check its exit code and that no traceback is shown."""
    done = subprocess.run(
        [*prefix, *command(*arguments)],
        cwd=cwd,
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        preexec_fn=before,
    )
    shown = f"{done.stdout}\n{done.stderr}"
    assert expect is None or done.returncode == expect, shown
    assert "Traceback" not in shown, shown
    return done


def begin(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start a command in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        command(*arguments),
        cwd=cwd,
        env=environment(**(env or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """Send a signal to a command and all its workers, as a terminal does on Ctrl-C."""
    os.killpg(process.pid, number)


STUDY = """\
study: street
market: {{id: lemonade@1, overrides: {{days: {days}, slow: {slow}}}}}
seeds: {seeds}
contestants:
  base: {{policy: stand@1, params: {{price: 95}}}}
  a: {{policy: haggler@1}}
  b: {{policy: stand@1, params: {{price: {price}}}}}
  c: {third}
lineup: [a, b, c]
references: [{{contestant: base}}]
"""


def study(
    folder: Path,
    *,
    days: int = 28,
    slow: int = 0,
    price: int = 80,
    seeds: Sequence[int] = (1, 2),
    third: str = "{policy: haggler@1}",
) -> Path:
    """Write a study of 4 lineups at the lemonade market; `slow` is milliseconds a window."""
    path = folder / "street.yaml"
    text = STUDY.format(days=days, slow=slow, price=price, seeds=list(seeds), third=third)
    path.write_text(text, encoding="utf-8")
    return path


def talker(log: Path | str = "", outage: Path | str = "") -> str:
    """Return a contestant whose every answer costs money."""
    return f'{{policy: talker@1, params: {{log: "{log}", outage: "{outage}"}}}}'


def identity(run: Path) -> dict[str, object]:
    """Return all that must be byte-identical between two runs of one study (contract: Identity)."""
    files = [run / "outcomes.csv", *sorted((run / "externalities").rglob("*.csv"))]
    told: dict[str, object] = {
        path.relative_to(run).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }
    for journal in sorted(run.glob("worlds/*/journal.sqlite")):
        told[journal.parent.name] = [
            rows(journal, table) for table in ("seals", "receipts", "days", "postings")
        ]
    return told


def rows(journal: Path, table: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(f"file:{journal}?mode=ro&immutable=1", uri=True)
    found = connection.execute(f"SELECT * FROM {table}").fetchall()
    connection.close()
    return found


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something is true of a running command; it must not end before."""
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def windows_settled(run: Path) -> int:
    """Count the windows that a run in progress has committed so far."""
    count = 0
    for journal in run.glob("worlds/*/journal.sqlite"):
        connection = sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=10)
        try:
            count += connection.execute("SELECT count(*) FROM windows").fetchone()[0]
        except sqlite3.OperationalError:
            continue  # not begun yet
        finally:
            connection.close()
    return count


def events(done: Finished) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]
