"""The market passes the suite that every market must pass."""

from __future__ import annotations

from market.commerce.market import MARKET
from tournament.conformance import check_market
from tournament.ports import Desk
from tournament.records import Decision

EXOGENOUS = ("demand", "demand_index", "duty_permille", "mean_freight_cents", "currency_micros")


def listing_without_stock(desk: Desk) -> Decision:
    """A listing that nobody sees: there is no stock behind it, so that it is not published."""
    return {"list": [{"sku": "SH-04", "country": "US", "price": 10_000_000}]}


def test_the_market_passes_the_conformance_suite_with_three_seats() -> None:
    check_market(MARKET, seed=5, seats=3, private=listing_without_stock, exogenous=EXOGENOUS)


def test_it_passes_short_without_sellers_and_with_another_catalogue() -> None:
    overrides = {"days": 9, "sellers": 0, "catalog_seed": 7}
    check_market(
        MARKET, seed=6, seats=2, private=listing_without_stock, exogenous=EXOGENOUS, overrides=overrides
    )
