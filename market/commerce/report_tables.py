"""Tables that `commerce@1` adds to the report: uncertainty, routes, products, compliance, ads, inquiries, events."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from market.commerce.companies import (
    Company,
    by_category,
    by_contestant,
    came_true,
    companies,
    contribution,
    events_of,
    ratio,
    totals,
)
from market.commerce.parameters import CAPITAL_CENTS, CATEGORIES, CODES, COUNTRIES, PERSONAS, SKU_IDS
from tournament.report_parts import CellKind, CellValue, PartColumn, PartTable, Room, RunTables, SeatedWorld

OUTCOMES: Final = "outcomes.csv"
Row = tuple[CellValue, ...]
Titles = tuple[tuple[str, CellKind], ...]
Reals = NDArray[np.float64]


def sources(worlds: Iterable[SeatedWorld], *names: str) -> tuple[str, ...]:
    """Return the files that some tables of some worlds are, or their pattern where they are many."""
    found = [f"worlds/{spec.world}/{name}.parquet" for spec in worlds for name in names]
    return tuple(found) if len(found) <= 4 else tuple(f"worlds/*/{name}.parquet" for name in names)


def _columns(*titles: tuple[str, CellKind]) -> tuple[PartColumn, ...]:
    return tuple(PartColumn(title=title, kind=kind) for title, kind in titles)


def _table(
    titles: Titles,
    rows: Sequence[Row],
    notes: Sequence[str],
    files: tuple[str, ...],
) -> PartTable | None:
    if not rows:
        return None
    return PartTable(columns=_columns(*titles), rows=rows, notes=tuple(notes), files=files)


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Net worth of one contestant: `units` are means by seed, or by repeat where the study has one seed."""

    worlds: Sequence[int]
    units: Sequence[float]

    @property
    def mean(self) -> float:
        return float(np.mean(self.units))

    @property
    def sd(self) -> float | None:
        return float(np.std(self.units, ddof=1)) if len(self.units) > 1 else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The two-sided 95 % Student interval of the mean."""
        if self.sd is None:
            return None
        from scipy import stats  # noqa: PLC0415 - half a second that a run need not pay

        count = len(self.units)
        half = float(stats.t.ppf(0.975, count - 1)) * self.sd / math.sqrt(count)
        return self.mean - half, self.mean + half


def spreads(run: RunTables) -> Mapping[str, Spread]:
    """Return every contestant's net worth and its spread over seeds, or over repeats of an only seed."""
    groups = by_contestant(run, companies(run))
    one_seed = len({company.seed for group in groups.values() for company in group}) == 1
    return {name: _spread(group, one_seed=one_seed) for name, group in groups.items()}


def _spread(group: Sequence[Company], *, one_seed: bool) -> Spread:
    drawn: dict[int, list[int]] = {}
    for company in group:
        key = company.repeat if one_seed else company.seed
        drawn.setdefault(key, []).append(company.net_worth_cents)
    return Spread(
        worlds=[company.net_worth_cents for company in group],
        units=[float(np.mean(values)) for values in drawn.values()],
    )


def reliability(found: Iterable[Spread]) -> tuple[float, float, int] | None:
    """Return ICC(1, 1), ICC(1, k) and k by a one-way random-effects model; None of an unbalanced table.

    After Business Arena, Appendix F (Shrout and Fleiss 1979): between is the variance of contestants' means,
    within the mean variance over their units.
    """
    units = [spread.units for spread in found]
    k = len(units[0]) if units else 0
    if len(units) < 2 or k < 2 or any(len(row) != k for row in units):
        return None
    table = np.array(units)
    within = float(table.var(axis=1, ddof=1).mean())
    between = max(0.0, float(table.mean(axis=1).var(ddof=1)) - within / k)
    if between + within == 0:
        return None
    return between / (between + within), between / (between + within / k), k


