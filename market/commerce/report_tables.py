"""Tables that `commerce@1` adds to the report: uncertainty, routes, products, compliance, ads, inquiries, events."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from market.commerce.companies import (
    Company,
    Counts,
    by_contestant,
    came_true,
    companies,
    contribution,
    events_of,
    ratio,
    trade_by_contestant,
)
from market.commerce.parameters import CAPITAL_CENTS, CATEGORIES, CODES, COUNTRIES, PERSONAS, SKU_IDS
from tournament.report_parts import CellKind, CellValue, PartColumn, PartTable, Room, RunTables, SeatedWorld

OUTCOMES: Final = "outcomes.csv"
Row = tuple[CellValue, ...]


def sources(worlds: Iterable[SeatedWorld], *names: str) -> tuple[str, ...]:
    """Return the files that some tables of some worlds are, or their pattern where they are many."""
    found = [f"worlds/{spec.world}/{name}.parquet" for spec in worlds for name in names]
    return tuple(found) if len(found) <= 4 else tuple(f"worlds/*/{name}.parquet" for name in names)


def _columns(*titles: tuple[str, CellKind]) -> tuple[PartColumn, ...]:
    return tuple(PartColumn(title=title, kind=kind) for title, kind in titles)


def _table(
    titles: Sequence[tuple[str, CellKind]],
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
    titles: tuple[tuple[str, CellKind], ...] = (
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
    for name, trade in trade_by_contestant(run).items():
        units = int(trade.routes[:, 0].sum())
        for country, sold in zip(COUNTRIES, trade.routes, strict=True):
            if sold[0]:
                rows.append((name, country, sold[0] / trade.companies, sold[0] / units, *_unit(sold)))
    titles: tuple[tuple[str, CellKind], ...] = (
        *(("Contestant", "text"), ("Country", "text"), ("Units", "decimal"), ("Share of units", "share")),
        *(("Revenue a unit", "unit_price"), ("Goods", "unit_price"), ("Freight", "unit_price")),
        *(("Duty", "unit_price"), ("Landed cost", "unit_price"), ("Margin", "share")),
    )
    notes = ("Units: mean over a contestant's companies; cents a unit are means over units.", ROUTE_NOTE)
    return _table(titles, rows, notes, sources(run.worlds(), "sales", "replies"))


def _unit(sold: Counts) -> Row:
    """Return revenue, goods, freight, duty and landed cost a unit, and the margin."""
    units, revenue, freight, duty, goods = sold.tolist()
    landed = freight + duty + goods
    each = [value / units for value in (revenue, goods, freight, duty, landed)]
    return (*each, ratio(revenue - landed, revenue))


PRODUCT_TITLES: Final[tuple[tuple[str, CellKind], ...]] = (
    *(("Bought", "decimal"), ("Sold", "decimal"), ("Sell-through", "share"), ("Cost of purchases", "money")),
    *(("Revenue", "money"), ("Contribution", "money"), ("Margin", "share")),
)
PRODUCT_NOTES: Final = (
    "Units and cents: means over a contestant's companies. Sell-through: units sold over units bought, inquiries"
    " and goods sent back included. Contribution: revenue less goods, freight and duty; margin: over revenue.",
)


def _product(bought: Counts, sold: Counts, among: int) -> Row:
    units, cents = bought.tolist()
    left = int(contribution(sold))
    return (
        units / among,
        int(sold[0]) / among,
        ratio(int(sold[0]), units),
        cents / among,
        int(sold[1]) / among,
        left / among,
        ratio(left, int(sold[1])),
    )


def products(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Sell-through and margin by category and contestant."""
    rows: list[Row] = []
    for name, trade in trade_by_contestant(run).items():
        for item, bought, sold in zip(CATEGORIES, *trade.products, strict=True):
            if bought[0] or sold[0]:
                rows.append((name, f"{item.code} {item.name}", *_product(bought, sold, trade.companies)))
    titles = (("Contestant", "text"), ("Category", "text"), *PRODUCT_TITLES)
    return _table(titles, rows, PRODUCT_NOTES, sources(run.worlds(), "purchases", "sales", "replies"))  # type: ignore[arg-type]


