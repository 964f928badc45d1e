"""Charts that `commerce@1` adds to the report: net worth, a dollar of sales, products, compliance, ads, inquiries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from market.commerce.companies import by_category, contribution, ratio, totals
from market.commerce.parameters import CAPITAL_CENTS, CATEGORIES, PERSONAS
from market.commerce.report_tables import spreads
from tournament.report_parts import Room, RunTables

GAP: Final = 26
COLORS: Final = 8
SHAPES: Final = ("circle", "square", "triangle-up")
THOUSAND_DOLLARS: Final = 100_000
Rows = list[dict[str, Any]]


def net_worth(run: RunTables, subject: str | None, room: Room) -> Any:
    """Net worth by contestant: mean with its 95 % interval, and every world."""
    import altair as alt  # noqa: PLC0415

    means: Rows = []
    worlds: Rows = []
    for name, spread in spreads(run).items():
        low, high = spread.interval or (spread.mean, spread.mean)
        told = f"{name}: {run.money(spread.mean)}"
        of = f", 95 % {run.money(low)} to {run.money(high)}" if spread.interval else ""
        means.append(
            {"name": name, "low": low / THOUSAND_DOLLARS, "mean": spread.mean / THOUSAND_DOLLARS,
             "high": high / THOUSAND_DOLLARS, "t": f"{told}{of} ({len(spread.units)} draws)"}
        )  # fmt: skip
        worlds.extend(
            {"name": name, "worth": worth / THOUSAND_DOLLARS, "t": f"{name}: {run.money(worth)}"}
            for worth in spread.worlds
        )
    if not means:
        return None
    names = [row["name"] for row in means]
    y = alt.Y("name:N", sort=names, title=None)
    color = alt.Color("name:N", scale=_colors(run, names), legend=None)
    x = alt.X("worth:Q", title="net worth, thousand dollars", axis=alt.Axis(format=",.3~r", tickCount=5))
    dots = alt.Chart(alt.InlineData(values=worlds)).mark_circle(size=22, opacity=0.35)
    base = alt.Chart(alt.InlineData(values=means)).encode(y=y, color=color, description="t:N")
    capital = alt.Chart(
        alt.InlineData(values=[{"worth": CAPITAL_CENTS / THOUSAND_DOLLARS, "t": "the capital"}])
    )
    return alt.layer(
        capital.mark_rule(strokeDash=[4, 4], color=run.color("muted")).encode(x="worth:Q", description="t:N"),
        dots.encode(x=x, y=y, color=color, description="t:N"),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_tick(thickness=3, size=14).encode(x=alt.X("mean:Q")),
    ).properties(width=room.width - 140, height=24 * len(names))


def dollar(run: RunTables, subject: str | None, room: Room) -> Any:
    """What a dollar of sales went to: goods, freight, duty, advertising and fines, by contestant."""
    rows: Rows = []
    ads_of, permits_of = totals(run, "ads"), totals(run, "permits")
    for name, total in totals(run, "sold").items():
        _, revenue, freight, duty, goods = total.values.sum(axis=(0, 1)).tolist()
        ads = ads_of[name].values[0] if name in ads_of else 0
        fines = permits_of[name].values[:, 3].sum() if name in permits_of else 0
        parts = (("Goods", goods), ("Freight", freight), ("Duty", duty), ("Ads", ads), ("Fines", fines))
        for kind, cents in parts:
            share = ratio(cents, revenue)
            if share is not None:
                rows.append({"name": name, "kind": kind, "value": share, "t": f"{name}, {kind}: {share:.1%}"})
    return _bars(run, room, rows, "share of sales", "%")


def products(run: RunTables, subject: str | None, room: Room) -> Any:
    """Sell-through and margin by category: a panel each, a mark a contestant."""
    import altair as alt  # noqa: PLC0415

    rows: Rows = []
    sold_by = totals(run, "sold")
    for name, total in totals(run, "bought").items():
        if name not in sold_by:
            continue
        pairs = (by_category(total.values), by_category(sold_by[name].values.sum(axis=1)))
        for item, bought, sold in zip(CATEGORIES, *pairs, strict=True):
            found = (
                ("Sell-through", ratio(sold[0], bought[0])),
                ("Margin", ratio(float(contribution(sold)), sold[1])),
            )
            rows.extend(
                {"name": name, "kind": kind, "category": item.code, "value": value,
                 "t": f"{name}, {item.name}: {kind.lower()} {value:.0%}"}
                for kind, value in found
                if value is not None
            )  # fmt: skip
    if not rows:
        return None
    names = [name for name in run.contestants if any(row["name"] == name for row in rows)]
    codes = [item.code for item in CATEGORIES if any(row["category"] == item.code for row in rows)]
    columns = 1 if room.narrow else 2
    legend = alt.Legend(columns=2 if room.narrow else 8, title=None, symbolOpacity=1)
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=44, opacity=0.8)
        .encode(
            x=alt.X("category:N", sort=codes, title=None, axis=alt.Axis(labelAngle=0, grid=True)),
            y=alt.Y("value:Q", title=None, axis=alt.Axis(format="%", tickCount=5, minExtent=38)),
            color=alt.Color("name:N", scale=_colors(run, names), sort=names, legend=legend),
            shape=alt.Shape("name:N", scale=_shapes(run, names), sort=names, legend=legend),
            description="t:N",
        )
        .properties(width=(room.width - 60 - GAP * (columns - 1)) // columns - 30, height=190)
        .facet(facet=alt.Facet("kind:N", sort=["Sell-through", "Margin"], title=None), columns=columns)
        .resolve_scale(y="independent")
    )


def compliance(run: RunTables, subject: str | None, room: Room) -> Any:
    """Fees of permits and fines by contestant, a company's mean."""
    rows: Rows = []
    for name, total in totals(run, "permits").items():
        _, fees, _, fines = total.each.sum(axis=0).tolist()
        for kind, cents in (("Permits", fees), ("Fines", fines)):
            dollars = cents / 100
            rows.append(
                {"name": name, "kind": kind, "value": dollars, "t": f"{name}, {kind}: ${dollars:,.0f}"}
            )
    return _bars(run, room, rows, "dollars a company", ",.3~s")


