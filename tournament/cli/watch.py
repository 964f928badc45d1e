"""`tournament watch`."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.output import emit, say

if TYPE_CHECKING:
    from reports.live import LiveRun, Watcher

Pause = Callable[[float], bool]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: tournament watch runs/ready-1a2b3c4d")(watch)


def watch(
    run: Annotated[Path, typer.Argument(help="Run directory; nothing in it is written.", metavar="RUN")],
    interval: Annotated[
        float, typer.Option(min=0.1, max=3600, help="Seconds between two looks.", metavar="S")
    ] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Look once and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object a look on stdout.")] = False,
) -> None:
    """Watch a run while it is played, or look at a finished one: worlds, seats, money, routes, decisions.

    On a terminal the view stays until q or Ctrl-C, which end it with exit code 0: leaving a view interrupts
    nothing. Without a terminal each change is printed, until nobody runs the study any more.
    """
    from reports.live import Watcher

    watcher = Watcher(run)
    first = watcher.look()
    try:
        if once:
            _print(first, as_json)
        elif as_json or not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
            _lines(watcher, first, interval, as_json)
        else:
            _screen(watcher, first, interval)
    except KeyboardInterrupt:
        return


def _print(run: LiveRun, as_json: bool) -> bool:
    from tournament.cli.watch_view import plain

    return emit(_facts(run)) if as_json else say(plain(run, time.time()))


def _facts(run: LiveRun) -> dict[str, object]:
    from dataclasses import asdict

    spent = {
        "spent_usd": run.spent.spent_usd,
        "cost_usd": run.spent.cost_usd,
        "possibly_paid_usd": run.spent.possibly_paid_usd,
    }
    routes = {name: asdict(account) for name, account in run.routes.items()}
    return {**asdict(run), **spent, "routes": routes}


def _lines(watcher: Watcher, run: LiveRun, interval: float, as_json: bool) -> None:
    """Print every change until the run is nobody's, or nobody reads."""
    before = None
    while True:
        facts = _facts(run)
        if facts != before:
            if before is not None and not as_json:
                say("")
            if not _print(run, as_json):
                return
            before = facts
        if run.owner is None:
            return
        time.sleep(interval)
        run = watcher.look()


def _screen(watcher: Watcher, run: LiveRun, interval: float) -> None:
    """Redraw a terminal until a key ends it, and leave the last picture behind as text."""
    from rich.console import Console
    from rich.live import Live

    from tournament.cli.watch_view import picture
    from tournament.errors import ArenaError

    console = Console()
    signal.signal(signal.SIGTERM, _exit_on_signal)
    # A shell starts what it puts in the background with Ctrl-C ignored; a view must be left all the same.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    trouble = ""
    try:
        with _keys() as pause, Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                size = console.size
                drawn = picture(run, width=size.width, height=size.height, now=time.time(), trouble=trouble)
                live.update(drawn, refresh=True)
                if pause(interval):
                    return
                try:
                    run, trouble = watcher.look(), ""
                except ArenaError as fault:
                    trouble = str(fault)
    finally:
        _print(run, as_json=False)


def _exit_on_signal(number: int, frame: object) -> None:
    """End through the stack, so that the terminal gets back what it was."""
    sys.exit(128 + number)


@contextmanager
def _keys() -> Iterator[Pause]:
    """Yield a pause that a key cuts short: it tells whether the key was one to leave with."""
    if not sys.stdin.isatty():
        yield _sleep
        return
    import termios
    import tty

    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    try:
        tty.setcbreak(stdin)
        yield _wait_for_key
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False


def _wait_for_key(seconds: float) -> bool:
    stdin = sys.stdin.fileno()
    ready, _, _ = select.select([stdin], [], [], seconds)
    pressed = os.read(stdin, 64) if ready else b""
    return bool(ready) and (not pressed or any(key in b"qQ\x04" for key in pressed))
