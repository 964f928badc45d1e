"""The commands around a run: their help, their answers for people and for programs, their refusals."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.arena import ROOT, environment, study, tournament

COMMANDS = (
    "run", "plan", "status", "verify", "externalities", "rule-search", "init", "policies", "markets",
)  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_commands_help_has_an_example(tmp_path: Path, name: str) -> None:
    shown = tournament(name, "--help", cwd=tmp_path).stdout
    assert f"Example: tournament {name}" in shown


def test_every_registered_command_has_an_example(tmp_path: Path) -> None:
    from tournament.cli.app import app

    commands = [*app.registered_commands]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        commands += group.typer_instance.registered_commands
    assert all((command.epilog or "").startswith("Example: tournament ") for command in commands)


def loaded(cwd: Path, *arguments: str) -> set[str]:
    """Return the modules that a command has loaded when it ends."""
    script = (
        "import sys\nfrom tournament.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n"
        "    assert not end.code, end.code\n    print(*sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_help_is_quick_because_it_loads_no_library_that_computes(tmp_path: Path) -> None:
    assert not {"numpy", "numba", "pandas", "pyarrow", "pydantic", "litellm"} & loaded(tmp_path, "--help")


NOT_TO_PLAY = {
    "agents.routes.mock",
    "externalities.calibration",
    "litellm",
    "pandas",
    "tournament.experiments.rule_search",
}


def test_commands_about_a_study_load_no_provider_mock_search_or_calibration(tmp_path: Path) -> None:
    file = study(tmp_path, seeds=[1]).name
    for arguments in (("plan", file), ("run", file, "--dry-run")):
        assert not NOT_TO_PLAY & loaded(tmp_path, *arguments), arguments
    # Tables are made of what was played, by pandas; whatever else a run does not need stays away.
    assert NOT_TO_PLAY & loaded(tmp_path, "run", file) == {"pandas"}
    assert not NOT_TO_PLAY & loaded(tmp_path, "status", file)


def test_the_version_is_that_of_the_installed_distribution(tmp_path: Path) -> None:
    assert tournament("--version", cwd=tmp_path).stdout == f"tournament {version('ceo-arena')}\n"


def test_status_finds_the_run_of_a_study_file_and_says_where_it_looked(tmp_path: Path) -> None:
    file = study(tmp_path, seeds=[1])
    refused = tournament("status", file.name, cwd=tmp_path, expect=2).stderr
    assert "this study has no run in runs/street-" in refused
    tournament("run", file.name, "--only", "ref.*", cwd=tmp_path)
    (run,) = (tmp_path / "runs").iterdir()
    by_study = tournament("status", file.name, cwd=tmp_path).stdout
    assert by_study == tournament("status", f"runs/{run.name}", cwd=tmp_path).stdout
    assert "1 of 4 planned worlds played" in by_study


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("fly",), "No such command 'fly'"),
        (("run",), "Missing argument 'STUDY'"),
        (("run", "missing.yaml"), "missing.yaml"),
        (("run", "x.yaml", "--jobs", "0"), "--jobs"),
        (("status", "nowhere"), "nowhere is not a run directory"),
        (("verify", "nowhere"), "nowhere is not a run directory"),
        (("externalities", "nowhere"), "nowhere is not a run directory"),
        (("policies", "rul@1"), "did you mean rule@1?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_users_error_is_told_in_words_with_exit_code_2(
    tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    done = tournament(*arguments, cwd=tmp_path, expect=2)
    assert complaint in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "nowhere").exists()


def test_init_writes_a_study_that_plans_and_never_overwrites(tmp_path: Path) -> None:
    tournament("init", "mine.yaml", cwd=tmp_path)
    planned = tournament("plan", "mine.yaml", cwd=tmp_path).stdout
    assert planned.startswith("study mine (")
    (tmp_path / "mine.yaml").write_text("precious")
    done = tournament("init", "mine.yaml", cwd=tmp_path, expect=2)
    assert done.stderr == "error: mine.yaml: exists already; choose another name\n"
    assert (tmp_path / "mine.yaml").read_text() == "precious"


def test_plan_for_programs_names_worlds_contestants_and_cost(tmp_path: Path) -> None:
    facts = json.loads(tournament("plan", study(tmp_path), "--json", cwd=tmp_path).stdout)
    assert (facts["study"], facts["worlds"], facts["windows"], facts["seats"]) == ("street", 8, 4, 3)
    assert facts["cost"]["seconds"] > 0
    assert facts["selected"][0] == "ref.r0.s1.n1"


def test_policies_and_markets_list_what_a_study_may_name(tmp_path: Path) -> None:
    policies = json.loads(tournament("policies", "--json", cwd=tmp_path).stdout)["policies"]
    assert {"rule@1", "no_action@1", "scripted@1", "haggler@1"} <= {policy["id"] for policy in policies}
    assert "floor_cents" in tournament("policies", "rule@1", cwd=tmp_path).stdout
    assert "ceo_arena@1" in tournament("markets", cwd=tmp_path).stdout
    assert "lemonade@1" in tournament("markets", "--json", cwd=tmp_path).stdout


def test_status_tells_played_of_planned_and_every_seats_score_so_far(tmp_path: Path) -> None:
    path = study(tmp_path)
    tournament("run", path, "--out", "r", "--seed", "1", cwd=tmp_path)
    told = tournament("status", "r", cwd=tmp_path).stdout
    assert "4 of 8 planned worlds played: 4 done, 4 not started" in told
    assert "nobody runs it now" in told
    facts = json.loads(tournament("status", "r", "--json", cwd=tmp_path).stdout)
    assert facts["counts"]["done"] == 4
    assert facts["planned"] == 8
    done = [world for world in facts["worlds"] if world["state"] == "done"]
    assert all(world["windows"] == world["of"] == 4 and len(world["scores_cents"]) == 3 for world in done)
    assert facts["contestants"]["a"]["worlds"] == 3


def test_a_world_whose_journal_cannot_be_read_is_invalid_by_name(tmp_path: Path) -> None:
    path = study(tmp_path)
    tournament("run", path, "--out", "r", "--seed", "1", cwd=tmp_path)
    folder = tmp_path / "r" / "worlds" / "ref.r0.s2.n1"
    folder.mkdir()
    (folder / "journal.sqlite").write_bytes(b"torn" * 5000)
    told = tournament("status", "r", cwd=tmp_path).stdout
    assert "4 done, 1 invalid, 3 not started" in told
    assert "ref.r0.s2.n1" in told
    done = tournament("run", path, "--out", "r", cwd=tmp_path, expect=3)
    assert "7 done, 0 interrupted, 0 suspended, 0 not started, 1 invalid, of 8 worlds" in done.stdout
    assert "invalid: ref.r0.s2.n1: r/worlds/ref.r0.s2.n1/journal.sqlite is damaged" in done.stdout


def test_externalities_are_written_again_and_shown(tmp_path: Path) -> None:
    tournament("run", study(tmp_path), "--out", "r", cwd=tmp_path)
    table = tmp_path / "r" / "externalities" / "private.csv"
    before = table.read_bytes()
    table.unlink()
    shown = tournament("externalities", "r", cwd=tmp_path).stdout
    assert "a" in shown
    assert table.read_bytes() == before
    assert isinstance(json.loads(tournament("externalities", "r", "--json", cwd=tmp_path).stdout), dict)
    tournament("verify", "r", cwd=tmp_path)


def test_a_stranger_package_of_the_same_name_is_told_in_one_line(tmp_path: Path) -> None:
    """PyPI has other distributions that install a package called `agents`."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").touch()
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    done = tournament("policies", cwd=tmp_path, env=env, expect=2)
    assert done.stderr.startswith(f"error: the package `agents` comes from {tmp_path}/agents/__init__.py")
    assert len(done.stderr.splitlines()) == 1


def test_the_built_in_market_runs_from_its_command(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(
        "study: small\nmarket: {id: ceo_arena@1, overrides: {days: 21}}\nseeds: [11]\n"
        "contestants:\n  rule: {policy: rule@1}\n  idle: {policy: no_action@1}\n"
        "  dear: {policy: rule@1, params: {multiplier: 1.1}}\n"
        "lineup: [idle, dear]\nreferences: [{contestant: rule}]\n"
    )
    tournament("run", path, "--out", "r", cwd=tmp_path)
    assert "3 of 3 worlds finished and replayed" in tournament("verify", "r", cwd=tmp_path).stdout
    connection = sqlite3.connect(tmp_path / "r" / "worlds" / "ref.r0.s11.n1" / "journal.sqlite")
    assert connection.execute("SELECT count(*) FROM days").fetchone() == (21,)
    connection.close()
