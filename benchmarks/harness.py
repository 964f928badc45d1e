"""What the LLM harness itself costs: `python -m benchmarks.harness [--worlds 64] [--replies 24]`.

A route that answers at once plays the built-in market's desk, so that what is measured is ours: fold,
messages, tool, checkpoint and journal, without litellm and without a provider. Fsyncs are counted and
their time is told apart by playing the same windows with and without them; processor time is what
counts on a machine that does other work too. Memory rises until the journals' page caches are full
(2 MB each), then by the market's own history only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.llm.accounting.spend import SpendMeter
from agents.llm.policy import LLM, LlmParameters
from agents.llm.services import SERVICE, LlmServices
from agents.llm.sql.pool import QueryPool
from tournament.journal.writer import JOURNAL, Journal, open_journal
from tournament.ports import Policy, World
from tournament.records import Attempt, ModelReply, ModelRequest, SeatContext, Usage
from tournament.registry import market_kind

CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("set_price", {"product": "A", "price_cents": 4100, "promotion_percent": 0}),
    ("set_reorder_target", {"product": "B", "units": 90}),
    ("set_support_budget", {"cents_per_day": 5000}),
)
QUERY = (
    "query_company",
    {"sql": "SELECT day, closing_cash_cents FROM daily_cashflow ORDER BY day DESC", "limit": 7},
)
POOL = QueryPool()


@dataclass(frozen=True, slots=True)
class InstantRoute:
    """Answers the n-th reply of a conversation with one call, and the last with the seal."""

    replies: int
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    pause: float = 0.0
    id: str = "instant"
    ceiling: int = 8192
    least_ceiling: int = 16

    def estimate_tokens(self, text: str) -> int:
        return len(text) // 4

    def cost_bound_usd(self, request: ModelRequest) -> float | None:
        return 0.01

    async def complete(
        self,
        request: ModelRequest,
        record: Callable[[Attempt], None],
        again: Callable[[], Awaitable[None]],
    ) -> ModelReply:
        await asyncio.sleep(self.pause)
        ordinal = 1 + sum(message["role"] == "assistant" for message in request.messages)
        last = ordinal >= self.replies
        name, arguments = (
            ("seal_decision", {"rationale": "bench"}) if last else self.calls[ordinal % len(self.calls)]
        )
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{ordinal}", "type": "function", "function": function}
        return ModelReply(
            message={"role": "assistant", "content": None, "tool_calls": [call]},
            finish="calls",
            usage=Usage(prompt=2000, generated=60),
            model="instant",
            response_id=f"r{ordinal}",
            cost_usd=0.001,
            seconds=0.0,
        )


def seated(journal: Journal, seat: int, route: InstantRoute) -> Policy:
    context = SeatContext(
        world=journal.path.parent.name,
        seat=seat,
        contestant="bench",
        store=journal.store(seat),
        services={SERVICE: LlmServices(routes={"instant": route}, spend=SpendMeter(), queries=POOL)},
    )
    return LLM.build(LlmParameters(route="instant"), context)


async def decided(policy: Policy, world: World, seat: int, memo: Any = None) -> Any:
    return (await policy.decide(world.desk(seat), memo)).memo


def one_seat(
    folder: Path, *, durable: bool, route: InstantRoute, windows: int
) -> tuple[list[float], list[float], int]:
    """Return the processor's seconds and the clock's a reply, of each window, and the commits of all."""
    world = market_kind("ceo_arena@1").configure({}).open(11, 8)
    journal = open_journal(folder / JOURNAL, {"world": folder.name}, durable=durable)
    policy = seated(journal, 1, route)
    worked, seconds, memo = [], [], None
    for _ in range(windows):
        work, begun = time.process_time(), time.perf_counter()
        memo = asyncio.run(decided(policy, world, 1, memo))
        seconds.append((time.perf_counter() - begun) / route.replies)
        worked.append((time.process_time() - work) / route.replies)
        world.settle([{}] * 8)
    commits = journal.commits
    journal.close()
    return worked, seconds, commits


async def many_worlds(folder: Path, worlds: int, windows: int, route: InstantRoute) -> list[int]:
    """Play windows of `worlds` eight-seat worlds at once; return resident KiB after each window."""
    kind = market_kind("ceo_arena@1").configure({})
    opened = [kind.open(seed, 8) for seed in range(worlds)]
    journals = [
        open_journal(folder / f"w{at}" / JOURNAL, {"world": f"w{at}"}, durable=False) for at in range(worlds)
    ]
    policies = [[seated(journal, seat, route) for seat in range(1, 9)] for journal in journals]
    memory = []
    for _ in range(windows):
        plays = [
            decided(policy, world, seat)
            for world, eight in zip(opened, policies, strict=True)
            for seat, policy in enumerate(eight, start=1)
        ]
        await asyncio.gather(*plays)
        for world in opened:
            world.settle([{}] * 8)
        memory.append(_resident())
    for journal in journals:
        journal.close()
    return memory


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replies", type=int, default=24)
    parser.add_argument("--windows", type=int, default=72)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=16, help="windows of the many worlds")
    chosen = parser.parse_args()
    market_kind("ceo_arena@1").prepare(lambda text: None)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for name, calls in (("staging call", CALLS), ("query", (QUERY,))):
            route = InstantRoute(chosen.replies, calls)
            for durable in (False, True):
                folder = root / f"{name} {durable}"
                worked, seconds, commits = one_seat(
                    folder, durable=durable, route=route, windows=chosen.windows
                )
                found[f"{name}, {'with' if durable else 'without'} fsync"] = {
                    "processor_ms_per_reply_first_windows": round(1000 * statistics.median(worked[:5]), 3),
                    "processor_ms_per_reply_last_windows": round(1000 * statistics.median(worked[-5:]), 3),
                    "clock_ms_per_reply": round(1000 * statistics.median(seconds), 3),
                    "commits_per_reply": round(commits / chosen.windows / chosen.replies, 2),
                }
        route = InstantRoute(8, (*CALLS, QUERY), pause=0.05)
        memory = asyncio.run(many_worlds(root, chosen.worlds, chosen.rounds, route))
        found[f"{chosen.worlds} worlds of 8 seats at once"] = {
            "resident_mb_after_each_window": [m // 1024 for m in memory]
        }
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
