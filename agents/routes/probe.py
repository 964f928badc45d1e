"""Two turns with a route, as in play: what answers, whether it calls tools, takes its own history back, sees the
whole prompt, what it reports and costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agents.routes.adapter.reply import calls_of
from agents.routes.check import PROBE_TOOL
from agents.routes.errors.attempt import AttemptError
from agents.routes.route import Route
from agents.routes.watch import readable_bytes, short_count, writes_call_as_text
from tournament.errors import IdentityMismatch
from tournament.foreign_text import bounded
from tournament.records import Json, ModelReply, ModelRequest

CEILING: Final = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeConversation:
    """What is said in a check: the prompt and tools, and what answers the calls of the first turn.

    A reply that calls a tool of `unanswerable` ends the check: it needs what only a window has.
    """

    system: str
    user: str
    result: str
    tools: Sequence[Mapping[str, Json]]
    unanswerable: frozenset[str] = frozenset()


TINY: Final = ProbeConversation(
    system="You are being tested for tool calling. Answer with one tool call and nothing else.",
    user="Call the tool report_ready with ready = true.",
    result="ok",
    tools=(PROBE_TOOL,),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """What a route did with the probe; None where it said nothing of it. `fault` is empty if all is well."""

    route: str
    model: str
    seconds: float | None
    calls_tools: bool | None
    returned: str | None
    accepted: bool | None
    prompt_tokens: int | None
    generated_tokens: int | None
    usage_rule: str
    cost_usd: float | None
    priced: bool
    fault: str

    @property
    def passed(self) -> bool:
        return not self.fault


async def probe(route: Route, said: ProbeConversation = TINY) -> ProbeReport:
    """Ask two turns, without retries; every answer is a report. The second is asked where the first called a tool."""
    messages: list[Mapping[str, Json]] = [
        {"role": "system", "content": said.system},
        {"role": "user", "content": said.user},
    ]
    first = await _asked(route, said, messages)
    if isinstance(first, ProbeReport):
        return first
    wrong = _wrong(route, said, messages, first)
    called = {call["function"]["name"] for call in calls_of(first.message)}
    if wrong or called & said.unanswerable:
        return _report(route, first, wrong)
    answers = [
        {"role": "tool", "tool_call_id": call["id"], "content": said.result}
        for call in calls_of(first.message)
    ]
    history = [*messages, first.message, *answers]
    second = await _asked(route, said, history)
    if isinstance(second, ProbeReport):
        return _report(route, first, f"its second turn, which sends its own reply back: {second.fault}")
    return _report(route, first, _second_wrong(route, said, history, second))


async def _asked(
    route: Route, said: ProbeConversation, messages: Sequence[Mapping[str, Json]]
) -> ModelReply | ProbeReport:
    """Return a reply, or the report of what came instead."""
    request = _request(route, said, messages)
    try:
        return await route.caller.send(request, 1)
    except IdentityMismatch as fault:
        kept = fault.reply if isinstance(fault.reply, ModelReply) else None
        told = (
            f"{fault}; in a run this suspends each world that meets it, its replies kept, until `tournament routes"
            " accept RUN ROUTE ID` says that the id may answer"
        )
        return _report(route, kept, told)
    except AttemptError as error:
        return _report(
            route,
            None,
            bounded(route.scrub.text(f"{error.failure.kind}: {error}"), 500) + route.key_hint(error.failure),
        )


def _request(route: Route, said: ProbeConversation, messages: Sequence[Mapping[str, Json]]) -> ModelRequest:
    return ModelRequest(
        label=f"probe of {route.id}",
        messages=tuple(messages),
        tools=tuple(said.tools),
        max_tokens=min(CEILING, route.ceiling),
    )


def _wrong(
    route: Route, said: ProbeConversation, messages: Sequence[Mapping[str, Json]], reply: ModelReply
) -> str:
    """Say what is wrong with the reply of the first turn; empty where nothing is."""
    if _called(reply):
        return _cut(route, said, messages, reply)
    return _text_call(route, reply) or "it answered without calling the tool"


def _second_wrong(
    route: Route, said: ProbeConversation, messages: Sequence[Mapping[str, Json]], reply: ModelReply
) -> str:
    return _cut(route, said, messages, reply) or _text_call(route, reply)


def _cut(
    route: Route, said: ProbeConversation, messages: Sequence[Mapping[str, Json]], reply: ModelReply
) -> str:
    """Say that the prompt was cut in silence; of a prompt of a few lines no count tells that."""
    if not reply.usage.prompt or said is TINY or "cut_prompts" in route.entry.allow:
        return ""
    return short_count(reply.usage.prompt, readable_bytes(_request(route, said, messages)))


def _text_call(route: Route, reply: ModelReply) -> str:
    allowed = "text_calls" in route.entry.allow
    return "it wrote its tool call as text" if writes_call_as_text(reply.message) and not allowed else ""


def _called(reply: ModelReply) -> bool:
    calls: Sequence[object] = calls_of(reply.message)
    return reply.finish == "calls" and len(calls) > 0


def _report(route: Route, reply: ModelReply | None, fault: str) -> ProbeReport:
    return ProbeReport(
        route=route.id,
        model=route.entry.model,
        seconds=None if reply is None else round(reply.seconds, 3),
        calls_tools=None if reply is None else _called(reply),
        returned=None if reply is None else reply.model or None,
        accepted=None if reply is None else reply.model in route.entry.accepted_ids,
        prompt_tokens=None if reply is None else reply.usage.prompt,
        generated_tokens=None if reply is None else reply.usage.generated,
        usage_rule="" if reply is None else reply.usage.rule,
        cost_usd=None if reply is None else reply.cost_usd,
        priced=route.tariff is not None,
        fault=fault,
    )
