"""An alias that moves while a study is played: said beforehand, suspended, accepted by the operator, gone on with."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.arena import command, environment, tournament

STUDY = """\
study: moving
market: {{id: ceo_arena@1, overrides: {{days: 21}}}}
seeds: [11]
contestants:
  rule: {{policy: rule@1}}
  rival: {{policy: premium@1}}
  one: {{policy: llm@1, route: good}}
lineup: [one, rival]
replace: [one]
references: [{{contestant: rule}}]
routes:
  good: {{model: openai/mock-wholesaler, api_base: "{address}", price: {{input: 1, output: 2}}}}
limits: {{usd: 100}}
"""
MOVED = "mock-wholesaler-20261201"
Gateways = Callable[[int], str]


def started(*words: str) -> tuple[subprocess.Popen[str], str]:
    """Start a server that prints its address, and return that line."""
    process = subprocess.Popen([*words], stdout=subprocess.PIPE, env=environment(), text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@pytest.fixture(scope="module")
def gateways() -> Iterator[Gateways]:
    """Make a gateway that answers under another model id after so many answers; gives its address."""
    provider, line = started(*command("mock-provider", "--port", "0", "--strategy", "wholesaler"))
    running = [provider]

    def make(after: int) -> str:
        address = line.split(";")[0].removeprefix("listening at ")
        script = Path(__file__).with_name("moving_alias.py")
        gateway, own = started(sys.executable, str(script), address, str(after), MOVED)
        running.append(gateway)
        return own

    yield make
    for process in running:
        process.terminate()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_check_says_what_a_run_will_do_under_an_id_that_is_not_accepted(
    tmp_path: Path, gateways: Gateways
) -> None:
    (tmp_path / "study.yaml").write_text(STUDY.format(address=gateways(0)))
    checked = tournament("routes", "check", "study.yaml", cwd=tmp_path, expect=3)
    assert MOVED in checked.stdout
    assert "suspends each world that meets it, its replies kept" in checked.stdout
    assert "`tournament routes accept RUN ROUTE ID`" in checked.stdout


def replies(run: Path) -> int:
    journal = next((run / "worlds").glob("ref.*")) / "journal.sqlite"
    with closing(sqlite3.connect(journal)) as connection:
        return int(connection.execute("SELECT count(*) FROM events WHERE kind = 'reply'").fetchone()[0])


@pytest.mark.slow
def test_an_accepted_id_lets_suspended_worlds_go_on_to_the_outcomes_of_a_run_whose_alias_stood_still(
    tmp_path: Path, gateways: Gateways
) -> None:
    study, run = tmp_path / "study.yaml", tmp_path / "run"
    study.write_text(STUDY.format(address=gateways(9)))
    suspended = tournament("run", study, "--out", run, cwd=tmp_path, expect=3)
    assert MOVED in suspended.stderr + suspended.stdout
    kept = replies(run)
    assert kept >= 8
    again = tournament("run", study, "--out", run, cwd=tmp_path, expect=3)
    assert MOVED in again.stderr + again.stdout
    assert replies(run) == kept

    tournament("routes", "accept", run, "good", MOVED, cwd=tmp_path)
    tournament("run", study, "--out", run, cwd=tmp_path)
    tournament("verify", run, cwd=tmp_path)
    assert replies(run) > kept
    assert list(json.loads((run / "manifest.json").read_text())["accepted"]["good"]) == [MOVED]
    shown = tournament("status", run, cwd=tmp_path).stdout
    assert f"route good: an operator accepted answers under the model id {MOVED}" in shown

    study.write_text(STUDY.format(address=gateways(10**9)))
    tournament("run", study, "--out", tmp_path / "still", cwd=tmp_path)
    for table in ("outcomes.csv", "externalities/private.csv"):
        assert (run / table).read_bytes() == (tmp_path / "still" / table).read_bytes()


@pytest.fixture(scope="module")
def suspended(tmp_path_factory: pytest.TempPathFactory, gateways: Gateways) -> Path:
    """The folder of a run that its first answer suspended."""
    folder = tmp_path_factory.mktemp("moved")
    (folder / "study.yaml").write_text(STUDY.format(address=gateways(0)))
    tournament("run", "study.yaml", "--out", "run", cwd=folder, expect=3)
    return folder


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("nowhere", "good", MOVED), "nowhere"),
        (("run", "bad", MOVED), "has no route 'bad'; it has: good"),
        (("run", "good", " "), "ID must be a model id as an answer names it"),
        (("run", "good", "a\nb"), "ID must be a model id as an answer names it"),
    ],
)
def test_a_decision_about_nothing_is_refused_in_one_line(
    suspended: Path, arguments: tuple[str, ...], line: str
) -> None:
    manifest = suspended / "run" / "manifest.json"
    before = manifest.read_bytes()
    refused = tournament("routes", "accept", *arguments, cwd=suspended, expect=2)
    assert line in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert manifest.read_bytes() == before
