"""Any provider's bytes as JSON: the one decoder, which never raises and says what it had to mend.

A reply that was paid for is not thrown away for a raw newline inside a text, a byte that is no UTF-8, what a
gateway put behind it, or for having come as the stream that nobody asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tournament.records import Json

_LENIENT: Final = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class DecodedBody:
    """A body's JSON, None where it holds none; `mended` names what was read otherwise than JSON's rules say."""

    value: Json
    mended: str = ""


def decode(body: bytes) -> DecodedBody:
    """Return a body as JSON; of the mendings, the least that makes it readable."""
    try:
        return DecodedBody(json.loads(body))
    except (ValueError, RecursionError):
        pass
    text = body.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    mended = "a byte that is no UTF-8" if "\ufffd" in text and not _is_utf8(body) else "a control character"
    if text.startswith(("data:", "event:", ":")):
        return DecodedBody(_streamed(text), "a stream that was not asked for")
    value, end = _first_value(text)
    if value is None:
        return DecodedBody(None)
    return DecodedBody(value, mended if not text[end:].strip() else "text behind the answer")


def _first_value(text: str) -> tuple[Json, int]:
    """The JSON object or list that a text begins with, and where it ends."""
    if not text.startswith(("{", "[")):
        return None, 0
    try:
        return _LENIENT.raw_decode(text)
    except (ValueError, RecursionError):
        return None, 0


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _streamed(text: str) -> Json:
    """The answer that a stream adds up to: a Responses stream says it whole, a chat's is put together."""
    events = list(_events(text))
    for event in reversed(events):
        if isinstance(event.get("response"), Mapping):
            return event["response"]
        if event.get("error"):
            return event
    chunks = [event for event in events if isinstance(event.get("choices"), list)]
    if not chunks or "[DONE]" not in text:
        return None  # half a stream is no reply
    whole = {name: value for chunk in chunks for name, value in chunk.items() if value is not None}
    return {**whole, "object": "chat.completion", "choices": [_choice(chunks)]}


def _events(text: str) -> Iterator[Mapping[str, Any]]:
    for line in text.splitlines():
        if line.startswith("data:"):
            value, _ = _first_value(line[5:].strip())
            if isinstance(value, Mapping):
                yield value


def _choice(chunks: list[Mapping[str, Any]]) -> Mapping[str, Json]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, dict[str, Any]] = {}
    finish = None
    for choice in (chunk["choices"][0] for chunk in chunks if chunk["choices"]):
        if not isinstance(choice, Mapping):
            continue
        finish = choice.get("finish_reason") or finish
        delta = choice.get("delta")
        for name, value in delta.items() if isinstance(delta, Mapping) else ():
            if name == "tool_calls" and isinstance(value, list):
                _add_calls(calls, value)
            elif name != "role" and isinstance(value, str):
                message[name] = (message.get(name) or "") + value
    if calls:
        message["tool_calls"] = [calls[at] for at in sorted(calls)]
    return {"index": 0, "finish_reason": finish, "message": message}


def _add_calls(calls: dict[int, dict[str, Any]], pieces: list[Any]) -> None:
    for place, piece in enumerate(item for item in pieces if isinstance(item, Mapping)):
        at = piece.get("index")
        number = at if isinstance(at, int) else place
        call = calls.setdefault(
            number, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        )
        call["id"] = piece["id"] if isinstance(piece.get("id"), str) else call["id"]
        function = piece.get("function")
        for name in ("name", "arguments"):
            if isinstance(function, Mapping) and isinstance(function.get(name), str):
                call["function"][name] += function[name]
