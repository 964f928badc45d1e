"""Scripted replies for the mock: a JSON list of rules, each with what it answers.

A rule looks at the conversation alone. The first one that fits is played; a conversation that none fits
is answered with a text that says so, which the harness corrects like any reply without a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agents.routes.mock.model import MockReply
from tournament.errors import InputError
from tournament.foreign_text import one_line
from tournament.records import Json

SCRIPT_BYTES = 16_000_000
FAULT_CHARACTERS = 300


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class When(_Strict):
    """What a conversation must be like; what is left out fits any."""

    reply: int | None = Field(default=None, ge=1, description="number of the reply in its window")
    says: str | None = Field(default=None, description="pattern found in the window's first user message")
    last: str | None = Field(default=None, description="pattern found in the last message")


class ScriptedCall(_Strict):
    """A tool call; arguments are an object, or text that is json_response as it is."""

    name: str
    arguments: dict[str, Json] | str = Field(default_factory=dict)


class ScriptedReply(_Strict):
    """A reply and when it is given; `body` is a whole response body, `message` fields beside content."""

    when: When = Field(default_factory=When)
    text: str = ""
    calls: list[ScriptedCall] = Field(default_factory=list)
    finish: str = ""
    message: dict[str, Json] = Field(default_factory=dict)
    body: dict[str, Json] | None = None


_SCRIPT: TypeAdapter[list[ScriptedReply]] = TypeAdapter(list[ScriptedReply])


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedModel:
    """Says what the first fitting rule says."""

    rules: tuple[ScriptedReply, ...]

    async def __call__(
        self, messages: Sequence[Mapping[str, Json]], tools: Sequence[Mapping[str, Json]]
    ) -> MockReply:
        for rule in self.rules:
            if _fits(rule.when, messages):
                return _mock_reply(rule)
        return MockReply(text="The script has no reply for this conversation.")


def read_script(file: Path | None) -> ScriptedModel:
    """Return the script of a JSON file; raises InputError naming file and place."""
    if file is None:
        raise InputError("the model mock/script needs a script: `mock: {script: FILE}`")
    try:
        rules = _SCRIPT.validate_python(json.loads(_text(file)))
        for rule in rules:
            for pattern in (rule.when.says, rule.when.last):
                re.compile(pattern or "")
    except OSError as fault:
        raise InputError(f"cannot be read: {fault.strerror}", file=file) from None
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(
            one_line(first["msg"], FAULT_CHARACTERS), file=file, field=one_line(place, FAULT_CHARACTERS)
        ) from None
    except (ValueError, re.error) as fault:
        raise InputError(f"no script: {one_line(str(fault), FAULT_CHARACTERS)}", file=file) from None
    return ScriptedModel(rules=tuple(rules))


def _text(file: Path) -> str:
    with file.open("rb") as stream:
        content = stream.read(SCRIPT_BYTES + 1)
    if len(content) > SCRIPT_BYTES:
        raise ValueError(f"it is larger than {SCRIPT_BYTES:,} bytes")
    return content.decode("utf-8-sig")


def _fits(when: When, messages: Sequence[Mapping[str, Json]]) -> bool:
    replies = sum(message["role"] == "assistant" for message in messages)
    if when.reply is not None and when.reply != 1 + replies:
        return False
    first = next((message for message in messages if message["role"] == "user"), None)
    return _matches(when.says, first) and _matches(when.last, messages[-1] if messages else None)


def _matches(pattern: str | None, message: Mapping[str, Json] | None) -> bool:
    if pattern is None:
        return True
    content: Any = message["content"] if message is not None else ""
    return re.search(pattern, content if isinstance(content, str) else json.dumps(content)) is not None


def _mock_reply(rule: ScriptedReply) -> MockReply:
    calls = tuple(
        (call.name, call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments))
        for call in rule.calls
    )
    return MockReply(text=rule.text, calls=calls, finish=rule.finish, extra=rule.message, body=rule.body)
