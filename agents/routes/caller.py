"""One request through litellm: what is sent, what came back, and whose fault it is if nothing did.

The call runs as a task of its own, so that our cancellation is ours whatever the library makes of it,
and so that no exception of a foreign library needs a net: a finished task says what it raised. The
verdict rests on the exchange that the transport saw, not on the exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import httpx

from agents.routes import chat, messages, responses
from agents.routes.asked import Fault, fault_of, transport
from agents.routes.entry import RouteEntry
from agents.routes.faults import body_codes, body_delay, body_message, classify
from agents.routes.library import litellm, unlogged
from agents.routes.limiter import Clock
from agents.routes.reply import Reader, excerpt, refused_reply
from agents.routes.wire import Exchange, watching
from tournament.records import Json, ModelReply, ModelRequest

TRANSPORTS: Final[Mapping[str, ModuleType]] = {
    "chat": chat,
    "responses": responses,
    "messages": messages,
}
# How long a cancelled call may take to let go of its connection.
LETTING_GO_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteLLMCaller:
    """Asks the provider of one entry."""

    entry: RouteEntry
    reader: Reader
    clock: Clock
    keys: Mapping[str, str]

    async def ask(self, request: ModelRequest, number: int) -> ModelReply:
        speech = TRANSPORTS[self.entry.transport]
        arguments = encodable({**speech.arguments(self.entry, request), **self._connection()})
        begun = self.clock.now()
        with watching() as exchange, unlogged():
            task = asyncio.create_task(getattr(litellm(), speech.FUNCTION)(**arguments))
            finished = await _finished(task, self.entry.limits.timeouts.total_seconds)
        seconds = self.clock.now() - begun
        if not finished:
            allowed = self.entry.limits.timeouts.total_seconds
            raise transport("timeout", f"no complete answer in {allowed:g} s", cost_usd=None)
        if task.cancelled():
            raise transport("connection", "the call was cut off", cost_usd=None)
        fault = task.exception()
        if fault is not None or _is_error(exchange):
            return self._failed(exchange, fault, request, seconds)
        return self.reader.reply(
            speech.answer(task.result(), exchange.parsed), seconds=seconds, body=exchange.body
        )

    def _connection(self) -> dict[str, Any]:
        limits = self.entry.limits.timeouts
        connection: dict[str, Any] = {
            "model": self.entry.model,
            "timeout": httpx.Timeout(limits.silence_seconds, connect=limits.connect_seconds),
            "max_retries": 0,
            "num_retries": 0,
            "drop_params": False,
            "caching": False,
            **dict(self.entry.settings.items()),
            **self.keys,
        }
        if self.entry.api_base is not None:
            connection["api_base"] = self.entry.api_base
            if not self.keys:
                # A server that asks for no key is still sent one by the client libraries.
                connection["api_key"] = "none"
        return connection

    def _failed(
        self, exchange: Exchange, fault: BaseException | None, request: ModelRequest, seconds: float
    ) -> ModelReply:
        if not exchange.sent:
            raise _never_sent(fault)
        if exchange.error:
            late = "Timeout" in exchange.error
            raise transport(
                "timeout" if late else "connection",
                exchange.error,
                status=exchange.status,
                cost_usd=None if late or exchange.status is not None else 0.0,
            )
        if exchange.status is None:
            raise fault_of("harness", "request_not_sent", _words(fault))
        status, body = _error_of(exchange)
        if 200 <= status < 300:
            raise self._unreadable(exchange, fault)
        return self._refused(exchange, status, body, request, seconds)

    def _refused(
        self, exchange: Exchange, status: int, body: Json, request: ModelRequest, seconds: float
    ) -> ModelReply:
        """An error answer: a fault, or what of it is the model's own doing."""
        message = body_message(body) or excerpt(exchange.body)
        verdict = classify(status, body_codes(body), message)
        if verdict.kind == "content_filter":
            rule = "refused before anything was generated"
            return refused_reply(self.entry, "content_filter", generated=0, rule=rule, seconds=seconds)
        if verdict.kind == "length":
            rule = "the output limit was reached: counted at the request's ceiling"
            ceiling = min(request.max_tokens, self.entry.ceiling)
            return refused_reply(self.entry, "length", generated=ceiling, rule=rule, seconds=seconds)
        raise Fault(
            verdict,
            message,
            status=exchange.status,
            retry_after=_retry_after(exchange) or body_delay(body),
        )

    def _unreadable(self, exchange: Exchange, fault: BaseException | None) -> Fault:
        """A good status whose body litellm did not take: cut or no JSON at all, or beyond the adapter."""
        parsed = exchange.parsed
        if not isinstance(parsed, dict):
            detail = f"no JSON object: {excerpt(exchange.body)}"
            return transport("malformed_body", detail, status=exchange.status, cost_usd=None)
        if "choices" in parsed and not parsed["choices"]:
            return transport("no_choices", excerpt(exchange.body), status=exchange.status, cost_usd=None)
        detail = f"the adapter cannot read the provider's answer ({_words(fault)}): {excerpt(exchange.body)}"
        return fault_of("harness", "unreadable_answer", detail, status=exchange.status)


