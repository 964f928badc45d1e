"""The journal's schema, and its rows as records: what the writer and every reader share.

One SQLite file a world. Decisions and memos are kept as canonical JSON text, so that what is replayed
is what was settled. A window's postings are one JSON array, which costs a tenth of as many rows; the view
`postings` shows them as rows, so that anyone can audit a firm's cash with one query.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tournament.errors import DamageError, DirectoryError, StorageError
from tournament.records import Choice, Json, Receipt, Record, Seal
from tournament.storage import refused

APPLICATION_ID: Final = 0x43454F41  # "CEOA": tells a journal from any other SQLite file
FORMAT: Final = 1

SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE windows (window INTEGER PRIMARY KEY, first_day INTEGER NOT NULL, last_day INTEGER NOT NULL,
  scores TEXT NOT NULL);
CREATE TABLE seals (window INTEGER NOT NULL, seat INTEGER NOT NULL, state TEXT NOT NULL,
  decision_json TEXT NOT NULL, reason TEXT NOT NULL, rationale TEXT NOT NULL, memo TEXT NOT NULL,
  PRIMARY KEY (window, seat)) WITHOUT ROWID;
CREATE TABLE receipts (window INTEGER NOT NULL, ordinal INTEGER NOT NULL, seat INTEGER NOT NULL,
  asked_window INTEGER NOT NULL, action TEXT NOT NULL, status TEXT NOT NULL, cents INTEGER NOT NULL,
  effective_day INTEGER, detail TEXT NOT NULL, PRIMARY KEY (window, ordinal)) WITHOUT ROWID;
CREATE TABLE posting_blocks (window INTEGER PRIMARY KEY, rows_json TEXT NOT NULL);
CREATE VIEW postings (day, seat, account, cents) AS
  SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
    json_extract(value, '$[3]') FROM posting_blocks, json_each(posting_blocks.rows_json)
  ORDER BY posting_blocks.window, key;
CREATE TABLE days (day INTEGER PRIMARY KEY, hash TEXT NOT NULL);
CREATE TABLE outcomes (seat INTEGER NOT NULL, ordinal INTEGER NOT NULL, metric TEXT NOT NULL,
  value INTEGER, PRIMARY KEY (seat, ordinal)) WITHOUT ROWID;
CREATE TABLE choices (window INTEGER NOT NULL, seat INTEGER NOT NULL, state TEXT NOT NULL,
  decision_json TEXT NOT NULL, reason TEXT NOT NULL, rationale TEXT NOT NULL, memo TEXT NOT NULL,
  PRIMARY KEY (window, seat)) WITHOUT ROWID;
CREATE TABLE events (seat INTEGER NOT NULL, window INTEGER NOT NULL, sequence INTEGER NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (seat, window, sequence)) WITHOUT ROWID;
CREATE TABLE files (seat INTEGER NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (seat, path)) WITHOUT ROWID;
"""


class UnreadableRow(sqlite3.DatabaseError):
    """A row that no journal writes; its words say where it stands, and never what it holds."""


@contextmanager
def journal_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours: damage, a full or read-only disk, another process; keep its words."""
    try:
        yield
    except sqlite3.Error as fault:
        raise _translated(path, fault) from fault


def _translated(path: Path, fault: sqlite3.Error) -> Exception:
    if isinstance(fault, UnreadableRow):
        return damaged(path, str(fault))
    if "Could not decode to UTF-8" in str(fault):
        return damaged(path, "it holds a text that is not UTF-8")  # SQLite's own words quote the text
    code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path, str(fault))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DirectoryError(f"{path} is in use by another process: {fault}")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return refused(path, str(fault))
    if isinstance(fault, sqlite3.OperationalError) and "no such" in str(fault):
        return damaged(path, str(fault))
    return StorageError(f"{path}: {fault}")


def damaged(path: Path, reason: str) -> DamageError:
    """Return the error for a journal that is not what was written, with the way out."""
    return DamageError(f"{path} is damaged: {reason}; move the world's folder away to play it again")


def is_blank(connection: sqlite3.Connection) -> bool:
    """Tell a file that a killed process had only begun: no table, no mark of another program."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(application == 0 and tables == 0)


