"""The bodies of the records about a request: what a route answered, in plain JSON, nothing invented."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from agents.llm.text import digest, normal_form
from agents.llm.tools.calls import generated_text
from agents.llm.window.reply_handling import is_reasoning_only_cut
from tournament.errors import IdentityMismatch, Suspension
from tournament.foreign_text import bounded
from tournament.records import Attempt, Json, ModelReply

Body = Mapping[str, Json]
Estimate = Callable[[str], int]
# A route's name for an answer of another model, which also comes as IdentityMismatch with its cost.
IDENTITY_FAULT: Final = "identity"


def reply_body(ordinal: int, reply: ModelReply, estimate: Estimate) -> Body:
    """Return a reply as it is kept: its message verbatim, and the tokens that the budget counts."""
    message = normal_form(reply.message)
    reported = reply.usage.generated
    text = generated_text(message)
    # Zero tokens for a reply that says something is a missing count, not a free reply.
    known = reported is not None and (reported > 0 or (reported == 0 and not text))
    return {
        "ordinal": ordinal,
        "message": message,
        "finish": reply.finish,
        "generated": reported if known else max(1, estimate(text)),
        "estimated": not known,
        "usage": {
            "prompt": reply.usage.prompt,
            "generated": reported,
            "reasoning": reply.usage.reasoning,
            "cached": reply.usage.cached,
            "written": reply.usage.written,
            "written_1h": reply.usage.written_1h,
            "terms": list(reply.usage.terms),
            "rule": reply.usage.rule,
        },
        "model": normal_form(reply.model),
        "response_id": normal_form(reply.response_id),
        "cost_usd": reply.cost_usd,
        "told_usd": reply.told_usd,
        "seconds": reply.seconds,
        "left_out": digest(message) if is_reasoning_only_cut(message, reply.finish) else None,
    }


def attempt_body(ordinal: int, attempt: Attempt, bound_usd: float | None) -> Body:
    """Return a failed attempt; one that may have been charged for without anyone knowing is possibly paid."""
    unknown = attempt.cost_usd is None and attempt.fault != IDENTITY_FAULT
    return {
        "ordinal": ordinal,
        "number": attempt.number,
        "status": attempt.status,
        "fault": attempt.fault,
        "detail": bounded(attempt.detail, 2000),
        "wait_seconds": attempt.wait_seconds,
        "until": attempt.until,
        "cost_usd": attempt.cost_usd or 0.0,
        "bound_usd": bound_usd if unknown else None,
        "possibly_paid": unknown,
    }


def identity_mismatch_body(ordinal: int, fault: IdentityMismatch, estimate: Estimate) -> Body:
    """Return the reply of another model: it may have been paid for, and is not acted on."""
    reply = reply_body(ordinal, fault.reply, estimate) if isinstance(fault.reply, ModelReply) else None
    return {"ordinal": ordinal, "reply": reply, "message": bounded(str(fault), 1000)}


def rebuilt_body(ordinal: int, form: str, fault: Suspension) -> Body:
    """Return in which form a refused conversation goes on, and the words of the refusal."""
    return {"ordinal": ordinal, "form": form, "message": bounded(str(fault), 1000)}


def failed_body(ordinal: int, fault: Suspension) -> Body:
    return {"ordinal": ordinal, "kind": fault.kind, "message": bounded(str(fault), 1000)}
