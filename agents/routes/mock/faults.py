"""Every fault of the field on demand: what a mock provider answers instead of, or with, its reply.

Faults of the wire depend on the seed, the body's hash and the number of the attempt, so that asking
again mends them. Faults of behaviour depend on seed and body alone, for they change what a
conversation is: however often it is sent, the same request gets the same reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Final

from agents.routes.mock.model import draw
from tournament.errors import InputError
from tournament.records import Json

JSON_HEADERS: Final = {"Content-Type": "application/json"}
HTML_HEADERS: Final = {"Content-Type": "text/html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MockResponse:
    """An answer as it goes over the wire.

    `missing` bytes are announced and never come; `drop` closes without a word, `reset` tears the connection
    down; `delay` is in seconds.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: dict(JSON_HEADERS))
    body: bytes = b""
    missing: int = 0
    drop: bool = False
    reset: bool = False
    delay: float = 0.0


Body = dict[str, Json]
# Takes the plain reply's body and the ceiling that was asked for.
Make = Callable[[Body, int], MockResponse]


def json_response(body: Json, status: int = 200, **headers: str) -> MockResponse:
    """Return a JSON answer; a header's underscores become dashes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return MockResponse(status=status, headers={**JSON_HEADERS, **named}, body=json.dumps(body).encode())


def _error(status: int, message: str, code: str | None = None, **headers: str) -> Make:
    error = {"message": message, "type": code or "error", "code": code}
    return lambda *_: json_response({"error": error}, status, **headers)


def _page(status: int, title: str) -> Make:
    return lambda *_: MockResponse(
        status=status, headers=HTML_HEADERS, body=f"<html><h1>{status} {title}</h1></html>".encode()
    )


def _body(change: Callable[[Body], None]) -> Make:
    def make(body: Body, _: int) -> MockResponse:
        changed: Body = json.loads(json.dumps(body))
        change(changed)
        return json_response(changed)

    return make


def _choice(**fields: Json) -> Make:
    return _body(lambda body: body["choices"][0].update(fields))


def _message(finish: str, **fields: Json) -> Make:
    message = {"role": "assistant", "content": None, **fields}
    return _body(lambda body: body["choices"][0].update(finish_reason=finish, message=message))


def _usage(**fields: Json) -> Make:
    return _body(lambda body: body["usage"].update(fields))


def _date(seconds: float) -> Make:
    def make(*_: object) -> MockResponse:
        moment = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
        return json_response({"error": {"message": "slow down"}}, 429, Retry_After=moment)

    return make


def _outside(body: Body) -> None:
    usage = body["usage"]
    reasoning = usage["completion_tokens_details"]["reasoning_tokens"]
    usage["completion_tokens"] -= reasoning


def _nothing_generated(finish: str, content: str | None) -> Make:
    def change(body: Body) -> None:
        prompt = body["usage"]["prompt_tokens"]
        body["choices"][0].update(finish_reason=finish, message={"role": "assistant", "content": content})
        body["usage"] = {"prompt_tokens": prompt, "completion_tokens": 0, "total_tokens": prompt}

    return _body(change)


def _cut_calls(body: Body) -> None:
    body["choices"][0]["finish_reason"] = "length"
    for call in body["choices"][0]["message"].get("tool_calls", []):
        call["function"]["arguments"] = call["function"]["arguments"][:-2]


def _at_ceiling(body: Body, ceiling: int) -> MockResponse:
    """A reply whose calls look whole, and whose count says that the ceiling cut it."""
    usage = {**body["usage"], "completion_tokens": ceiling}
    return json_response({**body, "usage": {**usage, "total_tokens": usage["prompt_tokens"] + ceiling}})


def _with_note(note: bytes) -> Make:
    """Add a field of a gateway's own, whose text is not JSON's or not UTF-8's."""

    def make(body: Body, _: int) -> MockResponse:
        return MockResponse(body=b'{"note": "' + note + b'", ' + json.dumps(body).encode()[1:])

    return make


def _without_content(body: Body) -> None:
    message = body["choices"][0]["message"]
    if message.get("tool_calls"):
        del message["content"]


def _listed(body: Body) -> None:
    message = body["choices"][0]["message"]
    message["content"] = [{"type": "text", "text": message["content"] or "done"}]


