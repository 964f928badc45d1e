"""What one seat may know at a decision, as JSON values: its own records and what is public.

SKUs, countries, categories, offers and suppliers are numbers from 0 in facts; `skus`, `countries` and
`categories` name them. Firms are numbered from 1, seats first, scripted sellers after them. Nothing
here reads demand, popularity, genuineness, willingness or a quality before its delivery.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from market.commerce.firm import due_cents, net_worth
from market.commerce.messages import message_text
from market.commerce.parameters import CODES, COUNTRIES, FESTIVALS, SKU_IDS
from market.commerce.state import NEVER
from tournament.records import Json

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld

LISTING_COLUMNS = ("speed", "incoterm", "ad", "promotion", "idle")


def constant_facts(world: CommerceWorld) -> dict[str, Json]:
    """Return what never changes in a world: the catalogue's public columns, permits, the calendar.

    `first_day` has the duty and freight of day 0: what a firm goes by that looks at no news.
    """
    catalog, offers = world.catalog, world.catalog.offers
    return {
        "market": world.market_id,
        "seats": world.seats,
        "sellers": world.parameters.sellers,
        "days": world.parameters.days,
        "windows": world.parameters.windows,
        "countries": list(COUNTRIES),
        "categories": list(CODES),
        "skus": list(SKU_IDS),
        "guide": catalog.guide.tolist(),
        "interest": world.drawn.interest.tolist(),
        "permit_needed": catalog.permit_needed.tolist(),
        "permit_fee": catalog.permit_fee.tolist(),
        "permit_days": catalog.permit_days.tolist(),
        "first_day": {"duty": world.drawn.duty[0].tolist(), "freight": world.drawn.freight[0].tolist()},
        "offers": {
            "sku": offers.sku.tolist(),
            "supplier": offers.supplier.tolist(),
            "country": offers.country.tolist(),
            "moq": offers.moq.tolist(),
            "stock": offers.stock.tolist(),
            "advertised_quality": offers.advertised_quality.tolist(),
            "advertised_lead": offers.advertised_lead.tolist(),
        },
        "calendar": [
            {
                "name": item.name,
                "countries": list(item.countries),
                "categories": list(item.categories),
                "first_day": item.peak - 2,
                "peak_days": [item.peak, item.peak + 1],
                "last_day": item.peak + 2,
            }
            for item in FESTIVALS
        ],
    }


def signals(world: CommerceWorld) -> list[Json]:
    """Return the announcements so far; only a genuine one is ever corroborated, a day later."""
    day = world.day
    return [
        {
            "signal": item.number,
            "kind": item.kind,
            "category": item.category,
            "country": item.country,
            "announced": item.announced,
            "start": item.onset,
            "end": item.end,
            "corroborated": item.genuine and day >= item.announced + 1,
        }
        for item in sorted(world.drawn.signals, key=lambda item: (item.announced, item.number))
        if item.announced <= day
    ]


def inquiries(world: CommerceWorld) -> list[Json]:
    """Return the inquiries open now; `message` is the number of the text."""
    rows = []
    for number in world.open_inquiries:
        item = world.drawn.inquiries[number]
        rows.append(
            {
                "inquiry": number,
                "day": item.day,
                "last_day": item.day + 1,
                "sku": item.sku,
                "country": item.country,
                "units": item.units,
                "message": item.message,
                "text": message_text(item),
            }
        )
    return rows


def published(world: CommerceWorld) -> dict[str, Json]:
    """Return every firm's prices of the last completed day by column: firm, SKU, country, cents."""
    prices = world.state.published
    firm, sku, country = prices.nonzero()
    return {
        "firm": (firm + 1).tolist(),
        "sku": sku.tolist(),
        "country": country.tolist(),
        "price_cents": prices[firm, sku, country].tolist(),
    }


def public_facts(world: CommerceWorld) -> dict[str, Json]:
    """Return the part of the observation that is the same for every seat."""
    day, drawn = world.day, world.drawn
    return {
        "window": world.window,
        "day": day,
        "phase": "setup" if world.window == 0 else "trading",
        "days_left": world.parameters.days - day,
        "index": drawn.trend[: day + 1].tolist(),
        "duty": drawn.duty[day].tolist(),
        "freight": drawn.freight[day].tolist(),
        "currency": drawn.currency[: day + 1].tolist(),
        "offer_price": drawn.wholesale[day].tolist(),
        "signals": signals(world),
        "inquiries": inquiries(world),
        "published": published(world),
    }


