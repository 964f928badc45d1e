"""How a run is shown: a live view on a terminal, plain lines without one, JSON lines for programs.

A display only listens. Whatever goes wrong with a console, the run goes on: the display falls silent.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from tournament.cli.output import amount, by_reason, duration, emit, say
from tournament.foreign_text import one_line, printable
from tournament.playing.events import Event, Note, RunEnded, RunStarted, WorldLeft, WorldProgress

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live

REFRESH_SECONDS: Final = 0.15
HEARTBEAT_SECONDS: Final = 30.0
SHOWN_WORLDS: Final = 8
WIDE_ENOUGH: Final = 60
THOUSAND: Final = 100_000  # cents


class Display(Protocol):
    def show(self, event: Event) -> None: ...


@dataclass(slots=True)
class Progress:
    """What has been told so far: windows played in this call, worlds in play, worlds left.

    `sign` is that of the market's currency.
    """

    sign: str = "$"
    started_at: float = field(default_factory=time.monotonic)
    started: RunStarted | None = None
    playing: dict[str, WorldProgress] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    done: int = 0
    windows: int = 0

    def update_from(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.started = event
            self.done = event.finished
        elif isinstance(event, WorldProgress):
            self.first.setdefault(event.world, event.windows)
            self.playing[event.world] = event
        elif isinstance(event, WorldLeft):
            self.playing.pop(event.world, None)
            self.windows += event.windows - self.first.setdefault(event.world, 0)
            self.done += event.state == "ended"

    @property
    def played(self) -> int:
        """Windows played in this call."""
        return self.windows + sum(event.windows - self.first[world] for world, event in self.playing.items())

    @property
    def left(self) -> int:
        """Windows of the selected worlds that are still to be played."""
        if self.started is None:
            return 0
        rest = (self.started.selected - self.done) * self.started.windows
        return rest - sum(event.windows for event in self.playing.values())

    def remaining(self) -> str:
        """Return the time left at the pace so far, or nothing before there is a pace."""
        elapsed = time.monotonic() - self.started_at
        if not self.played or elapsed < 1:
            return ""
        return f"about {duration(elapsed * self.left / self.played)} left"


class JsonLines:
    """Every event as one JSON object on stdout; notes and the account also for people on stderr."""

    def show(self, event: Event) -> None:
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
        emit({"event": name, **asdict(event)})
        if isinstance(event, Note):
            say(one_line(event.text), to_stderr=True)
        elif isinstance(event, RunEnded):
            say(account(event), to_stderr=True)


class PlainLines:
    """A line for each world that ends, and now and then one that says that the run is alive."""

    def __init__(self, sign: str) -> None:
        self._progress = Progress(sign=sign)
        self._last_said = time.monotonic()

    def show(self, event: Event) -> None:
        self._progress.update_from(event)
        if isinstance(event, WorldProgress):
            if time.monotonic() - self._last_said > HEARTBEAT_SECONDS:
                self._say(_pulse(self._progress))
        elif (text := _line(event, self._progress)) is not None:
            self._say(text)

    def _say(self, text: str) -> None:
        self._last_said = time.monotonic()
        say(text)


class LiveView:
    """A bar, the time left and the worlds in play with each seat's Score so far, redrawn in place."""

    def __init__(self, live: Live, sign: str) -> None:
        self._progress = Progress(sign=sign)
        self._live = live
        self._drawn = 0.0

    def show(self, event: Event) -> None:
        self._progress.update_from(event)
        text = None if isinstance(event, WorldProgress) else _line(event, self._progress)
        if text is not None:
            self._live.console.print(printable(text), markup=False, highlight=False)
        now = time.monotonic()
        if isinstance(event, RunEnded):
            self._live.update("", refresh=True)
        elif now - self._drawn > REFRESH_SECONDS:
            self._drawn = now
            self._live.update(_picture(self._progress, self._live.console.width), refresh=True)


class Mutable:
    """Passes events on until the console fails; the run is worth more than its picture."""

    def __init__(self, display: Display) -> None:
        self._display: Display | None = display

    def show(self, event: Event) -> None:
        if self._display is None:
            return
        try:
            self._display.show(event)
        except (OSError, ValueError):
            self._display = None


