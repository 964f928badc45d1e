"""What `ceo_arena@1` adds to the report: its tenders, as a picture of the markets and a table of each world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tournament.report_parts import PartColumn, PartTable, ReportPart, Room, RunTables, SeatedWorld

TABLE: Final = "tenders"


def _rows(run: RunTables, world: str) -> list[Mapping[str, Any]]:
    """Return a world's tenders in order, none where there is no such table."""
    table = run.table(world, TABLE)
    if table is None:
        return []
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


def tender_table(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Every tender of a world: what was asked for, until when, who won it at which price."""
    spec = next((spec for spec in run.worlds() if spec.world == subject), None)
    if spec is None:
        return None
    rows = [
        (
            item["tender"],
            item["product"],
            item["quantity"],
            item["closes_day"],
            item["due_day"],
            item["reservation_cents"],
            "" if item["winner_seat"] is None else spec.seats[item["winner_seat"] - 1],
            item["price_cents"],
        )
        for item in _rows(run, spec.world)
    ]
    return PartTable(
        columns=(
            PartColumn(title="Tender", kind="count"),
            PartColumn(title="Product"),
            PartColumn(title="Units", kind="count"),
            PartColumn(title="Closes on", kind="moment"),
            PartColumn(title="Due on", kind="moment"),
            PartColumn(title="Reservation", kind="unit_price"),
            PartColumn(title="Won by"),
            PartColumn(title="Unit price", kind="unit_price"),
        ),
        rows=rows,
        notes=("A dash: no bid qualified.",),
        files=(f"worlds/{spec.world}/{TABLE}.parquet",),
    )


def tender_results(run: RunTables, subject: str | None, room: Room) -> Any:
    """Tenders in the markets of the reference lineup: reservation prices, and who won at which price."""
    import altair as alt  # noqa: PLC0415

    specs = run.reference_worlds()[: 1 if room.narrow else 3]
    rows = [row for spec in specs for row in _tender_rows(run, spec)]
    if not rows:
        return None
    names = [name for name in run.contestants if any(row["winner"] == name for row in rows)]
    scale = alt.Scale(domain=names, range=[run.color(name) for name in names])
    base = alt.Chart().encode(x=alt.X("at:Q", title="closing day", axis=alt.Axis(tickCount=4)))
    price = alt.Y("price:Q", title="unit price, USD", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=3))
    ticks = base.mark_tick(orient="horizontal", size=9, thickness=2, color=run.color("other")).encode(
        y=alt.Y("reservation:Q"), description="t:N"
    )
    wins = (
        base.transform_filter("datum.winner")
        .mark_circle(size=55, opacity=1)
        .encode(
            y=price,
            color=alt.Color("winner:N", scale=scale, sort=names, title="won by"),
            description="t:N",
        )
    )
    worlds = [spec.world for spec in specs]
    width = (room.width - 110 - 20 * (len(worlds) - 1)) // len(worlds) - 28
    return (
        alt.layer(ticks, wins, data=alt.InlineData(values=rows))
        .properties(width=width, height=92)
        .facet(
            row=alt.Row("product:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left")),
            column=alt.Column("world:N", title=None, sort=worlds, header=alt.Header(labelFontSize=12)),
        )
        .resolve_scale(y="independent")
    )


def _tender_rows(run: RunTables, spec: SeatedWorld) -> list[dict[str, Any]]:
    rows = []
    for item in _rows(run, spec.world):
        winner = None if item["winner_seat"] is None else spec.seats[item["winner_seat"] - 1]
        price = None if item["price_cents"] is None else item["price_cents"] / 100
        reservation = item["reservation_cents"] / 100
        told = f"won by {winner} at ${price:,.2f}" if winner else "no bid qualified"
        rows.append(
            {
                "world": spec.world,
                "product": item["product"],
                "at": item["closes_day"],
                "reservation": reservation,
                "price": price,
                "winner": winner,
                "t": f"tender {item['tender']}, {item['quantity']} units of {item['product']},"
                f" reservation ${reservation:,.2f}: {told}",
            }
        )
    return rows


PARTS: Final = (
    ReportPart(
        name="tenders",
        section="Tenders",
        title="Tenders in the markets of the reference lineup",
        caption="Grey ticks: reservation prices by closing day; dots: winning bids. A tick without a dot found no"
        " qualified bid.",
        needs="no finished world of the reference lineup keeps a table of tenders",
        place="index",
        shape="chart",
        build=tender_results,
    ),
    ReportPart(
        name="world-tenders",
        section="Tenders",
        title="Tenders",
        caption="",
        needs="the world keeps no table of tenders",
        place="world",
        shape="table",
        build=tender_table,
    ),
)
