"""What play watches for in each seat's replies: prompts that a server cuts in silence, and calls that come as text.

Some servers cut what exceeds their context behind a 200 and a normal finish: the model plays on without its
rules, and the count of prompt tokens alone tells. No tokenizer is needed to see it: text that takes eight bytes a
token is not written here, and within a window the bytes a token hardly change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.routes.adapter.reply import calls_of
from agents.text_calls import is_call_as_text
from tournament.records import Json, ModelReply, ModelRequest

# Prose and JSON take four bytes a token or so: a count of less than half of that is not of the whole prompt.
MOST_BYTES_PER_TOKEN: Final = 8
# Of the tokens a byte that a window's first reply was counted at, what its later ones keep at the least.
LEAST_SHARE: Final = 0.6
# In a row, so that one odd count stops nobody.
SHORT_COUNTS: Final = 2
TEXT_CALLS: Final = 8


@dataclass(slots=True)
class _Seat:
    """One seat so far: its window, the tokens a byte of that window's first reply, and what was odd in a row."""

    window: str = ""
    tokens_per_byte: float = 0.0
    short: int = 0
    text_calls: int = 0


@dataclass(slots=True)
class ReplyWatch:
    """Watches the replies of one route's seats; `allowed` is what the study plays on with."""

    allowed: frozenset[str] = frozenset()
    _seats: dict[str, _Seat] = field(default_factory=dict)

    def fault(self, request: ModelRequest, reply: ModelReply) -> str:
        """Take in one reply; return what stops the route, or an empty text."""
        window = request.label.partition(" reply ")[0]
        name = window.partition(" window ")[0]
        seat = self._seats.setdefault(name, _Seat())
        if seat.window != window:
            seat.window, seat.tokens_per_byte = window, 0.0
        cut = self._cut(seat, request, reply)
        text_calls = self._text_calls(seat, reply)
        found = [("cut_prompts", cut), ("text_calls", text_calls)]
        told = next((text for what, text in found if text and what not in self.allowed), "")
        return f"{name}: {told}" if told else ""

    def _cut(self, seat: _Seat, request: ModelRequest, reply: ModelReply) -> str:
        sent = readable_bytes(request)
        # No prompt has no tokens: a zero is a count that is missing.
        if not reply.usage.prompt:
            return ""
        seat.tokens_per_byte = seat.tokens_per_byte or reply.usage.prompt / sent
        wrong = short_count(reply.usage.prompt, sent, seat.tokens_per_byte * LEAST_SHARE)
        seat.short = seat.short + 1 if wrong else 0
        if seat.short < SHORT_COUNTS:
            return ""
        return f"{wrong}; raise the server's context, or `allow: [cut_prompts]`"

    def _text_calls(self, seat: _Seat, reply: ModelReply) -> str:
        seat.text_calls = seat.text_calls + 1 if writes_call_as_text(reply.message) else 0
        if seat.text_calls < TEXT_CALLS:
            return ""
        return (
            f"{TEXT_CALLS} replies in a row wrote their tool calls as text: the server does not parse this model's"
            " calls; mend its tool parser or template, or `allow: [text_calls]`"
        )


def short_count(told: int, sent_bytes: int, tokens_per_byte: float = 0.0) -> str:
    """Say that a count of prompt tokens is too short for what was sent; empty where it is not."""
    least = int(sent_bytes * max(1 / MOST_BYTES_PER_TOKEN, tokens_per_byte))
    if told >= least:
        return ""
    return (
        f"the provider counted {told} prompt tokens of {sent_bytes} bytes sent, which are {least} tokens at the"
        " least: the prompt was cut in silence"
    )


def readable_bytes(request: ModelRequest) -> int:
    """Return the bytes of a request that a model reads in any case: texts, calls and tools, no reasoning, which
    providers may leave out of earlier turns."""
    said: list[Json] = [
        [
            message.get("content"),
            [call.get("function") for call in calls_of(message) if isinstance(call, dict)],
        ]
        for message in request.messages
    ]
    tools: Sequence[Mapping[str, Json]] = request.tools
    text = json.dumps([*said, *tools], ensure_ascii=False)
    return len(text.encode("utf-8", errors="surrogatepass"))


def writes_call_as_text(message: Mapping[str, Json]) -> bool:
    """Tell a message that calls nothing and whose text looks like a call."""
    content = message.get("content")
    return not calls_of(message) and isinstance(content, str) and is_call_as_text(content)
