"""Diverging bars: what an effect is made of, directly and in everybody's answer, account by account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt

from reports import palette
from reports.charts.drawing import AnyChart, Frame, values
from reports.charts.marks import amount, zero_rule
from reports.labels import words
from reports.sources import Line
from reports.view import View

SPENDING: Final = "spending_cents"
LEAST_SHOWN: Final = 0.004  # of the greatest part: an account below it in every panel is left out


def accounts(view: View, frame: Frame, reference: str) -> AnyChart | None:
    """Own and rivals' effect of each entrant, split into income, costs and what counts at the end.

    Source: CEO Arena, section 4.4.
    """
    table = view.table("accounts_summary.csv")
    sides = {"private": "own firm", "total": "all rivals"}
    lines = [line for line in table.where(reference=reference) if line["estimand"] in sides]
    if not lines:
        return None
    names = sorted({line.text("entrant") for line in lines}, key=view.order)
    shown = _parts(view)
    rows = [
        {
            "name": line.text("entrant"),
            "side": sides[line.text("estimand")],
            "part": part,
            "x": amount(view, line.number(column)),
            "effect": amount(view, line.number("effect_cents")),
            "t": f"{line.text('entrant')}, {sides[line.text('estimand')]}, {part}:"
            f" {view.money.signed(_value(line, column))} of {view.money.signed(_value(line, 'effect_cents'))}",
        }
        for line in lines
        for column, part in shown.items()
    ]
    parts = list(shown.values())
    scale = alt.Scale(domain=parts, range=_part_colors(view))
    base = alt.Chart().encode(y=alt.Y("name:N", sort=names, title=None, axis=_names()))
    bars = base.mark_bar(height=15).encode(
        x=alt.X("x:Q", title=view.money.unit, axis=alt.Axis(tickCount=5)),
        color=alt.Color("part:N", scale=scale, sort=parts, title=None),
        description="t:N",
    )
    effect = _effect_mark(base, "effect", ["side", "name"])
    columns = 1 if frame.narrow else 2
    return (
        alt.layer(bars, zero_rule("x", shared=True), effect, data=values(rows))
        .properties(width=frame.panel(120, columns=columns), height=27 * len(names))
        .facet(facet=alt.Facet("side:N", title=None, sort=list(sides.values())), columns=columns)
        .resolve_scale(x="independent")
    )


def _parts(view: View) -> dict[str, str]:
    """Return the parts of an effect by column: income, all costs together, what counts at the end."""
    accounts = view.published.accounts
    found = {f"{item.name}_cents": words(item.name) for item in accounts if item.group == "income"}
    if any(item.group in ("goods", "spending") for item in accounts):
        found[SPENDING] = "spending"
    return found | {f"{item.name}_cents": words(item.name) for item in accounts if item.group == "terminal"}


def _part_colors(view: View) -> list[str]:
    """Return their colours: blues first for income, ochre for costs, grey for the first of the end."""
    groups = [item.group for item in view.published.accounts]
    income = [palette.series_color(place) for place in (0, 5, 2)]
    terminal = [palette.color("other"), palette.series_color(3), palette.series_color(7)]
    costs = [palette.color("c7")] if {"goods", "spending"} & set(groups) else []
    return [
        *(income[place % 3] for place in range(groups.count("income"))),
        *costs,
        *(terminal[place % 3] for place in range(groups.count("terminal"))),
    ]


def spending_accounts(view: View) -> list[str]:
    """Return the accounts of what is decided; goods and their holding follow sales and would hide it."""
    return [account.name for account in view.published.accounts if account.group == "spending"]


def spending(view: View, frame: Frame, reference: str) -> AnyChart | None:
    """Rivals' spending answers to each entrant by account: to the right they save, to the left they spend."""
    lines = view.table("accounts_summary.csv").where(reference=reference, estimand="total")
    accounts = spending_accounts(view)
    if not lines or not accounts:
        return None
    names = sorted((line.text("entrant") for line in lines), key=view.order)
    greatest = max(abs(_value(line, f"{name}_cents")) for line in lines for name in accounts)
    shown = [
        name
        for name in accounts
        if any(abs(_value(line, f"{name}_cents")) > LEAST_SHOWN * greatest for line in lines)
    ]
    rows = [
        {
            "name": line.text("entrant"),
            "account": words(name),
            "x": amount(view, line.number(f"{name}_cents")),
            "gain": _value(line, f"{name}_cents") >= 0,
            "t": f"rivals of {line.text('entrant')}, {words(name)}:"
            f" {view.money.signed(_value(line, f'{name}_cents'))} to their Scores",
        }
        for line in lines
        for name in shown
    ]
    if not shown:
        return None
    columns = 2 if frame.narrow else 4
    bars = (
        alt.Chart()
        .mark_bar(height=11)
        .encode(
            x=alt.X("x:Q", title=view.money.unit, axis=alt.Axis(tickCount=3)),
            y=alt.Y("account:N", sort=[words(name) for name in shown], title=None, axis=_names()),
            color=alt.condition(
                "datum.gain", alt.value(palette.color("gain")), alt.value(palette.color("loss"))
            ),
            description="t:N",
        )
    )
    return (
        alt.layer(bars, zero_rule("x", shared=True), data=values(rows))
        .properties(width=frame.panel(90, 18, columns), height=19 * len(shown))
        .facet(facet=alt.Facet("name:N", title=None, sort=names), columns=columns)
        .resolve_scale(x="shared")
    )


