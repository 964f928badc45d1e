"""The main job as a user meets it: `python -m benchmarks.arena`.

Times `tournament --help`, `tournament run lineups.yaml`, `tournament verify` and `tournament rule-search` as
whole processes with a warm kernel cache, and samples the memory of the process tree (PSS, so that shared
pages count once).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Wall seconds of a command and the highest PSS of its process tree in MB."""

    seconds: float
    peak_mb: float


def _children(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found


def _pss_kb(process: int) -> int:
    """Sum PSS over a process and its descendants; processes that end meanwhile count nothing."""
    total = 0
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
        for child in _children(process):
            total += _pss_kb(child)
    except (FileNotFoundError, ProcessLookupError):
        return total
    return total


def measure(arguments: Sequence[str]) -> Measured:
    """Run `tournament` with arguments and return what it took."""
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "tournament", *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(SAMPLE_SECONDS):
            peak = max(peak, _pss_kb(child.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = child.wait()
    seconds = time.perf_counter() - started
    done.set()
    watcher.join()
    if code != 0:
        raise SystemExit(f"tournament {' '.join(arguments)} ended with {code}")
    return Measured(seconds=seconds, peak_mb=peak / 1024)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        commands = (
            ["--help"],
            ["run", "lineups/studies/smoke.yaml", "--out", f"{folder}/warm"],
            ["run", "lineups.yaml", "--out", f"{folder}/ready"],
            ["verify", f"{folder}/ready"],
            ["run", "lineups/studies/robustness.yaml", "--out", f"{folder}/robustness"],
            ["rule-search", "--out", f"{folder}/search"],
        )
        print(f"{'command':<52}{'seconds':>9}{'peak MB':>9}")
        for arguments in commands:
            taken = measure(arguments)
            shown = " ".join(argument for argument in arguments if not argument.startswith((folder, "--out")))
            print(f"tournament {shown:<41}{taken.seconds:9.2f}{taken.peak_mb:9.0f}")


if __name__ == "__main__":
    main()
