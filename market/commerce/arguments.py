"""Arguments of the market's tools and queries, strict: whole numbers, no strings for numbers, no unknown names."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from market.commerce.parameters import (
    MOST_AD,
    MOST_CENTS,
    MOST_PRICE,
    MOST_PROMOTION,
    MOST_UNITS,
    TIER_PERCENT,
    TIER_UNITS,
)

Sku = Annotated[str, Field(pattern=r"^[A-Z]{2}-0[1-9]$", description="SKU.", examples=["SH-04", "EL-01"])]
Offer = Annotated[
    str, Field(pattern=r"^O[0-9]{4}$", description="Supplier offer.", examples=["O0003", "O0123"])
]
Supplier = Annotated[str, Field(pattern=r"^S[0-9]{4}$", description="Supplier.", examples=["S0003", "S0123"])]
Country = Annotated[Literal["CN", "US", "EU", "BR", "VN", "SA"], Field(description="Country.")]
CategoryCode = Literal[
    "SH", "TB", "AP", "EL", "HD", "KT", "TY", "BT", "SP", "PT", "OF", "JW", "AU", "GD", "FD"
]
Category = Annotated[CategoryCode, Field(description="Category.")]
Price = Annotated[int, Field(ge=1, le=MOST_PRICE, description="US cents a unit.")]
Units = Annotated[int, Field(ge=1, le=MOST_UNITS, description="Units.")]
SpeedName = Annotated[Literal["standard", "express"], Field(description="Shipping speed.")]
IncotermName = Annotated[Literal["DDP", "DAP", "FOB"], Field(description="Who pays freight and duty.")]
Percent = Annotated[int, Field(ge=0, le=MOST_PROMOTION, description="Whole percent.")]
AdCents = Annotated[int, Field(ge=0, le=MOST_AD, description="US cents a day.")]
Inquiry = Annotated[int, Field(ge=0, le=MOST_CENTS, description="Number of an open inquiry.")]
Claim = Annotated[int, Field(ge=0, le=MOST_CENTS)]
Rows = Annotated[int, Field(ge=1, le=100, description="Most rows.")]
DayCount = Annotated[int, Field(ge=1, le=30, description="Days, the last ones or the next.")]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _no_default(schema: dict[str, Any]) -> None:
    """Absent means that the standing value stays: a default in the schema would say otherwise."""
    schema.pop("default", None)


class Buy(Arguments):
    offer: Offer
    units: Units
    payment: Annotated[Literal["cash", "net7"], Field(description="net7: for preferred suppliers.")] = "cash"


class WithdrawBuy(Arguments):
    offer: Offer


class Cell(Arguments):
    sku: Sku
    country: Country


class Step(Arguments):
    units: Annotated[int, Field(ge=TIER_UNITS[0], le=TIER_UNITS[1], description="From so many units.")]
    percent: Annotated[int, Field(ge=TIER_PERCENT[0], le=TIER_PERCENT[1], description="Discount.")]


class CreateListing(Cell):
    price_cents: Price
    speed: Annotated[SpeedName, Field(json_schema_extra=_no_default)] = "standard"
    incoterm: Annotated[IncotermName, Field(json_schema_extra=_no_default)] = "DDP"
    ad_cents_per_day: Annotated[AdCents, Field(json_schema_extra=_no_default)] = 0
    promotion_percent: Annotated[Percent, Field(json_schema_extra=_no_default)] = 0


class PriceChange(Cell):
    price_cents: Price


class Tiers(Cell):
    tiers: Annotated[list[Step], Field(max_length=2, description="Steps with rising units.")]


class Incoterm(Cell):
    incoterm: IncotermName


class Speed(Cell):
    speed: SpeedName


class Promotion(Cell):
    percent: Percent


class Ad(Cell):
    cents_per_day: AdCents


class Focus(Arguments):
    categories: Annotated[list[CategoryCode], Field(max_length=3, description="Category codes.")]


class Permit(Arguments):
    category: Category
    country: Country


class ReplyInquiry(Arguments):
    inquiry: Inquiry
    price_cents: Price
    speed: SpeedName = "standard"
    quality: Annotated[Claim | None, Field(description="Quality of your stock in thousandths.")] = None
    freight: Annotated[Claim | None, Field(description="Standard freight, cents a unit.")] = None
    duty: Annotated[Claim | None, Field(description="Duty per mille.")] = None
    permit: Annotated[Claim | None, Field(description="1 if held or not needed, else 0.")] = None


class WithdrawReply(Arguments):
    inquiry: Inquiry


class Amount(Arguments):
    cents: Annotated[int, Field(ge=1, le=MOST_CENTS, description="US cents.")]


class Liquidate(Arguments):
    sku: Sku
    units: Units


class Nothing(Arguments):
    """For queries that take nothing."""


class Trend(Arguments):
    category: Category
    country: Country
    days: DayCount = 7


class SearchOffers(Arguments):
    sku: Sku | None = None
    category: Category | None = None
    country: Country | None = None
    most_price_cents: Price | None = None
    least_quality: Annotated[int | None, Field(ge=0, le=1000, description="Thousandths.")] = None
    most_lead: Annotated[int | None, Field(ge=1, le=60, description="Days.")] = None
    most_moq: Annotated[int | None, Field(ge=1, le=1000, description="Units.")] = None
    rank: Annotated[Literal["price", "quality", "lead", "moq"], Field(description="Best first.")] = "price"
    limit: Rows = 20


class OfferQuote(Arguments):
    offer: Offer
    units: Units


class SupplierQuery(Arguments):
    supplier: Supplier


class PriceCheck(Cell):
    price_cents: Price
    speed: SpeedName = "standard"
    incoterm: IncotermName = "DDP"


class Days(Arguments):
    days: DayCount = 7


class LandedCost(Cell):
    speed: SpeedName = "standard"
    unit_cost_cents: Annotated[
        int, Field(ge=0, le=MOST_PRICE, description="Cost of the goods, cents a unit.")
    ]


class InquiryQuery(Arguments):
    inquiry: Inquiry