def decomposition(view: View, frame: Frame, reference: str) -> AnyChart | None:
    """Direct and adaptive part of every directed effect, a panel an entrant; the dot is their sum."""
    lines = view.table("decomposition_summary.csv").where(reference=reference)
    if not lines:
        return None
    names = sorted({line.text("entrant") for line in lines}, key=view.order)
    rivals = sorted({line.text("rival") for line in lines}, key=view.order)
    parts = {"direct_cents": "direct", "adaptive_cents": "adaptive"}
    rows = [
        {
            "name": line.text("entrant"),
            "rival": line.text("rival"),
            "part": part,
            "x": amount(view, line.number(column)),
            "total": amount(view, line.number("total_cents")),
            "t": f"{line.text('entrant')} → {line.text('rival')}, {part}:"
            f" {view.money.signed(_value(line, column))} of {view.money.signed(_value(line, 'total_cents'))}"
            + (f"; {line.whole('flagged')} pairs flagged" if line.whole("flagged") else ""),
        }
        for line in lines
        for column, part in parts.items()
    ]
    scale = alt.Scale(domain=list(parts.values()), range=[palette.color("c1"), palette.color("c7")])
    base = alt.Chart().encode(y=alt.Y("rival:N", sort=rivals, title=None, axis=_names()))
    bars = base.mark_bar(height=11).encode(
        x=alt.X("x:Q", title=view.money.unit, axis=alt.Axis(tickCount=4)),
        color=alt.Color("part:N", scale=scale, sort=list(parts.values()), title=None),
        description="t:N",
    )
    columns = 1 if frame.narrow else 3
    return (
        alt.layer(
            bars, zero_rule("x", shared=True), _effect_mark(base, "total", ["rival"]), data=values(rows)
        )
        .properties(width=frame.panel(110, columns=columns), height=19 * len(rivals))
        .facet(facet=alt.Facet("name:N", title=None, sort=names), columns=columns)
        .resolve_scale(x="shared")
    )


def reliability(view: View, frame: Frame) -> AnyChart | None:
    """How the windows of each contestant ended, over all its worlds."""
    lines = view.table("reliability.csv").where(reference="all")
    states = {"seal_rate": "sealed", "refusal_rate": "refused", "exhaustion_rate": "budget exhausted"}
    rows = [
        {
            "name": line.text("contestant"),
            "state": state,
            "x": line.number(column),
            "place": place,
            "t": f"{line.text('contestant')}: {state} {_value(line, column):.1%} of {line.whole('windows')} windows",
        }
        for line in lines
        for place, (column, state) in enumerate(states.items())
        if line.number(column) is not None
    ]
    if not rows:
        return None
    names = sorted({str(row["name"]) for row in rows}, key=view.order)
    scale = alt.Scale(
        domain=list(states.values()), range=[palette.color("c1"), palette.color("c2"), palette.color("c7")]
    )
    return (
        alt.Chart(values(rows))
        .mark_bar(height=15)
        .encode(
            x=alt.X(
                "x:Q",
                title="share of windows",
                axis=alt.Axis(format="%", tickCount=5),
                scale=alt.Scale(domain=[0, 1]),
            ),
            y=alt.Y("name:N", sort=names, title=None, axis=_names()),
            color=alt.Color("state:N", scale=scale, sort=list(states.values()), title=None),
            order="place:Q",
            description="t:N",
        )
        .properties(width=frame.width - 150, height=25 * len(names))
    )


def _effect_mark(base: alt.Chart, field: str, groups: Sequence[str]) -> alt.Chart:
    """Return the effect itself as a diamond on its bars."""
    return (
        base.transform_aggregate(effect=f"min({field})", groupby=list(groups))
        .mark_point(shape="diamond", filled=True, size=62, opacity=1, color=palette.color("ink"))
        .encode(x=alt.X("effect:Q"))
    )


def _names() -> alt.Axis:
    return alt.Axis(labelLimit=110, labelColor=palette.color("ink"))


def _value(line: Line, column: str) -> float:
    value = line.number(column)
    assert value is not None, f"{column} is never empty"
    return value
