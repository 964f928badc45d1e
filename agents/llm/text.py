"""Text at the edge: what may be stored, what is cut and how a cut is marked.

A model can write anything. One rule for all text that would be kept: no control characters but tab,
line feed and carriage return, no half surrogate pairs. One rule for all text that is shown: cut by
bytes at a character's border, and say so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Final

from agents.llm import wording
from tournament.records import Json

RESULT_BYTES: Final = 64 * 1024
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def forbidden_character(value: Json, place: str = "") -> str | None:
    """Return which character of a JSON value's strings must not be stored, and where; None if all may."""
    if isinstance(value, str):
        found = _FORBIDDEN.search(value)
        return f"{place or 'text'} holds the character U+{ord(found.group()):04X}" if found else None
    if isinstance(value, Mapping):
        pairs = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, list):
        pairs = [(str(index), item) for index, item in enumerate(value)]
    else:
        return None
    for key, item in pairs:
        fault = forbidden_character(item, f"{place}.{key}" if place else key)
        if fault:
            return fault
    return None


def normal_form(message: Json) -> Json:
    """Return a provider's JSON with sorted keys, half surrogates replaced: what is stored is what is sent.

    The journal sorts keys, so a resumed conversation would otherwise differ from the one that was not.
    """
    if isinstance(message, str):
        return message if message.isascii() else _SURROGATES.sub("\ufffd", message)
    if isinstance(message, Mapping):
        return {key: normal_form(message[key]) for key in sorted(message)}
    if isinstance(message, list | tuple):
        return [normal_form(item) for item in message]
    return message


def to_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def digest(value: Json) -> str:
    """Return the SHA-256 (hex) of a JSON value that holds no half surrogates."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()


def cut_bytes(text: str, limit: int) -> str:
    """Return the longest beginning of `text` within `limit` UTF-8 bytes, at a character's border."""
    if len(text) * 4 <= limit:
        return text
    return text.encode(errors="replace")[:limit].decode(errors="ignore")


def shown(text: str, limit: int = RESULT_BYTES) -> str:
    """Return a tool result as the model gets it: whole, or cut and marked within `limit` bytes."""
    size = len(text.encode(errors="replace"))
    if size <= limit:
        return text
    mark = f"\n{wording.RESULT_CUT.format(limit=limit, size=size)}"
    return cut_bytes(text, limit - len(mark.encode())) + mark


def brief(text: str, characters: int = 200) -> str:
    """Return text short enough to be quoted in a correction."""
    return text if len(text) <= characters else text[: characters - 1] + "…"
