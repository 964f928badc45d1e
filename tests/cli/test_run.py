"""`tournament run` from end to end: what it leaves, how it goes on, what it refuses."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.cli.arena import (
    ROOT,
    TOY,
    begin,
    command,
    environment,
    events,
    identity,
    rows,
    study,
    talker,
    tournament,
    wait_for,
    windows_settled,
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a study, and its finished run in `r`."""
    folder = tmp_path_factory.mktemp("played")
    tournament("run", study(folder), "--out", "r", cwd=folder)
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """Return a copy of the finished run's folder that a test may change."""
    return Path(shutil.copytree(played, tmp_path / "copy"))


def outcome_rows(run: Path) -> list[dict[str, str]]:
    with (run / "outcomes.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_run_leaves_every_file_of_the_contract_and_its_default_folder_names_the_study(
    tmp_path: Path,
) -> None:
    done = tournament("run", study(tmp_path), cwd=tmp_path)
    assert "8 done, 0 interrupted, 0 suspended, 0 not started, of 8 worlds" in done.stdout
    (run,) = (tmp_path / "runs").iterdir()
    manifest = json.loads((run / "manifest.json").read_text())
    assert run.name == f"street-{manifest['study_hash'][:8]}"
    for name in ("study.yaml", "plan.jsonl", "outcomes.csv", "outcomes.parquet", "externalities/private.csv"):
        assert name in manifest["files"]
        assert (run / name).is_file()
    for world in (run / "worlds").iterdir():
        names = {path.name for path in world.iterdir()}
        assert names == {"journal.sqlite", *(f"{name}.parquet" for name in TABLES)}
    assert (run / "study.yaml").read_text() == (tmp_path / "street.yaml").read_text()


TABLES = ("daily", "windows", "market", "series", "measures", "heatwaves")  # the last is the market's own


def test_outcome_rows_have_the_contracts_columns_and_order(played: Path) -> None:
    found = outcome_rows(played / "r")
    assert list(found[0])[:13] == [
        "world", "lineup", "reference", "replaced_seat", "rotation", "seed", "repeat", "seat", "contestant",
        "score_cents", "till_cents", "lemons_cents", "closed_on",
    ]  # fmt: skip
    assert list(found[0])[-3:] == ["windows_sealed", "windows_refused", "windows_exhausted"]
    keys = [
        (
            row["reference"],
            int(row["rotation"]),
            int(row["seed"]),
            int(row["repeat"]),
            row["lineup"],
            int(row["seat"]),
        )
        for row in found
    ]
    assert keys == sorted(keys)
    assert len(found) == 24
    replaced = next(row for row in found if row["lineup"] == "base-for-b")
    assert (replaced["reference"], replaced["replaced_seat"]) == ("base", "2")


def test_the_parquet_of_outcomes_says_the_same_with_types(played: Path) -> None:
    from pyarrow import parquet

    table = parquet.read_table(played / "r" / "outcomes.parquet")
    assert {str(table.schema.field(name).type) for name in ("world", "reference", "contestant")} == {"string"}
    assert str(table.schema.field("closed_on").type) == "int64"
    shown = [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in table.to_pylist()
    ]
    assert shown == outcome_rows(played / "r")


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_number_of_workers_leaves_no_trace(tmp_path: Path, played: Path, jobs: str) -> None:
    tournament("run", study(tmp_path), "--out", "other", "--jobs", jobs, cwd=tmp_path)
    assert identity(tmp_path / "other") == identity(played / "r")


def test_filters_leave_the_study_frozen_and_a_later_call_completes_it(tmp_path: Path, played: Path) -> None:
    path = study(tmp_path)
    first = tournament("run", path, "--out", "r", "--only", "ref.*", "--seed", "2", cwd=tmp_path)
    assert "1 done" in first.stdout
    assert "of 1 worlds (8 planned)" in first.stdout
    assert {row["world"] for row in outcome_rows(tmp_path / "r")} == {"ref.r0.s2.n1"}
    again = tournament("run", path, "--out", "r", cwd=tmp_path)
    assert "1 finished before" in again.stdout
    assert identity(tmp_path / "r") == identity(played / "r")


