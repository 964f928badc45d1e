"""The kills of `benchmarks.breakage`: a command killed at drawn points, again and again, and then let end.

Twenty kills make a round of one command over one directory. After each of them nothing may be called damaged and
no temporary folder may lie about; after the last the command ends, and all that an interruption may not change
is compared with what an unbroken run gave. Commands are processes of their own, forked from one that has
imported everything, so that kills fall on work and not on imports; every worker that they start is started anew.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from tournament.storage import sha256_of

STUDY: Final = """\
study: kills
market: {id: ceo_arena@1, overrides: {days: 14}}
seeds: [1]
contestants:
  base: {policy: rule@1}
  a: {policy: swing@1}
  b: {policy: velocity@1}
  asking: {policy: llm@1, route: own}
lineup: [a, b, asking]
replace: [asking]
references: [{contestant: base}]
routes:
  - {id: own, model: mock/script, mock: {script: script.json}, price: {input: 1, output: 1}}
limits: {usd: 100}
"""
SCRIPT: Final = (
    {"when": {"reply": 1}, "calls": [{"name": "query_company", "arguments": {"sql": "SELECT 1 AS one"}}]},
    {"calls": [{"name": "seal_decision", "arguments": {"rationale": "asked"}}]},
)
ROUND: Final = 20
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "run": ("run", "kills.yaml", "--out", "r", "--jobs", "2"),
    "externalities": ("externalities", "r"),
    "decompose": ("decompose", "r"),
    "report": ("report", "r", "--format", "csv"),
    "export": ("export", "r", "--out", "r.tar.gz"),
    "pages": ("report", "r", "--format", "html"),
}
# Pages take twenty times what the other commands take: one round of report in six makes them.
ORDER: Final = (*(("run", "externalities", "decompose", "report", "export") * 6)[:-2], "pages", "export")
TARGETS: Final = ("group", "command", "helper")
_TRIES: Final = 12
_SEALED: Final = (
    "SELECT window, seat, state, decision_json FROM seals ORDER BY window, seat",
    "SELECT * FROM receipts ORDER BY window, seat",
    "SELECT day, hash FROM days ORDER BY day",
)
# Answers one order a line: start a command, kill it after so many seconds unless it has ended, tell how it went.
_ZYGOTE: Final = """
import gc, json, os, random, signal, sys, time
from pathlib import Path
import agents.llm.policy, agents.routes.build, externalities.write, reports.write, tournament.checks.verify
import tournament.export.bundle, tournament.experiments.decompose, tournament.playing.run
from tournament.cli.app import main
from tournament.checks.verify import Asked, Sources, verify_run
from tournament.cli.services import open_study
from tournament.cli.verify import report_of, statistics_of

# Loads what a command loads when it first needs it, kernels included: every fork has it then.
sources = Sources(study=open_study, statistics=statistics_of, report=report_of)
verify_run(Path(sys.argv[1]), Asked(jobs=1), sources, lambda text: None)

gc.freeze()

def descendants(pid):
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in listed.read_text().split():
            found += [int(child), *descendants(child)]
    return found

def begun(order):
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    os.chdir(order["cwd"])
    nothing, log = os.open(os.devnull, os.O_RDONLY), os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number, stream in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(number, stream)
    sys.argv = ["tournament", *order["words"]]
    main()

def kill(pid, order):
    helpers = sorted(descendants(pid)) if order["target"] == "helper" else []
    try:
        if order["target"] == "group":
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(random.Random(order["draw"]).choice(helpers) if helpers else pid, signal.SIGKILL)
    except ProcessLookupError:  # its group is not there yet, or the helper has ended: the command itself is there
        os.kill(pid, signal.SIGKILL)
        return "command"
    return order["target"] if helpers or order["target"] == "group" else "command"

for line in sys.stdin:
    order = json.loads(line)
    start, pid, hit, ended = time.monotonic(), begun(order), "", 0
    while True:
        ended, status = os.waitpid(pid, 0 if hit or order["delay"] is None else os.WNOHANG)
        if ended:
            break
        if time.monotonic() - start >= order["delay"]:
            hit = kill(pid, order)
        else:
            time.sleep(0.002)
    told = {"hit": hit, "code": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - start}
    print(json.dumps(told), flush=True)
