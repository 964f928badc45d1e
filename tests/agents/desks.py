"""Observations written by hand, in the shape that `ceo_arena@1` gives, and a desk that shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from tournament.ports import Policy
from tournament.records import Choice, Decision, Json, SeatContext, Table, Tool

PRODUCTS: dict[str, dict[str, Any]] = {
    "A": {"list_price": 4000, "cost": 2600, "liquidation": 800, "holding": 2, "lead_time": 5},
    "B": {"list_price": 7500, "cost": 4800, "liquidation": 1500, "holding": 3, "lead_time": 7},
    "C": {"list_price": 13500, "cost": 8500, "liquidation": 2600, "holding": 6, "lead_time": 10},
}
QUALITY = {"A": 0.50, "B": 0.60, "C": 0.70}
CAPACITY = [
    {"tier": 0, "throughput": 60, "overhead_cents": 40000, "capital_cents": 0, "construction_days": 0},
    {"tier": 1, "throughput": 90, "overhead_cents": 52000, "capital_cents": 3000000, "construction_days": 21},
    {
        "tier": 2,
        "throughput": 130,
        "overhead_cents": 68000,
        "capital_cents": 7000000,
        "construction_days": 35,
    },
    {
        "tier": 3,
        "throughput": 180,
        "overhead_cents": 88000,
        "capital_cents": 12000000,
        "construction_days": 49,
    },
]
INNOVATION = [
    {"tier": 1, "price_cents": 1200000, "median_days": 45, "expected_gain": 14000},
    {"tier": 2, "price_cents": 3000000, "median_days": 90, "expected_gain": 37000},
    {"tier": 3, "price_cents": 7000000, "median_days": 150, "expected_gain": 88000},
]
COSTS = [
    "procurement",
    "holding",
    "development",
    "marketing",
    "reliability",
    "support",
    "overhead",
    "capacity",
    "innovation",
    "research",
    "refunds",
    "penalties",
]


def period(first_day: int, **products: tuple[int, int]) -> dict[str, Any]:
    """A period of seven days; `A=(demand, served)` by product, demand spread evenly over segments."""
    sales = {
        j: {
            "demand": products.get(j, (0, 0))[0],
            "served": products.get(j, (0, 0))[1],
            "delivered": products.get(j, (0, 0))[1],
            "revenue_cents": products.get(j, (0, 0))[1] * PRODUCTS[j]["list_price"],
            "closing_stock": 100,
            "stockout_days": 0,
        }
        for j in PRODUCTS
    }
    demand = sum(row["demand"] for row in sales.values())
    served = sum(row["served"] for row in sales.values())
    return {
        "first_day": first_day,
        "last_day": first_day + 6,
        "revenue_cents": sum(row["revenue_cents"] for row in sales.values()),
        **{f"{name}_cents": 0 for name in COSTS},
        "products": sales,
        "segments": {
            s: {"demand": demand // 3, "served": served // 3, "units": served // 3}
            for s in ("mainstream", "premium", "value")
        },
    }


def quote(seat: int, **changed: Any) -> dict[str, Any]:
    """One firm's public prices; `A=3600` changes what is posted."""
    prices = {j: changed.get(j, PRODUCTS[j]["list_price"]) for j in PRODUCTS}
    return {
        "seat": seat,
        "active": changed.get("active", True),
        "prices": prices,
        "promotions": dict.fromkeys(PRODUCTS, 0),
        "posted": dict(prices),
    }


def standing_policy() -> dict[str, Any]:
    """What stands before anybody has decided anything."""
    channels = ("affiliate", "display", "search")
    return {
        "prices": {j: row["list_price"] for j, row in PRODUCTS.items()},
        "promotions": dict.fromkeys(PRODUCTS, 0),
        "reorder_targets": {"A": 120, "B": 80, "C": 40},
        "development": dict.fromkeys(PRODUCTS, 0),
        "marketing": {s: dict.fromkeys(channels, 0) for s in ("mainstream", "premium", "value")},
        "reliability": 0,
        "support": 0,
    }


def facts(**changed: Any) -> dict[str, Any]:
    """The observation of seat 1 of 8 before day 1, with top-level fields changed."""
    day = changed.pop("day", 0)
    horizon = changed.pop("horizon", 500)
    base: dict[str, Any] = {
        "market": "ceo_arena@1",
        "seat": 1,
        "seats": 8,
        "day": day,
        "horizon": horizon,
        "days_left": horizon - day,
        "window": day // 7,
        "windows": -(-horizon // 7),
        "window_days": 7,
        "cash_cents": 50_000_000,
        "initial_value_cents": 51_600_000,
        "products": {j: {**row, "base_quality": QUALITY[j]} for j, row in PRODUCTS.items()},
        "segments": ["mainstream", "premium", "value"],
        "channels": ["affiliate", "display", "search"],
        "capacity": CAPACITY,
        "innovation": INNOVATION,
        "research_price_cents": 250_000,
        "company": {
            "tier": 0,
            "throughput": 60,
            "overhead_cents": 40000,
            "pending": None,
            "reliability": 0.91,
            "satisfaction": {"mainstream": 0.8, "premium": 0.8, "value": 0.8},
            "quality": dict(QUALITY),
            "projects": [],
            "projects_started": 0,
        },
        "policy": standing_policy(),
        "stock": {"A": 600, "B": 400, "C": 200},
        "inbound": [],
        "backorders": dict.fromkeys(PRODUCTS, 0),
        "contracts": [],
        "recent": None,
        "previous": None,
        "public_prices": [quote(seat) for seat in range(1, 9)],
        "tenders": [],
        "tender_results": [],
        "signal": None,
        "research": [],
    }
    company = changed.pop("company", {})
    base["company"] = {**base["company"], **company}
    unknown = set(changed) - set(base)
    assert not unknown, unknown
    return deepcopy({**base, **changed})


@dataclass(frozen=True)
class PaperDesk:
    """A tournament.ports.Desk that shows one written observation."""

    shown: Mapping[str, Json] = field(default_factory=facts)
    market_id: str = "ceo_arena@1"

    @property
    def seat(self) -> int:
        return int(self.shown["seat"])

    @property
    def version(self) -> int:
        return int(self.shown["day"])

    @property
    def window(self) -> int:
        return int(self.shown["window"])

    def facts(self) -> Mapping[str, Json]:
        return self.shown

    def check(self, decision: Json) -> str | None:
        return None

    def null(self) -> Decision:
        return {}

    def preview(self, decision: Decision) -> Mapping[str, Json]:
        return {}

    def tools(self) -> Sequence[Tool]:
        return ()

    def tables(self) -> Sequence[Table]:
        return ()

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        return iter(())

    def guide(self) -> str:
        return ""

    def brief(self) -> str:
        return ""


CONTEXT = SeatContext(world="ref.r0.s11.n1", seat=1, contestant="under-test")


async def played(policy: Policy, shown: Mapping[str, Json], memo: Json = None) -> Choice:
    """What the policy seals on an observation."""
    return await policy.decide(PaperDesk(shown), memo)
