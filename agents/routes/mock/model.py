"""A model that is none: a pure function from the request's body and a seed to a chat completion.

It plays a script's replies or a policy that acts in tool calls, in this process or behind
`tournament mock-provider`, by the same code. Call ids, response ids and token counts are derived from
the body's hash, so that a run that was killed and resumed buys the same replies as one that was not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from tournament.records import Json

BYTES_PER_TOKEN: Final = 4
MAX_REASONING: Final = 64
NO_CEILING: Final = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class MockReply:
    """One reply of a mock model: text, calls as (name, arguments as text), and how it ends.

    `extra` is put into the message as it is (a refusal, reasoning); `body`, where given, is the whole
    response body instead.
    """

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    finish: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)
    body: Mapping[str, Json] | None = None


class MockBackend(Protocol):
    """What makes a mock model's replies."""

    async def __call__(
        self, messages: Sequence[Mapping[str, Json]], tools: Sequence[Mapping[str, Json]]
    ) -> MockReply:
        """Return the next reply of a conversation with these tools; nothing else may decide on it."""
        ...


def body_hash(body: Mapping[str, Json]) -> str:
    """Return the SHA-256 (hex) of a request's body, whatever the order of its keys."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def derived(*parts: str | int) -> str:
    """Return a hex name derived from parts: ids, and draws that must not depend on the order of requests."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()


def draw(*parts: str | int) -> float:
    """Return a number in [0, 1) derived from parts."""
    return int(derived(*parts)[:13], 16) / 16.0**13


def ceiling_of(body: Mapping[str, Json]) -> int:
    """Return the most tokens that a request's body asks for; a large number where it does not say."""
    ceiling = body.get("max_completion_tokens") or body.get("max_tokens")
    return ceiling if isinstance(ceiling, int) else NO_CEILING


async def completion(backend: MockBackend, body: Mapping[str, Json], *, seed: int) -> dict[str, Json]:
    """Return the chat completion that answers a request's body."""
    reply = await backend(body["messages"], body.get("tools") or ())
    if reply.body is not None:
        return dict(reply.body)
    key = body_hash(body)
    message: dict[str, Json] = {"role": "assistant", "content": reply.text or None, **reply.extra}
    if reply.calls:
        message["tool_calls"] = [_call(derived(key, seed, at), *call) for at, call in enumerate(reply.calls)]
    usage = _usage(key, seed, body, message)
    cut = usage["completion_tokens"] > ceiling_of(body)
    finish = reply.finish or ("length" if cut else "tool_calls" if reply.calls else "stop")
    return {
        "id": f"mock-{derived(key, seed)[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": usage,
    }


def _call(name_of_id: str, name: str, arguments: str) -> dict[str, Json]:
    return {
        "id": f"call_{name_of_id[:24]}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _usage(key: str, seed: int, body: Mapping[str, Json], message: Mapping[str, Json]) -> dict[str, Any]:
    prompt = mock_tokens(json.dumps(body))
    reasoning = int(draw(key, seed, "reasoning") * MAX_REASONING)
    generated = mock_tokens(json.dumps(message)) + reasoning
    return {
        "prompt_tokens": prompt,
        "completion_tokens": generated,
        "total_tokens": prompt + generated,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def mock_tokens(text: str) -> int:
    """Return a mock's count of tokens: four bytes each."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
