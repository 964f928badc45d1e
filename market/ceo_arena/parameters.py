"""Every number of the market `ceo_arena@1`, with its unit; a study may override them by name.

The defaults are the economic contract's. Their origin (printed in the paper, derived from printed
figures, chosen) is kept beside each, for the generated page docs/markets/ceo_arena.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tournament.errors import InputError
from tournament.field_errors import allowed_words, fault_words

PRODUCTS = ("A", "B", "C")
SEGMENTS = ("mainstream", "premium", "value")
CHANNELS = ("affiliate", "display", "search")
PHASES = ("balanced", "price-sensitive", "quality-led", "service-led")

Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Size = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Real = Annotated[float, Field(allow_inf_nan=False)]
Scale = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Triple = tuple[Real, Real, Real]


def _field(default: Any, unit: str, origin: str, meaning: str) -> Any:
    return Field(default, description=meaning, json_schema_extra={"unit": unit, "origin": origin})


class Parameters(BaseModel):
    """One scenario. Tuples run over products A, B, C, segments mainstream, premium, value or channels
    affiliate, display, search unless their meaning says otherwise."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    days: Annotated[int, Field(ge=1, le=2000)] = _field(500, "days", "P", "horizon T")
    window_days: Annotated[int, Field(ge=1, le=365)] = _field(7, "days", "P", "length of a decision window")

    initial_cash: Count = _field(50_000_000, "cents", "D", "cash before day 1")
    list_price: tuple[Positive, Positive, Positive] = _field(
        (4000, 7500, 13500), "cents", "D", "list price and initial price"
    )
    cost: tuple[Positive, Positive, Positive] = _field((2600, 4800, 8500), "cents", "D", "procurement cost")
    liquidation: tuple[Count, Count, Count] = _field((800, 1500, 2600), "cents", "D", "liquidation value")
    holding: tuple[Count, Count, Count] = _field(
        (2, 3, 6), "cents per unit and day", "D", "holding charge on closing stock"
    )
    lead_time: tuple[Positive, Positive, Positive] = _field((5, 7, 10), "days", "P, C", "order to delivery")
    base_quality: Triple = _field((0.50, 0.60, 0.70), "index", "C", "quality without knowledge")
    initial_stock: tuple[Count, Count, Count] = _field((600, 400, 200), "units", "D", "stock before day 1")
    initial_target: tuple[Count, Count, Count] = _field((120, 80, 40), "units", "C", "initial reorder target")
    initial_satisfaction: Share = _field(0.80, "share", "C", "satisfaction before day 1, and reference level")
    initial_reliability: Share = _field(0.91, "share", "C", "reliability before day 1")

    throughput: tuple[Count, ...] = _field((60, 90, 130, 180), "units per day", "D, C", "by capacity tier")
    overhead: tuple[Count, ...] = _field(
        (40_000, 52_000, 68_000, 88_000), "cents per day", "D, C", "by capacity tier"
    )
    capital: tuple[Count, ...] = _field(
        (0, 3_000_000, 7_000_000, 12_000_000), "cents", "C", "cumulative, by capacity tier"
    )
    construction: tuple[Count, ...] = _field((0, 21, 35, 49), "days", "P", "by target tier")
    downsize_fee: Count = _field(100_000, "cents per tier", "P", "charge for taking a tier down")
    downsize_days: Positive = _field(7, "days", "P", "time to take tiers down")
    cancel_refund_tenths: Annotated[int, Field(ge=0, le=10)] = _field(
        8, "tenths", "P", "share of the unspent prepayment that a cancelled expansion gives back"
    )

    innovation_price: tuple[Count, Count, Count] = _field(
        (1_200_000, 3_000_000, 7_000_000), "cents", "C", "by innovation tier 1 to 3"
    )
    innovation_days: tuple[Positive, Positive, Positive] = _field(
        (45, 90, 150), "days", "P", "median, by innovation tier"
    )
    innovation_gain: tuple[Size, Size, Size] = _field(
        (14_000.0, 37_000.0, 88_000.0), "dollars of knowledge", "C", "expected company total, by tier"
    )
    innovation_days_spread: Size = _field(0.25, "log", "C", "spread of a project's duration")
    innovation_gain_spread: Size = _field(0.35, "log", "C", "spread of a project's gain")
    research_price: Count = _field(250_000, "cents", "C", "one segment's report")
    research_spread: Size = _field(0.15, "log", "C", "noise of a report")
    signal_spread: Size = _field(0.08, "log", "C", "noise of the public signal")

    arrivals: Scale = _field(690.0, "customers per day", "P", "baseline opportunities, all segments")
    segment_mix: tuple[Size, Size, Size] = _field((0.45, 0.20, 0.35), "share", "C", "baseline mix")
    macro_retention: Share = _field(0.98, "per day", "P", "retention of the macro index")
    macro_spread: Size = _field(0.02, "log", "C", "daily shock of the macro index")
    phase_stay: Share = _field(59 / 60, "per day", "P", "probability that a phase goes on")
    phase_mix: tuple[tuple[Size, Size, Size], ...] = _field(
        ((1.0, 1.0, 1.0), (0.95, 0.70, 1.30), (1.00, 1.40, 0.80), (1.10, 1.05, 0.90)),
        "factor",
        "C",
        "by phase (balanced, price-sensitive, quality-led, service-led) and segment",
    )
    phase_weights: tuple[tuple[Size, Size, Size], ...] = _field(
        ((1.0, 1.0, 1.0), (1.30, 0.85, 0.90), (0.90, 1.30, 1.00), (0.95, 1.00, 1.40)),
        "factor",
        "C",
        "price, quality and service weight by phase",
    )
    season_period: tuple[Scale, Scale, Scale] = _field((7.0, 30.0, 90.0), "days", "P", "seasonal periods")
    season_amplitude: tuple[Triple, Triple, Triple] = _field(
        ((0.06, 0.08, 0.08), (0.03, 0.05, 0.12), (0.09, 0.10, 0.05)), "share", "C", "by segment and period"
    )
    season_shift: tuple[Triple, Triple, Triple] = _field(
        ((0.0, 0.0, 0.0), (2.0, 10.0, 30.0), (4.0, 20.0, 60.0)), "days", "C", "by segment and period"
    )

    appeal: tuple[Triple, Triple, Triple] = _field(
        ((-0.05, 0.0, -0.55), (-0.60, -0.15, 0.0), (0.25, -0.45, -1.30)),
        "utils",
        "C",
        "delta, by segment and product",
    )
    price_weight: Triple = _field((1.5, 1.1, 2.0), "utils", "C", "beta p, by segment")
    reference_weight: Triple = _field((0.3, 0.2, 0.4), "utils", "C", "beta r, by segment")
    promotion_weight: Triple = _field((1.0, 0.6, 1.4), "utils", "C", "beta m, by segment")
    quality_weight: Triple = _field((2.6, 3.9, 1.4), "utils", "C", "beta q, by segment")
    service_weight: Triple = _field((1.2, 1.8, 0.6), "utils", "C", "beta v, by segment")
    goodwill_weight: Triple = _field((0.16, 0.14, 0.14), "utils", "C", "beta a, by segment")
    loyalty_weight: Triple = _field((0.06, 0.06, 0.06), "utils", "C", "beta l, by segment")
    outside_value: Triple = _field((2.51, 2.61, 2.46), "utils", "C", "value of buying nothing, by segment")
    nest: Annotated[float, Field(ge=0, lt=1)] = _field(0.5, "share", "C", "sigma, the nest's similarity")
    goodwill_scale: Scale = _field(1000.0, "dollars", "C", "inside the goodwill logarithm")
    loyalty_scale: Scale = _field(200.0, "units", "C", "inside the loyalty logarithm")
    patience: tuple[
        Annotated[int, Field(ge=0, le=100)],
        Annotated[int, Field(ge=0, le=100)],
        Annotated[int, Field(ge=0, le=100)],
    ] = _field((30, 20, 15), "percent", "C", "unserved customers who wait, by segment")
    backorder_days: Annotated[int, Field(ge=1, le=60)] = _field(14, "days", "C", "how long they wait")

    knowledge_retention: Share = _field(0.99955, "per day", "P", "of knowledge")
    development_scale: Scale = _field(300.0, "dollars per day", "C", "diseconomy of hurried development")
    quality_range: Size = _field(0.36, "index", "C", "quality that knowledge can add")
    knowledge_scale: Scale = _field(60_000.0, "dollars", "C", "knowledge for 63 % of that")
    goodwill_retention: Share = _field(0.975, "per day", "P", "of goodwill")
    marketing_scale: Scale = _field(200.0, "dollars per day", "C", "diminishing return of a channel")
    channel_effect: tuple[Triple, Triple, Triple] = _field(
        ((0.6, 0.8, 1.0), (0.4, 1.0, 0.9), (1.1, 0.5, 0.8)), "factor", "C", "eta, by segment and channel"
    )
    reliability_retention: Share = _field(0.96, "per day", "C", "of reliability")
    reliability_gap: Share = _field(0.09, "share", "C", "failures without a reliability budget")
    reliability_scale: Scale = _field(60.0, "dollars per day", "C", "budget that removes 63 % of the gap")
    satisfaction_retention: Share = _field(0.96, "per day", "P", "of satisfaction")
    unsolved_penalty: Size = _field(1.2, "share", "C", "weight of unsolved incidents in satisfaction")
    support_scale: Scale = _field(10.0, "dollars per incident", "C", "support that solves 63 % of incidents")
    refund_share: Share = _field(0.4, "share", "C", "of revenue, per unsolved incident")
    loyalty_retention: Share = _field(0.98, "per day", "C", "of loyalty")
    reference_retention: Share = _field(0.98, "per day", "C", "of the reference price ratio")
    fatigue_retention: Share = _field(0.93, "per day", "C", "of promotion fatigue")

    tender_every: Positive = _field(14, "days", "P", "between openings")
    tender_open_days: Positive = _field(7, "days", "P", "from opening to closing, both counted")
    tender_delivery_days: Positive = _field(7, "days", "P", "from closing to the due day")
    tender_size: tuple[Share, Share] = _field((0.15, 0.45), "share of arrivals", "P", "range of quantities")
    tender_quality: tuple[Share, Share] = _field((0.0, 0.05), "index", "P", "range above base quality")
    tender_price_factor: Scale = _field(1.25, "of list price", "P", "reservation price")
    tender_penalty_percent: Annotated[int, Field(ge=0, le=100)] = _field(
        10, "percent of the bid", "P", "fine on an undelivered unit"
    )

    price_limit: Positive = _field(3, "times list", "C", "highest price")
    promotion_limit: Annotated[int, Field(ge=0, le=99)] = _field(50, "percent", "C", "highest promotion")
    target_limit: Positive = _field(10_000, "units", "C", "highest reorder target")
    budget_limit: Positive = _field(200_000, "cents per day", "C", "highest budget of one cell")
    project_limit: Annotated[int, Field(ge=1, le=64)] = _field(3, "projects", "P", "running at once")

    @model_validator(mode="after")
    def _tiers_agree(self) -> Parameters:
        tiers = {len(self.throughput), len(self.overhead), len(self.capital), len(self.construction)}
        if len(tiers) != 1 or not 1 <= len(self.throughput) <= 16:
            raise ValueError(
                "throughput, overhead, capital and construction need one entry a tier, 1 to 16 tiers"
            )
        if len(self.phase_mix) != len(PHASES) or len(self.phase_weights) != len(PHASES):
            raise ValueError(f"phase_mix and phase_weights need one row a phase: {', '.join(PHASES)}")
        if any(later < earlier for earlier, later in zip(self.capital, self.capital[1:], strict=False)):
            raise ValueError("capital is cumulative: it may not fall from tier to tier")
        return self

    @property
    def windows(self) -> int:
        return -(-self.days // self.window_days)

    @property
    def initial_value(self) -> int:
        """Initial enterprise value in cents: cash plus stock at liquidation value."""
        stock = zip(self.liquidation, self.initial_stock, strict=True)
        return self.initial_cash + sum(value * units for value, units in stock)


def _as_tuples(value: Any) -> Any:
    return tuple(_as_tuples(item) for item in value) if isinstance(value, list) else value


def configured(overrides: Mapping[str, Any]) -> Parameters:
    """Return the parameters with overrides by field name; raises InputError for a wrong name or value."""
    unknown = sorted(set(overrides) - set(Parameters.model_fields))
    if unknown:
        near = get_close_matches(unknown[0], Parameters.model_fields, n=3) or [
            "days",
            "initial_cash",
            "arrivals",
        ]
        raise InputError(
            f"unknown override {unknown[0]!r}; nearest: {', '.join(near)}; docs/markets/ceo_arena.md lists all "
            f"{len(Parameters.model_fields)} parameters",
            field="overrides",
        )
    try:
        return Parameters(**{name: _as_tuples(value) for name, value in overrides.items()})
    except ValidationError as failure:
        first = failure.errors()[0]
        place = ".".join(str(part) for part in ("overrides", *first["loc"]))
        told = fault_words(first, first["input"])
        raise InputError(f"{told}{_allowed(first['loc'])}"[:400], field=place) from None


def _allowed(loc: tuple[int | str, ...]) -> str:
    """Return what the parameter of a fault takes and in which unit; nothing for a fault of several together."""
    if not loc:
        return ""
    field = Parameters.model_json_schema()["properties"][loc[0]]
    return f" (allowed: {allowed_words(field)}; {field['unit']}, {field['description']})"


def digest(parameters: Parameters) -> str:
    """Return the SHA-256 hex digest over every parameter."""
    text = json.dumps(parameters.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
