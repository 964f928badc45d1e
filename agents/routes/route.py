"""A route: one retry loop over one caller, paced by the limiter that it shares with all its seats.

Nothing below retries. Every attempt is recorded before any wait, and no wait is part of a reply's time.
What waiting may mend is tried again within bounds; then the world is suspended. A configuration
fault stops the route for every seat at once; routes that share its limiter go on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Final

from agents.refused_history import HistoryRefused
from agents.routes.adapter.thinking import MIN_CEILING
from agents.routes.entry import RouteEntry
from agents.routes.errors.attempt import DETAIL_CHARACTERS, AttemptError, AttemptFailure, Caller
from agents.routes.errors.classification import back_off, context_room, is_uncounted, retry_after
from agents.routes.errors.redaction import Scrubber
from agents.routes.limiter import Clock, Limiter, Slot, Snapshot
from agents.routes.price import Tariff, bound_usd
from agents.routes.watch import ReplyWatch
from tournament.errors import ContextOverflow, IdentityMismatch, Suspension
from tournament.foreign_text import bounded
from tournament.records import Attempt, ModelReply, ModelRequest

BYTES_PER_TOKEN: Final = 4
INITIAL_GENERATED: Final = 500.0
# Weight of the newest reply in the moving average of generated tokens.
EMA_ALPHA: Final = 0.1

_KEY_REFUSED: Final = frozenset({401, 403})

AttemptRecorder = Callable[[Attempt], None]
BeforeRetry = Callable[[], Awaitable[None]]


@dataclass(slots=True, eq=False)
class Route:
    """A tournament.ports.ModelRoute for one entry."""

    entry: RouteEntry
    caller: Caller
    limiter: Limiter
    clock: Clock
    tariff: Tariff | None
    scrub: Scrubber
    tokenizer: Callable[[str], int]
    least_ceiling: int = MIN_CEILING
    _expected_generated: float = field(default=INITIAL_GENERATED, init=False)
    _stopped_by: Suspension | None = field(default=None, init=False)
    _closed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _watch: ReplyWatch = field(init=False)

    def __post_init__(self) -> None:
        self._watch = ReplyWatch(allowed=frozenset(self.entry.allow))

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def ceiling(self) -> int:
        return self.entry.ceiling

    def estimate_tokens(self, text: str) -> int:
        return self.tokenizer(text)

    def cost_bound_usd(self, request: ModelRequest) -> float | None:
        return bound_usd(
            self.tariff,
            prompt_bytes=request_bytes(request),
            messages=len(request.messages),
            ceiling=min(request.max_tokens, self.ceiling),
        )

    def snapshot(self) -> Snapshot:
        return self.limiter.snapshot(stopped="" if self._stopped_by is None else str(self._stopped_by))

    async def complete(
        self, request: ModelRequest, record: AttemptRecorder, again: BeforeRetry
    ) -> ModelReply:
        retry = self.entry.limits.retry
        waited = 0.0
        number = blanks = 0
        while True:
            number += 1
            self._require_open()
            async with self.limiter.slot(self._expected_tokens(request), self._closed) as slot:
                self._require_open()
                answer = await self._attempt(request, number, slot, record)
            if isinstance(answer, ModelReply):
                self._watch_reply(request, answer)
                return answer
            room = self._lower_ceiling(answer, request)
            if room is not None and number < retry.attempts:
                self._record(record, number, answer, 0.0)
                request = replace(request, max_tokens=room)
                continue
            wait = self._seat_wait(answer, request, number)
            if answer.slow_down:
                self.limiter.slow_down(slot, self._route_pause(answer, request, number))
            # One bound over all that may have been bought in vain, be it a blank reply or a line that broke.
            blanks += answer.cost_usd != 0.0
            last = (
                number >= retry.attempts
                or blanks >= retry.blank_attempts
                or waited + wait > retry.give_up_seconds
            )
            self._record(record, number, answer, 0.0 if last else wait)
            if last:
                raise self._given_up(answer, number, waited)
            waited += wait
            await self.clock.wait(self._closed, wait)
            self._require_open()
            await again()

    async def _attempt(
        self, request: ModelRequest, number: int, slot: Slot, record: AttemptRecorder
    ) -> ModelReply | AttemptFailure:
        """Ask once; return the reply or a fault that waiting may mend, raise any other."""
        try:
            reply = await self.caller.send(request, number)
        except IdentityMismatch as fault:
            record(_attempt_record(number, 200, "identity", str(fault), None))
            raise
        except AttemptError as error:
            failure = error.failure
            if failure.kind == "transport" or self._lower_ceiling(failure, request) is not None:
                return failure
            self._record(record, number, failure, 0.0)
            raise self._final(failure, request) from None
        self._account(reply, slot)
        record(_attempt_record(number, 200, "", "", reply.cost_usd))
        return reply

    def _lower_ceiling(self, failure: AttemptFailure, request: ModelRequest) -> int | None:
        """Return a lower ceiling under which the context holds the request, None where that is not the matter.

        A prompt that fits is no overflow: what was refused is the room for an answer that nobody needs whole.
        """
        if failure.kind != "overflow":
            return None
        room = context_room(failure.detail)
        ceiling = min(request.max_tokens, self.ceiling)
        if room is None and is_uncounted(failure.detail):
            room = ceiling // 2
        return room if room is not None and self.least_ceiling <= room < ceiling else None

    def _final(self, failure: AttemptFailure, request: ModelRequest) -> ContextOverflow | Suspension:
        text = (
            f"route {self.id}: {failure.code}: {self._told(failure) or 'no message'}{self.key_hint(failure)}"
        )
        if failure.kind == "overflow":
            return ContextOverflow(text)
        if failure.kind == "history" and any(message["role"] == "assistant" for message in request.messages):
            return HistoryRefused(text, route=self.id)
        if failure.kind != "configuration":
            return Suspension(text, kind="harness", route=self.id)
        return self._stop(text)

    def _stop(self, text: str) -> Suspension:
        """Stop the route for every seat: no request goes out any more."""
        suspension = Suspension(text, kind="configuration", route=self.id)
        self._stopped_by = self._stopped_by or suspension
        self._closed.set()
        self.limiter.wake_all()
        return suspension

    def _told(self, failure: AttemptFailure) -> str:
        """Return a provider's words as they may be kept: scrubbed before they are cut, since a cut may part a key."""
        return bounded(self.scrub.text(failure.detail), DETAIL_CHARACTERS)

    def _watch_reply(self, request: ModelRequest, reply: ModelReply) -> None:
        """Stop the route where a reply shows that its model is not asked as it should be; the reply is kept."""
        wrong = self._watch.fault(request, reply)
        if wrong:
            self._stop(self.scrub.text(f"route {self.id}: {wrong}"))

    def key_hint(self, failure: AttemptFailure) -> str:
        """Say where the key stands that a provider has refused; empty for every other fault."""
        variables = ", ".join(self.entry.key_variables.values())
        refused = failure.status in _KEY_REFUSED and variables
        return f"; the key is the value of the environment variable {variables}" if refused else ""

    def _require_open(self) -> None:
        """Raise the fault that stopped the route, if one did: nothing that waits mends a configuration."""
        if self._stopped_by is not None:
            raise Suspension(str(self._stopped_by), kind=self._stopped_by.kind, route=self.id)

    def _given_up(self, failure: AttemptFailure, number: int, waited: float) -> Suspension:
        return Suspension(
            f"route {self.id}: no reply in {number} attempts and {waited:.0f} s of waiting;"
            f" the last: {failure.code}: {self._told(failure) or 'no message'}",
            kind="transport",
            route=self.id,
        )

    def _seat_wait(self, failure: AttemptFailure, request: ModelRequest, number: int) -> float:
        """The seat's own wait: its back-off, which grows, from the provider's time on."""
        return (self._retry_after(failure) or 0.0) + self._back_off(request, number, number)

    def _route_pause(self, failure: AttemptFailure, request: ModelRequest, number: int) -> float:
        """Everybody's wait: a back-off that grows while nobody gets a reply, and no less than the provider asked for."""
        own = self._back_off(request, number, max(1, self.limiter.streak))
        return max(own, self._retry_after(failure) or 0.0)

    def _retry_after(self, failure: AttemptFailure) -> float | None:
        cap = self.entry.limits.retry.retry_after_cap_seconds
        return retry_after(failure.retry_after, now=self.clock.wall(), cap=cap)

    def _back_off(self, request: ModelRequest, number: int, step: int) -> float:
        retry = self.entry.limits.retry
        jitter = _unit(f"{self.id}/{request.label}/{number}")
        return back_off(step, base=retry.base_seconds, cap=retry.cap_seconds, jitter=jitter)

    def _expected_tokens(self, request: ModelRequest) -> float:
        """Tokens that a request is taken to need, until its reply says what it took."""
        if self.entry.limits.tokens_per_minute is None:
            return 0.0
        return request_bytes(request) / BYTES_PER_TOKEN + self._expected_generated

    def _account(self, reply: ModelReply, slot: Slot) -> None:
        if reply.usage.generated is not None:
            self._expected_generated += EMA_ALPHA * (reply.usage.generated - self._expected_generated)
            if reply.usage.prompt is not None:
                slot.spent = float(reply.usage.prompt + reply.usage.generated)
        self.limiter.replied()

    def _record(self, record: AttemptRecorder, number: int, failure: AttemptFailure, wait: float) -> None:
        record(
            Attempt(
                number=number,
                status=failure.status,
                fault=failure.label,
                detail=self._told(failure),
                wait_seconds=wait,
                until=self.clock.wall() + wait if wait else None,
                cost_usd=failure.cost_usd,
            )
        )


def request_bytes(request: ModelRequest) -> int:
    """Return the size of a request's conversation and tools as UTF-8 JSON."""
    text = json.dumps([*request.messages, *request.tools], ensure_ascii=False)
    return len(text.encode("utf-8", errors="surrogatepass"))


def _attempt_record(
    number: int, status: int | None, fault: str, detail: str, cost_usd: float | None
) -> Attempt:
    return Attempt(
        number=number, status=status, fault=fault, detail=detail, wait_seconds=0.0, cost_usd=cost_usd
    )


def _unit(name: str) -> float:
    """A number in [0, 1) addressed by name: no two seats wait in step, and no global stream is drawn from."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "little") / 2.0**56
