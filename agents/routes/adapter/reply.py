"""From a provider's answer to a reply, or to the failure that it is: finish word, blankness, identity, usage.

The finish word is the provider's own: litellm maps every word that it does not know to "stop". The two
that look alike differ in who spent: a word that names the provider's error brings no reply and is tried
again; a word that names the model's malformed call, with tokens spent on it, is a reply of the model's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from agents.routes.adapter.body import decode
from agents.routes.adapter.json_limits import json_violation
from agents.routes.adapter.usage import Counts, counts, read_usage, told_usd
from agents.routes.adapter.vendor_fields import REASONING
from agents.routes.entry import RouteEntry
from agents.routes.errors.attempt import DETAIL_CHARACTERS, AttemptError, attempt_error
from agents.routes.errors.redaction import Scrubber
from agents.routes.price import Tariff, cost_usd
from agents.routes.terms import asked_terms, served_terms
from tournament.errors import IdentityMismatch
from tournament.foreign_text import bounded
from tournament.records import Json, ModelReply, Usage

# Larger than any model's reply: what a conversation repeats with each request must end somewhere.
REPLY_BYTES: Final = 16 * 1024 * 1024
NAME_CHARACTERS: Final = 200

# Finish words, lower case, each matched whole. The provider's own trouble: nothing of the reply is to be kept.
_ERROR: Final = re.compile(
    r"(network_|server_|internal_|provider_|upstream_)?error|failed|overloaded|timeout|engine_overloaded"
    r"|insufficient_system_resource|unavailable|cancelled|abort(ed)?"
)
# The model wrote a call that its server could not read: Gemini, Bedrock and gateways to them.
_MALFORMED: Final = re.compile(
    r"malformed_(function|tool)_?(call|use)|unexpected_tool_call|too_many_tool_calls|invalid_tool_call"
    r"|malformed_model_output|missing_thought_signature"
)
# Cut at a limit of output tokens or of the context.
_LENGTH: Final = re.compile(
    r"length|pause_turn|(max|model)_(output_)?(tokens|length)|model_context_window_exceeded|max_new_tokens|token_limit"
)
# Stopped by the provider's filter: OpenAI, Azure, Gemini's dozen reasons, Bedrock's guardrails, Zhipu.
_FILTER: Final = re.compile(
    r"content_?filter(ed)?|safety|recitation|blocklist|prohibited_content|spii|image_\w+|other|sensitive"
    r"|guardrail_intervened|content_policy|language|risk_control"
)
# Declined by the model itself.
_REFUSAL: Final = re.compile(r"refusal|refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAnswer:
    """A provider's answer in one vocabulary.

    `message` is OpenAI-shaped and goes back as it is, None where the answer holds none. `words` are
    the finish words found, the provider's own first; `reported` tells whether it reported usage, `error`
    whether an error object stands inside it.
    """

    message: Mapping[str, Json] | None
    words: tuple[str, ...]
    counts: Counts
    reported: bool
    model: str | None
    response_id: str | None
    error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReader:
    """Turns a route's answers into replies."""

    entry: RouteEntry
    tariff: Tariff | None
    scrub: Scrubber

    def reply(
        self, answer: ProviderAnswer, *, seconds: float, body: bytes, ceiling: int, raw: Json = None
    ) -> ModelReply:
        """Return the reply; `ceiling` is the bound on generated tokens that was sent.

        `raw` is the parsed body: what was bought, and what the provider says that it cost, stand there.
        Raises AttemptError for an answer that is none, IdentityMismatch for another model's.
        """
        message = answer.message
        if message is None and answer.reported and names_a_counted_end(answer.words):
            message = {"role": "assistant", "content": ""}
        if answer.error:
            raise self._unusable("provider_error", answer, body)
        if message is None:
            raise self._unusable("no_choices", answer, body)
        violation = json_violation(message)
        if len(body) > REPLY_BYTES:
            violation = f"an answer of {len(body):,} bytes, at most {REPLY_BYTES:,} are kept"
        if violation:
            raise self._unusable("malformed_body", answer, body, f"{violation}; ")
        with_output = has_output(message)
        terms = tuple(served_terms(raw, asked_terms(self.entry)).values())
        usage = replace(
            read_usage(answer.counts, reported=answer.reported, has_output=with_output), terms=terms
        )
        finish = finish_of(answer.words, message, spent=bool(usage.generated))
        if finish in {"calls", "stop"} and (answer.counts.completion or 0) >= ceiling:
            # What stops just at the ceiling was stopped by it, whatever word a server puts there.
            finish = "length"
        if finish == "error":
            raise self._unusable("provider_error", answer, body)
        if not with_output and not usage.generated and finish not in _COUNTED_ENDS:
            raise self._unusable("blank", answer, body)
        mended = decode(body).mended
        if mended:
            usage = replace(usage, rule=f"{usage.rule}; the body was mended: {mended}")
        reply = ModelReply(
            message=self.scrub.value(message),
            finish=finish,
            usage=usage,
            model=self.scrub.text(bounded(answer.model or "", NAME_CHARACTERS)),
            response_id=self.scrub.text(bounded(answer.response_id or "", NAME_CHARACTERS)),
            cost_usd=cost_usd(self.tariff, usage),
            seconds=seconds,
            told_usd=told_usd(raw),
        )
        self._require_identity(answer.model, reply)
        return reply

    def price_of(self, usage: Json) -> float | None:
        """Return what a usage report beside an error comes to; None where it, or the price, is not known."""
        told = counts(usage)
        if told.prompt is None and told.completion is None:
            return None
        return cost_usd(self.tariff, Usage(prompt=told.prompt, generated=told.completion, cached=told.cached))

    def _require_identity(self, model: str | None, reply: ModelReply) -> None:
        if model is None and self.entry.identity == "unreported":
            return
        if model is not None and model in self.entry.accepted_ids:
            return
        named = "no model id" if model is None else f"the model id {bounded(model, NAME_CHARACTERS)!r}"
        accepted = ", ".join(sorted(self.entry.accepted_ids))
        raise IdentityMismatch(
            self.scrub.text(f"route {self.entry.id}: the answer names {named}; accepted: {accepted}"),
            route=self.entry.id,
            reply=reply,
        )

    def _unusable(self, code: str, answer: ProviderAnswer, body: bytes, why: str = "") -> AttemptError:
        """An answer under status 200 without a reply in it; its prompt may have been charged for."""
        named = bounded(answer.response_id or "none", NAME_CHARACTERS)
        detail = f"{why}id {named}: {excerpt(body)}"
        terms = tuple(asked_terms(self.entry).values())
        nothing = Usage(prompt=answer.counts.prompt, generated=answer.counts.completion, terms=terms)
        cost = cost_usd(self.tariff, nothing) if answer.reported else None
        return attempt_error("transport", code, detail, status=200, cost_usd=cost)


