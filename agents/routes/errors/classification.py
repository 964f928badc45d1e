"""What a failed request is: a fault's class from status, body code and words, and how long to wait.

Pure functions on `agents.routes.errors.refusal_patterns`. litellm's exception classes are not used: one class
there covers a spent account and a passing overload (402 and 529), or an answer and a local time-out
(504). What decides is what the provider said on the wire, and whether it said anything.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from agents.routes.adapter.vendor_fields import ERROR_CODES, ERROR_TEXTS
from agents.routes.errors import refusal_patterns as patterns
from agents.routes.errors.attempt import MESSAGE_CHARACTERS, AttemptFailure, FailureKind
from tournament.records import Json

_PASSING: Final[Mapping[int, str]] = {
    408: "request_timeout",
    409: "conflict",
    424: "model_error",
    425: "too_early",
    498: "capacity_exceeded",
    499: "request_cancelled",
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
_SLOWING: Final = frozenset({498, 503, 529})
# A content filter may answer with these; a page under another of them only speaks of policies.
_MODERATING: Final = frozenset({403, 451})


def classify_page(status: int) -> AttemptFailure:
    """Return the class of an answer without a provider's JSON: a status alone, or a gateway's page.

    Whoever sent it has not read the conversation, so nothing of it is a contestant's doing: never an
    overflow, never a filter. It is waited out within bounds, then the world is suspended.
    """
    if status == 429:
        return AttemptFailure(kind="transport", code="rate_limit", slow_down=True)
    if status in _PASSING or status >= 500:
        code = _PASSING.get(status, f"server_error_{status}")
        return AttemptFailure(kind="transport", code=code, slow_down=status in _SLOWING)
    return AttemptFailure(kind="transport", code=f"web_page_{status}", slow_down=True)


def classify_words(status: int, message: str) -> AttemptFailure:
    """Return the class of an answer of a few plain words or none at all, under an error's status."""
    if status in _CONFIGURATION:
        return AttemptFailure(kind="configuration", code=_CONFIGURATION[status])
    if status == 413:
        return AttemptFailure(kind="transport", code="request_too_large")
    if status == 429 or status in _PASSING or status >= 500:
        return classify(status, frozenset(), message)
    return AttemptFailure(kind="history", code=f"bad_request_{status}")


def classify(status: int, codes: frozenset[str], message: str, param: str = "") -> AttemptFailure:
    """Return the class of a provider's JSON error: HTTP status, lower-case body codes, its text, its `param`.

    What the body names goes before what the status suggests: a spent account that calls itself a rate
    limit is not waited for, an overload dressed as 400 is. Above 500 it is the other way round: there a
    gateway speaks, and only of itself.
    """
    beginning = message[:MESSAGE_CHARACTERS]
    if any(patterns.OVERLOAD_CODE.search(code) for code in codes):
        return AttemptFailure(kind="transport", code="overloaded", slow_down=True)
    if status == 429:
        return _limited(codes, beginning)
    if status in _PASSING or status >= 500:
        return _passing(status, codes, beginning)
    if 400 <= status < 500:
        return _refused(status, codes, beginning, param)
    return AttemptFailure(kind="transport", code=f"unexpected_status_{status}")


def _limited(codes: frozenset[str], message: str) -> AttemptFailure:
    """429: wait, but for what no waiting mends."""
    if patterns.ABOVE_RATE_LIMIT.search(message):
        return AttemptFailure(kind="configuration", code="request_above_rate_limit")
    if patterns.PREPAID.search(message):
        return AttemptFailure(kind="configuration", code="quota")
    named = _named(codes)
    if named is not None and not (named.code == "insufficient_quota" and _is_passing_quota(message)):
        return named
    # Gemini words its passing limits as a spent quota, and says RESOURCE_EXHAUSTED with them.
    if (
        patterns.SPENT.search(message)
        and "resource_exhausted" not in codes
        and not _is_passing_quota(message)
    ):
        return AttemptFailure(kind="configuration", code="quota")
    return AttemptFailure(kind="transport", code="rate_limit", slow_down=True)


def _is_passing_quota(message: str) -> bool:
    """Tell a quota of tokens a minute from a spent one: both are called insufficient_quota.

    Without a word of plans and bills it is taken for passing: waiting is bounded, stopping is not undone.
    """
    if patterns.FREE_QUOTA.search(message):
        return False
    if patterns.PASSING_QUOTA.search(message):
        return True
    return "exceeded your current quota" in message.lower() and "billing" not in message.lower()


def _passing(status: int, codes: frozenset[str], message: str) -> AttemptFailure:
    named = _named(codes)
    # Only 500 itself is a model server's own answer; 502 and above are told of it by others.
    if named is not None and (status == 500 or named.kind == "configuration"):
        return named
    if status == 500 and patterns.HISTORY.search(message):
        # llama.cpp's server: it could not read what it was sent back.
        return AttemptFailure(kind="history", code="refused_history")
    if status == 500 and patterns.OVERFLOW_500.search(message) and not patterns.OUTAGE.search(message):
        return AttemptFailure(kind="overflow", code="context_window")
    code = _PASSING.get(status, f"server_error_{status}")
    return AttemptFailure(kind="transport", code=code, slow_down=status in _SLOWING)


def _named(codes: frozenset[str]) -> AttemptFailure | None:
    """What a code says that means one thing under every status."""
    for code in sorted(codes):
        if patterns.FILTER_CODE.search(code):
            return AttemptFailure(kind="content_filter", code=code)
    for listed, kind in _NAMED:
        if codes & listed:
            return AttemptFailure(kind=kind, code=min(codes & listed))
    return None


_NAMED: Final[tuple[tuple[frozenset[str], FailureKind], ...]] = (
    (patterns.MALFORMED_CODES, "malformed_call"),
    (patterns.OVERFLOW_CODES, "overflow"),
    (patterns.SPENT_CODES, "configuration"),
)


def _refused(status: int, codes: frozenset[str], message: str, param: str) -> AttemptFailure:
    """A request that the provider will not take as it is: whose doing that is."""
    if "string_above_max_length" in codes and (
        patterns.IDENTIFIER.search(param) or patterns.IDENTIFIER.search(message)
    ):
        return AttemptFailure(kind="history", code="refused_history")
    named = _named(codes)
    if named is not None:
        return named
    if status == 404 and _is_of_history(param, message):
        return AttemptFailure(kind="history", code="refused_history")
    if status in _CONFIGURATION:
        return _denied(status, codes, message)
    if (status == 413 and "rate_limit_exceeded" in codes) or patterns.ABOVE_RATE_LIMIT.search(message):
        # Larger than the account's tokens a minute: no waiting makes it fit.
        return AttemptFailure(kind="configuration", code="request_above_rate_limit")
    if any(patterns.LIMIT_CODE.search(code) for code in codes):
        return AttemptFailure(kind="transport", code="overloaded", slow_down=True)
    return (
        _first(_OWN_DOING, message)
        or _pointed_at(codes, message, param)
        or _first(_REFUSALS, message)
        or _unnamed(status, codes, param)
    )


def _first(
    table: tuple[tuple[re.Pattern[str], FailureKind, str], ...], message: str
) -> AttemptFailure | None:
    for pattern, kind, code in table:
        if pattern.search(message):
            return AttemptFailure(kind=kind, code=code)
    return None


def _pointed_at(codes: frozenset[str], message: str, param: str) -> AttemptFailure | None:
    """What the error points at decides: turns and tools are the harness's, any other field is the route's."""
    if _is_of_history(param, message):
        return AttemptFailure(kind="history", code="refused_history")
    if patterns.TOOLS_PLACE.search(param):
        return AttemptFailure(kind="harness", code="refused_tools")
    denied = codes & patterns.DENIED_CODES
    return AttemptFailure(kind="configuration", code=min(denied)) if denied else None


def _unnamed(status: int, codes: frozenset[str], param: str) -> AttemptFailure:
    """A refusal in words that nobody has met: by the field it points at, else the turns are rebuilt."""
    if param:
        return AttemptFailure(kind="configuration", code=f"refused_parameter {param[:64]}")
    if any(patterns.BROKEN_CODE.search(code) for code in codes):
        return AttemptFailure(kind="transport", code="server_error")
    if status == 413:
        # A limit of bytes: what a context holds is told in tokens. A conversation begun anew is shorter.
        return AttemptFailure(kind="history", code="request_too_large")
    return AttemptFailure(kind="history", code=f"bad_request_{status}")


def _is_of_history(param: str, message: str) -> bool:
    """Tell a refusal of the turns that are sent back from one of a setting: `param` first, then the words."""
    if param:
        return patterns.HISTORY_PLACE.search(param) is not None
    return patterns.HISTORY.search(message) is not None


def _denied(status: int, codes: frozenset[str], message: str) -> AttemptFailure:
    """A status that speaks of key, account or model; but a prompt too is forbidden with 403."""
    if status in _MODERATING and patterns.FILTERED.search(message) and not patterns.BANNED.search(message):
        return AttemptFailure(kind="content_filter", code="content_filter")
    denied = codes & patterns.DENIED_CODES
    return AttemptFailure(kind="configuration", code=min(denied) if denied else _CONFIGURATION[status])


# What the conversation or the moment did, whatever field an error points at.
_OWN_DOING: Final[tuple[tuple[re.Pattern[str], FailureKind, str], ...]] = (
    (patterns.LENGTH, "length", "output_limit"),
    (patterns.MALFORMED, "malformed_call", "malformed_call"),
    (patterns.OVERFLOW, "overflow", "context_window"),
    (patterns.BUSY, "transport", "overloaded"),
    (patterns.BANNED, "configuration", "account"),
    (patterns.FILTERED, "content_filter", "content_filter"),
)
_REFUSALS: Final[tuple[tuple[re.Pattern[str], FailureKind, str], ...]] = (
    (patterns.CEILING, "configuration", "ceiling"),
    (patterns.SPENT, "configuration", "quota"),
    (patterns.KEY, "configuration", "unauthorized"),
    (patterns.REGION, "configuration", "region"),
    (patterns.PARAMETER, "configuration", "unsupported_parameter"),
    (patterns.NO_MODEL, "configuration", "model_not_found"),
)


