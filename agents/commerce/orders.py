"""Finance, permits and purchases of the trader core, within one budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agents.commerce.beliefs import Belief
from agents.commerce.evidence import HORIZON, Evidence, Ints, Reals
from agents.commerce.parameters import TraderParameters
from agents.commerce.routes import Plan
from tournament.records import Json

CAPITAL = 8_000_000
LOAN_LIMIT = 4_000_000
MOST_PERMITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """Loans, permits and purchases; `bought` is the units ordered by SKU."""

    finance: Mapping[str, Json]
    permits: list[Json]
    buy: list[Json]
    bought: Ints


def commit(seen: Evidence, belief: Belief, plan: Plan, trader: TraderParameters) -> Orders:
    """Return what the window pays for."""
    finance, loan = financed(seen, trader)
    facts = seen.facts
    budget = facts["cash_cents"] + loan - trader.reserve * facts["net_worth_cents"] - 20_000
    permits, budget = permitted(seen, plan, trader, budget)
    buy, bought = purchases(seen, belief, plan, trader, budget)
    return Orders(finance=finance, permits=permits, buy=buy, bought=bought)


def financed(seen: Evidence, trader: TraderParameters) -> tuple[Mapping[str, Json], int]:
    """Borrow while the game is young and cash is short, repay at its end; return the cents borrowed now."""
    cash, loan = seen.facts["cash_cents"], seen.facts["loan_cents"]
    if trader.credit and 1 <= seen.window <= 20 and cash < 1_500_000 and loan < LOAN_LIMIT:
        amount = min(2_000_000, LOAN_LIMIT - loan)
        return {"borrow": amount}, amount
    if seen.day >= 26 and cash > 1_000_000 and loan > 0:
        return {"repay": min(loan, cash - 500_000)}, 0
    return {}, 0


def permitted(
    seen: Evidence, plan: Plan, trader: TraderParameters, budget: float
) -> tuple[list[Json], float]:
    """Apply for the permits that pay, best value for the fee first."""
    if trader.permits == "ignore" or seen.days_left <= 6:
        return [], budget
    wanted = np.zeros(len(plan.value), dtype=bool)
    wanted[seen.category[plan.chosen]] = True
    open_cells = (seen.world.needed == 1) & (seen.state == 0) & plan.worth & wanted[:, None]
    cells = [(int(c), int(k)) for c, k in zip(*open_cells.nonzero(), strict=True)]
    cells.sort(key=lambda cell: (-float(plan.value[cell]) / int(seen.world.fee[cell]), cell))
    applied: list[Json] = []
    for c, k in cells[:MOST_PERMITS]:
        if budget > 3 * int(seen.world.fee[c, k]):
            applied.append([seen.facts["categories"][c], seen.facts["countries"][k]])
            budget -= int(seen.world.fee[c, k])
    return applied, budget


def wanted_units(seen: Evidence, belief: Belief, plan: Plan) -> Reals:
    """Return the units a day that every SKU is bought for."""
    units: Reals = (plan.units * (plan.usable & plan.paying)).sum(axis=1)
    if seen.window < 2:
        return units
    sales = seen.sales_a_day(6)
    active = belief.active[seen.category] > 0
    seasoned = np.where(active, np.maximum(units, sales), (units + sales) / 2.0)
    traded = (seen.stock > 0) & (seen.listed > 0).any(axis=1)
    wanted: Reals = np.where(traded, seasoned, units)
    return wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What a SKU is bought by: units a day, held and its cost, the chosen offer's terms, and whether events count."""

    units: float
    stock: int
    inbound: int
    stock_cost: int
    inbound_cost: int
    offer: int
    price: float
    lead: int
    moq: int
    most: int
    active: int


def shelves(seen: Evidence, belief: Belief, plan: Plan) -> list[Shelf]:
    """Return the shelves of the chosen SKUs, in order."""
    columns = {
        "units": wanted_units(seen, belief, plan),
        **{name: getattr(seen, name) for name in ("stock", "inbound", "stock_cost", "inbound_cost")},
        **{name: getattr(belief, name) for name in ("offer", "price", "lead", "moq", "most")},
        "active": belief.active[seen.category],
    }
    rows = zip(*(column[plan.chosen].tolist() for column in columns.values()), strict=True)
    return [Shelf(**dict(zip(columns, row, strict=True))) for row in rows]


def purchases(
    seen: Evidence, belief: Belief, plan: Plan, trader: TraderParameters, budget: float
) -> tuple[list[Json], Ints]:
    """Buy for the chosen SKUs in order, while the budget lasts."""
    bought = np.zeros(len(seen.stock), dtype=np.int64)
    buy: list[Json] = []
    for s, shelf in zip(plan.chosen.tolist(), shelves(seen, belief, plan), strict=True):
        lead = shelf.lead if seen.window > 0 else 0
        if seen.day + lead > (29 if trader.select == "bulk" else 27):
            continue
        n = min(amount(seen, trader, shelf, lead), shelf.most)
        n = min(n, int(max(room(seen, trader, shelf), 0.0) / shelf.price))
        n = min(n, int(max(budget, 0.0) / shelf.price))
        if n >= shelf.moq:
            buy.append([f"O{shelf.offer:04d}", n])
            budget -= n * shelf.price
            bought[s] = n
    return buy, bought


def amount(seen: Evidence, trader: TraderParameters, shelf: Shelf, lead: int) -> int:
    """Return the units that a SKU lacks for its cover, or more than anybody has where the row knows no bound."""
    boundless = trader.select == "bulk" or (trader.select == "cheapest" and seen.window == 0)
    if boundless or (trader.incident == "trap" and shelf.active):
        return shelf.most
    days = min(trader.cover + lead, HORIZON - seen.day - lead)
    want = days * shelf.units * (0.8 if seen.window == 0 else 1.0)
    held = shelf.stock + shelf.inbound
    n = math.floor(want - held)
    if trader.relation == "chase" and held < 3 * shelf.moq:
        n = max(n, shelf.moq)
    return n


def room(seen: Evidence, trader: TraderParameters, shelf: Shelf) -> float:
    """Return the cents that may still be put into a SKU."""
    if trader.select == "bulk":
        most = 0.95 * CAPITAL / trader.skus
    else:
        most = trader.per_sku * max(seen.facts["net_worth_cents"], CAPITAL)
    if shelf.active:
        most *= 4.0 if trader.incident == "trap" else 1.5
    return most - shelf.stock_cost - shelf.inbound_cost
