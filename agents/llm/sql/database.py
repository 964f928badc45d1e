"""The company database of one window: what the desk authorises, as SQL tables, built when first asked.

The market gives schema, descriptions and rows; nothing else is ever put into the image, so there is
nothing hidden to be found in it. The image is kept compressed: hundreds of seats may hold one at once. The
next window's is made from it by adding to the tables that grow, so that a window late in a world
costs no more than an early one.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agents.llm import wording
from agents.llm.sql.pool import Answer, QueryPool
from agents.llm.text import RESULT_BYTES, brief, to_json
from agents.llm.tools.arguments import DEFAULT_ROWS, RefusedCall
from tournament.ports import Desk
from tournament.records import Column, Table

_GUIDE_COLUMNS: Final = (
    Column(name="table_name", type="TEXT", description="name of the table"),
    Column(name="column_name", type="TEXT", description="name of the column; NULL in the table's own row"),
    Column(name="type", type="TEXT", description="INTEGER, REAL or TEXT; NULL in the table's own row"),
    Column(name="description", type="TEXT", description="one line on the table or the column"),
)
GUIDE: Final = Table(
    name="schema_guide",
    description="every table and column of this database, described",
    columns=_GUIDE_COLUMNS,
)
_ENVELOPE: Final = 1024


@dataclass(slots=True)
class KeptImage:
    """One seat's last image, compressed, and the version of the world that it shows; empty at first."""

    version: int = 0
    packed: bytes = b""


class CompanyDatabase:
    """Lazy: a CEO that never queries costs nothing."""

    def __init__(self, desk: Desk, pool: QueryPool, kept: KeptImage | None = None) -> None:
        self._desk = desk
        self._pool = pool
        self._kept = KeptImage() if kept is None else kept
        self._current = False

    async def query(self, sql: str, limit: int = DEFAULT_ROWS) -> Answer:
        if not self._current:
            earlier = zlib.decompress(self._kept.packed) if self._kept.packed else b""
            self._kept.packed = zlib.compress(image(self._desk, earlier, self._kept.version), 1)
            self._kept.version = self._desk.version
            self._current = True
        return await self._pool.run(self._kept.packed, sql, limit)


def tables(desk: Desk) -> tuple[Table, ...]:
    """Return the schema as the CEO sees it: the market's tables and the guide to them."""
    return (*desk.tables(), GUIDE)


def image(desk: Desk, earlier: bytes = b"", version: int = 0) -> bytes:
    """Return the database of the desk's seat and window as SQLite bytes.

    `earlier` is the same seat's image at `version`, to begin from; every table has the same rows in the
    same order as without it.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        if earlier:
            connection.deserialize(earlier)
        connection.execute("BEGIN")
        for table in desk.tables():
            if not earlier:
                _create(connection, table)
            elif not table.grows:
                connection.execute(f"DELETE FROM {_quoted(table.name)}")
            _fill(connection, table, desk.rows(table.name, version if table.grows else 0))
        if not earlier:
            _create(connection, GUIDE)
            _fill(connection, GUIDE, _guide(tables(desk)))
        connection.execute("COMMIT")
        return connection.serialize()
    finally:
        connection.close()


def _create(connection: sqlite3.Connection, table: Table) -> None:
    columns = ", ".join(f"{_quoted(column.name)} {column.type}" for column in table.columns)
    connection.execute(f"CREATE TABLE {_quoted(table.name)} ({columns})")


def _fill(connection: sqlite3.Connection, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
    places = ", ".join("?" for _ in table.columns)
    connection.executemany(f"INSERT INTO {_quoted(table.name)} VALUES ({places})", rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _guide(known: Sequence[Table]) -> Iterator[tuple[str, str | None, str | None, str]]:
    for table in known:
        yield table.name, None, None, table.description
        for column in table.columns:
            yield table.name, column.name, column.type, column.description


def result_text(body: Mapping[str, Any]) -> str:
    """Return a statement's rows as JSON, whole rows within the size of a tool result.

    Raises RefusedCall where the statement was refused.
    """
    if "refused" in body:
        hints = [f" ({hint})" for part, hint in wording.QUERY_HINTS.items() if part in body["refused"]]
        reason = brief(body["refused"], 500) + "".join(hints[:1])
        raise RefusedCall(wording.QUERY_REFUSED.format(reason=reason))
    columns, rows = body["columns"], body["rows"]
    result = {"columns": columns, "rows": rows, "row_count": len(rows), "more": body["more"]}
    text = to_json(result)
    if len(text.encode()) <= RESULT_BYTES:
        return text
    kept = _whole_rows(rows, RESULT_BYTES - _ENVELOPE - len(to_json(columns).encode()))
    if not kept:
        return text
    note = wording.ROWS_CUT.format(kept=len(kept), count=len(rows))
    return to_json({**result, "rows": kept, "row_count": len(kept), "more": True, "note": note})


def _whole_rows(rows: Sequence[Sequence[Any]], room: int) -> Sequence[Sequence[Any]]:
    for count, row in enumerate(rows):
        room -= len(to_json(row).encode()) + 1
        if room < 0:
            return rows[:count]
    return rows
