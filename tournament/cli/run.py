"""`tournament run` and `tournament plan`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import emit, processors, say
from tournament.foreign_text import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tournament.study.file import Study

StudyFile = Annotated[Path, typer.Argument(help="Study file (YAML).", metavar="STUDY")]
Only = Annotated[str | None, typer.Option(help="Play only worlds whose name matches, such as 'ref.*'.")]
Seed = Annotated[int | None, typer.Option(help="Play only worlds of this economic seed.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, text for people on stderr.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Worker processes for worlds without models [default: one a core].")
]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament run lineups.yaml --out runs/mine --jobs 2")(run)
    app.command(epilog="Example: tournament plan lineups.yaml")(plan)


def run(
    study: StudyFile,
    out: Annotated[
        Path | None, typer.Option(help="Run directory [default: runs/<study>-<hash>].", metavar="RUN")
    ] = None,
    jobs: Jobs = None,
    only: Only = None,
    seed: Seed = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and play nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play a study's worlds, or go on where an earlier call stopped.

    Ctrl-C once stops at the end of the current window, twice at once; nothing recorded is lost.
    """
    from tournament.cli.display import display_for
    from tournament.cli.services import open_study, seat_services
    from tournament.playing.run import PostRun, Request, run_study

    opened = open_study(study)
    workers = jobs or processors()
    if dry_run:
        _show_plan(opened, workers, only, seed, as_json)
        return
    folder = out or Path("runs") / opened.directory
    for line in _mended(opened, folder):
        say(line, to_stderr=True)
    summaries: list[str] = []

    def write(path: Path) -> Mapping[str, str]:
        from externalities.write import write_externalities

        written = write_externalities(path)
        summaries.append(written.text)
        return written.files

    with display_for(as_json=as_json, sign=opened.market.published.currency.sign) as display:
        ended = run_study(
            opened,
            Request(run=folder, jobs=workers, only=only, seed=seed),
            on_event=display.show,
            services=seat_services(opened, folder, study.parent),
            # The statistics load once the workers are gone: together they would pass the memory that a run may take.
            post_run=PostRun(prepare=lambda: import_module("pandas"), write=write),
        )
    for text in summaries:
        say(text, to_stderr=as_json)
    if ended.exit_code == 0:
        say(f"results in {folder}; check them with `tournament verify {quoted(folder)}`", to_stderr=as_json)
    raise typer.Exit(ended.exit_code)


def _mended(study: Study, folder: Path) -> list[str]:
    """Make again what is torn in a run directory before routes are opened; return a line for each file."""
    from tournament.rundir.lock import owned
    from tournament.rundir.manifest import MANIFEST
    from tournament.rundir.mending import mend_run
    from tournament.storage import resumable

    if not (folder / MANIFEST).is_file():
        return []
    with owned(folder, "run", f"of study {study.id}"), resumable():
        return mend_run(folder, study)


def plan(
    study: StudyFile,
    jobs: Jobs = None,
    only: Only = None,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Show a study's lineups and worlds, and what they take in time and money, before anything runs."""
    from tournament.cli.services import open_study

    _show_plan(open_study(study), jobs or processors(), only, seed, as_json)


def _show_plan(study: Study, jobs: int, only: str | None, seed: int | None, as_json: bool) -> None:
    from tournament.cli.plan_view import plan_text, route_notes
    from tournament.cli.services import cost_bounds
    from tournament.playing.run import LIVE_WORLDS, select
    from tournament.study.plan import plan_facts, plan_study

    planned = plan_study(study, jobs=jobs, live_worlds=LIVE_WORLDS, bounds=cost_bounds(study))
    selected = [spec.world for spec in select(planned.worlds, only, seed)]
    facts = plan_facts(planned)
    notes = [*facts["notes"], *route_notes(planned)]
    if as_json:
        emit({**facts, "notes": notes, "selected": selected})
        return
    say(plan_text(planned, selected, notes))
