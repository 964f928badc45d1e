"""One limiter for all seats of a route: who may ask now, in what order, and since when not.

A provider's limits meet all worlds of a run at once, so seats that wait stand in one queue, first come
first served, and share what one of them learns: a rate limit halves the requests in flight and stops
everybody until the provider's time has passed; every reply lets the number grow again by a little
(additive increase, multiplicative decrease). Routes may share a limiter; one that is closed leaves it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from agents.routes.entry import RouteLimits

# A bucket holds this share of a minute, so that a burst stays far below what a provider counts by the minute.
BURST_MINUTES: Final = 0.1
DECREASE_FACTOR: Final = 0.5


class Clock(Protocol):
    """Time and waiting, passed in so that tests need not wait."""

    def now(self) -> float:
        """Seconds that only grow."""
        ...

    def wall(self) -> float:
        """Unix time, for what people and providers say."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Return when the event is set or the seconds are over."""
        ...


class SystemClock:
    """The machine's time."""

    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        return time.time()

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return


@dataclass(slots=True)
class Bucket:
    """So much a minute, evenly: a request may overdraw it and the next ones wait until it is paid back."""

    per_minute: int
    level: float
    filled: float

    @property
    def size(self) -> float:
        return max(1.0, self.per_minute * BURST_MINUTES)

    def delay(self, amount: float, now: float) -> float:
        """Return the seconds until `amount` may be taken; more than a full bucket needs a full bucket."""
        self.level = min(self.size, self.level + (now - self.filled) * self.per_minute / 60.0)
        self.filled = now
        lacking = min(amount, self.size) - self.level
        return max(0.0, lacking * 60.0 / self.per_minute)

    def take(self, amount: float) -> None:
        self.level -= amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Where a route stands: for `tournament status`, never for a decision.

    `not_before` is the Unix time until which the route waits, None if it does not.
    """

    limiter: str
    in_flight: int
    waiting: int
    allowed: int
    replies: int
    slowed: int
    not_before: float | None
    stopped: str


@dataclass(slots=True, eq=False)
class _Waiter:
    tokens: float
    turn: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True, eq=False)
class Slot:
    """Leave to make one request; `spent` corrects what was assumed of its tokens."""

    began: float
    tokens: float
    spent: float | None = None


class Limiter:
    """The queue, the pace and the state that all seats of a route share.

    Invariants, which every method keeps between its awaits (one event loop, so nothing else runs there):

    - Only the head of the queue may start; it is woken whenever something changed that may let it: a request
      ended, a reply raised the concurrency, the head left. Whoever is not the head waits without a time.
    - `_in_flight` counts the open slots. It may exceed the concurrency after a decrease, then nobody starts
      until it has fallen below; a seat that leaves because its route closed passes through a slot unpaid.
    - `1 <= _concurrency <= _max_concurrency`, a float of which the whole part counts: adding 1/c a reply
      is one more request for every round of c replies.
    - A bucket is charged what a request is expected to take as it starts and corrected as it ends, so that it
      may be overdrawn; the next requests wait until it has filled up again.
    - `_paused_until` only grows. Requests that began before `_last_decrease` were sent at the old rate: their
      rate limits lengthen the pause and do not decrease again.
    """

    def __init__(self, name: str, limits: RouteLimits, clock: Clock) -> None:
        self.name = name
        self._clock = clock
        self._max_concurrency = limits.concurrent
        self._concurrency = float(limits.concurrent)
        self._queue: deque[_Waiter] = deque()
        self._in_flight = 0
        self._paused_until = clock.now()
        self._last_decrease = float("-inf")
        self._replies = 0
        self._decreases = 0
        # Rate limits met since the last reply: what a pause without a Retry-After grows by.
        self.streak = 0
        now = clock.now()
        self._requests = _bucket(limits.requests_per_minute, now)
        self._tokens = _bucket(limits.tokens_per_minute, now)

    @asynccontextmanager
    async def slot(self, tokens: float, closed: asyncio.Event) -> AsyncIterator[Slot]:
        """Wait for a turn and hold it while one request is made; no longer than until the route is closed.

        `tokens` is what the request is assumed to take of the minute's tokens.
        """
        await self._acquire(tokens, closed)
        held = Slot(began=self._clock.now(), tokens=tokens)
        try:
            yield held
        finally:
            self._in_flight -= 1
            if self._tokens is not None and held.spent is not None:
                self._tokens.take(held.spent - held.tokens)
            self._wake_first()

    def replied(self) -> None:
        """Let one more request fly for about every round of replies."""
        self._replies += 1
        self.streak = 0
        self._concurrency = min(float(self._max_concurrency), self._concurrency + 1.0 / self._concurrency)
        self._wake_first()

    def slow_down(self, slot: Slot, seconds: float) -> None:
        """Halve the requests in flight and let nobody ask for so long.

        Requests that began before the last halving are its echo and do not halve again.
        """
        now = self._clock.now()
        self._paused_until = max(self._paused_until, now + seconds)
        if slot.began > self._last_decrease:
            self.streak += 1
            self._last_decrease = now
            self._decreases += 1
            self._concurrency = max(1.0, self._concurrency * DECREASE_FACTOR)

    def wake_all(self) -> None:
        """Let everybody in the queue look up: a route has been closed."""
        for waiter in self._queue:
            waiter.turn.set()

    def snapshot(self, *, stopped: str) -> Snapshot:
        ahead = self._paused_until - self._clock.now()
        return Snapshot(
            limiter=self.name,
            in_flight=self._in_flight,
            waiting=len(self._queue),
            allowed=int(self._concurrency),
            replies=self._replies,
            slowed=self._decreases,
            not_before=self._clock.wall() + ahead if ahead > 0 else None,
            stopped=stopped,
        )

    async def _acquire(self, tokens: float, closed: asyncio.Event) -> None:
        waiter = _Waiter(tokens)
        self._queue.append(waiter)
        try:
            while not closed.is_set():
                delay = self._delay(waiter)
                if delay == 0.0:
                    for bucket, amount in ((self._requests, 1.0), (self._tokens, tokens)):
                        if bucket is not None:
                            bucket.take(amount)
                    break
                waiter.turn.clear()
                await self._clock.wait(waiter.turn, delay)
            self._in_flight += 1
        finally:
            self._queue.remove(waiter)
            self._wake_first()

    def _delay(self, waiter: _Waiter) -> float | None:
        """Return the seconds until this waiter may go, 0 for now; None where another's end decides."""
        if self._queue[0] is not waiter or self._in_flight >= int(self._concurrency):
            return None
        now = self._clock.now()
        delays = [self._paused_until - now]
        if self._requests is not None:
            delays.append(self._requests.delay(1.0, now))
        if self._tokens is not None:
            delays.append(self._tokens.delay(waiter.tokens, now))
        return max(0.0, *delays)

    def _wake_first(self) -> None:
        if self._queue:
            self._queue[0].turn.set()


def _bucket(per_minute: int | None, now: float) -> Bucket | None:
    if per_minute is None:
        return None
    bucket = Bucket(per_minute=per_minute, level=0.0, filled=now)
    bucket.level = bucket.size
    return bucket
