"""A model keeps a store through HTTP: killed and resumed as if never stopped, and no window longer than another."""

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

from agents.merchant.quality import MERCHANT_QUALITY
from agents.merchant.rule import MERCHANT_RULE
from agents.strategy import without_blanks
from market.merchant.activity import activities
from tests.cli.arena import begin, identity, tournament, wait_for, windows_settled
from tests.merchant.storekeeper import Account, storekeeper
from tests.merchant.worlds import opened
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL

STUDY = """\
study: storekeeper
market: {{id: merchant@1, overrides: {{days: 60, products: 300}}}}
seeds: [11]
contestants:
  rule: {{policy: merchant-rule@1}}
  quality: {{policy: merchant-quality@1}}
  keeper: {{policy: llm@1, route: one}}
lineup: [keeper, quality]
replace: [keeper]
references: [{{contestant: rule}}]
routes:
  - {{id: one, model: openai/storekeeper, api_base: "{address}", price: {{input: 1.0, output: 2.0}}}}
limits: {{usd: 50}}
"""
WORLD = "ref.r0.s11.n1"
WINDOWS = 120
MEASURED = ("window", "sealed", "exhausted", "replies", "tool_calls", "queries", "staged", "refused_calls")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A folder with a whole run `r`, the model's address, its account, and how the whole run was asked."""

    folder: Path
    account: Account
    bodies: tuple[str, ...]
    lengths: tuple[tuple[int, int], ...]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("storekeeper")
    with storekeeper() as (address, account):
        (folder / "study.yaml").write_text(STUDY.format(address=address), encoding="utf-8")
        tournament("run", "study.yaml", "--out", "r", cwd=folder)
        yield Kept(
            folder=folder,
            account=account,
            bodies=tuple(account.bodies),
            lengths=tuple(account.opened),
        )


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
    # Amid a window: the answer to the 75th question is never given.
    account.when(75, lambda: os.kill(process.pid, signal.SIGKILL))
    died(process)
    first = windows_settled(run)
    again = begin("run", "study.yaml", "--out", "killed", cwd=kept.folder)
    wait_for(lambda: windows_settled(run) >= first + 40, again)
    os.kill(again.pid, signal.SIGKILL)
    died(again)
    assert WINDOWS / 8 < first < windows_settled(run) < 2 * WINDOWS
    tournament("run", "study.yaml", "--out", "killed", cwd=kept.folder)
    assert left_by(run) == left_by(kept.folder / "r")
    tournament("verify", "killed", cwd=kept.folder)
    # Nothing is bought twice but what was lost with a process, and nothing else than without a break.
    bought = Counter(account.bodies[before:])
    bought.subtract(Counter(kept.bodies))
    assert all(count >= 0 for count in bought.values())
    assert sum(bought.values()) <= 2


@pytest.mark.slow
def test_the_model_trades_and_is_active_in_the_windows_in_which_it_did_more_than_seal(kept: Kept) -> None:
    from reports.parts import ViewTables
    from reports.view import open_view

    run = ViewTables(view=open_view(kept.folder / "r"))
    outcome = run.outcomes(WORLD)[0]
    assert (outcome["orders"] or 0) > 50
    assert (outcome["mean_listings_thousandths"] or 0) > 30_000
    with read_journal(kept.folder / "r" / "worlds" / WORLD / JOURNAL) as journal:
        answers = [
            sum(event.kind == "reply" for event in journal.events(1, window)) for window in range(WINDOWS)
        ]
    active = [count > 1 for count in answers]
    found = activities(run, WORLD)[1]
    assert found.active.tolist() == active
    shares = [sum(active[first : first + 60]) / 60 for first in range(WINDOWS - 59)]
    assert found.sustained == pytest.approx(min(shares))
    assert 0 < min(shares) < 1
    # Three queries, its note and what it had to stage, and the seal of every window.
    assert found.tool_calls is not None
    assert found.tool_calls >= WINDOWS + 4 * sum(active)
    assert activities(run, WORLD)[2].tool_calls is None


@pytest.mark.slow
def test_what_a_window_begins_with_does_not_grow(kept: Kept) -> None:
    assert len(kept.lengths) == WINDOWS
    early, late = kept.lengths[30:60], kept.lengths[90:]
    for part in (0, 1):
        assert max(item[part] for item in late) <= 1.25 * max(item[part] for item in early)


def test_briefing_and_new_rows_of_a_window_do_not_grow_with_the_year() -> None:
    """Counted over a whole year of a steady store; what it ever listed alone grows, up to the catalogue."""
    world = opened({"products": 400}, seats=2)
    seats = (MERCHANT_RULE, MERCHANT_QUALITY)
    memos: list[Any] = [None, None]
    sizes: list[dict[str, int]] = []
    while world.window < world.windows:
        desk = world.desk(1)
        counts = {"briefing": len(desk.brief())}
        for table in desk.tables():
            after = max(0, world.version - 1) if table.grows else 0
            counts[table.name] = sum(1 for _ in desk.rows(table.name, after))
        sizes.append(counts)
        row = []
        for m, strategy in enumerate(seats):
            facts = world.desk(m + 1).facts()
            move = strategy.decide(strategy.parameters(), facts, memos[m])  # type: ignore[arg-type]
            memos[m] = move.memo
            row.append(without_blanks(move.decision))
        world.settle(row)
    quarter = len(sizes) // 4
    listed = [counts.pop("product_performance") for counts in sizes]
    assert max(listed) <= 400
    for name in sizes[0]:
        second = max(counts[name] for counts in sizes[quarter : 2 * quarter])
        last = max(counts[name] for counts in sizes[3 * quarter :])
        assert last <= 1.25 * second, name
