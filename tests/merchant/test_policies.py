"""Each policy is put before situations and its moves are listed."""

from __future__ import annotations

from typing import Any

import pytest

from agents.merchant.explorer import exposed_days
from agents.merchant.pricer import MERCHANT_PRICER, PricerParameters
from agents.merchant.quality import MERCHANT_QUALITY
from agents.merchant.reading import exposure
from agents.merchant.rule import MERCHANT_RULE, MerchantRuleParameters
from agents.merchant.season import MERCHANT_SEASON
from agents.strategy import Move, Strategy
from tournament.records import Json

COUNT = 40
IDS = [f"P{i:05d}" for i in range(COUNT)]


def catalog(**changed: dict[int, Any]) -> dict[str, list[Any]]:
    """Forty available products at 1,000 to 1,039 fen; `changed` sets cells of a column by product number."""
    columns: dict[str, list[Any]] = {
        "price_cents": [1000 + i for i in range(COUNT)],
        "available": [True] * COUNT,
        "stock": [20] * COUNT,
        "ship_hours": [24] * COUNT,
    }
    for name, cells in changed.items():
        for i, value in cells.items():
            columns[name][i] = value
    return columns


def static(**changed: dict[int, Any]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        "product": IDS,
        "keyword": [8 * (i % 10) for i in range(COUNT)],
        "rating": [4.5 - i / 100 for i in range(COUNT)],
        "supplier_rating": [4.5] * COUNT,
        "return_buyer_rate": [0.2] * COUNT,
    }
    for name, cells in changed.items():
        for i, value in cells.items():
            columns[name][i] = value
    return columns


def listing(i: int, **changed: Any) -> dict[str, Any]:
    row = {
        "product": IDS[i],
        "price_cents": 2 * (1000 + i),
        "listed_hour": 0,
        "orders": 0,
        "last_sale_hour": None,
        "supplier_price_cents": 1000 + i,
        "available": True,
        "stock": 20,
        "ship_hours": 24,
    }
    return {**row, **changed}


def facts(**changed: Any) -> dict[str, Any]:
    window = changed.get("window", 0)
    shown = {
        "seat": 1,
        "window": window,
        "hour": 12 * (window % 2),
        "cash_cents": 200_000,
        "slots": 5,
        "listings": [],
        "catalog": catalog(),
        "catalog_static": static(),
        "report": {"hot": [], "rising": []},
        "offers": {"seat": [], "product": [], "price_cents": [], "stars": []},
        "lifetime_orders": {},
    }
    return {**shown, **changed}


def moved(strategy: Strategy[Any], shown: dict[str, Any], memo: Json = None, **parameters: Any) -> Move:
    return strategy.decide(strategy.parameters(**parameters), shown, memo)


def test_rule_takes_hot_keywords_first_and_the_best_rated_behind_them() -> None:
    move = moved(MERCHANT_RULE, facts(report={"hot": [56], "rising": []}, slots=6))
    assert move.decision["list"] == {
        "P00007": 2014,
        "P00017": 2034,
        "P00027": 2054,
        "P00037": 2074,
        "P00000": 2000,
        "P00001": 2002,
    }


@pytest.mark.parametrize(
    ("column", "value"),
    [("available", False), ("stock", 3), ("ship_hours", 49), ("price_cents", 3001)],
)
def test_rule_lists_nothing_that_its_filters_leave_out(column: str, value: Any) -> None:
    move = moved(MERCHANT_RULE, facts(catalog=catalog(**{column: {0: value}}), slots=1))
    assert list(move.decision["list"]) == ["P00001"]


def test_rule_drops_what_its_supplier_spoils_and_what_has_not_sold_for_a_week() -> None:
    shelf = [
        listing(0, available=False),
        listing(1, ship_hours=49),
        listing(2),
        listing(3, last_sale_hour=1),
        listing(4, listed_hour=12),
    ]
    move = moved(MERCHANT_RULE, facts(window=14, listings=shelf))
    assert move.decision["delist"] == ["P00000", "P00001", "P00002"]
    assert list(move.decision["list"]) == ["P00005", "P00006", "P00007"]


def test_rule_leaves_stale_listings_alone_at_noon_and_reprices_to_twice_the_cost() -> None:
    move = moved(MERCHANT_RULE, facts(window=15, slots=1, listings=[listing(2, supplier_price_cents=1500)]))
    assert move.decision == {"delist": [], "reprice": {"P00002": 3000}, "list": {}}


