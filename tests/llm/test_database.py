"""The company database: what a CEO may read, and that SQL can do nothing else, however it is asked."""

from __future__ import annotations

import os
import resource
import sqlite3
import zlib
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents.llm.sql.database import CompanyDatabase, KeptImage, image, tables
from agents.llm.sql.pool import QueryPool
from tests.llm.toy import SALES, SECRET, ToyDesk
from tournament.conformance_drawing import drawn_decision
from tournament.records import Table
from tournament.registry import market_kind

REFUSED = {
    "SQL-01": [
        "ATTACH DATABASE 'other.db' AS e",
        "ATTACH ':memory:' AS e",
        "VACUUM INTO 'copy.db'",
        "DETACH main",
    ],
    "SQL-03": [
        "PRAGMA query_only=OFF",
        "PRAGMA writable_schema=ON",
        "PRAGMA table_info(company)",
        "SELECT * FROM pragma_table_info('company')",
        "SELECT count(*) FROM pragma_database_list",
        "CREATE TABLE e(a)",
        "CREATE TEMP TABLE e(a)",
        "CREATE TEMP VIEW e AS SELECT 1",
        "CREATE VIRTUAL TABLE f USING fts5(x)",
        "INSERT INTO company VALUES (1, 2, 'x')",
        "UPDATE company SET cash_cents = 9",
        "WITH x AS (SELECT 1) DELETE FROM company",
        "REPLACE INTO company VALUES (1, 2, 'x')",
        "DROP TABLE company",
        "ALTER TABLE company RENAME TO c",
        "BEGIN",
        "SAVEPOINT s",
        "ANALYZE",
        "REINDEX",
        "VACUUM",
        "SELECT * FROM sqlite_master",
        "SELECT count(*) FROM sqlite_schema",
        "SELECT count(*) FROM sqlite_temp_master",
        "SELECT * FROM main.sqlite_master AS company",
        "SELECT * FROM dbstat",
    ],
    "SQL-05": [
        "SELECT 'a--b' AS t\n;\nUPDATE company SET cash_cents = 0",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE company",
        "/* only a comment */",
        "-- only a comment",
        ";",
        "this is not SQL",
    ],
    "SQL-11": [
        "SELECT load_extension('x.so')",
        "SELECT writefile('x','y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT * FROM pragma_journal_mode",
        "SELECT random()",
        "SELECT hex(randomblob(4))",
        "SELECT date('now')",
        "SELECT datetime()",
        "SELECT CURRENT_TIMESTAMP",
        "SELECT sqlite_version()",
        "SELECT changes()",
        "SELECT json_extract('{}', '$')",
        "SELECT * FROM json_each('[1]')",
        "SELECT * FROM generate_series(1, 3)",
        "SELECT edit('x')",
        "SELECT 'a' REGEXP 'a'",
        "SELECT count(*) FROM json_each('[1]')",
    ],
}


@pytest.fixture
async def pool() -> AsyncIterator[QueryPool]:
    made = QueryPool(processes=1)
    yield made
    made.close()


async def ask(pool: QueryPool, sql: str, limit: int = 1000, desk: ToyDesk | None = None) -> dict[str, Any]:
    answer = await CompanyDatabase(desk or ToyDesk(), pool).query(sql, limit)
    return dict(answer.body)


@pytest.mark.parametrize("case", sorted(REFUSED))
async def test_nothing_but_reading_the_companys_tables_is_done(
    case: str, pool: QueryPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    desk = ToyDesk()
    database = CompanyDatabase(desk, pool)
    for sql in REFUSED[case]:
        answer = await database.query(sql)
        assert "refused" in answer.body, sql
    assert os.listdir(tmp_path) == []
    whole = await database.query("SELECT seat, cash_cents, name FROM company")
    assert whole.body["rows"] == [[1, 1000, "Tea & Rye"]]


async def test_sql_07_a_statement_without_rows_stops_at_a_count_of_steps() -> None:
    pool = QueryPool(processes=1, processor_seconds=600)
    endless = [
        "WITH RECURSIVE k(i) AS (VALUES(0) UNION ALL SELECT i + 2 FROM k) SELECT max(i) FROM k",
        "SELECT count(*) FROM sales a, sales b, sales c, sales d, sales e WHERE a.units + e.day < 0",
    ]
    for sql in endless:
        first, second = await ask(pool, sql), await ask(pool, sql)
        assert first == second
        assert first["limit"] == "steps"
    assert (await ask(pool, "SELECT count(*) FROM sales"))["rows"] == [[50]]
    pool.close()


async def test_sql_09_values_rows_results_and_memory_are_bounded(pool: QueryPool) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bombs = [
        "SELECT length(randomblob(900000000))",
        "SELECT length(hex(zeroblob(400000000)))",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 2000)"
        " SELECT length(group_concat(printf('%.100000c', 'a'), '')) FROM r",
        "WITH RECURSIVE r(t) AS (SELECT 'aa' UNION ALL SELECT t || t FROM r) SELECT max(length(t)) FROM r",
        "WITH RECURSIVE r(t, n) AS (SELECT printf('%.90000c', 'a'), 1 UNION SELECT t, n + 1 FROM r)"
        " SELECT t FROM r ORDER BY n DESC",
        "SELECT replace(printf('%.90000c', 'a'), 'a', printf('%.90000c', 'b'))",
        "SELECT a.note || b.note || printf('%.9000c', 'x') FROM sales a, sales b",
        "SELECT 1 WHERE 'aaaaaaaaaaaaaaaaaaaa' LIKE '" + "%a" * 60 + "b'",
    ]
    for sql in bombs:
        assert "refused" in await ask(pool, sql, limit=10_000), sql
    # A width beyond the length limit gives no text at all.
    assert (await ask(pool, "SELECT length(printf('%900000000s', 'x'))"))["rows"] in ([[None]], [[1]])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 * 1024


