"""The budgets of a decision window, equal for every route, and the phase that is reached.

Limits are looked at between replies only: a reply that was asked for within the limits counts whole,
so the seal it holds is a seal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

CLOSING_REPLIES: Final = 4
CALLS_PER_REPLY: Final = 64
# Providers refuse response ceilings below 16 tokens, and some models higher ones: a phase with less left
# than a route's least ceiling is over.
MIN_CEILING: Final = 16


class Budgets(BaseModel):
    """What one window allows; finalization starts four replies before the end, or at 75 % of the rest."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    replies: int = Field(default=32, ge=1, le=1000, description="accounting-valid replies")
    tokens: int = Field(default=131_072, ge=256, description="generated tokens, reasoning included once")
    seconds: int = Field(default=3600, ge=1, description="active seconds")

    @property
    def working_replies(self) -> int:
        return max(1, self.replies - CLOSING_REPLIES)

    @property
    def working_tokens(self) -> int:
        return self.tokens * 3 // 4

    @property
    def working_seconds(self) -> float:
        return self.seconds * 0.75


@dataclass(slots=True, kw_only=True)
class Spent:
    """What a window has used so far; `finalized_at` is the number of replies when finalization began."""

    replies: int = 0
    tokens: int = 0
    seconds: float = 0.0
    finalized_at: int | None = None


def finalization_due(budgets: Budgets, spent: Spent, min_ceiling: int = MIN_CEILING) -> str:
    """Return what has brought the window into finalization, or an empty text."""
    if spent.replies >= budgets.working_replies:
        return f"{spent.replies} replies used"
    if budgets.working_tokens - spent.tokens < min_ceiling:
        return f"{spent.tokens} generated tokens used"
    if spent.seconds >= budgets.working_seconds:
        return "three quarters of the active time used"
    return ""


def exhausted(budgets: Budgets, spent: Spent, min_ceiling: int = MIN_CEILING) -> str:
    """Return which limit forbids another reply, or an empty text."""
    if spent.replies >= budgets.replies:
        return f"all {budgets.replies} replies used without a valid seal"
    if budgets.tokens - spent.tokens < min_ceiling:
        return f"{spent.tokens} of {budgets.tokens} generated tokens used without a valid seal"
    if spent.seconds >= budgets.seconds:
        return f"all {budgets.seconds} active seconds used without a valid seal"
    if spent.finalized_at is not None and spent.replies - spent.finalized_at >= CLOSING_REPLIES:
        return f"the {CLOSING_REPLIES} replies of finalization used without a valid seal"
    return ""


def replies_left(budgets: Budgets, spent: Spent) -> int:
    """Return how many more replies the window allows in its phase."""
    left = budgets.replies - spent.replies
    if spent.finalized_at is None:
        return left
    return min(left, CLOSING_REPLIES - (spent.replies - spent.finalized_at))


def response_ceiling(budgets: Budgets, spent: Spent, route_ceiling: int) -> int:
    """Return the tokens that the next reply may generate: the route's ceiling, or what the phase has left."""
    limit = budgets.working_tokens if spent.finalized_at is None else budgets.tokens
    return min(route_ceiling, limit - spent.tokens)
