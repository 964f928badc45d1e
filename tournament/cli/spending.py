"""The dollar caps of a study as a meter, restored from what its journals say has been spent."""

from __future__ import annotations

from pathlib import Path

from agents.llm.accounting.spend import SpendMeter
from agents.llm.accounting.usage import account_of
from tournament.cli.output import say
from tournament.errors import DamageError
from tournament.journal.reader import JournalReader, read_journal
from tournament.journal.rows import UnreadableRow
from tournament.journal.writer import JOURNAL


def restored_meter(run: Path, *, usd: float | None, usd_per_world: float | None) -> SpendMeter:
    """Return the meter of a run; without caps nothing is read.

    Lost replies count at their worst: what a killed process may have paid for is not free. So does a world
    whose journal is damaged, where a cap of a world says what its worst is; else that is told.
    """
    meter = SpendMeter(usd=usd, usd_per_world=usd_per_world)
    if meter.capped:
        for path in sorted((run / "worlds").glob(f"*/{JOURNAL}")):
            spent, whole = _spent(path)
            if not whole and usd_per_world is not None:
                spent = max(spent, usd_per_world)
            elif not whole:
                say(
                    f"{path} is damaged: of what its world has spent, limits.usd counts the ${spent:.4f}"
                    " that can still be read",
                    to_stderr=True,
                )
            meter.restore(path.parent.name, spent)
    return meter


def _spent(path: Path) -> tuple[float, bool]:
    """Return what a journal says has been spent, and whether all of it could be read."""
    spent, whole = 0.0, True
    try:
        with read_journal(path) as reader:
            for seat, window in reader.conversations():
                known = _window(reader, seat, window)
                spent, whole = spent + (known or 0.0), whole and known is not None
    except DamageError:
        return spent, False
    return spent, whole


def _window(reader: JournalReader, seat: int, window: int) -> float | None:
    """Return what one window has cost, or None where its records are damaged."""
    try:
        return account_of(reader.events(seat, window)).spent_usd
    except (UnreadableRow, KeyError, TypeError):
        return None
