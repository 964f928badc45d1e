"""The process that runs a CEO's SQL: one statement on a copy of the company database, then nothing is left.

Imports the standard library alone and runs as an isolated script with an empty environment, no file
it could write and no more memory than it needs. Its own processor time ends it, which is the one
limit that holds inside a single SQL function; every other limit is the engine's own and
deterministic. Messages on the pipes: a length, then JSON; a request is followed by the database image.
"""

from __future__ import annotations

import json
import signal
import sqlite3
import struct
import sys
import time
import zlib
from collections.abc import Mapping
from typing import IO, Any, Final

# Virtual-machine steps, counted by the engine: about one second of ordinary scans and joins, so that on
# a slower machine this limit, which is the same everywhere, still comes before two of processor time.
STEPS: Final = 60_000_000
STEPS_PER_CHECK: Final = 10_000
RESULT_BYTES: Final = 1_000_000
VALUE_BYTES: Final = 1_000_000
HEAP_BYTES: Final = 128 * 1024 * 1024
PROCESS_BYTES: Final = 512 * 1024 * 1024
# Bounds on what one statement can make the engine build before it takes its first step: the counter of
# steps sees neither parsing nor one function's own work, so lengths, depths and arguments are bounded here.
LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 80_000),
    (sqlite3.SQLITE_LIMIT_COLUMN, 200),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 20),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 25_000),
    (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 16),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
# Nothing random, nothing that reads a clock, a file, the schema or the engine's state.
FUNCTIONS: Final = frozenset(
    [
        "abs",
        "avg",
        "ceil",
        "ceiling",
        "coalesce",
        "count",
        "cume_dist",
        "dense_rank",
        "exp",
        "first_value",
        "floor",
        "format",
        "glob",
        "group_concat",
        "ifnull",
        "iif",
        "instr",
        "lag",
        "last_value",
        "lead",
        "length",
        "like",
        "ln",
        "log",
        "log10",
        "log2",
        "lower",
        "ltrim",
        "max",
        "min",
        "mod",
        "nth_value",
        "ntile",
        "nullif",
        "percent_rank",
        "pow",
        "power",
        "printf",
        "quote",
        "rank",
        "replace",
        "round",
        "row_number",
        "rtrim",
        "sign",
        "sqrt",
        "substr",
        "substring",
        "sum",
        "total",
        "trim",
        "trunc",
        "typeof",
        "unicode",
        "upper",
    ]
)
MEMORY: Final = "the statement needs more memory than is allowed"
_LENGTH: Final = struct.Struct(">I")


class Stopped(Exception):
    """A result over its size; the text names the limit."""


def answer(image: bytes, sql: str, limit: int) -> Mapping[str, Any]:
    """Run one statement; return `columns`, `rows`, `more`, or why it is `refused` and by which `limit`."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        checks = _guarded(connection, image)
        try:
            return _fetched(connection.execute(sql), limit)
        except Stopped as stop:
            return {"refused": str(stop), "limit": "size"}
        except MemoryError:
            return {"refused": MEMORY, "limit": "memory"}
        except (sqlite3.Error, sqlite3.Warning, ValueError) as fault:
            if checks[0] * STEPS_PER_CHECK > STEPS:
                return {"refused": f"the statement took more than {STEPS} steps", "limit": "steps"}
            return {"refused": str(fault)[:500], "limit": ""}
    finally:
        connection.close()


def _guarded(connection: sqlite3.Connection, image: bytes) -> list[int]:
    """Load the image and close every door; return the counter of the step limit."""
    connection.deserialize(image)
    # Order matters: these pragmas and lists are read before the authorizer, which denies all of them.
    connection.execute("PRAGMA query_only=1")
    connection.execute("PRAGMA temp_store=2")
    connection.execute("PRAGMA trusted_schema=0")
    connection.execute(f"PRAGMA hard_heap_limit={HEAP_BYTES}")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    modules = {name for (name,) in connection.execute("SELECT name FROM pragma_module_list")}
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for name, most in LIMITS:
        connection.setlimit(name, most)
    checks = [0]

    def allow(action: int, first: str | None, second: str | None, base: str | None, _by: str | None) -> int:
        # A common table expression of which no column is read is asked for by name, in no database.
        expression = base is None and second == "" and not _is_engines(first or "", modules)
        # A list of what is allowed, not of what is not: a new version's new action is denied by itself.
        allowed = (
            action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE)
            or (action == sqlite3.SQLITE_READ and (first in tables or expression))
            or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in FUNCTIONS)
        )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def check() -> int:
        checks[0] += 1
        return int(checks[0] * STEPS_PER_CHECK > STEPS)

    connection.set_authorizer(allow)
    connection.set_progress_handler(check, STEPS_PER_CHECK)
    return checks


def _is_engines(name: str, modules: set[str]) -> bool:
    """Tell the engine's own tables and table functions from names that a statement has made up."""
    folded = name.casefold()
    return folded.startswith(("sqlite_", "pragma_")) or folded in modules


def _fetched(cursor: sqlite3.Cursor, limit: int) -> Mapping[str, Any]:
    """Return up to `limit` rows; raises Stopped beyond the result's size."""
    if cursor.description is None:
        return {"refused": "only a statement that returns rows is run", "limit": ""}
    rows: list[list[Any]] = []
    size = 0
    for row in cursor:
        if len(rows) == limit:
            return {"columns": _columns(cursor), "rows": rows, "more": True, "limit": ""}
        rows.append([_plain(value) for value in row])
        size += sum(len(value) if isinstance(value, str) else 8 for value in rows[-1])
        if size > RESULT_BYTES:
            raise Stopped(f"the result is larger than {RESULT_BYTES} bytes; select less")
    return {"columns": _columns(cursor), "rows": rows, "more": False, "limit": ""}


def _columns(cursor: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in cursor.description]


def _plain(value: Any) -> Any:
    """JSON has neither bytes nor infinities."""
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value


def confine() -> None:
    """Take from this process what SQL never needs; where the system knows no limits, the engine's remain."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    if sys.platform == "linux":  # other systems refuse to set it
        resource.setrlimit(resource.RLIMIT_AS, (PROCESS_BYTES, PROCESS_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until the pipe closes, which it does when the parent dies."""
    send(answers, b"{}")
    while True:
        head = receive(requests)
        if head is None:
            return
        image = receive(requests)
        if image is None:
            return
        send(answers, _timed_answer(json.loads(head), image))


def _timed_answer(asked: Mapping[str, Any], image: bytes) -> bytes:
    """Return the answer as JSON with its seconds of processor time.

    Beyond those allowed the system ends this process, wherever it is, by a signal that nobody else sends:
    its parent can tell that end from every other. Time in which the process is stopped, or waits for its
    turn on a busy machine, is not counted.
    """
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, asked["seconds"])
    try:
        body = answer(zlib.decompress(image), asked["sql"], asked["limit"])
    except MemoryError:
        body = {"refused": MEMORY, "limit": "memory"}
    signal.setitimer(signal.ITIMER_PROF, 0)
    return json.dumps({"body": body, "seconds": time.process_time() - begun}).encode()


def send(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Return the next message, or None when the other side has gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    message = stream.read(size)
    return message if len(message) == size else None


if __name__ == "__main__":
    # What ends the arena is the arena's to act on: it may still be finishing the window.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    confine()
    serve(sys.stdin.buffer, sys.stdout.buffer)
