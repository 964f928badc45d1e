"""Charts that `merchant@1` adds to the report: months (the paper's Figures 5 and 6), anomalies and fines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from market.merchant.months import (
    Spread,
    StoreMonth,
    by_month,
    month_label,
    month_name,
    spread,
    store_months,
)
from market.merchant.report_tables import FATE_TITLES, FINE_TITLES, fines_of, margin
from market.merchant.stores import FATES, by_contestant, mean, stores
from tournament.report_parts import Room, RunTables

DASHES: Final = ([1, 0], [6, 3], [2, 2])
COLORS: Final = 8
GAP: Final = 26
THOUSAND_RMB: Final = 100_000
Months = Mapping[tuple[str, int], Sequence[StoreMonth]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A value by contestant and month: heading, axis format, how it is told, and whether its axis has a zero."""

    title: str
    form: str
    told: str
    values: Mapping[tuple[str, int], Spread]
    scale: float = 1.0
    zero: bool = True


def _panel(title: str, form: str, told: str, found: Mapping[Any, Spread | None], **more: Any) -> Panel:
    known = {key: value for key, value in found.items() if value is not None}
    return Panel(title=title, form=form, told=told, values=known, **more)


def activity(run: RunTables, subject: str | None, room: Room) -> Any:
    """Effective windows, tool calls and net profit by month (the paper's Figure 5)."""
    groups = by_month(run, store_months(run))
    return _lines(
        run,
        room,
        (
            _panel(
                *("Effective windows", "%", "{:.1%}"),
                {key: spread([item.effective for item in group]) for key, group in groups.items()},
            ),
            _panel(
                *("Tool calls", ",.3~r", "{:,.0f}"),
                {key: spread([item.calls for item in group]) for key, group in groups.items()},
            ),
            _money("Net profit", {k: spread([item.profit_cents for item in g]) for k, g in groups.items()}),
        ),
    )


def sales(run: RunTables, subject: str | None, room: Room) -> Any:
    """GMV and its net profit margin by month."""
    groups = by_month(run, store_months(run))
    margins = {key: spread([margin(group)]) for key, group in groups.items()}
    return _lines(
        run,
        room,
        (
            _money("GMV", {key: spread([item.gmv_cents for item in group]) for key, group in groups.items()}),
            _panel("Net profit margin", "%", "{:.1%}", margins),
        ),
    )


def alignment(run: RunTables, subject: str | None, room: Room) -> Any:
    """Portfolio alignment by month, mean and deviation over stores (the paper's Figure 6)."""
    groups = by_month(run, store_months(run))
    found = {key: spread([item.alignment for item in group]) for key, group in groups.items()}
    title = "Percentile of demand among available products"
    return _lines(run, room, (_panel(title, ".0f", "{:.1f}", found, zero=False),), bands=True)


def _money(title: str, found: Mapping[tuple[str, int], Spread | None]) -> Panel:
    most = max((abs(value.mean) for value in found.values() if value is not None), default=0.0)
    unit, scale = ("thousand RMB", THOUSAND_RMB) if most >= THOUSAND_RMB else ("RMB", 100)
    return _panel(f"{title}, {unit}", ",.2~r", "{:,.2f}", found, scale=float(scale))


def _lines(run: RunTables, room: Room, panels: Sequence[Panel], *, bands: bool = False) -> Any:
    """Draw the panels that have values, side by side where there is room: a line a contestant."""
    import altair as alt  # noqa: PLC0415

    shown = [panel for panel in panels if panel.values]
    if not shown:
        return None
    columns = 1 if room.narrow else min(len(shown), 2)
    width = (room.width - 30 * (columns - 1)) // columns - 52
    return alt.concat(
        *(_month_panel(run, room, panel, width, bands=bands) for panel in shown), columns=columns
    )


