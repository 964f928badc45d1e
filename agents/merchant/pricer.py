"""Elasticity pricer: asks two prices for four months, then the price that each category's buyers bear.

The constant-elasticity rule price = cost x e / (e - 1) is Lerner's (1934); e comes from the two arms of
its own experiment, shrunk towards 2. Where rivals offer the same product it asks less and lists less.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from agents.merchant.explorer import ExplorerParameters, explore
from agents.merchant.reading import MERCHANT, Ints, Reals, exposed, moving, now, offers, static
from agents.strategy import Facts, Move, Strategy
from tournament.records import Json

CATEGORIES: Final = 10
LOW, HIGH = 0, 1


class PricerParameters(ExplorerParameters):
    """The two multiples of the experiment, its length, and how far a crowd lowers the price."""

    low: Annotated[float, Field(gt=1, le=10)] = 1.6
    high: Annotated[float, Field(gt=1, le=10)] = 2.3
    experiment_days: Annotated[int, Field(ge=1, le=365)] = 120
    least: Annotated[float, Field(gt=0, le=10)] = 1.25
    undercut: Annotated[float, Field(ge=0, le=0.3)] = 0.12


def decide(merchant: PricerParameters, facts: Facts, memo: Json) -> Move:
    """Explore dear products that few rivals offer, at the price that the experiment asks or found."""
    state = _fresh() if memo is None else memo
    sums, known_orders = state["sums"], state["orders"]
    multiples = state["multiples"]
    if multiples is None and now(facts) >= 24 * merchant.experiment_days:
        multiples = [_best(merchant, low, high) for low, high in sums]
    elif multiples is None:
        sums, known_orders = _counted(facts, sums, known_orders)
    crowd = offers(facts).crowd(facts["seat"], len(facts["catalog"]["price_cents"]))

    def multiple(numbers: Ints) -> Reals:
        if multiples is None:
            plain = np.where(numbers // CATEGORIES % 2 == LOW, merchant.low, merchant.high)
        else:
            plain = np.array(multiples, dtype=np.float64)[numbers % CATEGORIES]
        asks: Reals = plain * (1 - merchant.undercut * np.minimum(crowd[numbers], 3))
        return np.maximum(merchant.least, asks)

    def score() -> Reals:
        known, seen = static(facts), moving(facts)
        attraction: Reals = known.rating + known.supplier_rating + 0.2 * seen.log_thousands - 0.4 * crowd
        return attraction

    move, barred = explore(merchant, facts, state["barred"], multiple, score)
    kept = {
        "sums": sums if multiples is None else [],
        "orders": known_orders if multiples is None else {},
        "multiples": multiples,
        "barred": barred,
    }
    return replace(move, memo=kept)


def _fresh() -> dict[str, Any]:
    nothing = [[[0, 0.0], [0, 0.0]] for _ in range(CATEGORIES)]
    return {"sums": nothing, "orders": {}, "multiples": None, "barred": None}


def _counted(facts: Facts, sums: Any, known: dict[str, int]) -> tuple[Any, dict[str, int]]:
    """Add each listing's new orders and exposure to its category's arm."""
    sums = [[list(arm) for arm in arms] for arms in sums]
    known = dict(known)
    lifetime, numbers, hour = facts["lifetime_orders"], static(facts).number, now(facts)
    for row in facts["listings"]:
        name = row["product"]
        i = numbers[name]
        orders = lifetime.get(name, 0)
        arm = sums[i % CATEGORIES][i // CATEGORIES % 2]
        arm[0] += orders - known.get(name, 0)
        arm[1] += exposed(hour - row["listed_hour"])
        known[name] = orders
    return sums, known


def _best(merchant: PricerParameters, low: list[float], high: list[float]) -> float:
    """Return e / (e - 1) of a category, from the orders and exposure of both arms and a prior."""
    (orders, exposed), (dear_orders, dear_exposed) = low, high
    ratio = ((orders + 4) / (exposed + 40)) / ((dear_orders + 1.92) / (dear_exposed + 40))
    elasticity = math.log(ratio) / math.log(merchant.high / merchant.low)
    elasticity = (min(max(elasticity, 1.5), 3.0) + 2.0) / 2
    return elasticity / (elasticity - 1)


MERCHANT_PRICER: Final = Strategy(
    id="merchant-pricer@1",
    summary="measures by category how buyers answer to price, then asks accordingly; undercuts a crowd",
    parameters=PricerParameters,
    decide=decide,
    traits=("explorer", "experimenter", "pricing"),
    markets=MERCHANT,
)
