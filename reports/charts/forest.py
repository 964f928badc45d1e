"""Dots with intervals, a row a firm: Mean Scores, private gains beside market differences, baselines, health."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from externalities.health import meanings
from reports import palette
from reports.charts.drawing import AnyChart, Frame, values
from reports.charts.marks import amount, interval_text, observation_text, series_scale, zero_rule
from reports.labels import measure_title
from reports.sources import Line
from reports.view import View

ROW: Final = 34


def operating(view: View, frame: Frame) -> AnyChart | None:
    """Mean Score of each contestant with its interval, and its mean in each lineup as dots."""
    reference = view.first_reference
    rows = [line for line in view.table("operating.csv").where(reference=reference) if line["rank"]]
    if not rows:
        return None
    names = [line.text("contestant") for line in rows]
    dots = [
        {
            "name": line.text("contestant"),
            "x": amount(view, line.number("mean_score_cents")),
            "t": f"{line.text('contestant')} in {line.text('lineup')}:"
            f" {view.money.text(_value(line, 'mean_score_cents'))}",
        }
        for line in view.table("operating_lineups.csv").where(reference=reference)
    ]
    means = [
        {
            "name": line.text("contestant"),
            "x": amount(view, line.number("mean_score_cents")),
            "low": amount(view, line.number("ci_low_cents")),
            "high": amount(view, line.number("ci_high_cents")),
            "t": f"{line.text('contestant')}: {view.money.text(_value(line, 'mean_score_cents'))}"
            f"{interval_text(view, line, 'ci_low_cents', 'ci_high_cents')}",
        }
        for line in rows
    ]
    y = alt.Y("name:N", sort=names, title=None, axis=_names(frame))
    x = alt.X("x:Q", title=f"Mean Score, {view.money.unit}", axis=alt.Axis(tickCount=frame.ticks))
    scale = series_scale(view, names)
    layers = [
        zero_rule("x"),
        alt.Chart(values(dots))
        .mark_circle(size=26, opacity=0.55, color=palette.color("other"))
        .encode(x=x, y=y, description="t:N"),
        _intervals(means, y, scale),
        alt.Chart(values(means))
        .mark_circle(size=95, opacity=1)
        .encode(x=x, y=y, color=alt.Color("name:N", scale=scale, legend=None), description="t:N"),
    ]
    return alt.layer(*layers).properties(**_size(frame, len(names)))


def private_and_market(view: View, frame: Frame, reference: str) -> AnyChart | None:
    """Private gain and market difference of each entrant, interval and single observations (Figure 6A)."""
    private = view.table("private_summary.csv").where(reference=reference)
    market = view.table("market_summary.csv").where(reference=reference, estimand="market")
    shown = [line for line in private if line.number("mean_cents") is not None]
    if not shown:
        return None
    names = sorted((line.text("entrant") for line in shown), key=view.order)
    means = [_effect(view, line, "private gain") for line in shown]
    means += [
        _effect(view, line, "market difference") for line in market if line.number("mean_cents") is not None
    ]
    dots = [
        _observation(view, line, kind, column)
        for file, kind, column in (
            ("private.csv", "private gain", "private_cents"),
            ("market.csv", "market difference", "market_difference_cents"),
        )
        for line in view.table(file).where(reference=reference)
    ]
    kinds = ["private gain", "market difference"]
    return _two_rows(
        names, kinds, means, dots, frame, f"Difference to {reference} in the seat, {view.money.unit}"
    )


def baselines(view: View, frame: Frame) -> AnyChart | None:
    """Each entrant's effects at one seed against every reference policy (Figure 6C)."""
    table = view.table("baselines.csv")
    lines = [line for line in table if line["estimand"] in ("private", "total", "market")]
    seeds = [
        seed
        for seed in dict.fromkeys(line.whole("seed") for line in lines)
        if len({line["reference"] for line in lines if line["seed"] == seed}) > 1
    ]
    if not seeds:
        return None
    rows: list[dict[str, Any]] = [
        {
            "name": line.text("entrant"),
            "kind": {"private": "private gain", "total": "the others", "market": "market"}[
                line.text("estimand")
            ],
            "reference": line.text("reference"),
            "x": amount(view, line.number("difference_cents")),
            "t": f"{line.text('entrant')}, {line.text('estimand')}, against {line.text('reference')} at seed"
            f" {line.whole('seed')}: {view.money.signed(_value(line, 'difference_cents'))}",
        }
        for line in lines
        if line["seed"] == seeds[0] and line["rotation"] == lines[0]["rotation"]
    ]
    names = sorted({row["name"] for row in rows}, key=view.order)
    columns = 1 if frame.narrow else 3
    domain = list(view.references)
    against: dict[str, Any] = {"title": "against", "sort": domain}
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=view.money.unit, axis=alt.Axis(tickCount=5)),
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=130)),
    )
    points = base.mark_point(size=75, filled=True, opacity=1).encode(
        color=alt.Color("reference:N", scale=_pair_scale(domain), **against),
        shape=alt.Shape("reference:N", scale=alt.Scale(domain=domain), **against),
        description="t:N",
    )
    line = base.mark_rule(strokeWidth=1.5).encode(detail="name:N", x="min(x):Q", x2="max(x):Q")
    panel = alt.layer(zero_rule("x", shared=True), line, points, data=values(rows))
    return (
        panel.properties(width=frame.panel(130, columns=columns), height=26 * len(names))
        .facet(
            facet=alt.Facet("kind:N", title=None, sort=["private gain", "the others", "market"]),
            columns=columns,
        )
        .resolve_scale(x="shared")
    )


