"""The dollar caps of a study as a meter, restored from what its journals say has been spent."""

from __future__ import annotations

from pathlib import Path

from agents.llm.accounts import account_of
from agents.llm.spend import SpendMeter
from tournament.journal import JOURNAL
from tournament.journal_reader import JournalReader, read_journal


def restored_meter(run: Path, *, usd: float | None, usd_per_world: float | None) -> SpendMeter:
    """Return the meter of a run; without caps nothing is read.

    Lost replies count at their worst: what a killed process may have paid for is not free.
    """
    meter = SpendMeter(usd=usd, usd_per_world=usd_per_world)
    if meter.capped:
        for path in sorted((run / "worlds").glob(f"*/{JOURNAL}")):
            with read_journal(path) as reader:
                meter.restore(path.parent.name, _spent(reader))
    return meter


def _spent(reader: JournalReader) -> float:
    windows = reader.query("SELECT DISTINCT seat, window FROM events ORDER BY seat, window")
    return sum(account_of(reader.events(seat, window)).spent_usd for seat, window in windows)
