"""One request through litellm: what is sent, what came back, and why if nothing did.

The call runs as a task of its own, so that our cancellation is ours whatever the library makes of it,
and so that no exception of a foreign library needs a net: a finished task keeps what it raised. The
classification rests on the exchange that the transport saw, not on the exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

import httpx

from agents.routes.adapter import chat, messages, responses
from agents.routes.adapter.library import litellm, unlogged
from agents.routes.adapter.reply import ReplyReader, names_a_counted_end
from agents.routes.adapter.unstreamed import unstreamed
from agents.routes.adapter.wire import record_exchange
from agents.routes.entry import RouteEntry
from agents.routes.errors.attempt import attempt_error
from agents.routes.errors.response import classify_response, is_error
from agents.routes.limiter import Clock
from agents.routes.prompt_marks import with_marks
from tournament.records import Json, ModelReply, ModelRequest

TRANSPORTS: Final[Mapping[str, ModuleType]] = {
    "chat": chat,
    "responses": responses,
    "messages": messages,
}
# How long a cancelled call may take to let go of its connection.
CANCEL_GRACE: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteLLMCaller:
    """Asks the provider of one entry."""

    entry: RouteEntry
    reader: ReplyReader
    clock: Clock
    keys: Mapping[str, str] = field(repr=False)

    async def send(self, request: ModelRequest, number: int) -> ModelReply:
        transport = TRANSPORTS[self.entry.transport]
        said = with_marks(self.entry, transport.arguments(self.entry, request))
        arguments = encodable({**unstreamed(self.entry, said), **self._connection()})
        begun = self.clock.now()
        with record_exchange() as exchange, unlogged():
            task = asyncio.create_task(getattr(litellm(), transport.FUNCTION)(**arguments))
            finished = await _wait_or_cancel(task, self.entry.limits.timeouts.total_seconds)
        seconds = self.clock.now() - begun
        if not finished:
            allowed = self.entry.limits.timeouts.total_seconds
            raise attempt_error("transport", "timeout", f"no complete answer in {allowed:g} s", cost_usd=None)
        if task.cancelled():
            raise attempt_error("transport", "connection", "the call was cut off", cost_usd=None)
        error = task.exception()
        parsed = exchange.parsed
        ceiling = min(request.max_tokens, self.entry.ceiling)
        if is_error(exchange) or (error is not None and not _is_readable(transport, parsed)):
            return classify_response(
                exchange, error, ceiling=ceiling, seconds=seconds, price=self.reader.price_of
            )
        # Where litellm stumbles over a field beside the message, the message is there all the same.
        answer = transport.answer(task.result() if error is None else parsed, parsed)
        return self.reader.reply(answer, seconds=seconds, body=exchange.body, ceiling=ceiling, raw=parsed)

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
                # A server that needs no key is still sent one by the client libraries.
                connection["api_key"] = "none"
        return connection


def _is_readable(transport: ModuleType, parsed: Json) -> bool:
    """Tell whether a body can be read without litellm: a message, or an end that counts without one."""
    if transport is chat and chat.has_message(parsed):
        return True
    answer = transport.answer(parsed, parsed)
    return answer.error or (answer.reported and names_a_counted_end(answer.words))


async def _wait_or_cancel(task: asyncio.Task[Any], seconds: float) -> bool:
    """Wait for a call; whether it ended by itself. A call that is given up, by us or by time, is cancelled."""
    task.add_done_callback(_retrieve_exception)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        return bool(done)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=CANCEL_GRACE)


def _retrieve_exception(task: asyncio.Task[Any]) -> None:
    """A given-up call's exception is nobody's: fetch it, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()


def encodable(value: Any) -> Any:
    """Return a JSON value whose texts can be sent: a lone surrogate becomes U+FFFD."""
    if isinstance(value, str):
        if value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value):
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {key: encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [encodable(item) for item in value]
    return value
