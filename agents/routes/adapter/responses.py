"""OpenAI's Responses: reasoning items, encrypted, go back item by item as they came.

Nothing is stored at the provider; the conversation is ours. A reply keeps its output items beside the
OpenAI-shaped message that the harness reads, and the next request sends the items themselves, with
only what the harness had to mend in a call (an id used twice, a name) put into them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agents.routes.adapter.reply import ProviderAnswer, calls_of, text_field, typed
from agents.routes.adapter.usage import counts, is_reported
from agents.routes.adapter.vendor_fields import (
    ITEM_FIELDS,
    MODEL_IDS,
    PART_FIELDS,
    REASONING_ITEM,
    RESPONSE_IDS,
    RESPONSE_ITEMS,
)
from agents.routes.entry import RouteEntry
from tournament.records import Json, ModelRequest

FUNCTION: Final = "aresponses"


def arguments(entry: RouteEntry, request: ModelRequest) -> dict[str, Any]:
    """Return what litellm's aresponses is called with, beside connection and key."""
    system = [message["content"] for message in request.messages if message["role"] == "system"]
    return {
        **entry.params,
        **entry.options,
        "instructions": "\n\n".join(system),
        "input": [item for message in request.messages for item in _items(message)],
        "tools": [_tool(tool["function"]) for tool in request.tools],
        "max_output_tokens": min(request.max_tokens, entry.ceiling),
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }


def _tool(function: Mapping[str, Json]) -> dict[str, Json]:
    return {"type": "function", "strict": False, **function}


def _items(message: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    role = message["role"]
    if role == "system":
        return ()
    if role == "tool":
        content = message["content"]
        return ({"type": "function_call_output", "call_id": message["tool_call_id"], "output": content},)
    if role == "assistant" and RESPONSE_ITEMS in message:
        return _own_items(message)
    plain = [{"role": role, "content": message["content"]}] if message.get("content") else []
    return [*plain, *(_call_item(call) for call in calls_of(message))]


def _own_items(message: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """The items in the order in which they came, with the fields that are taken back.

    Reasoning that nothing follows or that came without its encrypted form is left out, as are unknown items
    and empty messages. A turn of which nothing is left is the text that stands in for a reply.
    """
    calls = iter(calls_of(message))
    own: list[Mapping[str, Json]] = []
    for item in message[RESPONSE_ITEMS]:
        mended = _mended(item, next(calls, None)) if item["type"] == "function_call" else item
        if _says_something(mended):
            own.append(_taken_back(mended))
    while own and own[-1]["type"] == REASONING_ITEM:
        own.pop()
    return own or ({"role": "assistant", "content": message["content"]},)


def _says_something(item: Mapping[str, Json]) -> bool:
    if item["type"] == REASONING_ITEM:
        return bool(item.get("encrypted_content"))
    if item["type"] == "message":
        return any(part.get("text") or part.get("refusal") for part in _parts(item))
    return item["type"] in ITEM_FIELDS


def _taken_back(item: Mapping[str, Json]) -> Mapping[str, Json]:
    kept = {name: item[name] for name in ITEM_FIELDS[item["type"]] if item.get(name) is not None}
    if item["type"] == "message":
        kept["content"] = [
            {name: part[name] for name in PART_FIELDS[part["type"]] if name in part} for part in _parts(item)
        ]
    return kept


def _parts(item: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The parts of a message that are taken back."""
    content = item.get("content")
    return (
        [part for part in typed(content) if part["type"] in PART_FIELDS] if isinstance(content, list) else []
    )


def _mended(item: Mapping[str, Json], call: Json) -> Mapping[str, Json]:
    if call is None:
        return item
    function = call["function"]
    return {**item, "call_id": call["id"], "name": function["name"], "arguments": function["arguments"]}


def _call_item(call: Mapping[str, Json]) -> dict[str, Json]:
    return {"type": "function_call", **_mended({}, call)}


def answer(response: Any, raw: Json) -> ProviderAnswer:
    """Read an answer from the raw body; litellm's form adds fields that must not go back."""
    body: Mapping[str, Json] = raw if isinstance(raw, dict) else {}
    output = body.get("output")
    items = typed(output) if isinstance(output, list) else None
    return ProviderAnswer(
        message=None if items is None else _message(items),
        words=_words(body),
        counts=counts(body.get("usage")),
        reported=is_reported(raw),
        model=text_field(body, MODEL_IDS),
        response_id=text_field(body, RESPONSE_IDS),
    )


def _words(body: Mapping[str, Json]) -> tuple[str, ...]:
    if body.get("status") in ("queued", "in_progress"):
        return ("provider_error",)  # an answer that is none yet; nothing here asks for one in the background
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return tuple(word for word in (reason, body.get("status")) if isinstance(word, str))


def _message(items: Sequence[Mapping[str, Json]]) -> Mapping[str, Json]:
    parts = [
        part
        for item in items
        if item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
        if isinstance(part, dict)
    ]
    text = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    refusal = "".join(part["refusal"] for part in parts if isinstance(part.get("refusal"), str))
    calls = [_call(item) for item in items if item.get("type") == "function_call"]
    message: dict[str, Json] = {"role": "assistant", "content": text, RESPONSE_ITEMS: list(items)}
    if calls:
        message["tool_calls"] = calls
    if refusal:
        message["refusal"] = refusal
    return message


def _call(item: Mapping[str, Json]) -> dict[str, Json]:
    function = {"name": item.get("name"), "arguments": item.get("arguments")}
    return {"id": item.get("call_id"), "type": "function", "function": function}
