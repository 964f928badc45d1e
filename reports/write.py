"""From a run's files to the files of its `report` folder: pages, figures, tables, claims.

Charts and pages are made in a few worker processes, each of which opens the run's files for itself. A
report may be made of a run that is being played: it reads, and never locks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from reports.charts.drawing import FRAMES, WIDE, draw, write_files
from reports.charts.registry import charts
from reports.claims import Claims
from reports.pages.contestant import write_contestant
from reports.pages.index import PAGE, page_tables, write_index
from reports.pages.markdown import REPORT, report_text
from reports.pages.world import write_world
from reports.stamp import REPORT as FOLDER
from reports.stamp import Format, Remade, forget_stamp, state_of, write_stamp
from reports.tables.model import Grid
from reports.tables.text import csv_text, latex, markdown
from reports.view import View, contestant_page, open_view, slug, world_page
from tournament.playing.pool import map_processes
from tournament.records import Json
from tournament.rundir.checked import require_checked
from tournament.storage import disk_errors, sha256_of, temporary_beside

FIGURES: Final = "figures"
TABLES: Final = "tables"
CLAIMS: Final = "claims.json"
FORMATS: Final[tuple[Format, ...]] = ("html", "md", "latex", "csv")
MOST_WORKERS: Final = 8
WORTH_WORKERS: Final = 45
Records = Sequence[Mapping[str, Json]]
Kind = Literal["chart", "world", "contestant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Where the report is, its pages and pictures, and what it could not tell."""

    folder: Path
    index: Path | None
    pages: int
    figures: int
    notices: tuple[str, ...]


def write_report(run: Path, formats: Sequence[Format] = FORMATS, workers: int | None = None) -> Written:
    """Write the report of a run in these formats, and its own list last.

    Raises InputError for a folder that is no run, DamageError for files that are not what was published.
    """
    require_checked(run, lambda name: True)
    view, before = open_view(run), state_of(run)
    folder = run / FOLDER
    with disk_errors(folder):
        forget_stamp(folder)
    written, names = _write_all(view, folder, formats, workers or min(os.cpu_count() or 1, MOST_WORKERS))
    with disk_errors(folder):
        write_stamp(run, folder, view.name, formats, before, names)
    return written


def remake_report(asked: Remade) -> dict[str, str]:
    """Write a run's report where its list is not looked at; return the SHA-256 (hex) of every file by name."""
    _, names = _write_all(open_view(asked.run, asked.name), asked.folder, asked.formats, asked.workers)
    return {name: sha256_of(asked.folder / name) for name in names}


