"""How sure one can be: ranks from run to run, shares of variance, the display criterion, power."""

from __future__ import annotations

from typing import Any, Final

import altair as alt

from reports import palette
from reports.charts.drawing import AnyChart, Frame, values
from reports.charts.marks import amount, dash_scale, series_scale
from reports.view import View

ESTIMANDS: Final = ("private", "directed", "total", "market")


def ranks(view: View, frame: Frame) -> AnyChart | None:
    """Rank of each contestant in every run of all lineups (the paper's table 4 as a picture)."""
    lines = view.table("operating_runs.csv").where(reference=view.first_reference)
    runs = list(dict.fromkeys(_run(line.values) for line in lines))
    if len(runs) < 2:
        return None
    rows = [
        {
            "run": _run(line.values),
            "name": line.text("contestant"),
            "rank": line.whole("rank"),
            "t": f"{line.text('contestant')}, {_run(line.values)}: rank {line.whole('rank')},"
            f" {view.money.text(line.number('mean_score_cents') or 0)}",
        }
        for line in lines
    ]
    names = sorted({str(row["name"]) for row in rows}, key=view.order)
    x = alt.X("run:N", sort=runs, title=None, axis=alt.Axis(labelAngle=-35 if frame.narrow else 0))
    y = alt.Y(
        "rank:Q",
        title="rank",
        scale=alt.Scale(domain=[len(names) + 0.4, 0.6], nice=False),
        axis=alt.Axis(values=list(range(1, len(names) + 1)), format="d"),
    )
    color = alt.Color("name:N", scale=series_scale(view, names), legend=None)
    base = alt.Chart(values(rows)).encode(x=x, y=y, color=color)
    end = base.transform_filter(alt.datum.run == runs[-1])
    return alt.layer(
        base.mark_line(strokeWidth=2).encode(
            strokeDash=alt.StrokeDash("name:N", scale=dash_scale(view, names), legend=None)
        ),
        base.mark_circle(size=90, opacity=1).encode(description="t:N"),
        end.mark_text(align="left", dx=12, fontSize=12).encode(
            text="name:N", color=alt.value(palette.color("ink"))
        ),
    ).properties(width=frame.width - 190, height=27 * len(names))


def _run(line: Any) -> str:
    rotation = f", rotation {line['rotation']}" if line["rotation"] else ""
    return f"seed {line['seed']}, run {line['repeat']}{rotation}"


def components(view: View, frame: Frame) -> AnyChart | None:
    """Shares of a single observation's variance between and within seeds, pooled over each estimand."""
    rows = [
        {
            "estimand": line.text("estimand"),
            "component": {"seed": "between seeds", "repeat": "between repeats of a seed"}[
                line.text("component")
            ],
            "share": line.number("share"),
            "t": f"{line.text('estimand')}: {line.number('share') or 0:.0%} {line.text('component')}",
        }
        for line in view.table("components.csv").where(reference=view.first_reference, entrant="")
        if line["component"] in ("seed", "repeat") and line.number("share") is not None
    ]
    if not rows:
        return None
    kinds = ["between seeds", "between repeats of a seed"]
    scale = alt.Scale(domain=kinds, range=[palette.color("c1"), palette.color("c7")])
    return (
        alt.Chart(values(rows))
        .mark_bar(height=18)
        .encode(
            x=alt.X(
                "share:Q",
                title="share of variance",
                axis=alt.Axis(format="%", tickCount=5),
                scale=alt.Scale(domain=[0, 1]),
            ),
            y=alt.Y("estimand:N", sort=list(ESTIMANDS), title=None),
            color=alt.Color("component:N", scale=scale, sort=kinds, title=None),
            description="t:N",
        )
        .properties(width=frame.width - 110, height=130)
    )


def criterion(view: View, frame: Frame) -> AnyChart | None:
    """How many effects pass |mean| > SD, beside how many would by chance alone."""
    lines = view.table("chance.csv").where(reference=view.first_reference)
    kinds = ["expected by chance, over a grid", "expected at the estimated share", "passing here"]
    expected = [
        {
            "estimand": line.text("estimand"),
            "x": line.number("expected"),
            "source": kinds[line["source"] == "estimated"],
            "t": f"{line.text('estimand')}: {line.number('expected') or 0:.1f} of {line.whole('effects')} by chance"
            f" when seeds carry {line.number('seed_share') or 0:.0%} of the variance ({line.text('source')})",
        }
        for line in lines
    ]
    if not expected:
        return None
    passing = [
        {
            "estimand": line.text("estimand"),
            "x": line.whole("passing"),
            "source": kinds[2],
            "t": f"{line.text('estimand')}: {line.whole('passing')} of {line.whole('effects')} pass",
        }
        for line in lines
    ]
    colors = [palette.color("other"), palette.color("c7"), palette.color("c1")]
    legend = alt.Legend(columns=1 if frame.narrow else 3, labelLimit=330)
    return (
        alt.Chart(values([*expected, *passing]))
        .mark_point(filled=True, size=95, opacity=1)
        .encode(
            x=alt.X("x:Q", title="effects with |mean| > SD", axis=alt.Axis(tickCount=frame.ticks)),
            y=alt.Y("estimand:N", sort=list(ESTIMANDS), title=None),
            color=alt.Color(
                "source:N", scale=alt.Scale(domain=kinds, range=colors), title=None, legend=legend
            ),
            shape=alt.Shape(
                "source:N",
                scale=alt.Scale(domain=kinds, range=["circle", "square", "diamond"]),
                title=None,
                legend=legend,
            ),
            description="t:N",
        )
        .properties(width=frame.width - 110, height=150)
    )


def power(view: View, frame: Frame) -> AnyChart | None:
    """The least effect that this design shows, at the ends of the variances' intervals."""
    lines = [
        line
        for line in view.table("power.csv").where(
            question="present", reference=view.first_reference, entrant=""
        )
        if line.number("effect_cents") is not None
    ]
    if not lines:
        return None
    ends: dict[str, dict[str, Any]] = {}
    for line in lines:
        row = ends.setdefault(line.text("estimand"), {"estimand": line.text("estimand"), "t": ""})
        row[line.text("variance_end")] = amount(view, line.number("effect_cents"))
        row["t"] += f"{line.text('estimand')}, variances at {line.text('variance_end')}:"
        row["t"] += (
            f" {view.money.text(line.number('effect_cents') or 0)} is seen with power {line.number('power') or 0:.2f}\n"
        )
    rows = [row for row in ends.values() if {"low", "estimate", "high"} <= row.keys()]
    if not rows:
        return None
    y = alt.Y("estimand:N", sort=list(ESTIMANDS), title=None)
    base = alt.Chart(values(rows)).encode(y=y)
    scale = alt.Scale(zero=True)
    return alt.layer(
        base.mark_rule(strokeWidth=2.5, color=palette.color("c1")).encode(
            x=alt.X(
                "low:Q",
                title=f"least effect shown, {view.money.unit}",
                scale=scale,
                axis=alt.Axis(tickCount=frame.ticks),
            ),
            x2="high:Q",
        ),
        base.mark_circle(size=95, opacity=1, color=palette.color("c1")).encode(
            x="estimate:Q", description="t:N"
        ),
    ).properties(width=frame.width - 110, height=130)
