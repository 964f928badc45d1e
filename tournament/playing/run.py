"""Running a study: worlds played concurrently, published one by one, stopped without loss.

Model-free worlds go to worker processes, worlds with a seat that costs money share this process's
event loop. A world counts as finished when its files stand in the manifest; whatever an interruption
left between is made again from the journals, so that no order of events reaches a published table.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from lineups.values import WorldSpec
from tournament.errors import Fault, InputError
from tournament.journal.writer import JOURNAL
from tournament.playing.events import Note, OnEvent, RunEnded, RunStarted, WorldLeft, WorldProgress
from tournament.playing.pool import Pool, first_fault, open_pool
from tournament.playing.publish import Publisher
from tournament.playing.task import WorldResult, WorldTask, play_task, task_of
from tournament.playing.worker import Announced, Progressed
from tournament.registry import market_kind
from tournament.rundir.layout import (
    begin_or_continue,
    ended_world,
    environment_diff,
    is_finished,
    require_sources,
    world_folder,
)
from tournament.rundir.lock import owned
from tournament.rundir.manifest import Manifest, record_files
from tournament.storage import probe, resumable
from tournament.study.file import Study

LIVE_WORLDS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRun:
    """What is made of a run's outcomes: `write` returns the SHA-256 of each file by its path in the run.

    `prepare` loads what that takes while worlds are being played.
    """

    prepare: Callable[[], object]
    write: Callable[[Path], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which worlds of a study to play and where; `only` is a glob on world names."""

    run: Path
    jobs: int
    only: str | None = None
    seed: int | None = None


@dataclass(slots=True, kw_only=True)
class _Session:
    """What the concurrent parts of one run share."""

    tasks: Mapping[str, WorldTask]
    on_event: OnEvent
    services: Mapping[str, Any]
    prepare: Callable[[], object]
    stopping: bool = False
    cancelled: bool = False
    faults: dict[str, Fault] = field(default_factory=dict)


def select(worlds: Sequence[WorldSpec], only: str | None, seed: int | None) -> tuple[WorldSpec, ...]:
    """Return the worlds that pass the filters; raises InputError when none does."""
    chosen = tuple(
        spec
        for spec in worlds
        if (only is None or fnmatchcase(spec.world, only)) and (seed is None or spec.seed == seed)
    )
    if not chosen:
        filters = [f"--only {only}"] * (only is not None) + [f"--seed {seed}"] * (seed is not None)
        raise InputError(
            f"{' '.join(filters)} leaves none of {len(worlds)} worlds, such as {worlds[0].world}"
        )
    return chosen


def run_study(
    study: Study,
    request: Request,
    *,
    on_event: OnEvent,
    services: Mapping[str, Any],
    post_run: PostRun,
) -> RunEnded:
    """Play what is left of the selected worlds, then write what is concluded from all that have ended.

    `services` goes to seats that are not model-free; the one named `close`, if there is one, is awaited
    at the end. Every event goes to `on_event`. Returns the account of the run with its
    exit code; raises DirectoryError, StorageError, DamageError, InputError.
    """
    worlds = study.worlds()
    selected = select(worlds, request.only, request.seed)
    run = request.run
    probe(run)
    with owned(run, "run", f"of study {study.id}") as workers_lock, resumable():
        manifest = begin_or_continue(run, study)
        finished = {spec.world for spec in worlds if is_finished(run, manifest, spec.world)}
        remaining = [spec for spec in selected if spec.world not in finished]
        if remaining:
            require_sources(run, manifest, study)
        publisher = Publisher(run, manifest, worlds, study.market.published)
        on_event(_started(study, request, selected, finished))
        for line in environment_diff(manifest):
            on_event(Note(text=f"not the surroundings that the run began in: {line}"))
        session = _Session(
            tasks={spec.world: task_of(study, spec, run) for spec in remaining},
            on_event=on_event,
            services=services,
            prepare=post_run.prepare,
        )
        with _pool_for(session, workers_lock, request.jobs) as pool:
            publisher.restore(ended_world(run, spec) for spec in worlds if spec.world in finished)
            try:
                if remaining:
                    _play(session, pool, publisher, study.limits.worlds or LIVE_WORLDS)
            finally:
                publisher.flush()
        if publisher.count and not session.cancelled:
            files = post_run.write(run)
            if publisher.complete:
                record_files(run, files)
        ended = _account(run, publisher.manifest, worlds, selected, session)
        on_event(ended)
        return ended


def _started(study: Study, request: Request, selected: Sequence[WorldSpec], finished: set[str]) -> RunStarted:
    return RunStarted(
        run=str(request.run),
        study=study.id,
        study_hash=study.hash,
        planned=len(study.worlds()),
        selected=len(selected),
        finished=sum(spec.world in finished for spec in selected),
        windows=study.market.windows,
        jobs=request.jobs,
    )


@contextmanager
def _pool_for(session: _Session, lock: Path, jobs: int) -> Iterator[Pool | None]:
    free = sum(task.model_free for task in session.tasks.values())
    if not free:
        yield None
        return
    with open_pool(lock, max(1, min(jobs, free))) as pool:
        yield pool


def _play(session: _Session, pool: Pool | None, publisher: Publisher, live_worlds: int) -> None:
    try:
        anyio.run(_served, session, pool, publisher, live_worlds)
    except BaseExceptionGroup as group:
        raise first_fault(group) from group


