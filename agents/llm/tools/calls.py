"""A reply's tool calls as they are: read by position, parsed by one rule, never repaired.

Also how the reply goes back on the wire. The provider's message is kept verbatim, call ids with it
(some carry signatures); what would make the history itself invalid for a provider - a call id that
is blank or used before, a name that is none, arguments that are not a JSON object - is replaced there
and only there. Nothing replaced is ever run.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agents.llm.text import brief, to_json
from agents.routes.adapter.vendor_fields import REASONING_PARTS, REASONING_TEXT
from tournament import seal
from tournament.errors import InputError
from tournament.records import Json

# A file of the largest size, every character of it written as an escape, takes three times its bytes.
ARGUMENT_CHARACTERS: Final = 4 * 1024 * 1024
NAMELESS: Final = "invalid_name"
EMPTY_REPLY: Final = "(empty reply)"
# Which rules a window's history is made by, kept in its opening record: a window begun under earlier ones is
# folded by them. 1 put place and prefix into a replaced id and left cut thoughts out without a mark.
FIRST_HISTORY: Final = 1
HISTORY: Final = 2
_ID_CHARACTERS: Final = string.digits + string.ascii_letters
# The shortest form that is asked for anywhere, Mistral's: within every other length and alphabet.
_ID_LENGTH: Final = 9
# Behind this mark an id carries its provider's signature, which must stay whole.
_SIGNATURE: Final = "__thought__"
_ASCII_SPACE: Final = " \t\n\r\f\v"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEPT: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call: its place, the id that answers it, its trimmed name, and its arguments or their fault.

    `arguments` is None where they could not be read, and also where no text was given at all: then
    `fault` is empty and only a tool without arguments may run.
    """

    position: int
    wire_id: str
    name: str
    arguments: Mapping[str, Json] | None
    fault: str


def read_calls(
    message: Mapping[str, Json], ordinal: int, used: set[str], history: int = HISTORY
) -> tuple[Call, ...]:
    """Return the calls of a reply in order, and add their wire ids to `used`, the transcript's ids.

    `history` are the rules by which the window replaces ids.
    """
    given = message.get("tool_calls")
    items: Sequence[Json] = given if isinstance(given, list) else []
    wire_id = _first_wire_id if history == FIRST_HISTORY else _wire_id
    return tuple(
        _call(item, position, wire_id(item, position, ordinal, used)) for position, item in enumerate(items)
    )


def _call(item: Json, position: int, wire_id: str) -> Call:
    function = item["function"] if isinstance(item, Mapping) and "function" in item else None
    if not isinstance(function, Mapping):
        function = {}
    name = function.get("name")
    arguments, fault = _parse(function.get("arguments"))
    return Call(
        position=position,
        wire_id=wire_id,
        name=name.strip(_ASCII_SPACE) if isinstance(name, str) else "",
        arguments=arguments,
        fault=fault,
    )


def _wire_id(item: Json, position: int, ordinal: int, used: set[str]) -> str:
    """The id as given; in place of one that is blank or used before, one that is drawn from the call's place."""
    given = item["id"] if isinstance(item, Mapping) and "id" in item else None
    wire = given if isinstance(given, str) and given.strip() else ""
    draw = 0
    while not wire or wire in used:
        signature = given.partition(_SIGNATURE)[2] if isinstance(given, str) else ""
        wire = short_id(f"{ordinal}/{position}/{draw}") + (f"{_SIGNATURE}{signature}" if signature else "")
        draw += 1
    used.add(wire)
    return wire


def short_id(name: str) -> str:
    """Return nine letters and digits that are drawn from a name alone: a call id that every wire takes."""
    number = int.from_bytes(hashlib.sha256(name.encode(errors="backslashreplace")).digest(), "big")
    characters = []
    for _ in range(_ID_LENGTH):
        number, place = divmod(number, len(_ID_CHARACTERS))
        characters.append(_ID_CHARACTERS[place])
    return "".join(characters)


def _first_wire_id(item: Json, position: int, ordinal: int, used: set[str]) -> str:
    given = item["id"] if isinstance(item, Mapping) and "id" in item else None
    own = f"r{ordinal}c{position}"
    if not isinstance(given, str) or not given.strip():
        wire = own
    elif given in used:
        # In front: an id may end in a vendor's signature, which must stay whole.
        wire = f"{own}-{given}"
    else:
        wire = given
    while wire in used:
        wire = f"x{wire}"
    used.add(wire)
    return wire


