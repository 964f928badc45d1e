"""Price follower: quotes just under the middle of the market wherever a margin survives.

After the competitor-aware sellers of Business Arena ("undercut median, track top-N lowest", Appendix D,
archetypes of the scripted sellers) and their stop-loss: a listing that does not sell decays in steps.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from agents.strategies.reading import cover_days, demand_rates, order_up_to, rival_median
from agents.strategy import Facts, Move, Parameters, Strategy
from agents.vocabulary import PRODUCTS, marketing_plan, priced
from tournament.records import Json


class FollowerParameters(Parameters):
    """The undercut, the margin that no undercut may touch, and the stop-loss of slow stock."""

    undercut: Annotated[float, Field(ge=0, lt=1)] = 0.02
    least_margin: Annotated[float, Field(ge=0)] = 0.22
    slow_days: Annotated[float, Field(gt=0)] = 60.0
    decay: Annotated[float, Field(ge=0, lt=1)] = 0.02
    deepest: Annotated[float, Field(ge=0, lt=1)] = 0.12
    advertising_cents: Annotated[int, Field(ge=0, le=600_000)] = 4_500


def decide(follower: FollowerParameters, facts: Facts, memo: Json) -> Move:
    """Undercut the rivals' median posted price, deeper for stock that has stopped moving."""
    rates = demand_rates(facts)
    cuts = dict.fromkeys(PRODUCTS, 0.0) if memo is None else dict(memo["cuts"])
    prices, targets = {}, {}
    for j in PRODUCTS:
        slow = facts["recent"] is not None and cover_days(facts, j, rates[j]) > follower.slow_days
        cuts[j] = min(follower.deepest, cuts[j] + follower.decay) if slow else 0.0
        quoted = rival_median(facts, j) * (1 - follower.undercut - cuts[j])
        prices[j] = priced(facts, j, max(quoted, facts["products"][j]["cost"] * (1 + follower.least_margin)))
        targets[j] = order_up_to(facts, j, rates[j], spare_days=2.0)
    advertising = follower.advertising_cents if facts["days_left"] > 21 else 0
    return Move(
        decision={
            "prices": prices,
            "reorder_targets": targets,
            "marketing": marketing_plan({"mainstream": advertising}),
            "reliability": 2_000,
            "support": 4_000,
        },
        memo={"cuts": cuts},
    )


FOLLOWER: Final = Strategy(
    id="follower@1",
    summary="undercuts the rivals' median posted price above a margin floor; stop-loss on slow stock",
    parameters=FollowerParameters,
    decide=decide,
    traits=("competitor-aware", "reactive", "light spending"),
)
