"""The pool of worker processes, seen from the parent: one task at a time each, results as they come.

Workers start before anything else is imported or prepared, so that their start-up overlaps with it;
one of them compiles what the market needs while the others wait. A worker that dies (killed by the
system, say) suspends the world it played, which stays resumable, and is replaced.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, TypeVar

import anyio

from tournament.errors import ArenaError, Fault
from tournament.playing.task import WorldResult, WorldTask
from tournament.playing.worker import (
    Announced,
    Call,
    Failed,
    Prepare,
    Prepared,
    Progressed,
    Returned,
    Stop,
    WorkerReply,
    WorkerRequest,
)

_START: Final = (
    "import sys; sys.path[:] = {path!r}; from tournament.playing.worker import serve;"
    " serve({a}, {b}, {lock!r})"
)

T = TypeVar("T")
R = TypeVar("R")
OnMessage = Callable[[Announced | Progressed], None]
OnResult = Callable[[WorldResult], Awaitable[None]]


class TaskFailed(ArenaError):
    """A task that no resumption can mend, with the exit code of its cause."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class WorkerBug(Exception):
    """A bug in a worker process; the text is its traceback."""


class WorkerDied(ArenaError):
    """A worker process ended without an answer."""

    exit_code = 3


class Worker:
    """One worker process and the two pipes that tie it to this one."""

    def __init__(self, lock: Path | None) -> None:
        ours, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        start = _START.format(path=sys.path, a=theirs.fileno(), b=lifeline, lock=str(lock or ""))
        self._process = subprocess.Popen(
            [sys.executable, "-c", start],
            pass_fds=(theirs.fileno(), lifeline),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        os.close(lifeline)
        self._connection = Connection(ours.detach())

    async def submit(
        self, request: WorkerRequest, on_message: OnMessage
    ) -> WorldResult | Prepared | Returned:
        """Return the answer to a task; `on_message` gets what comes before it."""
        try:
            self._connection.send(request)
            while True:
                await anyio.wait_readable(self._connection.fileno())
                reply: WorkerReply = self._connection.recv()
                if isinstance(reply, WorldResult | Prepared | Returned):
                    return reply
                if isinstance(reply, Failed):
                    raise _failure(reply)
                on_message(reply)
        except (EOFError, BrokenPipeError, ConnectionResetError) as fault:
            raise WorkerDied(self._death()) from fault

    def stop(self) -> None:
        """Ask for an end after the current window."""
        try:
            self._connection.send(Stop())
        except OSError:
            return  # it is gone already, which its task finds out

    def kill(self) -> None:
        """End the process now; what it has committed stays."""
        self._process.kill()
        self._process.wait()
        self._connection.close()
        os.close(self._lifeline)

    def _death(self) -> str:
        code = self._process.wait()
        cause = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"its worker process ended ({cause})"


class Pool:
    """Worker processes for one run; `stop` lets each leave its world at the end of a window."""

    def __init__(self, lock: Path, size: int) -> None:
        self._lock = lock
        self._workers = [Worker(lock) for _ in range(size)]
        self._stopping = False

    async def prepare(self, markets: Sequence[str], on_message: OnMessage) -> None:
        """Let one worker compile and cache what the markets need."""
        for market in markets:
            await self._workers[0].submit(Prepare(market=market), on_message)

    async def play(self, tasks: Sequence[WorldTask], on_message: OnMessage, on_result: OnResult) -> None:
        """Play tasks in their order, as many at once as there are workers."""
        queue = deque(tasks)
        async with anyio.create_task_group() as group:
            for index in range(len(self._workers)):
                group.start_soon(self._serve, index, queue, on_message, on_result)

    def stop(self) -> None:
        self._stopping = True
        for worker in self._workers:
            worker.stop()

    def kill(self) -> None:
        for worker in self._workers:
            worker.kill()

    async def _serve(
        self, index: int, queue: deque[WorldTask], on_message: OnMessage, on_result: OnResult
    ) -> None:
        while queue and not self._stopping:
            task = queue.popleft()
            try:
                reply = await self._workers[index].submit(task, on_message)
            except WorkerDied as death:
                reply = _suspended(task, str(death))
                self._workers[index].kill()
                self._workers[index] = Worker(self._lock)
            if isinstance(reply, WorldResult):
                await on_result(reply)


@contextmanager
def open_pool(lock: Path, size: int) -> Iterator[Pool]:
    """Start workers, and leave none behind."""
    pool = Pool(lock, size)
    try:
        yield pool
    finally:
        pool.kill()


def map_processes(
    function: Callable[[T], R], items: Sequence[T], jobs: int, lock: Path | None = None
) -> list[R]:
    """Return the function's values at the items, in their order, found by up to `jobs` processes.

    The function must be importable by name; where it writes into a run, `lock` is what the run's owner
    gave its workers. No process outlives this one, however it ends.
    """
    workers = [Worker(lock) for _ in range(min(jobs, len(items)))]
    try:
        return anyio.run(_map, workers, function, items)
    except BaseExceptionGroup as group:
        raise first_fault(group) from group
    finally:
        for worker in workers:
            worker.kill()


async def _map(workers: Sequence[Worker], function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    queue = deque(enumerate(items))
    found: dict[int, R] = {}

    async def work(worker: Worker) -> None:
        while queue:
            index, item = queue.popleft()
            reply = await worker.submit(Call(function=function, argument=item), _ignore)
            if isinstance(reply, Returned):
                found[index] = reply.value

    async with anyio.create_task_group() as group:
        for worker in workers:
            group.start_soon(work, worker)
    return [found[index] for index in range(len(items))]


def first_fault(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return what ended a group of tasks: a condition with a message before a bug, a bug before the rest."""
    leaves: list[BaseException] = []
    for fault in group.exceptions:
        leaves.append(first_fault(fault) if isinstance(fault, BaseExceptionGroup) else fault)
    for kind in (ArenaError, WorkerBug, Exception):
        for leaf in leaves:
            if isinstance(leaf, kind):
                return leaf
    return leaves[0]


def _ignore(message: Announced | Progressed) -> None:
    """Called functions have nothing to tell before they return."""


def _suspended(task: WorldTask, reason: str) -> WorldResult:
    return WorldResult(
        world=task.world, state="suspended", windows=0, scores=(), fault=Fault(kind="harness", message=reason)
    )


def _failure(reply: Failed) -> Exception:
    return WorkerBug(reply.text) if reply.kind == "bug" else TaskFailed(reply.text, reply.exit_code)
