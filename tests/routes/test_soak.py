"""TIM-05: many calls leave no connection, file or memory behind, and say nothing on the way."""

from __future__ import annotations

import asyncio
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.routes.server import Provider, chat, reply

pytestmark = pytest.mark.asyncio(loop_scope="session")


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident_mb() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


async def calls(call_route: Any, count: int) -> None:
    route = call_route(limits={"concurrent": 20})
    for _ in range(count // 20):
        await asyncio.gather(*(route.complete() for _ in range(20)))


async def test_tim_05_a_long_run_of_calls_keeps_files_and_memory_flat(
    provider: Provider, call_route: Any
) -> None:
    provider.answer_with(reply(chat({"content": "hi"})))
    await calls(call_route, 100)
    files, memory = open_files(), resident_mb()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", ResourceWarning)
        await calls(call_route, 400)
    assert open_files() <= files + 25
    assert resident_mb() <= memory + 40
    assert [str(item.message) for item in heard if item.category is ResourceWarning] == []
