"""Why an answer brought no reply: classify_response on the exchange as the wire saw it.

Every caller ends here, the one through litellm and the mock alike, so that a rehearsed fault and a
real one are the same to everything above.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from agents.routes.adapter.json_limits import MAX_BODY_DEPTH, is_deeper
from agents.routes.adapter.reply import excerpt, first_of, refused_reply
from agents.routes.adapter.usage import is_reported
from agents.routes.adapter.vendor_fields import CHOICE_LISTS, MESSAGE_PLACES
from agents.routes.adapter.wire import Exchange
from agents.routes.errors.attempt import AttemptError, AttemptFailure, attempt_error
from agents.routes.errors.classification import (
    body_codes,
    body_delay,
    body_message,
    body_param,
    classify,
    classify_page,
    classify_words,
    failed_generation,
)
from agents.routes.tokens import estimate
from tournament.records import Json, ModelReply

# Statuses by which a gateway tells of its own waiting, and what a model's failure is passed on under: whatever
# JSON is beside them, the model may have had the request.
_PASSED_ON: Final = frozenset({408, 424, 499})
# Said by who did not begin with the request at all.
_BUSY: Final = frozenset({503, 529})
Price = Callable[[Json], float | None]
# A code inside an error body that is an HTTP status, as OpenRouter and other gateways write it.
_ERROR_STATUS: Final = re.compile(r"[45][0-9]{2}")
# OpenAI's retry-after-ms; bounded, for int() is slow on digits without end.
_MILLISECONDS: Final = re.compile(r"[0-9]{1,12}")


def classify_response(
    exchange: Exchange,
    error: BaseException | None,
    *,
    ceiling: int,
    seconds: float,
    price: Price,
) -> ModelReply:
    """Return the reply that an error answer stands for; raises AttemptError for every other failure.

    `error` is what the library raised, if it did; `ceiling` is the request's bound on generated tokens,
    `price` gives the dollars of a usage report.
    """
    if not exchange.sent:
        raise _never_sent(error)
    if exchange.error:
        cost = 0.0 if exchange.unsent else None
        raise attempt_error(
            "transport", exchange.failure, exchange.error, status=exchange.status, cost_usd=cost
        )
    if exchange.status is None:
        raise attempt_error("harness", "request_not_sent", _first_line(error))
    status, body = effective_status(exchange)
    if 200 <= status < 300:
        raise _unreadable(exchange, error, price)
    if 300 <= status < 400:
        raise attempt_error("configuration", "redirected", f"status {status}: the address leads elsewhere")
    message = body_message(body) or excerpt(exchange.body)
    failure = _classified(status, body, exchange.body)
    if failure.kind == "content_filter":
        rule = "refused before anything was generated"
        return refused_reply("content_filter", generated=0, rule=rule, seconds=seconds)
    if failure.kind == "malformed_call":
        rule = "estimated: a call that the provider could not read, refused without a count"
        generated = max(1, estimate(failed_generation(body)))
        return refused_reply("malformed_call", generated=generated, rule=rule, seconds=seconds)
    if failure.kind == "length":
        rule = "the output limit was reached: counted at the request's ceiling"
        return refused_reply("length", generated=ceiling, rule=rule, seconds=seconds)
    cost = _cost(status, body, price)
    raise AttemptError(
        replace(
            failure,
            detail=message,
            status=exchange.status,
            retry_after=_retry_after(exchange) or body_delay(body),
            cost_usd=cost,
        )
    )


def _classified(status: int, body: Json, raw: bytes) -> AttemptFailure:
    if isinstance(body, (dict, list)) and body:
        return classify(status, body_codes(body), body_message(body) or excerpt(raw), body_param(body))
    text = excerpt(raw)
    return classify_page(status) if text.startswith("<") else classify_words(status, text)


def _cost(status: int, body: Json, price: Price) -> float | None:
    """What a failed attempt cost: what its usage tells, nothing where the provider itself refused, else unknown.

    A page, a bare status and a gateway's word on what became of the request leave open whether a model had
    it; limits and overloads told in JSON were never charged (https://github.com/matthiasn/lotti/pull/4338).
    """
    if isinstance(body, dict) and is_reported(body):
        return price(body.get("usage"))
    if status == 429:
        return 0.0
    told = isinstance(body, (dict, list)) and bool(body_codes(body) or body_message(body))
    refused = status in _BUSY or (400 <= status < 500 and status not in _PASSED_ON)
    return 0.0 if told and refused else None


def is_error(exchange: Exchange) -> bool:
    """Tell an error answer that litellm made a reply of, a reply that no request was seen for, and a body
    that is too deep to be read."""
    if not exchange.answered or not 200 <= effective_status(exchange)[0] < 300:
        return True
    return is_deeper(exchange.parsed, MAX_BODY_DEPTH)


def effective_status(exchange: Exchange) -> tuple[int, Json]:
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
    return any(body.get(place) for place in (*CHOICE_LISTS, "content")) or (
        body.get("status") in ("completed", "incomplete")
    )


def _holds_message(body: Mapping[str, Json]) -> bool:
    """Tell whether a body holds something that a model said, in any provider's place for it."""
    for place in CHOICE_LISTS:
        if place in body:
            first = first_of(body, place)
            return first is not None and any(first.get(name) for name in ("message", "content", "text"))
    return any(body.get(place) for place in MESSAGE_PLACES)


def _unreadable(exchange: Exchange, error: BaseException | None, price: Price) -> AttemptError:
    """A good status whose body litellm did not take: cut or no JSON at all, or beyond the adapter."""
    parsed = exchange.parsed
    if not isinstance(parsed, dict) or is_deeper(parsed, MAX_BODY_DEPTH):
        if exchange.body.lstrip()[:1] == b"<":
            # A gateway's page, which tells nothing of whether a model was reached.
            return attempt_error(
                "transport", "web_page", excerpt(exchange.body), status=exchange.status, cost_usd=None
            )
        odd = "nested too deep" if isinstance(parsed, dict) else "no JSON object"
        detail = f"{odd}: {excerpt(exchange.body)}"
        return attempt_error("transport", "malformed_body", detail, status=exchange.status, cost_usd=None)
    if parsed.get("error") or not _holds_message(parsed):
        code = "provider_error" if parsed.get("error") else "no_choices"
        cost = price(parsed.get("usage"))
        return attempt_error("transport", code, excerpt(exchange.body), status=exchange.status, cost_usd=cost)
    detail = f"the adapter cannot read the provider's answer ({_first_line(error)}): {excerpt(exchange.body)}"
    return attempt_error("harness", "unreadable_answer", detail, status=exchange.status, cost_usd=None)


def _never_sent(error: BaseException | None) -> AttemptError:
    """No request left the machine: the operator's settings, or our own request."""
    status = getattr(error, "status_code", None)
    name = type(error).__name__
    if status in {401, 403, 404} or name in {"UnsupportedParamsError", "AuthenticationError"}:
        return attempt_error("configuration", "not_sent", _first_line(error))
    if "LLM Provider NOT provided" in str(error) or "Credentials" in name:
        return attempt_error("configuration", "not_sent", _first_line(error))
    return attempt_error("harness", "not_sent", f"no request left the machine: {_first_line(error)}")


def _retry_after(exchange: Exchange) -> str | None:
    milliseconds = exchange.headers.get("retry-after-ms")
    if milliseconds is not None and _MILLISECONDS.fullmatch(milliseconds.strip()):
        return str(int(milliseconds) / 1000.0)
    waited: str | None = exchange.headers.get("retry-after")
    return waited


def _first_line(error: BaseException | None) -> str:
    """The first line of what a library said: the rest are its own traces."""
    if error is None:
        return "no exception"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
