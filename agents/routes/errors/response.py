"""Whose fault an answer is that brought no reply: judged on the exchange as the wire saw it.

Every caller ends here, the one through litellm and the mock alike, so that a rehearsed fault and a
real one are the same to everything above.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from agents.routes.adapter.reply import excerpt, refused_reply
from agents.routes.adapter.shape import DEEPEST_BODY, is_deeper
from agents.routes.adapter.usage import is_reported
from agents.routes.adapter.wire import Exchange
from agents.routes.errors.attempt import Fault, fault_of, transport
from agents.routes.errors.classification import (
    Verdict,
    body_codes,
    body_delay,
    body_message,
    classify,
    failed_generation,
)
from agents.routes.tokens import estimate
from tournament.records import Json, ModelReply

_GAVE_UP_WAITING: Final = frozenset({504, 524})
_ERROR_STATUS: Final = re.compile(r"[45][0-9]{2}")
_MILLISECONDS: Final = re.compile(r"[0-9]{1,12}")


def judged(
    exchange: Exchange,
    fault: BaseException | None,
    *,
    ceiling: int,
    seconds: float,
) -> ModelReply:
    """Return the reply that an error answer stands for; raises Fault for every other failure.

    `fault` is what the library raised, if it did; `ceiling` is the request's bound on generated tokens.
    """
    if not exchange.sent:
        raise _never_sent(fault)
    if exchange.error:
        cost = 0.0 if exchange.unsent else None
        raise transport(exchange.failure, exchange.error, status=exchange.status, cost_usd=cost)
    if exchange.status is None:
        raise fault_of("harness", "request_not_sent", _words(fault))
    status, body = meaning(exchange)
    if 200 <= status < 300:
        raise _unreadable(exchange, fault)
    if 300 <= status < 400:
        raise fault_of("configuration", "redirected", f"status {status}: the address leads elsewhere")
    message = body_message(body) or excerpt(exchange.body)
    verdict = classify(status, body_codes(body), message)
    if verdict.kind == "content_filter":
        rule = "refused before anything was generated"
        return refused_reply("content_filter", generated=0, rule=rule, seconds=seconds)
    if verdict.kind == "malformed_call":
        rule = "estimated: a call that the provider could not read, refused without a count"
        generated = max(1, estimate(failed_generation(body)))
        return refused_reply("malformed_call", generated=generated, rule=rule, seconds=seconds)
    if verdict.kind == "length":
        rule = "the output limit was reached: counted at the request's ceiling"
        return refused_reply("length", generated=ceiling, rule=rule, seconds=seconds)
    asked = _retry_after(exchange) or body_delay(body)
    # Behind a gateway that stopped waiting, and where usage is told, something was generated.
    paid = status in _GAVE_UP_WAITING or is_reported(body)
    cost = None if paid else 0.0
    raise Fault(verdict, message, status=exchange.status, retry_after=asked, cost_usd=cost)


def is_error(exchange: Exchange) -> bool:
    """Tell an error answer that litellm made a reply of, a reply that no request was seen for, and a body
    that is too deep to be read."""
    if not exchange.answered or not 200 <= meaning(exchange)[0] < 300:
        return True
    return is_deeper(exchange.parsed, DEEPEST_BODY)


def meaning(exchange: Exchange) -> tuple[int, Json]:
    """Return the status that an answer means: an error object under status 200 has its own code."""
    assert exchange.status is not None
    body = exchange.parsed
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    named = body["error"] if isinstance(body, dict) and "error" in body else None
    if not named or not 200 <= exchange.status < 300 or _holds_reply(body):
        return exchange.status, body
    code = named.get("code") if isinstance(named, dict) else None
    return (int(str(code)) if _ERROR_STATUS.fullmatch(str(code)) else 500), body


def _holds_reply(body: Mapping[str, Json]) -> bool:
    return any(body.get(place) for place in ("choices", "content", "candidates")) or (
        body.get("status") in {"completed", "incomplete"}
    )


def _holds_message(body: Mapping[str, Json]) -> bool:
    """Tell whether a body holds something that a model said, in any provider's place for it."""
    for place in ("choices", "candidates"):
        if place in body:
            first = body[place][0] if isinstance(body[place], list) and body[place] else None
            return isinstance(first, dict) and any(first.get(name) for name in ("message", "content", "text"))
    return any(body.get(place) for place in ("message", "content", "output"))


def _unreadable(exchange: Exchange, fault: BaseException | None) -> Fault:
    """A good status whose body litellm did not take: cut or no JSON at all, or beyond the adapter."""
    parsed = exchange.parsed
    if not isinstance(parsed, dict) or is_deeper(parsed, DEEPEST_BODY):
        if exchange.body.lstrip()[:1] == b"<":
            # A gateway's page: nothing was asked of a model.
            return transport("web_page", excerpt(exchange.body), status=exchange.status)
        odd = "nested too deep" if isinstance(parsed, dict) else "no JSON object"
        detail = f"{odd}: {excerpt(exchange.body)}"
        return transport("malformed_body", detail, status=exchange.status, cost_usd=None)
    if parsed.get("error") or not _holds_message(parsed):
        code = "provider_error" if parsed.get("error") else "no_choices"
        return transport(code, excerpt(exchange.body), status=exchange.status, cost_usd=None)
    detail = f"the adapter cannot read the provider's answer ({_words(fault)}): {excerpt(exchange.body)}"
    verdict = Verdict(kind="harness", code="unreadable_answer")
    return Fault(verdict, detail, status=exchange.status, cost_usd=None)


def _never_sent(fault: BaseException | None) -> Fault:
    """No request left the machine: the operator's settings, or our own request."""
    status = getattr(fault, "status_code", None)
    name = type(fault).__name__
    if status in {401, 403, 404} or name in {"UnsupportedParamsError", "AuthenticationError"}:
        return fault_of("configuration", "not_sent", _words(fault))
    if "LLM Provider NOT provided" in str(fault) or "Credentials" in name:
        return fault_of("configuration", "not_sent", _words(fault))
    return fault_of("harness", "not_sent", f"no request left the machine: {_words(fault)}")


def _retry_after(exchange: Exchange) -> str | None:
    milliseconds = exchange.headers.get("retry-after-ms")
    if milliseconds is not None and _MILLISECONDS.fullmatch(milliseconds.strip()):
        return str(int(milliseconds) / 1000.0)
    waited: str | None = exchange.headers.get("retry-after")
    return waited


def _words(fault: BaseException | None) -> str:
    """The first line of what a library said: the rest are its own traces."""
    if fault is None:
        return "no exception"
    lines = str(fault).strip().splitlines()
    return f"{type(fault).__name__}: {lines[0][:300]}" if lines else type(fault).__name__
