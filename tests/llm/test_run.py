"""A study with model seats from file to tables: played, suspended, resumed, accounted for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.llm.rig import Reply, ScriptedRoute, call, reply, say, seal, services
from tournament.cli.app import app
from tournament.cli.route_status import spending
from tournament.errors import Suspension
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.playing.run import PostRun, Request, run_study
from tournament.records import Attempt, ModelRequest
from tournament.study.file import load_study

STUDY = """\
study: panel
market: {id: ceo_arena@1, overrides: {days: 14}}
seeds: [11]
contestants:
  rule: {policy: rule@1}
  astra: {policy: llm@1, route: one}
  sol: {policy: llm@1, route: two}
lineup: [astra, sol]
references: [{contestant: rule}]
routes: [{id: one}, {id: two}]
"""


def ceo(request: ModelRequest, ordinal: int) -> Reply:
    """Prices by what it reads of its request alone."""
    text = request.messages[1]["content"]
    cents = 3900 + int(hashlib.sha256(text.encode()).hexdigest(), 16) % 200
    price = call("set_price", {"product": "A", "price_cents": cents})
    note = call("write_file", {"path": "MEMORY.md", "text": str(cents)})
    steps = [say("thinking aloud"), reply(price, note), seal("priced")]
    return steps[ordinal - 1]


def play(folder: Path, routes: Mapping[str, ScriptedRoute], study: str = STUDY) -> int:
    from externalities.write import write_externalities

    path = folder / "panel.yaml"
    path.write_text(study, encoding="utf-8")
    ended = run_study(
        load_study(path),
        Request(run=folder / "run", jobs=1),
        on_event=lambda event: None,
        services=services(routes),
        post_run=PostRun(prepare=lambda: None, write=lambda run: write_externalities(run).files),
    )
    return ended.exit_code


def routes(**scripts: Any) -> dict[str, ScriptedRoute]:
    return {name: ScriptedRoute(scripts.get(name, ceo), id=name) for name in ("one", "two")}


def identity(run: Path) -> dict[str, Any]:
    told: dict[str, Any] = {"outcomes": (run / "outcomes.csv").read_bytes()}
    for path in sorted((run / "externalities").rglob("*.csv")):
        told[path.name] = path.read_bytes()
    for path in sorted(run.glob(f"worlds/*/{JOURNAL}")):
        with read_journal(path) as reader:
            told[path.parent.name] = (reader.seals(), reader.days())
    return told


def test_a_run_with_outages_is_resumed_and_equals_one_without_and_buys_nothing_twice(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    calm = routes()
    assert play(whole, calm) == 0

    outages: list[str] = []

    def failing(request: ModelRequest, ordinal: int) -> Reply:
        if ordinal == 2 and not outages:
            outages.append(request.label)
            return Suspension("route two: no reply", kind="transport", route="two")
        return ceo(request, ordinal)

    flaky = routes(two=failing)
    assert play(broken, flaky) == 3
    again = routes()
    assert play(broken, again) == 0
    assert identity(broken / "run") == identity(whole / "run")
    asked = sum(len(route.requests) for route in (*flaky.values(), *again.values()))
    assert asked == sum(len(route.requests) for route in calm.values()) + 1


def test_usage_adds_up_in_tables_reliability_and_status(tmp_path: Path) -> None:
    chosen = routes()
    assert play(tmp_path, chosen) == 0
    run = tmp_path / "run"
    table = pd.concat(pd.read_parquet(path) for path in run.glob("worlds/*/usage.parquet"))
    # Two seats in the reference world, one in each of its replacements, two windows each.
    assert len(table) == 8
    assert table["replies"].sum() == 24
    assert set(table["route"]) == {"one", "two"}
    assert table["cost_usd"].sum() == pytest.approx(24 * 0.002)
    rows = pd.read_csv(run / "externalities" / "reliability.csv")
    astra = rows[(rows.contestant == "astra") & (rows.reference == "all")].iloc[0]
    assert (astra.replies, astra.tool_calls, astra.corrections, astra.sealed) == (12, 12, 4, 4)
    assert [(item.route, item.account.replies) for item in spending(run).routes] == [("one", 12), ("two", 12)]
    shown = CliRunner().invoke(app, ["status", str(run)])
    assert "at most more" in shown.output
    assert CliRunner().invoke(app, ["trace", str(run)]).exit_code == 0
    verified = CliRunner().invoke(app, ["verify", str(run)])
    assert verified.exit_code == 0, verified.output


def test_status_says_which_seat_is_retrying_and_until_when(tmp_path: Path) -> None:
    seen: list[str] = []
    chosen = routes()

    def watched(request: ModelRequest, ordinal: int) -> Reply:
        if ordinal == 2 and not seen:
            run = tmp_path / "run"
            told = json.loads(CliRunner().invoke(app, ["status", str(run), "--json"]).stdout)
            seen.extend(retry["fault"] for route in told["routes"] for retry in route["retrying"])
            seen.append(CliRunner().invoke(app, ["status", str(run)]).output)
        return ceo(request, ordinal)

    chosen["two"].script = watched
    chosen["two"].attempts = (
        Attempt(
            number=1,
            status=429,
            fault="transport: rate_limit",
            detail="",
            wait_seconds=9,
            until=1_800_000_000.0,
        ),
    )
    assert play(tmp_path, chosen) == 0
    assert seen[0] == "transport: rate_limit"
    assert "is retrying until 2027-01-15 08:00:00 UTC (transport: rate_limit)" in seen[-1]
