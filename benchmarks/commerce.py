"""Speed of `commerce@1`: `python -m benchmarks.commerce [--study]`.

Processor seconds, beside what is aimed at: thirty days with sixty sellers and eight full shelves (a hundred
SKUs of each seat, listed in six countries), settled window by window without policies; worlds that policies
play; the kernels' compile time from an empty cache; the ready study of 27 worlds by two workers, per core
(with `--study` that alone). Processor time grows too where other work shares the cores.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

from market.commerce.market import MARKET
from market.commerce.parameters import COUNTRIES, OFFER_IDS, SKU_IDS
from market.commerce.world import CommerceWorld
from tournament.playing.play import play_unrecorded
from tournament.records import SeatContext
from tournament.registry import policy_kind

REPEATS = 7
SEATS = 8
SHELF = 100
WORKERS = 2
FIELD = ("bayes", "wholesaler", "velocity", "swing", "broker", "premium", "cheapest", "bulk")
STUDY = Path(__file__).parents[1] / "lineups" / "studies" / "commerce.yaml"


def processor_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def full_shelves(seed: int) -> CommerceWorld:
    """Return a world after a setup in which eight seats stock a hundred SKUs and list them in every country."""
    world = MARKET.configure({}).open(seed, SEATS)
    moq = world.catalog.offers.moq
    decision: dict[str, Any] = {
        "borrow": 4_000_000,
        "buy": [[OFFER_IDS[j], int(moq[j])] for j in range(SHELF)],
        "list": [
            {"sku": SKU_IDS[s], "country": country, "price": int(world.catalog.guide[s, k]), "ad": 10}
            for s in range(SHELF)
            for k, country in enumerate(COUNTRIES)
        ],
    }
    refused = [item for item in world.settle([decision] * SEATS).receipts if item.status == "refused"]
    assert not refused, refused[0].detail
    return world


def settled_days(seed: int) -> float:
    """Seconds in which thirty days are settled whole: checks, kernels, inquiries, postings and state hashes."""
    world = full_shelves(seed)
    return processor_seconds(lambda: [world.settle([{}] * SEATS) for _ in range(world.windows - 1)])


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


def study() -> float:
    """Processor seconds of the ready study of 27 worlds, all its processes together, by two workers."""
    with tempfile.TemporaryDirectory() as folder:
        before = _children_seconds()
        command = ["run", str(STUDY), "--out", f"{folder}/run", "--jobs", str(WORKERS)]
        subprocess.run([sys.executable, "-m", "tournament", *command], check=True, stdout=subprocess.DEVNULL)
        return _children_seconds() - before


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(name: str, values: list[float], aim: str = "") -> str:
    return f"{name:<52}{min(values):8.3f}{statistics.median(values):8.3f}{max(values):8.3f}  {aim}".rstrip()


def main(arguments: list[str]) -> None:
    MARKET.prepare(print)
    settled_days(0)
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    print(f"{'processor seconds':<52}{'min':>8}{'median':>8}{'max':>8}  aim")
    if "--study" not in arguments:
        print(
            row("30 days, 60 sellers, eight full shelves", [settled_days(n) for n in range(REPEATS)], "0.15")
        )
        print(row("world of one Rule", [policy_world(n, ("rule",)) for n in range(REPEATS)]))
        print(row("world of eight strategies", [policy_world(n, FIELD) for n in range(REPEATS)]))
        print(row("compiling the kernels", [compiling()]))
    print(row("the ready study, 27 worlds, a core of two", [study() / WORKERS], "20"))


if __name__ == "__main__":
    main(sys.argv[1:])
