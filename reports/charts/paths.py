"""How firms go through time: cash by market and by agent, prices, stock-outs, spending, share, tenders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from lineups.values import WorldSpec
from reports import palette
from reports.charts.drawing import AnyChart, Frame, values
from reports.charts.marks import dash_scale, k, line_legend, series_scale, zero_rule
from reports.numbers import money
from reports.paths import CashPath, cash_paths, tenders
from reports.view import View

POINTS: Final = 48
FEWER_POINTS: Final = 26
MOST_MARKETS: Final = 6
CASH: Final = "cash, thousand USD"
MEASURES: Final = {
    "revenue_share": ("Share of the market's revenue", "%"),
    "relative_price": ("Posted price / market's mean", ".2f"),
    "stockout_share": ("Share of demand that found no stock", "%"),
    "spending": ("Chosen spending a day, thousand USD", ",.2~r"),
}


def cash_by_market(view: View, frame: Frame) -> AnyChart | None:
    """Cash of all firms in the markets of the reference lineup (the paper's Figure 3)."""
    return _markets(view, frame, reference_markets(view), height=170)


def all_markets(view: View, frame: Frame) -> AnyChart | None:
    """Cash of all firms in every market, small (the paper's Appendix E)."""
    return _markets(view, frame, view.finished, height=78)


def reference_markets(view: View) -> list[WorldSpec]:
    """Return the first finished worlds of the reference lineup, first repeats before others."""
    found = [spec for spec in view.finished if not spec.reference]
    return sorted(found, key=lambda spec: (spec.repeat, spec.rotation, view.plan.index(spec)))[:MOST_MARKETS]


def _markets(view: View, frame: Frame, specs: Sequence[WorldSpec], height: int) -> AnyChart | None:
    small = height < 100
    paths = [
        path for spec in specs for path in cash_paths(view, spec.world, FEWER_POINTS if small else POINTS)
    ]
    if not paths:
        return None
    names = sorted({path.contestant for path in paths}, key=view.order)
    worlds = [spec.world for spec in specs]
    columns = (2 if small else 1) if frame.narrow else (4 if small else 3)
    rows = [row for path in paths for row in _rows(path)]
    legend = line_legend(frame, len(names))
    base = alt.Chart().encode(
        x=alt.X("day:Q", title=None if small else "day", axis=alt.Axis(tickCount=3)),
        y=alt.Y("cash:Q", title=None if small else CASH, axis=alt.Axis(tickCount=3 if small else 4)),
        color=alt.Color("name:N", scale=series_scale(view, names), sort=names, legend=legend),
    )
    lines = base.mark_line(strokeWidth=1.1 if small else 1.7).encode(
        detail="firm:N",
        strokeDash=alt.StrokeDash("name:N", scale=dash_scale(view, names), legend=None),
        description="t:N",
    )
    header = alt.Header(labelFontSize=10 if small else 12, labelLimit=frame.panel(30, 18, columns))
    return (
        alt.layer(zero_rule("y", shared=True), lines, _exits(base), data=values(rows))
        .properties(width=frame.panel(50, 34, columns) - (12 if small else 8), height=height)
        .facet(facet=alt.Facet("world:N", sort=worlds, title=None, header=header), columns=columns)
    )


def cash_by_agent(view: View, frame: Frame) -> AnyChart | None:
    """Cash paths of each contestant in all its markets (the paper's Figure 4)."""
    paths = [path for spec in view.finished for path in cash_paths(view, spec.world, FEWER_POINTS)]
    if not paths:
        return None
    names = sorted({path.contestant for path in paths}, key=view.order)
    rows = [row for path in paths for row in _rows(path)]
    columns = 1 if frame.narrow else 3
    base = alt.Chart().encode(
        x=alt.X("day:Q", title="day", axis=alt.Axis(tickCount=5)),
        y=alt.Y("cash:Q", title=CASH, axis=alt.Axis(tickCount=4)),
        color=alt.Color("name:N", scale=series_scale(view, names), legend=None),
    )
    lines = base.mark_line(strokeWidth=1, opacity=0.6).encode(detail="firm:N", description="t:N")
    return (
        alt.layer(zero_rule("y", shared=True), lines, _exits(base), data=values(rows))
        .properties(width=frame.panel(50, 34, columns) - 8, height=120)
        .facet(facet=alt.Facet("name:N", sort=names, title=None), columns=columns)
    )


def _exits(base: alt.Chart) -> alt.Chart:
    """Mark the day on which a firm went bankrupt with a cross."""
    return (
        base.transform_filter("datum.exit")
        .mark_point(shape="cross", angle=45, filled=True, size=95, opacity=1)
        .encode(description="t:N")
    )


def _rows(path: CashPath) -> list[dict[str, Any]]:
    end = f"bankrupt on day {path.exit_day}" if path.exit_day else f"ends with {money(path.cents[-1])} cash"
    shared = {
        "name": path.contestant,
        "world": path.world,
        "firm": f"{path.world}/{path.seat}",
        "t": f"{path.contestant}, {path.world}: {end}",
    }
    return [
        {**shared, "day": day, "cash": k(cents), "exit": day == path.exit_day}
        for day, cents in zip(path.days, path.cents, strict=True)
    ]


def measures(view: View, frame: Frame) -> AnyChart | None:
    """Market share, relative price, stock-outs and spending of each contestant's average firm."""
    lines = view.table("paths.csv").where(reference=view.first_reference)
    if not lines:
        return None
    names = sorted({line.text("contestant") for line in lines}, key=view.order)
    rows = [
        {
            "name": line.text("contestant"),
            "day": line.whole("last_day"),
            "revenue_share": line.number("revenue_share"),
            "relative_price": line.number("relative_price"),
            "stockout_share": line.number("stockout_share"),
            "spending": k(line.number("spending_cents")),
            "t": line.text("contestant"),
        }
        for line in lines
    ]
    legend = line_legend(frame, len(names))
    base = alt.Chart(values(rows)).encode(
        x=alt.X("day:Q", title="day", axis=alt.Axis(tickCount=5)),
        color=alt.Color("name:N", scale=series_scale(view, names), sort=names, legend=legend),
        strokeDash=alt.StrokeDash("name:N", scale=dash_scale(view, names), legend=None),
        description="t:N",
    )
    columns = 1 if frame.narrow else 2
    panels = [
        base.mark_line(strokeWidth=1.6, clip=True)
        .encode(
            y=alt.Y(
                f"{name}:Q",
                title=None,
                axis=alt.Axis(format=form, tickCount=4, minExtent=34),
                scale=alt.Scale(
                    zero=name != "relative_price", type="sqrt" if name == "spending" else "linear"
                ),
            )
        )
        .properties(
            width=frame.panel(0, 30, columns) - 46,
            height=190,
            title=alt.TitleParams(title, fontSize=13, anchor="start", color=palette.color("ink")),
        )
        for name, (title, form) in MEASURES.items()
    ]
    return alt.concat(*panels, columns=columns)


def tender_results(view: View, frame: Frame) -> AnyChart | None:
    """Tenders in the markets of the reference lineup: reservation prices, and who won at which price."""
    specs = reference_markets(view)[: 1 if frame.narrow else 3]
    rows = [row for spec in specs for row in _tender_rows(view, spec)]
    if not rows:
        return None
    names = sorted({str(row["winner"]) for row in rows if row["winner"]}, key=view.order)
    base = alt.Chart().encode(x=alt.X("day:Q", title="closing day", axis=alt.Axis(tickCount=4)))
    y = alt.Y("price:Q", title="unit price, USD", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=3))
    ticks = base.mark_tick(orient="horizontal", size=9, thickness=2, color=palette.color("other")).encode(
        y=alt.Y("reservation:Q"), description="t:N"
    )
    wins = (
        base.transform_filter("datum.winner")
        .mark_circle(size=55, opacity=1)
        .encode(
            y=y,
            color=alt.Color("winner:N", scale=series_scale(view, names), sort=names, title="won by"),
            description="t:N",
        )
    )
    worlds = [spec.world for spec in specs]
    return (
        alt.layer(ticks, wins, data=values(rows))
        .properties(width=frame.panel(110, 20, len(worlds)) - 28, height=92)
        .facet(
            row=alt.Row("product:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left")),
            column=alt.Column("world:N", title=None, sort=worlds, header=alt.Header(labelFontSize=12)),
        )
        .resolve_scale(y="independent")
    )


def _tender_rows(view: View, spec: WorldSpec) -> list[dict[str, Any]]:
    rows = []
    for item in tenders(view, spec.world):
        winner = None if item["winner_seat"] is None else spec.seats[item["winner_seat"] - 1]
        price = None if item["price_cents"] is None else item["price_cents"] / 100
        reservation = item["reservation_cents"] / 100
        told = f"won by {winner} at ${price:,.2f}" if winner else "no bid qualified"
        rows.append(
            {
                "world": spec.world,
                "product": item["product"],
                "day": item["closes_day"],
                "reservation": reservation,
                "price": price,
                "winner": winner,
                "t": f"tender {item['tender']}, {item['quantity']} units of {item['product']},"
                f" reservation ${reservation:,.2f}: {told}",
            }
        )
    return rows
