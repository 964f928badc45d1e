"""The tables of a store's database that are made anew each window: the store, its shelf, what is public."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from market.merchant import figures
from market.merchant.categories import keyword_name
from market.merchant.growing import order_id
from market.merchant.parameters import HOURS_A_WINDOW
from market.merchant.state import (
    BORN,
    COST,
    CROSSING,
    DELIVERED,
    FINES,
    LATE,
    NUMBER,
    ORDERED,
    PAIR_CANCELLED,
    PAIR_FINES,
    PAIR_GMV,
    PAIR_GROSS,
    PAIR_LATE,
    PAIR_NET,
    PAIR_ORDERS,
    PAIR_REFUNDED,
    PAIR_RETURNED,
    PAIR_REVIEWS,
    PAIR_STOCKOUTS,
    PRICE,
    PRODUCT,
    SHIP,
    SHIPPED,
    SPELL_FINES,
    SPELL_GMV,
    SPELL_NET,
    SPELL_OPEN,
    SPELL_STOCKOUTS,
    STAGE,
)

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld

Rows = Iterable[tuple[Any, ...]]
Facts = Mapping[str, Any]

SCORE_FORMULA = (
    f"cash + deposit + cost of goods in transit + receivable - {figures.INITIAL_CAPITAL} fen, after the last order"
    " has ended"
)
LAST_HOUR = figures.DISPATCH_HOURS + 1
RULES: tuple[tuple[str, int | None, int | None, str], ...] = (
    (
        "late_dispatch",
        figures.FINE_LATE,
        LAST_HOUR,
        "Fine for an order not shipped within 48 hours, in hour 49.",
    ),
    (
        "stockout",
        figures.FINE_STOCKOUT,
        None,
        "Fine for a buyer of a listed product without stock or supplier.",
    ),
    ("short_of_cash", figures.FINE_SHORT, None, "Fine for an order that your cash can not procure."),
    (
        "return",
        figures.FINE_RETURN,
        None,
        "Fine for a returned order; its cost comes back, its price does not.",
    ),
    ("bad_review", figures.FINE_REVIEW, None, "Fine for a bad review; its price stays yours."),
    ("refund_without_return", 0, None, "Price and goods are gone; no fine."),
    ("cancellation", 0, None, "Before dispatch; the cost comes back; no fine."),
    ("settlement", None, figures.SETTLE_HOURS, "Longest wait from delivery to settlement."),
    (
        "deposit",
        figures.FULL_DEPOSIT,
        None,
        "Full deposit; credits restore it first; empty, it closes the store.",
    ),
    ("slots", None, None, f"At most {figures.SLOTS} listings."),
)


def store(world: MerchantWorld, _: int, facts: Facts) -> Rows:
    held = ("cash_cents", "deposit_cents", "in_transit_cents", "receivable_cents")
    stars = facts["stars"]
    yield (
        facts["seat"],
        *(facts[name] for name in held),
        sum(facts[name] for name in held),
        facts["fines_cents"],
        facts["rating"],
        stars,
        figures.STAR_MULTIPLIERS[stars - 1],
        len(facts["listings"]),
        facts["slots"],
    )


def scenario(world: MerchantWorld, _: int, facts: Facts) -> Rows:
    yield (
        world.market_id,
        *(facts[name] for name in ("day", "hour", "window", "windows", "days_left", "seats")),
        figures.INITIAL_CAPITAL,
        SCORE_FORMULA,
        world.parameters.competition,
    )


def platform_rules(_: MerchantWorld, __: int, ___: Facts) -> Rows:
    return RULES


def products(_: MerchantWorld, __: int, facts: Facts) -> Rows:
    static, moving = facts["catalog_static"], facts["catalog"]
    return zip(
        static["product"],
        static["title"],
        static["category"],
        [keyword_name(keyword) for keyword in static["keyword"]],
        static["supplier"],
        [int(value) for value in moving["available"]],
        moving["price_cents"],
        moving["stock"],
        moving["ship_hours"],
        static["logistics_hours"],
        static["rating"],
        strict=True,
    )


def suppliers(world: MerchantWorld, _: int, __: Facts) -> Rows:
    catalog = world.catalog
    counts = np.bincount(catalog.supplier)
    return zip(
        range(len(counts)),
        catalog.supplier_rating[: len(counts)].tolist(),
        catalog.return_buyers[: len(counts)].tolist(),
        catalog.age_years[: len(counts)].tolist(),
        counts.tolist(),
        strict=True,
    )


def listings(world: MerchantWorld, m: int, facts: Facts) -> Rows:
    titles = facts["catalog_static"]["title"]
    now = HOURS_A_WINDOW * world.window
    columns = (SPELL_GMV, SPELL_STOCKOUTS, SPELL_FINES, SPELL_OPEN, SPELL_NET)
    sums = world.books.spell[world.shelves.of(m)][:, columns].tolist()
    for row, (gmv, stockouts, fines, still_open, net) in zip(facts["listings"], sums, strict=True):
        since = row["listed_hour"] if row["last_sale_hour"] is None else row["last_sale_hour"]
        yield (
            row["product"],
            titles[int(row["product"][1:])],
            row["price_cents"],
            row["supplier_price_cents"],
            int(row["available"]),
            row["stock"],
            row["ship_hours"],
            row["listed_hour"] // 24 + 1,
            (now - row["listed_hour"]) // 24,
            (now - since) // 24,
            row["orders"],
            gmv,
            stockouts,
            fines,
            still_open,
            net,
        )


def _open(world: MerchantWorld, m: int) -> list[list[int]]:
    """Return the rows of a seat's orders still open, in order of birth."""
    rows: list[list[int]] = world.books.order[world.sight.open_orders(m)].tolist()
    return rows


