"""The sixteen calls that only read or calculate: typed, pure, on the same facts as the tables.

A query answers with JSON values; it raises InputError where what is asked for does not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from market.commerce import arguments as given
from market.commerce.firm import dues, offer_price, relation_discount, volume_discount
from market.commerce.inquiries import records_of
from market.commerce.parameters import (
    CODES,
    COUNTRIES,
    EXPRESS,
    FESTIVALS,
    INCOTERMS,
    LOAN_INTEREST,
    OFFER_IDS,
    OVERDRAFT_INTEREST,
    OVERHEAD_CENTS,
    SALVAGE_PERCENT,
    SKU_IDS,
    SPEEDS,
    SUPPLIER_IDS,
)
from market.commerce.preview import charges
from tournament.errors import InputError
from tournament.records import Json, ReadTool

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld


def _known(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise InputError(f"there is no {what} {name}; {names[0]} to {names[-1]}")
    return names.index(name)


def _sku(name: str) -> int:
    return _known(name, SKU_IDS, "SKU")


class Reader:
    """Answers for seat i (from 0) at the world's window."""

    def __init__(self, world: CommerceWorld, i: int, facts: Any) -> None:
        self.world, self.i, self.facts = world, i, facts
        self.place = world.place(i)

    def trend(self, a: given.Trend) -> Json:
        c, k = CODES.index(a.category), COUNTRIES.index(a.country)
        rows = self.facts["index"]
        first = max(len(rows) - a.days, 0)
        return [{"day": d, "index": rows[d][c][k]} for d in range(first, len(rows))]

    def competitor_prices(self, a: given.Cell) -> Json:
        s, k, own = _sku(a.sku), COUNTRIES.index(a.country), self.i + 1
        found = [
            {"company": firm, "price_cents": cents}
            for firm, sku, country, cents in zip(*self.facts["published"].values(), strict=True)
            if (sku, country) == (s, k) and firm != own
        ]
        found.sort(key=lambda row: (row["price_cents"], row["company"]))
        return {"guide_cents": self.facts["guide"][s][k], "offers": found}

    def calendar(self, _: given.Nothing) -> Json:
        day = self.facts["day"]
        return [row for row in self.facts["calendar"] if row["last_day"] >= day]

    def news(self, _: given.Nothing) -> Json:
        return [
            {**row, "category": CODES[row["category"]], "country": COUNTRIES[row["country"]]}
            for row in self.facts["signals"]
        ]

    def _offer(self, j: int) -> dict[str, Json]:
        terms = self.facts["offers"]
        quality, lead = self.facts["known_quality"][j], self.facts["known_lead"][j]
        return {
            "offer": OFFER_IDS[j],
            "sku": SKU_IDS[terms["sku"][j]],
            "supplier": SUPPLIER_IDS[terms["supplier"][j]],
            "country": COUNTRIES[terms["country"][j]],
            "price_cents": self.facts["offer_price"][j],
            "moq": terms["moq"][j],
            "stock": terms["stock"][j],
            "quality": terms["advertised_quality"][j] if quality is None else quality,
            "quality_known": quality is not None,
            "lead": terms["advertised_lead"][j] if lead is None else lead,
            "lead_known": lead is not None,
        }

    def search_offers(self, a: given.SearchOffers) -> Json:
        bounds = (
            ("price_cents", a.most_price_cents, 1),
            ("lead", a.most_lead, 1),
            ("moq", a.most_moq, 1),
            ("quality", a.least_quality, -1),
        )
        rows = []
        for j in range(len(OFFER_IDS)):
            row = self._offer(j)
            fits = (a.sku in (None, row["sku"])) and (a.country in (None, row["country"]))
            fits = fits and (a.category is None or row["sku"].startswith(a.category))
            if fits and all(most is None or sign * row[name] <= sign * most for name, most, sign in bounds):
                rows.append(row)
        key = {"price": "price_cents"}.get(a.rank, a.rank)
        sign = -1 if a.rank == "quality" else 1
        rows.sort(key=lambda row: (sign * row[key], row["offer"]))
        return {"found": len(rows), "offers": rows[: a.limit]}

    def offer_quote(self, a: given.OfferQuote) -> Json:
        j = _known(a.offer, OFFER_IDS, "offer")
        row = self._offer(j)
        price = offer_price(self.place, j, a.units)
        orders = int(self.facts["supplier_orders"][j])
        return {
            **row,
            "units": a.units,
            "within_limits": row["moq"] <= a.units <= row["stock"],
            "unit_cents": price,
            "total_cents": price * a.units,
            "volume_discount_permille": volume_discount(a.units, row["moq"]),
            "relation_discount_permille": relation_discount(orders),
        }

    def supplier_scorecard(self, a: given.SupplierQuery) -> Json:
        n = _known(a.supplier, SUPPLIER_IDS, "supplier")
        offers = [j for j, supplier in enumerate(self.facts["offers"]["supplier"]) if supplier == n]
        orders = int(self.world.state.supplier_orders[self.i, n])
        delivered = []
        for item in self.world.purchases[self.i]:
            if item.offer in offers and item.known_version <= self.world.version:
                lead = None if item.window == 0 else item.arrives - (item.window - 1)
                delivered.append(
                    {
                        "order": item.number,
                        "offer": OFFER_IDS[item.offer],
                        "advertised_quality": self.facts["offers"]["advertised_quality"][item.offer],
                        "quality": self.facts["known_quality"][item.offer],
                        "promised_lead": item.promised,
                        "lead": lead,
                    }
                )
        return {
            "supplier": a.supplier,
            "orders": orders,
            "discount_permille": relation_discount(orders),
            "offers": [self._offer(j) for j in offers],
            "delivered": delivered,
        }

    def price_check(self, a: given.PriceCheck) -> Json:
        s, k = _sku(a.sku), COUNTRIES.index(a.country)
        held = self.facts["stock"][s]
        unit = self.facts["stock_cost"][s] // held if held else None
        express = SPEEDS.index(a.speed) == EXPRESS
        cost = charges(self.place, s, k, a.price_cents, express, INCOTERMS.index(a.incoterm))
        return {
            "unit_cost_cents": unit,
            "freight_and_duty_cents": cost,
            "contribution_cents": None if unit is None else a.price_cents - unit - cost,
            "guide_cents": self.facts["guide"][s][k],
            "permit_lacking": self._permit_lacking(s, k),
        }

    def _permit_lacking(self, s: int, k: int) -> bool:
        c = s // 9
        return bool(self.facts["permit_needed"][c][k] == 1 and self.facts["permit_state"][c][k] != 2)

    def ad_report(self, a: given.Days) -> Json:
        days = self.facts["day"]
        first, history = max(days - a.days, 0), self.world.history
        span = slice(first, days)
        spend = history.ad_spend[span, self.i].sum(axis=0)
        back, orders = history.ad_return[span, self.i].sum(axis=0), history.orders[span, self.i].sum(axis=0)
        return [
            {
                "sku": SKU_IDS[s],
                "country": COUNTRIES[k],
                "spend_cents": int(spend[s, k]),
                "attributed_return_cents": int(back[s, k]),
                "orders": int(orders[s, k]),
            }
            for s, k in zip(*(cells.tolist() for cells in spend.nonzero()), strict=True)
        ]

    def landed_cost(self, a: given.LandedCost) -> Json:
        s, k = _sku(a.sku), COUNTRIES.index(a.country)
        freight = self.facts["freight"][s][k]
        freight = freight * 18 // 10 if a.speed == "express" else freight
        permille = self.facts["duty"][s // 9][k]
        before = a.unit_cost_cents + freight
        return {
            "unit_cost_cents": a.unit_cost_cents,
            "freight_cents": freight,
            "duty_permille": permille,
            "break_even_price_cents": -(-before * 1000 // (1000 - permille)) if permille < 1000 else None,
        }

    def freight_quote(self, a: given.Cell) -> Json:
        cents = self.facts["freight"][_sku(a.sku)][COUNTRIES.index(a.country)]
        return {"standard_cents": cents, "express_cents": cents * 18 // 10}

    def tariff_lookup(self, a: given.Permit) -> Json:
        return {"duty_permille": self.facts["duty"][CODES.index(a.category)][COUNTRIES.index(a.country)]}

    def permit_check(self, a: given.Cell) -> Json:
        s, k = _sku(a.sku), COUNTRIES.index(a.country)
        c = s // 9
        return {
            "category": CODES[c],
            "needed": bool(self.facts["permit_needed"][c][k]),
            "state": ("none", "applied", "valid")[self.facts["permit_state"][c][k]],
            "fee_cents": self.facts["permit_fee"][c][k],
            "processing_days": self.facts["permit_days"][c][k],
            "next_fine_cents": min(50_000 * (self.facts["violations"] + 1), 250_000),
        }

    def inquiry_detail(self, a: given.InquiryQuery) -> Json:
        for item in self.facts["inquiries"]:
            if item["inquiry"] == a.inquiry:
                s, k = item["sku"], item["country"]
                return {
                    **{name: item[name] for name in ("inquiry", "day", "last_day", "units", "text")},
                    "sku": SKU_IDS[s],
                    "country": COUNTRIES[k],
                    "guide_cents": self.facts["guide"][s][k],
                    "stock": self.facts["stock"][s],
                    "listed": self.facts["listings"]["price"][s][k] > 0,
                    "own_records": records_of(self.place, s, k),
                }
        numbers = ", ".join(str(item["inquiry"]) for item in self.facts["inquiries"]) or "none"
        raise InputError(f"inquiry {a.inquiry} is not open; open: {numbers}")

    def cash_forecast(self, a: given.Days) -> Json:
        """Own books alone: what is due, overhead and interest; no sales are predicted."""
        state, day = self.world.state, self.facts["day"]
        due = dues(state, self.world.drawn, self.i, day)
        cash, loan, rows = int(state.cash[self.i]), int(state.loan[self.i]), []
        for d in range(day, min(day + a.days, self.world.parameters.days)):
            came = sum(item.cents for item in due if item.day == d)
            owed = int(state.payables[self.i, d])
            cash += came - owed
            interest = loan * LOAN_INTEREST // 1000 + max(-cash, 0) * OVERDRAFT_INTEREST // 1000
            cash -= interest + OVERHEAD_CENTS
            rows.append(
                {
                    "day": d,
                    "receivables_cents": came,
                    "payables_cents": -owed,
                    "interest_cents": -interest,
                    "overhead_cents": -OVERHEAD_CENTS,
                    "cash_cents": cash,
                }
            )
        return rows

    def net_worth(self, _: given.Nothing) -> Json:
        facts = self.facts
        goods = sum(facts["stock_cost"]) + sum(facts["inbound_cost"])
        return {
            "cash_cents": facts["cash_cents"],
            "receivables_cents": facts["receivables_cents"],
            "goods_cents": goods * SALVAGE_PERCENT // 100,
            "loan_cents": -facts["loan_cents"],
            "payables_cents": -facts["payables_cents"],
            "net_worth_cents": facts["net_worth_cents"],
        }


ROWS: tuple[tuple[str, str, str, type[BaseModel]], ...] = (
    ("market", "trend", "Public demand index of a category in a country, the last days.", given.Trend),
    ("market", "competitor_prices", "Other companies' public prices of a SKU in a country.", given.Cell),
    ("market", "calendar", f"Festivals still to come or running, of {len(FESTIVALS)}.", given.Nothing),
    ("market", "news", "Announcements so far, and which of them are corroborated.", given.Nothing),
    ("sourcing", "search_offers", "Supplier offers by filters, ranked.", given.SearchOffers),
    ("sourcing", "offer_quote", "Price of so many units of an offer, with your discounts.", given.OfferQuote),
    ("sourcing", "supplier_scorecard", "Your history with a supplier, and its offers.", given.SupplierQuery),
    ("listings", "price_check", "Contribution of a unit of your stock at a price.", given.PriceCheck),
    ("advertising", "ad_report", "Ad spend and attributed return by listing.", given.Days),
    (
        "logistics",
        "landed_cost",
        "Freight, duty and break-even price, delivered duty paid.",
        given.LandedCost,
    ),
    ("logistics", "freight_quote", "Freight of a SKU to a country.", given.Cell),
    ("logistics", "tariff_lookup", "Duty of a category in a country.", given.Permit),
    ("compliance", "permit_check", "Whether a SKU needs a permit in a country, and yours.", given.Cell),
    ("service", "inquiry_detail", "An open inquiry beside your own records.", given.InquiryQuery),
    ("finance", "cash_forecast", "Cash by day from your own books; no sales are predicted.", given.Days),
    ("finance", "net_worth", "Net worth now, by part.", given.Nothing),
)


def queries_of(world: CommerceWorld, i: int, facts: Any) -> tuple[ReadTool, ...]:
    """Return the read-only calls of seat i (from 0) at this window."""
    reader = Reader(world, i, facts)
    return tuple(
        ReadTool(
            name=name,
            description=f"[{area}] {text}",
            arguments=arguments,
            answer=getattr(reader, name),
        )
        for area, name, text, arguments in ROWS
    )
