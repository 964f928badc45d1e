"""One world as work to be done: everything a process needs to play it, and what comes back.

A task travels to a worker process and its result travels back, so both are plain values; markets and
policies are named and found in the registry on the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from lineups.values import WorldSpec
from tournament import registry
from tournament.errors import DamageError, Fault
from tournament.journal.conversations import require_conversations
from tournament.journal.rows import to_text
from tournament.journal.writer import JOURNAL, Journal, open_journal
from tournament.playing.columns import measures_columns, usage_columns, usage_rows, windows_columns
from tournament.playing.play import Progress, play_world
from tournament.ports import Accountable, Policy
from tournament.records import Json, SeatContext, WorldTables
from tournament.rundir.layout import world_folder
from tournament.rundir.outcomes import window_states
from tournament.rundir.parquet import Columns
from tournament.storage import resumable, sha256_of
from tournament.study.file import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTask:
    """Who fills a seat: a contestant, its policy with resolved parameters, the id that binds them."""

    contestant: str
    policy: str
    parameters: BaseModel
    identity: str
    model_free: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldTask:
    """A world to play in `folder`: a market with its overrides, a seed, one contestant a seat."""

    world: str
    folder: Path
    market: str
    overrides: Mapping[str, Json]
    scenario: str
    seed: int
    repeat: int
    seats: tuple[SeatTask, ...]

    @property
    def model_free(self) -> bool:
        return all(seat.model_free for seat in self.seats)

    def header(self) -> Mapping[str, Json]:
        """Return what the journal is bound to: enough to replay it, and to refuse another world's."""
        return {
            "world": self.world,
            "market": self.market,
            "overrides": dict(self.overrides),
            "scenario": self.scenario,
            "seed": self.seed,
            "repeat": self.repeat,
            "contestants": [seat.contestant for seat in self.seats],
            "policies": [seat.identity for seat in self.seats],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldResult:
    """What became of a task; the tables are there when the world has ended.

    `fault` is an outage, or the damage of a journal, which makes its world `invalid`. Tables stay out of
    the repr, which an event loop builds of a result.
    """

    world: str
    state: Literal["ended", "stopped", "suspended", "invalid"]
    windows: int
    scores: tuple[int, ...]
    fault: Fault | None = None
    outcomes: tuple[Mapping[str, int | None], ...] = ()
    window_states: tuple[Mapping[str, int], ...] = ()
    daily: Columns | None = field(default=None, repr=False)
    market: Columns | None = field(default=None, repr=False)
    measures: Columns | None = field(default=None, repr=False)
    series: Columns | None = field(default=None, repr=False)
    extra: Mapping[str, Columns] = field(default_factory=dict, repr=False)
    windows_table: Columns | None = field(default=None, repr=False)
    usage: Columns | None = field(default=None, repr=False)
    journal_sha256: str = ""


def task_of(study: Study, spec: WorldSpec, run: Path) -> WorldTask:
    """Return a world of the study as work to be done in its folder."""
    contestants = [study.contestants[name] for name in spec.seats]
    return WorldTask(
        world=spec.world,
        folder=world_folder(run, spec.world),
        market=study.market.id,
        overrides=study.overrides,
        scenario=study.market.scenario,
        seed=spec.seed,
        repeat=spec.repeat,
        seats=tuple(
            SeatTask(
                contestant=contestant.id,
                policy=contestant.kind.id,
                parameters=contestant.parameters,
                identity=contestant.identity,
                model_free=contestant.kind.model_free,
            )
            for contestant in contestants
        ),
    )


async def play_task(
    task: WorldTask,
    *,
    services: Mapping[str, Any],
    stop: Callable[[], bool],
    progress: Progress,
) -> WorldResult:
    """Play or continue a task's world in its journal; an ended journal is closed for good.

    A journal that is damaged ends this world alone: it is left as it is, and nothing is played from it.
    """
    try:
        with resumable():
            return await _play(task, services, stop, progress)
    except DamageError as fault:
        return WorldResult(
            world=task.world,
            state="invalid",
            windows=0,
            scores=(),
            fault=Fault(kind="damage", message=str(fault)),
        )


async def _play(
    task: WorldTask, services: Mapping[str, Any], stop: Callable[[], bool], progress: Progress
) -> WorldResult:
    market = registry.scenario_of(task.market, to_text(dict(task.overrides)))
    journal = open_journal(task.folder / JOURNAL, task.header(), durable=not task.model_free)
    try:
        require_conversations(journal, [seat.policy for seat in task.seats])
        world = market.open(task.seed, len(task.seats))
        policies = _policies(task, journal, services)
        played = await play_world(world, policies, journal, stop=stop, progress=progress)
        if played.state != "ended":
            return WorldResult(
                world=task.world,
                state=played.state,
                windows=played.windows,
                scores=world.scores(),
                fault=None if played.suspension is None else played.suspension.fault,
            )
        return _finish(task, journal, world.tables(), world.outcomes(), world.scores())
    finally:
        journal.close()


def _policies(task: WorldTask, journal: Journal, services: Mapping[str, Any]) -> dict[int, Policy]:
    return {
        number: registry.policy_kind(seat.policy).build(
            seat.parameters,
            SeatContext(
                world=task.world,
                seat=number,
                contestant=seat.contestant,
                store=journal.store(number),
                services=services,
            ),
        )
        for number, seat in enumerate(task.seats, start=1)
    }


def _finish(
    task: WorldTask,
    journal: Journal,
    tables: WorldTables,
    outcomes: tuple[Mapping[str, int | None], ...],
    scores: tuple[int, ...],
) -> WorldResult:
    seals = journal.seals()
    windows = len(journal.windows())
    usage = _usage(task, journal, windows)
    journal.finish()
    return WorldResult(
        world=task.world,
        state="ended",
        windows=windows,
        scores=scores,
        outcomes=outcomes,
        window_states=window_states([(item.seat, item.state) for item in seals], len(task.seats)),
        daily=tables.daily,
        market=tables.market or None,
        measures=measures_columns(tables.measures),
        series=tables.series or None,
        extra=tables.extra,
        windows_table=windows_columns(seals),
        usage=usage,
        journal_sha256=sha256_of(journal.path),
    )


def _usage(task: WorldTask, journal: Journal, windows: int) -> Columns | None:
    """Return a row a window of every seat whose policy accounts for itself, or None without such seats."""
    rows: list[Mapping[str, Json]] = []
    for number, seat in enumerate(task.seats, start=1):
        if not isinstance(registry.policy_kind(seat.policy), Accountable):
            continue
        keys = {"world": task.world, "seat": number, "contestant": seat.contestant}
        records = {window: journal.store(number).records(window) for window in range(windows)}
        rows += usage_rows(seat.policy, seat.parameters, keys, records)
    return usage_columns(rows)
