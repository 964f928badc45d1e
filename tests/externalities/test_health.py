"""Market health from a world's tables, worked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from externalities import health
from externalities.write import write_externalities
from tests.externalities import synthetic
from tests.externalities.tables import row, table

COSTS = {"tea": 30, "cake": 70}


def daily(days: int = 21, seats: int = 2, key: int = 1) -> pd.DataFrame:
    """Return books of shops that buy at fixed costs; a price moves in window 1 and a rival follows in 2."""
    generator = np.random.default_rng(key)
    rows = []
    held = {(seat, name): 10 for seat in range(1, seats + 1) for name in COSTS}
    for day in range(1, days + 1):
        for seat in range(1, seats + 1):
            window = (day - 1) // 7
            cells: dict[str, int] = {"day": day, "seat": seat, "cash_cents": 100_000, "procurement_cents": 0}
            for name, cost in COSTS.items():
                price = 2 * cost - (cost // 10 if window >= (1 if seat == 1 else 2) else 0)
                wanted = int(generator.integers(0, 8))
                sold = min(wanted, held[seat, name])
                ordered = int(generator.integers(0, 8))
                held[seat, name] += ordered - sold
                cells["procurement_cents"] += ordered * cost
                cells |= {
                    f"price_cents_{name}": price,
                    f"promotion_percent_{name}": 0,
                    f"stock_{name}": held[seat, name],
                    f"inbound_{name}": 0,
                    f"demand_{name}": wanted,
                    f"served_{name}": sold,
                    f"delivered_{name}": sold,
                    f"revenue_cents_{name}": sold * price,
                }
            rows.append(cells)
    return pd.DataFrame(rows)


def market(inclusive: float = 1.0) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "day": [1, 1, 2, 2],
            "segment": ["x", "y", "x", "y"],
            "phase": ["p"] * 4,
            "arrivals": [10, 20, 30, 0],
            "inclusive_value": [inclusive, 0.5, 2.0, 0.0],
            "outside_value": [1.0, 1.5, 1.0, 1.5],
            "served": [4, 5, 20, 0],
            "unserved": [1, 0, 5, 0],
        }
    )


def test_products_and_unit_costs_are_read_off_the_books():
    assert health.products(daily()) == ["tea", "cake"]
    assert health.unit_costs(daily()) == COSTS


def test_books_whose_procurement_is_not_units_times_cost_give_no_markup():
    crooked = daily()
    crooked.loc[30, "procurement_cents"] += 1
    found = health.mean_markup(crooked)
    assert found.value is None
    assert found.note == "unit costs do not follow from procurement"


def test_markup_is_weighted_by_revenue():
    books = daily()
    weighted = weight = 0.0
    for name, cost in COSTS.items():
        revenue = books[f"revenue_cents_{name}"]
        weighted += float((revenue * (books[f"price_cents_{name}"] / cost - 1)).sum())
        weight += float(revenue.sum())
    assert health.mean_markup(books).value == pytest.approx(weighted / weight)


def test_posted_prices_round_promotions_as_the_market_does():
    books = pd.DataFrame({"price_cents_tea": [99, 4001], "promotion_percent_tea": [50, 33]})
    assert health.posted_prices(books, "tea").tolist() == [50, 2681]


def test_a_rival_that_follows_one_window_later_has_slope_one_before_centring():
    found = health.price_following(daily(), 7)
    # Changes of window 2 on those of window 1: seat 2 follows fully, seat 1 faced no earlier change.
    assert found.value == pytest.approx(1.0)
    still = daily()
    for name, cost in COSTS.items():
        still[f"price_cents_{name}"] = cost
    assert health.price_following(still, 7).value is None
    assert health.price_following(still, 7).note == "no price ever moved"


def test_fill_rate_is_served_over_demanded():
    books = daily()
    demanded = books["demand_tea"].sum() + books["demand_cake"].sum()
    assert health.fill_rate(books).value == pytest.approx(
        (books["served_tea"].sum() + books["served_cake"].sum()) / demanded
    )


def test_surplus_and_the_unserved_are_weighted_by_arrivals_for_each_segment():
    found = {(item.name, item.segment): item.value for item in health.customer_measures(market())}

    def surplus(inside: float, outside: float) -> float:
        return float(np.log(np.exp(outside) + np.exp(inside)) - outside)

    whole = 10 * surplus(1, 1) + 20 * surplus(0.5, 1.5) + 30 * surplus(2, 1)
    assert found["surplus_utils", ""] == pytest.approx(whole / 60)
    assert found["surplus_utils", "x"] == pytest.approx((10 * surplus(1, 1) + 30 * surplus(2, 1)) / 40)
    assert found["unserved_share", ""] == pytest.approx(6 / 60)


def test_a_day_without_an_offer_has_no_surplus():
    found = health.surplus_utils(market(inclusive=-np.inf))
    assert found[0] == 0.0


def test_days_after_the_last_firm_has_left_count_as_days_without_an_offer(tmp_path):
    books = daily()
    books.loc[books["day"] >= 2, "cash_cents"] = 0
    books.to_parquet(tmp_path / "daily.parquet")
    market().to_parquet(tmp_path / "market.parquet")
    found = {(item.name, item.segment): item.value for item in health.table_measures(tmp_path)}
    assert found["surplus_utils", "x"] == pytest.approx(10 * np.log(2) / 40)


def test_concentration_and_spread_of_a_small_market():
    made = synthetic.rows(lineup=synthetic.agents(2), noise=0.0, repeats={11: 1})
    (world, *_) = synthetic.worlds(made)
    revenue = world.metrics["revenue_cents"]
    found = {item.name: item.value for item in health.outcome_measures(world, "score")}
    shares = revenue / revenue.sum()
    assert found["herfindahl_revenue"] == pytest.approx(float((shares**2).sum()))
    assert found["gini_revenue"] == pytest.approx(abs(shares[0] - shares[1]) / 2)
    assert found["score_spread_cents"] == 0.0
    assert health.mean_difference(np.array([1.0, 4.0, 10.0])) == pytest.approx((3 + 9 + 6) / 3)
    assert health.gini(np.array([1.0, 1.0, 1.0])) == 0.0


def test_health_is_told_by_world_by_lineup_and_as_matched_differences(tmp_path):
    made = synthetic.rows(lineup=synthetic.agents(2))
    run = synthetic.write_run(tmp_path, made)
    for index, world in enumerate(sorted({item["world"] for item in made})):
        folder = run / "worlds" / world
        folder.mkdir(parents=True)
        daily(key=index).to_parquet(folder / "daily.parquet")
        market().to_parquet(folder / "market.parquet")
        pd.DataFrame({"window": [0, 1, 2], "seat": [1, 1, 1]}).to_parquet(folder / "windows.parquet")
    write_externalities(run)
    worlds = table(run, "health.csv")
    control = row(worlds, world="ref.r0.s11.n1", measure="fill_rate")
    treated = row(worlds, world="rule-for-a1.r0.s11.n1", measure="fill_rate")
    assert control["value"] != treated["value"]
    found = row(table(run, "health_differences.csv"), entrant="a1", measure="fill_rate")
    by_seed = [
        float(row(worlds, world=f"ref.r0.s{seed}.n1", measure="fill_rate")["value"])
        - float(row(worlds, world=f"rule-for-a1.r0.s{seed}.n1", measure="fill_rate")["value"])
        for seed in (11, 29, 47)
    ]
    assert float(found["mean"]) == pytest.approx(np.mean(by_seed), abs=1e-7)
    assert (found["clusters"], found["pairs"]) == ("3", "3")
    lineup = row(table(run, "health_lineups.csv"), lineup="ref", measure="surplus_utils", segment="x")
    assert float(lineup["sd"]) == 0.0
    assert (
        row(table(run, "health_differences.csv"), entrant="a2", measure="surplus_utils", segment="y")["mean"]
        == "0"
    )


def test_a_run_without_world_tables_still_tells_concentration(tmp_path):
    run = synthetic.write_run(tmp_path, synthetic.rows(lineup=synthetic.agents(2)))
    write_externalities(run)
    assert {item["measure"] for item in table(run, "health.csv")} == {
        "herfindahl_revenue",
        "gini_revenue",
        "score_spread_cents",
    }
