"""What one seat observes, as JSON values: the ground of a policy's decision and of the briefing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from market.merchant.categories import CATEGORIES
from market.merchant.figures import SLOTS
from market.merchant.parameters import HOURS_A_WINDOW, WINDOWS_A_DAY
from market.merchant.state import (
    CASH,
    DEPOSIT,
    NEVER,
    RATING,
    RECEIVABLE,
    SPELL_BORN,
    SPELL_ORDERS,
    SPELL_PRICE,
    SPELL_PRODUCT,
    SPELL_SOLD,
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
        "listings": listings(world, m),
        "catalog": sight.catalog(),
        "catalog_static": sight.static(),
        "report": report(world, day),
        "offers": sight.offers(),
        "lifetime_orders": orders,
        "lifetime_stockouts": stockouts,
        "yesterday": sight.period(m, complete - 2, complete),
        "last_week": sight.period(m, complete - 14, complete),
    }


def report(world: MerchantWorld, day: int) -> dict[str, Json]:
    """Return the day's report; a category's momentum is None while unavailable."""
    today = world.reports.of(day)
    return {
        "day": day + 1,
        "hot": list(today.hot),
        "rising": list(today.rising),
        "categories": {row.name: percent for row, percent in zip(CATEGORIES, today.momentum, strict=True)},
    }


def listings(world: MerchantWorld, m: int) -> list[dict[str, Json]]:
    """Return one object a listing, by product."""
    spells = world.shelves.of(m)
    if not spells:
        return []
    columns = (SPELL_PRODUCT, SPELL_PRICE, SPELL_BORN, SPELL_ORDERS, SPELL_SOLD)
    spell = world.books.spell[spells]
    rows = spell[:, columns].tolist()
    product = spell[:, SPELL_PRODUCT]
    suppliers, ids = world.suppliers, world.sight.static()["product"]
    seen = zip(
        suppliers.price[product].tolist(),
        (suppliers.available[product] == 1).tolist(),
        suppliers.stock[product].tolist(),
        suppliers.ship[product].tolist(),
        strict=True,
    )
    return [
        {
            "product": ids[i],
            "price_cents": price,
            "listed_hour": born,
            "orders": orders,
            "last_sale_hour": None if sold == NEVER else sold,
            "supplier_price_cents": cost,
            "available": available,
            "stock": stock,
            "ship_hours": ship,
        }
        for (i, price, born, orders, sold), (cost, available, stock, ship) in zip(rows, seen, strict=True)
    ]
