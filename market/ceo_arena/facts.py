"""What one seat may know at a decision, as JSON values: its own records and what is public.

Rivals appear with their public offers alone. Nothing here reads a hidden coefficient or a future draw:
market research and the signal are noisy and late, running projects show expectations only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from market.ceo_arena.decision import cancellation_refund, open_tenders, running_projects
from market.ceo_arena.outcomes import by_kind
from market.ceo_arena.parameters import CHANNELS, PRODUCTS, SEGMENTS, Parameters
from market.ceo_arena.state import ENTERPRISE, NONE
from tournament.records import Json

if TYPE_CHECKING:
    from market.ceo_arena.world import CompanyWorld

RESULTS_SHOWN = 6


def by_product(values: Any) -> dict[str, Any]:
    return dict(zip(PRODUCTS, values.tolist(), strict=True))


def by_segment(values: Any) -> dict[str, Any]:
    return dict(zip(SEGMENTS, values.tolist(), strict=True))


def quality(world: CompanyWorld, i: int) -> dict[str, float]:
    """Return the firm's quality index by product."""
    parameters = world.parameters
    return {
        name: parameters.base_quality[j]
        + parameters.quality_range
        * (1.0 - math.exp(-float(world.state.knowledge[i, j]) / parameters.knowledge_scale))
        for j, name in enumerate(PRODUCTS)
    }


def catalogue(parameters: Parameters) -> dict[str, Json]:
    """Return what never changes: products, segments, channels, tiers and prices of projects."""
    tiers = range(len(parameters.throughput))
    return {
        "products": {
            name: {
                "list_price": parameters.list_price[j],
                "cost": parameters.cost[j],
                "liquidation": parameters.liquidation[j],
                "holding": parameters.holding[j],
                "lead_time": parameters.lead_time[j],
                "base_quality": parameters.base_quality[j],
            }
            for j, name in enumerate(PRODUCTS)
        },
        "segments": list(SEGMENTS),
        "channels": list(CHANNELS),
        "capacity": [
            {
                "tier": tier,
                "throughput": parameters.throughput[tier],
                "overhead_cents": parameters.overhead[tier],
                "capital_cents": parameters.capital[tier],
                "construction_days": parameters.construction[tier],
            }
            for tier in tiers
        ],
        "innovation": [
            {
                "tier": tier + 1,
                "price_cents": parameters.innovation_price[tier],
                "median_days": parameters.innovation_days[tier],
                "expected_gain": parameters.innovation_gain[tier],
            }
            for tier in range(3)
        ],
        "research_price_cents": parameters.research_price,
    }


def pending(world: CompanyWorld, i: int) -> dict[str, Json] | None:
    """Return the pending capacity change, or None."""
    state = world.state
    tier = int(state.pending_tier[i])
    if tier == NONE:
        return None
    expanding = tier > int(state.tier[i])
    ordered = int(state.pending_ordered[i])
    return {
        "kind": "expand" if expanding else "downsize",
        "tier": tier,
        "ordered_day": ordered,
        "ready_day": ordered + int(state.pending_days[i]) + 1,
        "prepaid_cents": int(state.pending_prepaid[i]),
        "cancel_refund_cents": (
            cancellation_refund(world.parameters, state, i, world.version) if expanding else 0
        ),
    }


def projects(world: CompanyWorld, i: int) -> list[Json]:
    """Return running innovation projects with their expectations, never their realisation."""
    state, parameters = world.state, world.parameters
    rows = []
    for n in running_projects(state, i, world.version):
        tier = int(state.project_tier[i, n])
        rows.append(
            {
                "tier": tier + 1,
                "started_day": int(state.project_start[i, n]),
                "median_days": parameters.innovation_days[tier],
                "expected_gain": parameters.innovation_gain[tier],
            }
        )
    return rows


def company(world: CompanyWorld, i: int) -> dict[str, Json]:
    parameters, state = world.parameters, world.state
    tier = int(state.tier[i])
    return {
        "tier": tier,
        "throughput": parameters.throughput[tier],
        "overhead_cents": parameters.overhead[tier],
        "pending": pending(world, i),
        "reliability": float(state.reliability[i]),
        "satisfaction": by_segment(state.satisfaction[i]),
        "quality": quality(world, i),
        "projects": projects(world, i),
        "projects_started": int(state.project_count[i]),
    }


