"""A SQL process that dies, stops or starves says nothing of the CEO: its statement is run again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.llm.sql.database import CompanyDatabase
from agents.llm.sql.pool import Answer, QueryPool
from tests.cli.arena import begin, identity, rows, signal_group, tournament, wait_for
from tests.llm.toy import ToyDesk
from tournament.errors import Suspension

COUNT = "SELECT count(*) FROM sales"
LONG = "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k LIMIT 900000) SELECT sum(i) FROM k"
ENDLESS = "WITH RECURSIVE k(i) AS (VALUES(0) UNION ALL SELECT i + 2 FROM k) SELECT max(i) FROM k"
SLOW_FUNCTION = "SELECT instr(printf('%.999990c', 'a'), printf('%.500000c', 'a') || 'b')"


@contextmanager
def pool_of_one(*, processor_seconds: float = 600, guard_seconds: float = 600) -> Iterator[QueryPool]:
    pool = QueryPool(processes=1, processor_seconds=processor_seconds, guard_seconds=guard_seconds)
    try:
        yield pool
    finally:
        pool.close()


def the_process(pool: QueryPool) -> int:
    (process,) = pool._running
    return process.pid


async def while_it_runs(pool: QueryPool, sql: str, act: Callable[[int], object]) -> Answer:
    """Ask a statement, and do something to the process that runs it, whichever that is, in between."""
    asked = asyncio.create_task(CompanyDatabase(ToyDesk(), pool).query(sql))
    await until_busy(pool)
    act(the_process(pool))
    return await asked


def state_of(process: int) -> tuple[str, int]:
    """Return a process's state and the clock ticks that it has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0], int(fields[11]) + int(fields[12])


