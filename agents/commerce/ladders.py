"""The arms of the mechanism ladders of Business Arena's Appendix C: the trader core with one row changed."""

from __future__ import annotations

from typing import Final

from agents.commerce.parameters import (
    Ads,
    Count,
    Events,
    Incident,
    Permits,
    Price,
    Relation,
    Route,
    Select,
    Service,
    Share,
    TraderParameters,
)
from agents.commerce.strategies import policy
from agents.strategy import Strategy


class SourcingCheapest(TraderParameters):
    """Sourcing: the ten cheapest SKUs from the cheapest offers."""

    select: Select = "cheapest"
    skus: Count = 10
    per_sku: Share = 0.12


class SourcingBulk(TraderParameters):
    """Sourcing: SKUs and offers picked blindly, bought in bulk."""

    select: Select = "bulk"


class PriceHigh(TraderParameters):
    """Pricing: a static high mark-up."""

    price: Price = "high"


class PriceNear(TraderParameters):
    """Pricing: near the purchase cost, freight and duty forgotten."""

    price: Price = "near"


class RouteBlind(TraderParameters):
    """Routes: the costliest country alone, duty and freight forgotten."""

    route: Route = "blind"


class RelationFit(TraderParameters):
    """Relations: known suppliers preferred where the offer fits."""

    relation: Relation = "fit"


class RelationNaive(TraderParameters):
    """Relations: known suppliers preferred whatever they deliver."""

    relation: Relation = "naive"


class RelationChase(TraderParameters):
    """Relations: orders placed for the discount."""

    relation: Relation = "chase"


class AdsSmall(TraderParameters):
    """Advertising: small tests where demand and margin are seen."""

    ads: Ads = "small"


class AdsGated(TraderParameters):
    """Advertising: budgets gated by expected contribution."""

    ads: Ads = "gated"


class AdsBlind(TraderParameters):
    """Advertising: fifteen dollars a day everywhere."""

    ads: Ads = "blind"


class EventsGated(TraderParameters):
    """Events: capital follows corroborated news."""

    events: Events = "gated"


class EventsAlways(TraderParameters):
    """Events: capital follows all news."""

    events: Events = "always"


class IncidentIgnore(TraderParameters):
    """Incidents: duty, freight and leads of day 0 believed for ever."""

    incident: Incident = "ignore"


class IncidentTrap(TraderParameters):
    """Incidents: capital chases uncorroborated signals."""

    incident: Incident = "trap"


class ServiceReckless(TraderParameters):
    """Service: below cost, with promises that do not hold."""

    service: Service = "reckless"


class ServiceIgnored(TraderParameters):
    """Service: inquiries are left unanswered."""

    service: Service = "ignored"


class PermitsIgnore(TraderParameters):
    """Compliance: trades without permits."""

    permits: Permits = "ignore"


def arm(name: str, row: type[TraderParameters]) -> Strategy[TraderParameters]:
    """Return the registered policy of an arm."""
    return policy(f"commerce-ladder-{name}@1", row, ("ladder", name.split("-", maxsplit=1)[0]))


LADDER_DEFAULTS: Final = arm("defaults", TraderParameters)
SOURCING_CHEAPEST: Final = arm("sourcing-cheapest", SourcingCheapest)
SOURCING_BULK: Final = arm("sourcing-bulk", SourcingBulk)
PRICE_HIGH: Final = arm("price-high", PriceHigh)
PRICE_NEAR: Final = arm("price-near", PriceNear)
ROUTE_BLIND: Final = arm("route-blind", RouteBlind)
RELATION_FIT: Final = arm("relation-fit", RelationFit)
RELATION_NAIVE: Final = arm("relation-naive", RelationNaive)
RELATION_CHASE: Final = arm("relation-chase", RelationChase)
ADS_SMALL: Final = arm("ads-small", AdsSmall)
ADS_GATED: Final = arm("ads-gated", AdsGated)
ADS_BLIND: Final = arm("ads-blind", AdsBlind)
EVENTS_GATED: Final = arm("events-gated", EventsGated)
EVENTS_ALWAYS: Final = arm("events-always", EventsAlways)
INCIDENT_IGNORE: Final = arm("incident-ignore", IncidentIgnore)
INCIDENT_TRAP: Final = arm("incident-trap", IncidentTrap)
SERVICE_RECKLESS: Final = arm("service-reckless", ServiceReckless)
SERVICE_IGNORED: Final = arm("service-ignored", ServiceIgnored)
PERMITS_IGNORE: Final = arm("permits-ignore", PermitsIgnore)
ARMS: Final = (
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
)
