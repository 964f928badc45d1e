"""What charts share: units, the zero line, colours and dashes by firm, the words that a mark shows."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from reports import palette
from reports.charts.drawing import Frame, values
from reports.sources import Line
from reports.view import View


def amount(view: View, cents: float | None) -> float | None:
    """Return cents in the unit of the run's money axes."""
    return None if cents is None else round(view.money.scaled(cents), 4)


def zero_rule(channel: str, *, shared: bool = False) -> alt.Chart:
    """Return the line at zero; in a facet, whose layers share their data, it is one mark a panel."""
    base = alt.Chart().transform_aggregate(n="count()") if shared else alt.Chart(values([{}]))
    datum = alt.XDatum(0) if channel == "x" else alt.YDatum(0)
    return base.mark_rule(color=palette.color("axis"), strokeWidth=1.2).encode(**{channel: datum})


def series_scale(view: View, names: Sequence[str]) -> alt.Scale:
    """Return each firm's colour, the same on every page."""
    return alt.Scale(domain=list(names), range=[palette.series_color(view.order(name)) for name in names])


def dash_scale(view: View, names: Sequence[str]) -> alt.Scale:
    return alt.Scale(
        domain=list(names), range=[list(palette.series_dash(view.order(name))) or [1, 0] for name in names]
    )


def line_legend(frame: Frame, firms: int) -> alt.Legend:
    """Return a legend of lines in rows of about equal length."""
    most = 2 if frame.narrow else 8
    rows = -(-firms // most)
    return alt.Legend(columns=-(-firms // rows), title=None, symbolType="stroke", symbolStrokeWidth=3)


def interval_text(view: View, line: Line, low: str, high: str) -> str:
    """Return an effect's interval in words, nothing where there is none."""
    bottom, top = line.number(low), line.number(high)
    if bottom is None or top is None:
        return ""
    return f" (interval {view.money.text(bottom)} to {view.money.text(top)})"


def observation_text(view: View, line: Line, column: str) -> str:
    """Return one matched pair's value with its seed."""
    value = line.number(column)
    rotation = f", rotation {line.whole('rotation')}" if line["rotation"] else ""
    shown = "none" if value is None else view.money.signed(value)
    return f"seed {line.whole('seed')} repeat {line.whole('repeat')}{rotation}: {shown}"
