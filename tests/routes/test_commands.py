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
    assert "problem: routes.yaml:1:62: [0].params.temprature: not supported" in shown.stdout


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


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("key_env: sk-ant-SECRETvalue", "must be the NAME of an environment variable"),
        ("key_env: AIzaSyD_SECRETkeyvalue123", "must be the NAME of an environment variable"),
        ("key_env: {api_key: sk-ant-SECRETvalue}", "must be the NAME of an environment variable"),
        ("key_env: [sk-ant-SECRETvalue]", "must be the NAME of an environment variable"),
        ('api_base: "https://me:SECRET@gateway.example/v1"', "holds a user name or password"),
        ('api_base: "https://gateway.example/v1?key=SECRET"', "has a query or fragment"),
        ('api_base: "https://gateway.example/v1#SECRET"', "has a query or fragment"),
        ('api_base: "me:SECRET@gateway.example"', "is no address"),
        ("options: sk-ant-SECRETvalue-0123456789", "looks like a key"),
        ("options: {extra_body: {password: SECRET}}", "named as a secret"),
        ("settings: {aws_secret_access_key: SECRET}", "holds a secret"),
    ],
)
def test_a_pasted_secret_is_refused_in_one_line_that_does_not_repeat_it(tmp_path, said, told):
    (tmp_path / "routes.yaml").write_text(f"- id: a\n  model: openai/gpt-5\n  {said}\n")
    (tmp_path / "study.yaml").write_text(STUDY.format().replace("route: own", "route: a"))
    for arguments in (("routes", "list", "routes.yaml"), ("run", "study.yaml")):
        refused = tournament(*arguments, cwd=tmp_path, expect=2)
        assert refused.stderr.startswith("error: routes.yaml:3:")
        assert refused.stderr.count("\n") == 1
        assert told in refused.stderr
        assert "SECRET" not in refused.stdout + refused.stderr


MANY = """\
routes:
  - {id: good, model: openai/gpt-5, key_env: ABSENT_KEY, params: {temprature: 1}}
  - id: own
    model: openai/totally-new
    key_env: WORDS
"""


@pytest.mark.parametrize("command_line", [("run", "study.yaml"), ("routes", "check", "study.yaml")])
def test_every_problem_is_a_line_at_its_place_in_the_file_that_holds_the_entry(tmp_path, command_line):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "routes.yaml").write_text(MANY)
    (tmp_path / "study.yaml").write_text(STUDY.format().replace("routes.yaml", "shared/routes.yaml"))
    refused = tournament(*command_line, cwd=tmp_path, expect=2, env={"WORDS": "two SECRET"})
    first, second, third, *rest = refused.stderr.splitlines()
    assert first == (
        "error: shared/routes.yaml:2:46: routes[0].key_env: the environment variable ABSENT_KEY is not set"
    )
    assert second.startswith("error: shared/routes.yaml:2:67: routes[0].params.temprature: not supported")
    assert third.startswith("error: shared/routes.yaml:5:14: routes[1].key_env: the value of the environment")
    assert "SECRET" not in refused.stderr
    priced = ["error: shared/routes.yaml:4:12: routes[1].model: litellm's map has no price for it"]
    assert [line.split(": give")[0] for line in rest] == (priced if command_line[0] == "run" else [])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("model: mock/nosuch", "2:10: [0].model: no strategy 'nosuch'"),
        ("model: mock/script", "2:10: [0].model: the model mock/script needs a script"),
        (
            "model: mock/rule\n  mock: {faults: nosuch}",
            "3:18: [0].mock.faults: unknown fault 'nosuch'; known: ",
        ),
        (
            "model: mock/script\n  mock: {script: absent.json}",
            "3:18: [0].mock.script: absent.json: cannot be",
        ),
        (
            "model: mock/script\n  mock: {script: replies.json}",
            '[0].mock.script: replies.json: 0.when.reply: must be an integer, not the text "1"; numbers',
        ),
        (
            "model: mock/script\n  mock: {script: other.json}",
            "[0].mock.script: other.json: 0.when.after: unknown key; known: reply, says, last",
        ),
        (
            "model: mock/rule\n  mock: {params: {multiplier: -1}}",
            "3:18: [0].mock.params: multiplier: rule@1: must be",
        ),
    ],
)
def test_a_mock_that_cannot_play_is_found_before_anything_is_played(tmp_path, said, told):
    (tmp_path / "replies.json").write_text('[{"when": {"reply": "1"}}]')
    (tmp_path / "other.json").write_text('[{"when": {"after": 1}}]')
    (tmp_path / "routes.yaml").write_text(f"- id: own\n  {said}\n- {{id: good, model: mock/rule}}\n")
    (tmp_path / "study.yaml").write_text(STUDY.format())
    listed = tournament("routes", "list", "routes.yaml", cwd=tmp_path)
    assert "problem: routes.yaml:" in listed.stdout
    assert told in listed.stdout
    for name in ("plan", "run"):
        refused = tournament(name, "study.yaml", cwd=tmp_path, expect=2)
        assert refused.stderr.startswith("error: routes.yaml:")
        assert told in refused.stderr
    assert not (tmp_path / "runs").exists()


def test_a_plan_needs_no_key(tmp_path):
    (tmp_path / "routes.yaml").write_text(
        "- {id: good, model: openai/gpt-5, key_env: ABSENT_KEY}\n- {id: own, model: mock/rule}\n"
    )
    (tmp_path / "study.yaml").write_text(STUDY.format())
    assert "at most" in tournament("plan", "study.yaml", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "text", ["- {id: own, model: mock/rule}", "routes:\n  - {id: own, model: mock/rule}"]
)
def test_a_routes_file_is_no_study_and_says_what_it_is_for(tmp_path, text):
    (tmp_path / "routes.yaml").write_text(text)
    refused = tournament("run", "routes.yaml", cwd=tmp_path, expect=2)
    assert refused.stderr == (
        "error: routes.yaml:1:1: this is a routes file; include it from a study (`routes: FILE`),"
        " see `tournament routes list`\n"
    )


def test_a_refused_key_is_told_with_the_variable_that_holds_it(tmp_path):
    process = subprocess.Popen(
        command("mock-provider", "--port", "0", "--faults", "unauthorized"),
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    assert process.stdout is not None
    base = process.stdout.readline().split(";")[0].removeprefix("listening at ")
    (tmp_path / "routes.yaml").write_text(
        f'- {{id: a, model: openai/mock-rule, api_base: "{base}", key_env: GATEWAY_KEY}}\n'
    )
    key = {"GATEWAY_KEY": "sk-canary-0123456789"}
    checked = tournament("routes", "check", "routes.yaml", cwd=tmp_path, expect=3, env=key)
    process.terminate()
    process.wait()
    process.stdout.close()
    assert "the key is the value of the environment variable GATEWAY_KEY" in checked.stdout
    assert "canary" not in checked.stdout + checked.stderr


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
