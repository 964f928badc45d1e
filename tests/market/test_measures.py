"""What the first market measures of a finished world, worked by hand on small books."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from market.ceo_arena.measures import CHOSEN, measures, series
from market.ceo_arena.parameters import PRODUCTS, SEGMENTS, Parameters

COSTS = dict(zip(PRODUCTS, Parameters().cost, strict=True))
Columns = dict[str, np.ndarray]


def daily(days: int = 21, seats: int = 2, key: int = 1) -> Columns:
    """Return books of shops; firm 1 cuts its prices in window 1 and firm 2 follows in window 2."""
    generator = np.random.default_rng(key)
    rows = days * seats
    day, seat = np.repeat(np.arange(1, days + 1), seats), np.tile(np.arange(1, seats + 1), days)
    window = (day - 1) // 7
    books = {"day": day, "seat": seat, "cash_cents": np.full(rows, 100_000)}
    books |= {f"{name}_cents": np.zeros(rows, dtype=np.int64) for name in CHOSEN}
    cut = window >= np.where(seat == 1, 1, 2)
    for name, cost in COSTS.items():
        price = 2 * cost - np.where(cut, cost // 10, 0)
        wanted = generator.integers(1, 8, rows)
        sold = np.minimum(wanted, generator.integers(0, 8, rows))
        books |= {
            f"price_cents_{name}": price,
            f"promotion_percent_{name}": np.zeros(rows, dtype=np.int64),
            f"demand_{name}": wanted,
            f"served_{name}": sold,
            f"revenue_cents_{name}": sold * price,
        }
    return books


def market(inclusive: float = 1.0) -> Columns:
    x, y, _ = sorted(SEGMENTS)
    return {
        "day": np.array([1, 1, 2, 2]),
        "segment": np.array([x, y, x, y]),
        "arrivals": np.array([10, 20, 30, 0]),
        "inclusive_value": np.array([inclusive, 0.5, 2.0, 0.0]),
        "outside_value": np.array([1.0, 1.5, 1.0, 1.5]),
        "unserved": np.array([1, 0, 5, 0]),
    }


@dataclass(frozen=True)
class Told:
    values: dict[tuple[str, str], float | None]
    notes: dict[tuple[str, str], str]


def told(books: Columns, customers: Columns) -> Told:
    found = measures(Parameters(), books, customers)
    return Told(
        values={(item.name, item.group): item.value for item in found},
        notes={(item.name, item.group): item.note for item in found},
    )


def test_markup_is_posted_price_over_the_declared_cost_weighted_by_revenue():
    books = daily()
    weighted = weight = 0.0
    for name, cost in COSTS.items():
        revenue = books[f"revenue_cents_{name}"]
        weighted += float((revenue * (books[f"price_cents_{name}"] / cost - 1)).sum())
        weight += float(revenue.sum())
    assert told(books, market()).values["mean_markup", ""] == pytest.approx(weighted / weight)


def test_a_promotion_lowers_the_posted_price_as_the_market_rounds_it():
    books = daily(days=2, seats=1)
    for name, cost in COSTS.items():
        books[f"price_cents_{name}"] = np.full(2, 2 * cost + 1)
        books[f"promotion_percent_{name}"] = np.full(2, 33)
        books[f"revenue_cents_{name}"] = np.full(2, 100 if name == PRODUCTS[0] else 0)
    cost = COSTS[PRODUCTS[0]]
    posted = ((2 * cost + 1) * 67 + 50) // 100
    assert told(books, market()).values["mean_markup", ""] == pytest.approx(posted / cost - 1)


def test_a_rival_that_follows_one_window_later_has_slope_one():
    books = daily()
    assert told(books, market()).values["price_following", ""] == pytest.approx(1.0)
    for name, cost in COSTS.items():
        books[f"price_cents_{name}"][:] = cost
    still = told(books, market())
    assert still.values["price_following", ""] is None
    assert still.notes["price_following", ""] == "no price ever moved"


def test_fill_rate_is_served_over_demanded():
    books = daily()
    demanded = sum(int(books[f"demand_{name}"].sum()) for name in PRODUCTS)
    served = sum(int(books[f"served_{name}"].sum()) for name in PRODUCTS)
    assert told(books, market()).values["fill_rate", ""] == pytest.approx(served / demanded)


def test_surplus_and_the_unserved_are_weighted_by_arrivals_for_each_segment():
    def surplus(inside: float, outside: float) -> float:
        return float(np.log(np.exp(outside) + np.exp(inside)) - outside)

    x, y, z = sorted(SEGMENTS)
    found = told(daily(), market())
    whole = 10 * surplus(1, 1) + 20 * surplus(0.5, 1.5) + 30 * surplus(2, 1)
    assert found.values["surplus_utils", ""] == pytest.approx(whole / 60)
    assert found.values["surplus_utils", x] == pytest.approx((10 * surplus(1, 1) + 30 * surplus(2, 1)) / 40)
    assert found.values["surplus_utils", y] == pytest.approx(surplus(0.5, 1.5))
    assert found.values["unserved_share", ""] == pytest.approx(6 / 60)
    assert found.values["unserved_share", z] is None
    assert found.notes["unserved_share", z] == "no arrivals"


def test_days_after_the_last_firm_has_left_count_as_days_without_an_offer():
    books = daily()
    books["cash_cents"][books["day"] >= 2] = 0
    found = told(books, market())
    assert found.values["surplus_utils", sorted(SEGMENTS)[0]] == pytest.approx(10 * np.log(2) / 40)


def test_a_firms_path_ends_where_it_has_left():
    books = daily(days=10)
    paths = series(Parameters(), books, (0, 8))
    assert paths["last_day"].tolist() == [7, 7, 10, 10]
    assert paths["in_business"].tolist() == [True, True, True, False]
    shares = paths["revenue_share"]
    first = sum(books[f"revenue_cents_{name}"][:14].reshape(-1, 2) for name in PRODUCTS).sum(axis=0)
    assert shares[:2].tolist() == pytest.approx((first / first.sum()).tolist())
    assert np.isnan(shares[3])
    assert np.isnan(paths["cash_cents"][3])
    assert paths["relative_price"][:2].tolist() == pytest.approx([1.0, 1.0])