async def _served(session: _Session, pool: Pool | None, publisher: Publisher, live_worlds: int) -> None:
    """Play, and let a service that holds connections close them on the loop that opened them."""
    try:
        await _play_cancellable(session, pool, publisher, live_worlds)
    finally:
        if "close" in session.services:
            with anyio.CancelScope(shield=True):
                await session.services["close"]()


async def _play_cancellable(
    session: _Session, pool: Pool | None, publisher: Publisher, live_worlds: int
) -> None:
    send, receive = anyio.create_memory_object_stream[WorldResult](4)
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as watch:
            watch.start_soon(_watch_signals, session, pool, scope)
            async with anyio.create_task_group() as work:
                work.start_soon(_publish, session, publisher, receive)
                work.start_soon(partial(anyio.to_thread.run_sync, session.prepare, abandon_on_cancel=True))
                async with send:
                    await _play_all(session, pool, send, live_worlds)
            watch.cancel_scope.cancel()


async def _watch_signals(session: _Session, pool: Pool | None, scope: anyio.CancelScope) -> None:
    """First signal: leave every world at the end of its window. Second: now; what is committed stays."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if session.stopping:
                session.cancelled = True
                scope.cancel()
                return
            session.stopping = True
            session.on_event(
                Note(text="stopping at the end of the current window; once more to stop at once")
            )
            if pool is not None:
                pool.stop()


async def _play_all(
    session: _Session,
    pool: Pool | None,
    results: MemoryObjectSendStream[WorldResult],
    live_worlds: int,
) -> None:
    free = [task for task in session.tasks.values() if task.model_free]
    live = [task for task in session.tasks.values() if not task.model_free]
    on_event = partial(_on_worker_message, session)
    if pool is not None:
        await pool.prepare(sorted({task.market for task in free}), on_event)
    elif live:
        kind = market_kind(live[0].market)
        await anyio.to_thread.run_sync(kind.prepare, lambda text: session.on_event(Note(text=text)))
    limiter = anyio.CapacityLimiter(live_worlds)
    async with anyio.create_task_group() as group:
        if pool is not None:
            group.start_soon(pool.play, free, on_event, results.send)
        for task in live:
            group.start_soon(_play_live, session, task, limiter, results)


async def _play_live(
    session: _Session,
    task: WorldTask,
    limiter: anyio.CapacityLimiter,
    results: MemoryObjectSendStream[WorldResult],
) -> None:
    async with limiter:
        if session.stopping:
            return
        result = await play_task(
            task,
            services=session.services,
            stop=lambda: session.stopping,
            progress=partial(_emit_progress, session, task.world),
        )
    await results.send(result)


def _on_worker_message(session: _Session, message: Announced | Progressed) -> None:
    if isinstance(message, Announced):
        session.on_event(Note(text=message.text))
    else:
        _emit_progress(session, message.world, message.windows, message.scores)


def _emit_progress(session: _Session, world: str, windows: int, scores: Sequence[int]) -> None:
    session.on_event(
        WorldProgress(
            world=world,
            windows=windows,
            contestants=_contestants(session, world),
            scores_cents=tuple(scores),
        )
    )


async def _publish(
    session: _Session, publisher: Publisher, results: MemoryObjectReceiveStream[WorldResult]
) -> None:
    """Write what ended, one world after another; a world is told as ended only when it is published."""
    async with results:
        async for result in results:
            if result.state == "ended":
                await anyio.to_thread.run_sync(publisher.publish, result)
            if result.fault is not None:
                session.faults[result.world] = result.fault
            session.on_event(
                WorldLeft(
                    world=result.world,
                    state=result.state,
                    windows=result.windows,
                    contestants=_contestants(session, result.world),
                    scores_cents=result.scores,
                    reason=result.fault.message if result.fault else "",
                )
            )


def _contestants(session: _Session, world: str) -> tuple[str, ...]:
    return tuple(seat.contestant for seat in session.tasks[world].seats)


def _account(
    run: Path,
    manifest: Manifest,
    worlds: Sequence[WorldSpec],
    selected: Sequence[WorldSpec],
    session: _Session,
) -> RunEnded:
    open_worlds = [spec.world for spec in selected if not manifest.finished(spec.world)]
    faults = {world: session.faults[world] for world in open_worlds if world in session.faults}
    invalid = {world: fault.message for world, fault in faults.items() if fault.kind == "damage"}
    suspended = {world: fault.message for world, fault in faults.items() if fault.kind != "damage"}
    others = [world for world in open_worlds if world not in faults]
    started = tuple(world for world in others if (world_folder(run, world) / JOURNAL).exists())
    not_started = tuple(world for world in others if world not in started)
    return RunEnded(
        run=str(run),
        planned=len(worlds),
        selected=len(selected),
        done=len(selected) - len(open_worlds),
        interrupted=started,
        suspended=suspended,
        invalid=invalid,
        not_started=not_started,
        exit_code=_exit_code(session, bool(others), bool(faults)),
    )


def _exit_code(session: _Session, interrupted: bool, faulty: bool) -> int:
    if session.stopping and interrupted:
        return 130
    return 3 if faulty or interrupted else 0
