"""Reading a journal without disturbing it: for verify, status, reports and a live view.

A journal without a write-ahead log is opened immutable and needs no write access: SQLite would else
leave lock files beside it. A journal in play is read through its log; where that cannot be opened
without making a file (a killed process left it behind, or a read-only folder) a private copy is read.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from tournament.errors import ArenaError, Fault
from tournament.journal import rows
from tournament.records import Choice, Json, Receipt, Record, Seal

_WAL_OFFSET: Final = 18  # byte of the SQLite header that is 2 in WAL mode


class JournalReader:
    """A read-only view of one world's journal."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @property
    def header(self) -> Mapping[str, Json]:
        header: Mapping[str, Json] = self.meta()["header"]
        return header

    @property
    def ended(self) -> bool:
        return "ended" in self.meta()

    @property
    def suspended(self) -> Fault | None:
        """Why the world stands still, or None."""
        fault = self.meta().get("suspended")
        return None if fault is None else Fault(**fault)

    def meta(self) -> Mapping[str, Json]:
        return rows.read_meta(self._connection)

    def seals(self) -> tuple[Seal, ...]:
        return rows.read_seals(self._connection)

    def memos(self) -> Mapping[int, Json]:
        return rows.read_memos(self._connection)

    def choices(self, window: int) -> Mapping[int, Choice]:
        return rows.read_choices(self._connection, window)

    def receipts(self, window: int) -> tuple[Receipt, ...]:
        return rows.read_receipts(self._connection, window)

    def postings(self) -> NDArray[np.int64]:
        return rows.read_postings(self._connection)

    def days(self) -> tuple[str, ...]:
        return rows.read_days(self._connection)

    def windows(self) -> list[tuple[int, int, int, tuple[int, ...]]]:
        """Return (window, first day, last day, score of each seat so far) of each settled window."""
        return rows.read_windows(self._connection)

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        return rows.read_outcomes(self._connection)

    def conversations(self) -> list[tuple[int, int]]:
        """Return the (seat, window) pairs that have events, in order."""
        return rows.read_conversations(self._connection)

    def decided(self) -> list[tuple[int, int]]:
        """Return the (seat, window) pairs whose decision has been taken, settled or not."""
        return rows.read_decided(self._connection)

    def events(self, seat: int, window: int) -> Sequence[Record]:
        return rows.read_events(self._connection, seat, window)

    def files(self, seat: int) -> Mapping[str, str]:
        return rows.read_files(self._connection, seat)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of one SELECT over the journal's tables."""
        return self._connection.execute(sql, parameters).fetchall()

    def damage(self) -> str | None:
        """Return what SQLite's own check of the whole file complains of, or None."""
        found = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return None if found == "ok" else str(found)


@contextmanager
def read_journal(path: Path) -> Iterator[JournalReader]:
    """Open a journal for reading; raises DamageError for a torn or foreign file."""
    with rows.journal_errors(path), _connected(path) as connection:
        rows.require_journal(connection, path)
        yield JournalReader(path, connection)


def has_begun(path: Path) -> bool:
    """Whether a journal holds anything yet: a process killed before its first commit leaves a blank file.

    A blank file is no damage: whoever plays the world next begins it. One that cannot be read has begun.
    """
    if not path.exists():
        return False
    try:
        with rows.journal_errors(path), _connected(path) as connection:
            return not rows.is_blank(connection)
    except ArenaError:
        return True


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection that has read the file once, by the gentlest way that works."""
    log, index = (path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm"))
    if not _in_wal_mode(path) or not log.exists():
        connection = _open(path, "mode=ro&immutable=1")
    elif not index.exists():
        with _copied(path, log) as copy:
            yield copy
        return
    else:
        try:
            connection = _open(path, "mode=ro")
        except sqlite3.OperationalError:
            if log.exists():
                with _copied(path, log) as copy:
                    yield copy
                return
            connection = _open(path, "mode=ro&immutable=1")
    try:
        yield connection
    finally:
        connection.close()


def _open(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?{options}", uri=True)
    try:
        connection.execute("PRAGMA busy_timeout=10000")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def _copied(path: Path, log: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory(prefix="journal-") as folder:
        copy = Path(folder) / path.name
        try:
            shutil.copyfile(path, copy)
            shutil.copyfile(log, copy.with_name(log.name))
        except OSError as fault:
            raise rows.damaged(path, fault.strerror or str(fault)) from fault
        connection = _open(copy, "mode=rw")
        try:
            yield connection
        finally:
            connection.close()


def _in_wal_mode(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            head = stream.read(_WAL_OFFSET + 1)
    except OSError as fault:
        raise rows.damaged(path, fault.strerror or str(fault)) from fault
    return len(head) > _WAL_OFFSET and head[_WAL_OFFSET] == 2
