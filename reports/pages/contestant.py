"""A page a contestant: what it earned where, what it does to others, and what it did, window by window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from lineups.values import WorldSpec
from reports import numbers
from reports.charts.world import contestant_panels
from reports.claims import Claims, Sentence, figure
from reports.pages.html import write_page
from reports.pages.provenance import contestant
from reports.pages.world import drawn_panel, own_sections
from reports.sources import Line, Table
from reports.tables.effects import ENTRANT, RIVAL
from reports.tables.model import Column, Grid, grid
from reports.tables.performance import (
    against,
    count,
    interval,
    money,
    outcome_columns,
    outcome_legend,
    to_contestant,
)
from reports.view import View, contestant_page
from reports.windows import windows
from tournament.records import Json

MOST_STORIES: Final = 6


def write_contestant(view: View, name: str, folder: Path) -> list[Mapping[str, Json]]:
    """Write the page and return its claims."""
    claims = Claims(page=contestant_page(name))
    specs = stories(view, name)
    write_page(
        folder / claims.page,
        "contestant.html.j2",
        title=f"{name}, {view.manifest.study}",
        root="../",
        view=view,
        name=name,
        declared=contestant(view, name),
        lead=list(_lead(view, name, claims)),
        outcomes=_outcomes(view, name),
        panels=[drawn_panel(name, panel) for panel in contestant_panels(view, name)],
        caption=_caption(view),
        own=list(own_sections(view, "contestant", name)),
        grids=[found for found in (_done(view, name), _taken(view, name)) if found.rows],
        told=_told(view, name, specs),
        stories=((spec.world, windows(view, spec.world, name)) for spec in specs),
    )
    return claims.records


def stories(view: View, name: str) -> Sequence[WorldSpec]:
    """Return the worlds told in full: begun ones, the reference lineup and first repeats before others."""
    begun = {status.world for status in view.statuses if status.state not in ("not_started", "invalid")}
    mine = [spec for spec in view.plan if name in spec.seats and spec.world in begun]
    order = {spec.world: place for place, spec in enumerate(view.plan)}
    mine.sort(key=lambda spec: (bool(spec.reference), spec.repeat, order[spec.world]))
    return mine[:MOST_STORIES]


def _told(view: View, name: str, specs: Sequence[WorldSpec]) -> str:
    every = sum(name in spec.seats for spec in view.plan)
    if len(specs) == every:
        return "All its worlds."
    return "Some of its worlds, those of the reference lineup first; the others are told on their own pages."


def _lead(view: View, name: str, claims: Claims) -> Iterator[Sentence]:
    line = view.table("operating.csv").one(reference=view.first_reference, contestant=name)
    leaves = view.published.role("exit") is not None
    if line is None or line["mean_score_cents"] is None:
        yield claims.say("No finished world of this contestant has been analysed.")
    else:
        yield claims.say(
            "Mean Score {mean}, rank {rank}, over {outcomes} outcomes"
            + ("; {left} of them left early." if leaves else "."),
            mean=figure(line.cell("mean_score_cents"), view.money.text),
            rank=figure(line.cell("rank"), numbers.count),
            outcomes=figure(line.cell("outcomes"), numbers.count),
            **({"left": figure(line.cell("bankruptcies"), numbers.count)} if leaves else {}),
        )
    for reference in view.references:
        yield from _effects(view, name, reference, claims)


def _effects(view: View, name: str, reference: str, claims: Claims) -> Iterator[Sentence]:
    private = view.table("private_summary.csv").one(entrant=name, reference=reference)
    market = view.table("market_summary.csv")
    total, whole = (
        market.one(entrant=name, reference=reference, estimand=estimand) for estimand in ("total", "market")
    )
    if private is None or private["mean_cents"] is None:
        return
    if total is None or whole is None or total["mean_cents"] is None:
        yield claims.say(
            "Against {reference} in its seat it gains {private}; it has no rival.",
            reference=reference,
            private=figure(private.cell("mean_cents"), view.money.signed),
        )
        return
    yield claims.say(
        "Against {reference} in its seat it gains {private}, its rivals together {total}, all firms {market}.",
        reference=reference,
        private=figure(private.cell("mean_cents"), view.money.signed),
        total=figure(total.cell("mean_cents"), view.money.signed),
        market=figure(whole.cell("mean_cents"), view.money.signed),
    )


def _caption(view: View) -> str:
    published = view.published
    return " ".join(
        [
            *(["Cash is down-sampled, one line a firm."] if published.daily_cash else []),
            *(["Means are over its firms in business, window by window."] if published.series else []),
            *(["A cross marks the exit of a firm."] if published.role("exit") else []),
        ]
    )


def _outcomes(view: View, name: str) -> Grid:
    columns = tuple(column for column in outcome_columns(view) if column.source != "contestant")
    lines = view.outcomes.where(contestant=name)
    missing = "" if lines else "none of its worlds has ended"
    return grid(
        view.units,
        "own-outcomes",
        "Its outcomes",
        columns,
        lines,
        notes=outcome_legend(view),
        missing=missing,
        link=to_contestant,
    )


def _done(view: View, name: str) -> Grid:
    table = view.table("directed_summary.csv")
    return _directed(view, "done", "What it does to others", table, table.where(entrant=name), RIVAL)


def _taken(view: View, name: str) -> Grid:
    table = view.table("directed_summary.csv")
    return _directed(view, "taken", "What others do to it", table, table.where(rival=name), ENTRANT)


def _directed(view: View, name: str, title: str, table: Table, lines: Sequence[Line], other: Column) -> Grid:
    columns = (
        other,
        *against(view),
        money("mean_cents", "Mean"),
        interval("t_low_cents", "t_high_cents"),
        money("sd_cents", "SD"),
        count("positive_seeds", "Seeds above zero"),
        count("clusters", "Seeds"),
    )
    return grid(view.units, name, title, columns, lines, missing=table.missing, link=to_contestant)
