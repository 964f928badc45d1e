"""Anthropic's Messages: signed and redacted thinking goes back block by block as it came.

A reply keeps its content blocks beside the OpenAI-shaped message that the harness reads, and the next
request sends the blocks themselves. Results and corrections that follow each other become one user
turn, results first, as the interface wants them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agents.routes.adapter.json_limits import MAX_DEPTH, json_violation
from agents.routes.adapter.reply import ProviderAnswer, calls_of, text_field, typed
from agents.routes.adapter.thinking import fitted_params
from agents.routes.adapter.usage import counts, is_reported
from agents.routes.adapter.vendor_fields import (
    BLOCK_FIELDS,
    CONTENT_BLOCKS,
    MODEL_IDS,
    RESPONSE_IDS,
    THINKING_BLOCKS,
)
from agents.routes.entry import RouteEntry
from tournament.records import Json, ModelRequest

FUNCTION: Final = "anthropic_messages"
# Of a call's arguments; the message around them has a few levels more.
MAX_INPUT_DEPTH: Final = MAX_DEPTH - 8

Turn = dict[str, Any]


def arguments(entry: RouteEntry, request: ModelRequest) -> dict[str, Any]:
    """Return what litellm's Messages call is called with, beside connection and key."""
    system = [message["content"] for message in request.messages if message["role"] == "system"]
    ceiling = min(request.max_tokens, entry.ceiling)
    return {
        **fitted_params(entry, ceiling),
        **entry.options,
        "system": "\n\n".join(system),
        "messages": _turns(request.messages),
        "tools": [_tool(tool["function"]) for tool in request.tools],
        "max_tokens": ceiling,
    }


def _tool(function: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "name": function["name"],
        "description": function["description"],
        "input_schema": function["parameters"],
    }


def _turns(messages: Sequence[Mapping[str, Json]]) -> list[Turn]:
    turns: list[Turn] = []
    for message in messages:
        if message["role"] == "system":
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] = [*turns[-1]["content"], *_blocks(message)]
        else:
            turns.append({"role": role, "content": list(_blocks(message))})
    return turns


def _blocks(message: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    if message["role"] == "tool":
        content = message["content"]
        return ({"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": content},)
    if message.get(CONTENT_BLOCKS):
        return _own_blocks(message)
    text = message.get("content")
    plain = [{"type": "text", "text": text}] if text else []
    return [*plain, *(_call_block(call) for call in calls_of(message))]


def _own_blocks(message: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """The blocks in the order in which they came, with the fields that are taken back.

    Blank texts and unknown blocks are left out, and so are thoughts that end a turn: nothing that they led
    to is there. A turn of which nothing is left is the text that stands in for a reply.
    """
    blocks: Sequence[Mapping[str, Json]] = message[CONTENT_BLOCKS]
    calls = iter(calls_of(message))
    own = [
        _taken_back(_mended(block, next(calls, None)) if block["type"] == "tool_use" else block)
        for block in blocks
        if block["type"] in BLOCK_FIELDS and not _is_blank(block)
    ]
    while own and own[-1]["type"] in THINKING_BLOCKS:
        own.pop()
    return own or [{"type": "text", "text": message["content"]}]


def _taken_back(block: Mapping[str, Json]) -> Mapping[str, Json]:
    return {name: block[name] for name in BLOCK_FIELDS[block["type"]] if name in block}


def _is_blank(block: Mapping[str, Json]) -> bool:
    text = block.get("text")
    return block["type"] == "text" and not (isinstance(text, str) and text.strip())


def _mended(block: Mapping[str, Json], call: Json) -> Mapping[str, Json]:
    """The block with what the harness had to mend: an id used twice, a name, arguments that are no object."""
    if call is None:
        return block
    held = block.get("input")
    own = _call_block(call)
    return {**block, **own, "input": held if isinstance(held, dict) else own["input"]}


def _call_block(call: Mapping[str, Json]) -> dict[str, Json]:
    held = json.loads(call["function"]["arguments"])
    return {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": held}


def answer(response: Any, raw: Json) -> ProviderAnswer:
    """Read an answer from the raw body."""
    body: Mapping[str, Json] = raw if isinstance(raw, dict) else {}
    content = body.get("content")
    blocks = typed(content) if isinstance(content, list) else None
    word = text_field(body, ("stop_reason",))
    return ProviderAnswer(
        message=None if blocks is None else _message([_shallow(block) for block in blocks]),
        words=() if word is None else (word,),
        counts=counts(body.get("usage")),
        reported=is_reported(raw),
        model=text_field(body, MODEL_IDS),
        response_id=text_field(body, RESPONSE_IDS),
    )


def _shallow(block: Mapping[str, Json]) -> Mapping[str, Json]:
    """A model may nest its arguments as deep as it likes; what could not be kept is named and left out."""
    violation = json_violation(block.get("input"), MAX_INPUT_DEPTH) if block["type"] == "tool_use" else ""
    return {**block, "input": f"left out: {violation}"} if violation else block


def _message(blocks: Sequence[Mapping[str, Json]]) -> Mapping[str, Json]:
    text = "".join(block["text"] for block in blocks if isinstance(block.get("text"), str))
    thought = "".join(block["thinking"] for block in blocks if isinstance(block.get("thinking"), str))
    calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
    message: dict[str, Json] = {"role": "assistant", "content": text, CONTENT_BLOCKS: list(blocks)}
    if thought:
        message["reasoning_content"] = thought
    if calls:
        message["tool_calls"] = calls
    return message


def _call(block: Mapping[str, Json]) -> dict[str, Json]:
    held = json.dumps(block.get("input"), ensure_ascii=False)
    function = {"name": block.get("name"), "arguments": held}
    return {"id": block.get("id"), "type": "function", "function": function}
