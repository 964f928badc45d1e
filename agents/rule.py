"""Rule: the fixed policy that replaces entrants, candidate 17 of the rule search unless told otherwise.

The CEO Arena paper searches a grid of 24 fixed policies and takes the winner as the reference whose
seat an entrant is compared with (Section 3.4, Appendix C). It reacts to nothing but its cash floor,
which is what makes it a yardstick: what differs between two matched worlds is not its doing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import CHANNELS, PRODUCTS, SEGMENTS, Product, Segment, split
from tournament.records import Decision, Json

Budget = Annotated[int, Field(ge=0, le=200_000)]
Units = Annotated[int, Field(ge=0, le=10_000)]


class Spending(Parameters):
    """The four daily budgets in cents; development and marketing are split over the scope's cells."""

    development: Annotated[int, Field(ge=0, le=600_000)] = 0
    marketing: Annotated[int, Field(ge=0, le=1_800_000)] = 0
    reliability: Budget = 0
    support: Budget = 0


LEVELS: Final[Mapping[str, Spending]] = {
    "none": Spending(),
    "light": Spending(development=5_000, marketing=5_000, reliability=2_500, support=5_000),
    "standard": Spending(development=15_000, marketing=15_000, reliability=7_500, support=15_000),
}


class Targets(Parameters):
    """Order-up-to levels in units."""

    A: Units = 150
    B: Units = 100
    C: Units = 50


class RuleParameters(Parameters):
    """Every parameter of the searched grid; the defaults are the winner, candidate 17."""

    scope: Literal["all", "single"] = "single"
    segment: Segment = "mainstream"
    product: Product = "B"
    multiplier: Annotated[float, Field(gt=0, le=3)] = 1.0
    spending: Literal["light", "standard"] | Spending = "light"
    floor_cents: Annotated[int, Field(ge=0)] = 5_000_000
    targets: Targets = Targets()


def decide(rule: RuleParameters, facts: Facts, memo: Json) -> Move:
    """Seal list prices times the multiplier, fixed targets, and budgets that stop at the cash floor."""
    named = rule.spending
    spending = LEVELS[named] if isinstance(named, str) else named
    if facts["cash_cents"] <= rule.floor_cents:
        return Move(decision=_decision(rule, facts, LEVELS["none"]), rationale="cash at or below the floor")
    return Move(decision=_decision(rule, facts, spending))


def _decision(rule: RuleParameters, facts: Facts, spending: Spending) -> Decision:
    """One decision in full; prices are round(list price x multiplier), halves up."""
    lists = facts["products"]
    return {
        "prices": {j: int(lists[j]["list_price"] * rule.multiplier + 0.5) for j in PRODUCTS},
        "reorder_targets": {"A": rule.targets.A, "B": rule.targets.B, "C": rule.targets.C},
        "development": _development(rule, spending.development),
        "marketing": _marketing(rule, spending.marketing),
        "reliability": spending.reliability,
        "support": spending.support,
    }


def _development(rule: RuleParameters, cents: int) -> dict[str, int]:
    if rule.scope == "all":
        return dict(zip(PRODUCTS, split(cents, len(PRODUCTS)), strict=True))
    return {j: cents if j == rule.product else 0 for j in PRODUCTS}


def _marketing(rule: RuleParameters, cents: int) -> dict[str, dict[str, int]]:
    cells = [(s, k) for s in SEGMENTS for k in CHANNELS if rule.scope == "all" or s == rule.segment]
    amounts = dict(zip(cells, split(cents, len(cells)), strict=True))
    return {s: {k: amounts.get((s, k), 0) for k in CHANNELS} for s in SEGMENTS}


RULE: Final = Strategy(
    id="rule@1",
    summary="fixed prices, targets and budgets that stop at a cash floor; the reference policy",
    parameters=RuleParameters,
    decide=decide,
    traits=("fixed", "reference"),
)
