"""Three recorded worlds come out to the fen: shared buyers, crowded shares and empty stocks, and no sharing."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from market.merchant.accounts import (
    LATE_FINE,
    PROCUREMENT,
    RETURN_FINE,
    REVIEW_FINE,
    SHORT_FINE,
    STOCKOUT_FINE,
)
from market.merchant.catalog import catalog_of, titles
from market.merchant.cells import LENGTH, WAIT, cell2, cell_keys
from market.merchant.figures import EVENT_HORIZON
from market.merchant.state import CASH, CLOSED, COUNTERS, DEPOSIT, NEVER, UNPAID
from market.merchant.world import MerchantWorld
from tests.merchant.worlds import opened, played_vector, vector

NUMBERS = (1, 2, 3)
CHANNELS = ("price", "delist", "delay")
played = lru_cache(maxsize=3)(played_vector)


@pytest.mark.parametrize("number", NUMBERS)
def test_scores_cash_deposits_and_closures_are_the_recorded_ones(number: int) -> None:
    world, _ = played(number)
    seats = vector(number)["seats"]
    assert list(world.scores()) == [seat["score_cents"] for seat in seats]
    for m, seat in enumerate(seats):
        own = world.books.seat[m]
        assert int(own[CASH]) == seat["final_cash_cents"]
        assert int(own[DEPOSIT]) == seat["final_deposit_cents"]
        assert int(own[UNPAID]) == seat["fines_unpaid_cents"]
        closed = int(own[CLOSED])
        assert (None if closed == NEVER else closed) == seat["closed_hour"]
    assert world.drained_hour == vector(number)["drained_hour"]


@pytest.mark.parametrize("number", NUMBERS)
def test_every_counter_and_fine_is_the_recorded_one(number: int) -> None:
    world, _ = played(number)
    ledger = world.history.ledger.sum(axis=0)
    for m, seat in enumerate(vector(number)["seats"]):
        counts = dict(zip(COUNTERS, world.history.counted[:, m].sum(axis=0).tolist(), strict=True))
        for name in COUNTERS:
            recorded = "of_empty_stock" if name == "empty" else name
            assert counts[name] == seat[recorded], name
        assert -int(ledger[m, PROCUREMENT]) == seat["procurement_cents"]
        kinds = ("late", "stockout", "short", "return", "review")
        accounts = (LATE_FINE, STOCKOUT_FINE, SHORT_FINE, RETURN_FINE, REVIEW_FINE)
        fines = {kind: -int(ledger[m, account]) for kind, account in zip(kinds, accounts, strict=True)}
        assert fines == seat["fines_paid_cents"]


def closing_cash(world: MerchantWorld, m: int) -> list[int]:
    cash: list[int] = world.history.closing[1::2, m, 0].tolist()
    return cash


@pytest.mark.parametrize("number", NUMBERS)
def test_cash_of_every_day_and_ratings_of_every_week_are_the_recorded_ones(number: int) -> None:
    world, _ = played(number)
    for m, seat in enumerate(vector(number)["seats"]):
        assert closing_cash(world, m) == seat["closing_cash_cents"]
        ratings = [math.floor(value * 1e6 + 0.5) for value in world.history.rating[6::7, m].tolist()]
        assert ratings == seat["closing_rating_millionths"]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_recorded_windows_are_refused_and_no_others(number: int) -> None:
    _, settlements = played(number)
    for m, seat in enumerate(vector(number)["seats"]):
        refused = [row.window for row in settlements if m + 1 in row.refusals]
        assert refused == seat["refused_windows"]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_reports_are_the_recorded_ones(number: int) -> None:
    recorded = vector(number)
    world = opened(recorded["overrides"], seed=recorded["seed"], seats=1)
    for row in recorded["reports"]:
        report = world.reports.of(row["day"] - 1)
        assert list(report.momentum) == row["momentum_percent"]
        assert list(report.hot) == row["hot"]
        assert list(report.rising) == row["rising"]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_catalogue_and_its_supplier_events_are_the_recorded_ones(number: int) -> None:
    recorded = vector(number)
    n = recorded["overrides"].get("products", 1000)
    catalog = catalog_of(2026, n)
    assert len(np.unique(catalog.supplier)) == recorded["suppliers"]
    for row in recorded["catalog_sample"]:
        i = int(row["product"][1:])
        s = int(catalog.supplier[i])
        assert {
            "title": titles(2026, n)[i],
            "supplier": s,
            "rating": float(catalog.rating[i]),
            "supplier_rating": float(catalog.supplier_rating[s]),
            "return_buyer_rate": float(catalog.return_buyers[s]),
            "age_years": float(catalog.age_years[s]),
            "base_price_cents": int(catalog.base[i]),
            "ship_hours": int(catalog.ship[i]),
            "logistics_hours": int(catalog.transit[i]),
            "stock_ceiling": int(catalog.ceiling[i]),
            "restock": int(catalog.delivery[i]),
            "restock_hour": int(catalog.delivery_hour[i]),
        } == {name: value for name, value in row.items() if name not in ("product", "events")}
        events = {kind: first_events(recorded["seed"], n, i, k) for k, kind in enumerate(CHANNELS)}
        assert events == row["events"]


def first_events(seed: int, n: int, i: int, channel: int) -> list[list[int]]:
    """The first three [onset, end] of a channel within the year, by the contract's closed form."""
    keys, rate_log = cell_keys(seed), catalog_of(2026, n).rate_log[channel, i]
    events: list[list[int]] = []
    for j in range(3):
        at = events[-1][1] + 1 if events else 0
        onset = at + math.floor(math.log(1 - cell2(keys[WAIT + channel], i, j)) / rate_log)
        if onset >= EVENT_HORIZON:
            break
        events.append([onset, onset + 168 + math.floor(505 * cell2(keys[LENGTH + channel], i, j))])
    return events


def test_a_smaller_catalogue_is_the_beginning_of_a_larger_one() -> None:
    small, large = catalog_of(2026, 120), catalog_of(2026, 1000)
    suppliers = int(small.supplier.max()) + 1
    for name, column in small._asdict().items():
        length = suppliers if name in ("supplier_rating", "return_buyers", "age_years") else 120
        assert np.array_equal(column[..., :length], getattr(large, name)[..., :length]), name
