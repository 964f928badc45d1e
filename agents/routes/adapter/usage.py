"""Tokens of a reply: what the provider reported, by named rules, and unknown where it reported nothing.

litellm fills missing usage with zeros and hands negative counts through, and vendors differ in whether
reasoning is inside the completion count. So whether anything was reported is read from the raw body, and
the rule that found the generated tokens is kept with the number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.routes.adapter import vendor_fields as fields
from tournament.records import Json, Usage

MISSING: Final = "missing"
COMPLETION: Final = "completion"
REMAINDER: Final = "total less prompt: reasoning is outside the completion count"
REASONING_BESIDE: Final = "completion plus reasoning: reasoning is outside the completion count"
# No request of today's models holds more by far: a larger count is nonsense.
MAX_PLAUSIBLE_TOKENS: Final = 100_000_000
IMPLAUSIBLE: Final = "missing: the counts contradict the reply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A usage report in one vocabulary; None where it says nothing or nonsense."""

    prompt: int | None
    completion: int | None
    total: int | None
    reasoning: int | None
    cached: int | None
    written: int | None = None
    written_1h: int | None = None


def is_reported(body: Json) -> bool:
    """Tell whether a raw body says anything about tokens."""
    return isinstance(body, dict) and any(
        bool(body[place]) for place in fields.USAGE_REPORTS if place in body
    )


def counts(usage: Json) -> Counts:
    """Read chat, Responses or Messages usage; counts that are negative, absurd or no integers are None."""
    if not isinstance(usage, Mapping):
        usage = {}
    inner = _part(usage, fields.PROMPT_DETAILS)
    outer = _part(usage, fields.COMPLETION_DETAILS)
    cached = _count(inner, fields.CACHED_TOKENS)
    prompt = _count(usage, fields.PROMPT_TOKENS)
    read, written = _count(usage, fields.CACHE_READ), _count(usage, fields.CACHE_WRITTEN)
    if "input_tokens" in usage and prompt is not None and not inner:
        # Anthropic counts cached input beside input_tokens, OpenAI inside.
        prompt += (read or 0) + (written or 0)
    if cached is None and read is None:
        cached = _count(usage, fields.CACHED_BESIDE)
    return Counts(
        prompt=prompt,
        completion=_count(usage, fields.COMPLETION_TOKENS),
        total=_count(usage, fields.TOTAL_TOKENS),
        reasoning=_count(outer, fields.REASONING_TOKENS),
        cached=read if cached is None else cached,
        written=_count(inner, fields.WRITTEN_TOKENS) if written is None else written,
        written_1h=_count(
            _part(usage, fields.WRITTEN_PARTS) or _part(inner, fields.WRITTEN_PARTS), fields.WRITTEN_1H
        ),
    )


def told_usd(raw: Json) -> float | None:
    """Return the dollars that a raw body says its reply cost, or None where it says nothing of it."""
    usage = raw.get("usage") if isinstance(raw, Mapping) else None
    if not isinstance(usage, Mapping):
        return None
    ticks = _dollars(usage, fields.TOLD_TICKS)
    if ticks is not None:
        return ticks * fields.USD_PER_TICK
    listed = usage.get("cost")
    own = _dollars(listed if isinstance(listed, Mapping) else usage, fields.TOLD_USD)
    details = usage.get("cost_details")
    if usage.get("is_byok") is True and isinstance(details, Mapping):
        return (own or 0.0) + (_dollars(details, fields.UPSTREAM_USD) or 0.0)
    return own


def read_usage(given: Counts, *, reported: bool, has_output: bool) -> Usage:
    """Return the usage of a reply; `has_output` tells whether its message holds any output.

    `generated` is None where the report is missing or cannot be: the caller estimates then, and
    never takes zero for a reply with output.
    """
    if not reported:
        return Usage(prompt=None, generated=None, rule=MISSING)
    generated, rule = _generated(given)
    if generated is None or (generated == 0 and has_output):
        generated, rule = None, IMPLAUSIBLE
    return Usage(
        prompt=given.prompt,
        generated=generated,
        reasoning=given.reasoning,
        cached=given.cached,
        written=given.written,
        written_1h=given.written_1h,
        rule=rule,
    )


def _generated(given: Counts) -> tuple[int | None, str]:
    if given.completion is None:
        return None, IMPLAUSIBLE
    if given.total is not None and given.prompt is not None:
        rest = given.total - given.prompt
        if rest > given.completion:
            return rest, REMAINDER
    if given.reasoning is not None and given.reasoning > given.completion > 0:
        return given.completion + given.reasoning, REASONING_BESIDE
    return given.completion, COMPLETION


def _part(usage: Mapping[str, Json], names: tuple[str, ...]) -> Mapping[str, Json]:
    return next((usage[name] for name in names if isinstance(usage.get(name), Mapping) and usage[name]), {})


def _count(usage: Mapping[str, Json], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_PLAUSIBLE_TOKENS:
            return value
    return None


def _dollars(place: Mapping[str, Json], names: tuple[str, ...]) -> float | None:
    for name in names:
        value = place.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf:
            return float(value)
    return None
