"""The words of the market `ceo_arena@1` that its policies use, and the shape of its decisions."""

from __future__ import annotations

from typing import Final, Literal

Product = Literal["A", "B", "C"]
Segment = Literal["mainstream", "premium", "value"]
Channel = Literal["affiliate", "display", "search"]

PRODUCTS: Final[tuple[Product, ...]] = ("A", "B", "C")
SEGMENTS: Final[tuple[Segment, ...]] = ("mainstream", "premium", "value")
CHANNELS: Final[tuple[Channel, ...]] = ("affiliate", "display", "search")

Marketing = dict[str, dict[str, int]]


def split(cents: int, parts: int) -> list[int]:
    """Return `cents` in near-equal integer parts, the remainder cents on the first ones."""
    share, rest = divmod(cents, parts)
    return [share + (part < rest) for part in range(parts)]


def marketing_plan(by_segment: dict[Segment, int]) -> Marketing:
    """Return a budget for every cell: each segment's cents a day split over its channels, absent ones 0."""
    return {
        segment: dict(zip(CHANNELS, split(by_segment.get(segment, 0), len(CHANNELS)), strict=True))
        for segment in SEGMENTS
    }
