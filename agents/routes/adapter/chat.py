"""Chat completions: the conversation as it is, and answers with the provider's own message where it fits.

For endpoints that speak OpenAI's format the raw message goes back verbatim: its reasoning, signatures
and vendor fields are exactly what the provider expects to see again. Other providers' answers come in
litellm's form, which it knows how to send back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from agents.routes.adapter.gemini import reports_prompt
from agents.routes.adapter.reply import ProviderAnswer, first_of, text_field
from agents.routes.adapter.thinking import fitted_params
from agents.routes.adapter.usage import counts, is_reported
from agents.routes.adapter.vendor_fields import (
    CALL_FIELDS,
    CHOICE_LISTS,
    FINISH_WORDS,
    MESSAGE_FIELDS,
    MODEL_IDS,
    PROVIDER_SPECIFIC,
    RESPONSE_IDS,
)
from agents.routes.entry import RouteEntry
from tournament.records import Json, ModelRequest

FUNCTION: Final = "acompletion"
# litellm's own providers of Gemini, which carry a signature inside the call ids that they make.
_SIGNED_IDS: Final = ("gemini/", "vertex_ai/", "vertex_ai_beta/")
_SIGNATURE: Final = "__thought__"


class _UnsplitId(str):
    """A call id that a gateway signed: litellm would cut the signature off, so it does not see it."""

    __slots__ = ()

    def __contains__(self, part: object) -> bool:
        return False


def arguments(entry: RouteEntry, request: ModelRequest) -> dict[str, Any]:
    """Return what litellm's acompletion is called with, beside connection and key."""
    unsplit = not entry.model.startswith(_SIGNED_IDS)
    ceiling = min(request.max_tokens, entry.ceiling)
    return {
        **fitted_params(entry, ceiling),
        **entry.options,
        "messages": [_outgoing(message, unsplit) for message in request.messages],
        "tools": [dict(tool) for tool in request.tools],
        entry.ceiling_param: ceiling,
    }


def _outgoing(message: Mapping[str, Json], unsplit: bool) -> dict[str, Json]:
    sent = {key: value for key, value in message.items() if value is not None}
    if message["role"] == "assistant":
        # The key is there where its value is null: some servers insist on it.
        sent = {"content": None, **{key: value for key, value in sent.items() if key in MESSAGE_FIELDS}}
    if "tool_call_id" in sent and unsplit:
        sent["tool_call_id"] = _unsplit(sent["tool_call_id"])
    if "tool_calls" in sent:
        sent["tool_calls"] = [_outgoing_call(call, unsplit) for call in sent["tool_calls"]]
    return sent


def _outgoing_call(call: Mapping[str, Json], unsplit: bool) -> dict[str, Json]:
    sent = {key: value for key, value in call.items() if key in CALL_FIELDS}
    return {**sent, "id": _unsplit(call["id"]) if unsplit else call["id"]}


def _unsplit(call_id: str) -> str:
    return _UnsplitId(call_id) if _SIGNATURE in call_id else call_id


def answer(response: Any, raw: Json) -> ProviderAnswer:
    """Read an answer from the raw body and litellm's response: its object, a body in its form, or None."""
    is_json = response is None or isinstance(response, (dict, list, str, int, float))
    dump: Json = response if is_json else response.model_dump(exclude_none=True, warnings=False)
    body: Mapping[str, Json] = raw if isinstance(raw, dict) else {}
    mapped = first_of(dump, "choices")
    own = first_of(body, "choices")
    message = None if mapped is None else mapped.get("message")
    dump = dump if isinstance(dump, dict) else {}
    usage = body["usage"] if _is_openai(body) and "usage" in body else dump.get("usage")
    usage_counts = counts(usage)
    return ProviderAnswer(
        message=_message(message, body) if isinstance(message, dict) else None,
        words=_finish_words(body, mapped),
        counts=usage_counts if reports_prompt(raw) else replace(usage_counts, prompt=None),
        reported=is_reported(raw),
        model=text_field(body, MODEL_IDS),
        response_id=text_field(body, RESPONSE_IDS),
        error=own is not None and bool(own.get("error")),
    )


def has_message(raw: Json) -> bool:
    """Tell whether a raw body holds an OpenAI-shaped message, which can be read without litellm."""
    first = first_of(raw, "choices") if isinstance(raw, dict) and not raw.get("error") else None
    return first is not None and isinstance(first.get("message"), dict)


def _is_openai(body: Mapping[str, Json]) -> bool:
    return "choices" in body and isinstance(body["choices"], list)


def _message(mapped: Mapping[str, Json], body: Mapping[str, Json]) -> Mapping[str, Json]:
    """The raw message where it is one that litellm takes back as it is, else litellm's own."""
    own = first_of(body, "choices")
    if own is None:
        return mapped
    raw = own.get("message")
    if not isinstance(raw, dict) or not _is_plain(raw):
        return {**mapped, "role": "assistant"}
    return {**{key: value for key, value in raw.items() if value is not None}, "role": "assistant"}


def _is_plain(message: Mapping[str, Json]) -> bool:
    if not isinstance(message.get("content"), (str, type(None))):
        return False
    calls = message.get("tool_calls") or []
    return isinstance(calls, list) and all(_is_plain_call(call) for call in calls)


def _is_plain_call(call: Json) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return False
    return isinstance(call.get("id"), str) and isinstance(function.get("arguments"), str)


def _finish_words(body: Mapping[str, Json], mapped: Mapping[str, Json] | None) -> tuple[str, ...]:
    """Every finish word there is: the provider's, the one beneath it, and litellm's last."""
    places: list[Mapping[str, Json]] = [body]
    for name in CHOICE_LISTS:
        first = first_of(body, name)
        if first is not None:
            places.insert(0, first)
    if mapped is not None and isinstance(mapped.get(PROVIDER_SPECIFIC), dict):
        places.append(mapped[PROVIDER_SPECIFIC])
    words = [
        place[name]
        for place in places
        for name in FINISH_WORDS
        if name in place and isinstance(place[name], str)
    ]
    if mapped is not None and not words and isinstance(mapped.get("finish_reason"), str):
        words.append(mapped["finish_reason"])
    return tuple(words)
