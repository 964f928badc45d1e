"""Speed of the market engine: `python -m benchmarks.engine`.

Three figures: the compiled days alone, a world settled window by window with Rule's decisions (checks,
receipts, postings, hashes), and a batch of such worlds on one and on two processes.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from market.ceo_arena.day import advance
from market.ceo_arena.market import MARKET

RULE = {
    "prices": {"A": 4000, "B": 7500, "C": 13500},
    "reorder_targets": {"A": 150, "B": 100, "C": 50},
    "development": {"A": 0, "B": 5000, "C": 0},
    "marketing": {"mainstream": {"affiliate": 1667, "display": 1667, "search": 1666}},
    "reliability": 2500,
    "support": 5000,
}
REPEATS = 15
BATCH = 40


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def compiled_days(seed: int) -> float:
    """Milliseconds of 500 compiled days of eight Rule firms."""
    world = MARKET.configure({}).open(seed, 8)
    world.settle([RULE] * 8)
    arguments = (world.rules, world.luck, world.state, world.history, world.scratch)
    return milliseconds(lambda: advance(*arguments, 8, 500)) * 500 / 493


def settled_world(seed: int) -> float:
    """Milliseconds of a whole world with Rule sealed in each of its 72 windows."""
    world = MARKET.configure({}).open(seed, 8)
    return milliseconds(lambda: [world.settle([RULE] * 8) for _ in range(world.windows)])


def opened_world(seed: int) -> float:
    return milliseconds(lambda: MARKET.configure({}).open(seed, 8))


def batch(processes: int) -> float:
    """Seconds of a batch of worlds, workers warm."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        list(pool.map(settled_world, range(2 * processes)))
        return milliseconds(lambda: list(pool.map(settled_world, range(BATCH)))) / 1000


def row(name: str, values: list[float]) -> str:
    return f"{name:<44}{min(values):8.1f}{statistics.median(values):8.1f}{max(values):8.1f}"


def main() -> None:
    MARKET.prepare(print)
    settled_world(0)
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    print(f"{'milliseconds for 500 days of eight Rule firms':<44}{'min':>8}{'median':>8}{'max':>8}")
    print(row("drawing every exogenous path", [opened_world(seed) for seed in range(REPEATS)]))
    print(row("engine: compiled days", [compiled_days(seed) for seed in range(REPEATS)]))
    print(row("with checks, receipts, postings and hashes", [settled_world(seed) for seed in range(REPEATS)]))
    one, two = batch(1), batch(2)
    print(
        f"batch of {BATCH} settled worlds: {one:.2f} s on one process, {two:.2f} s on two: {one / two:.2f} times"
    )


if __name__ == "__main__":
    main()
