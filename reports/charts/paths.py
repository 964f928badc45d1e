"""How firms go through time: cash by market and by agent, and the paths that the market declares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
from typing_extensions import TypeIs

from lineups.values import WorldSpec
from reports import palette
from reports.charts.drawing import AnyChart, Frame, values
from reports.charts.marks import amount, dash_scale, line_legend, series_scale, zero_rule
from reports.labels import averaged
from reports.numbers import Money, fitting_money
from reports.paths import CashPath, cash_paths, reference_markets
from reports.sources import PATHS
from reports.view import View
from tournament.published import Series

POINTS: Final = 48
FEWER_POINTS: Final = 26
FORMS: Final = {"money": ",.2~r", "share": "%", "ratio": ".2f", "count": ",.3~r"}


def cash_by_market(view: View, frame: Frame) -> AnyChart | None:
    """Cash of all firms in the markets of the reference lineup (the paper's Figure 3)."""
    return _markets(view, frame, reference_markets(view), height=170)


def all_markets(view: View, frame: Frame) -> AnyChart | None:
    """Cash of all firms in every market, small (the paper's Appendix E)."""
    return _markets(view, frame, view.finished, height=78)


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
    rows = [row for path in paths for row in _rows(view, path)]
    legend = line_legend(frame, len(names))
    base = alt.Chart().encode(
        x=alt.X("at:Q", title=None if small else view.units.axis, axis=alt.Axis(tickCount=3)),
        y=alt.Y("cash:Q", title=None if small else _cash(view), axis=alt.Axis(tickCount=3 if small else 4)),
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
    rows = [row for path in paths for row in _rows(view, path)]
    columns = 1 if frame.narrow else 3
    base = alt.Chart().encode(
        x=alt.X("at:Q", title=view.units.axis, axis=alt.Axis(tickCount=5)),
        y=alt.Y("cash:Q", title=_cash(view), axis=alt.Axis(tickCount=4)),
        color=alt.Color("name:N", scale=series_scale(view, names), legend=None),
    )
    lines = base.mark_line(strokeWidth=1, opacity=0.6).encode(detail="firm:N", description="t:N")
    return (
        alt.layer(zero_rule("y", shared=True), lines, _exits(base), data=values(rows))
        .properties(width=frame.panel(50, 34, columns) - 8, height=120)
        .facet(facet=alt.Facet("name:N", sort=names, title=None), columns=columns)
    )


def _cash(view: View) -> str:
    return f"cash, {view.money.unit}"


def _exits(base: alt.Chart) -> alt.Chart:
    """Mark the time step in which a firm left with a cross."""
    return (
        base.transform_filter("datum.exit")
        .mark_point(shape="cross", angle=45, filled=True, size=95, opacity=1)
        .encode(description="t:N")
    )


def ending(view: View, path: CashPath) -> str:
    """Return how a firm's path ends, in words."""
    if path.exit is not None:
        return f"leaves on {view.units.time.moment(path.exit)}"
    return f"ends with {view.money.text(path.cents[-1])} cash"


def _rows(view: View, path: CashPath) -> list[dict[str, Any]]:
    shared = {
        "name": path.contestant,
        "world": path.world,
        "firm": f"{path.world}/{path.seat}",
        "t": f"{path.contestant}, {path.world}: {ending(view, path)}",
    }
    return [
        {**shared, "at": view.units.at(step), "cash": amount(view, cents), "exit": step == path.exit}
        for step, cents in zip(path.steps, path.cents, strict=True)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A declared path as it is drawn: its unit fits what it reaches, whatever that of the run's Scores is."""

    series: Series
    money: Money

    @property
    def title(self) -> str:
        series = self.series
        return f"{series.title}, {self.money.unit}" if series.kind == "money" else series.title

    def value(self, value: float | None) -> float | None:
        """Return a value in the unit of its axis; None where it is undefined."""
        if not _is_there(value):
            return None
        return round(self.money.scaled(value) if self.series.kind == "money" else value, 5)


def drawn_series(view: View, series: Series, reached: Iterable[float | None]) -> Drawn | None:
    """Return how a path is drawn that reaches these values; None where it has none."""
    known = [abs(value) for value in reached if _is_there(value)]
    if not known:
        return None
    return Drawn(series=series, money=fitting_money(view.published.currency, max(known)))


def _is_there(value: float | None) -> TypeIs[float]:
    return value is not None and value == value  # noqa: PLR0124 - a missing double comes as NaN


def measures(view: View, frame: Frame) -> AnyChart | None:
    """The declared paths of each contestant's average firm, a panel a path."""
    lines = view.table(PATHS).where(reference=view.first_reference)
    every = averaged(view.published)
    shown = [
        drawn
        for series in every
        if (drawn := drawn_series(view, series, (line.number(series.name) for line in lines))) is not None
    ]
    if not shown:
        return None
    names = sorted({line.text("contestant") for line in lines}, key=view.order)
    rows = [
        {
            "name": line.text("contestant"),
            "at": view.units.at(line.whole("last_day")),
            "t": line.text("contestant"),
            **{drawn.series.name: drawn.value(line.number(drawn.series.name)) for drawn in shown},
        }
        for line in lines
    ]
    legend = line_legend(frame, len(names))
    base = alt.Chart(values(rows)).encode(
        x=alt.X("at:Q", title=view.units.axis, axis=alt.Axis(tickCount=5)),
        color=alt.Color("name:N", scale=series_scale(view, names), sort=names, legend=legend),
        strokeDash=alt.StrokeDash("name:N", scale=dash_scale(view, names), legend=None),
        description="t:N",
    )
    columns = 1 if frame.narrow or len(shown) == 1 else 2
    width = frame.panel(0, 30, columns) - 46
    return alt.concat(*(_series_panel(base, drawn, width) for drawn in shown), columns=columns)


def _series_panel(base: alt.Chart, drawn: Drawn, width: int) -> alt.Chart:
    series = drawn.series
    return (
        base.mark_line(strokeWidth=1.6, clip=True)
        .encode(
            y=alt.Y(
                f"{series.name}:Q",
                title=None,
                axis=alt.Axis(format=FORMS[series.kind], tickCount=4, minExtent=34),
                scale=alt.Scale(zero=series.from_zero, type=series.scale),
            )
        )
        .properties(
            width=width,
            height=190,
            title=alt.TitleParams(drawn.title, fontSize=13, anchor="start", color=palette.color("ink")),
        )
    )
