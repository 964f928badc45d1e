"""Rule merchant: daily checks, and a shelf refilled from the report's hot keywords at a fixed mark-up.

After the rule-based baseline of the MerchantBench paper (Section 4.1): "daily checks", dropping what is
inactive or affected by its supplier, and filling from the daily report. It is the yardstick: what
differs between two matched worlds is not its doing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, repeat
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from agents.merchant.reading import (
    DISPATCH_HOURS,
    MERCHANT,
    Dated,
    Flags,
    Ints,
    asked,
    costs,
    moving,
    now,
    static,
)
from agents.strategy import Facts, Move, Parameters, Strategy
from tournament.records import Json

Fen = Annotated[int, Field(ge=0, le=1_000_000)]
Rating = Annotated[float, Field(ge=0, le=5)]
Days = Annotated[int, Field(ge=0, le=365)]


class MerchantRuleParameters(Parameters):
    """Filters on what is listed, the mark-up, and when a listing is given up."""

    price_max: Fen = 3000
    rating_min: Rating = 4.0
    supplier_min: Rating = 4.0
    quantity_min: Annotated[int, Field(ge=0)] = 4
    markup: Annotated[float, Field(gt=0, le=100)] = 2.0
    cash_low: Annotated[int, Field(ge=0)] = 50_000
    stale_days: Annotated[int, Field(ge=1, le=365)] = 7
    rest_days: Days = 21


PER_KEYWORD: Final = 20
HOURS_A_DAY: Final = 24


def decide(rule: MerchantRuleParameters, facts: Facts, memo: Json) -> Move:
    """Seal what the daily checks ask for; the memo keeps when each product was last on the shelf."""
    hour, known = now(facts), static(facts)
    shelf = facts["listings"]
    on_shelf = known.numbers([row["product"] for row in shelf])
    recent = Dated.read(None if memo is None else memo["seen"]).after(hour - HOURS_A_DAY * rule.rest_days)
    seen = recent.with_dates(on_shelf, repeat(hour, len(shelf)))
    if shelf and facts["cash_cents"] < rule.cash_low:
        return Move(
            decision={"delist": [row["product"] for row in shelf]},
            memo={"seen": seen.written()},
            rationale="cash is low: everything is taken off the shelf",
        )
    kept = [row for row in shelf if _is_good(rule, row, facts, hour)]
    left = {row["product"] for row in kept}
    prices = asked(costs(kept), rule.markup)
    listing = _fill(rule, facts, seen.product, facts["slots"] - len(kept))
    return Move(
        decision={
            "delist": [row["product"] for row in shelf if row["product"] not in left],
            "reprice": {
                row["product"]: price
                for row, price in zip(kept, prices, strict=True)
                if row["price_cents"] != price
            },
            "list": listing,
        },
        memo={"seen": seen.with_dates(known.numbers(listing), repeat(hour, len(listing))).written()},
    )


def _is_good(rule: MerchantRuleParameters, row: dict[str, Any], facts: Facts, hour: int) -> bool:
    if not row["available"] or row["ship_hours"] > DISPATCH_HOURS:
        return False
    if facts["hour"] != 0:
        return True
    sold = row["last_sale_hour"]
    since = row["listed_hour"] if sold is None else max(row["listed_hour"], sold)
    return bool((hour - since) // HOURS_A_DAY < rule.stale_days)


def _fill(rule: MerchantRuleParameters, facts: Facts, barred: Ints, free: int) -> dict[str, int]:
    """Return the listings for free slots."""
    if free <= 0:
        return {}
    known, seen = static(facts), moving(facts)
    wanted = seen.sellable & (seen.price <= rule.price_max) & (seen.stock >= rule.quantity_min)
    wanted &= (known.rating >= rule.rating_min) & (known.supplier_rating >= rule.supplier_min)
    wanted[barred] = False
    chosen = list(islice(_walk(facts, wanted), free))
    prices = asked(seen.price[chosen], rule.markup)
    return {known.product[i]: price for i, price in zip(chosen, prices, strict=True)}


def _walk(facts: Facts, wanted: Flags) -> Iterator[int]:
    """Yield candidates by hot keyword, at most 20 each, then all others by rating."""
    known = static(facts)
    rest = wanted.copy()
    candidates = np.flatnonzero(wanted)
    keywords = known.keyword[candidates]
    for keyword in facts["report"]["hot"]:
        taken = candidates[keywords == keyword][:PER_KEYWORD]
        rest[taken] = False
        yield from taken.tolist()
    yield from known.by_rating[rest[known.by_rating]].tolist()


MERCHANT_RULE: Final = Strategy(
    id="merchant-rule@1",
    summary="daily checks and a shelf filled from hot keywords at twice the cost; the reference policy",
    parameters=MerchantRuleParameters,
    decide=decide,
    traits=("fixed", "reference"),
    markets=MERCHANT,
)
