"""Commands that are printed to be copied: a shell reads back what was meant, whatever a path is called."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.arena import ROOT, study, tournament
from tournament.foreign_text import quoted

ROOMS = ("tournament", "externalities", "reports", "agents", "lineups", "market")
# A path put into a printed command as it is: `tournament verify {run}`.
BARE = re.compile(r"tournament [a-z]+ [^`\"]*\{(?!quoted\()")


def test_no_command_is_printed_with_a_bare_path() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if BARE.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("path", ["a b", "$(touch owned)", "it's", "-rf", "`x`;y", "plain-1.0"])
def test_a_quoted_path_is_one_word_and_no_option(path: str) -> None:
    (word,) = shlex.split(quoted(path))
    assert Path(word) == Path(path)
    assert not word.startswith("-")


def test_what_a_run_prints_at_its_end_is_pasted_back_as_it_is(tmp_path: Path) -> None:
    told = tournament("run", study(tmp_path), "--out", "my $(run)", cwd=tmp_path).stdout
    (line,) = re.findall("`(tournament verify .*)`", told)
    assert shlex.split(line) == ["tournament", "verify", "my $(run)"]
