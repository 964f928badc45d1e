"""The pool of SQL processes: a CEO's statement runs beside the arena, for two seconds of clock at most.

One thread of the pool owns one process; waiting statements form one line, and a seat has one
statement in it at a time, so that no seat starves another. A process over the clock is killed, with
whatever it was inside of, and replaced at the next statement.
"""

from __future__ import annotations

import asyncio
import atexit
import json
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

CLOCK_SECONDS: Final = 2.0
PROCESSES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a statement gave: `body` as the SQL process answered it, and the seconds it ran.

    `body["limit"]` is `clock` where the backstop stopped it; no other limit depends on the machine.
    """

    body: Mapping[str, Any]
    seconds: float


class QueryPool:
    """SQL processes, started on demand; `close` ends them, and so does the end of this process."""

    def __init__(self, *, processes: int = PROCESSES, clock_seconds: float = CLOCK_SECONDS) -> None:
        self._processes = processes
        self._clock_seconds = clock_seconds
        self._executor: ThreadPoolExecutor | None = None
        self._own = threading.local()
        self._running: set[subprocess.Popen[bytes]] = set()

    async def run(self, image: bytes, sql: str, limit: int) -> Answer:
        """Run one statement on a compressed database image."""
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
        process = self._process()
        deciding = threading.Lock()
        over = killed = False

        def kill() -> None:
            nonlocal killed
            with deciding:
                if not over:
                    killed = True
                    process.kill()

        begun = time.perf_counter()
        killer = threading.Timer(self._clock_seconds, kill)
        killer.daemon = True
        killer.start()
        answer = self._exchange(process, image, json.dumps({"sql": sql, "limit": limit}).encode())
        with deciding:
            over = True
        killer.cancel()
        seconds = time.perf_counter() - begun
        if answer is None or killed:
            self._end(process)
        if answer is not None:
            return Answer(body=json.loads(answer), seconds=seconds)
        if killed:
            reason = f"the statement took more than {self._clock_seconds:g} seconds"
            return Answer(body={"refused": reason, "limit": "clock"}, seconds=seconds)
        return Answer(body={"refused": "the engine ran out of memory", "limit": "memory"}, seconds=seconds)

    def _exchange(self, process: subprocess.Popen[bytes], image: bytes, head: bytes) -> bytes | None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            worker.send(process.stdin, head)
            worker.send(process.stdin, image)
        except BrokenPipeError:
            return None
        return worker.receive(process.stdout)

    def _process(self) -> subprocess.Popen[bytes]:
        """Return this thread's process; a new one has answered once before its first statement is timed."""
        known: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if known in self._running and known is not None:
            return known
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(worker.__file__))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},
            )
        except OSError as fault:
            raise Suspension(f"the SQL process can't be started: {fault.strerror}", kind="harness") from None
        self._running.add(process)
        self._own.process = process
        assert process.stdout is not None
        if worker.receive(process.stdout) is None:
            self._end(process)
            raise Suspension(f"the SQL process ends with {process.returncode} as it starts", kind="harness")
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
        process.wait()
