"""The turn loop of one decision window: look at the state, do the next thing, make it durable, again.

An intent is durable before its request, a reply before any of its tools, each result in the append
that is its effect. The loop keeps nothing that is not in the records, so that resuming a window and
playing it are one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agents.llm import fold
from agents.llm.actions import Bench, Outcome, perform, plain_draft
from agents.llm.bodies import attempt_body, failed_body, foreign_body, reply_body
from agents.llm.budget import Budgets, response_ceiling
from agents.llm.calls import Call
from agents.llm.prompt import MEMORY_FILE, window_text
from agents.llm.spend import Reservation, SpendMeter
from agents.llm.text import brief, digest
from tournament.errors import ContextOverflow, IdentityMismatch, Suspension
from tournament.ports import ModelRoute, SeatStore
from tournament.records import Attempt, Choice, Json, ModelRequest

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Asked:
    ordinal: int
    request: ModelRequest
    bound_usd: float | None
    reservation: Reservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window of one seat and what it is played with; `known_prompt` is the digest of the last window."""

    label: str
    world: str
    route: ModelRoute
    store: SeatStore
    spend: SpendMeter
    clock: Clock
    budgets: Budgets
    bench: Bench
    system: str
    known_prompt: str

    @property
    def number(self) -> int:
        return self.bench.desk.window

    @property
    def prompt_digest(self) -> str:
        """Bind what every request of the window begins with: the system prompt and the tools."""
        return digest([self.system, list(self.bench.tools.definitions)])

    async def play(self) -> Choice:
        """Return the window's choice; raises Suspension at a durable point."""
        state = fold.fold(
            self.store.records(self.number),
            budgets=self.budgets,
            system=self.system,
            least=self.route.least_ceiling,
        )
        if not state.messages:
            self._open(state)
        elif state.prompt != self.prompt_digest:
            raise Suspension(
                f"{self.label} was begun under another prompt or other tools; it can only be continued by the"
                " version that began it",
                kind="harness",
            )
        while state.closed is None:
            await self._step(state)
        return self._choice(state.closed)

    async def _step(self, state: fold.WindowState) -> None:
        if state.pending is not None:
            await asyncio.sleep(0)  # a reply with many calls lets the other seats through
            await self._answer(state, state.pending)
        elif state.exhausted:
            self._close(state, "budget_exhausted", state.exhausted)
        else:
            await self._request(state)

    def _open(self, state: fold.WindowState) -> None:
        files = self.bench.files()
        told = self.prompt_digest != self.known_prompt
        memory = files.get(MEMORY_FILE)
        tools = [dict(item) for item in self.bench.tools.definitions]
        self._append(
            state,
            "open",
            {
                "version": self.bench.desk.version,
                "prompt": self.prompt_digest,
                "user": window_text(self.bench.desk, memory, self.budgets),
                "draft": plain_draft(self.bench.desk.null()),
                "system": self.system if told else None,
                "tools": tools if told else None,
            },
        )

    async def _request(self, state: fold.WindowState) -> None:
        ordinal = state.spent.replies + 1
        request = ModelRequest(
            label=f"{self.label} reply {ordinal}",
            messages=tuple(state.messages),
            tools=self.bench.tools.definitions,
            max_tokens=response_ceiling(self.budgets, state.spent, self.route.ceiling),
        )
        bound = self.route.cost_bound_usd(request)
        async with self.spend.reserved(self.world, bound, self.route.id) as reservation:
            intent = {
                "ordinal": ordinal,
                "max_tokens": request.max_tokens,
                "bound_usd": bound,
                "messages": len(state.messages),
                "chain": state.chain,
            }
            self._append(state, "intent", intent)
            await self._ask(state, _Asked(ordinal, request, bound, reservation))

    async def _ask(self, state: fold.WindowState, asked: _Asked) -> None:
        """Ask the route, and keep whatever comes of it before anything else is done."""
        estimate, reservation = self.route.estimate_tokens, asked.reservation
        try:
            reply = await self.route.complete(
                asked.request, lambda attempt: self._attempt(state, asked, attempt), reservation.again
            )
        except ContextOverflow as fault:
            reservation.settle(0.0)
            self._close(state, "budget_exhausted", f"context window exceeded: {brief(str(fault), 500)}")
            return
        except IdentityMismatch as fault:
            body = foreign_body(asked.ordinal, fault, estimate)
            self._append(state, "foreign", body)
            reservation.settle_if_known(None if body["reply"] is None else body["reply"]["cost_usd"])
            raise
        except Suspension as fault:
            reservation.settle(0.0)
            self._append(state, "failed", failed_body(asked.ordinal, fault))
            raise
        self._append(state, "reply", reply_body(asked.ordinal, reply, estimate))
        reservation.settle_if_known(reply.cost_usd)

    def _attempt(self, state: fold.WindowState, asked: _Asked, attempt: Attempt) -> None:
        """Keep what failed before any wait; a success is told by its reply."""
        if not attempt.fault:
            return
        body = attempt_body(asked.ordinal, attempt, asked.bound_usd)
        asked.reservation.charge(body["cost_usd"] + (body["bound_usd"] or 0.0))
        self._append(state, "attempt", body)

    async def _answer(self, state: fold.WindowState, pending: fold.Pending) -> None:
        unanswered = pending.unanswered
        if unanswered or pending.uncorrected:
            body = {
                "ordinal": pending.ordinal,
                "code": pending.plan.code,
                "answers": [[at, text] for at, text in sorted(unanswered.items())],
                "correction": pending.plan.correction,
            }
            self._append(state, "answers", body)
            return
        call = pending.next_call
        assert call is not None, "an answered reply is no longer pending"
        begun = self.clock()
        outcome = await perform(self.bench, call, state.draft, finalizing=state.finalizing)
        seconds = self.clock() - begun if outcome.query_seconds is None else outcome.query_seconds
        if outcome.rationale is not None:
            self._close(state, "sealed", "", rationale=outcome.rationale)
        else:
            self._result(state, pending.ordinal, call, outcome, seconds)

    def _result(
        self, state: fold.WindowState, ordinal: int, call: Call, outcome: Outcome, seconds: float
    ) -> None:
        body = {
            "ordinal": ordinal,
            "position": call.position,
            "tool": brief(call.name, 64),
            "done": outcome.done,
            "text": outcome.text,
            "draft": outcome.draft,
            "limit": outcome.limit,
            "seconds": seconds,
        }
        self._append(state, "result", body, outcome.changes)

    def _close(self, state: fold.WindowState, kind: str, reason: str, rationale: str = "") -> None:
        decision = state.draft if kind == "sealed" else plain_draft(self.bench.desk.null())
        self._append(
            state,
            "close",
            {
                "state": kind,
                "reason": reason,
                "decision": decision,
                "rationale": rationale,
                "replies": state.spent.replies,
            },
        )

    def _choice(self, closed: Mapping[str, Json]) -> Choice:
        return Choice(
            decision=closed["decision"],
            memo={"prompt": self.prompt_digest},
            rationale=closed["rationale"],
            state=closed["state"],
            reason=closed["reason"],
        )

    def _append(
        self,
        state: fold.WindowState,
        kind: str,
        body: Mapping[str, Json],
        files: Mapping[str, str | None] | None = None,
    ) -> None:
        record = self.store.append(self.number, kind, body, files)
        fold.apply(state, record, system=self.system)