async def _finished(task: asyncio.Task[Any], seconds: float) -> bool:
    """Wait for a call; whether it ended by itself. A call that is given up, by us or by time, is cancelled."""
    task.add_done_callback(_seen)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        return bool(done)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=LETTING_GO_SECONDS)


def _seen(task: asyncio.Task[Any]) -> None:
    """A given-up call's exception is nobody's: fetch it, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()


def _never_sent(fault: BaseException | None) -> Fault:
    """No request left the machine: the operator's settings, or our own request."""
    status = getattr(fault, "status_code", None)
    name = type(fault).__name__
    if status in {401, 403, 404} or name in {"UnsupportedParamsError", "AuthenticationError"}:
        return fault_of("configuration", "not_sent", _words(fault))
    if "LLM Provider NOT provided" in str(fault) or "Credentials" in name:
        return fault_of("configuration", "not_sent", _words(fault))
    return fault_of("harness", "not_sent", f"no request left the machine: {_words(fault)}")


def _is_error(exchange: Exchange) -> bool:
    """Tell an error answer that litellm made a reply of, and a reply that no request was seen for."""
    return not exchange.answered or not 200 <= _error_of(exchange)[0] < 300


def _error_of(exchange: Exchange) -> tuple[int, Json]:
    """Return the status that an answer means: an error object under status 200 has its own code."""
    assert exchange.status is not None
    body = exchange.parsed
    named = body["error"] if isinstance(body, dict) and "error" in body else None
    if not named or not 200 <= exchange.status < 300 or _holds_reply(body):
        return exchange.status, body
    code = named.get("code") if isinstance(named, dict) else None
    digits = int(code) if isinstance(code, (int, str)) and str(code).isdigit() else 0
    return (digits if 400 <= digits < 600 else 500), body


def _holds_reply(body: Mapping[str, Json]) -> bool:
    return any(body.get(place) for place in ("choices", "content", "candidates")) or (
        body.get("status") in {"completed", "incomplete"}
    )


def _retry_after(exchange: Exchange) -> str | None:
    milliseconds = exchange.headers.get("retry-after-ms")
    if milliseconds is not None and milliseconds.strip().isdigit():
        return str(int(milliseconds[:12]) / 1000.0)
    waited: str | None = exchange.headers.get("retry-after")
    return waited


def _words(fault: BaseException | None) -> str:
    """The first line of what a library said: the rest are its own traces."""
    if fault is None:
        return "no exception"
    lines = str(fault).strip().splitlines()
    return f"{type(fault).__name__}: {lines[0][:300]}" if lines else type(fault).__name__


def encodable(value: Any) -> Any:
    """Return a JSON value whose texts can be sent: a lone surrogate becomes U+FFFD."""
    if isinstance(value, str):
        return (
            value
            if _is_encodable(value)
            else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, dict):
        return {key: encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [encodable(item) for item in value]
    return value


def _is_encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
