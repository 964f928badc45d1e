"""Relationship-led wholesaler: lives on tenders, keeps the stock, quality and service that win them.

After the relationship-led wholesaler of Business Arena (Appendix J): it "builds value through durable
supplier and buyer relationships", concentrates capital on repeat demand, "protects landed margin" and
redeploys capital only when realised turnover supports it. Bids learn from public results: down to just
under a rival's winning price, up again after a win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from agents.strategies.reading import (
    can_win,
    demand_rates,
    expansion,
    gross_margin,
    order_up_to,
    running_projects,
)
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, budget, marketing_plan, priced
from tournament.records import Json


class WholesalerParameters(Parameters):
    """Bidding, the stock kept ready for a tender, and the quality lead that qualifies for all of them."""

    opening_bid: Annotated[float, Field(gt=0, le=1)] = 0.96
    undercut: Annotated[float, Field(ge=0, lt=1)] = 0.02
    least_margin: Annotated[float, Field(ge=0)] = 0.15
    ready_units: Annotated[int, Field(ge=0, le=5_000)] = 310
    quality_lead: Annotated[float, Field(ge=0, lt=0.36)] = 0.055
    retail_level: Annotated[float, Field(gt=0, le=3)] = 1.02
    reserve_cents: Annotated[int, Field(ge=0)] = 15_000_000


def decide(trader: WholesalerParameters, facts: Facts, memo: Json) -> Move:
    """Bid where a delivery is sure, at the level that past results taught; retail sells the rest."""
    levels = _levels(trader, facts, memo)
    rates = demand_rates(facts)
    bids = {
        str(tender["tender"]): _bid(trader, facts, tender, levels[tender["product"]])
        for tender in facts["tenders"]
        if can_win(facts, tender)
    }
    ready = trader.ready_units if facts["days_left"] > 35 else 0
    short = {j: _quality_gap(trader, facts, j) for j in PRODUCTS}
    decision: dict[str, Json] = {
        "prices": {
            j: priced(facts, j, trader.retail_level * facts["products"][j]["list_price"]) for j in PRODUCTS
        },
        "reorder_targets": {j: ready + order_up_to(facts, j, rates[j], 2.0) for j in PRODUCTS},
        "development": {j: budget(8_000 if short[j] > 0 else 1_500 * (ready > 0)) for j in PRODUCTS},
        "marketing": marketing_plan({"mainstream": 5_000 if facts["days_left"] > 28 else 0}),
        "reliability": 6_000,
        "support": 8_000,
        "bids": bids,
    }
    behind = any(gap > 0 for gap in short.values()) and running_projects(facts) == 0
    middle = facts["innovation"][1]
    spared = facts["cash_cents"] - middle["price_cents"] >= trader.reserve_cents
    if behind and spared and 2 * middle["median_days"] < facts["days_left"]:
        decision["innovation"] = [middle["tier"]]
    sold = sum(rates.values()) + 12.0
    margin = gross_margin(facts) / 7 / max(sold, 1.0)
    capacity = expansion(facts, 1.3 * sold, margin, trader.reserve_cents)
    if capacity is not None and "innovation" not in decision:
        decision["capacity"] = capacity
    asked = {str(tender["tender"]): tender["reservation_cents"] for tender in facts["tenders"]}
    return Move(decision=decision, memo={"levels": levels, "asked": asked})


def _levels(trader: WholesalerParameters, facts: Facts, memo: Json) -> dict[str, float]:
    """Bid levels by product, as shares of the reservation price, after the results of last week's tenders."""
    if memo is None:
        return dict.fromkeys(PRODUCTS, trader.opening_bid)
    levels: dict[str, float] = dict(memo["levels"])
    for result in facts["tender_results"]:
        reservation = memo["asked"].get(str(result["tender"]))
        if reservation is None or result["price_cents"] is None:
            continue
        j = result["product"]
        won = result["winner_seat"] == facts["seat"]
        reached = result["price_cents"] / reservation
        taught = levels[j] * (1 + trader.undercut / 2) if won else reached * (1 - trader.undercut)
        levels[j] = max(0.5, min(1.0, taught))
    return levels


def _bid(trader: WholesalerParameters, facts: Facts, tender: Mapping[str, Any], level: float) -> int:
    floor = facts["products"][tender["product"]]["cost"] * (1 + trader.least_margin)
    return int(max(1, min(tender["reservation_cents"], max(floor, level * tender["reservation_cents"]))))


def _quality_gap(trader: WholesalerParameters, facts: Facts, product: str) -> float:
    wanted = facts["products"][product]["base_quality"] + trader.quality_lead
    return float(wanted - facts["company"]["quality"][product])


WHOLESALER: Final = Strategy(
    id="wholesaler@1",
    summary="tender-led: ready stock and quality for every tender, bids that learn from public results",
    parameters=WholesalerParameters,
    decide=decide,
    traits=("tenders", "service", "ready stock"),
)
