"""The journal of one world: the only writer of its seals, receipts, postings, hashes and seat stores.

A window is one transaction, so that a process killed at any instant leaves whole windows and nothing
else; the world is rebuilt from them by replay. Journals whose seats cost money commit durably
(`synchronous=FULL`) at every event, model-free ones a window at a time (`NORMAL`). When the world ends
the file leaves WAL mode, so that its hash can be published and it can be read without write access.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from pydantic_core import to_json

from tournament.errors import Suspension
from tournament.journal import rows
from tournament.records import Choice, Json, Receipt, Record, Seal, Settlement
from tournament.storage import disk_errors, fsync_folder

JOURNAL: Final = "journal.sqlite"
BUSY_MILLISECONDS: Final = 10_000
_INSERT_CHOICE: Final = "INSERT INTO choices VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_SEAL: Final = "INSERT INTO seals VALUES (?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedWindow:
    """A settled window as it is written: seals in seat order, memos by seat, scores so far by seat."""

    seals: Sequence[Seal]
    memos: Mapping[int, Json]
    settlement: Settlement
    scores: Sequence[int]


class Journal:
    """An open journal; `commits` counts transactions, each one fsync where `durable`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, *, durable: bool) -> None:
        self.path = path
        self.durable = durable
        self.commits = 0
        self._connection = connection

    @property
    def ended(self) -> bool:
        return "ended" in self.meta()

    def meta(self) -> Mapping[str, Json]:
        with rows.journal_errors(self.path):
            return rows.read_meta(self._connection)

    def seals(self) -> tuple[Seal, ...]:
        with rows.journal_errors(self.path):
            return rows.read_seals(self._connection)

    def memos(self) -> Mapping[int, Json]:
        with rows.journal_errors(self.path):
            return rows.read_memos(self._connection)

    def days(self) -> tuple[str, ...]:
        with rows.journal_errors(self.path):
            return rows.read_days(self._connection)

    def windows(self) -> list[tuple[int, int, int, tuple[int, ...]]]:
        with rows.journal_errors(self.path):
            return rows.read_windows(self._connection)

    def choices(self, window: int) -> Mapping[int, Choice]:
        """Return what seats have already chosen in an unsettled window: they are not asked again."""
        with rows.journal_errors(self.path):
            return rows.read_choices(self._connection, window)

    def conversations(self) -> list[tuple[int, int]]:
        """Return the (seat, window) pairs that have events, in order."""
        with rows.journal_errors(self.path):
            return rows.read_conversations(self._connection)

    def decided(self) -> list[tuple[int, int]]:
        """Return the (seat, window) pairs whose decision has been taken, settled or not."""
        with rows.journal_errors(self.path):
            return rows.read_decided(self._connection)

    def events(self, seat: int, window: int) -> Sequence[Record]:
        with rows.journal_errors(self.path):
            return rows.read_events(self._connection, seat, window)

    def store(self, seat: int) -> SeatEvents:
        """Return a seat's durable store (a tournament.ports.SeatStore)."""
        return SeatEvents(self, seat)

    def keep_choice(self, window: int, seat: int, choice: Choice) -> None:
        """Make a seat's choice durable before the others have finished their window."""
        with self._transaction() as connection:
            connection.execute(_INSERT_CHOICE, (window, seat, *_choice_row(choice)))

    def close_window(
        self, closed: ClosedWindow, outcomes: Sequence[Mapping[str, int | None]] | None = None
    ) -> None:
        """Write a settled window whole, and with the last one the world's outcomes."""
        settlement = closed.settlement
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO windows VALUES (?, ?, ?, ?)",
                (
                    settlement.window,
                    settlement.first_day,
                    settlement.last_day,
                    rows.to_text([int(score) for score in closed.scores]),
                ),
            )
            connection.executemany(_INSERT_SEAL, _seal_rows(closed))
            if self.durable:
                connection.execute("DELETE FROM choices WHERE window = ?", (settlement.window,))
            _write_settlement(connection, settlement)
            if outcomes is not None:
                connection.executemany("INSERT INTO outcomes VALUES (?, ?, ?, ?)", _outcome_rows(outcomes))
                self._set("ended", True)

    def suspend(self, suspension: Suspension) -> None:
        """Record why the world stands still, for status and for the next run."""
        with self._transaction():
            self._set("suspended", asdict(suspension.fault))

    def resume(self) -> None:
        """Forget a recorded suspension: the world is being played again."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM meta WHERE key = 'suspended'")

    def finish(self) -> None:
        """Checkpoint, leave WAL mode and close: from here on the file's bytes stand still."""
        with rows.journal_errors(self.path):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._leave_wal()
        self.close()

    def close(self) -> None:
        with rows.journal_errors(self.path):
            self._connection.close()

    def _leave_wal(self) -> None:
        """Leave WAL mode; SQLite does not wait by itself here for whoever is just reading."""
        until = time.monotonic() + BUSY_MILLISECONDS / 1000
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=DELETE")
            except sqlite3.OperationalError as fault:
                if fault.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
            else:
                return

    def _set(self, key: str, value: Json) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, rows.to_text(value)))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with rows.journal_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            self.commits += 1


