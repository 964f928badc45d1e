"""`tournament watch`: a view of a run that shows what goes on and never disturbs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.arena import (
    begin,
    command,
    environment,
    identity,
    signal_group,
    study,
    talker,
    tournament,
    wait_for,
    windows_settled,
)
from tests.export.gateway import PLACE, THOUGHT, gateway
from tests.export.panels import KEY, panel_study
from tests.watch.terminal import LEFT, plain, terminal


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run `r`."""
    folder = tmp_path_factory.mktemp("finished")
    tournament("run", study(folder), "--out", "r", cwd=folder)
    return folder


def picture(run: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(run)): (path.stat().st_mtime_ns, path.stat().st_size) for path in run.rglob("*")
    }


def test_a_finished_run_is_shown_once_and_nothing_in_it_is_written(finished: Path) -> None:
    before = picture(finished / "r")
    done = tournament("watch", "r", cwd=finished)
    assert "8 worlds: 8 done; 32 of 32 windows" in done.stdout
    assert "nobody runs it now" in done.stdout
    assert re.search(r"ref\.r0\.s1\.n1 +done +4/4 +[abc] €\d+", done.stdout)
    assert "last decisions" in done.stdout
    assert "as ever" in done.stdout
    assert picture(finished / "r") == before


def test_programs_read_one_object_a_look(finished: Path) -> None:
    done = tournament("watch", "r", "--once", "--json", cwd=finished)
    (line,) = done.stdout.splitlines()
    told = json.loads(line)
    assert (told["study"], told["owner"], told["routes"]) == ("street", None, {})
    assert len(told["worlds"]) == 8
    world = told["worlds"][0]
    assert (world["status"]["state"], world["status"]["windows"], world["status"]["of"]) == ("done", 4, 4)
    assert [seat["contestant"] for seat in world["seats"]] == ["a", "b", "c"]
    assert [seat["score_cents"] for seat in world["seats"]] == world["status"]["scores_cents"]
    assert world["decisions"][0]["window"] == 3


