"""The core that three merchants share: learn what sells, and let the price range grow with the cash.

Every week the listings that earn least are given up; what is listed instead differs by strategy, as does
the price. It follows the human pattern of the MerchantBench paper (Section 5): try, keep what sells, move up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from agents.merchant.reading import (
    DISPATCH_HOURS,
    Dated,
    Ints,
    Reals,
    asked,
    costs,
    exposed,
    moving,
    now,
    static,
)
from agents.strategy import Facts, Move, Parameters
from tournament.records import Json

Multiple = Callable[[Ints], Reals | float]
Listing = dict[str, Any]

WEEK: Final = 168
TRIAL_HOURS: Final = 240
GIVEN_UP: Final = 10
SHORT_REST: Final = 72
LONG_REST: Final = 240
BANISHED: Final = 45 * 24
LEAST_STOCK: Final = 3
PROVEN: Final = 3


class ExplorerParameters(Parameters):
    """How far the price range reaches, and below which earnings a product is banished for long."""

    price_floor: Annotated[int, Field(ge=0)] = 2500
    cash_share: Annotated[int, Field(ge=1)] = 45
    poor: Annotated[float, Field(ge=0)] = 60.0


@lru_cache(maxsize=4096)
def exposed_days(age: int) -> float:
    """Return the sum of exposures at ages 0, 24, ... below the age, plus one: the days a listing was seen.

    The one keeps a young listing's earnings a day from being guessed out of very little.
    """
    total = 0.0
    for at in range(0, age, 24):
        total += exposed(at)
    return total + 1


def explore(
    explorer: ExplorerParameters,
    facts: Facts,
    memo: Json,
    multiple: Multiple,
    score: Callable[[], Reals],
) -> tuple[Move, Json]:
    """Return the window's move (without a memo), and until which hour each product is barred: the next memo.

    `multiple` gives the price over cost of product numbers, `score` the attraction of all products.
    """
    hour = now(facts)
    known = static(facts)
    barred = Dated.read(memo).after(hour)
    shelf: list[Listing] = facts["listings"]
    dropped: dict[str, int] = {}
    for row in shelf:
        if not row["available"] or row["ship_hours"] > DISPATCH_HOURS or row["stock"] == 0:
            dropped[row["product"]] = hour + SHORT_REST
    if hour % WEEK == 0:
        rest = [row for row in shelf if row["product"] not in dropped]
        dropped |= _weakest(explorer, rest, hour)
    kept = [row for row in shelf if row["product"] not in dropped]
    barred = barred.with_dates(known.numbers(dropped), dropped.values())
    numbers = known.numbers([row["product"] for row in kept])
    prices = asked(costs(kept), multiple(numbers))
    reprice = {
        row["product"]: price for row, price in zip(kept, prices, strict=True) if price != row["price_cents"]
    }
    left_out = np.concatenate((barred.product, known.numbers([row["product"] for row in shelf])))
    listing = _fill(explorer, facts, left_out, facts["slots"] - len(kept), multiple, score)
    decision = {
        "delist": [row["product"] for row in shelf if row["product"] in dropped],
        "reprice": reprice,
        "list": listing,
    }
    return Move(decision=decision), barred.written()


def _weakest(explorer: ExplorerParameters, rows: list[Listing], hour: int) -> dict[str, int]:
    """Return the ten listings that earn least a day, of those tried long enough, and their rest."""
    ranked = []
    for row in rows:
        age = hour - row["listed_hour"]
        if age >= TRIAL_HOURS:
            margin = row["price_cents"] - row["supplier_price_cents"]
            earned = row["orders"] * margin / exposed_days(age) * exposed(age)
            ranked.append((earned, row["product"]))
    return {
        name: hour + (BANISHED if earned < explorer.poor else LONG_REST)
        for earned, name in sorted(ranked)[:GIVEN_UP]
    }


def _fill(
    explorer: ExplorerParameters,
    facts: Facts,
    left_out: Ints,
    free: int,
    multiple: Multiple,
    score: Callable[[], Reals],
) -> dict[str, int]:
    if free <= 0:
        return {}
    known, seen = static(facts), moving(facts)
    reach = max(explorer.price_floor, facts["cash_cents"] // explorer.cash_share)
    wanted = seen.sellable & (seen.stock >= LEAST_STOCK) & (seen.price <= reach)
    wanted[left_out] = False
    attraction = score()
    sold = {known.number[name]: n for name, n in facts["lifetime_orders"].items() if n >= PROVEN}
    if sold:
        attraction[list(sold)] += [_bonus(orders) for orders in sold.values()]
    candidates = np.flatnonzero(wanted)
    best = candidates[np.argsort(-attraction[candidates], kind="stable")[:free]]
    prices = asked(seen.price[best], multiple(best))
    return {known.product[i]: price for i, price in zip(best.tolist(), prices, strict=True)}


@lru_cache(maxsize=4096)
def _bonus(orders: int) -> float:
    """Return what so many orders over a life add to a product's attraction."""
    return 0.5 * math.log(1 + orders)
