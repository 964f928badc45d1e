"""Small readings of a desk's facts that the strategies share: rates, cover, rivals, room to act.

Each answers one question an operator asks of the books. Rates are units a day; money is cents.
Nothing here decides; what a doctrine makes of a reading is its own page.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from statistics import median
from typing import Any

from agents.strategy import Facts
from agents.vocabulary import PRODUCTS, SEGMENTS
from tournament.records import Json

Rates = dict[str, float]


def demand_rates(facts: Facts) -> Rates:
    """Customers a day who chose each product, the last week weighing two thirds; before any sale, a 60-day stock."""
    recent, previous = facts["recent"], facts["previous"]
    if recent is None:
        return {j: max(1.0, facts["stock"][j] / 60) for j in PRODUCTS}
    latest = _demand(recent)
    if previous is None:
        return latest
    before = _demand(previous)
    return {j: (2 * latest[j] + before[j]) / 3 for j in PRODUCTS}


def segment_rates(period: Mapping[str, Any]) -> Rates:
    """Customers a day who chose this firm, by segment."""
    days = _days(period)
    return {s: period["segments"][s]["demand"] / days for s in SEGMENTS}


def on_hand(facts: Facts, product: str) -> int:
    """Units that no contract or backorder still waits for."""
    promised = sum(c["units"] for c in facts["contracts"] if c["product"] == product)
    free: int = facts["stock"][product] - promised - facts["backorders"][product]
    return free


def cover_days(facts: Facts, product: str, rate: float) -> float:
    """Days that stock and inbound last at a rate."""
    inbound = sum(order["units"] for order in facts["inbound"] if order["product"] == product)
    units: int = on_hand(facts, product) + inbound
    return units / max(rate, 0.1)


def order_up_to(facts: Facts, product: str, rate: float, spare_days: float, service: float = 1.5) -> int:
    """Base stock for a rate: lead time, a day of review, spare days, `service` deviations of Poisson demand.

    Near the end it shrinks to what can still be sold, since a unit left over keeps a third of its cost.
    """
    exposed: float = facts["products"][product]["lead_time"] + 1 + spare_days
    sellable: float = facts["days_left"] - facts["window_days"] / 2 - 1
    days = max(0.0, min(exposed, sellable))
    safety = service * sqrt(rate * days) if sellable > exposed else 0.0
    return min(10_000, round(rate * days + safety))


def rival_prices(facts: Facts, product: str) -> list[int]:
    """Posted prices of the other active firms, lowest first."""
    return sorted(
        firm["posted"][product]
        for firm in facts["public_prices"]
        if firm["active"] and firm["seat"] != facts["seat"]
    )


def rival_median(facts: Facts, product: str) -> float:
    """Median posted price of the active rivals; list price where none is left."""
    prices = rival_prices(facts, product)
    return float(median(prices)) if prices else float(facts["products"][product]["list_price"])


def gross_margin(facts: Facts) -> int:
    """Revenue less the cost of what was delivered in the last window; 0 before any sale."""
    recent = facts["recent"]
    if recent is None:
        return 0
    return sum(
        recent["products"][j]["revenue_cents"]
        - recent["products"][j]["delivered"] * facts["products"][j]["cost"]
        for j in PRODUCTS
    )


def utilisation(facts: Facts) -> float:
    """Customers of the last window as a share of what the active tier can deliver; 0 before any sale."""
    recent = facts["recent"]
    if recent is None:
        return 0.0
    return sum(_demand(recent).values()) / float(facts["company"]["throughput"])


def unserved_share(facts: Facts) -> float:
    """Share of the last window's customers who were not served at once."""
    recent = facts["recent"]
    if recent is None:
        return 0.0
    demand = sum(recent["products"][j]["demand"] for j in PRODUCTS)
    served = sum(recent["products"][j]["served"] for j in PRODUCTS)
    return 1 - served / demand if demand else 0.0


def expansion(facts: Facts, wanted_rate: float, unit_margin: float, reserve_cents: int) -> Json:
    """The capacity action for a wanted rate, or None: one tier up if it pays back twice and leaves the reserve."""
    tier = facts["company"]["tier"]
    if facts["company"]["pending"] is not None or tier + 1 >= len(facts["capacity"]):
        return None
    now, larger = facts["capacity"][tier], facts["capacity"][tier + 1]
    price = larger["capital_cents"] - now["capital_cents"]
    days = facts["days_left"] - larger["construction_days"]
    gained = min(wanted_rate, larger["throughput"]) - now["throughput"]
    daily = gained * unit_margin - (larger["overhead_cents"] - now["overhead_cents"])
    if gained <= 0 or daily * days < 2 * price or facts["cash_cents"] - price < reserve_cents:
        return None
    return {"expand": tier + 1}


def can_win(facts: Facts, tender: Mapping[str, Any]) -> bool:
    """Whether quality, free stock and a week's throughput would qualify a bid now."""
    product, quantity = tender["product"], tender["quantity"]
    queue = sum(c["units"] for c in facts["contracts"]) + sum(facts["backorders"].values())
    return bool(
        facts["company"]["quality"][product] >= tender["minimum_quality"]
        and on_hand(facts, product) >= quantity
        and facts["window_days"] * facts["company"]["throughput"] - queue >= quantity
    )


def can_stock(facts: Facts, tender: Mapping[str, Any]) -> bool:
    """Whether quality qualifies now and stock ordered in this window arrives before the tender closes."""
    product = tender["product"]
    qualifies = facts["company"]["quality"][product] >= tender["minimum_quality"]
    arrives = facts["day"] + 1 + facts["products"][product]["lead_time"]
    return bool(qualifies and arrives <= tender["closes_day"] and tender["due_day"] <= facts["horizon"])


def running_projects(facts: Facts) -> int:
    """Innovation projects under way."""
    return len(facts["company"]["projects"])


def _demand(period: Mapping[str, Any]) -> Rates:
    days = _days(period)
    return {j: period["products"][j]["demand"] / days for j in PRODUCTS}


def _days(period: Mapping[str, Any]) -> int:
    return int(period["last_day"]) - int(period["first_day"]) + 1