def test_a_filter_that_leaves_nothing_says_what_world_names_look_like(tmp_path: Path) -> None:
    done = tournament("run", study(tmp_path), "--only", "nothing*", cwd=tmp_path, expect=2)
    assert done.stderr == "error: --only nothing* leaves none of 8 worlds, such as ref.r0.s1.n1\n"
    assert not (tmp_path / "runs").exists()


def test_the_same_command_on_a_finished_run_changes_no_byte_under_worlds(folder: Path) -> None:
    before = {file: file.read_bytes() for file in (folder / "r" / "worlds").rglob("*") if file.is_file()}
    tournament("run", "street.yaml", "--out", "r", cwd=folder)
    assert {file: file.read_bytes() for file in before} == before


def test_lost_tables_are_made_again_from_the_journals(folder: Path, played: Path) -> None:
    (folder / "r" / "outcomes.csv").unlink()
    (folder / "r" / "worlds" / "ref.r0.s1.n1" / "daily.parquet").unlink()
    shutil.rmtree(folder / "r" / "externalities")
    tournament("run", "street.yaml", "--out", "r", cwd=folder)
    assert identity(folder / "r") == identity(played / "r")
    tournament("verify", "r", cwd=folder)


def test_a_changed_study_is_refused_with_the_difference_shown(folder: Path, played: Path) -> None:
    done = tournament("run", study(folder, price=85), "--out", "r", cwd=folder, expect=5)
    assert "belongs to another study" in done.stderr
    assert "contestants.b.parameters.price: 80 -> 85" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert identity(folder / "r") == identity(played / "r")


def test_an_unfinished_run_is_not_continued_by_changed_code(tmp_path: Path) -> None:
    """Half a study under one policy and half under another would be no study."""
    plugin = tmp_path / "plugin"
    shutil.copytree(TOY, plugin)
    env = {"PYTHONPATH": os.pathsep.join([str(plugin), str(ROOT)])}
    path = study(tmp_path)
    tournament("run", path, "--out", "r", "--seed", "1", cwd=tmp_path, env=env)
    policies = plugin / "lemonade" / "policies.py"
    policies.write_text(policies.read_text().replace("max(40, min(rivals) - 1)", "max(41, min(rivals) - 1)"))
    done = tournament("run", path, "--out", "r", cwd=tmp_path, env=env, expect=5)
    assert "begun under other sources (lemonade: " in done.stderr
    assert {row["seed"] for row in outcome_rows(tmp_path / "r")} == {"1"}
    noted = tournament("verify", "r", cwd=tmp_path, env=env)
    assert "sources of lemonade" in noted.stdout


def test_a_second_process_on_one_run_directory_refuses_and_names_the_first(tmp_path: Path) -> None:
    path = study(tmp_path, slow=40)
    first = begin("run", path, "--out", "r", cwd=tmp_path)
    wait_for(lambda: windows_settled(tmp_path / "r") > 0, first)
    first.send_signal(signal.SIGSTOP)  # so that it is there still, however slow the machine is
    second = tournament("run", path, "--out", "r", cwd=tmp_path, expect=5)
    assert f"r is in use by `tournament run` of study street, process {first.pid} on " in second.stderr
    assert len(second.stderr.splitlines()) == 1
    status = json.loads(tournament("status", "r", "--json", cwd=tmp_path).stdout)
    assert f"process {first.pid}" in status["owner"]
    first.send_signal(signal.SIGCONT)
    out, _ = first.communicate()
    assert first.returncode == 0, out
    tournament("verify", "r", cwd=tmp_path)


