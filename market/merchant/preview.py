"""What a draft would leave: listings, cash, the day's expected cost, and what a careful seller would notice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from market.merchant.catalog import product_id
from market.merchant.decision import Order
from market.merchant.figures import DISPATCH_HOURS, SLOTS
from tournament.records import Json

THIN_STOCK = 5
CUSHION_ORDERS = 10
SHOWN = 8


def preview(facts: Mapping[str, Any], order: Order) -> Mapping[str, Json]:
    """Return the preview of a checked draft."""
    shelf = {int(row["product"][1:]): row["price_cents"] for row in facts["listings"]}
    for i in order.delist:
        del shelf[i]
    shelf |= dict(order.reprice) | dict(order.listing)
    yesterday = facts["yesterday"]
    return {
        "accepted": True,
        "refusal": None,
        "listings_after": len(shelf),
        "slots_left": SLOTS - len(shelf),
        "cash_cents": facts["cash_cents"],
        "deposit_cents": facts["deposit_cents"],
        "daily_cost_cents": None if yesterday is None else yesterday["cost_cents"],
        "warnings": _warnings(facts, shelf),
    }


def _warnings(facts: Mapping[str, Any], shelf: Mapping[int, int]) -> list[str]:
    catalog = facts["catalog"]
    cost, available = catalog["price_cents"], catalog["available"]
    rows = sorted(shelf)
    warnings = []
    for told, found in (
        ("priced below the supplier price", [i for i in rows if shelf[i] < cost[i]]),
        ("listed but not available from the supplier", [i for i in rows if not available[i]]),
        (
            f"dispatched after more than {DISPATCH_HOURS} hours",
            [i for i in rows if catalog["ship_hours"][i] > DISPATCH_HOURS],
        ),
        (f"stock below {THIN_STOCK}", [i for i in rows if available[i] and catalog["stock"][i] < THIN_STOCK]),
    ):
        if found:
            more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            warnings.append(f"{told}: {', '.join(product_id(i) for i in found[:SHOWN])}{more}")
    if rows:
        mean = sum(cost[i] for i in rows) / len(rows)
        if facts["cash_cents"] < CUSHION_ORDERS * mean:
            warnings.append(
                f"cash covers fewer than {CUSHION_ORDERS} orders at the shelf's mean supplier price"
            )
    return warnings