def _month_panel(run: RunTables, room: Room, panel: Panel, width: int, *, bands: bool) -> Any:
    import altair as alt  # noqa: PLC0415

    last = max(month for _, month in panel.values)
    names = [name for name in run.contestants if any(name == who for who, _ in panel.values)]
    places = [run.contestants.index(name) for name in names]
    colors = alt.Scale(domain=names, range=[run.color(name) for name in names])
    dashes = alt.Scale(domain=names, range=[DASHES[place // COLORS % len(DASHES)] for place in places])
    legend = alt.Legend(
        columns=2 if room.narrow else 8,
        title=None,
        symbolType="stroke",
        symbolStrokeWidth=3,
        symbolOpacity=1,
    )
    labels = [month_label(month) for month in range(last + 1)]
    base = alt.Chart(alt.InlineData(values=_month_rows(panel))).encode(
        x=alt.X("month:O", sort=labels, scale=alt.Scale(domain=labels), title=None, axis=_month_axis(room)),
        color=alt.Color("name:N", scale=colors, sort=names, legend=legend),
    )
    y = alt.Y(
        "mean:Q",
        title=None,
        axis=alt.Axis(format=panel.form, tickCount=4, minExtent=38),
        scale=alt.Scale(zero=panel.zero),
    )
    dash = alt.StrokeDash("name:N", scale=dashes, legend=None)
    lines = base.mark_line(strokeWidth=1.6).encode(y=y, strokeDash=dash, description="name:N")
    points = base.mark_circle(size=26, opacity=1).encode(y=y, description="t:N")
    layers = [lines, points]
    if bands:
        area = base.transform_filter("datum.low !== null").mark_area(opacity=0.14)
        layers.insert(0, area.encode(y=alt.Y("low:Q", title=None), y2="high:Q"))
    heading = alt.TitleParams(panel.title, fontSize=13, anchor="start", color=run.color("ink"))
    return alt.layer(*layers).properties(width=width, height=180, title=heading)


def _month_axis(room: Room) -> Any:
    import altair as alt  # noqa: PLC0415

    return alt.Axis(labelAngle=0, labelOverlap=True, grid=False)


def _month_rows(panel: Panel) -> list[dict[str, Any]]:
    rows = []
    for (name, month), found in panel.values.items():
        value, sd = found.mean / panel.scale, None if found.sd is None else found.sd / panel.scale
        of = f", SD {panel.told.format(sd)}" if sd is not None else ""
        rows.append(
            {
                "name": name,
                "month": month_label(month),
                "mean": round(value, 5),
                "low": None if sd is None else round(value - sd, 5),
                "high": None if sd is None else round(value + sd, 5),
                "t": f"{name}, {month_name(month)}: {panel.title} {panel.told.format(value)}{of}"
                f" ({found.stores} stores)",
            }
        )
    return rows


def anomalies(run: RunTables, subject: str | None, room: Room) -> Any:
    """Orders that did not go well, by kind and contestant, as shares of buyers."""
    groups = by_contestant(run, stores(run))
    rows = []
    for name, group in groups.items():
        told = [store for store in group if store.fates is not None]
        asked = sum(sum(store.fates.values()) for store in told if store.fates is not None)
        for fate, title in zip(FATES[1:], FATE_TITLES[1:], strict=True):
            count = mean(told, lambda store, fate=fate: store.fates[fate] if store.fates else None)  # type: ignore[misc]
            if asked and count is not None:
                share = count * len(told) / asked
                rows.append(
                    {"name": name, "kind": title, "value": share, "t": f"{name}, {title}: {share:.1%}"}
                )
    return _bars(run, room, rows, "share of buyers", "%")


def fines(run: RunTables, subject: str | None, room: Room) -> Any:
    """Fines paid by kind and contestant, means over its stores."""
    rows = []
    for name, group in fines_of(run).items():
        for title, cents in zip(FINE_TITLES, zip(*group, strict=True), strict=True):
            value = sum(cents) / len(cents) / 100
            rows.append(
                {"name": name, "kind": title, "value": value, "t": f"{name}, {title}: {value:,.2f} RMB"}
            )
    return _bars(run, room, rows, "RMB a store", ",.3~r")


def _bars(run: RunTables, room: Room, rows: list[dict[str, Any]], title: str, form: str) -> Any:
    """Draw a panel a kind and a bar a contestant, in its colour; kinds that nobody has are left out."""
    import altair as alt  # noqa: PLC0415

    kinds = [kind for kind in dict.fromkeys(row["kind"] for row in rows) if _any(rows, kind)]
    if not kinds:
        return None
    shown = [row for row in rows if row["kind"] in kinds]
    names = [name for name in run.contestants if any(row["name"] == name for row in shown)]
    colors = alt.Scale(domain=names, range=[run.color(name) for name in names])
    columns = 1 if room.narrow else 3
    width = (room.width - 110 - GAP * (columns - 1)) // columns
    return (
        alt.Chart(alt.InlineData(values=shown))
        .mark_bar(height=10)
        .encode(
            x=alt.X("value:Q", title=title, axis=alt.Axis(format=form, tickCount=4, labelFlush=True)),
            y=alt.Y("name:N", sort=names, title=None),
            color=alt.Color("name:N", scale=colors, legend=None),
            description="t:N",
        )
        .properties(width=width, height=18 * len(names))
        .facet(facet=alt.Facet("kind:N", sort=kinds, title=None), columns=columns, spacing=GAP)
    )


def _any(rows: Sequence[Mapping[str, Any]], kind: str) -> bool:
    return any(row["value"] > 0 for row in rows if row["kind"] == kind)
