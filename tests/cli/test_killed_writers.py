"""Commands killed between writing their files and recording them: unfinished is not damaged, and nothing is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.arena import begin, environment, identity, study, tournament, wait_for

# Runs a command that is killed at its n-th record of files in the manifest, just before it.
KILLED = """
import os, signal, sys
import tournament.rundir.manifest as manifest

left, record = int(sys.argv.pop(1)), manifest.record_files

def killed(*arguments):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    record(*arguments)

manifest.record_files = killed
from tournament.cli.app import main
main()
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    tournament("run", study(folder), "--out", "r", cwd=folder)
    tournament("decompose", "r", cwd=folder)
    return folder / "r"


def killed_at(record: int, *words: str, cwd: Path) -> None:
    line = [sys.executable, "-c", KILLED, str(record), *words]
    done = subprocess.run(line, cwd=cwd, env=environment(), capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done


@pytest.mark.parametrize(("command", "record"), [("decompose", 1), ("decompose", 2), ("externalities", 1)])
def test_what_a_killed_command_wrote_and_did_not_record_is_not_damaged(
    finished: Path, tmp_path: Path, command: str, record: int
) -> None:
    """At its first record `decompose` has written the hybrids, at its second the statistics with `summary.json`."""
    tournament("run", study(tmp_path), "--out", "r", cwd=tmp_path)
    killed_at(record, command, "r", cwd=tmp_path)
    assert "all as recorded" in tournament("verify", "r", cwd=tmp_path).stdout
    tournament("status", "r", cwd=tmp_path)
    tournament("decompose", "r", cwd=tmp_path)
    assert "all as recorded" in tournament("verify", "r", cwd=tmp_path).stdout
    assert identity(tmp_path / "r") == identity(finished)


@pytest.mark.parametrize("target", ["group", "sweeper"])
def test_a_killed_export_leaves_no_temporary_folder(finished: Path, tmp_path: Path, target: str) -> None:
    """Not when its whole group is killed, and not when the process is that would have removed the folder."""
    process = begin("export", finished, "--out", "r.tar.gz", cwd=tmp_path)
    wait_for(lambda: any(tmp_path.glob(".r.tar.gz.*/content/*")), process)
    if target == "group":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
    process.communicate()
    while any(tmp_path.glob(".r.tar.gz.*")):
        time.sleep(0.01)  # the sweeper notices the end of what it waits for, and takes an instant
    tournament("export", finished, "--out", "r.tar.gz", cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.tar.gz"]


def test_a_report_killed_before_its_list_was_written_is_unfinished(finished: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "r"))
    tournament("report", "r", "--format", "csv", cwd=tmp_path)
    (run / "report" / "made.json").unlink()
    told = tournament("verify", "r", cwd=tmp_path).stdout
    assert "not checked: report/: it has no made.json, so that nothing vouches for it" in told
    assert "all as recorded" in told
