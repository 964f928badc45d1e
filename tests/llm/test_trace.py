"""The audit trace: every request and reply, cut where it must be, equal after any interruption."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from typer.testing import CliRunner

from agents.llm.audit.redaction import public_trace
from agents.llm.audit.trace import EVENT_BYTES, FILE_BYTES, event_line, trace_lines
from tests.cli.arena import tournament
from tests.llm.rig import Rig, by_ordinal, call, reply, say, seal
from tests.llm.test_run import play, routes
from tournament.cli.app import app
from tournament.journal.writer import JOURNAL
from tournament.records import Attempt, Record
from tournament.rundir.manifest import record_files
from tournament.storage import sha256_of

WORLD = "worlds/ref.r0.s11.n1"


async def test_the_trace_holds_every_request_and_reply_of_a_window() -> None:
    rig = Rig(by_ordinal(reply(call("set_price", {"product": "tea", "cents": 7})), say("hm"), seal("why")))
    await rig.play()
    events = [json.loads(line) for line in trace_lines([rig.store.records(0)])]
    assert [event["kind"] for event in events] == rig.kinds()
    whole = json.dumps(events)
    for message in rig.route.requests[-1].messages:
        text = message["content"]
        assert text is None or json.dumps(text)[1:-1] in whole
    assert "cut" not in events[0]


async def test_large_events_are_cut_and_marked_and_change_no_decision() -> None:
    rig = Rig(by_ordinal(say("ü" * 200_000), seal()))
    choice = await rig.play()
    assert choice.state == "sealed"
    lines = list(trace_lines([rig.store.records(0)]))
    assert all(len(line.encode()) <= EVENT_BYTES for line in lines)
    event = json.loads(lines[2])
    assert event["cut"] is True
    assert "of 400000 bytes]" in event["body"]["message"]["content"]


def test_an_event_of_very_many_small_parts_is_cut_as_well() -> None:
    record = Record(
        sequence=0, window=0, kind="answers", body={"answers": [[at, "x"] for at in range(50_000)]}
    )
    line = event_line(record)
    assert len(line.encode()) <= EVENT_BYTES
    assert json.loads(line)["cut"] is True


def test_a_file_ends_at_16_mib_and_says_so() -> None:
    records = [
        Record(sequence=at, window=0, kind="reply", body={"message": {"content": "x" * 60_000}})
        for at in range(400)
    ]
    lines = list(trace_lines([records]))
    assert sum(len(line.encode()) + 1 for line in lines) <= FILE_BYTES
    assert "the journal holds the rest" in lines[-1]


async def test_a_public_trace_holds_no_reasoning_no_provider_fields_and_no_words_of_failed_attempts() -> None:
    secret = "PRIVATE-THOUGHT"
    content = [{"type": "thinking", "thinking": secret}, {"type": "text", "text": "spoken"}]
    spoken = reply(
        content=content,
        reasoning_content=secret,
        thinking_blocks=[{"type": "thinking", "thinking": secret, "signature": secret}],
        provider_specific_fields={"x": secret},
    )
    rig = Rig(by_ordinal(spoken, seal()))
    rig.route.attempts = (
        Attempt(
            number=1,
            status=502,
            fault="transport: bad_gateway",
            detail="https://gateway.example",
            wait_seconds=1,
        ),
    )
    await rig.play()
    records = [rig.store.records(0)]
    assert secret in "".join(trace_lines(records))
    public = "".join(public_trace(records))
    assert secret not in public
    assert "gateway.example" not in public
    assert "spoken" in public
    assert '"generated":15' in public


def test_the_command_writes_traces_and_private_files_out_of_the_journals(tmp_path: Path) -> None:
    assert play(tmp_path, routes()) == 0
    done = CliRunner().invoke(app, ["trace", str(tmp_path / "run"), "--only", "ref.*", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["written"] == [
        f"{WORLD}/trace/seat-1.jsonl",
        f"{WORLD}/files/seat-1/MEMORY.md.private.txt",
        f"{WORLD}/trace/seat-2.jsonl",
        f"{WORLD}/files/seat-2/MEMORY.md.private.txt",
    ]
    assert (tmp_path / "run" / WORLD / "files/seat-1/MEMORY.md.private.txt").read_text().isdigit()
    lines = (tmp_path / "run" / WORLD / "trace/seat-1.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["kind"] == "open"
    assert json.loads(lines[-1])["body"]["rationale"] == "priced"


def test_private_files_written_out_again_are_the_journals_and_no_older_ones(tmp_path: Path) -> None:
    assert play(tmp_path, routes()) == 0
    world = tmp_path / "run" / WORLD
    keep_files(world / JOURNAL, {"a": "first", "x": "gone later"})
    assert CliRunner().invoke(app, ["trace", str(tmp_path / "run")]).exit_code == 0
    keep_files(world / JOURNAL, {"a/b": "second"})
    done = CliRunner().invoke(app, ["trace", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    folder = world / "files"
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()] == [
        "seat-1/a/b.private.txt"
    ]
    keep_files(world / JOURNAL, {})
    assert CliRunner().invoke(app, ["trace", str(tmp_path / "run")]).exit_code == 0
    assert list(folder.iterdir()) == []


def test_git_runs_nothing_in_the_folder_of_a_ceos_files(tmp_path: Path) -> None:
    """An older journal may hold a repository whose configuration runs a program at every `git status`."""
    assert play(tmp_path, routes()) == 0
    world = tmp_path / "run" / WORLD
    hook = f"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch {tmp_path / 'owned'}\n"
    hostile = {
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/config": hook,
        ".git/objects/x": "",
        ".git/refs/x": "",
    }
    beside = {
        ".envrc": "touch owned\n",
        "conftest.py": "1 / 0\n",
        "-rf": "",
        "--help": "",
        "a/HEAD": "ref: x\n",
    }
    keep_files(world / JOURNAL, {**hostile, **beside})
    assert CliRunner().invoke(app, ["trace", str(tmp_path / "run")]).exit_code == 0
    folder = world / "files" / "seat-1"
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert len(written) == len(hostile) + len(beside)
    for path in written:
        assert path.name.endswith(".private.txt")
        assert not path.stat().st_mode & 0o111
        assert not any(step.startswith((".", "-")) for step in path.relative_to(folder).parts)
    subprocess.run(["git", "status"], cwd=folder, capture_output=True, check=False)
    assert not (tmp_path / "owned").exists()


def test_a_folder_that_is_no_run_is_refused_as_by_every_command(tmp_path: Path) -> None:
    done = tournament("trace", "nix", cwd=tmp_path, expect=2)
    assert done.stderr == "error: nix is not a run directory: it has no manifest.json\n"


def test_what_a_read_only_run_refuses_does_not_speak_of_playing_it(tmp_path: Path) -> None:
    assert play(tmp_path, routes()) == 0
    for asked, name in (
        ("trace", WORLD + "/trace"),
        ("report", "report"),
        ("externalities", "externalities"),
    ):
        shutil.rmtree(tmp_path / "run" / name, ignore_errors=True)
        (tmp_path / "run" / name).write_text("in the way")
        done = tournament(asked, "run", cwd=tmp_path, expect=2)
        assert len(done.stderr.splitlines()) == 1
        assert "cannot write run/" in done.stderr
        assert "same command" not in done.stderr


def keep_files(journal: Path, files: Mapping[str, str]) -> None:
    """Let the seats of a journal have these private files: the first seat all of them, the others none."""
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("DELETE FROM files")
        connection.executemany("INSERT INTO files VALUES (1, ?, ?)", files.items())
        connection.commit()
    run = journal.parents[2]
    record_files(run, {str(journal.relative_to(run)): sha256_of(journal)})
