"""What one seat observes, as JSON values: the ground of a policy's decision and of the briefing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from market.merchant.figures import SLOTS
from market.merchant.parameters import HOURS_A_WINDOW, WINDOWS_A_DAY
from market.merchant.state import (
    CASH,
    DEPOSIT,
    RATING,
    RECEIVABLE,
    STARS,
    TRANSIT,
)
from tournament.records import Json

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld


def observe(world: MerchantWorld, m: int) -> Mapping[str, Json]:
    """Return the facts of merchant m (from 0) at the world's version."""
    window, sight = world.window, world.sight
    day = min(window // WINDOWS_A_DAY, world.parameters.days - 1)
    complete = window - window % WINDOWS_A_DAY
    seat = world.books.seat[m].tolist()
    orders, stockouts = sight.lifetime(m)
    return {
        "seat": m + 1,
        "seats": world.seats,
        "window": window,
        "windows": world.windows,
        "day": day + 1,
        "hour": HOURS_A_WINDOW * (window % WINDOWS_A_DAY),
        "days_left": world.parameters.days - day,
        "cash_cents": seat[CASH],
        "deposit_cents": seat[DEPOSIT],
        "in_transit_cents": seat[TRANSIT],
        "receivable_cents": seat[RECEIVABLE],
        "rating": float(world.books.evidence[m, RATING]),
        "stars": seat[STARS],
        "slots": SLOTS,
        "fines_cents": int(world.paid[m]),
        "listings": sight.listings(m),
        "catalog": sight.catalog(),
        "catalog_static": sight.static(),
        "report": sight.report(day),
        "offers": sight.offers(),
        "lifetime_orders": orders,
        "lifetime_stockouts": stockouts,
        "yesterday": sight.period(m, complete - 2, complete),
        "last_week": sight.period(m, complete - 14, complete),
    }
