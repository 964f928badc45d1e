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


class TraderParameters(Parameters):
    """One row: what to look at, what to ask, what to hold back. Money in cents, quality in thousandths."""

    select: Literal["evidence", "cheapest", "bulk"] = "evidence"
    price: Literal["disciplined", "high", "near"] = "disciplined"
    route: Literal["aware", "blind"] = "aware"
    relation: Literal["none", "fit", "loyal", "naive", "chase"] = "none"
    ads: Literal["none", "small", "gated", "blind"] = "none"
    events: Literal["ignore", "gated", "always"] = "ignore"
    incident: Literal["active", "ignore", "trap"] = "active"
    service: Literal["safe", "reckless", "ignored"] = "safe"
    permits: Literal["gate", "ignore"] = "gate"
    skus: Annotated[int, Field(ge=1, le=135)] = 14
    m: Annotated[float, Field(gt=0, le=5)] = 0.42
    cover: Days = 8
    reserve: Share = 0.15
    per_sku: Share = 0.06
    qmin: Annotated[int, Field(ge=0, le=1000)] = 450
    leadmax: Days = 8
    credit: Literal[0, 1] = 0
    clear: Days = 25
    express: Literal[0, 1] = 0


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