class SeatEvents:
    """One seat's events and private files in the world's journal; an append is one transaction."""

    def __init__(self, journal: Journal, seat: int) -> None:
        self._journal = journal
        self._seat = seat
        self._next: dict[int, int] = {}
        # Told by every listing of a seat's files, whose texts may be two hundred megabytes.
        self._sizes: dict[str, int] | None = None

    def records(self, window: int) -> Sequence[Record]:
        return self._journal.events(self._seat, window)

    def append(
        self,
        window: int,
        kind: str,
        body: Mapping[str, Json],
        files: Mapping[str, str | None] | None = None,
    ) -> Record:
        sequence = self._sequence(window)
        with self._journal._transaction() as connection:
            connection.execute(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?)",
                (self._seat, window, sequence, kind, rows.to_text(body)),
            )
            for path, text in (files or {}).items():
                _change_file(connection, self._seat, path, text)
        if self._sizes is not None:
            changed = {path: None if text is None else len(text) for path, text in (files or {}).items()}
            sizes: Mapping[str, int | None] = {**self._sizes, **changed}
            self._sizes = {path: size for path, size in sizes.items() if size is not None}
        self._next[window] = sequence + 1
        return Record(sequence=sequence, window=window, kind=kind, body=body)

    def files(self) -> Mapping[str, str]:
        return rows.StoredFiles(self._journal.path, self._journal._connection, self._seat)

    def file_sizes(self) -> Mapping[str, int]:
        if self._sizes is None:
            with rows.journal_errors(self._journal.path):
                self._sizes = rows.file_sizes(self._journal._connection, self._seat)
        return self._sizes

    def _sequence(self, window: int) -> int:
        if window not in self._next:
            query = "SELECT coalesce(max(sequence) + 1, 0) FROM events WHERE seat = ? AND window = ?"
            with rows.journal_errors(self._journal.path):
                found = self._journal._connection.execute(query, (self._seat, window)).fetchone()
            self._next = {window: found[0]}
        return self._next[window]


def open_journal(path: Path, header: Mapping[str, Json], *, durable: bool) -> Journal:
    """Open a world's journal for writing, or start it; `header` says which world it must be."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with rows.journal_errors(path), ExitStack() as stack:
        connection = sqlite3.connect(path, isolation_level=None)
        stack.callback(connection.close)
        _configure(connection, durable=durable)
        if rows.is_blank(connection):
            _start(connection, header)
            for folder in (path.parent, path.parent.parent):
                fsync_folder(folder)
        rows.require_journal(connection, path)
        _require_header(connection, path, header)
        stack.pop_all()
    return Journal(path, connection, durable=durable)


def _configure(connection: sqlite3.Connection, *, durable: bool) -> None:
    """Wait for locks before anything that takes one: WAL mode is set under the busy timeout."""
    connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    if not _has_ended(connection):
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
    if not durable:
        connection.execute("PRAGMA wal_autocheckpoint=8000")  # one checkpoint, when the world ends


def _has_ended(connection: sqlite3.Connection) -> bool:
    if rows.is_blank(connection) or connection.execute("PRAGMA journal_mode").fetchone() != ("delete",):
        return False
    found = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'meta'").fetchone()
    return found == (1,) and "ended" in rows.read_meta(connection)


def _start(connection: sqlite3.Connection, header: Mapping[str, Json]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in rows.SCHEMA.split(";")[:-1]:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={rows.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={rows.FORMAT}")
    connection.execute("INSERT INTO meta VALUES ('header', ?)", (rows.to_text(header),))
    connection.execute("COMMIT")


def _require_header(connection: sqlite3.Connection, path: Path, header: Mapping[str, Json]) -> None:
    meta = rows.read_meta(connection)
    if meta["header"] != header:
        changed = sorted(key for key in header if meta["header"].get(key) != header[key])
        raise rows.damaged(path, f"it was written for another world: {', '.join(changed)} differ")


def _choice_row(choice: Choice) -> tuple[str, str, str, str, str]:
    return (
        choice.state,
        rows.to_text(choice.decision),
        rows.plain(choice.reason),
        rows.plain(choice.rationale),
        rows.to_text(choice.memo),
    )


def _seal_rows(closed: ClosedWindow) -> list[tuple[int, int, str, str, str, str, str]]:
    return [
        (
            seal.window,
            seal.seat,
            seal.state,
            rows.to_text(seal.decision),
            rows.plain(seal.reason),
            rows.plain(seal.rationale),
            rows.to_text(closed.memos[seal.seat]),
        )
        for seal in closed.seals
    ]


def _write_settlement(connection: sqlite3.Connection, settlement: Settlement) -> None:
    connection.executemany(
        "INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (settlement.window, ordinal, *_receipt_row(receipt))
            for ordinal, receipt in enumerate(settlement.receipts)
        ],
    )
    moved = settlement.postings[settlement.postings[:, 3] != 0]
    block = to_json(moved.tolist()).decode()  # a fifth of the time of the standard library's encoder
    connection.execute("INSERT INTO posting_blocks VALUES (?, ?)", (settlement.window, block))
    connection.executemany(
        "INSERT INTO days VALUES (?, ?)", list(enumerate(settlement.hashes, start=settlement.first_day))
    )


def _receipt_row(receipt: Receipt) -> tuple[int, int, str, str, int, int | None, str]:
    return (
        receipt.seat,
        receipt.window,
        receipt.action,
        receipt.status,
        int(receipt.cents),
        receipt.effective_day,
        rows.plain(receipt.detail),
    )


def _outcome_rows(
    outcomes: Sequence[Mapping[str, int | None]],
) -> list[tuple[int, int, str, int | None]]:
    return [
        (seat, ordinal, metric, None if value is None else int(value))
        for seat, metrics in enumerate(outcomes, start=1)
        for ordinal, (metric, value) in enumerate(metrics.items())
    ]


def _change_file(connection: sqlite3.Connection, seat: int, path: str, text: str | None) -> None:
    if text is None:
        connection.execute("DELETE FROM files WHERE seat = ? AND path = ?", (seat, path))
    else:
        connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (seat, path, text))
