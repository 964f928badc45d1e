"""Small charts of one world: cash and the declared paths of every firm, with the declared events below.

A report draws hundreds of them, so each form is compiled once a process and filled with each world's rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

import altair as alt

from reports import palette
from reports.charts.drawing import compiled, redraw, values
from reports.charts.marks import amount
from reports.charts.paths import FORMS, drawn_series, ending
from reports.labels import averaged
from reports.paths import cash_paths, happenings, window_paths
from reports.sources import PATHS
from reports.view import View
from tournament.published import Series

POINTS: Final = 72
WIDTH, HEIGHT = 292, 150
NOBODY: Final = ""
LARGE: Final = 10.0
_CASH: Final = Series(name="cash", title="Cash", sentence="closing cash", kind="money")


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One drawn panel: its place in the page's order, heading, SVG in stand-in colours, description."""

    name: str
    title: str
    svg: str
    description: str


def panels(view: View, world: str) -> Iterator[Panel]:
    """Yield a world's panels; what its market does not declare, or its files lack, is left out."""
    marks = _marks(view, world)
    cash = [
        {
            **_point(view, path.contestant, path.seat, step, amount(view, cents)),
            "exit": step == path.exit,
            "t": f"{path.contestant}, seat {path.seat}: {ending(view, path)}",
        }
        for path in cash_paths(view, world, POINTS)
        for step, cents in zip(path.steps, path.cents, strict=True)
    ]
    if cash:
        yield _panel(view, "cash", f"Cash, {view.money.unit}", _CASH, [*cash, *marks])
    lines = list(window_paths(view, world, POINTS))
    for series in view.published.series:
        drawn = drawn_series(view, series, (line.get(series.name) for line in lines))
        if drawn is not None:
            rows = [
                _point(view, line["contestant"], line["seat"], line["last_day"], value)
                for line in lines
                if (value := drawn.value(line[series.name])) is not None
            ]
            yield _panel(view, series.name, drawn.title, series, [*rows, *marks])


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
            **_point(view, name, firm, step, amount(view, cents)),
            "exit": step == path.exit,
            "t": f"{path.world}, seat {path.seat}",
        }
        for firm, path in enumerate(paths)
        for step, cents in zip(path.steps, path.cents, strict=True)
    ]
    if cash:
        yield _panel(view, "cash", f"Cash in all its worlds, {view.money.unit}", _CASH, cash)
    lines = view.table(PATHS).where(reference=view.first_reference, contestant=name)
    for series in averaged(view.published):
        drawn = drawn_series(view, series, (line.number(series.name) for line in lines))
        if drawn is not None:
            rows = [
                _point(view, name, 0, line.whole("last_day"), value)
                for line in lines
                if (value := drawn.value(line.number(series.name))) is not None
            ]
            yield _panel(view, series.name, drawn.title, series, rows)


def _point(view: View, name: str, seat: int, step: int, value: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "seat": seat,
        "at": view.units.at(step),
        "y": value,
        "exit": False,
        "event": False,
        "t": f"{name}, seat {seat}" if seat else name,
    }


def _marks(view: View, world: str) -> list[dict[str, Any]]:
    """Return the declared events as marks along a panel's foot, as many as can be told apart."""
    (seats,) = (spec.seats for spec in view.plan if spec.world == world)
    last = view.manifest.scenario.days
    found: dict[tuple[int, int | None], dict[str, Any]] = {}
    for item in happenings(view, world):
        name = NOBODY if item.seat is None else seats[item.seat - 1]
        whose = "" if item.seat is None else f", {name}"
        found.setdefault(
            (item.step * WIDTH // max(1, last), item.seat),
            {
                **_point(view, name, item.seat or 0, item.step, None),
                "event": True,
                "t": f"{item.title}, {view.units.time.moment(item.step)}{whose}",
            },
        )
    return list(found.values())


def _panel(view: View, name: str, title: str, series: Series, rows: list[dict[str, Any]]) -> Panel:
    firms = dict.fromkeys(row["name"] for row in rows if not row["event"])
    digits = series.kind == "money" and series.scale == "linear"
    form = _money_form(rows) if digits else FORMS[series.kind]
    compiled_form = _form(view.contestants, form, series.from_zero, series.scale, view.units.axis)
    return Panel(
        name=name,
        title=title,
        svg=redraw(compiled_form, rows),
        description=f"Lines by {view.units.axis}, one a firm: {', '.join(firms)}.",
    )


def _money_form(rows: list[dict[str, Any]]) -> str:
    """Return whole units where amounts are large, else as many digits as tell them apart."""
    return ",.0f" if max(abs(row["y"]) for row in rows if row["y"] is not None) >= LARGE else ",.3~r"


@lru_cache(maxsize=64)
def _form(
    names: tuple[str, ...], form: str, zero: bool, kind: Literal["linear", "sqrt"], axis: str
) -> dict[str, Any]:
    """Return the compiled chart; it has one row of its own, so that every column is known."""
    row = {"name": names[0], "seat": 1, "at": 1, "y": 0.0, "exit": False, "event": False, "t": ""}
    domain = [*names, NOBODY]
    colors = [*(palette.series_color(place) for place in range(len(names))), palette.color("other")]
    dashes = [*(list(palette.series_dash(place)) or [1, 0] for place in range(len(names))), [1, 0]]
    base = alt.Chart(values([row])).encode(
        x=alt.X("at:Q", title=axis, axis=alt.Axis(tickCount=5)),
        color=alt.Color("name:N", scale=alt.Scale(domain=domain, range=colors), legend=None),
        description="t:N",
    )
    paths = base.encode(
        y=alt.Y(
            "y:Q",
            title=None,
            axis=alt.Axis(format=form, tickCount=4),
            scale=alt.Scale(zero=zero, type=kind),
        ),
        detail="seat:N",
    )
    lines = (
        paths.transform_filter("!datum.event")
        .mark_line(strokeWidth=1.5)
        .encode(
            strokeDash=alt.StrokeDash("name:N", scale=alt.Scale(domain=domain, range=dashes), legend=None)
        )
    )
    exits = paths.transform_filter("datum.exit").mark_point(
        shape="cross", angle=45, filled=True, size=95, opacity=1
    )
    events = base.transform_filter("datum.event").mark_tick(
        orient="vertical", thickness=1.5, size=7, y=HEIGHT - 4, opacity=1
    )
    return compiled(alt.layer(lines, exits, events).properties(width=WIDTH, height=HEIGHT))
