"""The pool of SQL processes: a CEO's statement runs beside the arena, within limits that are its own.

One thread of the pool owns one process; waiting statements form one line, and a seat has one
statement in it at a time, so that no seat starves another. A statement is refused for what it does
itself: its steps, its memory, its processor time. A process that ends for any other reason says nothing
of the CEO: the statement is run again in a new one, and where none survives the world is suspended.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.llm.sql import worker
from tournament.errors import Suspension

PROCESSOR_SECONDS: Final = 2.0
# Only for a process that is stopped, or a machine that is at its end: who meets it runs again.
GUARD_SECONDS: Final = 300.0
PROCESSES: Final = 2
ATTEMPTS: Final = 4
_PAUSE_SECONDS: Final = 0.1
# What a process sends itself, by a fault of the engine; everything else comes from outside.
_CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a statement gave: `body` as the SQL process answered it, and its seconds of processor time.

    `body["limit"]` is `clock` where its processor time stopped it and `engine` where the engine fell over
    it every time; no other limit depends on the machine.
    """

    body: Mapping[str, Any]
    seconds: float


class QueryPool:
    """SQL processes, started on demand; `close` ends them, and so does the end of this process."""

    def __init__(
        self,
        *,
        processes: int = PROCESSES,
        processor_seconds: float = PROCESSOR_SECONDS,
        guard_seconds: float = GUARD_SECONDS,
    ) -> None:
        self._processes = processes
        self._processor_seconds = processor_seconds
        self._guard_seconds = guard_seconds
        self._executor: ThreadPoolExecutor | None = None
        self._own = threading.local()
        self._running: set[subprocess.Popen[bytes]] = set()

    async def run(self, image: bytes, sql: str, limit: int) -> Answer:
        """Run one statement on a compressed database image; raises Suspension where no process survives."""
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._processes, thread_name_prefix="sql")
            atexit.register(self.close)
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._run, image, sql, limit)

    def close(self) -> None:
        if self._executor is None:
            return
        atexit.unregister(self.close)
        self._executor.shutdown()
        self._executor = None
        self._own = threading.local()
        for process in tuple(self._running):
            self._end(process)

    def _run(self, image: bytes, sql: str, limit: int) -> Answer:
        head = json.dumps({"sql": sql, "limit": limit, "seconds": self._processor_seconds}).encode()
        deaths: list[int] = []
        while len(deaths) < ATTEMPTS:
            if deaths:
                time.sleep(_PAUSE_SECONDS * 2 ** len(deaths))
            process = self._process()
            answer = None if process is None else self._guarded_exchange(process, image, head)
            if answer is not None:
                body = json.loads(answer)
                return Answer(body=body["body"], seconds=body["seconds"])
            deaths.append(self._ended)
            if deaths[-1] == -signal.SIGPROF:
                reason = f"the statement took more than {self._processor_seconds:g} seconds"
                return Answer(body={"refused": reason, "limit": "clock"}, seconds=self._processor_seconds)
        if all(-code in _CRASHES for code in deaths):
            return Answer(
                body={"refused": "the engine failed on the statement", "limit": "engine"}, seconds=0.0
            )
        causes = ", ".join(sorted({_cause(code) for code in deaths}))
        raise Suspension(
            f"the SQL process ended {ATTEMPTS} times without an answer ({causes})", kind="harness"
        )

    @property
    def _ended(self) -> int:
        """The exit code of this thread's last process: negative for the signal that ended it."""
        code: int = self._own.code
        return code

    def _guarded_exchange(self, process: subprocess.Popen[bytes], image: bytes, head: bytes) -> bytes | None:
        """Return the answer, or None for a process that ended; one that never answers is ended here."""
        guard = threading.Timer(self._guard_seconds, process.kill)
        guard.daemon = True
        guard.start()
        answer = self._exchange(process, image, head)
        guard.cancel()
        if answer is None:
            self._end(process)
        return answer

    def _exchange(self, process: subprocess.Popen[bytes], image: bytes, head: bytes) -> bytes | None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            worker.send(process.stdin, head)
            worker.send(process.stdin, image)
        except BrokenPipeError:
            return None
        return worker.receive(process.stdout)

    def _process(self) -> subprocess.Popen[bytes] | None:
        """Return this thread's process, None for a new one that ends as it starts."""
        known: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if known in self._running and known is not None:
            return known
        try:
            # A session of its own: what a terminal sends to the whole group is its parent's to act on.
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(worker.__file__))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},
                start_new_session=True,
            )
        except OSError as fault:
            raise Suspension(f"the SQL process can't be started: {fault.strerror}", kind="harness") from None
        self._running.add(process)
        self._own.process = process
        assert process.stdout is not None
        if worker.receive(process.stdout) is None:
            self._end(process)
            return None
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._running.discard(process)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        process.kill()
        self._own.code = process.wait()


def _cause(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