def require_journal(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DamageError unless the file is a journal of this format."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        raise damaged(path, "it is a SQLite file but not a journal")
    if version != FORMAT:
        raise damaged(path, f"it has journal format {version}, this program reads {FORMAT}")


def to_text(value: Json) -> str:
    """Return compact JSON with sorted keys that SQLite can hold: half surrogates stay escaped."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text


def plain(text: str) -> str:
    """Return text that SQLite and UTF-8 can hold: half surrogates are shown as escapes."""
    return text.encode(errors="backslashreplace").decode()


def from_text(text: str | bytes, where: str) -> Json:
    """Return the JSON value of a row's text; raises UnreadableRow, which says where it stands."""
    try:
        return json.loads(text.decode() if isinstance(text, bytes) else text)
    except UnicodeDecodeError:
        raise UnreadableRow(f"{where} is not UTF-8") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise UnreadableRow(f"{where} is not JSON") from None


def read_meta(connection: sqlite3.Connection) -> dict[str, Json]:
    query = "SELECT key, value FROM meta"
    meta = {key: from_text(value, f"the world's {key}") for key, value in connection.execute(query)}
    if not isinstance(meta.get("header"), dict) or not isinstance(meta.get("suspended", {}), dict):
        raise UnreadableRow("the world's header is missing or no object")
    return meta


def read_seals(connection: sqlite3.Connection) -> tuple[Seal, ...]:
    """Return all seals in order of window and seat."""
    query = "SELECT window, seat, state, decision_json, reason, rationale FROM seals ORDER BY window, seat"
    return tuple(
        Seal(
            window=window,
            seat=seat,
            state=state,
            decision=from_text(decision, f"seat {seat}, window {window}: the decision"),
            reason=reason,
            rationale=rationale,
        )
        for window, seat, state, decision, reason, rationale in connection.execute(query)
    )


def read_memos(connection: sqlite3.Connection) -> dict[int, Json]:
    """Return each seat's memo of its latest closed window."""
    query = "SELECT seat, memo, max(window) FROM seals GROUP BY seat"
    return {
        seat: from_text(memo, f"seat {seat}, window {window}: the memo")
        for seat, memo, window in connection.execute(query)
    }


def read_choices(connection: sqlite3.Connection, window: int) -> dict[int, Choice]:
    """Return the choices already made in a window that is not settled yet, by seat."""
    query = "SELECT seat, state, decision_json, reason, rationale, memo FROM choices WHERE window = ?"
    return {
        seat: Choice(
            decision=from_text(decision, f"seat {seat}, window {window}: the decision"),
            memo=from_text(memo, f"seat {seat}, window {window}: the memo"),
            rationale=rationale,
            state=state,
            reason=reason,
        )
        for seat, state, decision, reason, rationale, memo in connection.execute(query, (window,))
    }


def read_receipts(connection: sqlite3.Connection, window: int) -> tuple[Receipt, ...]:
    """Return the receipts of one settlement in the market's order."""
    query = (
        "SELECT seat, asked_window, action, status, cents, effective_day, detail FROM receipts"
        " WHERE window = ? ORDER BY ordinal"
    )
    return tuple(
        Receipt(
            seat=seat,
            window=asked_window,
            action=action,
            status=status,
            cents=cents,
            effective_day=day,
            detail=detail,
        )
        for seat, asked_window, action, status, cents, day, detail in connection.execute(query, (window,))
    )


def read_postings(connection: sqlite3.Connection) -> NDArray[np.int64]:
    """Return all postings as rows (day, seat, account, cents) in the market's order."""
    query = "SELECT window, rows_json FROM posting_blocks ORDER BY window"
    blocks = [from_text(text, f"window {window}: the postings") for window, text in connection.execute(query)]
    return np.array([row for block in blocks for row in block], dtype=np.int64).reshape(-1, 4)


def read_days(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the state hash of each completed day, in order."""
    return tuple(digest for (digest,) in connection.execute("SELECT hash FROM days ORDER BY day"))


def read_windows(connection: sqlite3.Connection) -> list[tuple[int, int, int, tuple[int, ...]]]:
    """Return (window, first day, last day, score of each seat so far) of each settled window."""
    query = "SELECT window, first_day, last_day, scores FROM windows ORDER BY window"
    return [
        (window, first, last, tuple(from_text(scores, f"window {window}: the scores")))
        for window, first, last, scores in connection.execute(query)
    ]


def read_outcomes(connection: sqlite3.Connection) -> tuple[Mapping[str, int | None], ...]:
    """Return each seat's metrics in the market's order; empty until the world has ended."""
    seats: dict[int, dict[str, int | None]] = {}
    query = "SELECT seat, metric, value FROM outcomes ORDER BY seat, ordinal"
    for seat, metric, value in connection.execute(query):
        seats.setdefault(seat, {})[metric] = value
    return tuple(seats.values())


def read_conversations(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the (seat, window) pairs that have events, in order."""
    return connection.execute("SELECT DISTINCT seat, window FROM events ORDER BY seat, window").fetchall()


def read_decided(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the (seat, window) pairs whose decision has been taken, settled or not."""
    return connection.execute(
        "SELECT seat, window FROM seals UNION SELECT seat, window FROM choices"
    ).fetchall()


def read_events(connection: sqlite3.Connection, seat: int, window: int) -> Sequence[Record]:
    """Return one seat's events of one window in order; a gap in their sequence is damage."""
    query = "SELECT sequence, kind, CAST(body AS BLOB) FROM events WHERE seat = ? AND window = ? ORDER BY sequence"
    records: list[Record] = []
    for sequence, kind, body in connection.execute(query, (seat, window)):
        where = f"seat {seat}, window {window}, sequence {sequence}"
        if sequence != len(records):
            missing = f"seat {seat}, window {window}, sequence {len(records)}"
            raise UnreadableRow(f"{missing}: the record is missing")
        value = from_text(body, f"{where}: the record")
        if not isinstance(value, dict):
            raise UnreadableRow(f"{where}: the record is not an object")
        records.append(Record(sequence=sequence, window=window, kind=kind, body=value))
    return records


def read_files(connection: sqlite3.Connection, seat: int) -> dict[str, str]:
    """Return a seat's private files by path."""
    query = "SELECT path, text FROM files WHERE seat = ? ORDER BY path"
    return dict(connection.execute(query, (seat,)).fetchall())


def file_sizes(connection: sqlite3.Connection, seat: int) -> dict[str, int]:
    """Return the characters of a seat's private files by path."""
    query = "SELECT path, length(text) FROM files WHERE seat = ? ORDER BY path"
    return dict(connection.execute(query, (seat,)).fetchall())


@dataclass(frozen=True, slots=True, eq=False)
class StoredFiles(Mapping[str, str]):
    """A seat's private files as they are now: two hundred megabytes at the most, so each is read alone."""

    path: Path
    connection: sqlite3.Connection
    seat: int

    def __getitem__(self, name: str) -> str:
        with journal_errors(self.path):
            query = "SELECT text FROM files WHERE seat = ? AND path = ?"
            row = self.connection.execute(query, (self.seat, name)).fetchone()
        if row is None:
            raise KeyError(name)
        text: str = row[0]
        return text

    def __iter__(self) -> Iterator[str]:
        with journal_errors(self.path):
            return iter(file_names(self.connection, self.seat))

    def __len__(self) -> int:
        with journal_errors(self.path):
            return len(file_names(self.connection, self.seat))


def file_names(connection: sqlite3.Connection, seat: int) -> list[str]:
    """Return the paths of a seat's private files, in order."""
    query = "SELECT path FROM files WHERE seat = ? ORDER BY path"
    return [path for (path,) in connection.execute(query, (seat,))]
