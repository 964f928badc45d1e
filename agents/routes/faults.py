"""What a failed request is: a fault's class from status, body code and words, and how long to wait.

Pure tables. litellm's exception classes are not asked: one class there covers a spent account and a
passing overload (402 and 529), or an answer and a local time-out (504). What decides is what the
provider said on the wire, and whether it said anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final, Literal

from tournament.records import Json

FaultKind = Literal["transport", "configuration", "overflow", "content_filter", "length", "harness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A fault's class, a short code for records, and whether it asks all seats of the route to slow down."""

    kind: FaultKind
    code: str
    slow_down: bool = False


_CODES: Final[Mapping[str, FaultKind]] = {
    "insufficient_quota": "configuration",
    "billing_hard_limit_reached": "configuration",
    "billing_not_active": "configuration",
    "insufficient_balance": "configuration",
    "insufficient_user_quota": "configuration",
    "arrearage": "configuration",
    "accountoverdueerror": "configuration",
    "quota_exceeded_error": "configuration",
    "invalid_api_key": "configuration",
    "authentication_error": "configuration",
    "permission_error": "configuration",
    "permission_denied": "configuration",
    "unauthenticated": "configuration",
    "access_denied": "configuration",
    "account_deactivated": "configuration",
    "model_not_found": "configuration",
    "not_found_error": "configuration",
    "unsupported_parameter": "configuration",
    "unsupported_value": "configuration",
    "unknown_parameter": "configuration",
    "unsupported_model": "configuration",
    "context_length_exceeded": "overflow",
    "context_window_exceeded": "overflow",
    "string_above_max_length": "overflow",
    "exceed_context_size_error": "overflow",
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
    "responsibleaipolicyviolation": "content_filter",
    "data_inspection_failed": "content_filter",
    "sensitivecontentdetected": "content_filter",
    "invalid_prompt": "content_filter",
}
_OVERFLOW: Final = re.compile(
    r"maximum context length|context (length|window|size|limit)|exceeds? the (available|model'?s)? ?context"
    r"|prompt is too long|input is too long|too many (input )?tokens|input token count .* exceeds"
    r"|exceeds the maximum number of (input )?tokens|maximum (allowed )?(input|prompt) (length|tokens)"
    r"|current length is .* while limit is|reduce the length of the (messages|prompt)"
    r"|range of input length should be|inputs? tokens \+ .?max_new_tokens",
    re.IGNORECASE,
)
_LENGTH: Final = re.compile(r"max_tokens or model output limit was reached", re.IGNORECASE)
_FILTERED: Final = re.compile(
    r"content.?(management )?(policy|filter)|safety system|violat\w+ our usage policy|inappropriate content"
    r"|responsible ?ai ?policy",
    re.IGNORECASE,
)
_SPENT: Final = re.compile(
    r"exceeded your current quota|insufficient (credit|balance|quota|funds)|credit balance is too low"
    r"|out of credits?|billing (hard )?limit|account .* (overdue|suspended|deactivated)"
    r"|(daily|monthly|spending|usage) (spend(ing)? )?limit .*(reached|exceeded)|requires? more credits",
    re.IGNORECASE,
)
_PARAMETER: Final = re.compile(
    r"unsupported (parameter|value)|unrecognized (request argument|parameter|field)|unknown (parameter|field|name)"
    r"|(parameter|argument|option) .*(not supported|unsupported|not allowed)|does not support|cannot be used here"
    r"|extra (inputs?|fields?) (are )?not permitted|tool (use|calling|choice) .*not (supported|enabled)",
    re.IGNORECASE,
)
_NO_MODEL: Final = re.compile(
    r"(model|deployment|endpoint).*(not found|does not exist|not exist|is not available|not supported|unknown)"
    r"|(no such|unknown|invalid) model|not a valid model",
    re.IGNORECASE,
)
_KEY: Final = re.compile(r"api.?key (not valid|is invalid|expired)|invalid (x-)?api.?key", re.IGNORECASE)

_TRANSPORT: Final[Mapping[int, str]] = {
    408: "request_timeout",
    409: "conflict",
    425: "too_early",
    429: "rate_limit",
    500: "server_error",
    502: "bad_gateway",
    503: "unavailable",
    504: "gateway_timeout",
    529: "overloaded",
}
_CONFIGURATION: Final[Mapping[int, str]] = {
    401: "unauthorized",
    402: "payment_required",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    410: "gone",
    451: "unavailable_for_legal_reasons",
}


