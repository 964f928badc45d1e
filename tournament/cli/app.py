"""The `tournament` command line: commands, exit codes, and one clear line for every user error.

Command bodies import what they need when they run, so that `--help` costs a fraction of a second and
a run without models never loads a provider library.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import traceback
from pathlib import Path
from types import TracebackType
from typing import Annotated, Final

import typer

import tournament
from tournament.cli import (
    compare,
    export,
    init,
    listing,
    report,
    routes,
    rule_search,
    run,
    statistics,
    status,
    trace,
    verify,
    watch,
)
from tournament.cli.output import complain, harden_streams, say
from tournament.errors import ArenaError, InputError

DISTRIBUTION: Final = "ceo-arena"
DEBUG: Final = "TOURNAMENT_DEBUG"
OWN_PACKAGES: Final = ("lineups", "agents", "market", "externalities", "reports")

app = typer.Typer(
    name="tournament",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="CEOs as rival firms in one shared market: play a study, verify it, read what each does to the others.",
    epilog="Example: tournament run lineups.yaml",
)
for group in (
    run,
    status,
    verify,
    statistics,
    report,
    rule_search,
    routes,
    init,
    listing,
    trace,
    compare,
    export,
    watch,
):
    group.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"tournament {version(DISTRIBUTION)}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """CEOs as rival firms in one shared market: play a study, verify it, read what each does to the others."""


def main() -> None:
    """Run the command line and exit with the contract's codes."""
    harden_streams()
    try:
        _require_own_packages()
        app(prog_name="tournament")
    except ArenaError as fault:
        for line in fault.lines:
            complain(line)
        sys.exit(fault.exit_code)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(130)
    finally:
        sys.excepthook = _report_bug  # what is left is a bug; typer puts a hook of its own in before


def _report_bug(kind: type[BaseException], bug: BaseException, trace: TracebackType | None) -> None:
    """Keep the traceback of a bug and say in one line where; the interpreter then exits with 1."""
    text = "".join(traceback.format_exception(kind, bug, trace))
    if DEBUG in os.environ:
        sys.stderr.write(text)
    last = text.strip().splitlines()[-1]
    with tempfile.NamedTemporaryFile(
        "w",
        prefix="tournament-bug-",
        suffix=".txt",
        delete=False,
        encoding="utf-8",
        errors="backslashreplace",
    ) as kept:
        kept.write(text)
    complain(f"a bug in tournament: {last}; the traceback is in {kept.name} ({DEBUG}=1 shows it)")


def _require_own_packages() -> None:
    """Say so when another distribution's package of the same name stands in the way of one of ours."""
    home = Path(tournament.__file__).resolve().parent.parent
    for package in OWN_PACKAGES:
        found = importlib.util.find_spec(package)
        origin = None if found is None or found.origin is None else Path(found.origin).resolve()
        if origin is None or origin.parent.parent != home:
            raise InputError(
                f"the package `{package}` comes from {origin or 'nowhere'}, not from this installation"
                f" ({home}): another distribution stands in its way; install into a fresh environment"
            )
