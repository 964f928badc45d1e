"""What a journal holds beside what one writes: a table, a view, a kind of row that no world has put there.

Replay compares the rows that it reads. A row that it never asks for, or a table that nobody knows, would
travel with the file and be believed by whoever queries it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from typing import Final

from tournament.journal import rows
from tournament.journal.reader import JournalReader

_PARTS: Final = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%'"
_META: Final = ("header", "ended", "suspended")
# Rows of windows that are not settled, and of days and seats that the world has not had.
_GHOSTS: Final = (
    ("receipts", "SELECT count(*) FROM receipts WHERE window NOT IN (SELECT window FROM windows)"),
    (
        "posting_blocks",
        "SELECT count(*) FROM posting_blocks WHERE window NOT IN (SELECT window FROM windows)",
    ),
    ("choices", "SELECT count(*) FROM choices WHERE window IN (SELECT window FROM windows)"),
    (
        "days",
        "SELECT count(*) FROM days WHERE day < 1 OR day > (SELECT coalesce(max(last_day), 0) FROM windows)",
    ),
)


def extra_parts(journal: JournalReader) -> Iterator[str]:
    """Yield what a journal holds that none of this format does."""
    found = {(kind, name): sql for kind, name, _, sql in journal.query(_PARTS)}
    known = _known()
    for kind, name in sorted(found.keys() ^ known.keys()):
        yield f"it {'holds' if (kind, name) in found else 'lacks'} the {kind} {name!r}"
    for kind, name in sorted(found.keys() & known.keys()):
        if found[kind, name] != known[kind, name]:
            yield f"its {kind} {name} is another than a journal has"
    if found.keys() == known.keys():
        for key in journal.meta():
            if key not in _META:
                yield f"its table meta holds {key!r}"
        for table, query in _GHOSTS:
            if journal.query(query) != [(0,)]:
                yield f"its table {table} has rows of windows or days that were never settled, or are long since"


@cache
def _known() -> dict[tuple[str, str], str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(rows.SCHEMA)
        return {(kind, name): sql for kind, name, _, sql in connection.execute(_PARTS)}
