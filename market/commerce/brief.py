"""The market's own words for a reader: the guide for a system prompt and a window's briefing.

The texts are in `texts/`, rendered strictly: a missing fact is an error, never an empty place.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from market.commerce import parameters as numbers
from market.commerce.firm import dues
from market.commerce.parameters import CODES, COUNTRIES, OFFER_IDS, SKU_IDS, Parameters
from market.commerce.tables import sold_since
from tournament.records import Json

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld

TEXTS = Path(__file__).resolve().parent / "texts"
SALES_SHOWN, SLOW_SHOWN, INQUIRIES_SHOWN, ROUTES_SHOWN = 20, 15, 30, 20


def dollars(cents: int) -> str:
    """Show cents as dollars with thousands: -123456 is -$1,234.56."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


@lru_cache(maxsize=4)
def _template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEXTS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )
    environment.filters["dollars"] = dollars
    return environment.get_template(name)


def guide(parameters: Parameters, seats: int) -> str:
    """Return the rules in words: the same for every seat and every window of a scenario."""
    return _template("guide.txt.j2").render(n=numbers, p=parameters, seats=seats)


def brief(world: CommerceWorld, i: int, facts: Any) -> str:
    """Return the briefing of seat i's window; periods without data say so."""
    return _template("brief.txt.j2").render(
        facts=facts,
        festivals=_festivals(facts),
        recent=_day(world, i, facts["day"] - 1) if facts["window"] > 1 else None,
        previous=_day(world, i, facts["day"] - 2) if facts["window"] > 2 else None,
        sales=_sales(world, i, facts),
        slow=_slow(facts),
        due=_due(world, i),
        delivered=_delivered(world, i, facts),
        news=_news(facts),
        frictions=_frictions(world, i),
        inquiries=_inquiries(facts),
        permits=_permits(world, i),
        skus=SKU_IDS,
        codes=CODES,
        countries=COUNTRIES,
    )


def _festivals(facts: Any) -> list[Json]:
    day = facts["day"]
    return [item for item in facts["calendar"] if item["first_day"] <= day + 2 and item["last_day"] >= day]


def _day(world: CommerceWorld, i: int, day: int) -> dict[str, Json]:
    """Return one completed day's figures."""
    history, t = world.history, day + 1
    posted = dict(zip(world_accounts(), history.ledger[t, i].tolist(), strict=True))
    return {
        "day": day,
        "cash": int(history.cash[t, i]),
        "receivables": int(history.receivable[t, i]),
        "stock": int(history.stock_cost[t, i]),
        "inbound": int(history.inbound_cost[t, i]),
        "debt": int(history.loan[t, i]) + int(history.payable[t, i]),
        "orders": int(history.orders[day, i].sum()),
        "units": int(history.units[day, i].sum()),
        "returned": int(history.refunds[day, i].sum()),
        "revenue": int(history.revenue[day, i].sum()),
        "service": int(history.service[day, i]),
        "contribution": int(history.contribution[day, i].sum()),
        **posted,
    }


def world_accounts() -> tuple[str, ...]:
    from market.commerce.state import ACCOUNTS  # noqa: PLC0415

    return ACCOUNTS


def _sales(world: CommerceWorld, i: int, facts: Any) -> list[dict[str, Json]]:
    """Return the SKUs that sold on the last day and the day before, best first."""
    if facts["window"] < 2:
        return []
    h, day = world.history, facts["day"] - 1
    rows = []
    units, before = h.units[day, i].sum(axis=1), h.units[day - 1, i].sum(axis=1) if day else None
    for s in (units if before is None else units + before).nonzero()[0].tolist():
        rows.append(
            {
                "sku": SKU_IDS[s],
                "units": int(units[s]),
                "before": None if before is None else int(before[s]),
                "revenue": int(h.revenue[day, i, s].sum()),
                "contribution": int(h.contribution[day, i, s].sum()),
                "stock": facts["stock"][s],
            }
        )
    rows.sort(key=lambda row: (-row["revenue"], row["sku"]))
    return rows[:SALES_SHOWN]


