"""A page a world: its outcomes and paths, then what every seat decided, window by window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from lineups.values import WorldSpec
from reports import numbers
from reports.charts.drawing import inline
from reports.charts.world import Panel, panels
from reports.claims import Claims, Sentence, figure
from reports.pages.html import write_page
from reports.paths import tenders
from reports.sources import Line
from reports.tables.model import Column, Datum, Grid, datum, grid
from reports.tables.performance import OUTCOME_COLUMNS, to_contestant
from reports.view import View, slug, world_page
from reports.windows import windows
from tournament.records import Json
from tournament.rundir.status import WorldStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    title: str
    drawing: Markup


def write_world(view: View, spec: WorldSpec, status: WorldStatus, folder: Path) -> list[Mapping[str, Json]]:
    """Write the page and return its claims."""
    claims = Claims(page=world_page(spec.world))
    write_page(
        folder / claims.page,
        "world.html.j2",
        title=f"{spec.world}, {view.manifest.study}",
        root="../",
        view=view,
        spec=spec,
        names=sorted(dict.fromkeys(spec.seats), key=view.order),
        lead=list(_lead(view, spec, claims)),
        notices=_notices(status),
        outcomes=_outcomes(view, spec),
        panels=[drawn_panel(spec.world, panel) for panel in panels(view, spec.world)],
        tenders=_tenders(view, spec),
        health=_health(view, spec),
        windows=() if status.state == "invalid" else windows(view, spec.world),
    )
    return claims.records


def drawn_panel(of: str, panel: Panel) -> Drawn:
    """Return a panel as its page holds it; `of` says whose it is."""
    title = f"{panel.title}, {of}"
    return Drawn(
        title=panel.title, drawing=inline(panel.svg, f"p-{slug(panel.name)}", title, panel.description)
    )


def _notices(status: WorldStatus) -> list[str]:
    if status.state == "done":
        return []
    reasons = {
        "running": "This world is being played.",
        "stopped": "This world is unfinished; running the study again completes it.",
        "suspended": "This world is suspended and counts in no average until it is resumed.",
        "invalid": "This world is invalid and counts in no average.",
        "not_started": "This world has not been started.",
    }
    return [reasons[status.state], *([status.reason] if status.reason else [])]


def _lead(view: View, spec: WorldSpec, claims: Claims) -> Iterator[Sentence]:
    if spec.reference:
        yield claims.say(
            "{reference} in the seat of {replaced}, the others as in the reference lineup.",
            reference=spec.reference,
            replaced=" and ".join(spec.replaced),
        )
    else:
        yield claims.say("The reference lineup.")
    lines = view.outcomes.where(world=spec.world)
    if not lines:
        return
    best = max(lines, key=_score)
    yield claims.say(
        "{who} ends with the highest Score, {score}, at seed {seed}, repeat {repeat}.",
        who=best.text("contestant"),
        score=figure(best.cell("score_cents"), numbers.money),
        seed=figure(best.cell("seed"), numbers.count),
        repeat=figure(best.cell("repeat"), numbers.count),
    )


def _score(line: Line) -> int:
    return line.whole("score_cents")


def _outcomes(view: View, spec: WorldSpec) -> Grid:
    columns = tuple(column for column in OUTCOME_COLUMNS if column.source != "world")
    return grid(
        view.units,
        "world-outcomes",
        "Outcomes by seat",
        columns,
        view.outcomes.where(world=spec.world),
        missing="" if view.outcomes.where(world=spec.world) else "the world has not ended",
        link=to_contestant,
    )


_TENDER_COLUMNS = (
    Column(source="tender", label="Tender", kind="count"),
    Column(source="product", label="Product"),
    Column(source="quantity", label="Units", kind="count"),
    Column(source="closes_day", label="Closes on day", kind="count"),
    Column(source="due_day", label="Due on day", kind="count"),
    Column(source="reservation_cents", label="Reservation", kind="money", unit="thousand USD"),
    Column(source="winner", label="Won by"),
    Column(source="price_cents", label="Unit price", kind="money", unit="thousand USD"),
)


def _tenders(view: View, spec: WorldSpec) -> Grid:
    file = f"worlds/{spec.world}/tenders.parquet"
    rows = []
    for item in tenders(view, spec.world):
        winner = "" if item["winner_seat"] is None else spec.seats[item["winner_seat"] - 1]
        line = Line(file=file, key={"tender": str(item["tender"])}, values={**item, "winner": winner})
        rows.append(tuple(_tender_datum(line, column) for column in _TENDER_COLUMNS))
    return Grid(
        name="world-tenders",
        title="Tenders",
        columns=tuple(_in_dollars(column) for column in _TENDER_COLUMNS),
        rows=tuple(rows),
        files=(file,),
        notes=("A dash: no bid qualified.",),
        missing="" if rows else "this market keeps no table of tenders",
    )


def _tender_datum(line: Line, column: Column) -> Datum:
    found = datum(line, column)
    if column.kind != "money" or not isinstance(found.sort, int):
        return found
    return Datum(text=numbers.dollars(found.sort), sort=found.sort, plain=(found.sort / 100,))


def _in_dollars(column: Column) -> Column:
    if column.kind != "money":
        return column
    return Column(source=column.source, label=column.label, kind="usd", unit="USD")


def _health(view: View, spec: WorldSpec) -> Grid:
    columns: Sequence[Column] = (
        Column(source="measure", label="Measure", emphasis=True),
        Column(source="segment", label="Segment"),
        Column(source="value", label="Value", kind="decimal"),
        Column(source="note", label="Note"),
    )
    return grid(
        view.units, "world-health", "Market health", columns, view.table("health.csv").where(world=spec.world)
    )
