"""`tournament trace`: what model seats were told and said, written out of a run's journals."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tournament.cli.output import emit, say

if TYPE_CHECKING:
    from tournament.journal.reader import JournalReader

INERT: Final = ".private.txt"
_FIRST: Final = re.compile(r"\A[.-]")
_OUTSIDE: Final = re.compile(r"[^A-Za-z0-9._-]")

Run = Annotated[Path, typer.Argument(help="Run directory.", metavar="RUN")]
Only = Annotated[str, typer.Option("--only", help="Worlds to write, as a glob on their names.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament trace runs/panel-1a2b3c4d --only 'ref.*'")(trace)


def trace(run: Run, only: Only = "*", as_json: AsJson = False) -> None:
    """Write each model seat's audit trace and private files beside its world's journal.

    `worlds/WORLD/trace/seat-N.jsonl` holds every request, reply, tool result and failed attempt;
    `worlds/WORLD/files/seat-N/` the notes as they are now, and nothing older, each with `.private.txt` behind
    its name, so that no tool takes a CEO's file for its own. Both are copies: the journal decides.
    """
    from tournament.errors import InputError
    from tournament.journal.reader import read_journal
    from tournament.journal.writer import JOURNAL
    from tournament.rundir.checked import checked
    from tournament.rundir.manifest import read_manifest

    read_manifest(run)
    journals = [
        path for path in sorted((run / "worlds").glob(f"*/{JOURNAL}")) if fnmatchcase(path.parent.name, only)
    ]
    if not journals:
        raise InputError(f"no world with a journal matches --only {only}", file=run)
    written: list[str] = []
    for path in journals:
        with read_journal(checked(run, path.relative_to(run).as_posix())) as reader:
            written += [str(done.relative_to(run)) for done in _write_seats(reader, path.parent)]
    if as_json:
        emit({"run": str(run), "written": written})
    else:
        say("\n".join([*written, f"{len(written)} files of {len(journals)} worlds"]))


def _write_seats(reader: JournalReader, folder: Path) -> list[Path]:
    from agents.llm.audit.trace import trace_lines

    written: list[Path] = []
    for (seat,) in reader.query("SELECT DISTINCT seat FROM events ORDER BY seat"):
        windows = reader.query("SELECT DISTINCT window FROM events WHERE seat = ? ORDER BY window", (seat,))
        lines = trace_lines(reader.events(seat, window) for (window,) in windows)
        written.append(
            _write(folder / "trace" / f"seat-{seat}.jsonl", "".join(f"{line}\n" for line in lines))
        )
        written += _replace_files(folder / "files" / f"seat-{seat}", reader.files(seat))
    return written


def _replace_files(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Make a folder hold these files and nothing else: what an earlier call wrote goes away whole."""
    from tournament.storage import disk_errors

    fresh = folder.with_name(f".{folder.name}.new")
    with disk_errors(folder):
        _remove(fresh)
    for path, text in files.items():
        _write(fresh / inert_path(path), text)
    with disk_errors(folder):
        _remove(folder)
        if files:
            fresh.rename(folder)
    return [folder / inert_path(path) for path in files]


def inert_path(path: str) -> str:
    """Return where a CEO's file is written: inside its folder, and under a name that means nothing to any tool.

    `.git/config` asks git to run a program, `HEAD` beside `refs/` makes a repository, `conftest.py` and
    `CMakeLists.txt` are run where they lie, `-rf` is an option. A first dot or dash, and whatever else no path
    may hold now, becomes `%` and its code, so that no two paths meet.
    """
    steps = [_FIRST.sub(_coded, _OUTSIDE.sub(_coded, step)) for step in path.split("/")]
    return "/".join(step or "%" for step in steps) + INERT


def _coded(found: re.Match[str]) -> str:
    return f"%{ord(found.group()):02X}"


def _remove(folder: Path) -> None:
    if folder.is_dir():
        shutil.rmtree(folder)


def _write(path: Path, text: str) -> Path:
    from tournament.storage import disk_errors, write_atomic

    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, text)
    return path
