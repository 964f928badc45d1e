"""Speed of `commerce@1`: `python -m benchmarks.commerce [--study]`.

Compiled days with sixty sellers and eight full shelves, worlds driven by policies, the facts of a desk,
and the kernels' compile time from an empty cache; with `--study` the ready study of 27 worlds too.
Seconds of processor time beside the clock's: other work on the machine does not count.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

from market.commerce.day import close_books, play_market
from market.commerce.market import MARKET
from market.commerce.parameters import COUNTRIES, OFFER_IDS, SKU_IDS
from market.commerce.world import CommerceWorld
from tournament.playing.play import play_unrecorded
from tournament.records import SeatContext
from tournament.registry import policy_kind

REPEATS = 7
FIELD = ("bayes", "wholesaler", "velocity", "swing", "broker", "premium", "cheapest", "bulk")
STUDY = Path(__file__).parents[1] / "lineups" / "studies" / "commerce.yaml"


def processor_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def full_shelves(seed: int) -> CommerceWorld:
    """Return a world after a setup in which eight seats stock a hundred SKUs and list them everywhere."""
    world = MARKET.configure({}).open(seed, 8)
    moq = world.catalog.offers.moq
    decision: dict[str, Any] = {
        "borrow": 4_000_000,
        "buy": [[OFFER_IDS[j], int(moq[j])] for j in range(100)],
        "list": [
            {"sku": SKU_IDS[s], "country": country, "price": int(world.catalog.guide[s, k]), "ad": 10}
            for s in range(100)
            for k, country in enumerate(COUNTRIES)
        ],
    }
    world.settle([decision] * 8)
    return world


def compiled_days(seed: int) -> float:
    """Seconds of thirty compiled days."""
    world = full_shelves(seed)

    def days() -> None:
        for d in range(30):
            play_market(world.goods, world.luck, world.state, world.history, world.crowd, world.scratch, d)
            close_books(world.luck, world.state, world.history, d)

    return processor_seconds(days)


def policy_world(seed: int, names: tuple[str, ...]) -> float:
    """Seconds of a world that policies play, unrecorded."""
    policies = {}
    for seat, name in enumerate(names, start=1):
        kind = policy_kind(f"commerce-{name}@1")
        context = SeatContext(world="benchmark", seat=seat, contestant=name)
        policies[seat] = kind.build(kind.parameters(), context)
    world = MARKET.configure({}).open(seed, len(names))
    return processor_seconds(lambda: anyio.run(play_unrecorded, world, policies))


def compiling() -> float:
    """Seconds to compile every kernel with an empty cache, in a process of its own."""
    with tempfile.TemporaryDirectory() as home:
        program = (
            "import time; from market.commerce.market import play_a_day; t = time.process_time();"
            " play_a_day(); print(time.process_time() - t)"
        )
        told = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "HOME": home},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(told.stdout)


def study(jobs: int) -> float:
    """Seconds by the clock of the ready study of 27 worlds."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        command = ["run", str(STUDY), "--out", f"{folder}/run", "--jobs", str(jobs)]
        subprocess.run([sys.executable, "-m", "tournament", *command], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started


def row(name: str, values: list[float]) -> str:
    return f"{name:<52}{min(values):8.3f}{statistics.median(values):8.3f}{max(values):8.3f}"


def main(arguments: list[str]) -> None:
    MARKET.prepare(print)
    compiled_days(0)
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    print(f"{'processor seconds':<52}{'min':>8}{'median':>8}{'max':>8}")
    print(row("30 days, 60 sellers, eight full shelves", [compiled_days(n) for n in range(REPEATS)]))
    print(row("world of one Rule", [policy_world(n, ("rule",)) for n in range(REPEATS)]))
    print(row("world of eight strategies", [policy_world(n, FIELD) for n in range(3)]))
    print(row("compiling the kernels", [compiling()]))
    if "--study" in arguments:
        print(f"the ready study, 27 worlds on two processes: {study(2):.1f} s by the clock")


if __name__ == "__main__":
    main(sys.argv[1:])