def test_rule_rests_a_product_for_three_weeks() -> None:
    first = moved(MERCHANT_RULE, facts(slots=1))
    assert list(first.decision["list"]) == ["P00000"]
    for window, expected in ((41, "P00001"), (42, "P00000")):
        again = moved(MERCHANT_RULE, facts(window=window, slots=1), first.memo)
        assert list(again.decision["list"]) == [expected]


def test_rule_clears_its_shelf_when_cash_is_low() -> None:
    move = moved(MERCHANT_RULE, facts(cash_cents=49_999, listings=[listing(3)]))
    assert move.decision == {"delist": ["P00003"]}
    assert MerchantRuleParameters().cash_low == 50_000


def test_an_explorer_drops_what_is_spoilt_and_rests_it_for_three_days() -> None:
    shelf = [listing(0, stock=0), listing(1, available=False), listing(2, ship_hours=49)]
    move = moved(MERCHANT_QUALITY, facts(window=2, listings=shelf, slots=3))
    assert move.decision["delist"] == ["P00000", "P00001", "P00002"]
    assert list(move.decision["list"]) == ["P00003", "P00004", "P00005"]
    assert move.memo["barred"] == {"product": [0, 1, 2], "hour": [24 + 72] * 3}
    later = moved(MERCHANT_QUALITY, facts(window=8, slots=1), move.memo)
    assert list(later.decision["list"]) == ["P00000"]


def test_an_explorer_gives_up_the_ten_listings_that_earn_least_each_week() -> None:
    shelf = [listing(i, orders=i) for i in range(12)]
    move = moved(MERCHANT_SEASON, facts(window=28, listings=shelf, slots=12))
    assert move.decision["delist"] == IDS[:10]
    barred = dict(zip(move.memo["barred"]["product"], move.memo["barred"]["hour"], strict=True))
    assert (barred[0], barred[5]) == (336 + 45 * 24, 336 + 240)
    calm = moved(MERCHANT_SEASON, facts(window=29, listings=shelf, slots=12))
    assert calm.decision["delist"] == []


def test_an_explorer_prefers_what_has_sold_and_reaches_further_with_more_cash() -> None:
    proven = moved(MERCHANT_QUALITY, facts(slots=1, lifetime_orders={"P00020": 3}))
    assert list(proven.decision["list"]) == ["P00020"]
    dear = {"catalog": catalog(price_cents={0: 5000}), "slots": 1}
    assert list(moved(MERCHANT_QUALITY, facts(**dear)).decision["list"]) == ["P00001"]
    rich = moved(MERCHANT_QUALITY, facts(cash_cents=225_000, **dear))
    assert rich.decision["list"] == {"P00000": 9500}


def test_the_season_rider_follows_the_report() -> None:
    shown = facts(slots=2, report={"hot": [56], "rising": [72]})
    assert list(moved(MERCHANT_SEASON, shown).decision["list"]) == ["P00007", "P00017"]


def test_the_pricer_asks_two_prices_and_less_in_a_crowd() -> None:
    offers = {
        "seat": [1, 2, 3],
        "product": ["P00000", "P00000", "P00001"],
        "price_cents": [9] * 3,
        "stars": [4] * 3,
    }
    ratings = static(rating={0: 9.0, 1: 9.0, 10: 9.0})
    move = moved(MERCHANT_PRICER, facts(slots=3, offers=offers, catalog_static=ratings))
    assert move.decision["list"] == {"P00000": 1408, "P00001": 1409, "P00010": 2323}


def test_the_pricer_turns_its_experiment_into_a_price_on_day_121() -> None:
    shelf = [listing(0, orders=9), listing(10, orders=3)]
    before = moved(
        MERCHANT_PRICER, facts(window=239, listings=shelf, lifetime_orders={"P00000": 9, "P00010": 3})
    )
    arms = before.memo["sums"][0]
    assert [arm[0] for arm in arms] == [9, 3]
    assert arms[0][1] == pytest.approx(exposure(12 * 239))
    after = moved(MERCHANT_PRICER, facts(window=240), before.memo)
    assert after.memo["sums"] == []
    assert all(1.5 <= value <= 2.34 for value in after.memo["multiples"])
    assert PricerParameters().experiment_days == 120


def test_exposure_ramps_for_two_weeks_and_fades() -> None:
    assert (exposure(0), exposure(336)) == (0.2, 1.0)
    assert exposure(337) < 1.0
    assert exposed_days(12) == exposed_days(24) == exposure(0) + 1
    assert exposed_days(36) == exposure(0) + exposure(24) + 1
