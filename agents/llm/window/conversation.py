"""The forms in which a window's conversation is sent: as given, or rebuilt more safely after a refusal.

Three rebuilt forms, each safer than the one before: `plain` keeps texts and calls and drops every field that
is a vendor's own; `text` says calls and results in words; `fresh` begins anew with one message that tells
what was done so far. Pure functions of the messages, so that a resumed window is rebuilt alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agents.llm import wording
from agents.llm.text import brief, to_json
from agents.llm.tools.calls import EMPTY_REPLY, plain_text, short_id
from tournament.records import Decision, Json

Message = Mapping[str, Json]
GIVEN: Final = "given"
PLAIN: Final = "plain"
TEXT: Final = "text"
FRESH: Final = "fresh"
FORMS: Final = (GIVEN, PLAIN, TEXT, FRESH)
# Of what is retold in words: one call or result, and all that a fresh conversation begins with.
_RETOLD: Final = 4000
_SUMMARY: Final = 24_000


def next_form(form: str, messages: Sequence[Message]) -> str | None:
    """Return the next safer form of a conversation; None where there is none, or no turn of the model's in it."""
    if not any(message["role"] == "assistant" for message in messages):
        return None
    later = FORMS[FORMS.index(form) + 1 :]
    return later[0] if later else None


def form_of_next_window(form: str) -> str:
    """Return the form that a next window begins with: what one conversation needed, the next one will."""
    return TEXT if form == FRESH else form


def in_form(form: str, message: Message) -> Message:
    """Return one message as a conversation of this form holds it."""
    if form == GIVEN or message["role"] in ("system", "user"):
        return message
    if form == PLAIN:
        return _plain(message)
    return _in_words(message)


def joins(form: str, before: Message, message: Message) -> bool:
    """Tell whether a message is a part of the turn before it: in words, results are one user's turn."""
    return form in (TEXT, FRESH) and before["role"] == message["role"] != "system"


def joined(before: Message, message: Message) -> Message:
    return {"role": before["role"], "content": f"{before['content']}\n\n{message['content']}"}


def fresh(messages: Sequence[Message], draft: Decision) -> Sequence[Message]:
    """Return a new conversation: its rules and first message as they were, and what was done since, in words."""
    system, first, *since = messages
    said = "\n\n".join(_speaker(message) for message in map(_in_words, since))
    if len(said) > _SUMMARY:
        said = f"[…]\n{said[-_SUMMARY:]}"
    state = wording.FRESH_START.format(said=said, draft=to_json(draft))
    return (system, {"role": "user", "content": f"{first['content']}\n\n{state}"})


def _speaker(message: Message) -> str:
    name = "You" if message["role"] == "assistant" else "Harness"
    return f"{name}: {message['content']}"


def _plain(message: Message) -> Message:
    if message["role"] == "tool":
        return {
            "role": "tool",
            "tool_call_id": short_id(message["tool_call_id"]),
            "content": message["content"],
        }
    text = plain_text(message)
    calls = _calls(message)
    if not calls:
        return {"role": "assistant", "content": text if text.strip() else EMPTY_REPLY}
    plain = [
        {
            "id": short_id(call["id"]),
            "type": "function",
            "function": {name: call["function"][name] for name in ("name", "arguments")},
        }
        for call in calls
    ]
    return {"role": "assistant", "content": text if text.strip() else "", "tool_calls": plain}


def _in_words(message: Message) -> Message:
    if message["role"] == "user":
        return message
    if message["role"] == "tool":
        text = wording.RESULT_IN_WORDS.format(text=message["content"])
        return {"role": "user", "content": text}
    text = plain_text(message)
    parts = [text] if text.strip() else []
    parts += [
        wording.CALL_IN_WORDS.format(
            name=call["function"]["name"], arguments=brief(call["function"]["arguments"], _RETOLD)
        )
        for call in _calls(message)
    ]
    return {"role": "assistant", "content": "\n".join(parts) or EMPTY_REPLY}


def _calls(message: Message) -> Sequence[Mapping[str, Json]]:
    """The calls of a message of ours, which are whole whatever the provider's were."""
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []
