"""Run directories for reports: made ones of any shape, written by the real writers, and a played one with models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from externalities.write import write_externalities
from lineups.values import WorldSpec
from market.ceo_arena.parameters import PRODUCTS
from market.ceo_arena.published import PUBLISHED
from tests.externalities import synthetic
from tests.llm.rig import Reply, ScriptedRoute, call, reply, seal, services
from tournament.journal.writer import JOURNAL, ClosedWindow, open_journal
from tournament.playing.run import PostRun, Request, run_study
from tournament.records import Attempt, ModelRequest, Receipt, Seal, Settlement
from tournament.rundir.environment import platform_facts, versions
from tournament.rundir.manifest import WORLD_FILES, Manifest, Scenario, world_file, write_manifest
from tournament.rundir.parquet import write_parquet
from tournament.storage import sha256_of
from tournament.study.file import load_study

WINDOW = 7
HOSTILE = '<script>document.title="stolen"</script><img src=x onerror="document.title=1"> & "quotes" \u202e ☃'


def made(
    folder: Path,
    *,
    lineup: Sequence[str] = ("ann", "bob", "cem"),
    references: Mapping[str, Mapping[int, int]] | None = None,
    repeats: Mapping[int, int] | None = None,
    unfinished: Sequence[str] = (),
    windows: int = 3,
    rationale: str = "because",
    bankrupt: bool = False,
    statistics: bool = True,
) -> Path:
    """Write a run whose outcomes are drawn; `unfinished` worlds have begun but not ended."""
    repeats = repeats or {11: 1, 29: 1}
    if references is None:
        references = {"rule": repeats}
    rows = synthetic.rows(lineup=tuple(lineup), references=references or None, repeats=repeats)
    rows = [row for row in rows if references or not row["reference"]]
    run = folder / "run"
    run.mkdir(parents=True)
    specs = synthetic.spec_of_worlds(rows)
    ended = [spec for spec in specs if spec.world not in unfinished]
    for row in rows:
        row["bankrupt_day"] = "5" if bankrupt else ""
    synthetic.write_run(run, [row for row in rows if row["world"] not in unfinished])
    if not ended:
        (run / "outcomes.csv").unlink()
    _write_study(run, specs, lineup, references, repeats, windows)
    for spec in specs:
        _write_world(
            run, spec, windows if spec in ended else 1, rationale, ended=spec in ended, left=bankrupt
        )
    _write_manifest(run, ended, windows)
    if statistics and ended:
        write_externalities(run)
    return run


def _write_study(
    run: Path,
    specs: Sequence[WorldSpec],
    lineup: Sequence[str],
    references: Mapping[str, Mapping[int, int]],
    repeats: Mapping[int, int],
    windows: int,
) -> None:
    entry = {
        "policy": "rule@1",
        "identity": "rule@1-00000000",
        "parameters": {"note": HOSTILE},
        "route": None,
    }
    study = {
        "study": "made",
        "contestants": dict.fromkeys([*lineup, *references], entry),
        "lineup": list(lineup),
        "references": [{"contestant": name} for name in references],
        "seeds": list(repeats),
        "market": {"id": "toy@1", "overrides": {}, "days": windows * WINDOW},
    }
    (run / "study.json").write_text(json.dumps(study), encoding="utf-8")
    (run / "study.yaml").write_text(f"study: made  # {HOSTILE}\n", encoding="utf-8")
    synthetic.write_plan_of(run, specs)


def _write_manifest(run: Path, ended: Sequence[WorldSpec], windows: int) -> None:
    names = [world_file(spec.world, name) for spec in ended for name in WORLD_FILES]
    files = {name: sha256_of(run / name) for name in [*names, *(["outcomes.csv"] if ended else [])]}
    scenario = Scenario(
        market="toy@1",
        id="toy@1",
        sha256="1" * 64,
        days=windows * WINDOW,
        windows=windows,
        accounts=("capital",),
        published=PUBLISHED,
    )
    manifest = Manifest(
        study="made",
        study_hash="2" * 64,
        scenario=scenario,
        sources={"agents": "3" * 64},
        versions=versions(),
        platform=platform_facts(),
        files=files,
    )
    write_manifest(run, manifest)


def _write_world(
    run: Path, spec: WorldSpec, windows: int, rationale: str, *, ended: bool, left: bool
) -> None:
    folder = run / "worlds" / spec.world
    header = {"world": spec.world, "contestants": list(spec.seats), "market": "toy@1"}
    journal = open_journal(folder / JOURNAL, header, durable=False)
    for number in range(windows):
        last = ended and number == windows - 1
        outcomes = [{"score_cents": 1} for _ in spec.seats] if last else None
        journal.close_window(_window(spec, number, rationale), outcomes)
    if ended:
        journal.finish()
        _write_tables(folder, spec, windows)
        _write_measured(folder, len(spec.seats), windows, left)
    else:
        journal.close()


def _window(spec: WorldSpec, number: int, rationale: str) -> ClosedWindow:
    seats = range(1, len(spec.seats) + 1)
    first = number * WINDOW + 1
    seals = [
        Seal(
            window=number,
            seat=seat,
            state="refused" if seat == 2 and number == 1 else "sealed",
            decision={"prices": {"tea": 100 + number}, "budget": 5},
            reason="too dear" if seat == 2 and number == 1 else "",
            rationale=rationale,
        )
        for seat in seats
    ]
    receipts = tuple(
        Receipt(
            seat=seat,
            window=number,
            action="project",
            status="applied",
            cents=-1234500,
            effective_day=first + 3,
            detail=HOSTILE,
        )
        for seat in seats
    )
    settlement = Settlement(
        window=number,
        first_day=first,
        last_day=first + WINDOW - 1,
        refusals={},
        receipts=receipts,
        postings=np.zeros((0, 4), dtype=np.int64),
        hashes=tuple(f"{day:064d}" for day in range(first, first + WINDOW)),
    )
    return ClosedWindow(
        seals=seals,
        memos=dict.fromkeys(seats),
        settlement=settlement,
        scores=[1000 * seat for seat in seats],
    )


def _write_tables(folder: Path, spec: WorldSpec, windows: int) -> None:
    days, seats = windows * WINDOW, len(spec.seats)
    day, seat = np.repeat(np.arange(1, days + 1), seats), np.tile(np.arange(1, seats + 1), days)
    ones = np.ones(days * seats, dtype=np.int64)
    write_parquet(
        folder / "daily.parquet",
        {
            "day": day,
            "seat": seat,
            "cash_cents": 50_000_000 + 1000 * day * seat,
            "price_cents_tea": 100 * ones + seat,
            "promotion_percent_tea": 0 * ones,
            "stock_tea": 5 * ones,
            "inbound_tea": 0 * ones,
            "demand_tea": 10 * ones,
            "served_tea": 9 * ones,
            "delivered_tea": 9 * ones,
            "revenue_cents_tea": 900 * ones,
            "procurement_cents": 0 * ones,
            "development_cents": 300 * seat,
        },
    )
    write_parquet(
        folder / "windows.parquet",
        {"window": np.repeat(np.arange(windows), seats), "seat": np.tile(np.arange(1, seats + 1), windows)},
    )


def _write_measured(folder: Path, seats: int, windows: int, left: bool) -> None:
    """Write what a market measures of a world: firms' paths, which end where they have left, and its health."""
    seat, window = np.tile(np.arange(1, seats + 1), windows), np.repeat(np.arange(windows), seats)
    last = (window + 1) * WINDOW
    paths = {
        "cash_cents": 50_000_000.0 + 1000 * last * seat,
        "revenue_share": np.full(len(seat), 1 / seats),
        **{f"posted_cents_{product}": 100.0 + seat for product in PRODUCTS},
        "stockout_share": np.full(len(seat), 0.1),
        "spending_cents": 300.0 * seat,
        "relative_price": (100 + seat) / (100 + (seats + 1) / 2),
    }
    write_parquet(
        folder / "series.parquet",
        {
            "window": window,
            "last_day": last,
            "seat": seat,
            "in_business": np.full(len(seat), not left),
            **{name: np.where(left, np.nan, values) for name, values in paths.items()},
        },
    )
    write_parquet(
        folder / "measures.parquet",
        {"measure": ["fill_rate"], "group": [""], "value": [0.9], "note": [""]},
    )


PANEL = """\
study: panel
market: {id: ceo_arena@1, overrides: {days: 21}}
seeds: [11]
contestants:
  rule: {policy: rule@1}
  astra: {policy: llm@1, route: one}
  sol: {policy: llm@1, route: two}
lineup: [astra, sol]
references: [{contestant: rule}]
routes: [{id: one}, {id: two}]
"""
NOTES = (
    call("write_file", {"path": "MEMORY.md", "text": f"plan\nhold prices\n{HOSTILE}\n"}),
    call("edit_file", {"path": "MEMORY.md", "old": "hold prices", "new": "raise prices"}),
    call("delete_file", {"path": "MEMORY.md"}),
)


def noting(request: ModelRequest, ordinal: int) -> Reply:
    """A CEO that writes a note, changes it, deletes it, and explains itself in markup."""
    day = int(str(request.messages[1]["content"]).split("day ")[1].split()[0].strip(",.;:"))
    steps = [reply(NOTES[min(day // 7, 2)]), seal(HOSTILE)]
    return steps[ordinal - 1]


def played(folder: Path) -> Path:
    """Play a study of three windows with two models, one of them on a route that fails before every reply."""
    path = folder / "panel.yaml"
    path.write_text(PANEL, encoding="utf-8")
    run = folder / "run"
    busy = Attempt(number=1, status=503, fault="overload", detail="busy", wait_seconds=2.0)
    routes = {
        "one": ScriptedRoute(noting, id="one"),
        "two": ScriptedRoute(noting, id="two", attempts=(busy,)),
    }
    run_study(
        load_study(path),
        Request(run=run, jobs=1),
        on_event=lambda event: None,
        services=services(routes),
        post_run=PostRun(prepare=lambda: None, write=lambda run: partial(write_externalities)(run).files),
    )
    return run