def health(view: View, frame: Frame) -> AnyChart | None:
    """What an entrant does to the market's health: matched differences by measure, with intervals."""
    lines = [
        line
        for line in view.table("health_differences.csv").where(reference=view.first_reference, segment="")
        if line.number("mean") is not None
    ]
    if not lines:
        return None
    names = sorted({line.text("entrant") for line in lines}, key=view.order)
    measures = [name for name in meanings(view.published) if any(line["measure"] == name for line in lines)]
    panels = []
    for name in measures:
        rows = [_health_row(view, line) for line in lines if line["measure"] == name]
        y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=110))
        x = alt.X(
            "x:Q", title=None, axis=alt.Axis(tickCount=3, format=",.0f" if name.endswith("_cents") else "~g")
        )
        layers = [zero_rule("x"), _intervals(rows, y), _points(rows, x, y)]
        title = alt.TitleParams(
            _health_title(view, name), fontSize=12, anchor="start", color=palette.color("ink")
        )
        panels.append(
            alt.layer(*layers).properties(
                width=frame.panel(0, gap=40) - 120, height=20 * len(names), title=title
            )
        )
    return alt.concat(*panels, columns=frame.columns)


def _health_title(view: View, measure: str) -> str:
    unit = f", {view.money.unit}" if measure.endswith("_cents") else ""
    return measure_title(view.published, measure) + unit


def _health_row(view: View, line: Line) -> dict[str, Any]:
    money_like = line.text("measure").endswith("_cents")

    def scaled(column: str) -> float | None:
        return amount(view, line.number(column)) if money_like else line.number(column)

    return {
        "name": line.text("entrant"),
        "x": scaled("mean"),
        "low": scaled("low"),
        "high": scaled("high"),
        "t": f"{line.text('entrant')}, {_health_title(view, line.text('measure'))}: {scaled('mean'):+.4g}",
    }


def _effect(view: View, line: Line, kind: str) -> dict[str, Any]:
    mean = _value(line, "mean_cents")
    return {
        "name": line.text("entrant"),
        "kind": kind,
        "x": amount(view, mean),
        "low": amount(view, line.number("t_low_cents")),
        "high": amount(view, line.number("t_high_cents")),
        "t": f"{line.text('entrant')}, {kind}: {view.money.signed(mean)}"
        f"{interval_text(view, line, 't_low_cents', 't_high_cents')}",
    }


def _observation(view: View, line: Line, kind: str, column: str) -> dict[str, Any]:
    return {
        "name": line.text("entrant"),
        "kind": kind,
        "x": amount(view, line.number(column)),
        "t": f"{line.text('entrant')}, {kind}, {observation_text(view, line, column)}",
    }


def _two_rows(
    names: Sequence[str],
    kinds: Sequence[str],
    means: list[dict[str, Any]],
    dots: list[dict[str, Any]],
    frame: Frame,
    title: str,
) -> AnyChart:
    """Return two offset rows a name: the kinds, each by colour and shape."""
    y = alt.Y("name:N", sort=list(names), title=None, axis=_names(frame))
    offset = alt.YOffset("kind:N", sort=list(kinds), scale=alt.Scale(paddingInner=0.4, paddingOuter=0.35))
    x = alt.X("x:Q", title=title, axis=alt.Axis(tickCount=frame.ticks))
    scale = alt.Scale(domain=list(kinds), range=[palette.color("c1"), palette.color("c2")])
    color = alt.Color("kind:N", scale=scale, title=None)
    layers = [
        zero_rule("x"),
        alt.Chart(values(dots))
        .mark_tick(thickness=1.6, size=9, opacity=0.75)
        .encode(x=x, y=y, yOffset=offset, color=color, description="t:N"),
        alt.Chart(values([row for row in means if row["low"] is not None]))
        .mark_rule(strokeWidth=2)
        .encode(x="low:Q", x2="high:Q", y=y, yOffset=offset, color=color),
        alt.Chart(values(means))
        .mark_point(size=85, filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            yOffset=offset,
            color=color,
            shape=alt.Shape(
                "kind:N", scale=alt.Scale(domain=list(kinds), range=["circle", "diamond"]), title=None
            ),
            description="t:N",
        ),
    ]
    return alt.layer(*layers).properties(**_size(frame, len(names), 46))


def _intervals(rows: list[dict[str, Any]], y: alt.Y, scale: alt.Scale | None = None) -> alt.Chart:
    color = alt.value(palette.color("c1")) if scale is None else alt.Color("name:N", scale=scale, legend=None)
    there = [row for row in rows if row["low"] is not None]
    return alt.Chart(values(there)).mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q", y=y, color=color)


def _points(rows: list[dict[str, Any]], x: alt.X, y: alt.Y) -> alt.Chart:
    return (
        alt.Chart(values(rows))
        .mark_circle(size=55, opacity=1, color=palette.color("c1"))
        .encode(x=x, y=y, description="t:N")
    )


def _pair_scale(references: Sequence[str]) -> alt.Scale:
    return alt.Scale(
        domain=list(references), range=[palette.series_color(place) for place in range(len(references))]
    )


def _names(frame: Frame) -> alt.Axis:
    return alt.Axis(
        labelLimit=110 if frame.narrow else 180, labelColor=palette.color("ink"), labelFontSize=13
    )


def _size(frame: Frame, rows: int, height: int = ROW) -> dict[str, Any]:
    return {
        "width": frame.width - 10,
        "height": height * rows + 40,
        "autosize": alt.AutoSizeParams(type="fit", contains="padding"),
    }


def _value(line: Line, column: str) -> float:
    value = line.number(column)
    assert value is not None, f"{column} is shown where it is"
    return value
