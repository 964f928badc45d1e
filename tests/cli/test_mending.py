"""What is torn in a run directory is named before anything is bought, and made again where that loses nothing."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from tests.cli.arena import Finished, study, tournament

MADE = ("plan.jsonl", "study.json", "study.yaml", "outcomes.csv", "outcomes.parquet")


def ended(folder: Path, *arguments: str | Path) -> Finished:
    """Play to the end; what the statistics make of this market's outcomes is not looked at."""
    file, out, *more = arguments
    return tournament("run", file, "--out", out, *more, cwd=folder, expect=None)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("torn")
    ended(folder, study(folder), "r")
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path / "f")
    return tmp_path / "f"


def torn(path: Path, left: int) -> str:
    """Cut a file; return the digest that it had."""
    whole = path.read_bytes()
    path.write_bytes(whole[: min(left, len(whole) - 1)])
    return hashlib.sha256(whole).hexdigest()


@pytest.mark.parametrize("left", [0, 40])
@pytest.mark.parametrize("name", MADE)
def test_a_torn_file_of_a_finished_run_is_made_again_as_it_was_and_named(
    folder: Path, name: str, left: int
) -> None:
    whole = torn(folder / "r" / name, left)
    done = ended(folder, "street.yaml", "r")
    assert f"{name} was damaged and is made again from the " in done.stderr
    assert hashlib.sha256((folder / "r" / name).read_bytes()).hexdigest() == whole


def test_a_torn_plan_is_made_again_before_the_first_world_is_played(folder: Path) -> None:
    ended(folder, "street.yaml", "o", "--only", "ref.*")
    whole = [torn(folder / "o" / name, 40) for name in MADE[:2]]
    done = ended(folder, "street.yaml", "o")
    first = done.stderr.splitlines()[0]
    assert first.startswith("plan.jsonl was damaged")
    assert "[8/8]" in done.stdout + done.stderr
    again = [hashlib.sha256((folder / "o" / name).read_bytes()).hexdigest() for name in MADE[:2]]
    assert again == whole


def test_what_cannot_be_made_again_is_named_with_what_to_delete_and_nothing_is_played(folder: Path) -> None:
    torn(folder / "r" / "study.yaml", 40)
    with (folder / "street.yaml").open("a", encoding="utf-8") as stream:
        stream.write("# another text of the same study\n")
    done = ended(folder, "street.yaml", "r")
    assert done.returncode not in (0, 1)
    assert "study.yaml is damaged" in done.stderr
    assert "delete r or choose --out" in done.stderr


def test_a_command_that_finds_a_torn_study_says_what_makes_it_again(folder: Path) -> None:
    torn(folder / "r" / "study.json", 40)
    done = tournament("status", "r", cwd=folder, expect=None)
    assert "study.json is damaged" in done.stderr
    assert "makes it again" in done.stderr
