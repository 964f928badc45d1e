"""The index: answers, then what they rest on, section by section, down to provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from reports import numbers
from reports.charts.drawing import inline
from reports.charts.registry import Chart, charts
from reports.claims import NOTHING, Claims, Sentence, figure
from reports.headlines import Answer, answers, design_caption
from reports.offers import unoffered
from reports.pages.html import write_page
from reports.pages.overview import status_grid, unfinished
from reports.pages.provenance import provenance
from reports.tables.catalogue import tables
from reports.tables.model import Grid
from reports.view import View, slug
from tournament.foreign_text import quoted

PAGE: Final = "index.html"
Drawings = Mapping[str, Mapping[str, str]]  # chart -> frame -> SVG in stand-in colours


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A chart on the page: both frames, or why there is none; `folded` ones open on demand."""

    chart: Chart
    wide: Markup
    narrow: Markup
    design: Sentence
    folded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    id: str
    title: str
    lead: Sequence[Sentence]
    charts: Sequence[Drawn]
    open_tables: Sequence[Grid]
    tables: Sequence[Grid]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    id: str
    title: str
    charts: tuple[str, ...] = ()
    open_tables: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


LAYOUT: Final = (
    Layout(id="performance", title="Operating performance", charts=("operating",), open_tables=("operating",),
            tables=("lineups", "outcomes")),
    Layout(id="effects", title="Private gain and the market", charts=("private-market",),
            open_tables=("externalities",), tables=("private", "market")),
    Layout(id="directed", title="Who does what to whom", charts=("directed", "network"),
            tables=("observations", "directed")),
    Layout(id="mechanisms", title="What effects are made of", charts=("accounts", "spending"),
            tables=("accounts",)),
    Layout(id="adaptive", title="Direct and adaptive", charts=("decomposition",), tables=("decomposition",)),
    Layout(id="baselines", title="Another baseline, another score", charts=("baselines",),
            tables=("baselines", "salvage")),
    Layout(id="paths", title="Paths", charts=("cash-markets", "cash-agents", "paths", "cash-all")),
    Layout(id="health", title="Market health", charts=("health",),
            tables=("health-differences", "health-lineups")),
    Layout(id="evidence", title="How sure it is", charts=("criterion", "ranks", "components", "power"),
            tables=("stability", "chance", "runs", "components", "pairwise", "icc", "splits", "mixed", "power",
                    "seats")),
    Layout(id="reliability", title="Operating reliability", charts=("reliability",),
            open_tables=("reliability",), tables=("usage", "faults")),
)  # fmt: skip
FOLDED: Final = ("cash-all",)


def layouts(view: View) -> list[Layout]:
    """Return the sections of an index: the standard ones, the market's own before what tells how sure it is."""
    parts = [part for part in view.parts if part.place == "index"]
    own = [
        Layout(
            id=f"own-{slug(title).replace('~', '-')}",
            title=title,
            charts=tuple(part.name for part in parts if part.section == title and part.shape == "chart"),
            open_tables=tuple(part.name for part in parts if part.section == title and part.shape == "table"),
        )
        for title in dict.fromkeys(part.section for part in parts)
    ]
    place = next(at for at, layout in enumerate(LAYOUT) if layout.id == "health")
    return [*LAYOUT[:place], *own, *LAYOUT[place:]]


def write_index(view: View, folder: Path, drawings: Drawings, grids: Sequence[Grid], claims: Claims) -> None:
    """Write the page; `grids` are the run's tables, whose captions are claims of this page already."""
    write_page(
        folder / PAGE,
        "index.html.j2",
        title=f"{view.manifest.study}: report",
        root="",
        view=view,
        answers=_answers(view, claims),
        unoffered=unoffered(view),
        notices=[note for note in (view.stale, view.summary.missing and _no_statistics(view)) if note],
        sections=list(_sections(view, drawings, grids, claims)),
        worlds=status_grid(view),
        unfinished=unfinished(view, claims),
        provenance=provenance(view),
    )


def _answers(view: View, claims: Claims) -> list[Answer]:
    return answers(view, claims)


def _no_statistics(view: View) -> str:
    return (
        f"The statistics are missing ({view.summary.missing});"
        f" `tournament externalities {quoted(view.name)}` writes them"
        " once a world has ended."
    )


