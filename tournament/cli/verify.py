"""`tournament verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import emit, processors, say
from tournament.foreign_text import one_line

if TYPE_CHECKING:
    from tournament.checks.verify import Verified

DAMAGED = 4


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament verify runs/ready-1a2b3c4d")(verify)


def verify(
    run: Annotated[
        Path, typer.Argument(help="Run directory or export; needs no write access.", metavar="RUN")
    ],
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes [default: one a core].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Check every file's hash, then replay every world from its seals without any policy.

    Exits with 4 where something is not what was recorded, and names world and file.
    """
    from dataclasses import asdict

    from tournament.export.check import verify_path

    found = verify_path(run, jobs or processors(), _tell)
    if as_json:
        emit({**asdict(found), "ok": not found.damage})
    else:
        say(_text(found))
    if found.damage:
        raise typer.Exit(DAMAGED)


def _tell(text: str) -> None:
    say(text, to_stderr=True)


def _text(found: Verified) -> str:
    lines = [f"here and in the run differ: {note}" for note in found.notes]
    lines += [
        f"unfinished: {world}, {windows} windows settled" for world, windows in found.unfinished.items()
    ]
    lines += [
        f"DAMAGE in {one_line(damage.file)}"
        + (f" (world {one_line(damage.world)})" if damage.world else "")
        + f": {one_line(damage.detail)}"
        for damage in found.damage
    ]
    verdict = f"{len(found.damage)} damaged" if found.damage else "all as recorded"
    unread = len(found.finished) - len(found.replayed)
    lines.append(
        f"{found.files} files hashed, {len(found.replayed)} of {found.planned} worlds finished and replayed,"
        + (f" {unread} finished but not replayed," if unread else "")
        + f" {len(found.unfinished)} unfinished: {verdict}"
    )
    return "\n".join(lines)
