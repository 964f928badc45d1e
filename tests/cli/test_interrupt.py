"""Stopped, killed or crowded at any instant: the same command goes on, and the end is as if nothing had been."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.arena import (
    ROOT,
    begin,
    identity,
    signal_group,
    study,
    talker,
    tournament,
    wait_for,
    windows_settled,
)

SLOW = 25


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Return what the study leaves when nothing interrupts it."""
    folder = tmp_path_factory.mktemp("whole")
    tournament("run", study(folder, slow=SLOW, days=84), "--out", "r", cwd=folder)
    return identity(folder / "r")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_one_signal_stops_at_a_durable_point_and_the_account_adds_up(
    tmp_path: Path, whole: dict[str, object], number: signal.Signals
) -> None:
    path = study(tmp_path, slow=SLOW, days=84)
    process = begin("run", path, "--out", "r", "--jobs", "2", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") >= 15, process)
    signal_group(process, number)
    out, err = process.communicate()
    assert process.returncode == 130, out + err
    assert "stopping at the end of the current window" in out
    account = next(line for line in out.splitlines() if "not started, of 8 worlds" in line)
    done, interrupted, suspended, waiting = (int(part.split()[0]) for part in account.split(", ")[:4])
    assert (done + interrupted + waiting, suspended) == (8, 0)
    assert 1 <= interrupted <= 2
    assert "the same command continues the run" in out
    settled = windows_settled(tmp_path / "r")
    verified = tournament("verify", "r", cwd=tmp_path)
    assert (
        f"{done} of 8 worlds finished and replayed, {interrupted} unfinished: all as recorded"
        in verified.stdout
    )
    tournament("run", path, "--out", "r", cwd=tmp_path)
    assert windows_settled(tmp_path / "r") == 8 * 12 > settled
    assert identity(tmp_path / "r") == whole


def test_a_second_signal_does_not_wait_for_the_end_of_a_window(tmp_path: Path) -> None:
    """Windows last many seconds: had the first been waited for, it would be settled."""
    process = begin("run", study(tmp_path, slow=8000), "--out", "r", "--jobs", "2", cwd=tmp_path)
    wait_for(lambda: len(list((tmp_path / "r").glob("worlds/*/journal.sqlite"))) == 2, process)
    time.sleep(0.5)
    signal_group(process, signal.SIGINT)
    time.sleep(0.2)
    signal_group(process, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, out + err
    assert "0 done, 2 interrupted, 0 suspended, 6 not started, of 8 worlds" in out
    assert windows_settled(tmp_path / "r") == 0


def test_two_signals_in_a_row_lose_no_settled_window(tmp_path: Path, whole: dict[str, object]) -> None:
    path = study(tmp_path, slow=SLOW, days=84)
    process = begin("run", path, "--out", "r", "--jobs", "2", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") >= 15, process)
    settled = windows_settled(tmp_path / "r")
    signal_group(process, signal.SIGINT)
    time.sleep(0.01)
    signal_group(process, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, out + err
    assert "interrupted" in out
    assert windows_settled(tmp_path / "r") >= settled
    tournament("run", path, "--out", "r", cwd=tmp_path)
    assert identity(tmp_path / "r") == whole


def test_signals_reach_worlds_of_this_process_too(tmp_path: Path) -> None:
    """Worlds with paid seats play in the parent: one signal lets their windows end, and nothing is bought twice."""
    log = tmp_path / "calls"
    path = study(tmp_path, slow=SLOW, days=84, seeds=(1,), third=talker(log))
    process = begin("run", path, "--out", "r", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") >= 6, process)
    signal_group(process, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, out + err
    tournament("run", path, "--out", "r", cwd=tmp_path)
    calls = log.read_text().splitlines()
    assert len(calls) == len(set(calls)) == 3 * 12


@pytest.mark.slow
@pytest.mark.parametrize("draw", range(3))
def test_killed_at_random_instants_a_run_ends_as_if_it_never_was(
    tmp_path: Path, whole: dict[str, object], draw: int
) -> None:
    """kill -9 of the parent alone: its workers must notice, and never write beside the next owner's."""
    instants = random.Random(draw)
    path = study(tmp_path, slow=SLOW, days=84)
    killed = 0
    for _ in range(3):
        process = begin("run", path, "--out", "r", "--jobs", "2", cwd=tmp_path)
        try:
            process.wait(timeout=instants.uniform(0.3, 2.5))
        except subprocess.TimeoutExpired:  # still running, which is what was waited for
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.communicate()
    tournament("run", path, "--out", "r", cwd=tmp_path)
    assert identity(tmp_path / "r") == whole
    tournament("verify", "r", cwd=tmp_path)
    assert killed > 0


@pytest.mark.slow
@pytest.mark.parametrize("draw", range(2))
def test_killed_in_paid_worlds_buys_nothing_twice(tmp_path: Path, draw: int) -> None:
    instants = random.Random(draw)
    log = tmp_path / "calls"
    path = study(tmp_path, slow=SLOW, days=84, third=talker(log))
    for _ in range(3):
        process = begin("run", path, "--out", "r", cwd=tmp_path)
        settled = windows_settled(tmp_path / "r")
        wait_for(lambda settled=settled: windows_settled(tmp_path / "r") > settled + 3, process)  # type: ignore[misc]
        time.sleep(instants.uniform(0, 0.1))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    tournament("run", path, "--out", "r", cwd=tmp_path)
    calls = log.read_text().splitlines()
    log.unlink()
    tournament("run", path, "--out", "whole", cwd=tmp_path)
    assert identity(tmp_path / "r") == identity(tmp_path / "whole")
    # The toy provider is asked before its answer is durable: a kill in between may ask again, once each.
    assert len(set(calls)) == 6 * 12
    assert len(calls) - len(set(calls)) <= 3 * 6


def test_the_workers_of_a_killed_parent_leave_and_their_world_goes_on(
    tmp_path: Path, whole: dict[str, object]
) -> None:
    path = study(tmp_path, slow=SLOW, days=84)
    process = begin("run", path, "--out", "r", "--jobs", "2", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") >= 5, process)
    workers = children_of(process.pid)
    assert len(workers) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    tournament("run", path, "--out", "r", cwd=tmp_path)
    assert not any(is_alive(worker) for worker in workers)
    assert identity(tmp_path / "r") == whole


def test_a_killed_worker_suspends_its_world_and_the_others_go_on(
    tmp_path: Path, whole: dict[str, object]
) -> None:
    path = study(tmp_path, slow=SLOW, days=84)
    process = begin("run", path, "--out", "r", "--jobs", "2", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") >= 5, process)
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate()
    assert process.returncode == 3, out + err
    assert "7 done, 0 interrupted, 1 suspended, 0 not started" in out
    assert "its worker process ended (killed by SIGKILL)" in out
    tournament("run", path, "--out", "r", cwd=tmp_path)
    assert identity(tmp_path / "r") == whole


def children_of(parent: int) -> list[int]:
    """Return the process ids of a process's children."""
    tasks = Path(f"/proc/{parent}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


def is_alive(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.slow
def test_the_built_in_market_killed_and_resumed_ends_identical(tmp_path: Path) -> None:
    """The smoke study in the market that is shipped: kernels, tenders and ten weeks, killed as it goes."""
    smoke = ROOT / "lineups" / "studies" / "smoke.yaml"
    tournament("run", smoke, "--out", "whole", cwd=tmp_path)
    for settled in (3, 30):
        process = begin("run", smoke, "--out", "r", "--jobs", "2", cwd=tmp_path)
        wait_for(lambda settled=settled: windows_settled(tmp_path / "r") >= settled, process)  # type: ignore[misc]
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    tournament("run", smoke, "--out", "r", cwd=tmp_path)
    assert identity(tmp_path / "r") == identity(tmp_path / "whole")
    tournament("verify", "r", cwd=tmp_path)