def _sections(view: View, drawings: Drawings, grids: Sequence[Grid], claims: Claims) -> Iterator[Section]:
    designs = {name: design_caption(view, claims, name) for name in view.references or ("",)}
    by_name = {grid.name: grid for grid in grids}
    every = list(charts(view))
    for layout in layouts(view):
        chosen = [chart for name in layout.charts for chart in every if kind_of(chart) == name]
        if not chosen and not by_name.keys() & {*layout.open_tables, *layout.tables}:
            continue
        yield Section(
            id=layout.id,
            title=layout.title,
            lead=list(LEADS[layout.id](view, claims)) if layout.id in LEADS else [],
            charts=[_drawn(view, chart, drawings, designs) for chart in chosen],
            open_tables=[by_name[name] for name in layout.open_tables if name in by_name],
            tables=[by_name[name] for name in layout.tables if name in by_name],
        )


def kind_of(chart: Chart) -> str:
    """Return a chart's name without the reference policy that it is drawn against."""
    return chart.name.removesuffix(f"-{chart.reference}") if chart.reference else chart.name


def _drawn(view: View, chart: Chart, drawings: Drawings, designs: Mapping[str, Sentence]) -> Drawn:
    shapes = drawings.get(chart.name, {})
    drawn = {
        frame: inline(svg, f"{chart.name.replace('.', '-')}-{frame}", chart.title, chart.caption)
        for frame, svg in shapes.items()
    }
    later = bool(chart.reference) and chart.reference != view.first_reference
    return Drawn(
        chart=chart,
        wide=drawn.get("wide", Markup("")),
        narrow=drawn.get("narrow", Markup("")),
        design=designs.get(chart.reference or view.first_reference, NOTHING) if drawn else NOTHING,
        folded=later or chart.name in FOLDED,
    )


def page_tables(view: View, claims: Claims) -> list[Grid]:
    """Return all tables of the run, captioned on the index."""
    return list(tables(view, design_caption(view, claims, view.first_reference)))


def _network_lead(view: View, claims: Claims) -> Iterator[Sentence]:
    found = _reference(view)
    if not found or not found["network"]["edges"]:
        return
    steps = ("references", view.first_reference, "network")
    yield claims.say(
        "Of {edges} directed effects {harmful} are harmful. In {mutual} pairs both ways are known: both harm each other"
        " in {both}, both help in {help}, they differ in {opposite}.",
        edges=figure(view.summary.cell(*steps, "edges"), numbers.count),
        harmful=figure(view.summary.cell(*steps, "harmful_edges"), numbers.count),
        mutual=figure(view.summary.cell(*steps, "reciprocity", "mutual_pairs"), numbers.count),
        both=figure(view.summary.cell(*steps, "reciprocity", "both_harm"), numbers.count),
        help=figure(view.summary.cell(*steps, "reciprocity", "both_help"), numbers.count),
        opposite=figure(view.summary.cell(*steps, "reciprocity", "opposite"), numbers.count),
    )


def _reference(view: View) -> Mapping[str, Any] | None:
    if view.summary.missing:
        return None
    found: Mapping[str, Any] | None = view.summary.content["references"].get(view.first_reference)
    return found


def _baseline_lead(view: View, claims: Claims) -> Iterator[Sentence]:
    if view.summary.missing:
        return
    for index, item in enumerate(view.summary.content["sign_agreement"]):
        at = ("sign_agreement", str(index))
        yield claims.say(
            "Against {second} instead of {first} at seed {seed}, {agreeing} of {effects} {estimand} effects keep their"
            " sign.",
            first=item["first"],
            second=item["second"],
            estimand=item["estimand"],
            seed=figure(view.summary.cell(*at, "seed"), numbers.count),
            agreeing=figure(view.summary.cell(*at, "agreeing"), numbers.count),
            effects=figure(view.summary.cell(*at, "effects"), numbers.count),
        )
    if not view.published.offers_cash_score:
        return
    for reference, quantities in view.summary.content["salvage_changes"].items():
        for name in quantities:
            place = ("salvage_changes", reference, name)
            yield claims.say(
                "Without salvage {changed} of {all} {what} change{against}.",
                changed=figure(view.summary.cell(*place, "changed"), numbers.count),
                all=figure(view.summary.cell(*place, "of"), numbers.count),
                what="ranks" if name == "rank" else f"signs of {name} effects",
                against=f" ({reference})" if reference else "",
            )


LEADS: Final = {"directed": _network_lead, "baselines": _baseline_lead}
