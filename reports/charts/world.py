"""Small charts of one world: cash, share, prices, stock-outs, spending of every firm.

A report draws hundreds of them, so each form is compiled once a process and filled with each world's rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import altair as alt

from reports import palette
from reports.charts.drawing import compiled, redraw, values
from reports.charts.marks import k
from reports.numbers import money
from reports.paths import cash_paths, window_paths
from reports.view import View

POINTS: Final = 72
WIDTH, HEIGHT = 292, 150
POSTED: Final = "posted_cents_"
AVERAGES: Final = {
    "revenue_share": ("Share of the market's revenue", "%", 1.0),
    "relative_price": ("Posted price / market's mean", "~g", 1.0),
    "stockout_share": ("Share of demand that found no stock", "%", 1.0),
    "spending_cents": ("Chosen spending a day, thousand USD", ",.2~r", 0.00001),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One drawn panel: its place in the page's order, heading, SVG in stand-in colours, description."""

    name: str
    title: str
    svg: str
    description: str


def panels(view: View, world: str) -> Iterator[Panel]:
    """Yield a world's panels; what its files lack is left out."""
    names = view.contestants
    cash = [
        {
            "name": path.contestant,
            "seat": path.seat,
            "day": day,
            "y": k(cents),
            "exit": day == path.exit_day,
            "t": f"{path.contestant}, seat {path.seat}: "
            + (f"bankrupt on day {path.exit_day}" if path.exit_day else f"ends with {money(path.cents[-1])}"),
        }
        for path in cash_paths(view, world, POINTS)
        for day, cents in zip(path.days, path.cents, strict=True)
    ]
    if cash:
        yield _panel(names, "cash", "Cash, thousand USD", ",.0f", cash)
    lines = list(window_paths(view, world, POINTS))
    if not lines:
        return
    measures = {
        "revenue_share": ("Share of the market's revenue", "%", 1.0),
        **{
            name: (f"Posted price of {name.removeprefix(POSTED)}, USD", ",.0f", 0.01)
            for name in lines[0]
            if name.startswith(POSTED)
        },
        "stockout_share": ("Share of demand that found no stock", "%", 1.0),
        "spending_cents": ("Chosen spending a day, thousand USD", ",.2~r", 0.00001),
    }
    for measure, (title, form, unit) in measures.items():
        rows = [_row(line, measure, unit) for line in lines if _there(line[measure])]
        if rows:
            yield _panel(names, measure, title, form, rows)


def contestant_panels(view: View, name: str) -> Iterator[Panel]:
    """Yield a contestant's panels: cash of all its firms, then its average firm in the first reference set."""
    paths = [
        path
        for spec in view.finished
        if name in spec.seats
        for path in cash_paths(view, spec.world, POINTS // 2)
        if path.contestant == name
    ]
    cash = [
        {
            "name": name,
            "seat": firm,
            "day": day,
            "y": k(cents),
            "exit": day == path.exit_day,
            "t": f"{path.world}, seat {path.seat}",
        }
        for firm, path in enumerate(paths)
        for day, cents in zip(path.days, path.cents, strict=True)
    ]
    if cash:
        yield _panel(view.contestants, "cash", "Cash in all its worlds, thousand USD", ",.0f", cash)
    lines = view.table("paths.csv").where(reference=view.first_reference, contestant=name)
    for measure, (title, form, unit) in AVERAGES.items():
        rows = [
            _row({"contestant": name, "seat": 0, **line.values}, measure, unit)
            for line in lines
            if _there(line.number(measure))
        ]
        if rows:
            yield _panel(view.contestants, measure, title, form, rows)


def _row(line: Any, measure: str, unit: float) -> dict[str, Any]:
    return {
        "name": line["contestant"],
        "seat": line["seat"],
        "day": line["last_day"],
        "y": round(line[measure] * unit, 5),
        "exit": False,
        "t": f"{line['contestant']}, seat {line['seat']}",
    }


def _there(value: float | None) -> bool:
    return value is not None and value == value  # noqa: PLR0124 - a missing double comes as NaN


def _panel(names: tuple[str, ...], name: str, title: str, form: str, rows: list[dict[str, Any]]) -> Panel:
    zero = not name.startswith((POSTED, "relative"))
    return Panel(
        name=name,
        title=title,
        svg=redraw(_form(names, form, zero), rows),
        description=f"Lines by day, one a firm: {', '.join(dict.fromkeys(row['name'] for row in rows))}.",
    )


@lru_cache(maxsize=32)
def _form(names: tuple[str, ...], form: str, zero: bool) -> dict[str, Any]:
    """Return the compiled chart; it has one row of its own, so that every column is known."""
    row = {"name": names[0], "seat": 1, "day": 1, "y": 0.0, "exit": False, "t": ""}
    colors = [palette.series_color(place) for place in range(len(names))]
    dashes = [list(palette.series_dash(place)) or [1, 0] for place in range(len(names))]
    base = alt.Chart(values([row])).encode(
        x=alt.X("day:Q", title="day", axis=alt.Axis(tickCount=5)),
        y=alt.Y("y:Q", title=None, axis=alt.Axis(format=form, tickCount=4), scale=alt.Scale(zero=zero)),
        color=alt.Color("name:N", scale=alt.Scale(domain=list(names), range=colors), legend=None),
        detail="seat:N",
        description="t:N",
    )
    lines = base.mark_line(strokeWidth=1.5).encode(
        strokeDash=alt.StrokeDash("name:N", scale=alt.Scale(domain=list(names), range=dashes), legend=None)
    )
    exits = base.transform_filter("datum.exit").mark_point(
        shape="cross", angle=45, filled=True, size=95, opacity=1
    )
    return compiled(alt.layer(lines, exits).properties(width=WIDTH, height=HEIGHT))
