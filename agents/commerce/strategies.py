"""The seat strategies of `commerce@1`: the trader core with the rows that Business Arena's Appendix J describes.

A row is a class, so that parameters travel between processes; its docstring is what lists show.
"""

from __future__ import annotations

from typing import Final

from agents.commerce.parameters import (
    Ads,
    Count,
    Days,
    Events,
    Incident,
    Margin,
    Permits,
    Price,
    Relation,
    Select,
    Service,
    Share,
    Switch,
    Thousandths,
    TraderParameters,
)
from agents.commerce.trader import decide
from agents.strategy import Strategy

COMMERCE: Final = frozenset({"commerce@1"})


class Bayes(TraderParameters):
    """Export compounder: a belief by route, reinvests everything, credit, ads and events behind gates."""

    relation: Relation = "fit"
    ads: Ads = "gated"
    events: Events = "gated"
    skus: Count = 60
    cover: Days = 10
    reserve: Share = 0.02
    per_sku: Share = 0.05
    credit: Switch = 1


class Wholesaler(TraderParameters):
    """Relationship-led wholesaler: few suppliers again and again, deep cover, lower prices."""

    relation: Relation = "loyal"
    skus: Count = 26
    m: Margin = 0.36
    cover: Days = 12
    reserve: Share = 0.05
    per_sku: Share = 0.07


class Velocity(TraderParameters):
    """Velocity market-maker: many SKUs, thin margins, short leads, ads behind a gate."""

    ads: Ads = "gated"
    skus: Count = 60
    m: Margin = 0.28
    cover: Days = 6
    reserve: Share = 0.02
    per_sku: Share = 0.03
    leadmax: Days = 5


class Swing(TraderParameters):
    """Event swing trader: moves capital into corroborated events, small ads, a cash reserve."""

    ads: Ads = "small"
    events: Events = "gated"
    skus: Count = 26
    reserve: Share = 0.25
    per_sku: Share = 0.05


class Broker(TraderParameters):
    """Inventory-light broker: small positions, short cover and leads, no ads, much cash."""

    skus: Count = 40
    cover: Days = 4
    reserve: Share = 0.3
    per_sku: Share = 0.02
    leadmax: Days = 5


class Premium(TraderParameters):
    """Premium account house: few SKUs of high quality, express, high prices."""

    skus: Count = 18
    m: Margin = 0.55
    per_sku: Share = 0.09
    qmin: Thousandths = 680
    express: Switch = 1


class Heedless(TraderParameters):
    """What looks at no news and answers no inquiry."""

    incident: Incident = "ignore"
    service: Service = "ignored"


class Cheapest(Heedless):
    """Naive: the cheapest SKUs, no service, blind to incidents."""

    select: Select = "cheapest"
    skus: Count = 10
    per_sku: Share = 0.12


class Bulk(Heedless):
    """Naive: buys blindly in bulk, no service, blind to incidents."""

    select: Select = "bulk"


class Nearcost(TraderParameters):
    """Naive: volume at any price, reckless promises, no permits."""

    price: Price = "near"
    service: Service = "reckless"
    permits: Permits = "ignore"


class Rule(Heedless):
    """The market's Rule: twelve SKUs chosen by evidence, no ads, events or service."""

    skus: Count = 12
    cover: Days = 7


def policy(name: str, row: type[TraderParameters], traits: tuple[str, ...]) -> Strategy[TraderParameters]:
    """Return the registered policy of a row."""
    summary = (row.__doc__ or "").rstrip(".")
    return Strategy(
        id=name,
        summary=summary[0].lower() + summary[1:],
        parameters=row,
        decide=decide,
        traits=traits,
        markets=COMMERCE,
    )


BAYES: Final = policy("commerce-bayes@1", Bayes, ("belief by route", "credit", "reinvests"))
WHOLESALER: Final = policy("commerce-wholesaler@1", Wholesaler, ("relations", "deep stock"))
VELOCITY: Final = policy("commerce-velocity@1", Velocity, ("turnover", "thin margins"))
SWING: Final = policy("commerce-swing@1", Swing, ("events", "cash reserve"))
BROKER: Final = policy("commerce-broker@1", Broker, ("inventory-light", "no acquisition"))
PREMIUM: Final = policy("commerce-premium@1", Premium, ("quality", "express"))
CHEAPEST: Final = policy("commerce-cheapest@1", Cheapest, ("naive",))
BULK: Final = policy("commerce-bulk@1", Bulk, ("naive",))
NEARCOST: Final = policy("commerce-nearcost@1", Nearcost, ("naive",))
RULE: Final = policy("commerce-rule@1", Rule, ("fixed", "reference"))
STRATEGIES: Final = (BAYES, WHOLESALER, VELOCITY, SWING, BROKER, PREMIUM, CHEAPEST, BULK, NEARCOST, RULE)
