"""Speed of the market `merchant@1`: `python -m benchmarks.merchant`, and `... --study` for the ready study alone.

Processor seconds, beside what is aimed at: a year of eight merchants with fifty listings each, settled
window by window without policies, on 1,000 products and on 98,843 (with the peak of memory of a process
that plays nothing else); the same year with the four policies deciding on their facts; the study
`lineups/studies/merchant.yaml` by two workers. Then the first compilation, in a process with an empty cache.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.merchant.pricer import MERCHANT_PRICER
from agents.merchant.quality import MERCHANT_QUALITY
from agents.merchant.rule import MERCHANT_RULE
from agents.merchant.season import MERCHANT_SEASON
from agents.strategy import Strategy, without_blanks
from market.merchant.market import MARKET
from market.merchant.world import MerchantWorld

FIELD: Sequence[Strategy[Any]] = 2 * (MERCHANT_RULE, MERCHANT_QUALITY, MERCHANT_SEASON, MERCHANT_PRICER)
SEATS = 8
REPEATS = 5
LARGE: Mapping[str, int] = {"products": 98_843}
ROOT = Path(__file__).resolve().parents[1]
STUDY = "lineups/studies/merchant.yaml"
WORKERS = 2


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of this process."""
    started = time.process_time()
    work()
    return time.process_time() - started


def opened(overrides: Mapping[str, int]) -> MerchantWorld:
    return MARKET.configure(overrides).open(11, SEATS)


def shelf(world: MerchantWorld, seat: int) -> dict[str, Any]:
    """Fifty available products at twice their cost, overlapping with the neighbour's shelf."""
    catalog, products = world.sight.catalog(), len(world.catalog.base)
    found = [i % products for i in range(40 * seat, 40 * seat + 200) if catalog["available"][i % products]]
    return {"list": {f"P{i:05d}": 2 * catalog["price_cents"][i] for i in found[:50]}}


def settled(world: MerchantWorld) -> float:
    """Seconds of a year without policies: shelves stand from the first window on."""
    world.settle([shelf(world, seat) for seat in range(SEATS)])
    nothing: list[dict[str, Any] | None] = [{}] * SEATS
    return seconds(lambda: [world.settle(nothing) for _ in range(world.windows - 1)])


def played(world: MerchantWorld) -> None:
    """Play the four policies twice over."""
    parameters = [strategy.parameters() for strategy in FIELD]
    memos: list[Any] = [None] * SEATS
    while world.window < world.windows:
        row: list[Any] = [None] * SEATS
        for seat in world.active():
            m = seat - 1
            move = FIELD[m].decide(parameters[m], world.desk(seat).facts(), memos[m])
            memos[m], row[m] = move.memo, without_blanks(move.decision)
        world.settle(row)


def first_compilation() -> float:
    """Wall seconds of preparing the market in a process that finds no cache."""
    with tempfile.TemporaryDirectory() as home:
        program = (
            "import time; started = time.perf_counter()\n"
            "from market.merchant.market import MARKET, play_a_day\n"
            "play_a_day(); print(time.perf_counter() - started)"
        )
        told = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "HOME": home},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(told.stdout)


def study() -> float:
    """Processor seconds of the ready study, all its processes together."""
    with tempfile.TemporaryDirectory() as folder:
        before = _children_seconds()
        subprocess.run(
            [
                sys.executable,
                "-m",
                "tournament",
                "run",
                STUDY,
                "--out",
                f"{folder}/run",
                "--jobs",
                str(WORKERS),
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return _children_seconds() - before


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def alone(overrides: Mapping[str, int]) -> tuple[list[float], float]:
    """Open and settle one world after another in a process of its own.

    Returns the seconds of settling a year, the least first, and the peak of memory in MB.
    """
    program = (
        "import resource\n"
        "from benchmarks.merchant import REPEATS, opened, settled\n"
        "settled(opened({'days': 2}))\n"
        f"taken = [settled(opened({dict(overrides)!r})) for _ in range(REPEATS)]\n"
        "print(*taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    *taken, peak = map(float, told.stdout.split())
    return sorted(taken), peak


def row(name: str, values: Sequence[float], aim: str = "") -> str:
    return f"{name:<60}{min(values):8.2f}{statistics.median(values):8.2f}{max(values):8.2f}  {aim}".rstrip()


def show_study() -> None:
    taken = study()
    print(row(f"{STUDY}, a core", [taken / WORKERS], "60"))


def main() -> None:
    MARKET.prepare(print)
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    print(f"{'processor seconds, a year of eight merchants':<60}{'min':>8}{'median':>8}{'max':>8}  aim")
    if "--study" in sys.argv[1:]:
        show_study()
        return
    for name, overrides, aim in (("1,000", {}, "0.15"), ("98,843", LARGE, "0.30")):
        taken, peak = alone(overrides)
        print(row(f"settled, 50 listings each, {name} products", taken, aim))
        print(
            f"{'  peak memory of that process, MB':<60}{peak:8.0f}{'':18}{'300' if overrides else ''}".rstrip()
        )
        opening = [seconds(lambda: opened(overrides)) for _ in range(REPEATS)]  # noqa: B023 - called at once
        print(row(f"opening a world, {name} products", opening))
    print(
        row(
            "with the four policies, twice each",
            [seconds(lambda: played(opened({}))) for _ in range(REPEATS)],
        )
    )
    show_study()
    print(row("first compilation", [first_compilation()]))


if __name__ == "__main__":
    main()
