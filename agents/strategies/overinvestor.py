"""Over-investor, a cautionary tale: buys capacity, advertising and research on faith, without a return gate.

After the blind-spending control of Business Arena (Appendix G, marketing ladder): "blind spending achieves
higher raw revenue by using almost six times the budget", and turns each dollar into the least value. It
notices trouble only when the money is nearly gone, and then stops everything at once.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from agents.strategies.reading import demand_rates, order_up_to, running_projects
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, SEGMENTS, budget, marketing_plan
from tournament.records import Json


class OverinvestorParameters(Parameters):
    """What it spends a day whatever comes of it, and the cash at which it takes fright."""

    advertising_cents: Annotated[int, Field(ge=0, le=600_000)] = 25_000
    development_cents: Annotated[int, Field(ge=0, le=200_000)] = 20_000
    fright_cents: Annotated[int, Field(ge=0)] = 12_000_000


def decide(investor: OverinvestorParameters, facts: Facts, memo: Json) -> Move:
    """Spend at full rate from the first day; below the fright level spend nothing until cash recovers."""
    afraid = facts["cash_cents"] < investor.fright_cents
    spending = 0 if afraid else 1
    rates = demand_rates(facts)
    decision: dict[str, Json] = {
        "prices": {j: facts["products"][j]["list_price"] for j in PRODUCTS},
        "reorder_targets": {
            j: order_up_to(facts, j, 1.3 * rates[j], spare_days=0.0 if afraid else 14.0) for j in PRODUCTS
        },
        "development": dict.fromkeys(PRODUCTS, budget(spending * investor.development_cents)),
        "marketing": marketing_plan(dict.fromkeys(SEGMENTS, spending * investor.advertising_cents)),
        "reliability": spending * 12_000,
        "support": spending * 15_000,
    }
    decision.update(_bought(facts, facts["cash_cents"] - investor.fright_cents))
    return Move(decision=decision)


def _bought(facts: Facts, cash: int) -> dict[str, Json]:
    """The largest tier and the largest project, whatever they return, as far as cash above the fright goes."""
    company, largest, project = facts["company"], facts["capacity"][-1], facts["innovation"][-1]
    bought: dict[str, Json] = {}
    price = largest["capital_cents"] - facts["capacity"][company["tier"]]["capital_cents"]
    ready = largest["construction_days"] < facts["days_left"]
    if 0 < price <= cash and company["pending"] is None and ready:
        bought["capacity"] = {"expand": largest["tier"]}
        cash -= price
    ends = project["median_days"] < facts["days_left"]
    if running_projects(facts) < 3 and project["price_cents"] <= cash and ends:
        bought["innovation"] = [project["tier"]]
    return bought


OVERINVESTOR: Final = Strategy(
    id="overinvestor@1",
    summary="cautionary: largest tier, largest projects and heavy advertising with no return gate",
    parameters=OverinvestorParameters,
    decide=decide,
    traits=("blind spending", "no return gate", "cautionary"),
)
