"""The words of the market `ceo_arena@1` that its policies use, and the shape of its decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from agents.strategy import Facts

Product = Literal["A", "B", "C"]
Segment = Literal["mainstream", "premium", "value"]
Channel = Literal["affiliate", "display", "search"]

PRODUCTS: Final[tuple[Product, ...]] = ("A", "B", "C")
SEGMENTS: Final[tuple[Segment, ...]] = ("mainstream", "premium", "value")
CHANNELS: Final[tuple[Channel, ...]] = ("affiliate", "display", "search")
BUDGET_LIMIT: Final = 200_000

Marketing = dict[str, dict[str, int]]


def split(cents: int, parts: int) -> list[int]:
    """Return `cents` in near-equal integer parts, the remainder cents on the first ones."""
    share, rest = divmod(cents, parts)
    return [share + (part < rest) for part in range(parts)]


def marketing_plan(by_segment: Mapping[Segment, int]) -> Marketing:
    """Return a budget for every cell: each segment's cents a day split over its channels, absent ones 0.

    What a segment's cells may not hold is cut off.
    """
    most = BUDGET_LIMIT * len(CHANNELS)
    return {
        segment: dict(
            zip(CHANNELS, split(max(0, min(most, by_segment.get(segment, 0))), len(CHANNELS)), strict=True)
        )
        for segment in SEGMENTS
    }


def priced(facts: Facts, product: str, cents: float) -> int:
    """Return a price within what a decision may hold: 1 to three times list."""
    return max(1, min(3 * int(facts["products"][product]["list_price"]), round(cents)))


def budget(cents: float) -> int:
    """Return a daily budget of one cell within what a decision may hold: 0 to 200,000 cents."""
    return max(0, min(BUDGET_LIMIT, round(cents)))
