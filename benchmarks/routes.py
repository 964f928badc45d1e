"""What litellm costs a reply: `python -m benchmarks.routes [--replies 2000] [--concurrent 64]`.

The mock provider answers from a process of its own, so that the processor time counted here is the
client's: our dialect, limiter and judgement, litellm, its client library and the loopback socket. Open
files and memory are told at the beginning and at the end: neither may grow with the number of replies.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.routes.build import close_routes, open_routes
from agents.routes.entry import RouteEntry
from agents.routes.route import Route
from benchmarks.rehearsal import Rehearsal, provider
from tournament.records import ModelRequest

TOOLS = tuple(
    {
        "type": "function",
        "function": {
            "name": f"tool_{number}",
            "description": "One of the tools of a window.",
            "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
        },
    }
    for number in range(22)
)
SYSTEM = {"role": "system", "content": "Rules of the market. " * 600}


async def uncapped() -> None:
    """There is no dollar cap that an attempt could exceed."""


def request(number: int) -> ModelRequest:
    """Return a request of a window's size, unlike any other."""
    user = {"role": "user", "content": f"Window {number}. " + "A line of the briefing. " * 150}
    return ModelRequest(label=f"reply {number}", messages=(SYSTEM, user), tools=TOOLS, max_tokens=2048)


async def measure(route: Route, replies: int, concurrent: int) -> dict[str, float]:
    """Return milliseconds and counts of `replies` replies, `concurrent` of them in flight."""
    await route.complete(request(-1), lambda _: None, uncapped)
    files, memory = _open_files(), _resident_mb()
    left = iter(range(replies))
    spans: list[float] = []

    async def seat() -> None:
        for number in left:
            began = time.perf_counter()
            await route.complete(request(number), lambda _: None, uncapped)
            spans.append(time.perf_counter() - began)

    began, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(seat() for _ in range(concurrent)))
    used, elapsed = time.process_time() - used, time.perf_counter() - began
    return {
        "replies": replies,
        "concurrent": concurrent,
        "processor_ms_a_reply": round(used / replies * 1000, 2),
        "median_ms_a_reply": round(statistics.median(spans) * 1000, 2),
        "replies_a_second": round(replies / elapsed, 1),
        "open_files_before": files,
        "open_files_after": _open_files(),
        "peak_mb_before": round(memory, 1),
        "peak_mb_after": round(_resident_mb(), 1),
    }


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def _resident_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def _run(replies: int, concurrent: int, port: int, folder: Path) -> list[dict[str, float]]:
    entry = RouteEntry.model_validate(
        {
            "id": "loopback",
            "model": "openai/mock-wholesaler",
            "api_base": f"http://127.0.0.1:{port}/v1",
            "price": {"input": 1.0, "output": 4.0},
            "limits": {"concurrent": concurrent},
        }
    )
    route = open_routes([entry], environment={}, folder=folder)["loopback"]
    try:
        return [await measure(route, replies, flying) for flying in (1, concurrent)]
    finally:
        await close_routes()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replies", type=int, default=2000)
    parser.add_argument("--concurrent", type=int, default=64)
    given = parser.parse_args()
    with (
        TemporaryDirectory() as folder,
        provider(Rehearsal(latency=0.0, faults=""), port=0) as (port, _),
    ):
        for line in asyncio.run(_run(given.replies, given.concurrent, port, Path(folder))):
            print(json.dumps(line))


if __name__ == "__main__":
    main()
