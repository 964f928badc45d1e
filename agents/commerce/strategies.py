"""The seat strategies of `commerce@1`: the trader core with the rows that Business Arena's Appendix J describes."""

from __future__ import annotations

from typing import Any, Final

from pydantic import create_model

from agents.commerce.trader import TraderParameters, decide
from agents.strategy import Strategy

COMMERCE: Final = frozenset({"commerce@1"})


def strategy(name: str, summary: str, traits: tuple[str, ...], **row: Any) -> Strategy[TraderParameters]:
    """Return a registered policy whose parameters default to a row."""
    defaults = {
        field: (TraderParameters.model_fields[field].rebuild_annotation(), value)
        for field, value in row.items()
    }
    made = create_model("TraderParameters", __base__=TraderParameters, **defaults)  # type: ignore[call-overload]
    return Strategy(id=name, summary=summary, parameters=made, decide=decide, traits=traits, markets=COMMERCE)


BAYES: Final = strategy(
    "commerce-bayes@1",
    "export compounder: a belief by route, reinvests everything, credit, ads and events behind gates",
    ("belief by route", "credit", "reinvests"),
    skus=60,
    per_sku=0.05,
    reserve=0.02,
    credit=1,
    ads="gated",
    events="gated",
    relation="fit",
    cover=10,
)
WHOLESALER: Final = strategy(
    "commerce-wholesaler@1",
    "relationship-led wholesaler: few suppliers again and again, deep cover, lower prices",
    ("relations", "deep stock"),
    skus=26,
    per_sku=0.07,
    relation="loyal",
    cover=12,
    m=0.36,
    reserve=0.05,
)
VELOCITY: Final = strategy(
    "commerce-velocity@1",
    "velocity market-maker: many SKUs, thin margins, short leads, ads behind a gate",
    ("turnover", "thin margins"),
    skus=60,
    per_sku=0.03,
    m=0.28,
    cover=6,
    leadmax=5,
    ads="gated",
    reserve=0.02,
)
SWING: Final = strategy(
    "commerce-swing@1",
    "event swing trader: moves capital into corroborated events, small ads, a cash reserve",
    ("events", "cash reserve"),
    skus=26,
    per_sku=0.05,
    events="gated",
    ads="small",
    reserve=0.25,
)
BROKER: Final = strategy(
    "commerce-broker@1",
    "inventory-light broker: small positions, short cover and leads, no ads, much cash",
    ("inventory-light", "no acquisition"),
    skus=40,
    per_sku=0.02,
    cover=4,
    leadmax=5,
    reserve=0.30,
)
PREMIUM: Final = strategy(
    "commerce-premium@1",
    "premium account house: few SKUs of high quality, express, high prices",
    ("quality", "express"),
    skus=18,
    per_sku=0.09,
    qmin=680,
    m=0.55,
    express=1,
)
CHEAPEST: Final = strategy(
    "commerce-cheapest@1",
    "naive: the cheapest SKUs, no service, blind to incidents",
    ("naive",),
    select="cheapest",
    skus=10,
    per_sku=0.12,
    service="ignored",
    incident="ignore",
)
BULK: Final = strategy(
    "commerce-bulk@1",
    "naive: buys blindly in bulk, no service, blind to incidents",
    ("naive",),
    select="bulk",
    service="ignored",
    incident="ignore",
)
NEARCOST: Final = strategy(
    "commerce-nearcost@1",
    "naive: volume at any price, reckless promises, no permits",
    ("naive",),
    price="near",
    service="reckless",
    permits="ignore",
)
RULE: Final = strategy(
    "commerce-rule@1",
    "the market's Rule: twelve SKUs chosen by evidence, no ads, events or service",
    ("fixed", "reference"),
    skus=12,
    cover=7,
    service="ignored",
    incident="ignore",
)
STRATEGIES: Final = (
    BAYES, WHOLESALER, VELOCITY, SWING, BROKER, PREMIUM, CHEAPEST, BULK, NEARCOST, RULE,
)  # fmt: skip