def _parse(text: Json) -> tuple[Mapping[str, Json] | None, str]:
    """Return the arguments, or None and why they cannot be read."""
    if text is None:
        return None, ""
    if not isinstance(text, str):
        return None, "arguments must be JSON text"
    if not text.strip():
        return None, ""
    if len(text) > ARGUMENT_CHARACTERS:
        return None, f"arguments of {len(text)} characters; at most {ARGUMENT_CHARACTERS} are read"
    try:
        value = seal.parse(text)
    except InputError as fault:
        return None, brief(str(fault), 300)
    if not isinstance(value, dict):
        held = "a string that holds JSON" if isinstance(value, str) else f"a {type(value).__name__}"
        return None, f"arguments must be one JSON object, got {held}"
    return value, ""


def wire_message(message: Mapping[str, Json], calls: Sequence[Call]) -> Mapping[str, Json]:
    """Return the assistant message that is sent on: the provider's own, invalid parts of history mended."""
    if not calls:
        return _wire_text(message)
    items = [_wire_call(item, call) for item, call in zip(message["tool_calls"], calls, strict=True)]
    if all(new is old for new, old in zip(items, message["tool_calls"], strict=True)):
        return message
    return {**message, "tool_calls": items}


def _wire_text(message: Mapping[str, Json]) -> Mapping[str, Json]:
    """A message with neither calls nor text is refused by providers: its refusal or a mark fills it."""
    clean = {key: value for key, value in message.items() if key != "tool_calls"}
    if plain_text(message).strip():
        return clean
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        # Parts that are no text may be signed reasoning: they stay.
        return {**clean, "content": [*content, {"type": "text", "text": EMPTY_REPLY}]}
    return {**clean, "content": refusal if isinstance(refusal, str) and refusal.strip() else EMPTY_REPLY}


def _wire_call(item: Json, call: Call) -> Json:
    name = call.name if _NAME.fullmatch(call.name) else NAMELESS
    if not isinstance(item, Mapping) or not isinstance(item.get("function"), Mapping):
        function = {"name": name, "arguments": to_json({"unreadable": brief(to_json(item), _KEPT)})}
        return {"id": call.wire_id, "type": "function", "function": function}
    function = item["function"]
    arguments = _wire_arguments(function.get("arguments"), call)
    same = ("id" in item and item["id"] == call.wire_id) and (
        "name" in function and function["name"] == name and function.get("arguments") == arguments
    )
    kind = item.get("type")
    if same and isinstance(kind, str):
        return item
    return {
        **item,
        "id": call.wire_id,
        "type": kind if isinstance(kind, str) else "function",
        "function": {**function, "name": name, "arguments": arguments},
    }


def _wire_arguments(given: Json, call: Call) -> Json:
    if call.arguments is not None:
        return given
    if not call.fault:
        return "{}"
    raw = given if isinstance(given, str) else to_json(given)
    return to_json({"unreadable": brief(raw, _KEPT)})


def plain_text(message: Mapping[str, Json]) -> str:
    """Return the visible text of a message whose content is a text or a list of typed parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part["text"] for part in content if isinstance(part, Mapping) and "text" in part]
    return "".join(part for part in parts if isinstance(part, str))


def generated_text(message: Mapping[str, Json]) -> str:
    """Return what a reply generated as one text, for an estimate: reasoning once, names and arguments too."""
    parts = [plain_text(message), _reasoning(message)]
    if "refusal" in message and isinstance(message["refusal"], str):
        parts.append(message["refusal"])
    if message.get("tool_calls"):
        parts.append(to_json(message["tool_calls"]))
    return "\n".join(part for part in parts if part)


def _reasoning(message: Mapping[str, Json]) -> str:
    """Return reasoning as text; litellm gives the same thoughts as text and as signed blocks."""
    for key in REASONING_TEXT:
        if isinstance(message.get(key), str) and message[key]:
            return str(message[key])
    for key in REASONING_PARTS:
        if message.get(key):
            return to_json(message[key])
    return ""
