"""One tiny tool call to a route: what answers, how fast, whether it can call tools, what it reports and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.routes.adapter.reply import calls_of
from agents.routes.check import PROBE_TOOL
from agents.routes.errors.attempt import AttemptError
from agents.routes.route import Route
from tournament.errors import IdentityMismatch
from tournament.foreign_text import bounded
from tournament.records import ModelReply, ModelRequest

CEILING: Final = 2048
_MESSAGES: Final = (
    {
        "role": "system",
        "content": "You are being tested for tool calling. Answer with one tool call and nothing else.",
    },
    {"role": "user", "content": "Call the tool report_ready with ready = true."},
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


async def probe(route: Route) -> ProbeReport:
    """Ask once, without retries; every answer is a report."""
    request = ModelRequest(
        label=f"probe of {route.id}",
        messages=_MESSAGES,
        tools=(PROBE_TOOL,),
        max_tokens=min(CEILING, route.ceiling),
    )
    try:
        reply = await route.caller.send(request, 1)
    except IdentityMismatch as fault:
        kept = fault.reply if isinstance(fault.reply, ModelReply) else None
        return _report(route, kept, str(fault))
    except AttemptError as error:
        return _report(
            route,
            None,
            bounded(route.scrub.text(f"{error.failure.kind}: {error}"), 500) + route.key_hint(error.failure),
        )
    wrong = "" if _called(reply) else "it answered without calling the tool"
    return _report(route, reply, wrong)


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