def skus_of(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Sell-through and margin of one contestant, a row a SKU, most revenue first."""
    mine = [spec for spec in run.worlds() if subject in spec.seats]
    trade = trade_by_contestant(run, mine).get(subject or "")
    if trade is None:
        return None
    sold = trade.sold.sum(axis=1)
    traded = np.flatnonzero((trade.bought[:, 0] > 0) | (sold[:, 0] > 0))
    order = traded[np.argsort(-sold[traded, 1], kind="stable")].tolist()
    rows = [(SKU_IDS[s], *_product(trade.bought[s], sold[s], trade.companies)) for s in order]
    files = sources(mine, "purchases", "sales", "replies")
    return _table((("SKU", "text"), *PRODUCT_TITLES), rows, PRODUCT_NOTES, files)


def compliance(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Permits asked for, sales that lacked one, and what both cost, by contestant."""
    rows: list[Row] = []
    for name, trade in trade_by_contestant(run).items():
        permits, fees, sales, fines = (trade.permits.sum(axis=0) / trade.companies).tolist()
        by_country = (trade.permits[:, 3] / trade.companies).tolist()
        rows.append((name, trade.companies, permits, fees, sales, fines, *by_country))
    titles: tuple[tuple[str, CellKind], ...] = (
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
    for name, trade in trade_by_contestant(run).items():
        spent, orders, returned, days = trade.ads.tolist()
        among, revenue = trade.companies, int(trade.routes[:, 1].sum())
        rows.append(
            (name, days / among, spent / among, ratio(spent, revenue), orders / among, returned / among,
             ratio(returned, spent), (returned - spent) / among)
        )  # fmt: skip
    titles: tuple[tuple[str, CellKind], ...] = (
        *(("Contestant", "text"), ("Listing-days", "decimal"), ("Spent", "money"), ("Over revenue", "share")),
        *(("Orders there", "decimal"), ("Attributed return", "money"), ("Return a dollar", "decimal")),
        ("Net", "money"),
    )
    notes = (
        "Means over a contestant's companies. Attributed return: the contribution of orders on advertised"
        " listings, times the part of the listing's pull on buyers that its ad gives; what would have been sold"
        " without the ad is not in it. A dollar returned for a dollar is no loss and no gain.",
    )
    return _table(titles, rows, notes, sources(run.worlds(), "ads"))


def inquiries(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Inquiries answered and won, by contestant and persona."""
    rows: list[Row] = []
    expired = {
        name: float(np.mean([company.whole("expired") for company in group]))
        for name, group in by_contestant(run, companies(run)).items()
    }
    for name, trade in trade_by_contestant(run).items():
        among = trade.companies
        rows.append((name, "all", *_answered(trade.replies.sum(axis=0), among), expired[name]))
        rows.extend(
            (name, persona, *_answered(trade.replies[p], among), None)
            for p, persona in enumerate(PERSONAS)
            if trade.replies[p, 0]
        )
    titles: tuple[tuple[str, CellKind], ...] = (
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


def _answered(sums: np.ndarray[tuple[int, ...], np.dtype[np.float64]], among: int) -> Row:
    replies, won, false, revenue, cost, coverage = sums.tolist()
    return (
        replies / among,
        won / among,
        ratio(won, replies),
        ratio(coverage, replies),
        false / among,
        revenue / among,
        ratio(revenue - cost, revenue),
    )


def events(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Capital that followed announced changes of demand, and sales where they came, by contestant."""
    rows: list[Row] = []
    for name, trade in trade_by_contestant(run).items():
        genuine, rumours, bought, units, left = trade.events.tolist()
        among, whole = trade.companies, int(contribution(trade.routes).sum())
        rows.append(
            (name, genuine / among, rumours / among, ratio(rumours, genuine + rumours),
             ratio(genuine + rumours, bought), units / among, left / among, ratio(left, whole))
        )  # fmt: skip
    titles: tuple[tuple[str, CellKind], ...] = (
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
    titles: tuple[tuple[str, CellKind], ...] = (
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
            sell, margin = (
                company.outcome[name] for name in ("sell_through_thousandths", "order_margin_thousandths")
            )
            rows.append(
                (company.world, company.seat, company.net_worth_cents,
                 company.whole("revenue_cents") + company.whole("service_revenue_cents"),
                 None if sell is None else sell / 1000, None if margin is None else margin / 1000,
                 company.whole("ads_cents"), company.whole("permits_cents"), company.whole("fines_cents"),
                 company.whole("replies"), company.whole("converted"))
            )  # fmt: skip
    titles: tuple[tuple[str, CellKind], ...] = (
        *(("World", "text"), ("Seat", "count"), ("Net worth", "money"), ("Sales", "money")),
        *(("Sell-through", "share"), ("Margin", "share"), ("Ads", "unit_price"), ("Permits", "unit_price")),
        *(("Fines", "unit_price"), ("Answered", "count"), ("Won", "count")),
    )
    return _table(titles, rows, (), (OUTCOMES,))
