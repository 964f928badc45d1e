"""kill -9 on a real process with a real journal, again and again, ends as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.llm.victim import HEADER, play
from tournament.journal.writer import JOURNAL, open_journal


def run(path: Path, commits: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.llm.victim", str(path), str(commits)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_window_killed_again_and_again_is_the_uninterrupted_one(tmp_path: Path) -> None:
    expected = play(tmp_path / "whole" / JOURNAL, sys.maxsize)
    path = tmp_path / "killed" / JOURNAL
    deaths = 0
    for commits in (1, 2, 3, 4, 5, 7, 9):
        ended = run(path, commits)
        assert ended.returncode == -9, ended.stderr
        deaths += 1
    told = json.loads(run(path, sys.maxsize - 1).stdout)
    assert _without_asked(told) == _without_asked(json.loads(json.dumps(expected)))
    journal = open_journal(path, HEADER, durable=True)
    kinds = [record.kind for record in journal.store(1).records(0)]
    journal.close()
    assert kinds.count("reply") == expected["replies"] == 9
    assert kinds.count("close") == 1
    assert kinds.count("intent") - kinds.count("reply") <= deaths


def _without_asked(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key != "asked"}
