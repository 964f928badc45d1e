"""A journal to give away: made anew from what may be published, so that no page of it held anything else.

Seals, receipts, postings, daily hashes and outcomes are copied row by row, which is all that replay
needs. Events, memos and the text of private files stay behind; of the files a receipt says what they
were. Equal rows give equal bytes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tournament.journal import rows
from tournament.journal.reader import JournalReader
from tournament.records import Json

NO_MEMO: Final = "null"
_COPIED: Final = (
    ("windows", "window"),
    ("receipts", "window, ordinal"),
    ("posting_blocks", "window"),
    ("days", "day"),
    ("outcomes", "seat, ordinal"),
)
_SEALS: Final = (
    "SELECT window, seat, state, decision_json, reason, rationale FROM seals ORDER BY window, seat"
)


class FreeTexts(Protocol):
    """Takes what is private out of texts that replay does not need."""

    def text(self, text: str) -> str:
        """Return a text without private words."""
        ...

    def reason(self, reason: str) -> str:
        """Return why a window ended unsealed, without private words and those of a provider."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReceipt:
    """What a seat's private file was, without its text."""

    seat: int
    path: str
    characters: int
    bytes: int
    sha256: str


def write_public_journal(source: JournalReader, target: Path, public: FreeTexts) -> None:
    """Write the publishable part of a journal to a new file."""
    seals = [
        (*place, state, decision, public_reason(public, state, reason), public.text(rationale), NO_MEMO)
        for *place, state, decision, reason, rationale in source.query(_SEALS)
    ]
    copied = {table: source.query(f"SELECT * FROM {table} ORDER BY {order}") for table, order in _COPIED}
    with rows.journal_errors(target), closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        _begin(connection)
        meta = _public_meta(source.meta())
        _insert(connection, "meta", sorted((key, rows.to_text(value)) for key, value in meta.items()))
        _insert(connection, "seals", seals)
        for table, found in copied.items():
            _insert(connection, table, found)
        connection.execute("COMMIT")


def public_reason(public: FreeTexts, state: str, reason: str) -> str:
    """Return a window's reason; the market's own, for a refusal, is what replay compares."""
    return reason if state == "refused" else public.reason(reason)


def file_receipts(source: JournalReader) -> list[FileReceipt]:
    """Return a receipt for every private file of every seat, by seat and path."""
    return [
        FileReceipt(
            seat=seat,
            path=path,
            characters=len(text),
            bytes=len(text.encode()),
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for seat, path, text in source.query("SELECT seat, path, text FROM files ORDER BY seat, path")
    ]


def _begin(connection: sqlite3.Connection) -> None:
    for statement in rows.SCHEMA.split(";")[:-1]:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={rows.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={rows.FORMAT}")


def _public_meta(meta: Mapping[str, Json]) -> Mapping[str, Json]:
    """Header and end as they are; of a suspension the kind and route, without the words of its fault."""
    kept = {key: meta[key] for key in ("header", "ended") if key in meta}
    if "suspended" in meta:
        kept["suspended"] = {**meta["suspended"], "message": "(words of the fault are left out)"}
    return kept


def _insert(connection: sqlite3.Connection, table: str, values: Sequence[tuple[Any, ...]]) -> None:
    if values:
        places = ", ".join("?" * len(values[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", values)
