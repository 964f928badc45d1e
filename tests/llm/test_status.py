"""`status` and `watch` tell the same of what models have cost, and what they leave out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.llm.rig import Reply, reply
from tests.llm.test_run import STUDY, ceo, play, routes
from tournament.cli.app import app
from tournament.errors import IdentityMismatch
from tournament.records import Attempt, ModelReply, ModelRequest, Usage

LOST = Attempt(number=1, status=None, fault="transport: dropped", detail="", wait_seconds=1, cost_usd=None)


def shown(*arguments: str | Path) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose route `two` lost an answer before every reply, and reports no usage."""
    folder = tmp_path_factory.mktemp("lossy")
    chosen = routes()

    def silent(request: ModelRequest, ordinal: int) -> Reply:
        answer = ceo(request, ordinal)
        assert isinstance(answer, ModelReply)
        return replace(answer, usage=Usage(prompt=None, generated=None))

    chosen["two"].script = silent
    chosen["two"].attempts = (LOST,)
    study = STUDY.replace("market:", "limits: {usd: 10, usd_per_world: 5}\nmarket:")
    assert play(folder, chosen, study) == 0
    return folder / "run"


def test_status_and_watch_part_what_is_spent_from_what_may_come_to_it(run: Path) -> None:
    told = {
        route["route"]: route["account"] for route in json.loads(shown("status", run, "--json"))["routes"]
    }
    for name in ("one", "two"):
        spent, more = (f"${told[name][column]:.4f}" for column in ("cost_usd", "possibly_paid_usd"))
        for view in (shown("status", run), shown("watch", run, "--once")):
            (line,) = [line for line in view.splitlines() if re.match(rf"{name} +\d", line)]
            assert re.search(rf"{re.escape(spent)} +{re.escape(more)}", line)
    assert told["two"]["possibly_paid_usd"] == pytest.approx(12 * 0.01)
    assert told["one"]["possibly_paid_usd"] == 0


def test_status_and_watch_say_how_much_of_each_cap_is_used(run: Path) -> None:
    for view in (shown("status", run), shown("watch", run, "--once")):
        assert re.search(r"cap \$10: \d+% used", view)
        assert re.search(r"cap \$5 a world: \d+% used in the dearest", view)


def test_status_tells_estimated_tokens_from_reported_ones(run: Path) -> None:
    told = {
        route["route"]: route["account"] for route in json.loads(shown("status", run, "--json"))["routes"]
    }
    assert told["two"]["estimated_tokens"] == told["two"]["generated_tokens"] > 0
    view = shown("status", run)
    assert "estimated" in view
    assert "two: 12 replies of unknown usage, whose generated tokens are estimated" in view


def test_status_explains_the_replies_of_a_model_that_is_not_accepted(tmp_path: Path) -> None:
    def other_model(request: ModelRequest, ordinal: int) -> Reply:
        return IdentityMismatch("route two answered as model-x", route="two", reply=reply())

    assert play(tmp_path, routes(two=other_model)) == 3
    view = shown("status", tmp_path / "run")
    assert "two: 2 replies of a model that the route does not accept, kept and not acted on" in view


def test_worlds_that_stand_still_for_one_reason_share_a_line(tmp_path: Path) -> None:
    def other_model(request: ModelRequest, ordinal: int) -> Reply:
        return IdentityMismatch("route two answered as model-x", route="two", reply=None)

    assert play(tmp_path, routes(two=other_model)) == 3
    view = shown("status", tmp_path / "run")
    (line,) = [line for line in view.splitlines() if "model-x" in line]
    assert line.startswith(
        "suspended: 2 worlds: identity: seat 2: route two answered as model-x: ref.r0.s11.n1, "
    )