"""


class Commands:
    """Starts commands in a folder and kills them; `close` ends the process that they are forked from."""

    def __init__(self, run: Path) -> None:
        """Import everything and verify a finished run once, so that its commands start with all they need."""
        self._zygote = subprocess.Popen(
            [sys.executable, "-c", _ZYGOTE, str(run)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self, words: tuple[str, ...], cwd: Path, delay: float | None = None, target: str = "", draw: str = ""
    ) -> dict[str, Any]:
        """Return what was hit (empty where the command had ended), its exit code and how long it lived (s)."""
        order = {"words": words, "cwd": str(cwd), "delay": delay, "target": target, "draw": draw}
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        self._zygote.stdin.write(json.dumps(order) + "\n")
        self._zygote.stdin.flush()
        told: dict[str, Any] = json.loads(self._zygote.stdout.readline())
        return told

    def finish(self, words: tuple[str, ...], cwd: Path) -> float:
        """Let a command end; return how long it took (s). Raises RuntimeError unless it ends with 0."""
        told = self.start(words, cwd)
        if told["code"] != 0:
            text = (cwd / "log").read_text(encoding="utf-8", errors="replace")[-300:]
            raise RuntimeError(f"{' '.join(words)} ended with {told['code']}: {text}")
        return float(told["seconds"])

    def close(self) -> None:
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        self._zygote.stdin.close()
        self._zygote.wait()
        self._zygote.stdout.close()


class Round:
    """One directory that a command is killed over; a run that ended under it is compared and begun anew."""

    def __init__(
        self, commands: Commands, whole: Path, expected: Mapping[str, str], sound: Callable[[Path, bool], str]
    ):
        self.commands, self.whole, self.expected, self.sound = commands, whole, expected, sound
        self.seconds: dict[str, float] = {}
        self.name = ""
        self.here = Path()

    def begin(self, name: str, here: Path) -> None:
        self.name, self.here = name, here
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        _write_study(here)
        if name != "run":
            shutil.copytree(self.whole / "r", here / "r")
        if name not in self.seconds:
            self.seconds[name] = self.commands.finish(COMMANDS[name], here)
            self.begin(name, here)

    def kill(self, draw: random.Random, number: int) -> str | None:
        """Kill the command once, alive; return what does not hold."""
        target, share = draw.choice(TARGETS), draw.random()
        for _ in range(_TRIES):
            delay = share * self.seconds[self.name]
            told = self.commands.start(COMMANDS[self.name], self.here, delay, target, str(number))
            if told["hit"]:
                where = f"{self.name}, {told['hit']} after {delay:.3f} s"
                found = self.sound(self.here, self.name == "run" or number % 5 == 0)
                return f"{where}: {found}" if found else None
            self.seconds[self.name] = 0.9 * min(self.seconds[self.name], told["seconds"])
            if self.name == "run":  # it had ended, which no later kill could hit
                lost = self.end()
                if lost:
                    return lost
                self.begin("run", self.here)
        return f"{self.name}: not alive at any of {_TRIES} points"

    def end(self) -> str | None:
        """Let the command end; return what differs from an unbroken one."""
        try:
            self.seconds[self.name] = self.commands.finish(COMMANDS[self.name], self.here)
            if self.name == "run":
                self.commands.finish(COMMANDS["decompose"], self.here)
        except RuntimeError as fault:
            return str(fault)
        found = self.sound(self.here, True)
        if found:
            return f"{self.name}, ended: {found}"
        here = identity(self.here / "r")
        differing = [
            name for name in sorted(here | dict(self.expected)) if here.get(name) != self.expected.get(name)
        ]
        return (
            f"{self.name}: {differing[0]} and {len(differing) - 1} more are not as unbroken"
            if differing
            else None
        )


@contextmanager
def kills(
    folder: Path, sound: Callable[[Path, bool], str]
) -> Iterator[Callable[[random.Random, int], str | None]]:
    """Yield an attack by one kill; `sound` says of a run directory what is called damaged, or nothing.

    It is asked to derive all (True) or to compare hashes alone.
    """

    def checked(here: Path, whole: bool) -> str:
        left = leftovers(here)
        return left or (sound(here / "r", whole) if (here / "r" / "manifest.json").exists() else "")

    with tempfile.TemporaryDirectory(dir=folder) as place:
        whole = Path(place) / "whole"
        whole.mkdir()
        _write_study(whole)
        for name in ("run", "decompose"):
            line = [sys.executable, "-m", "tournament", *COMMANDS[name]]
            subprocess.run(line, cwd=whole, check=True, capture_output=True)
        commands = Commands(whole / "r")
        try:
            killed = Round(commands, whole, identity(whole / "r"), checked)

            def attack(draw: random.Random, number: int) -> str | None:
                if number % ROUND == 0:
                    killed.begin(ORDER[number // ROUND % len(ORDER)], Path(place) / "here")
                lost = killed.kill(draw, number)
                return lost or (killed.end() if number % ROUND == ROUND - 1 else None)

            yield attack
        finally:
            commands.close()


def leftovers(here: Path) -> str:
    """Name what a killed export leaves beside its archive; who removes it may need an instant."""
    for _ in range(250):
        left = [path.name for path in here.iterdir() if path.name.startswith(".r.tar.gz.")]
        if not left:
            return ""
        time.sleep(0.02)
    return f"{left[0]} was left behind"


def identity(run: Path) -> dict[str, str]:
    """Return the hashes of what an interruption may not change: tables, seals, receipts, days, answers to queries."""
    files = [run / "outcomes.csv", *sorted((run / "externalities").rglob("*.csv"))]
    found = {path.relative_to(run).as_posix(): sha256_of(path) for path in files}
    for journal in sorted(run.glob("worlds/*/journal.sqlite")):
        with closing(sqlite3.connect(f"file:{journal}?mode=ro&immutable=1", uri=True)) as connection:
            rows = [connection.execute(query).fetchall() for query in _SEALED]
            found[journal.parent.name] = repr([*rows, _answers(connection)])
    return found


def _answers(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return what every call of a model was answered."""
    events = connection.execute(
        "SELECT window, seat, body FROM events WHERE kind = 'result' ORDER BY 1, 2, sequence"
    )
    return [(window, seat, json.loads(body)["text"]) for window, seat, body in events]


def _write_study(folder: Path) -> None:
    (folder / "kills.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "script.json").write_text(json.dumps(SCRIPT), encoding="utf-8")
