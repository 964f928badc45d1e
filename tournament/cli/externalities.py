"""`tournament externalities`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tournament.cli.output import emit, say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament externalities runs/ready-1a2b3c4d")(externalities)


def externalities(
    run: Annotated[Path, typer.Argument(help="Run directory.", metavar="RUN")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write what each contestant's presence does to itself, its rivals and the market, and show it."""
    from externalities.write import write_externalities
    from tournament.lock import owned
    from tournament.manifest import read_manifest, record_files
    from tournament.rundir import is_complete

    read_manifest(run)
    with owned(run, "externalities"):
        written = write_externalities(run)
        if is_complete(run):
            record_files(run, written.files)
    if as_json:
        emit(written.report)
    else:
        say(written.text)
