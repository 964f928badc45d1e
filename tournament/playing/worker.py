"""A worker process: plays model-free worlds that its parent sends, and dies with its parent.

It imports neither pandas nor pyarrow. It holds a shared lock on the run directory while it lives, so
that a new owner can wait until no orphan writes on, and it leaves at once when the pipe that only its
parent holds open is closed, however the parent ended. Signals from a terminal are its parent's to
act on: it runs in a session of its own, and ignores them when they come all the same.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal

import anyio

from tournament import registry
from tournament.errors import ArenaError
from tournament.playing.task import WorldResult, WorldTask, play_task

PROGRESS_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """Ask: compile and cache what the market needs; answered with Prepared."""

    market: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Answer: the market's kernels are ready in the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Ask: the value of a function, importable by name, at an argument; answered with Returned."""

    function: Callable[[Any], Any]
    argument: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """Answer: what a called function returned."""

    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """Tell: a line for the user."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """Tell: a world's windows settled and every seat's score so far."""

    world: str
    windows: int
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Answer: the task could not be done; `text` is one line, or a traceback for a bug."""

    kind: Literal["user", "bug"]
    exit_code: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Ask: leave the world at the end of the current window."""


WorkerRequest = WorldTask | Prepare | Call
WorkerReply = Prepared | Returned | Announced | Progressed | Failed | WorldResult


def serve(connection_fd: int, lifeline_fd: int, lock: str) -> None:
    """Do what comes through the connection until it closes; `lock` is the run's, empty for none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    connection = Connection(connection_fd)
    sys.excepthook = partial(_report_bug, connection)
    if lock:
        _hold_shared(Path(lock), lifeline_fd)
    threading.Thread(target=_die_with_parent, args=(lifeline_fd,), daemon=True).start()
    try:
        while True:
            request = connection.recv()
            if isinstance(request, WorldTask):
                connection.send(anyio.run(_play, connection, request))
            elif isinstance(request, Prepare):
                connection.send(_prepare(connection, request))
            elif isinstance(request, Call):
                connection.send(_call(request))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _prepare(connection: Connection, request: Prepare) -> WorkerReply:
    def announce(text: str) -> None:
        connection.send(Announced(text=text))

    try:
        registry.market_kind(request.market).prepare(announce)
    except ArenaError as fault:
        return Failed(kind="user", exit_code=fault.exit_code, text=str(fault))
    return Prepared()


def _call(request: Call) -> WorkerReply:
    try:
        return Returned(value=request.function(request.argument))
    except ArenaError as fault:
        return Failed(kind="user", exit_code=fault.exit_code, text=str(fault))


async def _play(connection: Connection, task: WorldTask) -> WorkerReply:
    last_sent = 0.0
    stopping = False

    def stop() -> bool:
        nonlocal stopping
        while not stopping and connection.poll():
            stopping = isinstance(connection.recv(), Stop)
        return stopping

    def progress(windows: int, scores: Sequence[int]) -> None:
        nonlocal last_sent
        if time.monotonic() - last_sent >= PROGRESS_SECONDS:
            last_sent = time.monotonic()
            connection.send(Progressed(world=task.world, windows=windows, scores=tuple(scores)))

    try:
        return await play_task(task, services={}, stop=stop, progress=progress)
    except ArenaError as fault:
        return Failed(kind="user", exit_code=fault.exit_code, text=str(fault))


def _report_bug(
    connection: Connection,
    kind: type[BaseException],
    fault: BaseException,
    trace: TracebackType | None,
) -> None:
    """Send a bug's traceback to the parent, which has the terminal and the exit code, before dying of it."""
    text = "".join(traceback.format_exception(kind, fault, trace))
    connection.send(Failed(kind="bug", exit_code=1, text=text))


def _hold_shared(lock: Path, lifeline_fd: int) -> None:
    """Take the shared lock for life, then make sure that the parent who asked is still there.

    A parent that died before this lock was taken may already have a successor that found no worker.
    """
    descriptor = os.open(lock, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    if select.select([lifeline_fd], [], [], 0)[0]:
        os._exit(1)


def _die_with_parent(lifeline_fd: int) -> None:
    os.read(lifeline_fd, 1)
    os._exit(1)
