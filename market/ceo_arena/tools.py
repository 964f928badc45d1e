"""The market's actions as typed tools: one pydantic definition each, staged into a draft decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from market.ceo_arena.parameters import Parameters
from tournament.errors import InputError
from tournament.records import Decision, Tool

Product = Annotated[Literal["A", "B", "C"], Field(description="Product line.")]
Segment = Annotated[Literal["mainstream", "premium", "value"], Field(description="Customer segment.")]
Channel = Annotated[Literal["affiliate", "display", "search"], Field(description="Marketing channel.")]
Cents = Annotated[int, Field(description="US cents.", ge=1)]
Budget = Annotated[int, Field(description="US cents a day, charged every day until changed.", ge=0)]


class Arguments(BaseModel):
    """Arguments are strict: whole numbers, no strings for numbers, no unknown names."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SetPrice(Arguments):
    product: Product
    price_cents: Cents
    promotion_percent: Annotated[
        int,
        Field(
            description="Discount shown on the price, whole percent; left out, the standing one goes on.",
            ge=0,
            json_schema_extra=lambda schema: schema.pop("default", None),
        ),
    ] = 0


class SetReorderTarget(Arguments):
    product: Product
    units: Annotated[int, Field(description="Order-up-to level of stock plus inbound.", ge=0)]


class SetDevelopmentBudget(Arguments):
    product: Product
    cents_per_day: Budget


class SetMarketingBudget(Arguments):
    segment: Segment
    channel: Channel
    cents_per_day: Budget


class SetBudget(Arguments):
    cents_per_day: Budget


class StartResearchProject(Arguments):
    tier: Annotated[int, Field(description="1 quick, 2 standard, 3 breakthrough.", ge=1, le=3)]


class RequestMarketResearch(Arguments):
    segment: Segment


class ChangeCapacity(Arguments):
    tier: Annotated[int, Field(description="Target capacity tier.", ge=0)]


class CancelCapacityProject(Arguments):
    pass


class BidTender(Arguments):
    tender: Annotated[int, Field(description="Number of a tender open now.", ge=0)]
    price_cents: Cents


class WithdrawBid(Arguments):
    tender: Annotated[int, Field(description="Number of a tender with a bid in this draft.", ge=0)]


Stage = Callable[[Decision, BaseModel], Decision]


def _cell(draft: Decision, field: str, name: str, value: int) -> Decision:
    return {**draft, field: {**draft.get(field, {}), name: value}}


def _price(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, SetPrice)
    priced = _cell(draft, "prices", arguments.product, arguments.price_cents)
    if "promotion_percent" not in arguments.model_fields_set:
        return priced
    return _cell(priced, "promotions", arguments.product, arguments.promotion_percent)


def _target(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, SetReorderTarget)
    return _cell(draft, "reorder_targets", arguments.product, arguments.units)


def _development(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, SetDevelopmentBudget)
    return _cell(draft, "development", arguments.product, arguments.cents_per_day)


def _marketing(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, SetMarketingBudget)
    cells = draft.get("marketing", {})
    row = {**cells.get(arguments.segment, {}), arguments.channel: arguments.cents_per_day}
    return {**draft, "marketing": {**cells, arguments.segment: row}}


def _budget(field: str) -> Stage:
    def stage(draft: Decision, arguments: BaseModel) -> Decision:
        assert isinstance(arguments, SetBudget)
        return {**draft, field: arguments.cents_per_day}

    return stage


def _innovation(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, StartResearchProject)
    return {**draft, "innovation": [*draft.get("innovation", []), arguments.tier]}


def _research(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, RequestMarketResearch)
    return {**draft, "research": [*draft.get("research", []), arguments.segment]}


def _capacity(kind: str) -> Stage:
    def stage(draft: Decision, arguments: BaseModel) -> Decision:
        value = True if kind == "cancel" else arguments.model_dump()["tier"]
        return {**draft, "capacity": {kind: value}}

    return stage


def _bid(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, BidTender)
    return _cell(draft, "bids", str(arguments.tender), arguments.price_cents)


def _withdraw(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, WithdrawBid)
    standing = draft.get("bids", {})
    if str(arguments.tender) not in standing:
        held = ", ".join(sorted(standing, key=int)) or "none"
        raise InputError(f"the draft holds no bid for tender {arguments.tender}; bids staged: {held}")
    bids = {key: price for key, price in standing.items() if key != str(arguments.tender)}
    rest = {key: value for key, value in draft.items() if key != "bids"}
    return {**rest, "bids": bids} if bids else rest


ToolRow = tuple[str, str, type[Arguments], Stage]


def _standing_rows(parameters: Parameters) -> tuple[ToolRow, ...]:
    """Tools whose values stand until changed."""
    budget = f"0 to {parameters.budget_limit} cents a day; it stands until changed"
    return (
        (
            "set_price",
            f"Set a product's price (1 to {parameters.price_limit} times list) and promotion "
            f"(0 to {parameters.promotion_limit} percent).",
            SetPrice,
            _price,
        ),
        (
            "set_reorder_target",
            f"Set the level that daily replenishment orders up to (0 to {parameters.target_limit} units).",
            SetReorderTarget,
            _target,
        ),
        (
            "set_development_budget",
            f"Set a product's development budget, {budget}.",
            SetDevelopmentBudget,
            _development,
        ),
        (
            "set_marketing_budget",
            f"Set one segment-channel marketing budget, {budget}.",
            SetMarketingBudget,
            _marketing,
        ),
        (
            "set_reliability_budget",
            f"Set the reliability budget, {budget}.",
            SetBudget,
            _budget("reliability"),
        ),
        ("set_support_budget", f"Set the support budget, {budget}.", SetBudget, _budget("support")),
    )


def _action_rows(parameters: Parameters) -> tuple[ToolRow, ...]:
    """Tools of one-off actions and bids."""
    tiers = len(parameters.throughput) - 1
    return (
        (
            "start_research_project",
            f"Start one innovation project, paid now; at most {parameters.project_limit} run at once.",
            StartResearchProject,
            _innovation,
        ),
        (
            "request_market_research",
            f"Buy one noisy report on a segment for {parameters.research_price} cents, readable next window.",
            RequestMarketResearch,
            _research,
        ),
        (
            "expand_capacity",
            f"Build up to a higher capacity tier (at most {tiers}), paid now; replaces a capacity action of the draft.",
            ChangeCapacity,
            _capacity("expand"),
        ),
        (
            "downsize_capacity",
            f"Go down to a lower capacity tier for {parameters.downsize_fee} cents a tier; replaces a capacity "
            "action of the draft.",
            ChangeCapacity,
            _capacity("downsize"),
        ),
        (
            "cancel_capacity_project",
            "Stop the pending expansion; part of the unspent prepayment comes back.",
            CancelCapacityProject,
            _capacity("cancel"),
        ),
        (
            "bid_tender",
            "Bid on an open tender; a later bid of the draft replaces the earlier.",
            BidTender,
            _bid,
        ),
        ("withdraw_bid", "Take a bid out of the draft.", WithdrawBid, _withdraw),
    )


def tools_of(parameters: Parameters) -> tuple[Tool, ...]:
    """Return the tools with the scenario's limits in their descriptions."""
    return tuple(
        Tool(name=name, description=text, arguments=arguments, stage=stage)
        for name, text, arguments, stage in (*_standing_rows(parameters), *_action_rows(parameters))
    )