def uncertainty(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """The paper's Table 6 for the study's own contestants: net worth with its spread."""
    found = spreads(run)
    rows: list[Row] = []
    for name, spread in found.items():
        low, high = spread.interval or (None, None)
        kept = sum(worth >= CAPITAL_CENTS for worth in spread.worlds)
        rows.append(
            (name, len(spread.worlds), len(spread.units), spread.mean, spread.sd, low, high,
             min(spread.worlds), max(spread.worlds), kept / len(spread.worlds))
        )  # fmt: skip
    notes = [
        "Net worth at the end. Draws are seeds, each the mean over a contestant's worlds at that seed; in a"
        " study of one seed they are repeats, as in the paper. SD and the 95 % Student interval of the mean are"
        " over draws, least and most over worlds. Kept: worlds that ended with the capital or more."
    ]
    agreed = reliability(found.values())
    if agreed is not None:
        notes.append(
            f"Reliability of a contestant's mean (one-way random effects): ICC(1,1) {agreed[0]:.3f} of one draw,"
            f" ICC(1,{agreed[2]}) {agreed[1]:.3f} of {agreed[2]}."
        )
    titles: Titles = (
        *(("Contestant", "text"), ("Worlds", "count"), ("Draws", "count"), ("Net worth", "money")),
        *(("SD", "money"), ("95 % from", "money"), ("to", "money"), ("Least", "money"), ("Most", "money")),
        ("Kept", "share"),
    )
    return _table(titles, rows, notes, (OUTCOMES,))


ROUTE_NOTE: Final = (
    "Consumers' orders and won inquiries. Landed cost is goods, freight and duty that the company paid; goods"
    " sent back count with their cost and without revenue. Margin: what is left of revenue, over revenue."
)


def routes(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """What a unit brought and cost in each country, by contestant."""
    rows: list[Row] = []
    for name, total in totals(run, "sold").items():
        by_country = total.values.sum(axis=0)
        units = float(by_country[:, 0].sum())
        for country, sold in zip(COUNTRIES, by_country, strict=True):
            if sold[0]:
                rows.append((name, country, sold[0] / total.companies, sold[0] / units, *_unit(sold)))
    titles: Titles = (
        *(("Contestant", "text"), ("Country", "text"), ("Units", "decimal"), ("Share of units", "share")),
        *(("Revenue a unit", "unit_price"), ("Goods", "unit_price"), ("Freight", "unit_price")),
        *(("Duty", "unit_price"), ("Landed cost", "unit_price"), ("Margin", "share")),
    )
    notes = ("Units: mean over a contestant's companies; cents a unit are means over units.", ROUTE_NOTE)
    return _table(titles, rows, notes, sources(run.worlds(), "sales", "replies"))


def _unit(sold: Reals) -> Row:
    """Return revenue, goods, freight, duty and landed cost a unit, and the margin."""
    units, revenue, freight, duty, goods = sold.tolist()
    landed = freight + duty + goods
    each = [value / units for value in (revenue, goods, freight, duty, landed)]
    return (*each, ratio(revenue - landed, revenue))


PRODUCT_TITLES: Final[Titles] = (
    *(("Bought", "decimal"), ("Sold", "decimal"), ("Sell-through", "share"), ("Cost of purchases", "money")),
    *(("Revenue", "money"), ("Contribution", "money"), ("Margin", "share")),
)
PRODUCT_NOTES: Final = (
    "Units and cents: means over a contestant's companies. Sell-through: units sold over units bought, inquiries"
    " and goods sent back included. Contribution: revenue less goods, freight and duty; margin: over revenue.",
)


def _product(bought: Reals, sold: Reals) -> Row:
    """Return a row of a company's means."""
    units, cents = bought.tolist()
    left = float(contribution(sold))
    through, margin = ratio(float(sold[0]), units), ratio(left, float(sold[1]))
    return units, float(sold[0]), through, cents, float(sold[1]), left, margin


def products(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Sell-through and margin by category and contestant."""
    rows: list[Row] = []
    sold = totals(run, "sold")
    for name, total in totals(run, "bought").items():
        if name in sold:
            pairs = (by_category(total.each), by_category(sold[name].each.sum(axis=1)))
            rows.extend(
                (name, f"{item.code} {item.name}", *_product(bought, taken))
                for item, bought, taken in zip(CATEGORIES, *pairs, strict=True)
                if bought[0] or taken[0]
            )
    titles: Titles = (("Contestant", "text"), ("Category", "text"), *PRODUCT_TITLES)
    return _table(titles, rows, PRODUCT_NOTES, sources(run.worlds(), "purchases", "sales", "replies"))


def skus_of(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Sell-through and margin of one contestant, a row a SKU, most revenue first."""
    mine = [spec for spec in run.worlds() if subject in spec.seats]
    bought, sold = (totals(run, kind, mine).get(subject or "") for kind in ("bought", "sold"))
    if bought is None or sold is None:
        return None
    taken = sold.each.sum(axis=1)
    traded = np.flatnonzero((bought.values[:, 0] > 0) | (taken[:, 0] > 0))
    order = traded[np.argsort(-taken[traded, 1], kind="stable")].tolist()
    rows: list[Row] = [(SKU_IDS[s], *_product(bought.each[s], taken[s])) for s in order]
    titles: Titles = (("SKU", "text"), *PRODUCT_TITLES)
    return _table(titles, rows, PRODUCT_NOTES, sources(mine, "purchases", "sales", "replies"))


def compliance(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Permits asked for, sales that lacked one, and what both cost, by contestant."""
    rows: list[Row] = []
    for name, total in totals(run, "permits").items():
        fined = total.each[:, 3].tolist()
        rows.append((name, total.companies, *total.each.sum(axis=0).tolist(), *fined))
    titles: Titles = (
        *(("Contestant", "text"), ("Companies", "count"), ("Permits", "decimal"), ("Fees", "unit_price")),
        *(("Sales without a permit", "decimal"), ("Fines", "unit_price")),
        *((f"Fines, {country}", "unit_price") for country in COUNTRIES),
    )
    notes = ("Means over a contestant's companies. The first sale without a needed permit costs 500, each one"
             " more than the one before, up to 2,500.",)  # fmt: skip
    return _table(titles, rows, notes, sources(run.worlds(), "permits", "violations"))


def advertising(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """What advertising cost and brought, by contestant."""
    rows: list[Row] = []
    sold = totals(run, "sold")
    for name, total in totals(run, "ads").items():
        spent, orders, returned, days = total.each.tolist()
        share = ratio(spent, float(sold[name].each[..., 1].sum())) if name in sold else None
        rows.append((name, days, spent, share, orders, returned, ratio(returned, spent), returned - spent))
    titles: Titles = (
        *(("Contestant", "text"), ("Listing-days", "decimal"), ("Spent", "money"), ("Over revenue", "share")),
        *(("Orders there", "decimal"), ("Attributed return", "money"), ("Return a dollar", "decimal")),
        ("Net", "money"),
    )
    notes = (
        "Means over a contestant's companies. Attributed return: the contribution of orders on advertised"
        " listings, times the part of the listing's pull on buyers that its ad gives; what would have been sold"
        " without the ad is not in it. A dollar returned for a dollar is no loss and no gain.",
    )
    return _table(titles, rows, notes, sources(run.worlds(), "ads", "sales", "replies"))


def inquiries(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Inquiries answered and won, by contestant and persona."""
    rows: list[Row] = []
    expired = {
        name: float(np.mean([company.whole("expired") for company in group]))
        for name, group in by_contestant(run, companies(run)).items()
    }
    for name, total in totals(run, "replies").items():
        rows.append((name, "all", *_answered(total.each.sum(axis=0)), expired[name]))
        rows.extend(
            (name, persona, *_answered(total.each[p]), None)
            for p, persona in enumerate(PERSONAS)
            if total.values[p, 0]
        )
    titles: Titles = (
        *(("Contestant", "text"), ("Buyer", "text"), ("Answered", "decimal"), ("Won", "decimal")),
        *(("Conversion", "share"), ("Coverage", "share"), ("False claims", "decimal")),
        *(("Revenue", "money"), ("Margin", "share"), ("Expired", "decimal")),
    )
    notes = (
        "Means over a contestant's companies. Answered: valid replies, with a listing and the units in stock."
        " Conversion: won over answered. Coverage: the share of the facts asked that was given and true, mean over"
        " replies. False claims: won replies with a fact that was not so. Expired: inquiries that nobody answered"
        " in time at one of the company's listings.",
    )
    return _table(titles, rows, notes, (OUTCOMES, *sources(run.worlds(), "replies")))


def _answered(means: Reals) -> Row:
    replies, won, false, revenue, cost, coverage = means.tolist()
    converted, covered = ratio(won, replies), ratio(coverage, replies)
    return replies, won, converted, covered, false, revenue, ratio(revenue - cost, revenue)


def events(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Capital that followed announced changes of demand, and sales where they came, by contestant."""
    rows: list[Row] = []
    for name, total in totals(run, "events").items():
        genuine, rumours, bought, units, left, whole = total.each.tolist()
        news = genuine + rumours
        shares = ratio(rumours, news), ratio(news, bought)
        rows.append((name, genuine, rumours, *shares, units, left, ratio(left, whole)))
    titles: Titles = (
        *(("Contestant", "text"), ("Bought on true news", "money"), ("Bought on rumours", "money")),
        *(("Rumours' share", "share"), ("News' share of purchases", "share")),
        *(("Units sold in events", "decimal"), ("Contribution there", "money"), ("Share of all", "share")),
    )
    notes = (
        "Means over a contestant's companies. Bought on news: goods of a category ordered from the announcement of"
        " a change in its demand until its end, whatever moved the buyer; true news came to pass, a rumour did"
        " not, and a category with both counts as true news. Sold in events: consumers' orders where and while"
        " a genuine event raised demand.",
    )
    return _table(titles, rows, notes, sources(run.worlds(), "signals", "purchases", "sales"))


def world_events(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """The announced changes of demand of one world, and what each seat sold where they came."""
    (spec,) = [spec for spec in run.worlds() if spec.world == subject] or (None,)
    signals, sales = (
        (None, None) if spec is None else (run.table(spec.world, n) for n in ("signals", "sales"))
    )
    if spec is None or signals is None or sales is None:
        return None
    seats = np.array(sales["seat"], dtype=np.int64)
    units = np.array(sales["units"], dtype=np.int64)
    rows: list[Row] = []
    for event in sorted(events_of(signals), key=lambda event: (event.announced, event.number)):
        here = came_true(sales, [event])
        sold = [int(units[here & (seats == seat)].sum()) for seat in range(1, len(spec.seats) + 1)]
        told: Row = tuple(sold) if event.genuine else (None,) * len(sold)
        where = f"{CODES[event.category]} in {COUNTRIES[event.country]}"
        fate = "came true" if event.genuine else "a rumour"
        rows.append((where, fate, event.announced, event.start, event.end, *told))
    titles: Titles = (
        *(("Demand", "text"), ("Fate", "text"), ("Announced, day", "count"), ("From day", "count")),
        ("Until day", "count"),
        *((f"Units, seat {seat}", "count") for seat in range(1, len(spec.seats) + 1)),
    )
    notes = (
        "Days of the market, 0 to 29; units that consumers took of the seat there while demand was raised.",
    )
    return _table(titles, rows, notes, sources([spec], "signals", "sales"))


def companies_of(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """One contestant's companies, a row each."""
    mine = [spec for spec in run.worlds() if subject in spec.seats]
    rows: list[Row] = []
    for company in companies(run, mine):
        if company.contestant == subject:
            sales = company.whole("revenue_cents") + company.whole("service_revenue_cents")
            sell = company.whole("sell_through_thousandths") if company.whole("skus_bought") else None
            margin = company.whole("order_margin_thousandths") if sales else None
            rows.append(
                (company.world, company.seat, company.net_worth_cents, sales,
                 None if sell is None else sell / 1000, None if margin is None else margin / 1000,
                 company.whole("ads_cents"), company.whole("permits_cents"), company.whole("fines_cents"),
                 company.whole("replies"), company.whole("converted"))
            )  # fmt: skip
    titles: Titles = (
        *(("World", "text"), ("Seat", "count"), ("Net worth", "money"), ("Sales", "money")),
        *(("Sell-through", "share"), ("Margin", "share"), ("Ads", "unit_price"), ("Permits", "unit_price")),
        *(("Fines", "unit_price"), ("Answered", "count"), ("Won", "count")),
    )
    return _table(titles, rows, (), (OUTCOMES,))
