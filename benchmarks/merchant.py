"""Speed of the market `merchant@1`: `python -m benchmarks.merchant`.

Processor seconds of a year of eight merchants with fifty listings each, the hours alone and settled window
by window; of the same with the four policies deciding on their facts; the peak of memory with the largest
catalogue; and of the first compilation, in a process with an empty cache.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
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
REPEATS = 3
LARGE: Mapping[str, int] = {"products": 98_843}


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


def row(name: str, values: Sequence[float]) -> str:
    return f"{name:<62}{min(values):8.2f}{max(values):8.2f}"


def main() -> None:
    MARKET.prepare(print)
    settled(opened({"days": 2}))
    print(f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}")
    print(f"{'seconds, a year of eight merchants':<62}{'min':>8}{'max':>8}")
    print(row("opening a world, 1,000 products", [seconds(lambda: opened({})) for _ in range(REPEATS)]))
    print(row("settled, 50 listings each, 1,000 products", [settled(opened({})) for _ in range(REPEATS)]))
    print(
        row(
            "with the four policies, twice each",
            [seconds(lambda: played(opened({}))) for _ in range(REPEATS)],
        )
    )
    print(row("opening a world, 98,843 products", [seconds(lambda: opened(LARGE))]))
    print(row("settled, 50 listings each, 98,843 products", [settled(opened(LARGE)) for _ in range(REPEATS)]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'peak memory of this process, MB':<62}{peak:8.0f}")
    print(row("first compilation", [first_compilation()]))


if __name__ == "__main__":
    main()
