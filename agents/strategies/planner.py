"""Reserve planner: one capital plan over the whole horizon that every other decision must fit.

After the coordinating layer of Business Arena's strategy reserve (Appendix J): it "determines the operating
phase, cash reserve, deployable budget"; early cycles commit, demonstrated returns scale, "late cycles
prioritize cash recovery", and specialised modules cannot spend independently.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from agents.strategies.reading import (
    can_win,
    demand_rates,
    expansion,
    gross_margin,
    order_up_to,
    running_projects,
    utilisation,
)
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, budget, marketing_plan, priced
from tournament.records import Json

Phase = Literal["commit", "scale", "harvest"]


class PlannerParameters(Parameters):
    """Where the phases part (shares of the horizon), what is held back, and what each phase deploys."""

    commit_until: Annotated[float, Field(ge=0, le=1)] = 0.25
    harvest_from: Annotated[float, Field(ge=0, le=1)] = 0.75
    reserve_cents: Annotated[int, Field(ge=0)] = 10_000_000
    projects: Annotated[int, Field(ge=0, le=3)] = 2
    development_cents: Annotated[int, Field(ge=0, le=200_000)] = 3_000
    advertising_share: Annotated[float, Field(ge=0, le=1)] = 0.08
    charged: Annotated[float, Field(ge=0)] = 0.35


def decide(planner: PlannerParameters, facts: Facts, memo: Json) -> Move:
    """Commit to quality early, scale what fills up, harvest late; price follows quality and crowding."""
    phase = _phase(planner, facts)
    rates = demand_rates(facts)
    weekly = gross_margin(facts)
    advertising = int(planner.advertising_share * weekly / 7) if facts["days_left"] > 28 else 0
    decision: dict[str, Json] = {
        "prices": {j: _price(planner, facts, j) for j in PRODUCTS},
        "reorder_targets": {j: order_up_to(facts, j, rates[j], 3.0, service=2.0) for j in PRODUCTS},
        "development": dict.fromkeys(PRODUCTS, budget(planner.development_cents * (phase != "harvest"))),
        "marketing": marketing_plan(
            {"mainstream": advertising // 2, "premium": advertising // 4, "value": advertising // 4}
        ),
        "reliability": 5_000 if phase != "harvest" else 2_500,
        "support": 6_000,
        "bids": {
            str(tender["tender"]): int(0.9 * tender["reservation_cents"])
            for tender in facts["tenders"]
            if can_win(facts, tender)
        },
    }
    project = _project(planner, facts, phase)
    if project is not None:
        decision["innovation"] = [project]
    sold = sum(rates.values())
    capacity = expansion(facts, 1.15 * sold, weekly / 7 / max(sold, 1.0), planner.reserve_cents)
    if capacity is not None and project is None:
        decision["capacity"] = capacity
    return Move(decision=decision, rationale=phase)


def _phase(planner: PlannerParameters, facts: Facts) -> Phase:
    elapsed = facts["day"] / facts["horizon"]
    if elapsed < planner.commit_until:
        return "commit"
    return "scale" if elapsed < planner.harvest_from else "harvest"


def _price(planner: PlannerParameters, facts: Facts, product: str) -> int:
    """List price raised by a share of the quality lead and by crowding beyond the capacity."""
    terms = facts["products"][product]
    lead = facts["company"]["quality"][product] - terms["base_quality"]
    crowding = max(0.0, utilisation(facts) - 0.9)
    return priced(facts, product, terms["list_price"] * (1 + planner.charged * lead + 0.3 * crowding))


def _project(planner: PlannerParameters, facts: Facts, phase: Phase) -> int | None:
    """The largest project that the reserve and the days left allow, while the plan still commits."""
    if phase != "commit" or running_projects(facts) >= planner.projects:
        return None
    for option in reversed(facts["innovation"]):
        spared = facts["cash_cents"] - option["price_cents"] >= planner.reserve_cents
        if spared and 2 * option["median_days"] < facts["days_left"]:
            return int(option["tier"])
    return None


PLANNER: Final = Strategy(
    id="planner@1",
    summary="one capital plan: commit to quality early, scale what fills, harvest late",
    parameters=PlannerParameters,
    decide=decide,
    traits=("phased", "reserve", "compounds"),
)