def classify(status: int, codes: frozenset[str], message: str) -> Verdict:
    """Return the class of an answer that is no reply: HTTP status, lower-case body codes, body text.

    What the body names goes before what the status suggests: a spent account that calls itself a rate
    limit is not waited for, an overload dressed as 400 is.
    """
    named = sorted(code for code in codes if code in _CODES)
    if named:
        return Verdict(kind=_CODES[named[0]], code=named[0])
    if status == 429 or status >= 500 or status in _TRANSPORT:
        return _passing(status, codes, message)
    if status in _CONFIGURATION:
        return Verdict(kind="configuration", code=_CONFIGURATION[status])
    if 400 <= status < 500:
        return _refused(status, codes, message)
    return Verdict(kind="transport", code=f"unexpected_status_{status}")


def _passing(status: int, codes: frozenset[str], message: str) -> Verdict:
    # Gemini words its passing limits as a spent quota, and says RESOURCE_EXHAUSTED with them.
    if status == 429 and _SPENT.search(message) and "resource_exhausted" not in codes:
        return Verdict(kind="configuration", code="quota")
    if status >= 500 and status != 503 and _OVERFLOW.search(message):
        return Verdict(kind="overflow", code="context_window")
    code = _TRANSPORT.get(status, f"server_error_{status}")
    return Verdict(kind="transport", code=code, slow_down=status in {429, 503, 529})


def _refused(status: int, codes: frozenset[str], message: str) -> Verdict:
    """A request that the provider will not take as it is: whose doing that is."""
    if "rate_limit_exceeded" in codes:
        # Larger than the account's tokens a minute: no waiting makes it fit.
        return Verdict(kind="configuration", code="request_above_rate_limit")
    for pattern, kind, code in _REFUSALS:
        if pattern.search(message):
            return Verdict(kind=kind, code=code)
    if status == 413:
        return Verdict(kind="overflow", code="request_too_large")
    return Verdict(kind="harness", code=f"bad_request_{status}")


_REFUSALS: Final[tuple[tuple[re.Pattern[str], FaultKind, str], ...]] = (
    (_LENGTH, "length", "output_limit"),
    (_OVERFLOW, "overflow", "context_window"),
    (_FILTERED, "content_filter", "content_filter"),
    (_SPENT, "configuration", "quota"),
    (_KEY, "configuration", "unauthorized"),
    (_PARAMETER, "configuration", "unsupported_parameter"),
    (_NO_MODEL, "configuration", "model_not_found"),
)


def body_codes(body: Json) -> frozenset[str]:
    """Return every code and type that an error body names, in lower case."""
    found: set[str] = set()
    for part in _errors(body):
        for key in ("code", "type", "status", "error_code", "__type"):
            value = part.get(key)
            if isinstance(value, str):
                found.add(value.lower())
        inner = part.get("innererror")
        if isinstance(inner, dict) and isinstance(inner.get("code"), str):
            found.add(inner["code"].lower())
    return frozenset(found)


def body_message(body: Json) -> str:
    """Return the error text of a body, or an empty one."""
    for part in _errors(body):
        for key in ("message", "error", "msg", "detail", "Message"):
            value = part.get(key)
            if isinstance(value, str) and value.strip():
                return value
    return ""


def body_delay(body: Json) -> str | None:
    """Return the seconds that an error body asks to wait (Google's RetryInfo), as text."""
    for part in _errors(body):
        details = part.get("details")
        for detail in details if isinstance(details, list) else []:
            delay = detail.get("retryDelay") if isinstance(detail, dict) else None
            if isinstance(delay, str) and delay.endswith("s"):
                return delay[:-1]
    return None


def _errors(body: Json) -> list[Mapping[str, Json]]:
    """The nested error object first, then the body itself; some providers wrap both in a list."""
    if isinstance(body, list) and body:
        return _errors(body[0])
    if not isinstance(body, dict):
        return []
    inner = body.get("error")
    return [inner, body] if isinstance(inner, dict) else [body]


def retry_after(text: str | None, *, now: float, cap: float) -> float | None:
    """Return the seconds that a Retry-After asks for, within [0, cap]; None where it says nothing usable.

    `now` is Unix time, for dates. Seconds may have a fraction; absurd ones are the cap.
    """
    if text is None or not text.strip():
        return None
    word = text.strip()
    if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)", word):
        seconds = float(word)
        return cap if math.isinf(seconds) and seconds > 0 else min(max(seconds, 0.0), cap)
    try:
        moment = parsedate_to_datetime(word)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return min(max(moment.timestamp() - now, 0.0), cap)
    except (ValueError, OverflowError):
        return None


def back_off(number: int, *, base: float, cap: float, jitter: float) -> float:
    """Return the wait after attempt `number` (from 1): exponential, bounded, with full jitter in [0, 1)."""
    return jitter * min(cap, base * 2.0 ** min(number - 1, 62))
