"""Answers of Gemini with a field left out that litellm cannot do without: a call of no arguments, usage.

Protobuf's JSON leaves out what is empty, and a whole paid reply would be lost for it. The raw answer
stays as it came for everything that counts tokens or judges faults.
"""

from __future__ import annotations

import json
from typing import Any

from tournament.records import Json


def with_required_fields(body: bytes) -> bytes:
    """Return the body with what litellm insists on put in; any other body as it is."""
    if b'"candidates"' not in body:
        return body
    try:
        answer: Json = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(answer, dict) or not isinstance(answer.get("candidates"), list):
        return body
    for call in _calls(answer["candidates"]):
        call["name"] = call.get("name") or ""
        call["args"] = {} if call.get("args") is None else call["args"]
    usage = answer.get("usageMetadata")
    reported = usage if isinstance(usage, dict) else {}
    answer["usageMetadata"] = {name: value for name, value in reported.items() if value is not None}
    answer["usageMetadata"].setdefault("promptTokenCount", 0)
    return json.dumps(answer).encode()


def reports_prompt(body: Json) -> bool:
    """Tell whether a raw answer that is Gemini's counts its prompt; other answers say so elsewhere."""
    if not isinstance(body, dict) or "candidates" not in body:
        return True
    usage = body.get("usageMetadata")
    return isinstance(usage, dict) and isinstance(usage.get("promptTokenCount"), int)


def _calls(candidates: list[Any]) -> list[dict[str, Any]]:
    contents = [item.get("content") for item in candidates if isinstance(item, dict)]
    parts = [content.get("parts") for content in contents if isinstance(content, dict)]
    listed = [part for some in parts if isinstance(some, list) for part in some if isinstance(part, dict)]
    return [part["functionCall"] for part in listed if isinstance(part.get("functionCall"), dict)]
