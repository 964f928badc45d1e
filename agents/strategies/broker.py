"""Inventory-light broker: owns little, spends nothing to be found, restocks only what has just sold.

After the inventory-light broker of Business Arena (Appendix J, expert strategies): it "minimizes
ownership risk", opens small positions where contribution per unit of committed capital is high,
favours short routes, avoids paid acquisition "and replenishes only after sales evidence appears".
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from agents.strategies.reading import cover_days, demand_rates, order_up_to
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, marketing_plan, priced
from tournament.records import Json


class BrokerParameters(Parameters):
    """What a position must promise, and how the price moves with the cover that is left."""

    yield_floor: Annotated[float, Field(ge=0)] = 0.02
    scarce_days: Annotated[float, Field(gt=0)] = 8.0
    scarce_premium: Annotated[float, Field(ge=0, le=1)] = 0.06
    support_cents: Annotated[int, Field(ge=0, le=200_000)] = 1_500


def decide(broker: BrokerParameters, facts: Facts, memo: Json) -> Move:
    """Hold lead-time stock of products that turn their capital over, and price up what runs short."""
    rates = demand_rates(facts)
    prices, targets = {}, {}
    for j in PRODUCTS:
        product = facts["products"][j]
        short = cover_days(facts, j, rates[j]) < broker.scarce_days
        prices[j] = priced(facts, j, product["list_price"] * (1 + broker.scarce_premium * short))
        held = _daily_yield(facts, j, rates[j]) >= broker.yield_floor
        targets[j] = order_up_to(facts, j, rates[j], spare_days=0, service=1.0) if held else 0
    return Move(
        decision={
            "prices": prices,
            "reorder_targets": targets,
            "marketing": marketing_plan({}),
            "support": broker.support_cents,
        }
    )


def _daily_yield(facts: Facts, product: str, rate: float) -> float:
    """Contribution a day per cent that is tied up: margin of the rate over the stock that serves it."""
    terms = facts["products"][product]
    tied = terms["cost"] * max(1, order_up_to(facts, product, rate, spare_days=0, service=1.0))
    return float((terms["list_price"] - terms["cost"]) * rate / tied)


BROKER: Final = Strategy(
    id="broker@1",
    summary="inventory-light: lead-time stock only, no paid acquisition, prices up what runs short",
    parameters=BrokerParameters,
    decide=decide,
    traits=("inventory-light", "no acquisition", "list price"),
)