def finish_of(words: tuple[str, ...], message: Mapping[str, Json], *, spent: bool) -> str:
    """Return the finish of a reply, or `error` where the provider names its own fault.

    Words decide on errors, cuts, filters and refusals; between calls and text decides what is there.
    `spent` tells whether tokens were generated: a gateway calls the model's malformed call an error, and
    its tokens tell that it is the model's.
    """
    found = _found(words)
    for pattern, finish in _WORDS:
        if any(pattern.fullmatch(word) for word in found):
            own = finish == "error" and spent and any(_MALFORMED.fullmatch(word) for word in found)
            return "malformed_call" if own else finish
    if calls_of(message):
        return "calls"
    return "refusal" if message.get("refusal") else "stop"


def _found(words: tuple[str, ...]) -> list[str]:
    """The words one by one, lower case: gateways put one behind another, as in `content_filter: SAFETY`."""
    return [part.strip().lower() for word in words for part in word.split(":") if part.strip()]


def names_a_counted_end(words: tuple[str, ...]) -> bool:
    """Tell words by which an answer without a message is the model's or its filter's doing, and counts."""
    found = _found(words)
    if any(_ERROR.fullmatch(word) for word in found):
        return False
    return any(pattern.fullmatch(word) for pattern in (_FILTER, _MALFORMED, _REFUSAL) for word in found)


# Ends that count though nothing was said and nothing generated.
_COUNTED_ENDS: Final = frozenset({"content_filter", "refusal", "malformed_call"})
_WORDS: Final = (
    (_ERROR, "error"),
    (_LENGTH, "length"),
    (_FILTER, "content_filter"),
    (_MALFORMED, "malformed_call"),
    (_REFUSAL, "refusal"),
)


def calls_of(message: Mapping[str, Json]) -> list[Json]:
    """Return the tool calls of a message, whatever they hold."""
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []


def text_field(body: Mapping[str, Json], names: tuple[str, ...]) -> str | None:
    """Return the first of these fields that holds a text."""
    return next((body[name] for name in names if isinstance(body.get(name), str) and body[name]), None)


def first_of(body: Json, name: str) -> Mapping[str, Json] | None:
    """Return the first object of a list under this name, None where there is none."""
    listed = body.get(name) if isinstance(body, Mapping) else None
    first = listed[0] if isinstance(listed, list) and listed else None
    return first if isinstance(first, dict) else None


def typed(parts: list[Json]) -> list[Mapping[str, Json]]:
    """Return the content blocks or output items of a list; one without a type can be neither read nor resent."""
    return [part for part in parts if isinstance(part, dict) and isinstance(part.get("type"), str)]


def has_output(message: Mapping[str, Json]) -> bool:
    """Tell whether a message holds calls, text, a refusal or reasoning."""
    if calls_of(message) or message.get("refusal"):
        return True
    content = message.get("content")
    if isinstance(content, str):
        content = content.strip()
    return bool(content) or any(message.get(name) for name in REASONING)


def refused_reply(finish: str, *, generated: int, rule: str, seconds: float) -> ModelReply:
    """Return the reply that an error answer stands for: a filtered prompt, or an output limit reached."""
    return ModelReply(
        message={"role": "assistant", "content": ""},
        finish=finish,
        usage=Usage(prompt=None, generated=generated, rule=rule),
        model="",
        response_id="",
        cost_usd=None,
        seconds=seconds,
    )


def excerpt(body: bytes) -> str:
    """Return the beginning of a body as text, with the length and hash of the whole where it is longer."""
    text = body.decode("utf-8", errors="replace").strip()
    return bounded(text, DETAIL_CHARACTERS) or "an empty body"