async def test_sql_09_a_single_function_that_runs_too_long_ends_by_its_processor_time() -> None:
    pool = QueryPool(processes=1, processor_seconds=0.3)
    try:
        database = CompanyDatabase(ToyDesk(), pool)
        slow = "SELECT instr(printf('%.999990c', 'a'), printf('%.500000c', 'a') || 'b')"
        answer = await database.query(slow)
        assert answer.body["limit"] == "clock"
        after = await database.query("SELECT count(*) FROM sales")
        assert after.body["rows"] == [[50]]
    finally:
        pool.close()


async def test_rows_are_1000_unless_asked_and_more_are_told(pool: QueryPool) -> None:
    desk = ToyDesk(days=1500)
    body = await ask(pool, "SELECT day FROM sales", desk=desk)
    assert (len(body["rows"]), body["more"]) == (1000, True)
    body = await ask(pool, "SELECT day FROM sales", limit=1500, desk=desk)
    assert (len(body["rows"]), body["more"]) == (1500, False)


async def test_every_table_and_column_is_described_in_the_database_itself(pool: QueryPool) -> None:
    body = await ask(pool, "SELECT table_name, column_name, description FROM schema_guide")
    known = {(table, column) for table, column, _ in body["rows"]}
    for table in tables(ToyDesk()):
        assert (table.name, None) in known
        assert all((table.name, column.name) in known for column in table.columns)
    assert all(text for _, _, text in body["rows"])


def test_nothing_that_the_desk_does_not_give_is_in_the_image() -> None:
    assert SECRET.encode() not in image(ToyDesk())
    connection = sqlite3.connect(":memory:")
    connection.deserialize(image(ToyDesk()))
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    connection.close()
    assert names == {"company", "sales", "schema_guide"}


async def test_a_ceo_that_never_queries_costs_nothing_and_one_that_does_is_served_once(
    pool: QueryPool,
) -> None:
    desk = ToyDesk()
    database = CompanyDatabase(desk, pool)
    assert desk.rows_asked == []
    for _ in range(3):
        await database.query("SELECT 1")
    assert desk.rows_asked == ["company", "sales"]


def contents(packed: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Every table's rows with their row numbers, in the order in which a plain scan gives them."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(packed)
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        return {name: connection.execute(f'SELECT rowid, * FROM "{name}"').fetchall() for name in names}


async def test_a_later_windows_database_adds_to_the_last_one_and_holds_what_a_new_one_would(
    pool: QueryPool,
) -> None:
    market = market_kind("ceo_arena@1").configure({"days": 63})
    world = market.open(29, 3)
    kept = KeptImage()
    random = Random(5)
    while world.window < world.windows:
        desk = world.desk(2)
        if world.window not in (3, 4):  # a CEO need not query in every window
            await CompanyDatabase(desk, pool, kept).query("SELECT 1")
            assert contents(zlib.decompress(kept.packed)) == contents(image(desk))
        world.settle([drawn_decision(world.desk(seat), random) for seat in (1, 2, 3)])


async def test_a_windows_database_reads_the_new_days_alone(pool: QueryPool) -> None:
    asked: list[int] = []

    class Growing(ToyDesk):
        def tables(self) -> tuple[Table, ...]:
            return (replace(SALES, grows=True),)

        def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
            found = [(day, day % 7, self.note) for day in range(after + 1, self.version + 1)]
            asked.append(len(found))
            return found

    kept = KeptImage()
    for window in range(1, 6):
        count = "SELECT count(*) FROM sales"
        answer = await CompanyDatabase(Growing(window=window), pool, kept).query(count)
        assert answer.body["rows"] == [[7 * window]]
    assert asked == [7] * 5


async def test_ordinary_analysis_works(pool: QueryPool) -> None:
    body = await ask(
        pool,
        "WITH weekly AS (SELECT (day - 1) / 7 AS week, sum(units) AS units FROM sales GROUP BY 1)"
        " SELECT week, units, units - lag(units) OVER (ORDER BY week) AS change, round(avg(units) OVER (), 1)"
        " FROM weekly WHERE week IN (1, 2) ORDER BY week",
    )
    assert body["rows"] == [[1, 21, None, 21.0], [2, 21, 0, 21.0]]
    body = await ask(pool, "SELECT count(*) FROM (SELECT DISTINCT units FROM sales WHERE note LIKE 'o%')")
    assert body["rows"] == [[7]]


async def test_values_that_json_has_not_are_shown_as_text(pool: QueryPool) -> None:
    body = await ask(pool, "SELECT 9e999, -9e999, x'00ff', CAST(x'ff' AS TEXT), NULL")
    assert body["rows"] == [["inf", "-inf", "x'00ff'", "\ufffd", None]]


def test_the_sql_process_ends_with_its_parent() -> None:
    import subprocess
    import sys

    code = (
        "import asyncio, os, sys\n"
        "from agents.llm.sql.pool import QueryPool\n"
        "from agents.llm.sql.database import CompanyDatabase\n"
        "from tests.llm.toy import ToyDesk\n"
        "pool = QueryPool(processes=1)\n"
        "asyncio.run(CompanyDatabase(ToyDesk(), pool).query('SELECT 1'))\n"
        "(child,) = pool._running\n"
        "print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    parent = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    child = int(parent.stdout)
    while True:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
            break
