"""The contract's vectors to the cent: catalogue, tapes, sellers, and every figure of two scripted worlds."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from market.commerce.catalog import catalog
from market.commerce.exogenous import draw
from market.commerce.firm import dues
from market.commerce.parameters import ARCHETYPES, Parameters
from market.commerce.state import ACCOUNTS
from market.commerce.world import CommerceWorld

FOLDER = Path(__file__).parent / "vectors"
NAMES = ("commerce-1", "commerce-2")


@cache
def vector(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@cache
def played(name: str) -> tuple[CommerceWorld, list[list[int]]]:
    """Return the vector's world after its scripts, and the windows refused whole by seat."""
    world = CommerceWorld("commerce@1", Parameters(), vector(name)["seed"], vector(name)["seats"])
    scripts = [dict(seat["decisions"]) for seat in vector(name)["seat"]]
    refused: list[list[int]] = [[] for _ in scripts]
    for window in range(world.windows):
        settled = world.settle([script.get(window, {}) for script in scripts])
        for seat in settled.refusals:
            refused[seat - 1].append(window)
    return world, refused


@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_is_the_contracts(name: str) -> None:
    sample, made = vector(name)["catalog_sample"], catalog(2026)
    o = made.offers
    columns = (
        o.sku,
        o.supplier,
        o.country,
        o.cost,
        o.moq,
        o.stock,
        o.lead,
        o.advertised_lead,
        o.quality,
        o.advertised_quality,
    )
    for row in sample["offers"]:
        assert [row[0], *(int(column[row[0]]) for column in columns)] == row
    for s, cost, popularity, freight, guide in sample["skus"]:
        assert (made.cost[s], made.freight[s].tolist(), made.guide[s].tolist()) == (cost, freight, guide)
        assert made.popularity[s] == pytest.approx(popularity, abs=1e-9)
    assert made.permit_needed.tolist() == sample["need"]
    assert made.permit_fee.tolist() == sample["permit_fee"]
    assert made.permit_days.tolist() == sample["permit_days"]


@pytest.mark.parametrize("name", NAMES)
def test_the_exogenous_course_is_the_contracts(name: str) -> None:
    sample, drawn = vector(name)["tape_sample"], draw(catalog(2026), vector(name)["seed"])
    assert [drawn.trend[d].tolist() for d in (0, 14, 30)] == sample["index"]
    assert drawn.interest.tolist() == sample["interest"]
    signals = [[s.kind, s.announced, s.category, s.country, s.genuine, s.onset, s.end] for s in drawn.signals]
    assert signals == sample["signals"]
    for inquiry, row in zip(drawn.inquiries, sample["inquiries"], strict=False):
        told = [inquiry.day, inquiry.number, inquiry.sku, inquiry.country, inquiry.units, inquiry.message]
        assert told == row[:6]
        assert inquiry.willing == pytest.approx(row[6], abs=1e-9)
    assert len(drawn.inquiries) == sample["inquiries_total"]
    for j, prices in sample["wholesale"]:
        assert [int(drawn.wholesale[d, j]) for d in (0, 10, 20, 29)] == prices
    assert [drawn.currency[d].tolist() for d in (0, 10, 30)] == sample["currency"]
    assert drawn.duty[20].tolist() == sample["tariff"]


@pytest.mark.parametrize("name", NAMES)
def test_every_scripted_seller_sells_earns_and_keeps_what_the_vector_says(name: str) -> None:
    world, _ = played(name)
    rows = []
    for i in range(60):
        f = world.seats + i
        rows.append(
            [
                ARCHETYPES[int(world.crowd.archetype[i])].name,
                int(world.crowd.tier[i]),
                int((world.crowd.skus[i] >= 0).sum()),
                int(world.history.sold[:, f].sum()),
                int(world.state.cash[f]),
                int(world.state.stock[f].sum()),
            ]
        )
    assert rows == vector(name)["sellers"]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_decisions_are_refused(name: str) -> None:
    world, refused = played(name)
    for i, seat in enumerate(vector(name)["seat"]):
        assert refused[i] == seat["whole_refused"]
        assert world.counters[i]["items_refused"] == seat["items_refused"]


@pytest.mark.parametrize("name", NAMES)
def test_cash_agrees_every_day_and_net_worth_at_the_end(name: str) -> None:
    world, _ = played(name)
    state = world.state
    for i, seat in enumerate(vector(name)["seat"]):
        assert world.history.cash[1:, i].tolist() == seat["closing_cash_cents"]
        assert world.scores()[i] == seat["score_cents"]
        assert sum(due.cents for due in dues(state, world.drawn, i, 30)) == seat["receivable_cents"]
        held = (state.cash[i], state.stock_cost[i].sum(), state.inbound_cost[i].sum())
        assert held == (seat["final_cash_cents"], seat["stock_cost_cents"], seat["inbound_cost_cents"])
        assert (state.loan[i], state.payables[i].sum()) == (seat["loan_cents"], seat["payable_cents"])


@pytest.mark.parametrize("name", NAMES)
def test_accounts_and_counters_agree(name: str) -> None:
    world, _ = played(name)
    for i, seat in enumerate(vector(name)["seat"]):
        posted = dict(zip(ACCOUNTS, world.history.ledger[:, i].sum(axis=0).tolist(), strict=True))
        counters = world.counters[i]
        figures = {
            **posted,
            "revenue": int(world.history.revenue[:, i].sum()),
            "service": counters["service_revenue_cents"],
        }
        assert {name: figures[name] for name in seat["accounts"]} == seat["accounts"]
        counted = {
            **counters,
            "orders": int(world.history.orders[:, i].sum()),
            "units": int(world.history.sold[:, i].sum()),
            "refunds": int(world.history.refunds[:, i].sum()),
            "violations": int(world.state.violations[i]),
        }
        assert {name: counted[name] for name in seat["counters"]} == seat["counters"]
