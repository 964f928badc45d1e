"""The arms of the mechanism ladders of Business Arena's Appendix C: the trader core with one row changed."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from agents.commerce.strategies import strategy
from agents.commerce.trader import TraderParameters
from agents.strategy import Strategy

DEFAULTS: Final = "defaults"


class Arm(NamedTuple):
    """One policy of a ladder: what it is called, does and changes."""

    name: str
    summary: str
    row: dict[str, Any]


ARMS: Final = (
    Arm(DEFAULTS, "evidence, disciplined prices, aware routes, active on incidents, safe service", {}),
    Arm(
        "sourcing-cheapest",
        "sourcing: the ten cheapest SKUs from the cheapest offers",
        {"select": "cheapest", "skus": 10, "per_sku": 0.12},
    ),
    Arm("sourcing-bulk", "sourcing: SKUs and offers picked blindly, bought in bulk", {"select": "bulk"}),
    Arm("price-high", "pricing: a static high mark-up", {"price": "high"}),
    Arm("price-near", "pricing: near the purchase cost, freight and duty forgotten", {"price": "near"}),
    Arm("route-blind", "routes: the costliest country alone, duty and freight forgotten", {"route": "blind"}),
    Arm("relation-fit", "relations: known suppliers preferred where the offer fits", {"relation": "fit"}),
    Arm(
        "relation-naive", "relations: known suppliers preferred whatever they deliver", {"relation": "naive"}
    ),
    Arm("relation-chase", "relations: orders placed for the discount", {"relation": "chase"}),
    Arm("ads-small", "advertising: small tests where demand and margin are seen", {"ads": "small"}),
    Arm("ads-gated", "advertising: budgets gated by expected contribution", {"ads": "gated"}),
    Arm("ads-blind", "advertising: fifteen dollars a day everywhere", {"ads": "blind"}),
    Arm("events-gated", "events: capital follows corroborated news", {"events": "gated"}),
    Arm("events-always", "events: capital follows all news", {"events": "always"}),
    Arm(
        "incident-ignore",
        "incidents: duty, freight and leads of day 0 believed for ever",
        {"incident": "ignore"},
    ),
    Arm("incident-trap", "incidents: capital chases uncorroborated signals", {"incident": "trap"}),
    Arm("service-reckless", "service: below cost, with promises that do not hold", {"service": "reckless"}),
    Arm("service-ignored", "service: inquiries are left unanswered", {"service": "ignored"}),
    Arm("permits-ignore", "compliance: trades without permits", {"permits": "ignore"}),
)


def _registered(arm: Arm) -> Strategy[TraderParameters]:
    ladder = arm.name.split("-")[0]
    return strategy(f"commerce-ladder-{arm.name}@1", arm.summary, ("ladder", ladder), **arm.row)


POLICIES: Final = {arm.name: _registered(arm) for arm in ARMS}

(
    LADDER_DEFAULTS,
    SOURCING_CHEAPEST,
    SOURCING_BULK,
    PRICE_HIGH,
    PRICE_NEAR,
    ROUTE_BLIND,
    RELATION_FIT,
    RELATION_NAIVE,
    RELATION_CHASE,
    ADS_SMALL,
    ADS_GATED,
    ADS_BLIND,
    EVENTS_GATED,
    EVENTS_ALWAYS,
    INCIDENT_IGNORE,
    INCIDENT_TRAP,
    SERVICE_RECKLESS,
    SERVICE_IGNORED,
    PERMITS_IGNORE,
) = POLICIES.values()