def _write_all(view: View, folder: Path, formats: Sequence[Format], workers: int) -> tuple[Written, set[str]]:
    """Write all files of a report; return what a command tells of it, and their names."""
    claims, notes = Claims(page=PAGE), Claims(page=REPORT)
    grids = page_tables(view, claims)
    names = _write_tables(folder, grids, formats)
    jobs = _jobs(view, folder, formats)
    rendered = _render_all(view, jobs, workers)
    drawings = {
        job.name: result.drawings for job, result in zip(jobs, rendered, strict=True) if result.drawings
    }
    if "html" in formats:
        write_index(view, folder, drawings, grids, claims)
        _forget_pages(view, folder)
    if "md" in formats:
        _write(folder / REPORT, report_text(view, grids, drawings, notes))
    page_claims = [record for result in rendered for record in result.claims]
    _write(folder / CLAIMS, _json([*claims.records, *notes.records, *page_claims]))
    names |= {CLAIMS, *(name for result in rendered for name in result.files)}
    names |= {PAGE for name in formats if name == "html"} | {REPORT for name in formats if name == "md"}
    written = Written(
        folder=folder,
        index=folder / PAGE if "html" in formats else None,
        pages=1 + len(view.plan) + len(view.contestants) if "html" in formats else 0,
        figures=len(drawings),
        notices=tuple(note for note in (view.stale, view.summary.missing) if note),
    )
    return written, names


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work for one process: a chart, or the page of a world or a contestant."""

    run: Path
    called: str
    folder: Path
    kind: Kind
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderResult:
    """What came of it: drawings by frame of a chart with something to show, claims of a page, files."""

    drawings: Mapping[str, str] = field(default_factory=dict)
    claims: Records = ()
    files: Sequence[str] = ()


def _jobs(view: View, folder: Path, formats: Sequence[Format]) -> list[Job]:
    """Return the work that these formats need, the longest first."""
    jobs: list[tuple[Kind, str]] = []
    if set(formats) & {"html", "md", "latex"}:
        names = sorted((chart.name for chart in charts(view)), key=lambda name: not name.startswith("cash"))
        jobs += [("chart", name) for name in names]
    if "html" in formats:
        jobs += [("contestant", name) for name in view.contestants]
        jobs += [("world", spec.world) for spec in view.plan]
    return [Job(run=view.run, called=view.name, folder=folder, kind=kind, name=name) for kind, name in jobs]


def _render_all(view: View, jobs: Sequence[Job], workers: int) -> list[RenderResult]:
    """Return what comes of every job; a few are made here sooner than another process has started."""
    if workers == 1 or len(jobs) < WORTH_WORKERS:
        return [_render(view, job) for job in jobs]
    return map_processes(_render_in_worker, jobs, workers)


def _render_in_worker(job: Job) -> RenderResult:
    return _render(_view(job.run, job.called), job)


@lru_cache(maxsize=1)
def _view(run: Path, name: str) -> View:
    """Return the run as this worker process sees it, opened once."""
    return open_view(run, name)


def _render(view: View, job: Job) -> RenderResult:
    if job.kind == "chart":
        return _draw(view, job.name, job.folder)
    if job.kind == "contestant":
        told = write_contestant(view, job.name, job.folder)
        return RenderResult(claims=told, files=[contestant_page(job.name)])
    spec = next(spec for spec in view.plan if spec.world == job.name)
    status = next(status for status in view.statuses if status.world == job.name)
    told = write_world(view, spec, status, job.folder)
    return RenderResult(claims=told, files=[world_page(spec.world)])


def _draw(view: View, name: str, folder: Path) -> RenderResult:
    """Draw a chart in every frame and write its figure files; empty where it has nothing to show."""
    chart = next(chart for chart in charts(view) if chart.name == name)
    drawn: dict[str, str] = {}
    for frame in FRAMES:
        built = chart.build(view, frame)
        if built is not None:
            drawn[frame.name] = draw(built)
    written: list[str] = []
    if WIDE.name in drawn:
        written = write_files(drawn[WIDE.name], _ensure_folder(folder / FIGURES), slug(name))
    return RenderResult(drawings=drawn, files=[f"{FIGURES}/{file}" for file in written])


def _write_tables(folder: Path, grids: Sequence[Grid], formats: Sequence[Format]) -> set[str]:
    """Write the tables; return their names."""
    written: set[str] = set()
    writers = {"csv": ("csv", csv_text), "md": ("md", markdown), "latex": ("tex", latex)}
    for name in formats:
        if name in writers:
            suffix, write = writers[name]
            for grid in grids:
                file = f"{TABLES}/{grid.name}.{suffix}"
                _write(folder / file, write(grid))
                written.add(file)
    return written


def _forget_pages(view: View, folder: Path) -> None:
    """Remove pages of worlds and contestants that an earlier report had and this run has not."""
    kept = {world_page(spec.world) for spec in view.plan} | {
        contestant_page(name) for name in view.contestants
    }
    for place in ("worlds", "contestants"):
        for path in (folder / place).glob("*.html"):
            if f"{place}/{path.name}" not in kept:
                path.unlink()


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all; a report can be made again, so it need not outlast a power cut."""
    temporary = temporary_beside(path)
    with disk_errors(path):
        _ensure_folder(path.parent)
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(temporary, path)


def _ensure_folder(folder: Path) -> Path:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _json(records: Records) -> str:
    return json.dumps({"sentences": list(records)}, indent=1, ensure_ascii=False) + "\n"