def permit_state(world: CommerceWorld, i: int) -> list[Json]:
    """Return 0 where nothing was applied for, 1 applied, 2 valid on the day decided now (setup: on day 0)."""
    since, now = world.state.permit_from[i], max(world.window, 1)
    state: list[Json] = np.where(since == NEVER, 0, np.where(since > now, 1, 2)).tolist()
    return state


class Sold:
    """A seat's sales so far, day after day: consumers' orders (returns included), then won inquiries."""

    def __init__(self) -> None:
        self.days, self.closed = 0, 0
        self.columns: dict[str, list[int]] = {"day": [], "sku": [], "country": [], "units": []}

    def up_to(self, world: CommerceWorld, i: int) -> dict[str, Json]:
        """Return the columns, with the days that were completed since."""
        wins = [item for item in world.closed[self.closed :] if item.winner == i]
        for day in range(self.days, max(world.window - 1, 0)):
            units = world.history.units[day, i]
            sku, country = units.nonzero()
            won = [item.inquiry for item in wins if item.day == day]
            rows = {
                "sku": [*sku.tolist(), *(item.sku for item in won)],
                "country": [*country.tolist(), *(item.country for item in won)],
                "units": [*units[sku, country].tolist(), *(item.units for item in won)],
            }
            for name, values in {"day": [day] * len(rows["sku"]), **rows}.items():
                self.columns[name].extend(values)
            self.days, self.closed = day + 1, len(world.closed)
        return {name: list(values) for name, values in self.columns.items()}


def listings(world: CommerceWorld, i: int) -> dict[str, Json]:
    """Return own listings: `price` by SKU and country, 0 where there is none; the rest in columns.

    The columns go by `sku` and `country`; `tiers` has a row of SKU, country and [units, percent] steps
    for every listing with any.
    """
    state = world.state
    s, k = state.price[i].nonzero()
    tiered = state.tier_units[i, s, k].any(axis=1).nonzero()[0]
    columns = {name: getattr(state, name)[i, s, k].tolist() for name in LISTING_COLUMNS}
    return {
        "price": state.price[i].tolist(),
        "sku": s.tolist(),
        "country": k.tolist(),
        **columns,
        "tiers": [
            [a, b, np.column_stack((state.tier_units[i, a, b], state.tier_percent[i, a, b])).tolist()]
            for a, b in zip(s[tiered].tolist(), k[tiered].tolist(), strict=True)
        ],
    }


def deliveries(world: CommerceWorld, i: int) -> list[Json]:
    """Return goods on the way as rows of order, SKU, units, promised day."""
    sku = world.catalog.offers.sku
    return [
        [item.number, int(sku[item.offer]), item.units, item.promised_day]
        for item in world.purchases[i]
        if item.known_version > world.version
    ]


def stock_quality(world: CommerceWorld, i: int) -> list[int]:
    """Return the quality of each stock in thousandths, 0 where there is none."""
    held, total = world.state.stock[i], world.state.quality[i]
    quality: list[int] = (total // np.maximum(held, 1)).tolist()
    return quality


def own_facts(world: CommerceWorld, i: int) -> dict[str, Any]:
    state, day = world.state, world.day
    supplier_orders = state.supplier_orders[i][world.catalog.offers.supplier]
    return {
        "seat": i + 1,
        "cash_cents": int(state.cash[i]),
        "loan_cents": int(state.loan[i]),
        "payables_cents": int(state.payables[i].sum()),
        "receivables_cents": due_cents(state, world.drawn, i, day),
        "net_worth_cents": net_worth(state, world.drawn, i, day),
        "violations": int(state.violations[i]),
        "focus": state.focus[i].nonzero()[0].tolist(),
        "stock": state.stock[i].tolist(),
        "stock_cost": state.stock_cost[i].tolist(),
        "stock_quality": stock_quality(world, i),
        "inbound": state.inbound[i].sum(axis=1).tolist(),
        "inbound_cost": state.inbound_cost[i].sum(axis=1).tolist(),
        "deliveries": deliveries(world, i),
        "listings": listings(world, i),
        "sold": world.sold[i].up_to(world, i),
        "permit_state": permit_state(world, i),
        "known_quality": list(world.known_quality[i]),
        "known_lead": list(world.known_lead[i]),
        "supplier_orders": supplier_orders.tolist(),
    }


def observe(world: CommerceWorld, i: int) -> Mapping[str, Json]:
    """Return the whole observation of firm i (from 0)."""
    return {**world.constant, **world.public(), **own_facts(world, i)}
