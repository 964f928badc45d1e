"""`tournament verify` derives what follows from study and journals; an unfinished file is not a damaged one."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from benchmarks.breakage import FORGERIES, finished_run
from tests.cli.arena import tournament
from tournament.storage import sha256_of


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory.mktemp("finished"))


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "r"))


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_whose_hashes_agree_is_found(run: Path, name: str) -> None:
    changed = FORGERIES[name](run, random.Random(name))
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["files"] |= {file: sha256_of(run / file) for file in changed}
    (run / "manifest.json").write_text(json.dumps(manifest))
    done = tournament("verify", "r", cwd=run.parent, expect=4)
    assert "DAMAGE in" in done.stdout


def test_a_quick_verification_says_what_it_did_not_check(run: Path) -> None:
    told = tournament("verify", "r", "--quick", cwd=run.parent).stdout
    assert "not checked: by --quick, hashes alone" in told


def test_an_export_and_its_verification_print_one_digest(run: Path) -> None:
    made = json.loads(tournament("export", "r", "--out", "r.tar.gz", "--json", cwd=run.parent).stdout)
    found = json.loads(tournament("verify", "r.tar.gz", "--json", cwd=run.parent).stdout)
    assert (found["ok"], found["digest"]) == (True, made["digest"])


@pytest.mark.parametrize("wal", [False, True])
def test_a_journal_whose_schema_was_never_committed_is_a_world_not_started(run: Path, wal: bool) -> None:
    world = "ref.r0.s1.n1"
    manifest = json.loads((run / "manifest.json").read_text())
    kept = {
        name: digest
        for name, digest in manifest["files"].items()
        if name.startswith("worlds/") or "/" not in name
    }
    manifest["files"] = {
        name: digest for name, digest in kept.items() if world not in name and not name.startswith("outcomes")
    }
    (run / "manifest.json").write_text(json.dumps(manifest))
    shutil.rmtree(run / "worlds" / world)
    (run / "worlds" / world).mkdir()
    for name in ("outcomes.csv", "outcomes.parquet"):
        (run / name).unlink()
    connection = sqlite3.connect(run / "worlds" / world / "journal.sqlite")
    if wal:
        connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    (run / "worlds" / world / "journal.sqlite").touch()
    status = json.loads(tournament("status", "r", "--json", cwd=run.parent).stdout)
    states = {item["world"]: item["state"] for item in status["worlds"]}
    assert states[world] == "not_started"
    assert "journal" not in tournament("verify", "r", cwd=run.parent, expect=None).stderr
