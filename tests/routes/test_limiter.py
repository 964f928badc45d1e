"""All seats of a route share one queue, one pace and one pause, and a route that is stopped leaves it to the others."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.routes.entry import RouteLimits
from agents.routes.limiter import Bucket, Limiter

OPEN = asyncio.Event()


class Time:
    """Virtual time: it goes on to the next waiter's end when nobody else can run."""

    def __init__(self) -> None:
        self.time = 0.0
        self.sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        return self.time

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        if seconds is None:
            await event.wait()
            return
        alarm = asyncio.Event()
        self.sleepers.append((self.time + seconds, alarm))
        tasks = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(alarm.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()

    async def run(self, *work: asyncio.Task[None]) -> None:
        """Let time pass until all the work is done."""
        while not all(task.done() for task in work):
            for _ in range(20):
                await asyncio.sleep(0)
            if self.sleepers and not all(task.done() for task in work):
                self.sleepers.sort(key=lambda item: item[0])
                self.time, alarm = self.sleepers.pop(0)
                alarm.set()
        for task in work:
            task.result()


async def asking(limiter: Limiter, time: Time, log: list[tuple[str, float]], name: str, takes: float) -> None:
    async with limiter.slot(0.0, OPEN):
        log.append((name, time.now()))
        await time.wait(asyncio.Event(), takes)
    limiter.replied()


async def test_seats_are_served_in_the_order_in_which_they_came():
    time, log = Time(), []
    limiter = Limiter("one", RouteLimits(concurrent=2), time)
    await time.run(*[asyncio.create_task(asking(limiter, time, log, str(n), 1.0)) for n in range(6)])
    assert log == [("0", 0.0), ("1", 0.0), ("2", 1.0), ("3", 1.0), ("4", 2.0), ("5", 2.0)]


async def test_err_15_fifty_workers_meet_a_limit_together_and_none_starves():
    """The server refuses everybody for ten seconds: it is asked a few times, then each gets one reply."""
    time = Time()
    limiter = Limiter("one", RouteLimits(concurrent=50), time)
    refused: list[float] = []
    served: list[int] = []

    async def worker(number: int) -> None:
        for attempt in range(100):
            async with limiter.slot(0.0, OPEN) as slot:
                await time.wait(asyncio.Event(), 0.1)
                answered = time.now() > 10.0
            if answered:
                limiter.replied()
                served.append(number)
                return
            refused.append(time.now())
            pause = 1.0 * (1 + limiter.streak)
            limiter.slow_down(slot, pause)
            await time.wait(OPEN, pause * ((number * 37 + attempt * 11) % 50) / 50)

    await time.run(*[asyncio.create_task(worker(number)) for number in range(50)])
    assert sorted(served) == list(range(50))
    first_wave = sum(moment < 0.2 for moment in refused)
    assert first_wave == 50, "they were in flight together, and are one lesson"
    assert len(refused) - first_wave < 50, "afterwards ever fewer ask while the limit lasts"
    assert limiter.snapshot(stopped="").slowed < 10


async def test_a_limit_halves_what_flies_and_replies_bring_it_back_slowly():
    time = Time()
    limiter = Limiter("one", RouteLimits(concurrent=16), time)

    async def limited() -> None:
        async with limiter.slot(0.0, OPEN) as slot:
            await time.wait(asyncio.Event(), 1.0)
        limiter.slow_down(slot, 5.0)

    await time.run(*[asyncio.create_task(limited()) for _ in range(4)])
    assert limiter.snapshot(stopped="").allowed == 8, "four refusals of one moment halve once"
    assert limiter.snapshot(stopped="").not_before == 6.0
    for _ in range(8):
        limiter.replied()
    assert limiter.snapshot(stopped="").allowed == 8
    for _ in range(4):
        limiter.replied()
    assert limiter.snapshot(stopped="").allowed == 9
    for _ in range(1000):
        limiter.replied()
    assert limiter.snapshot(stopped="").allowed == 16


async def test_nobody_asks_during_a_pause():
    time, log = Time(), []
    limiter = Limiter("one", RouteLimits(concurrent=4), time)
    async with limiter.slot(0.0, OPEN) as slot:
        pass
    limiter.slow_down(slot, 30.0)
    await time.run(*[asyncio.create_task(asking(limiter, time, log, str(n), 1.0)) for n in range(3)])
    assert min(moment for _, moment in log) == 30.0


async def test_requests_a_minute_are_spread_and_not_burst():
    time, log = Time(), []
    limiter = Limiter("one", RouteLimits(concurrent=100, requests_per_minute=60), time)
    await time.run(*[asyncio.create_task(asking(limiter, time, log, str(n), 0.0)) for n in range(66)])
    assert sum(moment == 0.0 for _, moment in log) == 6
    assert log[-1][1] == pytest.approx(60.0)


async def test_tokens_a_minute_hold_back_and_a_large_request_still_goes():
    time, log = Time(), []
    limiter = Limiter("one", RouteLimits(concurrent=9, tokens_per_minute=6000), time)

    async def large(name: str) -> None:
        async with limiter.slot(3000.0, OPEN) as slot:
            log.append((name, time.now()))
            slot.spent = 6000.0

    await time.run(*[asyncio.create_task(large(str(n))) for n in range(2)])
    assert log[0] == ("0", 0.0)
    assert log[1][1] == pytest.approx(60.0), "six thousand were spent: the next waits for a minute's worth"


async def test_a_route_that_closes_leaves_the_queue_and_its_place_to_the_others():
    time, log = Time(), []
    limiter = Limiter("one", RouteLimits(concurrent=1), time)
    hold, closed = asyncio.Event(), asyncio.Event()

    async def holding() -> None:
        async with limiter.slot(0.0, OPEN):
            await hold.wait()

    async def leaving() -> None:
        async with limiter.slot(0.0, closed):
            assert closed.is_set(), "nobody else would be let in before the holder is done"

    holder = asyncio.create_task(holding())
    waiting = [asyncio.create_task(leaving()) for _ in range(5)]
    other = asyncio.create_task(asking(limiter, time, log, "other", 1.0))
    await asyncio.sleep(0)
    closed.set()
    limiter.wake_all()
    await asyncio.gather(*waiting)
    assert limiter.snapshot(stopped="").waiting == 1
    assert log == []
    hold.set()
    await time.run(holder, other)
    assert [name for name, _ in log] == ["other"]


async def test_a_cancelled_waiter_leaves_the_queue_to_the_others():
    time, log = Time(), []
    limiter = Limiter("one", RouteLimits(concurrent=1), time)
    tasks = [asyncio.create_task(asking(limiter, time, log, str(n), 1.0)) for n in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await time.run(tasks[0], tasks[2])
    assert [name for name, _ in log] == ["0", "2"]


@given(st.integers(1, 10_000), st.lists(st.tuples(st.floats(0, 100), st.floats(0, 5000)), max_size=30))
def test_a_bucket_never_gives_more_than_a_minutes_share_and_a_burst(per_minute, asked):
    bucket = Bucket(per_minute=per_minute, level=0.0, filled=0.0)
    now = taken = 0.0
    for pause, amount in asked:
        now += pause
        now += bucket.delay(amount, now)
        assert bucket.delay(amount, now) == pytest.approx(0.0, abs=1e-6)
        within = min(amount, bucket.size)
        bucket.take(within)
        taken += within
        assert taken <= per_minute * now / 60 + 1e-3 * per_minute + bucket.size
