"""What `commerce@1` adds to the report, after the figures of the Business Arena paper: its Table 6, and a section
on each mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from market.commerce import report_charts, report_tables
from tournament.report_parts import Place, ReportPart

UNCERTAINTY: Final = "Uncertainty"
ROUTES: Final = "Routes and products"
COMPLIANCE: Final = "Permits and fines"
ADVERTISING: Final = "Advertising"
INQUIRIES: Final = "Inquiries"
EVENTS: Final = "Events and rumours"
_NO_WORLD: Final = "no world has finished"
_NO_TRADE: Final = "no finished world keeps the tables of its trade"


def _part(
    section: str,
    name: str,
    title: str,
    build: Callable[..., Any],
    caption: str = "",
    *,
    shape: Literal["chart", "table"] = "table",
    place: Place = "index",
    needs: str = _NO_TRADE,
) -> ReportPart:
    return ReportPart(
        name=name,
        section=section,
        title=title,
        caption=caption,
        needs=needs,
        place=place,
        shape=shape,
        build=build,
    )


PARTS: Final = (
    _part(
        UNCERTAINTY,
        "net-worth",
        "Net worth with its uncertainty",
        report_charts.net_worth,
        "Dots: worlds; ticks: means; lines: 95 % intervals of the mean over draws; dashed: the initial capital.",
        shape="chart",
        needs=_NO_WORLD,
    ),
    _part(
        UNCERTAINTY,
        "uncertainty",
        "Uncertainty by contestant",
        report_tables.uncertainty,
        "The Business Arena paper's Table 6 for the contestants of this study.",
        needs=_NO_WORLD,
    ),
    _part(
        ROUTES,
        "dollar",
        "What a dollar of sales went to",
        report_charts.dollar,
        "Consumers' orders and won inquiries of all companies of a contestant, as shares of their revenue.",
        shape="chart",
    ),
    _part(ROUTES, "routes", "Routes and landed cost", report_tables.routes),
    _part(
        ROUTES,
        "products-chart",
        "Sell-through and margin by category",
        report_charts.products,
        "Sell-through: units sold over units bought. Margin: revenue less landed cost, over revenue.",
        shape="chart",
    ),
    _part(ROUTES, "products", "Sell-through and margin by category", report_tables.products),
    _part(
        COMPLIANCE,
        "compliance-chart",
        "Permits and fines",
        report_charts.compliance,
        "Means over a contestant's companies.",
        shape="chart",
        needs="no finished world tells of a permit or a fine",
    ),
    _part(COMPLIANCE, "compliance", "Permits and fines", report_tables.compliance),
    _part(
        ADVERTISING,
        "advertising-chart",
        "Advertising and its return",
        report_charts.advertising,
        "Means over a contestant's companies; those that never advertised are left out.",
        shape="chart",
        needs="no finished world tells of an ad",
    ),
    _part(ADVERTISING, "advertising", "Advertising and its return", report_tables.advertising),
    _part(
        INQUIRIES,
        "conversion",
        "Inquiries won of those answered, by buyer",
        report_charts.inquiries,
        "All companies of a contestant; who answered none of a kind is left out of it.",
        shape="chart",
        needs="no finished world tells of a won inquiry",
    ),
    _part(INQUIRIES, "inquiries", "Inquiries answered and converted", report_tables.inquiries),
    _part(
        EVENTS,
        "events-chart",
        "Purchases that followed the news",
        report_charts.events,
        "Goods of a category ordered between the announcement of a change in its demand and its end.",
        shape="chart",
        needs="no finished world tells of a purchase in a category in the news",
    ),
    _part(EVENTS, "events", "Events traded", report_tables.events),
    _part(EVENTS, "world-events", "Announced changes of demand", report_tables.world_events, place="world"),
    _part(
        UNCERTAINTY,
        "contestant-companies",
        "Company by company",
        report_tables.companies_of,
        place="contestant",
        needs=_NO_WORLD,
    ),
    _part(
        ROUTES, "contestant-skus", "Sell-through and margin by SKU", report_tables.skus_of, place="contestant"
    ),
)
