"""What the harness is played with in tests: a store that forgets nothing, and routes that follow a script."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from agents.llm.accounting.spend import SpendMeter
from agents.llm.policy import LLM, LlmParameters, LlmPolicy
from agents.llm.services import SERVICE, LlmServices
from agents.llm.sql.pool import QueryPool
from agents.llm.window.state import WindowState, fold
from tests.llm.toy import ToyDesk
from tournament.ports import ModelRoute
from tournament.records import Attempt, Choice, Json, ModelReply, ModelRequest, Record, SeatContext, Usage


class Killed(BaseException):
    """The process is gone: no code of ours may catch it."""


@dataclass(slots=True)
class MemoryStore:
    """A seat's store as the journal keeps it: JSON text with sorted keys, event and files at once.

    `die_at` kills the process before the n-th append of its life is durable, `die_after` right after it.
    """

    events: list[tuple[int, str, str]] = field(default_factory=list)
    private: dict[str, str] = field(default_factory=dict)
    changes: list[Mapping[str, str | None]] = field(default_factory=list)
    die_at: int | None = None
    die_after: int | None = None
    appends: int = 0

    def records(self, window: int) -> Sequence[Record]:
        mine = [(kind, body) for number, kind, body in self.events if number == window]
        return [
            Record(sequence=at, window=window, kind=kind, body=json.loads(body))
            for at, (kind, body) in enumerate(mine)
        ]

    def append(
        self,
        window: int,
        kind: str,
        body: Mapping[str, Json],
        files: Mapping[str, str | None] | None = None,
    ) -> Record:
        self.appends += 1
        if self.appends == self.die_at:
            raise Killed
        text = json.dumps(body, sort_keys=True, ensure_ascii=False)
        text.encode()
        self.events.append((window, kind, text))
        self.changes.append(dict(files or {}))
        self._change(self.changes[-1])
        if self.appends == self.die_after:
            raise Killed
        return Record(
            sequence=sum(at == window for at, _, _ in self.events) - 1, window=window, kind=kind, body=body
        )

    def files(self) -> Mapping[str, str]:
        return dict(self.private)

    def file_sizes(self) -> Mapping[str, int]:
        return {path: len(text) for path, text in self.private.items()}

    def cut(self, length: int) -> MemoryStore:
        """Return the store as it was when `length` events were durable."""
        earlier = MemoryStore(events=self.events[:length], changes=self.changes[:length])
        for changed in earlier.changes:
            earlier._change(changed)
        return earlier

    def _change(self, files: Mapping[str, str | None]) -> None:
        for path, content in files.items():
            if content is None:
                del self.private[path]
            else:
                self.private[path] = content


Reply = ModelReply | Exception
Script = Callable[[ModelRequest, int], Reply]


@dataclass(slots=True)
class ScriptedRoute:
    """Answers the n-th reply of a window (from 1) by the script; remembers every request it was sent."""

    script: Script
    id: str = "scripted"
    ceiling: int = 8192
    least_ceiling: int = 16
    price: float | None = 0.01
    requests: list[ModelRequest] = field(default_factory=list)
    attempts: Sequence[Attempt] = ()

    def estimate_tokens(self, text: str) -> int:
        return len(text.encode()) // 4

    def cost_bound_usd(self, request: ModelRequest) -> float | None:
        return self.price

    async def complete(
        self,
        request: ModelRequest,
        record: Callable[[Attempt], None],
        again: Callable[[], Awaitable[None]],
    ) -> ModelReply:
        self.requests.append(request)
        for attempt in self.attempts:
            record(attempt)
            await again()
        ordinal = 1 + sum(message["role"] == "assistant" for message in request.messages)
        answer = self.script(request, ordinal)
        if isinstance(answer, Exception):
            raise answer
        return answer


def in_order(*replies: Reply) -> Script:
    """Answer by how many requests came before, for conversations whose messages are not all sent on."""
    place = iter(replies)
    return lambda request, ordinal: next(place)


def by_ordinal(*replies: Reply) -> Script:
    """Answer the n-th reply of the conversation: a pure function of the request."""
    return lambda request, ordinal: replies[ordinal - 1]


def call(name: str, arguments: Json = None, id: str | None = None) -> dict[str, Any]:
    """A tool call as providers send it; a text is taken as the raw arguments."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    digest = hashlib.sha256(f"{name}{raw}".encode()).hexdigest()[:12]
    return {
        "id": f"call_{digest}" if id is None else id,
        "type": "function",
        "function": {"name": name, "arguments": raw},
    }


