"""Where the run's worlds stand: the list that leads to their pages, and those that are in no average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reports import numbers
from reports.claims import Claims, Sentence, figure
from reports.tables.model import Column, Datum, Grid, cell
from reports.view import View, world_page
from tournament.rundir.status import WorldStatus

STATES: Final[Mapping[str, str]] = {
    "done": "finished",
    "running": "being played",
    "stopped": "unfinished",
    "suspended": "suspended",
    "invalid": "invalid",
    "not_started": "not started",
}
COLUMNS: Final = (
    Column(source="world", label="World", emphasis=True),
    Column(source="lineup", label="Lineup"),
    Column(source="rotation", label="Rotation", kind="count"),
    Column(source="seed", label="Seed", kind="count"),
    Column(source="repeat", label="Repeat", kind="count"),
    Column(source="state", label="State"),
    Column(source="windows", label="Windows", kind="count"),
    Column(source="first", label="Highest Score"),
    Column(source="score", label="its Score", kind="money"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """Worlds that no average counts, by name and with the reason."""

    sentence: Sentence
    worlds: tuple[WorldStatus, ...]


def status_grid(view: View) -> Grid:
    """Return one row a planned world."""
    specs = {spec.world: spec for spec in view.plan}
    rows = []
    for status in view.statuses:
        spec = specs[status.world]
        lines = view.outcomes.where(world=status.world)
        best = max(lines, key=lambda line: line.whole(view.published.score), default=None)
        rows.append(
            (
                _text(status.world, world_page(status.world)),
                _text(spec.lineup),
                _whole(spec.rotation),
                _whole(spec.seed),
                _whole(spec.repeat),
                _text(STATES[status.state]),
                _whole(status.windows),
                _text("" if best is None else best.text("contestant")),
                cell(view.units, None if best is None else best[view.published.score], "money"),
            )
        )
    return Grid(
        name="worlds",
        title="Worlds",
        columns=tuple(column.in_units(view.units) for column in COLUMNS),
        rows=tuple(rows),
        files=("plan.jsonl", "outcomes.csv"),
        missing="" if rows else "the plan has no world",
    )


def unfinished(view: View, claims: Claims) -> Unfinished | None:
    """Return what is missing of the plan, or None where nothing is."""
    left = tuple(status for status in view.statuses if status.state != "done")
    if not left:
        return None
    if view.summary.missing:
        sentence = claims.say("These worlds have not ended; no average counts them.")
    else:
        sentence = claims.say(
            "Of {planned} planned worlds {finished} were analysed; no average counts the others, and none is"
            " replaced by a guess.",
            planned=figure(view.summary.cell("worlds", "planned"), numbers.count),
            finished=figure(view.summary.cell("worlds", "finished"), numbers.count),
        )
    return Unfinished(sentence=sentence, worlds=left)


def _text(text: str, link: str = "") -> Datum:
    return Datum(text=text, sort=text, plain=(text,), link=link)


def _whole(number: int) -> Datum:
    return Datum(text=numbers.count(number), sort=number, plain=(number,))
