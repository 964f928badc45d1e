"""The rows of a seat's company database that show this window: own records and public facts only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from market.commerce.firm import dues, relation_discount
from market.commerce.parameters import (
    CAPITAL_CENTS,
    CATEGORIES,
    CODES,
    COUNTRIES,
    INCOTERMS,
    LIQUIDATION_PERCENT,
    OFFER_IDS,
    PARTNER,
    PREFERRED,
    SKU_IDS,
    SPEEDS,
    SUPPLIER_IDS,
)
from market.commerce.state import NEVER
from tournament.records import Json

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld

Facts = Mapping[str, Json]
Rows = Iterable[tuple[Any, ...]]
SLOW_DAYS = 3
SCORE = (
    f"cash + receivables + 40 percent of the cost of stock and inbound - loan - payables - {CAPITAL_CENTS}"
)


def scenario(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    names = ("market", "phase", "day", "days", "days_left", "window", "windows", "seats", "sellers")
    yield (*(facts[name] for name in names), CAPITAL_CENTS, SCORE)


def skus(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for s, interest in enumerate(facts["interest"]):
        category = CATEGORIES[s // 9]
        yield SKU_IDS[s], category.code, category.name, interest


def sku_interest(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    return zip(SKU_IDS, facts["interest"], strict=True)


def _grid(names: tuple[str, ...], values: Any) -> Rows:
    for name, row in zip(names, values, strict=True):
        for country, value in zip(COUNTRIES, row, strict=True):
            yield name, country, value


def guide_prices(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    return _grid(SKU_IDS, facts["guide"])


def trend_index(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for day, block in enumerate(facts["index"]):
        for row in _grid(CODES, block):
            yield (day, *row)


def currency(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for day, rates in enumerate(facts["currency"]):
        for country, rate in zip(COUNTRIES, rates, strict=True):
            yield day, country, rate


def market_offers(_: CommerceWorld, i: int, facts: Facts) -> Rows:
    columns = facts["published"]
    for firm, s, k, cents in zip(*columns.values(), strict=True):
        yield firm, SKU_IDS[s], COUNTRIES[k], cents, int(firm == i + 1)


def festivals(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for item in facts["calendar"]:
        for country in item["countries"]:
            for category in item["categories"]:
                yield (
                    item["name"],
                    country,
                    category,
                    item["first_day"],
                    item["peak_days"][0],
                    item["last_day"],
                )


def signals(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for item in facts["signals"]:
        yield (
            item["signal"],
            item["kind"],
            CODES[item["category"]],
            COUNTRIES[item["country"]],
            item["announced"],
            item["start"],
            item["end"],
            int(item["corroborated"]),
        )


def supplier_offers(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    terms = facts["offers"]
    columns = (
        terms["sku"],
        terms["supplier"],
        terms["country"],
        facts["offer_price"],
        terms["moq"],
        terms["stock"],
        terms["advertised_quality"],
        terms["advertised_lead"],
        facts["known_quality"],
        facts["known_lead"],
    )
    for j, (s, supplier, country, *rest) in enumerate(zip(*columns, strict=True)):
        yield (OFFER_IDS[j], SKU_IDS[s], SUPPLIER_IDS[supplier], COUNTRIES[country], *rest)


def supplier_relations(world: CommerceWorld, i: int, _: Facts) -> Rows:
    orders = world.state.supplier_orders[i]
    for n in orders.nonzero()[0].tolist():
        count = int(orders[n])
        preferred = count >= PREFERRED[0]
        status = "partner" if count >= PARTNER[0] else "preferred" if preferred else "none"
        yield SUPPLIER_IDS[n], count, status, relation_discount(count), int(preferred)


def freight_rates(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for sku, country, cents in _grid(SKU_IDS, facts["freight"]):
        yield sku, country, cents, cents * 18 // 10


def tariffs(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    return _grid(CODES, facts["duty"])


def landed_cost(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for s, held in enumerate(facts["stock"]):
        if held:
            unit = facts["stock_cost"][s] // held
            for k, country in enumerate(COUNTRIES):
                price = facts["listings"]["price"][s][k] or facts["guide"][s][k]
                freight, duty = facts["freight"][s][k], price * facts["duty"][s // 9][k] // 1000
                landed = unit + freight + duty
                yield SKU_IDS[s], country, unit, freight, price, duty, landed, price - landed


def inbound(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for number, s, units, day in facts["deliveries"]:
        yield number, SKU_IDS[s], units, day


def inventory(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for s, held in enumerate(facts["stock"]):
        if held or facts["inbound"][s]:
            cost = facts["stock_cost"][s]
            listed = sum(price > 0 for price in facts["listings"]["price"][s])
            each = cost / held if held else None
            yield SKU_IDS[s], held, cost, each, facts["stock_quality"][s], facts["inbound"][s], listed


def sold_since(facts: Facts, first: int) -> set[int]:
    """Return the SKUs sold on day `first` or later."""
    sold = facts["sold"]
    return {s for day, s in zip(sold["day"], sold["sku"], strict=True) if day >= first}


def slow_stock(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    recent = sold_since(facts, facts["day"] - SLOW_DAYS)
    if facts["day"] < SLOW_DAYS:
        return
    idle: dict[int, int] = {}
    for s, days in zip(facts["listings"]["sku"], facts["listings"]["idle"], strict=True):
        idle[s] = min(days, idle.get(s, days))
    for s, held in enumerate(facts["stock"]):
        if held and s not in recent:
            cost = facts["stock_cost"][s]
            yield SKU_IDS[s], held, cost, idle.get(s), cost * LIQUIDATION_PERCENT // 100


def listings(world: CommerceWorld, i: int, facts: Facts) -> Rows:
    terms = facts["listings"]
    steps = {(s, k): rows for s, k, rows in terms["tiers"]}
    names = ("sku", "country", "speed", "incoterm", "ad", "promotion", "idle")
    for s, k, speed, incoterm, ad, promotion, idle in zip(*(terms[name] for name in names), strict=True):
        tiers = [tuple(step) for step in steps.get((s, k), []) if step[0]]
        first, second = (*tiers, (None, None), (None, None))[:2]
        c = s // 9
        permit = facts["permit_needed"][c][k] == 0 or facts["permit_state"][c][k] == 2
        yield (
            SKU_IDS[s],
            COUNTRIES[k],
            terms["price"][s][k],
            SPEEDS[speed],
            INCOTERMS[incoterm],
            ad,
            promotion,
            *first,
            *second,
            facts["stock"][s],
            idle,
            int(permit),
        )


def company(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    names = ("seat", "cash_cents", "loan_cents", "payables_cents", "receivables_cents")
    yield (
        *(facts[name] for name in names),
        sum(facts["stock_cost"]),
        sum(facts["inbound_cost"]),
        facts["net_worth_cents"],
        facts["violations"],
        ", ".join(CODES[c] for c in facts["focus"]),
    )


def permit_requirements(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for c, code in enumerate(CODES):
        for k, country in enumerate(COUNTRIES):
            yield (
                code,
                country,
                facts["permit_needed"][c][k],
                facts["permit_fee"][c][k],
                facts["permit_days"][c][k],
            )


def permits(world: CommerceWorld, i: int, facts: Facts) -> Rows:
    since = world.state.permit_from[i]
    for c, k in zip(*(cells.tolist() for cells in (since != NEVER).nonzero()), strict=True):
        yield CODES[c], COUNTRIES[k], int(since[c, k]) - 1, int(facts["permit_state"][c][k] == 2)


def inquiries(_: CommerceWorld, __: int, facts: Facts) -> Rows:
    for item in facts["inquiries"]:
        s, k = item["sku"], item["country"]
        able = facts["listings"]["price"][s][k] > 0 and facts["stock"][s] >= item["units"]
        yield (
            item["inquiry"],
            item["day"],
            item["last_day"],
            SKU_IDS[s],
            COUNTRIES[k],
            item["units"],
            item["text"],
            int(able),
        )


def receivables(world: CommerceWorld, i: int, _: Facts) -> Rows:
    for due in dues(world.state, world.drawn, i, world.day):
        yield due.day, COUNTRIES[due.country], due.local, due.cents


def payables(world: CommerceWorld, i: int, _: Facts) -> Rows:
    owed = world.state.payables[i]
    for day in owed.nonzero()[0].tolist():
        yield day, int(owed[day])


READERS: Mapping[str, Callable[[CommerceWorld, int, Facts], Rows]] = {
    reader.__name__: reader
    for reader in (
        scenario,
        skus,
        sku_interest,
        guide_prices,
        trend_index,
        currency,
        market_offers,
        festivals,
        signals,
        supplier_offers,
        supplier_relations,
        freight_rates,
        tariffs,
        landed_cost,
        inbound,
        inventory,
        slow_stock,
        listings,
        company,
        permit_requirements,
        permits,
        inquiries,
        receivables,
        payables,
    )
}
