"""Thinking with a budget of tokens, which some models want below the response ceiling.

Anthropic's older models refuse a request whose `max_tokens` does not exceed its thinking budget. What a
phase of a window has left bounds the ceiling, so the budget of that request is lowered with it; where
even the least budget does not fit, the phase is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agents.routes.adapter.library import litellm
from agents.routes.entry import ANSWER_TOKENS, RouteEntry
from tournament.records import Json

MIN_CEILING: Final = 16
MIN_THINKING_BUDGET: Final = 1024


def fitted_params(entry: RouteEntry, ceiling: int) -> dict[str, Json]:
    """Return the entry's parameters for a request of this ceiling, in tokens."""
    budget = entry.thinking_budget
    if budget is None or budget + ANSWER_TOKENS <= ceiling:
        return dict(entry.params)
    lowered = {**entry.params["thinking"], "budget_tokens": ceiling - ANSWER_TOKENS}
    return {**entry.params, "thinking": lowered}


def least_ceiling(entry: RouteEntry) -> int:
    """Return the fewest tokens that a request of this route may ask for."""
    if entry.thinking_budget is not None:
        return MIN_THINKING_BUDGET + ANSWER_TOKENS
    if entry.transport == "chat" and "reasoning_effort" in entry.params and not entry.is_mock:
        budget = _mapped_budget(entry)
        return MIN_CEILING if budget is None else budget + ANSWER_TOKENS
    return MIN_CEILING


def _mapped_budget(entry: RouteEntry) -> int | None:
    """Return the budget that litellm makes of an effort, for models that know no efforts."""
    library = litellm()
    model, provider, _, _ = library.get_llm_provider(entry.model, api_base=entry.api_base)
    effort = entry.params["reasoning_effort"]
    mapped: Mapping[str, Any] = library.utils.get_optional_params(
        model=model, custom_llm_provider=provider, reasoning_effort=effort, drop_params=False
    )
    thinking = mapped.get("thinking")
    return thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