async def until_busy(pool: QueryPool) -> None:
    """Wait until the pool's process has begun to use processor time on what it was asked."""
    begun: dict[int, int] = {}
    while True:
        await asyncio.sleep(0.01)
        for process in tuple(pool._running):
            state, used = state_of(process.pid)
            if used > begun.setdefault(process.pid, used) and state == "R":
                return


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV, signal.SIGHUP])
async def test_a_statement_whose_process_is_killed_from_outside_is_run_again(number: signal.Signals) -> None:
    with pool_of_one() as pool:
        answer = await while_it_runs(pool, LONG, lambda process: os.kill(process, number))
        assert answer.body["rows"] == [[900000 * 900001 // 2]]
        assert answer.body["limit"] == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_what_a_terminal_sends_ends_no_statement(number: signal.Signals) -> None:
    with pool_of_one() as pool:
        await CompanyDatabase(ToyDesk(), pool).query(COUNT)
        first = the_process(pool)
        assert os.getsid(first) == first
        answer = await while_it_runs(pool, LONG, lambda process: os.kill(process, number))
        assert answer.body["rows"] == [[900000 * 900001 // 2]]
        assert the_process(pool) == first


async def test_a_stopped_process_refuses_nothing_and_its_statement_is_run_again() -> None:
    with pool_of_one(guard_seconds=2) as pool:
        database = CompanyDatabase(ToyDesk(), pool)
        await database.query(COUNT)
        stopped = the_process(pool)
        os.kill(stopped, signal.SIGSTOP)
        answer = await database.query(COUNT)
        assert answer.body["rows"] == [[50]]
        assert the_process(pool) != stopped


async def test_time_in_which_a_process_is_stopped_is_not_the_statements() -> None:
    with pool_of_one(processor_seconds=60) as pool:

        def stop_for_a_while(process: int) -> None:
            os.kill(process, signal.SIGSTOP)
            asyncio.get_running_loop().call_later(1.5, os.kill, process, signal.SIGCONT)

        began = asyncio.get_running_loop().time()
        answer = await while_it_runs(pool, LONG, stop_for_a_while)
        waited = asyncio.get_running_loop().time() - began
        assert answer.body["limit"] == ""
        assert 0 < answer.seconds <= waited - 1.4


async def test_a_statement_that_no_process_survives_suspends_and_is_not_scored() -> None:
    with pool_of_one() as pool:
        asked = asyncio.create_task(CompanyDatabase(ToyDesk(), pool).query(ENDLESS))
        while not asked.done():
            for process in tuple(pool._running):
                process.kill()
            await asyncio.sleep(0.01)
        with pytest.raises(Suspension, match="ended 4 times without an answer") as told:
            await asked
        assert told.value.kind == "harness"
        assert (await CompanyDatabase(ToyDesk(), pool).query(COUNT)).body["rows"] == [[50]]


async def test_an_engine_that_falls_over_a_statement_every_time_is_the_statements_doing() -> None:
    """No statement is known that does it; here every process is made to abort as one of those would."""
    with pool_of_one() as pool:
        asked = asyncio.create_task(CompanyDatabase(ToyDesk(), pool).query(ENDLESS))
        aborted: set[int] = set()
        while not asked.done():
            for process in tuple(pool._running):
                if process.pid not in aborted and state_of(process.pid)[0] == "R":
                    await until_busy(pool)
                    aborted.add(process.pid)
                    os.kill(process.pid, signal.SIGABRT)
            await asyncio.sleep(0.01)
        assert (await asked).body == {"refused": "the engine failed on the statement", "limit": "engine"}


async def test_limits_of_steps_memory_and_processor_time_are_told_apart() -> None:
    bomb = (
        "WITH RECURSIVE r(t, n) AS (SELECT printf('%.90000c', 'a'), 1 UNION SELECT t, n + 1 FROM r)"
        " SELECT t FROM r ORDER BY n DESC"
    )
    with pool_of_one() as pool:
        database = CompanyDatabase(ToyDesk(), pool)
        assert (await database.query(ENDLESS)).body["limit"] == "steps"
        assert (await database.query(bomb)).body["limit"] == "memory"
    with pool_of_one(processor_seconds=0.2) as pool:
        answer = await CompanyDatabase(ToyDesk(), pool).query(SLOW_FUNCTION)
        assert (answer.body["limit"], answer.seconds) == ("clock", 0.2)


STUDY = """\
study: signals
market: {id: ceo_arena@1, overrides: {days: 21}}
seeds: [11]
contestants:
  rule: {policy: rule@1}
  asking: {policy: llm@1, route: own}
  other: {policy: rule@1, params: {multiplier: 1.1}}
lineup: [asking, other]
replace: [asking]
references: [{contestant: rule}]
routes:
  - {id: own, model: mock/script, mock: {script: script.json}, price: {input: 1, output: 1}}
limits: {usd: 100}
"""


def signals_study(folder: Path) -> Path:
    ask = {"name": "query_company", "arguments": {"sql": LONG}}
    script = [
        {"when": {"reply": 1}, "calls": [ask]},
        {"when": {"reply": 2}, "calls": [ask]},
        {"calls": [{"name": "seal_decision", "arguments": {"rationale": "asked"}}]},
    ]
    (folder / "script.json").write_text(json.dumps(script))
    (folder / "study.yaml").write_text(STUDY)
    return folder / "study.yaml"


def results(run: Path) -> list[tuple[object, ...]]:
    """What every query of the run was answered, by world and place."""
    found = []
    for journal in sorted(run.glob("worlds/*/journal.sqlite")):
        for *place, kind, body in rows(journal, "events"):
            if kind == "result":
                found.append((journal.parent.name, *place[:3], json.loads(body)["text"]))
    return found


def sql_process_of(run: int) -> list[int]:
    """Return the SQL processes that a run has started."""
    children = Path(f"/proc/{run}/task").glob("*/children")
    found = [int(child) for listed in children for child in listed.read_text().split()]
    return [child for child in found if b"sql/worker.py" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_to_the_whole_group_amid_a_query_leaves_no_trace_in_the_run(
    tmp_path: Path, number: signal.Signals
) -> None:
    study = signals_study(tmp_path)
    tournament("run", study, "--out", "whole", cwd=tmp_path)
    process = begin("run", study, "--out", "r", cwd=tmp_path)
    wait_for(lambda: bool(sql_process_of(process.pid)), process)
    signal_group(process, number)
    out, err = process.communicate()
    assert process.returncode == 130, out + err
    tournament("run", study, "--out", "r", cwd=tmp_path)
    assert identity(tmp_path / "r") == identity(tmp_path / "whole")
    assert results(tmp_path / "r") == results(tmp_path / "whole")
    assert len(results(tmp_path / "r")) == 6


@pytest.mark.slow
def test_a_killed_sql_process_leaves_no_trace_in_the_run(tmp_path: Path) -> None:
    study = signals_study(tmp_path)
    tournament("run", study, "--out", "whole", cwd=tmp_path)
    process = begin("run", study, "--out", "r", cwd=tmp_path)
    wait_for(lambda: bool(sql_process_of(process.pid)), process)
    for child in sql_process_of(process.pid):
        os.kill(child, signal.SIGKILL)
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert identity(tmp_path / "r") == identity(tmp_path / "whole")
    assert results(tmp_path / "r") == results(tmp_path / "whole")


def test_every_helper_process_is_out_of_the_terminals_reach(tmp_path: Path) -> None:
    """A worker of a run is in a session of its own from its first instant, before it can ignore anything."""
    code = (
        "import os\n"
        "from tournament.playing.pool import open_pool\n"
        "from pathlib import Path\n"
        f"lock = Path({str(tmp_path / 'lock')!r})\n"
        "lock.touch()\n"
        "with open_pool(lock, 2) as pool:\n"
        "    print([os.getsid(worker._process.pid) == worker._process.pid for worker in pool._workers])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[True, True]\n"