def policy(world: CompanyWorld, i: int) -> dict[str, Json]:
    """Return the standing values that the next decision changes or leaves."""
    state = world.state
    marketing = state.marketing[i].tolist()
    return {
        "prices": by_product(state.prices[i]),
        "promotions": by_product(state.promotions[i]),
        "reorder_targets": by_product(state.targets[i]),
        "development": by_product(state.development[i]),
        "marketing": {
            segment: dict(zip(CHANNELS, marketing[s], strict=True)) for s, segment in enumerate(SEGMENTS)
        },
        "reliability": int(state.reliability_budget[i]),
        "support": int(state.support_budget[i]),
    }


def inbound(world: CompanyWorld, i: int) -> list[Json]:
    """Return paid shipments on their way, by product and arrival day."""
    slots = world.state.inbound.shape[2]
    rows = []
    held = world.state.inbound[i].tolist()
    day = world.version
    for product, ring in zip(PRODUCTS, held, strict=True):
        if any(ring):
            for ahead in range(1, slots):
                units = ring[(day + ahead) % slots]
                if units:
                    rows.append({"product": product, "units": units, "day": day + ahead})
    return rows


def contracts(world: CompanyWorld, i: int) -> list[Json]:
    """Return the firm's tender contracts with undelivered units."""
    state, tenders = world.state, world.luck.tenders
    return [
        {
            "tender": int(k),
            "product": PRODUCTS[tenders.product[k]],
            "units": int(state.tender_left[k]),
            "price_cents": int(state.tender_price[k]),
            "due_day": int(tenders.due[k]),
        }
        for k in (state.tender_owner == i).nonzero()[0]
        if state.tender_left[k] > 0
    ]


def periods(world: CompanyWorld, first: int, last: int) -> list[dict[str, Json]]:
    """Sum days `first` to `last` of every firm's records at once."""
    history = world.history
    days = slice(first - 1, last)
    ledger = history.ledger[days].sum(axis=0)
    demand = history.demand[days].sum(axis=0)
    served = history.served[days].sum(axis=0)
    delivered = history.delivered[days].sum(axis=0)
    revenue = ledger[:, :9].reshape(-1, 3, 3).sum(axis=2) + ledger[:, ENTERPRISE : ENTERPRISE + 3]
    kinds = {name: cents.tolist() for name, cents in by_kind(ledger).items()}
    products = {
        "demand": demand.sum(axis=1).tolist(),
        "served": served.sum(axis=1).tolist(),
        "delivered": delivered.sum(axis=1).tolist(),
        "revenue_cents": revenue.tolist(),
        "closing_stock": history.stock[last - 1].tolist(),
        "stockout_days": (history.stock[days] == 0).sum(axis=0).tolist(),
    }
    segments = {
        "demand": demand.sum(axis=2).tolist(),
        "served": served.sum(axis=2).tolist(),
        "units": delivered[:, :3].sum(axis=2).tolist(),
    }
    return [
        {
            "first_day": first,
            "last_day": last,
            **{name: cents[i] for name, cents in kinds.items()},
            "products": {
                name: {column: values[i][j] for column, values in products.items()}
                for j, name in enumerate(PRODUCTS)
            },
            "segments": {
                name: {column: values[i][s] for column, values in segments.items()}
                for s, name in enumerate(SEGMENTS)
            },
        }
        for i in range(world.seats)
    ]


def public_prices(world: CompanyWorld) -> list[Json]:
    """Return every seat's offer of the last completed day (initial offers before day 1); none after exit."""
    day, state, history = world.version, world.state, world.history
    if day == 0:
        prices, promotions, posted = state.prices, state.promotions, state.prices
    else:
        prices, promotions, posted = (
            history.price[day - 1],
            history.promotion[day - 1],
            history.posted[day - 1],
        )
    rows = []
    for i, (price, promotion, offer) in enumerate(
        zip(prices.tolist(), promotions.tolist(), posted.tolist(), strict=True)
    ):
        if state.active[i]:
            rows.append(
                {
                    "seat": i + 1,
                    "active": True,
                    "prices": dict(zip(PRODUCTS, price, strict=True)),
                    "promotions": dict(zip(PRODUCTS, promotion, strict=True)),
                    "posted": dict(zip(PRODUCTS, offer, strict=True)),
                }
            )
        else:
            rows.append({"seat": i + 1, "active": False, "prices": {}, "promotions": {}, "posted": {}})
    return rows


