"""Tokens of a reply: what the provider said, by named rules, and unknown where it said nothing.

litellm fills missing usage with zeros and hands negative counts through, and vendors differ in whether
reasoning is inside the completion count. So whether anything was said is read from the raw body, and
the rule that found the generated tokens is kept with the number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tournament.records import Json, Usage

MISSING: Final = "missing"
COMPLETION: Final = "completion"
REMAINDER: Final = "total less prompt: reasoning is outside the completion count"
BESIDE: Final = "completion plus reasoning: reasoning is outside the completion count"
# No request of today's models holds more by far: a larger count is nonsense.
MOST_TOKENS: Final = 100_000_000
IMPLAUSIBLE: Final = "missing: the counts contradict the reply"

_PLACES: Final = ("usage", "usageMetadata", "usage_metadata", "eval_count", "prompt_eval_count", "meta")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A usage report in one vocabulary; None where it says nothing or nonsense."""

    prompt: int | None
    completion: int | None
    total: int | None
    reasoning: int | None
    cached: int | None
    written: int | None = None


def is_reported(body: Json) -> bool:
    """Tell whether a raw body says anything about tokens."""
    return isinstance(body, dict) and any(bool(body[place]) for place in _PLACES if place in body)


def counts(usage: Json) -> Counts:
    """Read chat, Responses or Messages usage; counts that are negative, absurd or no integers are None."""
    if not isinstance(usage, Mapping):
        usage = {}
    inner = _part(usage, "prompt_tokens_details") or _part(usage, "input_tokens_details")
    outer = _part(usage, "completion_tokens_details") or _part(usage, "output_tokens_details")
    cached = _count(inner, "cached_tokens")
    prompt = _count(usage, "prompt_tokens", "input_tokens")
    read, written = _count(usage, "cache_read_input_tokens"), _count(usage, "cache_creation_input_tokens")
    if "input_tokens" in usage and prompt is not None and not inner:
        # Anthropic counts cached input beside input_tokens, OpenAI inside.
        prompt += (read or 0) + (written or 0)
    return Counts(
        prompt=prompt,
        completion=_count(usage, "completion_tokens", "output_tokens"),
        total=_count(usage, "total_tokens"),
        reasoning=_count(outer, "reasoning_tokens"),
        cached=read if cached is None else cached,
        written=_count(inner, "cache_creation_tokens", "cache_write_tokens") if written is None else written,
    )


def read_usage(given: Counts, *, reported: bool, says_something: bool) -> Usage:
    """Return the usage of a reply; `says_something` tells whether its message holds any output.

    `generated` is None where the report is missing or cannot be: the caller estimates then, and
    never takes zero for a reply that says something.
    """
    if not reported:
        return Usage(prompt=None, generated=None, rule=MISSING)
    generated, rule = _generated(given)
    if generated is None or (generated == 0 and says_something):
        generated, rule = None, IMPLAUSIBLE
    return Usage(
        prompt=given.prompt,
        generated=generated,
        reasoning=given.reasoning,
        cached=given.cached,
        written=given.written,
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
        return given.completion + given.reasoning, BESIDE
    return given.completion, COMPLETION


def _part(usage: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = usage.get(name)
    return value if isinstance(value, Mapping) else {}


def _count(usage: Mapping[str, Json], *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
            return value
    return None
