"""Chat completions as server-sent events, whole or broken off, for clients that stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from agents.routes.mock.faults import Body, MockResponse
from tournament.records import Json

HEADERS: Final = {"Content-Type": "text/event-stream"}
DONE: Final = b"data: [DONE]\n\n"


def streamed(answer: MockResponse) -> MockResponse:
    """Return an answer as a stream; one that is no completion stays as it is."""
    try:
        body = json.loads(answer.body)
    except ValueError:
        return answer
    if not body["choices"]:
        return replace(answer, headers=HEADERS, body=DONE)
    return replace(answer, headers=HEADERS, body=b"".join(map(_event, _chunks(body))) + DONE)


def cut_stream(body: Body) -> MockResponse:
    """Return a stream that breaks off before its finish reason, without a word."""
    first = next(_chunks(body))
    event = _event(first)
    return MockResponse(headers=HEADERS, body=event, missing=len(event))


def _event(chunk: Mapping[str, Json]) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()


def _chunks(body: Body) -> Iterator[dict[str, Json]]:
    """The message first, call by call, then the finish reason, then the usage."""
    choice = body["choices"][0]
    calls = choice["message"].get("tool_calls", [])
    plain = {key: value for key, value in choice["message"].items() if key != "tool_calls"}
    yield _chunk(body, [{"index": 0, "delta": plain, "finish_reason": None}])
    for at, call in enumerate(calls):
        delta = {"tool_calls": [{"index": at, **call}]}
        yield _chunk(body, [{"index": 0, "delta": delta, "finish_reason": None}])
    yield _chunk(body, [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
    if "usage" in body:
        yield {**_chunk(body, []), "usage": body["usage"]}


def _chunk(body: Body, choices: list[Json]) -> dict[str, Json]:
    head = {name: body[name] for name in ("id", "created", "model")}
    return {**head, "object": "chat.completion.chunk", "choices": choices}
