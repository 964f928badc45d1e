"""`tournament routes` and `tournament mock-provider` as a person uses them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.arena import command, environment, tournament

ROUTES = """\
- {{id: good, model: openai/mock-wholesaler, api_base: "{base}", price: {{input: 1, output: 2}}}}
- {{id: own, model: mock/rule}}
"""
STUDY = """\
study: rehearsal
market: {{id: ceo_arena@1, overrides: {{days: 14}}}}
seeds: [11]
contestants:
  rule: {{policy: rule@1}}
  one: {{policy: llm@1, route: good}}
  two: {{policy: llm@1, route: own}}
lineup: [one, two]
references: [{{contestant: rule}}]
routes: routes.yaml
limits: {{usd: 100}}
"""


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The mock provider as a process of its own; its address."""
    process = subprocess.Popen(
        command("mock-provider", "--port", "0", "--faults", "0.1"),
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    yield line.split(";")[0].removeprefix("listening at ")
    process.terminate()
    process.wait()
    process.stdout.close()


@pytest.fixture
def folder(tmp_path: Path, served: str) -> Path:
    (tmp_path / "routes.yaml").write_text(ROUTES.format(base=served))
    (tmp_path / "study.yaml").write_text(STUDY.format())
    return tmp_path


def test_routes_are_listed_with_prices_and_problems_and_nothing_is_sent(tmp_path):
    (tmp_path / "routes.yaml").write_text(
        "- {id: a, model: openai/gpt-5, key_env: ABSENT_KEY, params: {temprature: 1}}\n- {id: b, model: mock/rule}\n"
    )
    listed = tournament("routes", "list", "routes.yaml", "--json", cwd=tmp_path)
    first, second = json.loads(listed.stdout)["routes"]
    assert first["usd_per_million"] == [1.25, 10.0]
    assert len(first["problems"]) == 2
    assert "ABSENT_KEY is not set" in first["problems"][0]
    assert second["problems"] == []
    shown = tournament("routes", "list", "routes.yaml", cwd=tmp_path)
    assert "openai/gpt-5" in shown.stdout
    assert "problem: routes.yaml:1:65: [0].params.temprature: not supported" in shown.stdout


def test_a_check_asks_each_route_once_and_its_exit_code_says_how_it_went(folder):
    checked = tournament("routes", "check", "study.yaml", "--json", cwd=folder, expect=None)
    reports = {report["route"]: report for report in json.loads(checked.stdout)["routes"]}
    assert reports["own"]["passed"]
    assert reports["own"]["calls_tools"]
    assert checked.returncode == (0 if reports["good"]["passed"] else 3)
    one = tournament("routes", "check", "routes.yaml", "--route", "own", cwd=folder)
    assert "passed" in one.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {id: a, model: openai/gpt-5, key_env: ABSENT_KEY}", "ABSENT_KEY is not set"),
        ("- {id: a, modle: x}", "modle"),
        ("- {id: a, model: mock/nobody}", "no strategy 'nobody'"),
        ("- {id: a, model: mock/script}", "needs a script"),
        ("- {id: a, model: mock/script, mock: {script: absent.json}}", "absent.json"),
        ("[]", "it has no routes"),
    ],
)
def test_a_wrong_entry_is_one_clear_line_before_anything_is_sent(tmp_path, text, message):
    (tmp_path / "routes.yaml").write_text(text)
    checked = tournament("routes", "check", "routes.yaml", cwd=tmp_path, expect=2)
    assert checked.stderr.count("\n") == 1
    assert message in checked.stderr


def test_an_unknown_route_is_told_what_there_is(folder):
    checked = tournament("routes", "check", "routes.yaml", "--route", "bad", cwd=folder, expect=2)
    assert "it has: good, own" in checked.stderr


def test_a_study_over_http_and_in_process_runs_verifies_and_counts_its_dollars(folder):
    played = tournament("run", "study.yaml", "--out", "run", cwd=folder)
    assert "Unclosed" not in played.stderr
    tournament("verify", "run", cwd=folder)
    status = json.loads(tournament("status", "run", "--json", cwd=folder).stdout)
    good = next(route for route in status["routes"] if route["route"] == "good")
    assert good["account"]["replies"] >= 16
    assert good["account"]["cost_usd"] > 0


def test_a_stopped_route_suspends_its_worlds_until_it_is_mended(tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY.format())
    fault = '- {id: good, model: mock/rule}\n- {id: own, model: mock/rule, mock: {faults: "payment"}}\n'
    (tmp_path / "routes.yaml").write_text(fault)
    stopped = tournament("run", "study.yaml", "--out", "run", cwd=tmp_path, expect=3)
    assert "Insufficient credits" in stopped.stdout + stopped.stderr


def test_the_command_line_loads_no_provider_library():
    code = "import sys, tournament.cli.app; sys.exit('litellm' in sys.modules or 'httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=environment(), check=False).returncode == 0
