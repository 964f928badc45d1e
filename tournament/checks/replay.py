"""Checking one journal by replay: does settling its seals give every hash, receipt, posting and outcome?

What replay cannot know (rationales, memos, a model's conversation) is covered by the file's hash alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lineups.values import WorldSpec
from tournament import seal
from tournament.checks.parts import extra_parts
from tournament.errors import DamageError
from tournament.journal.reader import JournalReader
from tournament.journal.rows import damaged, to_text
from tournament.playing.columns import world_columns
from tournament.playing.play import decisions_by_window, replay, require_days
from tournament.ports import World
from tournament.records import Json, Receipt, Seal, Settlement
from tournament.registry import scenario_of
from tournament.rundir.manifest import Scenario
from tournament.rundir.parquet import Columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Everything of a journal that replay must give again."""

    header: Mapping[str, Json]
    ended: bool
    seals: tuple[Seal, ...]
    days: tuple[str, ...]
    windows: list[tuple[int, int, int, tuple[int, ...]]]
    receipts: tuple[tuple[Receipt, ...], ...]
    postings: NDArray[np.int64]
    outcomes: tuple[Mapping[str, int | None], ...]


def check_journal(journal: JournalReader, spec: WorldSpec, scenario: Scenario) -> list[str]:
    """Return what is wrong with a world's journal, in the order of the world; empty if nothing is."""
    return replayed(journal, spec, scenario)[0]


def replayed(
    journal: JournalReader, spec: WorldSpec, scenario: Scenario
) -> tuple[list[str], Callable[[], dict[str, Columns]]]:
    """Return what is wrong with a world's journal, and how to derive the tables of one that is sound and ended."""
    recorded = _read(journal)
    wrong = [*extra_parts(journal), *_header_faults(recorded.header, spec, scenario)]
    if wrong:
        return wrong, dict
    market = scenario_of(recorded.header["market"], to_text(recorded.header["overrides"]))
    world = market.open(spec.seed, len(spec.seats))
    if len(recorded.windows) > world.windows:
        return [f"it has {len(recorded.windows)} windows, the world {world.windows}"], dict
    wrong += _settlement_faults(recorded, spec, world)
    wrong = wrong or [*_end_faults(recorded, world, market.published.role("cash"))]
    if wrong or not recorded.ended:
        return wrong, dict
    return wrong, lambda: world_columns(world.tables(), recorded.seals)


def _read(journal: JournalReader) -> Recorded:
    try:
        windows = journal.windows()
        return Recorded(
            header=journal.header,
            ended=journal.ended,
            seals=journal.seals(),
            days=journal.days(),
            windows=windows,
            receipts=tuple(journal.receipts(window) for window in range(len(windows))),
            postings=journal.postings(),
            outcomes=journal.outcomes(),
        )
    except (ValueError, TypeError, KeyError, OverflowError) as fault:
        raise damaged(journal.path, f"its rows cannot be read: {fault}") from fault


def _header_faults(header: Mapping[str, Json], spec: WorldSpec, scenario: Scenario) -> Iterator[str]:
    expected = {
        "world": spec.world,
        "seed": spec.seed,
        "repeat": spec.repeat,
        "contestants": list(spec.seats),
        "market": scenario.market,
        "scenario": scenario.id,
    }
    for key, value in expected.items():
        if key not in header or header[key] != value:
            yield f"its header has another {key} than the plan"
            return
    market = scenario_of(header["market"], to_text(header["overrides"]))
    if seal.digest(market.describe()) != scenario.sha256:
        yield "its market has other parameters here than in the run"


def _settlement_faults(recorded: Recorded, spec: WorldSpec, world: World) -> list[str]:
    """Replay every recorded window; the first that departs ends the comparison."""
    seats = len(spec.seats)
    try:
        rows = decisions_by_window(recorded.seals, seats=seats, windows=len(recorded.windows))
    except IndexError:
        return ["it has a seal outside its windows or seats"]
    postings = [np.empty((0, 4), dtype=np.int64)]
    sealed: dict[int, list[int]] = {}
    for item in recorded.seals:
        sealed.setdefault(item.window, []).append(item.seat)
    active = world.active()
    for settlement in replay(world, rows):
        fault = _departure(recorded, spec, settlement, world.scores())
        if fault is None and sealed.get(settlement.window, []) != sorted(active):
            fault = f"window {settlement.window}: it has other seals than seats were in business"
        active = world.active()
        if fault is not None:
            return [fault]
        postings.append(settlement.postings[settlement.postings[:, 3] != 0])
    if len(recorded.days) != world.version:
        return [f"it has {len(recorded.days)} daily hashes for {world.version} days"]
    return _posting_faults(recorded.postings, np.concatenate(postings))


def _departure(
    recorded: Recorded, spec: WorldSpec, settlement: Settlement, scores: Sequence[int]
) -> str | None:
    window = settlement.window
    try:
        require_days(settlement, recorded.days, spec.world)
    except DamageError as fault:
        return str(fault)
    if recorded.windows[window] != (window, settlement.first_day, settlement.last_day, tuple(scores)):
        return f"window {window}: days or scores differ from the replay"
    if recorded.receipts[window] != settlement.receipts:
        return f"window {window}: receipts differ from the replay"
    for item in recorded.seals:
        if item.window == window and not _seal_agrees(item, settlement.refusals):
            return f"window {window}, seat {item.seat}: sealed as {item.state}, which the replay denies"
    return None


def _seal_agrees(item: Seal, refusals: Mapping[int, str]) -> bool:
    if item.seat in refusals:
        return item.state == "refused" and item.reason == refusals[item.seat]
    return item.state != "refused"


def _posting_faults(recorded: NDArray[np.int64], replayed: NDArray[np.int64]) -> list[str]:
    if np.array_equal(recorded, replayed):
        return []
    common = min(len(recorded), len(replayed))
    differing = np.flatnonzero((recorded[:common] != replayed[:common]).any(axis=1))
    at = int(differing[0]) if len(differing) else common
    longer = recorded if len(recorded) > at else replayed
    day, seat = int(longer[at][0]), int(longer[at][1])
    return [f"day {day}, seat {seat}: posting {at + 1} differs from the replay"]


def _end_faults(recorded: Recorded, world: World, cash_column: str | None) -> Iterator[str]:
    if world.window < world.windows:
        if recorded.ended or recorded.outcomes:
            yield f"it claims an end after {world.window} of {world.windows} windows"
        return
    if not recorded.ended:
        yield "it has every window but no end"
    outcomes = world.outcomes()
    if recorded.outcomes != outcomes:
        yield "its outcomes differ from the replay's final scores and metrics"
    for seat, metrics in enumerate(outcomes, start=1):
        cash = int(recorded.postings[recorded.postings[:, 1] == seat][:, 3].sum())
        if cash_column is not None and metrics[cash_column] != cash:
            yield f"seat {seat}: its postings sum to {cash}, its final cash is {metrics[cash_column]}"
