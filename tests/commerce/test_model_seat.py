"""A model runs a company through HTTP for all 31 windows: killed and resumed as if never stopped."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.cli.arena import begin, identity, tournament, wait_for, windows_settled
from tests.commerce.dealer import dealer
from tests.merchant.storekeeper import Account
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL

STUDY = """\
study: dealer
market: commerce@1
seeds: [11]
contestants:
  rule: {{policy: commerce-rule@1}}
  broker: {{policy: commerce-broker@1}}
  dealer: {{policy: llm@1, route: one}}
lineup: [dealer, broker]
replace: [dealer]
references: [{{contestant: rule}}]
routes:
  - {{id: one, model: openai/dealer, api_base: "{address}", price: {{input: 1.0, output: 2.0}}}}
limits: {{usd: 50}}
"""
WORLD = "ref.r0.s11.n1"
WINDOWS = 31
MEASURED = ("window", "sealed", "exhausted", "replies", "tool_calls", "queries", "staged", "refused_calls")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A folder with a whole run `r`, the model's account, and how the whole run was asked."""

    folder: Path
    account: Account
    bodies: tuple[str, ...]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("dealer")
    with dealer() as (address, account):
        (folder / "study.yaml").write_text(STUDY.format(address=address), encoding="utf-8")
        tournament("run", "study.yaml", "--out", "r", cwd=folder)
        yield Kept(folder=folder, account=account, bodies=tuple(account.bodies))


def left_by(run: Path) -> dict[str, Any]:
    """Return all that a world left: identity, its tables, what was sealed, the model's files and its usage."""
    told: dict[str, Any] = dict(identity(run))
    for path in sorted(run.glob("worlds/*/*.parquet")):
        name = path.relative_to(run).as_posix()
        if path.stem == "usage":
            told[name] = pd.read_parquet(path)[list(MEASURED)].to_dict("list")
        else:
            told[name] = path.read_bytes()
    with read_journal(run / "worlds" / WORLD / JOURNAL) as journal:
        told["files"] = dict(journal.files(1))
        told["sealed"] = journal.seals()
    return told


def died(process: subprocess.Popen[str]) -> None:
    out, err = process.communicate()
    assert process.returncode == -signal.SIGKILL, out + err


@pytest.mark.slow
def test_killed_between_a_question_and_its_answer_and_between_windows_it_ends_as_if_it_never_was(
    kept: Kept,
) -> None:
    account, run = kept.account, kept.folder / "killed"
    before = len(account.bodies)
    process = begin("run", "study.yaml", "--out", "killed", cwd=kept.folder)
    # Amid a window: the answer to the 20th question is never given.
    account.when(20, lambda: os.kill(process.pid, signal.SIGKILL))
    died(process)
    first = windows_settled(run)
    again = begin("run", "study.yaml", "--out", "killed", cwd=kept.folder)
    wait_for(lambda: windows_settled(run) >= first + 8, again)
    os.kill(again.pid, signal.SIGKILL)
    died(again)
    assert 0 < first < windows_settled(run) < 2 * WINDOWS
    tournament("run", "study.yaml", "--out", "killed", cwd=kept.folder)
    assert left_by(run) == left_by(kept.folder / "r")
    tournament("verify", "killed", cwd=kept.folder)
    # Nothing is bought twice but what was lost with a process, and nothing else than without a break.
    bought = Counter(account.bodies[before:])
    bought.subtract(Counter(kept.bodies))
    assert all(count >= 0 for count in bought.values())
    assert sum(bought.values()) <= 2


@pytest.mark.slow
def test_the_model_buys_sells_and_answers_in_every_phase(kept: Kept) -> None:
    outcomes = pd.read_csv(kept.folder / "r" / "outcomes.csv").set_index(["world", "seat"])
    mine = outcomes.loc[(WORLD, 1)]
    assert mine["orders"] > 20
    assert mine["supplier_orders"] > 5
    assert mine["replies"] > 0
    with read_journal(kept.folder / "r" / "worlds" / WORLD / JOURNAL) as journal:
        seals = [seal for seal in journal.seals() if seal.seat == 1]
        assert "cash" in str(dict(journal.files(1))["MEMORY.md"])
    assert [seal.window for seal in seals] == list(range(WINDOWS))
    assert {seal.state for seal in seals} == {"sealed"}
    assert {"buy", "list"} <= set(seals[0].decision)
    assert any("replies" in seal.decision for seal in seals)
    usage = pd.read_parquet(kept.folder / "r" / "worlds" / WORLD / "usage.parquet")
    assert int(usage["refused_calls"].sum()) == 0
