"""Velocity market-maker: turns stock into cash fast, at prices that keep the whole capacity busy.

After the velocity market-maker of Business Arena (Appendix J): it "maintains broad product coverage,
favors fast replenishment, uses volume-oriented pricing, and scales only products and advertisements
that convert inventory into cash quickly".
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from agents.strategies.reading import (
    demand_rates,
    expansion,
    gross_margin,
    order_up_to,
    unserved_share,
    utilisation,
)
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, marketing_plan, priced
from tournament.records import Json


class VelocityParameters(Parameters):
    """How busy the firm wants to be, how fast prices move towards it, and what it spends on being found."""

    busy: Annotated[float, Field(gt=0, le=1)] = 0.85
    step: Annotated[float, Field(gt=0, lt=0.2)] = 0.015
    lowest: Annotated[float, Field(gt=0)] = 0.93
    highest: Annotated[float, Field(gt=0)] = 1.05
    spare_days: Annotated[float, Field(ge=0)] = 3.0
    advertising_share: Annotated[float, Field(ge=0, le=1)] = 0.12
    reserve_cents: Annotated[int, Field(ge=0)] = 15_000_000


def decide(maker: VelocityParameters, facts: Facts, memo: Json) -> Move:
    """Walk one price level towards the wanted utilisation and advertise out of last week's margin."""
    level = 1.0 if memo is None else memo["level"]
    busy = utilisation(facts)
    if facts["recent"] is not None:
        level += maker.step if busy > maker.busy or unserved_share(facts) > 0.05 else -maker.step
        level = max(maker.lowest, min(maker.highest, level))
    rates = demand_rates(facts)
    margin = gross_margin(facts)
    advertising = int(maker.advertising_share * margin / 7) if facts["days_left"] > 21 else 0
    decision: dict[str, Json] = {
        "prices": {j: priced(facts, j, level * facts["products"][j]["list_price"]) for j in PRODUCTS},
        "reorder_targets": {j: order_up_to(facts, j, rates[j], maker.spare_days) for j in PRODUCTS},
        "marketing": marketing_plan({"mainstream": advertising // 2, "value": advertising // 2}),
        "reliability": 3_000,
        "support": 5_000,
    }
    sold = sum(rates.values())
    capacity = expansion(facts, 1.2 * sold, margin / 7 / max(sold, 1.0), maker.reserve_cents)
    if busy > maker.busy and capacity is not None:
        decision["capacity"] = capacity
    return Move(decision=decision, memo={"level": level})


VELOCITY: Final = Strategy(
    id="velocity@1",
    summary="market-maker: low prices that keep capacity busy, fast replenishment, grows when full",
    parameters=VelocityParameters,
    decide=decide,
    traits=("volume", "broad", "grows when full"),
)
