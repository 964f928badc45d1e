"""Whoever reads a finished file checks its hash first: nothing is concluded from what was changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.arena import tournament
from tests.cli.short_study import short_study

COMMANDS = (
    ("externalities", "r"),
    ("report", "r"),
    ("power", "r", "--effect", "50"),
    ("export", "r", "--out", "r.tar.gz"),
    ("decompose", "r"),
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    tournament("run", short_study(folder), "--out", "r", cwd=folder)
    return folder / "r"


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run that a test may damage."""
    return Path(shutil.copytree(finished, tmp_path / "r"))


def raise_a_score(run: Path) -> None:
    """Give the first seat of outcomes.csv ten thousand dollars more."""
    path = run / "outcomes.csv"
    lines = path.read_text().splitlines(keepends=True)
    names, cells = lines[0].rstrip("\n").split(","), lines[1].rstrip("\n").split(",")
    at = names.index("score_cents")
    cells[at] = str(int(cells[at]) + 1_000_000)
    path.write_text("".join([lines[0], ",".join(cells) + "\n", *lines[2:]]))


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_no_command_concludes_anything_from_changed_outcomes(run: Path, words: tuple[str, ...]) -> None:
    raise_a_score(run)
    before = {path: path.read_bytes() for path in (run / "externalities").rglob("*.csv")}
    manifest = (run / "manifest.json").read_bytes()
    done = tournament(*words, cwd=run.parent, expect=4)
    assert "outcomes.csv is not what was published; `tournament verify r` tells more" in done.stderr
    assert (run / "manifest.json").read_bytes() == manifest
    assert {path: path.read_bytes() for path in (run / "externalities").rglob("*.csv")} == before


def test_a_manifest_that_forgets_the_outcomes_of_finished_worlds_is_damaged(run: Path) -> None:
    raise_a_score(run)
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["files"]["outcomes.csv"]
    (run / "manifest.json").write_text(json.dumps(manifest))
    done = tournament("externalities", "r", cwd=run.parent, expect=4)
    assert "every world is finished, and it names no outcomes.csv" in done.stderr


def test_a_comparison_and_a_report_refuse_changed_tables_of_effects(run: Path) -> None:
    path = run / "externalities" / "private_summary.csv"
    path.write_text(path.read_text() + "\n")
    shutil.copytree(run, run.parent / "other")
    for words in (("compare", "r", "other"), ("report", "r")):
        done = tournament(*words, cwd=run.parent, expect=4)
        assert "private_summary.csv is not what was published" in done.stderr


def test_a_world_s_own_tables_are_compared_before_statistics_read_them(run: Path) -> None:
    path = run / "worlds" / "ref.r0.s1.n1" / "windows.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    done = tournament("externalities", "r", cwd=run.parent, expect=4)
    assert "worlds/ref.r0.s1.n1/windows.parquet is not what was published" in done.stderr