def test_a_folder_that_is_no_run_is_refused_in_one_line(tmp_path: Path) -> None:
    done = tournament("watch", ".", cwd=tmp_path, expect=2)
    assert "is not a run directory" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_run_that_is_watched_all_the_time_is_the_run_that_nobody_watched(tmp_path: Path) -> None:
    path = study(tmp_path, days=70, slow=15)
    running = begin("run", path, "--out", "r", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") > 0, running)
    signal_group(running, signal.SIGSTOP)  # until somebody watches, however long that takes to start
    shown = tmp_path / "shown"
    with shown.open("w", encoding="utf-8") as stream:
        watching = subprocess.Popen(
            command("watch", "r", "--interval", "0.1", "--json"),
            cwd=tmp_path,
            env=environment(),
            stdout=stream,
            stderr=subprocess.PIPE,
            text=True,
        )
    wait_for(lambda: shown.stat().st_size > 0, watching)
    signal_group(running, signal.SIGCONT)
    out, errors = running.communicate()
    assert running.returncode == 0, out + errors
    complaints = watching.communicate()[1]
    assert watching.returncode == 0, complaints
    looks = [json.loads(line) for line in shown.read_text(encoding="utf-8").splitlines()]
    assert any(f"process {running.pid}" in (look["owner"] or "") for look in looks)
    settled = [sum(world["status"]["windows"] for world in look["worlds"]) for look in looks]
    assert settled == sorted(settled)
    assert len(set(settled)) > 3
    states = {world["status"]["state"] for look in looks for world in look["worlds"]}
    assert states == {"not_started", "running", "done"}
    for world in (tmp_path / "r" / "worlds").iterdir():
        assert not [path.name for path in world.iterdir() if path.name.endswith(("-wal", "-shm"))]
    tournament("verify", "r", cwd=tmp_path)
    tournament("run", path, "--out", "alone", cwd=tmp_path)
    assert identity(tmp_path / "r") == identity(tmp_path / "alone")


def test_a_reader_with_a_journal_open_does_not_stop_its_world_from_ending(tmp_path: Path) -> None:
    path = study(tmp_path, slow=60, seeds=(1,))
    running = begin("run", path, "--out", "r", "--only", "ref.*", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") > 0, running)
    journal = tmp_path / "r" / "worlds" / "ref.r0.s1.n1" / "journal.sqlite"
    reader = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
    count = "SELECT count(*) FROM windows"
    while reader.execute(count).fetchone() != (4,):
        time.sleep(0.005)
    time.sleep(0.5)
    assert running.poll() is None
    reader.close()
    out, errors = running.communicate()
    assert running.returncode == 0, out + errors
    assert not journal.with_name("journal.sqlite-wal").exists()


def test_looking_at_what_a_killed_run_left_makes_no_file(tmp_path: Path) -> None:
    running = begin("run", study(tmp_path, slow=40), "--out", "r", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") > 1, running)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    before = picture(tmp_path / "r")
    done = tournament("watch", "r", "--once", cwd=tmp_path)
    assert "stopped" in done.stdout
    assert set(picture(tmp_path / "r")) == set(before)


def test_looking_at_a_run_that_was_interrupted_makes_no_file(tmp_path: Path) -> None:
    running = begin("run", study(tmp_path, slow=40), "--out", "r", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") > 1, running)
    running.send_signal(signal.SIGINT)
    running.communicate()
    assert running.returncode == 130
    before = picture(tmp_path / "r")
    tournament("watch", "r", "--once", cwd=tmp_path)
    assert picture(tmp_path / "r") == before


def test_a_suspended_world_says_why_it_stands_still(tmp_path: Path) -> None:
    outage = tmp_path / "outage"
    outage.touch()
    tournament("run", study(tmp_path, third=talker("", outage)), "--out", "r", cwd=tmp_path, expect=3)
    done = tournament("watch", "r", "--once", cwd=tmp_path)
    assert "8 worlds: 2 done, 6 suspended" in done.stdout
    assert re.search(r"ref\.r0\.s1\.n1 +suspended +2/4 +transport: seat 3: the provider is down", done.stdout)


def test_money_and_retries_are_shown_by_route_against_the_cap(tmp_path: Path) -> None:
    with gateway() as address:
        path = panel_study(tmp_path, address)
        tournament("run", path, "--out", "r", cwd=tmp_path, env={"CANARY_KEY": KEY})
    told = json.loads(tournament("watch", "r", "--once", "--json", cwd=tmp_path).stdout)
    used = told["routes"]["one"]
    assert (used["replies"], used["failed_attempts"], used["sealed"]) == (8, 4, 4)
    assert used["cost_usd"] == pytest.approx(8 * 8040e-6)
    assert told["spent_usd"] == pytest.approx(used["cost_usd"])
    assert told["usd"] == 5
    done = tournament("watch", "r", "--once", cwd=tmp_path)
    assert "$0.0643 spent; cap $5: 1% used" in done.stdout
    assert re.search(r"one +8 +4 +0 s", done.stdout)
    for private in (PLACE, THOUGHT, KEY):
        assert private not in done.stdout + json.dumps(told)


def test_a_seat_that_waits_for_its_route_is_named_with_what_is_left(tmp_path: Path) -> None:
    with gateway("busy") as address:
        path = panel_study(tmp_path, address)
        running = begin("run", path, "--out", "r", cwd=tmp_path, env={"CANARY_KEY": KEY})
        shown = ""

        def waits() -> bool:
            nonlocal shown
            if (tmp_path / "r" / "worlds" / "ref.r0.s11.n1" / "journal.sqlite").exists():
                shown = tournament("watch", "r", "--once", cwd=tmp_path).stdout
            return "one: seat 1 of ref.r0.s11.n1 waits" in shown

        wait_for(waits, running)
        for _ in range(2):
            running.send_signal(signal.SIGINT)
            time.sleep(0.3)
        running.communicate()
    assert re.search(r"one: seat 1 of ref\.r0\.s11\.n1 waits \d+ min more \(transport: rate_limit", shown), (
        shown
    )
    assert "0 replies, retrying" in shown


def test_what_a_model_wrote_is_text_on_one_line_and_never_a_command_to_the_terminal(
    finished: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished / "r", tmp_path / "r")
    for journal in (tmp_path / "r").glob("worlds/*/journal.sqlite"):
        connection = sqlite3.connect(journal)
        hostile = "[bold]loud[/bold] \x1b[2J\x1b]0;title\x07 \u202eback\nnext"
        connection.execute("UPDATE seals SET rationale = ?", (hostile,))
        connection.commit()
        connection.close()
    done = tournament("watch", "r", "--once", cwd=tmp_path)
    assert "[bold]loud[/bold] [2J ]0;title back next" in done.stdout
    with terminal("watch", "r", cwd=tmp_path, width=160) as shown:
        shown.await_text("[bold]loud[/bold]")
        shown.press(b"q")
        assert shown.end() == 0
    for text in (done.stdout, shown.raw):
        assert "\x1b[2J\x1b]0" not in text
        assert "\x07" not in text
        assert "\u202e" not in text


@pytest.mark.parametrize("key", [b"q", b"Q", b"\x03", b"\x04"], ids=["q", "Q", "Ctrl-C", "Ctrl-D"])
def test_a_key_leaves_the_view_with_code_0_and_the_terminal_as_it_was(finished: Path, key: bytes) -> None:
    with terminal("watch", "r", "--interval", "60", cwd=finished) as shown:
        before = shown.settings()
        shown.await_text("q or Ctrl-C leaves")
        shown.press(key)
        assert shown.end() == 0
        assert shown.settings() == before
    assert shown.raw.rindex(LEFT) > shown.raw.index("\x1b[?1049h")
    assert shown.raw.rindex("\x1b[?25h") > shown.raw.rindex("\x1b[?25l")
    assert "Traceback" not in shown.text
    left_behind = shown.raw.rpartition(LEFT)[2]
    assert "8 worlds: 8 done" in left_behind


def test_a_view_that_is_terminated_gives_the_terminal_back(finished: Path) -> None:
    with terminal("watch", "r", "--interval", "60", cwd=finished) as shown:
        before = shown.settings()
        shown.await_text("q or Ctrl-C leaves")
        shown.process.send_signal(signal.SIGTERM)
        assert shown.end() == 143
        assert shown.settings() == before
    assert LEFT in shown.raw


@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(finished: Path, width: int) -> None:
    with terminal("watch", "r", "--interval", "60", cwd=finished, width=width, height=20) as shown:
        shown.await_text("q or Ctrl-C")
        shown.press(b"q")
        assert shown.end() == 0
    drawn = plain(shown.raw.partition(LEFT)[0]).splitlines()
    assert max(map(len, drawn)) <= width
    assert any(re.search(r"done +4/4", line) for line in drawn[:20])
    assert any(line.startswith("q or Ctrl-C") for line in drawn[:20]), drawn


def test_without_colour_there_is_none(finished: Path) -> None:
    with terminal("watch", "r", cwd=finished, env={"NO_COLOR": "1"}) as shown:
        shown.await_text("q or Ctrl-C")
        shown.press(b"q")
        assert shown.end() == 0
    colours = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7])(?:;[0-9;]*)?m")
    assert not colours.search(shown.raw)
    with terminal("watch", "r", cwd=finished) as shown:
        shown.await_text("q or Ctrl-C")
        shown.press(b"q")
        shown.end()
    assert colours.search(shown.raw)


def test_a_run_that_vanishes_under_the_view_is_said_and_the_view_goes_on(
    finished: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished / "r", tmp_path / "r")
    with terminal("watch", "r", "--interval", "0.1", cwd=tmp_path) as shown:
        shown.await_text("8 worlds: 8 done")
        (tmp_path / "r").rename(tmp_path / "away")
        shown.await_text("r is not a run directory")
        (tmp_path / "away").rename(tmp_path / "r")
        shown.press(b"q")
        assert shown.end() == 0


def test_a_reader_that_leaves_ends_the_watching(tmp_path: Path) -> None:
    running = begin("run", study(tmp_path, slow=60, days=140), "--out", "r", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") > 0, running)
    signal_group(running, signal.SIGSTOP)  # it must not end before the reader has come
    watching = subprocess.Popen(
        command("watch", "r", "--interval", "0.1"), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE
    )
    assert watching.stdout is not None
    watching.stdout.readline()
    watching.stdout.close()
    signal_group(running, signal.SIGCONT)
    assert watching.wait() == 0
    signal_group(running, signal.SIGTERM)
    running.communicate()
