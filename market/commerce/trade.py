"""Tables of what a world's contestants bought, sold, advertised and answered; public news beside them.

Days are those of the market, 0 to 29; a purchase and a permit tell the window in which they were asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from market.commerce.catalog import Ints
from market.commerce.parameters import CODES, COUNTRIES, OFFER_IDS, PERSONAS, SKU_IDS, SUPPLIER_IDS
from market.commerce.state import NEVER

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld

Table = Mapping[str, NDArray[Any] | Sequence[Any]]


def trade_tables(world: CommerceWorld) -> dict[str, Table]:
    """Return the tables by name."""
    return {
        "inquiries": _inquiries(world),
        "replies": _replies(world),
        "sales": _sales(world),
        "ads": _ads(world),
        "purchases": _purchases(world),
        "permits": _permits(world),
        "violations": _violations(world),
        "signals": _signals(world),
    }


def _inquiries(world: CommerceWorld) -> Table:
    """One row an inquiry that was settled."""
    rows = sorted(world.closed, key=lambda item: item.inquiry.number)
    return {
        "inquiry": [item.inquiry.number for item in rows],
        "day": [item.inquiry.day for item in rows],
        "sku": [SKU_IDS[item.inquiry.sku] for item in rows],
        "country": [COUNTRIES[item.inquiry.country] for item in rows],
        "units": [item.inquiry.units for item in rows],
        "message": [item.inquiry.message for item in rows],
        "result": [item.state for item in rows],
        "closed_day": [item.day for item in rows],
        "winner_seat": [item.winner + 1 if item.winner >= 0 else None for item in rows],
        "price_cents": [item.price if item.winner >= 0 else None for item in rows],
        "revenue_cents": [item.revenue if item.winner >= 0 else None for item in rows],
    }


def _replies(world: CommerceWorld) -> Table:
    """One row a valid reply; charges and goods are those of a won one, 0 else."""
    rows = world.answers
    sales = [
        (item.sale.revenue, item.sale.freight, item.sale.duty, item.sale.cost) if item.sale else (0,) * 4
        for item in rows
    ]
    revenue, freight, duty, cost = zip(*sales, strict=True) if sales else ((),) * 4
    return {
        "inquiry": [item.inquiry.number for item in rows],
        "day": [item.day for item in rows],
        "seat": [item.bid.i + 1 for item in rows],
        "sku": [SKU_IDS[item.inquiry.sku] for item in rows],
        "country": [COUNTRIES[item.inquiry.country] for item in rows],
        "persona": [PERSONAS[item.inquiry.message % len(PERSONAS)] for item in rows],
        "units": [item.inquiry.units for item in rows],
        "price_cents": [item.bid.reply.price for item in rows],
        "coverage": [item.bid.coverage for item in rows],
        "price_over_willingness": [item.bid.ratio for item in rows],
        "false_claim": [int(item.bid.false) for item in rows],
        "won": [int(item.sale is not None) for item in rows],
        "revenue_cents": list(revenue),
        "freight_cents": list(freight),
        "duty_cents": list(duty),
        "goods_cents": list(cost),
    }


def _cells(day: Ints, seat: Ints, sku: Ints, country: Ints) -> dict[str, NDArray[Any]]:
    return {
        "day": day,
        "seat": seat + 1,
        "sku": np.array(SKU_IDS)[sku],
        "country": np.array(COUNTRIES)[country],
    }


def _sales(world: CommerceWorld) -> Table:
    """One row a day, seat, SKU and country with a consumer's order; orders sent back earn nothing."""
    h = world.history
    cells = h.orders.nonzero()
    revenue, contribution = h.revenue[cells], h.contribution[cells]
    freight, duty = h.freight[cells], h.duty[cells]
    return {
        **_cells(*cells),
        **{name: getattr(h, name)[cells] for name in ("orders", "units", "refunds")},
        "revenue_cents": revenue,
        "freight_cents": freight,
        "duty_cents": duty,
        "goods_cents": revenue - contribution - freight - duty,
        "contribution_cents": contribution,
        "ad_cents": h.ad_spend[cells],
    }


def _ads(world: CommerceWorld) -> Table:
    """One row a day, seat, SKU and country with an ad."""
    h = world.history
    cells = h.ad_spend.nonzero()
    return {
        **_cells(*cells),
        "spend_cents": h.ad_spend[cells],
        "orders": h.orders[cells],
        "units": h.units[cells],
        "attributed_return_cents": h.ad_return[cells],
    }


def _purchases(world: CommerceWorld) -> Table:
    """One row an order to a supplier."""
    offers = world.catalog.offers
    rows = [(i, item) for i, items in enumerate(world.purchases) for item in items]
    offer = [item.offer for _, item in rows]
    return {
        "seat": [i + 1 for i, _ in rows],
        "order_number": [item.number for _, item in rows],
        "window": [item.window for _, item in rows],
        "offer": [OFFER_IDS[j] for j in offer],
        "supplier": [SUPPLIER_IDS[n] for n in offers.supplier[offer].tolist()],
        "sku": [SKU_IDS[s] for s in offers.sku[offer].tolist()],
        "units": [item.units for _, item in rows],
        "unit_cents": [item.unit_price for _, item in rows],
        "payment": ["net7" if item.net7 else "cash" for _, item in rows],
        "promised_lead": [item.promised for _, item in rows],
        "arrives_day": [item.arrives for _, item in rows],
    }


def _permits(world: CommerceWorld) -> Table:
    """One row a permit that was applied for."""
    since = world.state.permit_from[: world.seats]
    seat, category, country = (since != NEVER).nonzero()
    days = world.catalog.permit_days[category, country]
    return {
        "seat": seat + 1,
        "category": np.array(CODES)[category],
        "country": np.array(COUNTRIES)[country],
        "window": since[seat, category, country] - days,
        "valid_from_day": since[seat, category, country] - 1,
        "fee_cents": world.catalog.permit_fee[category, country],
    }


def _violations(world: CommerceWorld) -> Table:
    """One row a day, seat, SKU and country with sales that lacked a permit."""
    h = world.history
    cells = h.violations.nonzero()
    return {**_cells(*cells), "sales": h.violations[cells], "fine_cents": h.fines[cells]}


def _signals(world: CommerceWorld) -> Table:
    """One row an announcement, with what no seat could know: whether it was genuine."""
    rows = sorted(world.drawn.signals, key=lambda item: item.number)
    return {
        "signal": [item.number for item in rows],
        "kind": [item.kind for item in rows],
        "category": [CODES[item.category] for item in rows],
        "country": [COUNTRIES[item.country] for item in rows],
        "announced": [item.announced for item in rows],
        "start": [item.onset for item in rows],
        "end": [item.end for item in rows],
        "genuine": [int(item.genuine) for item in rows],
    }