def advertising(run: RunTables, subject: str | None, room: Room) -> Any:
    """Money spent on ads, and what a dollar of it returned, by contestant."""
    rows: Rows = []
    for name, total in totals(run, "ads").items():
        spent, _, returned, _ = total.each.tolist()
        each = ratio(returned, spent)
        if each is not None:
            dollars = spent / 100
            rows += [
                {"name": name, "kind": "Spent, dollars a company", "value": dollars,
                 "t": f"{name}: ${dollars:,.0f} spent"},
                {"name": name, "kind": "Attributed return a dollar", "value": each,
                 "t": f"{name}: ${each:,.2f} returned for a dollar"},
            ]  # fmt: skip
    return _bars(run, room, rows, None, ",.3~s")


def inquiries(run: RunTables, subject: str | None, room: Room) -> Any:
    """Won over answered inquiries by persona and contestant."""
    rows: Rows = []
    for name, total in totals(run, "replies").items():
        for persona, (replies, won, *_) in zip(PERSONAS, total.values.tolist(), strict=True):
            share = ratio(won, replies)
            if share is not None:
                told = f"{name}, {persona}: {won:.0f} of {replies:.0f}"
                rows.append({"name": name, "kind": persona.capitalize(), "value": share, "t": told})
    return _bars(run, room, rows, "won of answered", "%")


def events(run: RunTables, subject: str | None, room: Room) -> Any:
    """Purchases of categories in true news and in rumours, by contestant, as shares of all purchases."""
    rows: Rows = []
    for name, total in totals(run, "events").items():
        genuine, rumours, bought, *_ = total.values.tolist()
        for kind, cents in (("On true news", genuine), ("On rumours", rumours)):
            share = ratio(cents, bought)
            if share is not None:
                rows.append({"name": name, "kind": kind, "value": share, "t": f"{name}, {kind}: {share:.1%}"})
    return _bars(run, room, rows, "share of purchases", "%")


def _colors(run: RunTables, names: Sequence[str]) -> Any:
    import altair as alt  # noqa: PLC0415

    return alt.Scale(domain=list(names), range=[run.color(name) for name in names])


def _shapes(run: RunTables, names: Sequence[str]) -> Any:
    """Tell contestants that share a colour apart."""
    import altair as alt  # noqa: PLC0415

    places = [run.contestants.index(name) // COLORS for name in names]
    return alt.Scale(domain=list(names), range=[SHAPES[place % len(SHAPES)] for place in places])


def _bars(run: RunTables, room: Room, rows: Rows, title: str | None, form: str) -> Any:
    """Draw a panel a kind and a bar a contestant, in its colour; kinds that nobody has are left out."""
    import altair as alt  # noqa: PLC0415

    kinds = [kind for kind in dict.fromkeys(row["kind"] for row in rows) if _any(rows, kind)]
    if not kinds:
        return None
    shown = [row for row in rows if row["kind"] in kinds]
    names = [name for name in run.contestants if any(row["name"] == name for row in shown)]
    columns = 1 if room.narrow else 2 if len(kinds) == 4 else min(len(kinds), 3)
    width = (room.width - 110 - GAP * (columns - 1)) // columns
    axis = alt.Axis(format=form, tickCount=4, labelFlush=True)
    return (
        alt.Chart(alt.InlineData(values=shown))
        .mark_bar(height=10)
        .encode(
            x=alt.X("value:Q", title=title, axis=axis),
            y=alt.Y("name:N", sort=names, title=None),
            color=alt.Color("name:N", scale=_colors(run, names), legend=None),
            description="t:N",
        )
        .properties(width=width, height=18 * len(names))
        .facet(facet=alt.Facet("kind:N", sort=kinds, title=None), columns=columns, spacing=GAP)
        .resolve_scale(x="shared" if title else "independent")
    )


def _any(rows: Rows, kind: str) -> bool:
    return any(row["value"] > 0 for row in rows if row["kind"] == kind)
