"""The turn loop of one decision window: look at the state, do the next thing, make it durable, again.

An intent is durable before its request, a reply before any of its tools, each result in the append
that is its effect. The loop keeps nothing that is not in the records, so that resuming a window and
playing it are one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.llm.accounting.spend import Reservation, SpendMeter
from agents.llm.prompt import MEMORY_FILE, window_text
from agents.llm.services import Clock
from agents.llm.text import brief, digest
from agents.llm.tools.calls import HISTORY, Call
from agents.llm.tools.context import Outcome, ToolContext, plain_draft
from agents.llm.tools.execution import run_call
from agents.llm.toolset import Toolset
from agents.llm.window.budget import Budgets, response_ceiling
from agents.llm.window.conversation import GIVEN, form_of_next_window, next_form
from agents.llm.window.record_bodies import (
    attempt_body,
    failed_body,
    identity_mismatch_body,
    rebuilt_body,
    reply_body,
)
from agents.llm.window.record_kinds import IDENTITY_MISMATCH, REBUILT
from agents.llm.window.state import UnansweredReply, WindowState, apply, fold
from agents.refused_history import HistoryRefused
from tournament.errors import ContextOverflow, IdentityMismatch, Suspension
from tournament.foreign_text import one_line
from tournament.ports import ModelRoute, SeatStore
from tournament.records import Attempt, Choice, Json, ModelRequest

# Requests for one reply, over all runs, that may be charged for and bring none; a route's own bound is per run.
MAYBE_PAID_REQUESTS: Final = 5


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A request that is out, the most it can cost and what is held for it."""

    ordinal: int
    request: ModelRequest
    bound_usd: float | None
    reservation: Reservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window of one seat and what it is played with.

    `known_prompt` is the digest of the last window, `form` the form that its conversation ended in.
    """

    label: str
    world: str
    route: ModelRoute
    store: SeatStore
    spend: SpendMeter
    clock: Clock
    budgets: Budgets
    tools: Toolset
    context: ToolContext
    system: str
    known_prompt: str
    form: str = GIVEN

    @property
    def number(self) -> int:
        return self.context.desk.window

    @property
    def prompt_digest(self) -> str:
        """Bind what every request of the window begins with: the system prompt and the tools."""
        return digest([self.system, list(self.tools.definitions)])

    async def play(self) -> Choice:
        """Return the window's choice; raises Suspension at a durable point."""
        state = fold(
            self.store.records(self.number),
            budgets=self.budgets,
            system=self.system,
            min_ceiling=self.route.least_ceiling,
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
        return Choice(
            decision=state.closed["decision"],
            memo=self._memo(state),
            rationale=state.closed["rationale"],
            state=state.closed["state"],
            reason=state.closed["reason"],
        )

    def _memo(self, state: WindowState) -> Json:
        """What the next window knows of this one: its prompt, and its form where it was not the given one."""
        form = form_of_next_window(state.form)
        return {"prompt": self.prompt_digest, **({} if form == GIVEN else {"form": form})}

    async def _step(self, state: WindowState) -> None:
        if state.unanswered is not None:
            await asyncio.sleep(0)  # a reply with many calls lets the other seats through
            await self._answer(state, state.unanswered)
        elif state.exhausted:
            self._close(state, "budget_exhausted", state.exhausted)
        else:
            await self._request(state)

    def _open(self, state: WindowState) -> None:
        files = self.context.files()
        is_new = self.prompt_digest != self.known_prompt
        memory = files.get(MEMORY_FILE)
        tools = [dict(item) for item in self.tools.definitions]
        self._append(
            state,
            "open",
            {
                "version": self.context.desk.version,
                "prompt": self.prompt_digest,
                "user": window_text(self.context.desk, memory, self.budgets),
                "draft": plain_draft(self.context.desk.null()),
                "system": self.system if is_new else None,
                "tools": tools if is_new else None,
                "history": HISTORY,
                "form": self.form,
            },
        )

    async def _request(self, state: WindowState) -> None:
        ordinal = state.spent.replies + 1
        request = ModelRequest(
            label=f"{self.label} reply {ordinal}",
            messages=tuple(state.messages),
            tools=self.tools.definitions,
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
            await self._ask(state, _Exchange(ordinal, request, bound, reservation))

    async def _ask(self, state: WindowState, exchange: _Exchange) -> None:
        """Ask the route, and keep whatever comes of it before anything else is done."""
        estimate, reservation = self.route.estimate_tokens, exchange.reservation
        carried = state.maybe_paid
        try:
            reply = await self.route.complete(
                exchange.request,
                lambda attempt: self._attempt(state, exchange, attempt),
                lambda: self._again(state, exchange, carried),
            )
        except ContextOverflow as fault:
            reservation.settle(0.0)
            self._close(state, "budget_exhausted", f"context window exceeded: {one_line(str(fault), 500)}")
            return
        except IdentityMismatch as fault:
            body = identity_mismatch_body(exchange.ordinal, fault, estimate)
            self._append(state, IDENTITY_MISMATCH, body)
            reservation.settle_if_known(None if body["reply"] is None else body["reply"]["cost_usd"])
            raise
        except HistoryRefused as fault:
            reservation.settle(0.0)
            self._rebuild(state, exchange.ordinal, fault)
            return
        except Suspension as fault:
            reservation.settle(0.0)
            self._append(state, "failed", failed_body(exchange.ordinal, fault))
            raise
        self._append(state, "reply", reply_body(exchange.ordinal, reply, estimate))
        reservation.settle_if_known(reply.cost_usd)

    def _rebuild(self, state: WindowState, ordinal: int, fault: HistoryRefused) -> None:
        """Go on in the next safer form, once each; raises the refusal where no form is left."""
        form = next_form(state.form, state.messages)
        if form is None:
            self._append(state, "failed", failed_body(ordinal, fault))
            raise fault
        self._append(state, REBUILT, rebuilt_body(ordinal, form, fault))

    async def _again(self, state: WindowState, exchange: _Exchange, carried: int) -> None:
        """Let the route ask once more, unless earlier runs have used up what a reply may cost in vain.

        A route bounds its own attempts; `carried` are those of before it was asked. Each run may ask once.
        """
        if carried and state.maybe_paid >= MAYBE_PAID_REQUESTS:
            raise Suspension(
                f"route {self.route.id}: {state.maybe_paid} requests for one reply, over several runs, brought none"
                " and may each have been charged for; once the route answers, run again: each run asks once",
                kind="transport",
                route=self.route.id,
            )
        await exchange.reservation.again()

    def _attempt(self, state: WindowState, exchange: _Exchange, attempt: Attempt) -> None:
        """Keep what failed before any wait; a success is told by its reply."""
        if not attempt.fault:
            return
        body = attempt_body(exchange.ordinal, attempt, exchange.bound_usd)
        exchange.reservation.charge(body["cost_usd"] + (body["bound_usd"] or 0.0))
        self._append(state, "attempt", body)

    async def _answer(self, state: WindowState, reply: UnansweredReply) -> None:
        to_answer = reply.to_answer
        if to_answer or reply.uncorrected:
            body = {
                "ordinal": reply.ordinal,
                "code": reply.handling.code,
                "answers": [[at, text] for at, text in sorted(to_answer.items())],
                "correction": reply.handling.correction,
            }
            self._append(state, "answers", body)
            return
        call = reply.next_call
        assert call is not None, "a reply with every call answered is no longer pending"
        begun = self.clock()
        outcome = await run_call(self.tools, self.context, call, state.draft, finalizing=state.finalizing)
        seconds = self.clock() - begun if outcome.query_seconds is None else outcome.query_seconds
        if outcome.rationale is not None:
            self._close(state, "sealed", "", rationale=outcome.rationale)
        else:
            self._result(state, reply.ordinal, call, outcome, seconds)

    def _result(self, state: WindowState, ordinal: int, call: Call, outcome: Outcome, seconds: float) -> None:
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

    def _close(self, state: WindowState, kind: str, reason: str, rationale: str = "") -> None:
        decision = state.draft if kind == "sealed" else plain_draft(self.context.desk.null())
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

    def _append(
        self,
        state: WindowState,
        kind: str,
        body: Mapping[str, Json],
        files: Mapping[str, str | None] | None = None,
    ) -> None:
        record = self.store.append(self.number, kind, body, files)
        apply(state, record, system=self.system)
