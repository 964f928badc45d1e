"""A seat's records as they may be published: what it was told and did, without what it thought.

A provider's message is private but for the few fields that every chat has, so that a field nobody here
has heard of stays private too: thoughts come as text, as signed or encrypted blocks, as provider fields,
behind a tool call's id, and as marked passages of the text itself. The words of faults are left out,
since they quote gateways.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.llm.audit.trace import trace_lines
from agents.llm.window.record_kinds import IDENTITY_MISMATCH, REBUILT, kind_of
from tournament.records import Json, Record

_FAULTS: Final = frozenset({"attempt", "failed", IDENTITY_MISMATCH, REBUILT})
# A tuple: what a provider sends as a type may be no text, which a set would not be asked for.
_VISIBLE: Final = ("text", "output_text", "refusal")
_THOUGHT_NAMES: Final = "think|thinking|thought|thoughts|reasoning"
_MARKED: Final = re.compile(rf"<({_THOUGHT_NAMES})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_BEFORE: Final = re.compile(rf".*</(?:{_THOUGHT_NAMES})>", re.DOTALL | re.IGNORECASE)
_AFTER: Final = re.compile(rf"<(?:{_THOUGHT_NAMES})>.*", re.DOTALL | re.IGNORECASE)
# How a window's reason begins where a provider's words follow.
_OVERFLOW: Final = "context window exceeded"
# Behind this mark a call's id carries the provider's encrypted thoughts.
_SIGNATURE: Final = "__thought__"


def public_trace(windows: Iterable[Sequence[Record]]) -> Iterator[str]:
    """Yield the audit trace of a seat's windows as JSON lines, fit for publication."""
    return trace_lines([public_record(record) for record in records] for records in windows)


def public_record(record: Record) -> Record:
    """Return a record without thoughts, provider fields and the words of faults."""
    body = {key: value for key, value in record.body.items() if key != "response_id"}
    if kind_of(record) in _FAULTS:
        body = {key: value for key, value in body.items() if key not in ("message", "detail")}
    if record.kind == "close" and isinstance(body.get("reason"), str):
        body["reason"] = public_reason(body["reason"])
    if "reply" in body and isinstance(body["reply"], Mapping):
        reply = {key: value for key, value in body["reply"].items() if key != "response_id"}
        body["reply"] = _with_public_message(reply)
    return replace(record, body=_with_public_message(body))


def public_reason(reason: str) -> str:
    """Return why a window ended, without the words of a provider."""
    return _OVERFLOW if reason.startswith(_OVERFLOW) else reason


def _with_public_message(body: Mapping[str, Json]) -> Mapping[str, Json]:
    if "message" not in body or not isinstance(body["message"], Mapping):
        return body
    return {**body, "message": public_message(body["message"])}


def public_message(message: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return role, text, refusal and tool calls of a provider's message, and nothing else of it."""
    kept: dict[str, Json] = {}
    for key, value in message.items():
        if key in ("role", "refusal") and isinstance(value, str):
            kept[key] = value
        elif key == "content":
            kept[key] = _content(value)
        elif key == "tool_calls" and isinstance(value, list):
            kept[key] = [_call(item) for item in value]
    return kept


def _content(content: Json) -> Json:
    if isinstance(content, str):
        return _without_thoughts(content)
    if not isinstance(content, list):
        return None
    return [_part(part) for part in content if isinstance(part, Mapping) and part.get("type") in _VISIBLE]


def _part(part: Mapping[str, Json]) -> Json:
    kept: dict[str, Json] = {"type": part["type"]}
    for key in ("text", "refusal"):
        if key in part and isinstance(part[key], str):
            kept[key] = _without_thoughts(part[key])
    return kept


def _without_thoughts(text: str) -> str:
    """Return a text without passages marked as thoughts, also where a mark's other half is missing."""
    return _AFTER.sub("", _BEFORE.sub("", _MARKED.sub("", text)))


def _call(item: Json) -> Json:
    if not isinstance(item, Mapping):
        return {}
    kept: dict[str, Json] = {}
    if "id" in item and isinstance(item["id"], str):
        kept["id"] = item["id"].partition(_SIGNATURE)[0]
    if "type" in item and isinstance(item["type"], str):
        kept["type"] = item["type"]
    if "function" in item and isinstance(item["function"], Mapping):
        function = item["function"]
        kept["function"] = {key: function[key] for key in ("name", "arguments") if key in function}
    return kept
