"""The parameters of the trader core: one row of them is a strategy or an arm of a ladder."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.strategy import Parameters

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