@contextmanager
def display_for(*, as_json: bool, sign: str) -> Iterator[Display]:
    """Yield the display that suits where the output goes; `sign` is that of the market's currency."""
    if as_json:
        yield Mutable(JsonLines())
    elif not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        yield Mutable(PlainLines(sign))
    else:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(), auto_refresh=False, transient=True) as live:
            yield Mutable(LiveView(live, sign))


def account(ended: RunEnded) -> str:
    """Return the closing lines: played of planned, and every world that is not, by name."""
    lines = [
        f"{ended.done} done, {len(ended.interrupted)} interrupted, {len(ended.suspended)} suspended,"
        f" {len(ended.not_started)} not started,"
        + (f" {len(ended.invalid)} invalid," if ended.invalid else "")
        + f" of {ended.selected} worlds"
        + (f" ({ended.planned} planned)" if ended.planned != ended.selected else "")
    ]
    lines += [f"interrupted: {world}" for world in ended.interrupted]
    lines += [f"suspended: {line}" for line in by_reason(ended.suspended)]
    lines += [f"invalid: {line}" for line in by_reason(ended.invalid)]
    if ended.invalid:
        lines.append("invalid worlds are in no average; what is left of their journals stays as it is")
    if ended.suspended:
        lines.append("suspended worlds are in no average; the same command resumes them")
    elif ended.interrupted or ended.not_started:
        lines.append("the same command continues the run")
    return "\n".join(lines)


def _line(event: Event, progress: Progress) -> str | None:
    if isinstance(event, RunStarted):
        before = f", {event.finished} finished before" if event.finished else ""
        return f"{event.study} ({event.study_hash[:8]}): {event.selected} worlds{before}; in {event.run}"
    if isinstance(event, Note):
        return one_line(event.text)
    if isinstance(event, RunEnded):
        return account(event)
    if isinstance(event, WorldLeft):
        return _left(event, progress)
    return None


def _left(event: WorldLeft, progress: Progress) -> str:
    total = progress.started.selected if progress.started else 0
    text = f"[{progress.done}/{total}] {event.world} {event.state}"
    if event.state == "ended" and event.scores_cents:
        best = max(range(len(event.scores_cents)), key=lambda seat: event.scores_cents[seat])
        text += f", best {event.contestants[best]} {amount(event.scores_cents[best], progress.sign)}"
    if event.reason:
        text += f": {one_line(event.reason)}"
    return ", ".join(part for part in (text, progress.remaining()) if part)


def _pulse(progress: Progress) -> str:
    worlds = f"{len(progress.playing)} worlds in play"
    return ", ".join(
        part for part in (worlds, f"{progress.left} windows to go", progress.remaining()) if part
    )


def _picture(progress: Progress, width: int) -> Group:
    """Draw the present: worlds done, windows, time left, then a row for each world in play."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    started = progress.started
    total = started.selected if started else 0
    windows = started.windows if started else 0
    head = Table.grid(expand=True)
    done = f"{progress.done} of {total} worlds, {progress.left} windows to go"
    line = ", ".join(part for part in (done, progress.remaining()) if part)
    head.add_row(Text(line, no_wrap=True, overflow="ellipsis"))
    head.add_row(ProgressBar(total=max(1, total * windows), completed=total * windows - progress.left))
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("world", no_wrap=True, overflow="ellipsis")
    table.add_column("window", justify="right", no_wrap=True, min_width=7)
    shown = list(progress.playing.values())[:SHOWN_WORLDS]
    large = any(abs(score) >= THOUSAND for event in shown for score in event.scores_cents)
    unit = f"{progress.sign}{1000 if large else 1:,}"
    if width >= WIDE_ENOUGH:
        table.add_column(f"Score so far by seat, {unit}", no_wrap=True, overflow="ellipsis", ratio=1)
    for event in shown:
        scores = " ".join(f"{score / (THOUSAND if large else 100):,.0f}" for score in event.scores_cents)
        cells = (event.world, f"{event.windows}/{windows}", scores)
        table.add_row(*cells[: len(table.columns)])
    return Group(head, table)