def test_workers_load_neither_pandas_nor_pyarrow_nor_a_provider_library(tmp_path: Path) -> None:
    tournament("run", study(tmp_path, third="{policy: spy@1}"), "--out", "r", "--only", "ref.*", cwd=tmp_path)
    seals = rows(tmp_path / "r" / "worlds" / "ref.r0.s1.n1" / "journal.sqlite", "seals")
    told = {rationale for _, seat, _, _, _, rationale, _ in seals if seat == 3}
    assert told == {"none"}


def test_a_run_without_models_never_loads_a_provider_library(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom tournament.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    print(end.code, 'litellm' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "run", str(study(tmp_path)), "--out", "r"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "0 False", done.stderr


def test_an_outage_suspends_its_worlds_only_and_the_same_command_resumes_them(tmp_path: Path) -> None:
    log, outage = tmp_path / "calls", tmp_path / "outage"
    path = study(tmp_path, third=talker(log, outage))
    outage.touch()
    done = tournament("run", path, "--out", "r", cwd=tmp_path, expect=3)
    assert "2 done, 0 interrupted, 6 suspended, 0 not started, of 8 worlds" in done.stdout
    assert "suspended: 6 worlds: seat 3: the provider is down: ref.r0.s1.n1, " in done.stdout
    finished = {row["lineup"] for row in outcome_rows(tmp_path / "r")}
    assert finished == {"base-for-c"}
    status = tournament("status", "r", cwd=tmp_path).stdout
    assert "2 of 8 planned worlds played: 2 done, 6 suspended" in status
    assert "suspended: 6 worlds: transport: seat 3: the provider is down: ref.r0.s1.n1, " in status
    outage.unlink()
    tournament("run", path, "--out", "r", cwd=tmp_path)
    calls = log.read_text().splitlines()
    assert len(calls) == len(set(calls)) == 6 * 4
    log.unlink()
    tournament("run", path, "--out", "whole", cwd=tmp_path)
    assert identity(tmp_path / "r") == identity(tmp_path / "whole")
    tournament("verify", "r", cwd=tmp_path)


def test_a_bug_ends_in_one_line_with_its_traceback_kept(tmp_path: Path) -> None:
    path = study(tmp_path, third="{policy: broken@1}")
    done = tournament("run", path, "--out", "r", cwd=tmp_path, expect=1, env={"TMPDIR": str(tmp_path)})
    assert len(done.stderr.splitlines()) == 1
    assert "a bug in tournament" in done.stderr
    (kept,) = tmp_path.glob("tournament-bug-*.txt")
    assert str(kept) in done.stderr
    assert "ZeroDivisionError" in kept.read_text()


@pytest.mark.parametrize("out", ["file/run", "file"])
def test_an_output_folder_that_cannot_be_is_named_before_anything_is_played(tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("in the way")
    done = tournament("run", study(tmp_path), "--out", out, cwd=tmp_path, expect=2)
    assert done.stderr.startswith(f"error: the output folder {out} cannot be used: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root ignores modes")
def test_a_read_only_output_folder_is_named_before_anything_is_played(tmp_path: Path) -> None:
    folder = tmp_path / "ro"
    folder.mkdir(mode=0o555)
    done = tournament(
        "run", study(tmp_path), "--out", "ro", cwd=tmp_path, expect=2, prefix=without_privilege()
    )
    assert done.stderr == "error: the output folder ro cannot be used: Permission denied\n"
    assert list(folder.iterdir()) == []


def without_privilege() -> list[str]:
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--"]


def test_a_folder_with_other_files_is_no_run_directory(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "thesis.tex").write_text("precious")
    done = tournament("run", study(tmp_path), "--out", "r", cwd=tmp_path, expect=2)
    assert "holds other files (thesis.tex)" in done.stderr


@pytest.mark.parametrize("limit", [3_000, 60_000, 200_000], ids=["at the start", "early", "later"])
def test_a_disk_that_fills_up_stops_the_run_in_one_line_and_loses_nothing(tmp_path: Path, limit: int) -> None:
    """A limit on file size stands for a full disk: the write that crosses it fails half-way."""
    path = study(tmp_path, days=1400, seeds=(1,))
    tournament("run", path, "--out", "whole", cwd=tmp_path)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    done = tournament("run", path, "--out", "r", cwd=tmp_path, expect=2, before=limited)
    assert len(done.stderr.splitlines()) == 1
    assert "cannot write r/" in done.stderr
    assert "the same command continues the run" in done.stderr
    tournament("run", path, "--out", "r", cwd=tmp_path)
    assert identity(tmp_path / "r") == identity(tmp_path / "whole")
    tournament("verify", "r", cwd=tmp_path)


def test_json_lines_tell_the_run_and_people_read_stderr(tmp_path: Path) -> None:
    done = tournament("run", study(tmp_path), "--out", "r", "--json", cwd=tmp_path)
    told = events(done)
    assert [told[0]["event"], told[-1]["event"]] == ["run_started", "run_ended"]
    ended = [line for line in told if line["event"] == "world_left"]
    assert sorted(line["world"] for line in ended) == sorted(
        path.name for path in (tmp_path / "r" / "worlds").iterdir()
    )
    assert all(line["state"] == "ended" and len(line["scores_cents"]) == 3 for line in ended)
    assert told[-1]["exit_code"] == 0
    assert "8 done" in done.stderr


def test_a_console_that_lacks_characters_stops_nothing(tmp_path: Path) -> None:
    env = {"PYTHONIOENCODING": "cp1252:strict", "PYTHONUTF8": "0"}
    done = tournament("run", study(tmp_path), "--out", "r", cwd=tmp_path, env=env)
    assert "squeezing lemons \\U0001f34b" in done.stdout
    assert "8 done" in done.stdout


@pytest.mark.parametrize("width", [100, 34])
def test_a_terminal_shows_the_run_as_it_goes_at_any_width_and_without_colour(
    tmp_path: Path, width: int
) -> None:
    path = study(tmp_path, slow=60, seeds=(1,))
    code, shown = in_a_terminal(command("run", path, "--out", "r"), tmp_path, width)
    assert code == 0, shown
    assert "of 4 worlds, " in shown
    assert "windows to go" in shown
    assert ("Score so far by seat" in shown) == (width == 100)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)
    assert "4 done, 0 interrupted" in shown.replace("\r\n", "")


def in_a_terminal(arguments: list[str], folder: Path, width: int) -> tuple[int, str]:
    """Run a command on a terminal of its own and return its exit code and all that it wrote."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, width, 0, 0))
    env = environment(TERM="xterm-256color", NO_COLOR="1")
    process = subprocess.Popen(arguments, cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:  # what Linux says when the other end of a terminal is closed
            break
        if not some:
            break
        shown += some
    os.close(ours)
    return process.wait(), shown.decode(errors="replace")


def test_a_reader_that_leaves_stops_nothing(tmp_path: Path) -> None:
    path = study(tmp_path)
    read, write = os.pipe()
    os.close(read)
    code = subprocess.run(
        command("run", path, "--out", "r"), cwd=tmp_path, env=environment(), stdout=write, check=False
    ).returncode
    os.close(write)
    assert code == 0
    tournament("verify", "r", cwd=tmp_path)


def test_a_dry_run_shows_the_plan_and_touches_nothing(tmp_path: Path) -> None:
    path = study(tmp_path)
    dry = tournament("run", path, "--dry-run", cwd=tmp_path)
    assert dry.stdout == tournament("plan", path, cwd=tmp_path).stdout
    assert "8 worlds = 4 lineups; seeds 1, 2" in dry.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["street.yaml"]
    facts = json.loads(tournament("run", path, "--dry-run", "--json", "--seed", "2", cwd=tmp_path).stdout)
    assert facts["worlds"] == 8
    assert len(facts["selected"]) == 4
