"""Speed and size of a report: `python -m benchmarks.report RUN`.

Seconds of the whole command in a process of its own, its processor seconds and the most memory that any
of its processes took, and the size of what it wrote.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path


def main(run: Path) -> None:
    """Make the report and print what it took."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "tournament", "report", str(run)], check=True)
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = run / "report"
    worlds = sorted((report / "worlds").glob("*.html"))
    total = sum(path.stat().st_size for path in report.rglob("*") if path.is_file())
    largest = max(path.stat().st_size for path in worlds)
    lines = [
        f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}",
        f"{len(worlds)} worlds: {seconds:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor,"
        f" {used.ru_maxrss / 1024:.0f} MB at most in one process",
        f"index {(report / 'index.html').stat().st_size / 1e6:.1f} MB, largest world page {largest / 1e6:.1f} MB,"
        f" everything {total / 1e6:.1f} MB",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
