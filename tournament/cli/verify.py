"""`tournament verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import emit, processors, say
from tournament.foreign_text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tournament.checks.verify import Verified

DAMAGED = 4


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament verify runs/ready-1a2b3c4d")(verify)


def verify(
    run: Annotated[
        Path, typer.Argument(help="Run directory or export; needs no write access.", metavar="RUN")
    ],
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes [default: one a core].")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Compare hashes alone, and say what that leaves out.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Check every file's hash, then derive anew whatever follows from study and journals, and compare.

    The plan from the study, every world from its seals without any policy, tables from journals, statistics
    from tables, the report from all of them. Exits with 4 where something is not what was recorded, and names
    world and file. A run that was invented whole, by playing it, is consistent: no verification can tell.
    """
    from dataclasses import asdict

    from tournament.checks.verify import Asked, Sources
    from tournament.cli.services import open_study
    from tournament.export.check import verify_path

    asked = Asked(jobs=jobs or processors(), quick=quick)
    found = verify_path(
        run, asked, Sources(study=open_study, statistics=statistics_of, report=report_of), _tell
    )
    if as_json:
        emit({**asdict(found), "ok": not found.damage})
    else:
        say(_text(found))
    if found.damage:
        raise typer.Exit(DAMAGED)


def statistics_of(run: Path) -> Mapping[str, bytes]:
    """Compute a run's statistics where nobody else sees them: the run is only pointed at, never written."""
    from tempfile import TemporaryDirectory

    from externalities.write import write_externalities

    with TemporaryDirectory(prefix="tournament-verify-") as scratch:
        place = Path(scratch)
        for path in run.iterdir():
            if path.name not in ("externalities", "report"):
                (place / path.name).symlink_to(path.resolve())
        files = write_externalities(place).files
        return {name: (place / name).read_bytes() for name in files}


def report_of(run: Path, jobs: int | None) -> tuple[list[tuple[str, str]], list[str]]:
    """Compare a run's report with its own hashes and, with `jobs` processes, with one made anew out of sight."""
    from tempfile import TemporaryDirectory

    from reports.stamp import remade_faults, report_faults
    from reports.write import remake_report

    faults, notes, stamp = report_faults(run)
    if faults or stamp is None or jobs is None:
        return faults, notes
    with TemporaryDirectory(prefix="tournament-verify-") as scratch:
        differ, more = remade_faults(run, stamp, Path(scratch), jobs, remake_report)
    return differ, [*notes, *more]


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
    lines += [f"not checked: {what}" for what in found.unchecked]
    if found.digest:
        lines.append(f"digest of its list of files, for a signature: {found.digest}")
    lines.append(
        f"{found.files} files hashed, {len(found.replayed)} of {found.planned} worlds finished and replayed,"
        + (f" {unread} finished but not replayed," if unread else "")
        + f" {len(found.unfinished)} unfinished: {verdict}"
    )
    return "\n".join(lines)
