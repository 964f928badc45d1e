"""Mechanism ladders of a market beside the paper's figures: `python -m benchmarks.ladders MARKET`.

Every arm of a ladder is a registered policy that plays alone; arms share their seeds, so that each step
has a paired difference with its 95 % interval and its wins out of the seeds. A step whose interval
holds zero is called a tie; one that goes against the paper ends the command with exit code 1.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context

import anyio
import numpy as np
from scipy import stats

from tournament.playing.play import play_unrecorded
from tournament.ports import Market
from tournament.records import SeatContext
from tournament.registry import market_kind, policy_kind

MARKETS = {"commerce@1": "benchmarks.ladders_commerce"}
SEEDS = tuple(range(200, 210))

Outcome = Mapping[str, int | None]
Outcomes = Mapping[str, Sequence[Outcome]]
Measure = Callable[[str, Outcomes], list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One arm: its name in the ladder, its policy and the paper's figure."""

    name: str
    policy: str
    paper: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Arms from the paper's best to its worst; `measure(policy, outcomes)` gives a figure a seed."""

    name: str
    arms: tuple[Arm, ...]
    measure: Measure
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The paired difference of an arm over the next one of its ladder."""

    better: str
    worse: str
    mean: float
    low: float
    high: float
    wins: int
    seeds: int

    @property
    def verdict(self) -> str:
        if self.low > 0:
            return "in this order"
        return "REVERSED" if self.high < 0 else "a tie"


def paired(better: str, worse: str, first: Sequence[float], second: Sequence[float]) -> Step:
    """Return the mean difference with its two-sided 95 % Student interval over seeds."""
    differences = np.array(first) - np.array(second)
    count = len(differences)
    mean = float(differences.mean())
    spread = float(differences.std(ddof=1)) / math.sqrt(count) if count > 1 else math.inf
    half = float(stats.t.ppf(0.975, count - 1)) * spread if count > 1 else math.inf
    wins = int((differences > 0).sum())
    return Step(
        better=better, worse=worse, mean=mean, low=mean - half, high=mean + half, wins=wins, seeds=count
    )


def steps_of(ladder: Ladder, outcomes: Outcomes) -> list[Step]:
    """Return the steps of a ladder, best arm of the paper first."""
    figures = {arm.name: ladder.measure(arm.policy, outcomes) for arm in ladder.arms}
    return [paired(a.name, b.name, figures[a.name], figures[b.name]) for a, b in pairwise(ladder.arms)]


def played(market_id: str, policy_id: str, seed: int) -> Outcome:
    """Return the outcome of a policy that plays one world alone."""
    market: Market = market_kind(market_id).configure({})
    world = market.open(seed, 1)
    kind = policy_kind(policy_id)
    context = SeatContext(world="ladder", seat=1, contestant=policy_id)
    anyio.run(play_unrecorded, world, {1: kind.build(kind.parameters(), context)})
    return world.outcomes()[0]


def played_all(market_id: str, policies: Sequence[str], seeds: Sequence[int], jobs: int) -> Outcomes:
    """Play every policy at every seed on `jobs` processes."""
    tasks = [(policy, seed) for policy in policies for seed in seeds]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        rows = list(pool.map(played, [market_id] * len(tasks), [p for p, _ in tasks], [s for _, s in tasks]))
    return {
        policy: [row for (name, _), row in zip(tasks, rows, strict=True) if name == policy]
        for policy in policies
    }


def shown(ladder: Ladder, outcomes: Outcomes) -> list[str]:
    """Return the lines of one ladder: arms beside the paper, then steps with intervals and wins."""
    lines = [f"{ladder.name} ({ladder.unit})"]
    for arm in ladder.arms:
        here = ladder.measure(arm.policy, outcomes)
        paper = "-" if arm.paper is None else f"{arm.paper:,.2f}".removesuffix(".00")
        lines.append(f"  {arm.name:<16} paper {paper:>10}   here {np.mean(here):>12,.2f}")
    for step in steps_of(ladder, outcomes):
        lines.append(
            f"    {step.better} over {step.worse}: {step.mean:+,.2f}"
            f" [{step.low:+,.2f}, {step.high:+,.2f}], {step.wins} of {step.seeds} seeds: {step.verdict}"
        )
    return lines


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ladders", description=__doc__)
    parser.add_argument("market", choices=sorted(MARKETS))
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(arguments)
    module = importlib.import_module(MARKETS[asked.market])
    market_kind(asked.market).prepare(lambda line: print(line, file=sys.stderr))
    ladders: tuple[Ladder, ...] = module.LADDERS
    policies = sorted({arm.policy for ladder in ladders for arm in ladder.arms} | set(module.ALSO))
    outcomes = played_all(asked.market, policies, asked.seeds, asked.jobs)
    for ladder in ladders:
        print("\n".join(shown(ladder, outcomes)), flush=True)
    print("\n".join(module.more(outcomes, asked.seeds)))
    steps = [step for ladder in ladders for step in steps_of(ladder, outcomes)]
    reversed_steps = [step for step in steps if step.verdict == "REVERSED"]
    ties = sum(step.verdict == "a tie" for step in steps)
    print(
        f"{len(steps)} steps: {len(steps) - ties - len(reversed_steps)} in this order, {ties} ties,"
        f" {len(reversed_steps)} reversed; seeds {', '.join(map(str, asked.seeds))}"
    )
    return 1 if reversed_steps else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
