"""`tournament report`: a run's pages, figures and tables, for people who would rather look than read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import emit, say

if TYPE_CHECKING:
    from reports.stamp import Format

RunFolder = Annotated[Path, typer.Argument(help="Run directory.", metavar="RUN")]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament report runs/ready-1a2b3c4d --open")(report)


def report(
    run: RunFolder,
    show: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
    formats: Annotated[
        str,
        typer.Option("--format", help="Which of html, md, latex, csv to write, by commas.", metavar="LIST"),
    ] = "html,md,latex,csv",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write RUN/report: an index, a page a world and a contestant, figures and tables for a paper.

    It is made of the run's published files alone, also of a run that is not finished; nothing is
    computed anew, and no page loads anything from elsewhere.
    """
    from reports.write import write_report

    written = write_report(run, _formats(formats))
    if as_json:
        emit(
            {
                "folder": str(written.folder),
                "index": None if written.index is None else str(written.index),
                "pages": written.pages,
                "figures": written.figures,
                "notices": list(written.notices),
            }
        )
    else:
        for notice in written.notices:
            say(f"note: {notice}")
        say(f"report in {written.index or written.folder}")
    if show and written.index is not None:
        import webbrowser

        webbrowser.open(written.index.resolve().as_uri())


def _formats(text: str) -> tuple[Format, ...]:
    from reports.write import FORMATS
    from tournament.errors import InputError

    given = [part.strip() for part in text.split(",")]
    if not given or any(part not in FORMATS for part in given):
        raise InputError(f"{text!r} is not a list of {', '.join(FORMATS)}", field="--format")
    return tuple(name for name in FORMATS if name in given)