def reply(
    *calls: Mapping[str, Any], finish: str = "", usage: Usage | None = None, **message: Json
) -> ModelReply:
    """A reply with calls and whatever else its message holds."""
    body: dict[str, Any] = {"role": "assistant", "content": None, **message}
    if calls:
        body["tool_calls"] = [dict(item) for item in calls]
    return ModelReply(
        message=body,
        finish=finish or ("calls" if calls else "stop"),
        usage=usage or Usage(prompt=120, generated=15),
        model="vendor/model-a",
        response_id="resp-1",
        cost_usd=0.002,
        seconds=1.0,
    )


def say(text: str | None, **more: Any) -> ModelReply:
    return reply(content=text, **more)


def seal(rationale: str = "done") -> ModelReply:
    return reply(call("seal_decision", {"rationale": rationale}))


def ticking(step: float = 0.001) -> Callable[[], float]:
    """A clock that moves by itself, so that tool time is never zero and never real."""
    ticks: Iterator[int] = count()
    return lambda: next(ticks) * step


# One for all tests of this process: SQL processes start when first needed and end with it.
POOL = QueryPool()


def services(
    routes: Mapping[str, ModelRoute], spend: SpendMeter | None = None, queries: QueryPool = POOL
) -> Mapping[str, LlmServices]:
    """What a seat finds in its context: without a meter, one without caps."""
    given = LlmServices(routes=routes, spend=spend or SpendMeter(), queries=queries, clock=ticking())
    return {SERVICE: given}


@dataclass(slots=True)
class Rig:
    """One seat at a toy desk with a store and a route; `play` runs or resumes the desk's window."""

    script: Script
    desk: ToyDesk = field(default_factory=ToyDesk)
    store: MemoryStore = field(default_factory=MemoryStore)
    budgets: Mapping[str, int] = field(default_factory=dict)
    spend: SpendMeter = field(default_factory=SpendMeter)
    queries: QueryPool = POOL
    route: ScriptedRoute = field(init=False)

    def __post_init__(self) -> None:
        self.route = ScriptedRoute(self.script)

    def policy(self) -> LlmPolicy:
        parameters = LlmParameters.model_validate({"route": "scripted", "budgets": dict(self.budgets)})
        context = SeatContext(
            world="ref.r0.s11.n1",
            seat=self.desk.seat,
            contestant="astra",
            store=self.store,
            services=services({"scripted": self.route}, self.spend, self.queries),
        )
        built = LLM.build(parameters, context)
        assert isinstance(built, LlmPolicy)
        return built

    async def play(self, memo: Json = None) -> Choice:
        return await self.policy().decide(self.desk, memo)

    def state(self) -> WindowState:
        policy = self.policy()
        return fold(self.store.records(self.desk.window), budgets=policy.budgets, system="")

    def kinds(self) -> list[str]:
        return [kind for _, kind, _ in self.store.events]

    def bodies(self, kind: str) -> list[Mapping[str, Any]]:
        return [json.loads(body) for _, found, body in self.store.events if found == kind]

    def results(self) -> list[str]:
        """What the CEO was told, in order: tool results and corrections of the last request."""
        last = self.route.requests[-1].messages
        return [message["content"] for message in last[2:] if message["role"] in ("tool", "user")]
