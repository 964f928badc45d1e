"""Premium account house: sells quality to customers who weigh it, at prices that protect the margin.

After the premium account house of Business Arena (Appendix J): it "competes through quality and account
value", "maintains a focused assortment, charges margin-protective prices" and watches repeat customers
"to decide whether to invest further or exit". Prices rise with the quality that has been built, in the
manner of the paper's Gemini case: undercut only where the margin survives.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from agents.strategies.reading import demand_rates, expansion, gross_margin, order_up_to, running_projects
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, budget, marketing_plan, priced
from tournament.records import Json


class PremiumParameters(Parameters):
    """How much of its quality the house charges for, and what it reinvests while the horizon allows."""

    opening: Annotated[float, Field(gt=0, le=3)] = 1.03
    charged: Annotated[float, Field(ge=0)] = 0.55
    enough: Annotated[float, Field(ge=0, lt=0.36)] = 0.16
    projects: Annotated[int, Field(ge=0, le=3)] = 3
    development_share: Annotated[float, Field(ge=0, le=1)] = 0.08
    advertising_share: Annotated[float, Field(ge=0, le=1)] = 0.10
    reserve_cents: Annotated[int, Field(ge=0)] = 18_000_000


def decide(house: PremiumParameters, facts: Facts, memo: Json) -> Move:
    """Price each product on its quality lead; fund quality first, then service, then being seen."""
    rates = demand_rates(facts)
    weekly = gross_margin(facts)
    invests = facts["days_left"] > 120
    development = house.development_share * weekly / 7 if invests else 0.0
    advertising = int(house.advertising_share * weekly / 7) if facts["days_left"] > 28 else 0
    decision: dict[str, Json] = {
        "prices": {j: _price(house, facts, j) for j in PRODUCTS},
        "reorder_targets": {j: order_up_to(facts, j, rates[j], 2.0, service=2.0) for j in PRODUCTS},
        "development": {
            "A": 0,
            "B": budget(4_000 * invests + development * 0.4),
            "C": budget(6_000 * invests + development * 0.6),
        },
        "marketing": marketing_plan({"premium": advertising * 2 // 3, "mainstream": advertising // 3}),
        "reliability": 6_000,
        "support": 8_000,
    }
    project = _project(house, facts)
    if project is not None:
        decision["innovation"] = [project]
    sold = sum(rates.values())
    capacity = expansion(facts, 1.1 * sold, weekly / 7 / max(sold, 1.0), house.reserve_cents)
    if capacity is not None and project is None:
        decision["capacity"] = capacity
    return Move(decision=decision)


def _price(house: PremiumParameters, facts: Facts, product: str) -> int:
    """List price, raised by the share of the quality lead that is charged."""
    terms = facts["products"][product]
    lead = facts["company"]["quality"][product] - terms["base_quality"]
    return priced(facts, product, terms["list_price"] * (house.opening + house.charged * lead))


def _project(house: PremiumParameters, facts: Facts) -> int | None:
    """The largest project that leaves time to earn and spares the reserve, until the lead is enough."""
    terms, quality = facts["products"], facts["company"]["quality"]
    lead = min(quality[j] - terms[j]["base_quality"] for j in PRODUCTS)
    if running_projects(facts) >= house.projects or lead >= house.enough:
        return None
    for option in reversed(facts["innovation"]):
        affordable = facts["cash_cents"] - option["price_cents"] >= house.reserve_cents
        if affordable and 2.5 * option["median_days"] <= facts["days_left"]:
            return int(option["tier"])
    return None


PREMIUM: Final = Strategy(
    id="premium@1",
    summary="quality first: innovation and development on B and C, prices that rise with quality",
    parameters=PremiumParameters,
    decide=decide,
    traits=("quality", "focused", "margin-protective"),
)
