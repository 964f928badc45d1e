"""The report as one Markdown file: answers, pictures by relative path, tables with notes and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from reports.charts.registry import Chart, charts
from reports.claims import Claims
from reports.headlines import answers, design_caption
from reports.offers import unoffered
from reports.pages.index import kind_of, layouts
from reports.pages.overview import status_grid, unfinished
from reports.tables.model import Grid
from reports.tables.text import escaped, markdown
from reports.view import View, slug

REPORT: Final = "report.md"


def report_text(
    view: View, grids: Sequence[Grid], drawings: Mapping[str, Mapping[str, str]], claims: Claims
) -> str:
    """Return the whole report; its sentences are claims like those of a page."""
    return "\n".join(_lines(view, {grid.name: grid for grid in grids}, drawings, claims)).rstrip() + "\n"


def _lines(
    view: View,
    grids: Mapping[str, Grid],
    drawings: Mapping[str, Mapping[str, str]],
    claims: Claims,
) -> Iterator[str]:
    yield f"# {escaped(view.manifest.study)}\n"
    for note in (view.stale, view.summary.missing):
        if note:
            yield f"> {escaped(note)}\n"
    for line in unoffered(view):
        yield f"{escaped(line)}\n"
    for answer in answers(view, claims):
        yield f"## {answer.question}\n"
        yield from (f"- {escaped(sentence.text)}" for sentence in answer.sentences)
        yield ""
    left = unfinished(view, claims)
    if left is not None:
        yield f"{escaped(left.sentence.text)}\n"
        yield from (f"- {escaped(status.world)}: {escaped(status.state)}" for status in left.worlds)
        yield ""
    every = list(charts(view))
    designs = {name: design_caption(view, claims, name).text for name in view.references or ("",)}
    for layout in layouts(view):
        chosen = [chart for chart in every if kind_of(chart) in layout.charts]
        shown = [grids[name] for name in (*layout.open_tables, *layout.tables) if name in grids]
        if chosen or shown:
            yield f"## {layout.title}\n"
        for chart in chosen:
            yield from _picture(view, chart, chart.name in drawings, designs)
        for grid in shown:
            yield markdown(grid)
    yield "## Worlds\n"
    yield markdown(status_grid(view))


def _picture(view: View, chart: Chart, drawn: bool, designs: Mapping[str, str]) -> Iterator[str]:
    if not drawn:
        yield f"*{escaped(chart.title)}: not drawn, {escaped(chart.needs)}.*\n"
        return
    design = designs.get(chart.reference or view.first_reference, "")
    yield f"![{escaped(chart.title)}](figures/{slug(chart.name)}.png)\n"
    yield f"{escaped(chart.title)}. {escaped(chart.caption)} {escaped(design)}\n"
