"""The trader core's window: beliefs, routes, portfolio, finance, offers, service.

One deterministic controller in the manner of the reserve of Business Arena (Appendix I): beliefs
constrain the portfolio, the portfolio constrains every purchase, listing, ad and reply. A strategy or
an arm of a ladder is this core with one row of parameters; it reads facts and its memo alone.
"""

from __future__ import annotations

from typing import Any

from agents.commerce.beliefs import believe
from agents.commerce.evidence import gathered
from agents.commerce.offers import listings, replies
from agents.commerce.orders import commit
from agents.commerce.parameters import TraderParameters
from agents.commerce.routes import planned
from agents.strategy import Facts, Move
from tournament.records import Json


def decide(trader: TraderParameters, facts: Facts, memo: Json) -> Move:
    """Return the window's decision and the memo: the price adjustments by SKU."""
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
    return Move(decision=decision, memo={"adjustment": plan.adjustment.tolist()})
