"""The journal keeps whole windows, says what is wrong with a file, and disturbs nothing when read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tournament.toys import HEADER, PAID, after, journal_in, play
from tournament.errors import DamageError
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.records import Choice
from tournament.storage import sha256_of


def path_in(folder: Path) -> Path:
    return folder / "ref.r0.s1.n1" / JOURNAL


async def test_an_ended_journal_is_one_file_that_reopening_and_reading_leave_as_it_is(tmp_path: Path) -> None:
    await play(tmp_path)
    journal_in(tmp_path).finish()
    before = sha256_of(path_in(tmp_path))
    assert [path.name for path in path_in(tmp_path).parent.iterdir()] == [JOURNAL]
    again = journal_in(tmp_path)
    assert again.ended
    again.finish()
    with read_journal(path_in(tmp_path)) as reader:
        assert len(reader.days()) == 28
    assert sha256_of(path_in(tmp_path)) == before
    assert [path.name for path in path_in(tmp_path).parent.iterdir()] == [JOURNAL]


async def test_cash_is_the_sum_of_the_postings_kept_and_none_of_them_is_zero(tmp_path: Path) -> None:
    _, world = await play(tmp_path)
    with read_journal(path_in(tmp_path)) as reader:
        postings = reader.postings()
    for seat, stand in enumerate(world.stands, start=1):
        assert postings[postings[:, 1] == seat][:, 3].sum() == stand.cash
    assert (postings[:, 3] != 0).all()


async def test_reading_a_journal_in_play_sees_whole_windows_and_lets_its_writer_go_on(tmp_path: Path) -> None:
    await play(tmp_path, stop=after(2))
    writer = journal_in(tmp_path)
    with read_journal(path_in(tmp_path)) as reader:
        assert [row[0] for row in reader.windows()] == [0, 1]
        writer.keep_choice(2, 1, Choice(decision={"price": 5}))
        assert reader.choices(2)[1].decision == {"price": 5}
    writer.close()


async def test_a_killed_writers_journal_is_read_from_a_folder_without_write_access(tmp_path: Path) -> None:
    """The log of a killed process stays beside the file; without write access it is read from a copy."""
    await play(tmp_path, stop=after(2))
    writer = journal_in(tmp_path)
    writer.keep_choice(2, 1, Choice(decision={"price": 7}))
    dead = tmp_path / "dead"
    dead.mkdir()
    for name in (JOURNAL, f"{JOURNAL}-wal"):
        shutil.copyfile(path_in(tmp_path).with_name(name), dead / name)
    writer.close()
    dead.chmod(0o555)
    try:
        assert _price_read_without_privilege(dead / JOURNAL) == "7\n"
    finally:
        dead.chmod(0o755)


def _price_read_without_privilege(path: Path) -> str:
    """Root ignores modes: give up the right to override them where that right is held."""
    reading = (
        "import sys; from pathlib import Path; from tournament.journal.reader import read_journal\n"
        "with read_journal(Path(sys.argv[1])) as reader: print(reader.choices(2)[1].decision['price'])"
    )
    command = [sys.executable, "-c", reading, str(path)]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path_in(tmp_path).parent.mkdir()
    path_in(tmp_path).write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(DamageError, match=r"journal\.sqlite is damaged: file is not a database"):
        journal_in(tmp_path)
    with pytest.raises(DamageError, match="is damaged"), read_journal(path_in(tmp_path)):
        pass


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path_in(tmp_path).parent.mkdir()
    connection = sqlite3.connect(path_in(tmp_path))
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(DamageError, match="not a journal"):
        journal_in(tmp_path)
    connection = sqlite3.connect(path_in(tmp_path))
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]
    connection.close()


def test_a_journal_of_another_world_is_refused_and_says_what_differs(tmp_path: Path) -> None:
    journal_in(tmp_path).close()
    with pytest.raises(DamageError, match="another world: seed differ"):
        journal_in(tmp_path, header={**HEADER, "seed": 2})


def test_a_file_that_a_killed_process_had_only_begun_is_started_again(tmp_path: Path) -> None:
    path_in(tmp_path).parent.mkdir()
    path_in(tmp_path).touch()
    journal_in(tmp_path).close()
    path_in(tmp_path).unlink()
    connection = sqlite3.connect(path_in(tmp_path))
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    journal = journal_in(tmp_path)
    assert journal.windows() == []
    journal.close()


async def test_a_truncated_journal_is_damage_and_not_a_shorter_world(tmp_path: Path) -> None:
    await play(tmp_path)
    journal_in(tmp_path).finish()
    raw = path_in(tmp_path).read_bytes()
    path_in(tmp_path).write_bytes(raw[: len(raw) // 2])
    with pytest.raises(DamageError, match="is damaged"):
        await play(tmp_path)


def test_an_event_and_its_files_are_durable_together_and_counted(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, durable=True)
    store = journal.store(2)
    first = store.append(0, "reply", {"text": "première"}, {"a/MEMORY.md": "one", "b.txt": "two"})
    second = store.append(0, "tool", {"half": "\ud800"}, {"b.txt": None})
    other = store.append(1, "reply", {})
    assert (first.sequence, second.sequence, other.sequence) == (0, 1, 0)
    assert journal.commits == 3
    journal.close()
    again = journal_in(tmp_path, durable=True).store(2)
    assert [record.body for record in again.records(0)] == [{"text": "première"}, {"half": "\ud800"}]
    assert again.files() == {"a/MEMORY.md": "one"}
    assert again.append(0, "tool", {}).sequence == 2


def test_sizes_follow_every_change_and_a_text_is_read_alone(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, durable=True)
    store = journal.store(1)
    assert store.file_sizes() == {}
    store.append(0, "result", {}, {"b": "two", "a": "\N{SNOWMAN}"})
    store.append(0, "result", {}, {"b": None, "c/d": "four"})
    assert store.file_sizes() == {"a": 1, "c/d": 4} == journal.store(1).file_sizes()
    files = store.files()
    assert (list(files), len(files), files.get("b"), files["c/d"]) == (["a", "c/d"], 2, None, "four")
    store.append(0, "result", {}, {"a": "changed"})
    assert files["a"] == "changed"


def test_a_seat_never_sees_another_seats_files_or_events(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, durable=True)
    journal.store(1).append(0, "note", {}, {"secret": "mine"})
    assert journal.store(2).files() == {}
    assert journal.store(2).records(0) == []
    journal.close()


def test_a_failed_append_leaves_neither_event_nor_file(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, durable=True)
    store = journal.store(1)
    store.append(0, "reply", {}, {"kept": "yes"})
    with pytest.raises(UnicodeEncodeError):
        store.append(0, "reply", {}, {"kept": None, "broken": "\ud800"})
    assert [record.sequence for record in store.records(0)] == [0]
    assert store.files() == {"kept": "yes"}
    assert store.append(0, "reply", {}).sequence == 1
    journal.close()


async def test_paid_worlds_commit_every_event_and_free_ones_a_window_at_a_time(tmp_path: Path) -> None:
    free = journal_in(tmp_path / "free")
    assert not free.durable
    free.close()
    await play(tmp_path / "paid", PAID, stop=after(1))
    with read_journal(path_in(tmp_path / "paid")) as reader:
        assert [record.kind for record in reader.events(2, 0)] == ["reply"]
        assert reader.files(2) == {"MEMORY.md": "asked 66"}


async def test_anyone_can_audit_a_firms_cash_with_one_query(tmp_path: Path) -> None:
    _, world = await play(tmp_path)
    connection = sqlite3.connect(path_in(tmp_path))
    sums = connection.execute("SELECT seat, sum(cents) FROM postings GROUP BY seat ORDER BY seat").fetchall()
    connection.close()
    assert sums == [(seat, stand.cash) for seat, stand in enumerate(world.stands, start=1)]