def context_room(message: str) -> int | None:
    """Return the tokens that a context has left for a completion, from the refusal of a request whose
    prompt and completion together are too long; None where it does not tell the limit and the prompt.

    Zero where the prompt alone is as long as the context. A prompt of "at least" some length is not
    told: its server stopped counting where the asked completion no longer fitted.
    """
    beginning = message[:MESSAGE_CHARACTERS]
    for pattern in _ROOMS:
        found = pattern.search(beginning)
        if found is not None:
            counts = {name: int(digits.replace(",", "")) for name, digits in found.groupdict().items()}
            prompt = counts["prompt"] if "prompt" in counts else counts["total"] - counts["completion"]
            return max(0, counts["limit"] - prompt)
    return None


def is_uncounted(message: str) -> bool:
    """Tell whether a refusal has not counted the whole prompt: it may fit beside a shorter completion."""
    return _UNCOUNTED.search(message[:MESSAGE_CHARACTERS]) is not None


# vLLM stops counting at the first token too many: its "at least" is no length of the prompt.
_UNCOUNTED: Final = re.compile(r"prompt contains at least \d+ (input )?tokens", re.IGNORECASE)


def _count(name: str) -> str:
    return rf"(?P<{name}>\d[\d,]{{0,11}})"


# One a wording; each yields the context's limit and the prompt's length, or a total less the completion.
_ROOMS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # OpenAI, DeepSeek, vLLM, OpenRouter: the rest of the total is messages, functions, tools.
        rf"maximum context length is {_count('limit')} tokens\W+however,? you requested (?:about )?"
        rf"{_count('total')} tokens \([^)]*?{_count('completion')} (?:in|for|of) the (?:completion|output)\)",
        rf"maximum context length is {_count('limit')} tokens and your request has {_count('prompt')} input",
        rf"maximum context length is {_count('limit')} tokens\W+however,? you requested [\d,]+ output tokens"
        rf" and your prompt contains {_count('prompt')} input tokens",
        # SGLang.
        rf"maximum context length of {_count('limit')} tokens\W+you requested a total of [\d,]+ tokens:"
        rf" {_count('prompt')} tokens from the input",
        # Anthropic.
        rf"exceed context limit: {_count('prompt')} \+ [\d,]+ > {_count('limit')}",
        # Text Generation Inference, Together.
        rf"tokens \+ .?max_new_tokens.? must be <= {_count('limit')}\W+given: {_count('prompt')} .?inputs.? tokens",
    )
)


def body_codes(body: Json) -> frozenset[str]:
    """Return every code and type that an error body names, in lower case."""
    found: set[str] = set()
    for part in _errors(body):
        for key in ERROR_CODES:
            value = part.get(key)
            if isinstance(value, str):
                # AWS writes a namespace before a name.
                found.add(value.lower().rpartition("#")[2])
        inner = part.get("innererror")
        if isinstance(inner, dict) and isinstance(inner.get("code"), str):
            found.add(inner["code"].lower())
    return frozenset(found)


def body_param(body: Json) -> str:
    """Return the field of the request that an error body points at, or an empty text."""
    for part in _errors(body):
        value = part.get("param")
        if isinstance(value, str):
            return value
    return ""


def body_message(body: Json) -> str:
    """Return the error text of a body, or an empty one; a gateway's own words, then its provider's."""
    own, *passed_on = _texts(body) or [""]
    return ": ".join([own, *passed_on])


def _texts(body: Json) -> list[str]:
    """The error text of a body and of each error that it passes on, outermost first."""
    own = _text(_own_errors(body))
    raw = _passed_on(body)
    if raw is None:
        return own
    return own + ([raw] if isinstance(raw, str) else _texts(raw))


def _text(parts: list[Mapping[str, Json]]) -> list[str]:
    for part in parts:
        for key in ERROR_TEXTS:
            value = part.get(key)
            if isinstance(value, str) and value.strip():
                return [value]
    return []


def failed_generation(body: Json) -> str:
    """Return what the model wrote that its server took for no call (Groq says it), or an empty text."""
    for part in _errors(body):
        value = part.get("failed_generation")
        if isinstance(value, str):
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
    """The error objects of a body, and those of an error that it passes on."""
    found = _own_errors(body)
    raw = _passed_on(body)
    return found if raw is None or isinstance(raw, str) else found + _errors(raw)


def _own_errors(body: Json) -> list[Mapping[str, Json]]:
    """The nested error object first, then the body itself; some providers wrap both in a list."""
    while isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return []
    inner = body.get("error")
    return [inner, body] if isinstance(inner, dict) else [body]


def _passed_on(body: Json) -> Json:
    """The provider's own error body that OpenRouter keeps in its metadata: JSON, its text, or plain text."""
    for part in _own_errors(body):
        metadata = part.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, dict) else None
        if isinstance(raw, str) and raw.strip():
            return _parsed(raw)
        if isinstance(raw, (dict, list)) and raw:
            return raw
    return None


def _parsed(raw: str) -> Json:
    try:
        held: Json = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    return held if isinstance(held, (dict, list)) else raw


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
