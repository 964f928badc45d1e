"""The parameters of the trader core, and its window: beliefs, routes, portfolio, finance, offers, service.

One deterministic controller in the manner of the reserve of Business Arena (Appendix I): beliefs
constrain the portfolio, the portfolio constrains every purchase, listing, ad and reply. A strategy or
an arm of a ladder is this core with one row of parameters; it reads facts and its memo alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from agents.commerce.beliefs import believe
from agents.commerce.evidence import gathered
from agents.commerce.offers import listings, replies
from agents.commerce.orders import commit
from agents.commerce.routes import planned
from agents.strategy import Facts, Move, Parameters
from tournament.records import Json

Share = Annotated[float, Field(ge=0, le=1)]
Days = Annotated[int, Field(ge=0, le=60)]
Count = Annotated[int, Field(ge=1, le=135)]
Margin = Annotated[float, Field(gt=0, le=5)]
Thousandths = Annotated[int, Field(ge=0, le=1000)]
Switch = Literal[0, 1]
Select = Literal["evidence", "cheapest", "bulk"]
Price = Literal["disciplined", "high", "near"]
Route = Literal["aware", "blind"]
Relation = Literal["none", "fit", "loyal", "naive", "chase"]
Ads = Literal["none", "small", "gated", "blind"]
Events = Literal["ignore", "gated", "always"]
Incident = Literal["active", "ignore", "trap"]
Service = Literal["safe", "reckless", "ignored"]
Permits = Literal["gate", "ignore"]


class TraderParameters(Parameters):
    """Evidence, disciplined prices, aware routes, active on incidents, safe service: the core's own row."""

    select: Select = "evidence"
    price: Price = "disciplined"
    route: Route = "aware"
    relation: Relation = "none"
    ads: Ads = "none"
    events: Events = "ignore"
    incident: Incident = "active"
    service: Service = "safe"
    permits: Permits = "gate"
    skus: Count = 14
    m: Margin = 0.42
    cover: Days = 8
    reserve: Share = 0.15
    per_sku: Share = 0.06
    qmin: Thousandths = 450
    leadmax: Days = 8
    credit: Switch = 0
    clear: Days = 25
    express: Switch = 0


def decide(trader: TraderParameters, facts: Facts, memo: Json) -> Move:
    """Return the window's decision and the memo: price adjustments, and day 0's frictions where they are believed."""
    seen = gathered(facts, memo, trader)
    belief = believe(seen, trader)
    plan = planned(seen, belief, trader)
    orders = commit(seen, belief, plan, trader)
    decision: dict[str, Any] = {
        **orders.finance,
        "permits": orders.permits,
        "buy": orders.buy,
        **listings(seen, belief, plan, trader, orders.bought),
        "replies": replies(seen, plan, trader),
    }
    return Move(decision=decision, memo=seen.memo(plan.adjustment, trader.incident == "ignore"))