def tenders(world: CompanyWorld) -> list[Json]:
    """Return the tenders open now."""
    rows = world.luck.tenders
    return [
        {
            "tender": k,
            "product": PRODUCTS[rows.product[k]],
            "quantity": int(rows.quantity[k]),
            "minimum_quality": float(rows.minimum_quality[k]),
            "reservation_cents": int(rows.reservation[k]),
            "closes_day": int(rows.closes[k]),
            "due_day": int(rows.due[k]),
        }
        for k in open_tenders(rows, world.version)
    ]


def tender_results(world: CompanyWorld, limit: int | None = RESULTS_SHOWN) -> list[Json]:
    """Return closed tenders with the public winner and price, the last `limit` of them."""
    rows, state = world.luck.tenders, world.state
    closed = [int(k) for k in (rows.closes <= world.version).nonzero()[0]]
    results = []
    for k in closed if limit is None else closed[-limit:]:
        won = int(state.tender_winner[k]) != NONE
        results.append(
            {
                "tender": k,
                "product": PRODUCTS[rows.product[k]],
                "quantity": int(rows.quantity[k]),
                "winner_seat": int(state.tender_winner[k]) + 1 if won else None,
                "price_cents": int(state.tender_price[k]) if won else None,
                "closed_day": int(rows.closes[k]),
            }
        )
    return results


def signal(world: CompanyWorld) -> dict[str, Json] | None:
    """Return the newest readable market signal: a week late and noisy."""
    day = world.version - world.parameters.window_days
    return {"day": day, "value": float(world.luck.signal[day - 1])} if day >= 1 else None


def public_facts(world: CompanyWorld) -> dict[str, Json]:
    """Return the part of the observation that is the same for every seat."""
    return {
        "public_prices": public_prices(world),
        "tenders": tenders(world),
        "tender_results": tender_results(world),
        "signal": signal(world),
    }


def report(world: CompanyWorld, i: int, number: int) -> dict[str, Json]:
    """Return a delivered research report: noisy rate and weights of its sampling day."""
    parameters, luck = world.parameters, world.luck
    sampled = int(world.state.report_sampled[i, number])
    s = int(world.state.report_segment[i, number])
    weights = parameters.phase_weights[luck.phase[sampled - 1]]
    truth = (
        float(luck.rate[sampled - 1, s]),
        weights[0] * parameters.price_weight[s],
        weights[1] * parameters.quality_weight[s],
        weights[2] * parameters.service_weight[s],
    )
    noise = luck.report_noise[i, number].tolist()
    seen = [value * math.exp(parameters.research_spread * z) for value, z in zip(truth, noise, strict=True)]
    names = ("arrivals", "price_weight", "quality_weight", "service_weight")
    return {
        "segment": SEGMENTS[s],
        "sampled_day": sampled,
        "readable_day": sampled - 1 + parameters.window_days,
        **dict(zip(names, seen, strict=True)),
    }


def research(world: CompanyWorld, i: int) -> list[Json]:
    """Return the reports readable now."""
    count = int(world.state.report_count[i])
    readable = world.version - world.parameters.window_days
    return [report(world, i, n) for n in range(count) if world.state.report_sampled[i, n] - 1 <= readable]


def observe(world: CompanyWorld, i: int) -> dict[str, Json]:
    """Return the whole observation of firm i (from 0)."""
    parameters, state, day = world.parameters, world.state, world.version
    length = parameters.window_days
    return {
        "market": world.market_id,
        "seat": i + 1,
        "seats": world.seats,
        "day": day,
        "horizon": parameters.days,
        "days_left": parameters.days - day,
        "window": world.window,
        "windows": world.windows,
        "window_days": min(length, parameters.days - day),
        "cash_cents": int(state.cash[i]),
        "initial_value_cents": parameters.initial_value,
        **world.catalogue,
        "company": company(world, i),
        "policy": policy(world, i),
        "stock": by_product(state.stock[i]),
        "inbound": inbound(world, i),
        "backorders": by_product(state.backorders[i].sum(axis=(0, 1))),
        "contracts": contracts(world, i),
        "recent": world.period(i, day - length + 1, day),
        "previous": world.period(i, day - 2 * length + 1, day - length),
        **world.public(),
        "research": research(world, i),
    }
