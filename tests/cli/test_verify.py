"""`tournament verify` finds a flipped byte anywhere, names world and file, and needs no write access."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cli.arena import study, tournament
from tests.cli.test_run import without_privilege

WORLD = "base-for-b.r0.s1.n1"
FILES = ("journal.sqlite", "daily.parquet", "windows.parquet", "market.parquet")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    tournament("run", study(folder, seeds=(1,)), "--out", "r", cwd=folder)
    return folder / "r"


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run that a test may damage."""
    return Path(shutil.copytree(finished, tmp_path / "r"))


def flip(path: Path, at: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[at % len(raw)] ^= 1 << (at % 8)
    path.write_bytes(raw)


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_byte_is_found_and_named(run: Path, name: str) -> None:
    path = run / "worlds" / WORLD / name
    flip(path, random.Random(name).randrange(path.stat().st_size))
    done = tournament("verify", "r", cwd=run.parent, expect=4)
    assert (
        f"DAMAGE in worlds/{WORLD}/{name} (world {WORLD}): does not have the bytes that were published"
        in done.stdout
    )
    report = json.loads(tournament("verify", "r", "--json", cwd=run.parent, expect=4).stdout)
    assert report["ok"] is False
    assert {(item["world"], item["file"]) for item in report["damage"]} == {(WORLD, f"worlds/{WORLD}/{name}")}


@pytest.mark.parametrize(
    "name", ["outcomes.csv", "outcomes.parquet", "externalities/private.csv", "plan.jsonl"]
)
def test_a_changed_table_is_found(run: Path, name: str) -> None:
    flip(run / name, (run / name).stat().st_size - 2)
    done = tournament("verify", "r", cwd=run.parent, expect=4)
    assert name in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        (
            "UPDATE seals SET decision_json = '{\"price\":300}' WHERE window = 2 AND seat = 1",
            "day 15 replays to another",
        ),
        ("UPDATE days SET hash = 'x' WHERE day = 3", "day 3 replays to another state"),
        (
            "UPDATE posting_blocks SET rows_json = json_set(rows_json, '$[29][3]', 1) WHERE window = 0",
            "posting 30 differs from the replay",
        ),
        (
            "UPDATE posting_blocks SET rows_json = json_remove(rows_json, '$[8]') WHERE window = 0",
            "posting 9 differs from the replay",
        ),
        (
            "UPDATE receipts SET detail = 'bribed' WHERE window = 1",
            "window 1: receipts differ from the replay",
        ),
        ("UPDATE outcomes SET value = value + 1 WHERE metric = 'score_cents'", "its outcomes differ"),
        (
            "UPDATE seals SET state = 'refused' WHERE window = 1 AND seat = 2",
            "window 1, seat 2: sealed as refused",
        ),
        ("UPDATE windows SET scores = '[1,2,3]' WHERE window = 0", "window 0: days or scores differ"),
        ("DELETE FROM meta WHERE key = 'ended'", "it has every window but no end"),
        ("UPDATE seals SET decision_json = '{' WHERE window = 1", "window 1: the decision is not JSON"),
    ],
)
def test_a_forged_journal_with_a_matching_hash_does_not_replay(
    run: Path, statement: str, complaint: str
) -> None:
    """Whoever can rewrite the manifest can make hashes agree; the replay still tells."""
    from tournament.storage import sha256_of

    journal = run / "worlds" / WORLD / "journal.sqlite"
    connection = sqlite3.connect(journal)
    assert connection.execute(statement).rowcount > 0
    connection.commit()
    connection.close()
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["files"][f"worlds/{WORLD}/journal.sqlite"] = sha256_of(journal)
    (run / "manifest.json").write_text(json.dumps(manifest))
    done = tournament("verify", "r", cwd=run.parent, expect=4)
    assert complaint in done.stdout
    assert f"worlds/{WORLD}/journal.sqlite" in done.stdout


def test_an_emptied_journal_is_not_counted_as_replayed(run: Path) -> None:
    (run / "worlds" / WORLD / "journal.sqlite").write_bytes(b"")
    done = tournament("verify", "r", cwd=run.parent, expect=4)
    assert "3 of 4 worlds finished and replayed, 1 finished but not replayed, 0 unfinished" in done.stdout
    report = json.loads(tournament("verify", "r", "--json", cwd=run.parent, expect=4).stdout)
    assert WORLD in report["finished"]
    assert WORLD not in report["replayed"]


def test_a_missing_and_a_stray_file_are_named(run: Path) -> None:
    (run / "worlds" / WORLD / "daily.parquet").unlink()
    (run / "worlds" / WORLD / "journal.sqlite-wal").write_bytes(b"appended later")
    (run / "worlds" / "smuggled").mkdir()
    done = tournament("verify", "r", cwd=run.parent, expect=4)
    assert f"worlds/{WORLD}/daily.parquet (world {WORLD}): is missing" in done.stdout
    assert f"worlds/{WORLD}/journal.sqlite-wal (world {WORLD}): was never published" in done.stdout
    assert "worlds/smuggled (world smuggled): is no world of this study" in done.stdout


def test_damage_in_an_unfinished_world_is_found_by_replay(tmp_path: Path) -> None:
    """No hash vouches for an unfinished journal; its logic does."""
    outage = tmp_path / "outage"
    outage.touch()
    third = f'{{policy: talker@1, params: {{outage: "{outage}"}}}}'
    tournament("run", study(tmp_path, seeds=(1,), third=third), "--out", "r", cwd=tmp_path, expect=3)
    told = tournament("verify", "r", cwd=tmp_path).stdout
    assert "unfinished: ref.r0.s1.n1, 2 windows settled" in told
    assert "1 of 4 worlds finished and replayed, 3 unfinished: all as recorded" in told
    connection = sqlite3.connect(tmp_path / "r" / "worlds" / "ref.r0.s1.n1" / "journal.sqlite")
    connection.execute("UPDATE seals SET decision_json = '{\"price\":299}' WHERE window = 1 AND seat = 1")
    connection.commit()
    connection.close()
    done = tournament("verify", "r", cwd=tmp_path, expect=4)
    assert "worlds/ref.r0.s1.n1/journal.sqlite" in done.stdout
    resumed = tournament("run", tmp_path / "street.yaml", "--out", "r", cwd=tmp_path, expect=3)
    assert "invalid: ref.r0.s1.n1: world ref.r0.s1.n1: day 8 replays to another state" in resumed.stdout


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root ignores modes")
def test_verification_needs_no_write_access_and_leaves_no_trace(run: Path) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in run.rglob("*"))
    for folder in (run, *(path for path in run.rglob("*") if path.is_dir())):
        folder.chmod(0o555)
    try:
        tournament("verify", "r", cwd=run.parent, prefix=without_privilege())
        tournament("status", "r", cwd=run.parent, prefix=without_privilege())
    finally:
        for folder in (run, *(path for path in run.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
    assert sorted((path, path.stat().st_mtime_ns) for path in run.rglob("*")) == before


def test_a_torn_manifest_is_damage_and_no_manifest_is_no_run(run: Path) -> None:
    raw = (run / "manifest.json").read_text()
    (run / "manifest.json").write_text(raw[: len(raw) // 2])
    done = tournament("verify", "r", cwd=run.parent, expect=4)
    assert "manifest.json is damaged" in done.stderr
    (run / "manifest.json").unlink()
    done = tournament("verify", "r", cwd=run.parent, expect=2)
    assert "is not a run directory" in done.stderr