def _slow(facts: Any) -> list[dict[str, Json]] | None:
    """Return stock without a sale in three days, dearest first; None while three days are not over."""
    if facts["day"] < 3:
        return None
    recent = sold_since(facts, facts["day"] - 3)
    rows: list[dict[str, Json]] = [
        {"sku": SKU_IDS[s], "units": held, "cost": facts["stock_cost"][s]}
        for s, held in enumerate(facts["stock"])
        if held and s not in recent
    ]
    rows.sort(key=lambda row: (-row["cost"], row["sku"]))
    return rows[:SLOW_SHOWN]


def _due(world: CommerceWorld, i: int) -> list[dict[str, Json]]:
    """Return receivables and payables by due day."""
    coming: dict[int, list[int]] = {}
    for item in dues(world.state, world.drawn, i, world.day):
        coming.setdefault(item.day, [0, 0])[0] += item.cents
    for day in world.state.payables[i].nonzero()[0].tolist():
        coming.setdefault(day, [0, 0])[1] += int(world.state.payables[i, day])
    return [{"day": day, "in": came, "out": owed} for day, (came, owed) in sorted(coming.items())]


def _delivered(world: CommerceWorld, i: int, facts: Any) -> list[dict[str, Json]]:
    """Return what became known since the last window, with promised beside real values."""
    offers = world.catalog.offers
    return [
        {
            "order": item.number,
            "offer": OFFER_IDS[item.offer],
            "sku": SKU_IDS[int(offers.sku[item.offer])],
            "units": item.units,
            "advertised": int(offers.advertised_quality[item.offer]),
            "quality": int(offers.quality[item.offer]),
            "promised": item.promised,
            "lead": None if item.window == 0 else item.arrives - (item.window - 1),
        }
        for item in world.purchases[i]
        if item.known_version == world.version
    ]


def _news(facts: Any) -> list[dict[str, Json]]:
    """Return signals that are new, newly corroborated, or in force."""
    return [item for item in facts["signals"] if item["end"] > facts["day"]]


def _frictions(world: CommerceWorld, i: int) -> list[dict[str, Json]] | None:
    """Return duty and freight that moved since yesterday on routes where the seat lists; None in the beginning."""
    day, drawn = world.day, world.drawn
    if world.window < 2:
        return None
    rows: list[dict[str, Json]] = []
    for s, k in zip(*(cells.tolist() for cells in world.state.price[i].nonzero()), strict=True):
        c = s // 9
        duty = (int(drawn.duty[day - 1, c, k]), int(drawn.duty[day, c, k]))
        freight = (int(drawn.freight[day - 1, s, k]), int(drawn.freight[day, s, k]))
        if duty[0] != duty[1] or freight[0] != freight[1]:
            rows.append({"sku": SKU_IDS[s], "country": COUNTRIES[k], "duty": duty, "freight": freight})
    return rows[:ROUTES_SHOWN]


def _inquiries(facts: Any) -> list[dict[str, Json]]:
    """Return the open inquiries, those that stock and a listing can serve first."""

    def able(item: Any) -> bool:
        listed = facts["listings"]["price"][item["sku"]][item["country"]] > 0
        return bool(listed and facts["stock"][item["sku"]] >= item["units"])

    rows = [{**item, "able": able(item)} for item in facts["inquiries"]]
    rows.sort(key=lambda row: (not row["able"], row["inquiry"]))
    return rows[:INQUIRIES_SHOWN]


def _permits(world: CommerceWorld, i: int) -> list[dict[str, Json]]:
    """Return permits that were applied for and are not valid yet, or become valid now."""
    since = world.state.permit_from[i]
    return [
        {"category": CODES[c], "country": COUNTRIES[k], "day": int(since[c, k]) - 1}
        for c, k in zip(*(cells.tolist() for cells in (since < 99).nonzero()), strict=True)
        if since[c, k] >= world.window
    ]
