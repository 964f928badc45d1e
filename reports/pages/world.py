"""A page a world: its outcomes and paths, then what every seat decided, window by window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from lineups.values import WorldSpec
from reports import numbers
from reports.charts.drawing import FRAMES, draw, inline
from reports.charts.world import Panel, panels
from reports.claims import Claims, Sentence, figure
from reports.pages.html import write_page
from reports.parts import built_chart, part_grid
from reports.tables.effects import group_column, measure_notes, titled
from reports.tables.model import Column, Grid, grid
from reports.tables.performance import outcome_columns, outcome_legend, to_contestant
from reports.view import View, slug, world_page
from reports.windows import windows
from tournament.records import Json
from tournament.report_parts import Place, ReportPart
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
        caption=_caption(view),
        panels=[drawn_panel(spec.world, panel) for panel in panels(view, spec.world)],
        own=list(own_sections(view, "world", spec.world)),
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
    best = max(lines, key=lambda line: line.whole(view.published.score))
    yield claims.say(
        "{who} ends with the highest Score, {score}, at seed {seed}, repeat {repeat}.",
        who=best.text("contestant"),
        score=figure(best.cell(view.published.score), view.money.text),
        seed=figure(best.cell("seed"), numbers.count),
        repeat=figure(best.cell("repeat"), numbers.count),
    )


def _outcomes(view: View, spec: WorldSpec) -> Grid:
    columns = tuple(column for column in outcome_columns(view) if column.source != "world")
    return grid(
        view.units,
        "world-outcomes",
        "Outcomes by seat",
        columns,
        view.outcomes.where(world=spec.world),
        notes=outcome_legend(view),
        missing="" if view.outcomes.where(world=spec.world) else "the world has not ended",
        link=to_contestant,
    )


def _health(view: View, spec: WorldSpec) -> Grid:
    table = view.table("health.csv").where(world=spec.world)
    columns: Sequence[Column] = (
        Column(source="measure", label="Measure", emphasis=True),
        *group_column(view, table),
        Column(source="value", label="Value", kind="decimal"),
        Column(source="note", label="Note"),
    )
    lines = [titled(view, line) for line in table]
    return grid(view.units, "world-health", "Market health", columns, lines, notes=measure_notes(view, table))


def _caption(view: View) -> str:
    """Return what the panels' marks mean."""
    published = view.published
    marks = [event.title for event in published.events]
    return " ".join(
        [
            *(["Cash is down-sampled."] if published.daily_cash else []),
            *(
                ["Other paths have a value a decision window, of firms in business."]
                if published.series
                else []
            ),
            *(["A cross marks the exit of a firm."] if published.role("exit") else []),
            *(
                [f"Ticks along the foot: {', '.join(marks)}, in the colour of the firm concerned."]
                if marks
                else []
            ),
        ]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSection:
    """What a market adds to a page under one heading."""

    id: str
    title: str
    figures: Sequence[OwnFigure]
    grids: Sequence[Grid]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFigure:
    title: str
    caption: str
    wide: Markup
    narrow: Markup


def own_sections(view: View, place: Place, subject: str) -> Iterator[OwnSection]:
    """Yield the market's own sections of a page, without parts that have nothing to show."""
    parts = [part for part in view.parts if part.place == place]
    for title in dict.fromkeys(part.section for part in parts):
        mine = [part for part in parts if part.section == title]
        figures = [_own_figure(view, part, subject) for part in mine if part.shape == "chart"]
        grids = [part_grid(part, view, subject) for part in mine if part.shape == "table"]
        section = OwnSection(
            id=f"own-{slug(title).replace('~', '-')}",
            title=title,
            figures=[figure for figure in figures if figure is not None],
            grids=[found for found in grids if found.rows],
        )
        if section.figures or section.grids:
            yield section


def _own_figure(view: View, part: ReportPart, subject: str) -> OwnFigure | None:
    drawn: dict[str, Markup] = {}
    for frame in FRAMES:
        chart = built_chart(part, view, frame, subject)
        if chart is None:
            return None
        drawn[frame.name] = inline(draw(chart), f"{slug(part.name)}-{frame.name}", part.title, part.caption)
    return OwnFigure(title=part.title, caption=part.caption, wide=drawn["wide"], narrow=drawn["narrow"])