def open_orders(world: MerchantWorld, m: int, facts: Facts) -> Rows:
    ids = facts["catalog_static"]["product"]
    for row in _open(world, m):
        stage = {ORDERED: "late" if row[LATE] else "ordered", SHIPPED: "shipped"}.get(row[STAGE], "delivered")
        arrives = row[BORN] + row[SHIP] + row[CROSSING]
        yield (
            order_id(m, row[NUMBER]),
            ids[row[PRODUCT]],
            row[BORN] // 24 + 1,
            row[BORN] % 24,
            stage,
            row[PRICE],
            row[COST],
            arrives // 24 + 1,
            row[FINES],
        )


def product_performance(world: MerchantWorld, m: int, facts: Facts) -> Rows:
    ids = facts["catalog_static"]["product"]
    columns = (PAIR_ORDERS, PAIR_GMV, PAIR_GROSS, PAIR_NET, PAIR_FINES, PAIR_LATE, PAIR_STOCKOUTS)
    more = (PAIR_CANCELLED, PAIR_RETURNED, PAIR_REFUNDED, PAIR_REVIEWS)
    own = world.shelves.pairs_of(m)
    rows = world.books.pair[[row for _, row in own]][:, columns + more].tolist()
    for (i, _), row in zip(own, rows, strict=True):
        yield ids[i], *row


def receivable_aging(world: MerchantWorld, m: int, _: Facts) -> Rows:
    now = HOURS_A_WINDOW * world.window
    sums: dict[int, list[int]] = {}
    for row in _open(world, m):
        if row[STAGE] == DELIVERED:
            age = (now - 1 - row[BORN] - row[SHIP] - row[CROSSING]) // 24
            held = sums.setdefault(age, [0, 0])
            held[0] += 1
            held[1] += row[PRICE]
    for age in sorted(sums):
        yield age, *sums[age]


def offers(_: MerchantWorld, __: int, facts: Facts) -> Rows:
    columns = facts["offers"]
    return zip(*(columns[name] for name in ("seat", "product", "price_cents", "stars")), strict=True)


READERS: Mapping[str, Callable[[MerchantWorld, int, Facts], Rows]] = {
    "store": store,
    "scenario": scenario,
    "platform_rules": platform_rules,
    "products": products,
    "suppliers": suppliers,
    "listings": listings,
    "open_orders": open_orders,
    "product_performance": product_performance,
    "receivable_aging": receivable_aging,
    "offers": offers,
}