SLOW: Final = "slow down"
OVERLOADED: Final[Body] = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
WIRE: Final[Mapping[str, Make]] = {
    "rate_limit": _error(429, SLOW, "rate_limit_exceeded", Retry_After="0.05"),
    "rate_limit_bare": _error(429, SLOW),
    "rate_limit_date": _date(1.0),
    "rate_limit_past": _error(429, SLOW, Retry_After="Thu, 01 Jan 1998 00:00:00 GMT"),
    "rate_limit_negative": _error(429, SLOW, Retry_After="-5"),
    "rate_limit_nan": _error(429, SLOW, Retry_After="nan"),
    "rate_limit_absurd": _error(429, SLOW, Retry_After="9" * 400),
    "server_error": _error(500, "internal error", "server_error"),
    "bad_gateway": _page(502, "Bad Gateway"),
    "unavailable": _error(503, "try again", Retry_After="0.05"),
    "gateway_timeout": _page(504, "Gateway Time-out"),
    "overloaded": _error(529, "overloaded", "overloaded_error"),
    "cut_body": lambda body, _: MockResponse(body=json.dumps(body).encode()[:40], missing=4000),
    "half_json": lambda body, _: MockResponse(body=json.dumps(body).encode()[:-9]),
    "empty_body": lambda *_: MockResponse(),
    "html_body": _page(200, "Busy"),
    "blank": _nothing_generated("stop", ""),
    "no_choices": _body(lambda body: body.update(choices=[])),
    "finish_error": _nothing_generated("error", None),
    "inner_error": _choice(error={"code": 502, "message": "upstream error"}, finish_reason="stop"),
    "overloaded_ok": lambda *_: json_response(OVERLOADED),
    "overloaded_request": lambda *_: json_response(OVERLOADED, 400),
    "drop": lambda *_: MockResponse(drop=True),
    "reset": lambda *_: MockResponse(reset=True),
    "slow": lambda body, _: replace(json_response(body), delay=1.0),
    "quota": _error(429, "quota used up", "insufficient_quota"),
    "payment": _error(402, "Insufficient credits"),
    "unauthorized": _error(401, "invalid api key", "invalid_api_key"),
    "forbidden": _error(403, "not allowed"),
    "unknown_model": _error(404, "no such model", "model_not_found"),
    "too_large": _page(413, "Request Entity Too Large"),
    "bad_request": _error(400, "could not parse the request"),
    "unsupported_parameter": _error(400, "'max_tokens' cannot be used here", "unsupported_parameter"),
    "wrong_model": _body(lambda body: body.update(model="another-model")),
    "no_model": _body(lambda body: body.update(model=None)),
}
BEHAVIOUR: Final[Mapping[str, Make]] = {
    "list_content": _body(_listed),
    "no_usage": _body(lambda body: body.pop("usage")),
    "zero_usage": _usage(prompt_tokens=0, completion_tokens=0, total_tokens=0),
    "negative_usage": _usage(completion_tokens=-1),
    "reasoning_outside": _body(_outside),
    "finish_null": _choice(finish_reason=None),
    "finish_stop": _choice(finish_reason="stop"),
    "no_content": _body(_without_content),
    "raw_newline": _with_note(b"one\ntwo"),
    "bad_bytes": _with_note(b"one\xfftwo"),
    "length": _body(_cut_calls),
    "ceiling": _at_ceiling,
    "malformed_call": _message("MALFORMED_FUNCTION_CALL"),
    "refusal": _message("stop", refusal="I cannot help with that."),
    "text_call": _message("stop", content='<tool_call>{"name": "seal_decision"}</tool_call>'),
    "filtered": _message("content_filter"),
    "null_message": _choice(finish_reason="content_filter: PROHIBITED", message=None),
    "content_filter": _error(400, "content management policy", "content_filter"),
    "context_overflow": _error(400, "maximum context length exceeded", "context_length_exceeded"),
}
# What a bare rate spreads over: everything that asking again mends, none of it slow.
PASSING: Final = (
    "rate_limit",
    "server_error",
    "bad_gateway",
    "unavailable",
    "gateway_timeout",
    "overloaded",
    "cut_body",
    "half_json",
    "empty_body",
    "blank",
    "no_choices",
    "finish_error",
    "inner_error",
    "overloaded_ok",
    "overloaded_request",
    "drop",
    "reset",
)
# NAME, NAME:RATE, NAME@ATTEMPT, NAME@ATTEMPT:RATE, or a bare rate.
_ITEM: Final = re.compile(r"(?P<name>[a-z_]+)(@(?P<attempt>\d+))?(:(?P<rate>[0-9.]+))?|(?P<all>[0-9.]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedFault:
    """One fault with its rate; `attempt` limits it to that attempt."""

    name: str
    rate: float
    attempt: int | None = None


def parse_faults(text: str) -> tuple[InjectedFault, ...]:
    """Read a list of faults: `0.02` (passing ones), `NAME`, `NAME:RATE`, `NAME@ATTEMPT`, joined by commas."""
    found: list[InjectedFault] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        match = _ITEM.fullmatch(word)
        if match is None:
            raise InputError(f"{word!r} is no fault; write a rate, NAME, NAME:RATE or NAME@ATTEMPT")
        if match["all"]:
            share = _rate(match["all"]) / len(PASSING)
            found += [InjectedFault(name=name, rate=share) for name in PASSING]
            continue
        if match["name"] not in WIRE and match["name"] not in BEHAVIOUR:
            known = ", ".join(sorted([*WIRE, *BEHAVIOUR]))
            raise InputError(f"unknown fault {match['name']!r}; known: {known}")
        found.append(
            InjectedFault(
                name=match["name"],
                rate=_rate(match["rate"] or "1"),
                attempt=int(match["attempt"]) if match["attempt"] else None,
            )
        )
    return tuple(found)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        raise InputError(f"{text!r} is no rate") from None
    if not 0.0 <= rate <= 1.0:
        raise InputError(f"a rate lies between 0 and 1, not at {text}")
    return rate


def draw_fault(faults: tuple[InjectedFault, ...], *, key: str, seed: int, attempt: int) -> str | None:
    """Return the fault of one attempt, or None: pure in seed, body hash and attempt."""
    passed = {True: 0.0, False: 0.0}
    draws = {True: draw(key, seed, "wire", attempt), False: draw(key, seed, "behaviour")}
    for fault in faults:
        wire = fault.name in WIRE
        if fault.attempt is not None and fault.attempt != attempt:
            continue
        passed[wire] += fault.rate
        if draws[wire] < passed[wire]:
            return fault.name
    return None


def respond(name: str | None, body: Body, ceiling: int) -> MockResponse:
    """Return the answer under a fault, or the plain one, to a request that asked for `ceiling` tokens at most."""
    if name is None:
        return json_response(body)
    return (WIRE[name] if name in WIRE else BEHAVIOUR[name])(body, ceiling)
