"""Speed of the statistics: `python -m benchmarks.statistics [RUN]`.

Times every table of 53 worlds of eight entrants (synthetic outcomes, or a run's own files) and the two
resampling kernels at 10,000 draws; each figure is the best of a few repetitions in one process.
"""

from __future__ import annotations

import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from externalities.inference import bca_interval, bootstrap_means, percentile_interval, sign_flip
from externalities.resampling import DRAWS, stream
from externalities.write import write_externalities
from tests.externalities import synthetic

REPETITIONS = 3
PAIRS = 56
THREE = {11: 3, 29: 1, 47: 1}


def best(action: Callable[[], object]) -> float:
    """Return the least wall seconds of a few repetitions."""
    seconds = []
    for _ in range(REPETITIONS):
        begun = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def study(folder: Path, repeats: dict[int, int]) -> Path:
    made = synthetic.rows(
        lineup=synthetic.agents(8), repeats=repeats, references={"rule": repeats, "idle": {11: 1}}
    )
    run = synthetic.write_run(folder, made)
    synthetic.write_plan(run, made)
    return run


def kernels(clusters: int) -> None:
    table = np.random.default_rng(1).normal(size=(clusters, PAIRS))
    resampled = bootstrap_means(table, DRAWS, stream("", "benchmark"))
    told = f"{PAIRS} effects, {clusters} clusters"
    seconds = best(lambda: bootstrap_means(table, DRAWS, stream("", "benchmark")))
    print(f"{DRAWS} bootstrap draws, {told}: {seconds * 1000:.0f} ms")
    seconds = best(lambda: (percentile_interval(resampled, 0.95), bca_interval(table, resampled, 0.95)))
    print(f"percentile and BCa intervals of them: {seconds * 1000:.0f} ms")
    seconds = best(lambda: sign_flip(table, stream("", "benchmark")))
    print(f"joint sign flips, {told}: {seconds * 1000:.0f} ms")


def main(arguments: list[str]) -> None:
    print(
        f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}, numpy {np.__version__}"
    )
    with tempfile.TemporaryDirectory() as folder:
        runs = [Path(argument) for argument in arguments] or [
            study(Path(folder) / "53", THREE),
            study(Path(folder) / "181", dict.fromkeys((11, *range(100, 119)), 1)),
        ]
        for run in runs:
            worlds = write_externalities(run).report["worlds"]["finished"]
            print(
                f"all tables of {worlds} worlds, both scores: {best(lambda at=run: write_externalities(at)):.2f} s"
            )
    for clusters in (10, 20):
        kernels(clusters)


if __name__ == "__main__":
    main(sys.argv[1:])
