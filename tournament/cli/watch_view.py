"""How `watch` draws a run: for a terminal of any size with rich, and as plain text without one.

Rationales and faults are words of models and providers: they are shown as text on one line, never as
markup or control sequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from tournament.cli.money import HEADS, caps, money
from tournament.cli.output import amount, columns, duration
from tournament.rundir.status import STATES, mean_scores

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from reports.live import LiveDecision, LiveRun, LiveSeat, LiveWorld

NARROW: Final = 72
SHOWN_DECISIONS: Final = 6
SHOWN_SEATED: Final = 2
SHOWN_WAITS: Final = 3
FEWEST_ROWS: Final = 3
GAP: Final = 2
NARROWEST: Final = 4
SHOWN_CHARACTERS: Final = 200
_STYLES: Final = {"running": "bold", "suspended": "yellow", "invalid": "red", "done": "green"}
_NUMBERS: Final = frozenset(
    {
        "window",
        *HEADS,
        "Score so far",
        "seats",
        "mean Score",
        "replies",
        "generated",
        "failed",
        "waited",
        "prompt",
    }
)

Rows = Sequence[Sequence[str]]


def picture(run: LiveRun, *, width: int, height: int, now: float, trouble: str = "") -> RenderableType:
    """Draw a run for a terminal of any size: what has no room is counted or left out, the last line stays."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    narrow = width < NARROW
    head = [
        Text(line, no_wrap=True, overflow="ellipsis", style="bold" if at == 0 else "")
        for at, line in enumerate(_head(run))
    ]
    planned = sum(world.status.of for world in run.worlds)
    played = sum(world.status.windows for world in run.worlds)
    bar = ProgressBar(total=max(1, planned), completed=played, width=min(width, 60))
    routes, waiting = _routes(run, now, narrow)
    waits = [Text(line, no_wrap=True, overflow="ellipsis", style="yellow") for line in waiting[:SHOWN_WAITS]]
    tables = (_worlds(run, narrow), _seats(run, now, narrow), routes, _decisions(run, narrow))
    parts: list[RenderableType] = [*head, bar, Text("")]
    for at, rows in enumerate(fitted(tables, height - len(head) - len(waits) - 2)):
        parts += [Text("")] * (at > 0) + [_table(rows, width)]
    foot = trouble or "q or Ctrl-C leaves; the run goes on"
    style = "red" if trouble else "dim"
    return Group(*parts, *waits, Text(foot, style=style, no_wrap=True, overflow="ellipsis"))


def fitted(tables: Sequence[Rows], room: int) -> list[Rows]:
    """Return the tables that a number of lines has room for, the first ones first, cut where they must be.

    A table takes a blank line, its head and its rows; a few rows of each come before more of any.
    """
    there = [rows for rows in tables if len(rows) > 1]
    sizes = [min(len(rows), 1 + FEWEST_ROWS) for rows in there]
    while len(sizes) > 1 and sum(sizes) + len(sizes) > room:
        sizes.pop()
    left = room - sum(sizes) - len(sizes)
    for at, rows in enumerate(there[: len(sizes)]):
        more = max(0, min(len(rows) - sizes[at], left))
        sizes[at] += more
        left -= more
    return [_cut(rows, max(2, size)) for rows, size in zip(there, sizes, strict=False)]


def _cut(rows: Rows, size: int) -> Rows:
    if len(rows) <= size:
        return rows
    hidden = len(rows) - size + 1
    return [*rows[: size - 1], [f"and {hidden} more", *[""] * (len(rows[0]) - 1)]]


def plain(run: LiveRun, now: float) -> str:
    """Return a run as lines for a pipe or a file."""
    routes, retries = _routes(run, now, False)
    lines = list(_head(run))
    for rows in (_worlds(run, False), _seats(run, now, False), routes):
        if len(rows) > 1:
            lines += ["", columns(rows, right=_right(rows[0]))]
    lines += retries
    decisions = _decisions(run, False)
    if len(decisions) > 1:
        lines += ["", columns(decisions)]
    return "\n".join(lines)


def shown(text: str, most: int = SHOWN_CHARACTERS) -> str:
    """Return a text on one line, cut, without anything that a terminal would obey."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _head(run: LiveRun) -> Iterable[str]:
    counts = {state: sum(world.status.state == state for world in run.worlds) for state in STATES}
    summary = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in counts.items() if count)
    windows = sum(world.status.windows for world in run.worlds)
    yield f"{run.study} ({run.study_hash[:8]}) in {run.run}"
    yield f"run by {run.owner}" if run.owner else "nobody runs it now"
    yield f"{len(run.worlds)} worlds: {summary}; {windows} of {sum(w.status.of for w in run.worlds)} windows"
    if run.routes:
        yield _money(run)


def _money(run: LiveRun) -> str:
    spent = run.spent
    known, more = money(spent)
    text = f"{known} spent"
    if spent.possibly_paid_usd:
        text += f", at most {more} more"
    if spent.unpriced_replies:
        text += f", {spent.unpriced_replies} replies of unknown price"
    max_world_cost = max((world.spent.spent_usd for world in run.worlds), default=0.0)
    summary = caps(run.usd, run.usd_per_world, counted=spent.spent_usd, max_world_cost=max_world_cost)
    return "; ".join([text, *summary])


def _worlds(run: LiveRun, narrow: bool) -> Rows:
    dear = bool(run.routes) and not narrow
    head = ["world", "state", "window"] + (list(HEADS) if dear else [])
    rows: list[Sequence[str]] = [head if narrow else [*head, "best Score so far"]]
    for world in run.recent:
        status = world.status
        row = [status.world, status.state.replace("_", " "), f"{status.windows}/{status.of}"]
        row += money(world.spent) if dear else []
        rows.append(row if narrow else [*row, _standing(world, run.currency_sign)])
    return rows


def _standing(world: LiveWorld, sign: str) -> str:
    status = world.status
    if status.reason:
        return shown(status.reason)
    if not status.scores_cents:
        return ""
    best = max(range(len(status.scores_cents)), key=lambda seat: status.scores_cents[seat])
    return f"{status.contestants[best]} {amount(status.scores_cents[best], sign)}"


def _seats(run: LiveRun, now: float, narrow: bool) -> Rows:
    """Seats of the worlds in play that changed last; of a run that stands still what each contestant has."""
    dear = bool(run.routes)
    head = ["seat", "Score so far"] if narrow else ["world", "seat", "Score so far"]
    if dear:
        head += ["now"] if narrow else ["now", "replies", "generated", *HEADS]
    rows: list[Sequence[str]] = [head]
    playing = [world for world in run.recent if world.status.state == "running"]
    if not playing:
        return _contestants(run)
    for world in playing[:SHOWN_SEATED]:
        for seat in world.seats:
            score = "-" if seat.score_cents is None else amount(seat.score_cents, run.currency_sign)
            row = [f"{seat.seat} {seat.contestant}", score]
            row = row if narrow else [world.status.world, *row]
            rows.append([*row, *_seat_work(seat, now, narrow)] if dear else row)
    return rows


def _contestants(run: LiveRun) -> Rows:
    rows: list[Sequence[str]] = [["contestant", "seats", "mean Score"]]
    means = mean_scores([world.status for world in run.worlds])
    for name, (seats, mean) in sorted(means.items(), key=lambda item: -item[1][1]):
        rows.append([name, str(seats), amount(mean, run.currency_sign)])
    return rows


def _seat_work(seat: LiveSeat, now: float, narrow: bool) -> list[str]:
    doing = seat.doing if seat.retry is None else f"{seat.doing} {_wait(seat.retry.until, now)}".strip()
    if narrow:
        return [doing]
    used = seat.account
    if used is None:
        return [doing, "", "", "", ""]
    return [doing, str(used.replies), f"{used.generated_tokens:,}", *money(used)]


def _routes(run: LiveRun, now: float, narrow: bool) -> tuple[Rows, list[str]]:
    """Return a table of the routes, and whom each one lets wait, how long and why."""
    head = ["route", "replies", "failed", "waited"]
    rows: list[Sequence[str]] = [head if narrow else [*head, "prompt", "generated", *HEADS]]
    for name, used in run.routes.items():
        row = [name, str(used.replies), str(used.failed_attempts), duration(used.wait_seconds)]
        more = [f"{used.prompt_tokens:,}", f"{used.generated_tokens:,}", *money(used)]
        rows.append(row if narrow else [*row, *more])
    retries = [
        f"{seat.route}: seat {seat.seat} of {world.status.world} {_wait(seat.retry.until, now)}"
        f" ({shown(seat.retry.fault)})"
        for world in run.worlds
        for seat in world.seats
        if seat.retry is not None and world.status.state == "running"
    ]
    return rows, retries


def _wait(until: float | None, now: float) -> str:
    if until is None:
        return "waits"
    return f"waits {duration(until - now)} more" if until > now else "asks again"


def _decisions(run: LiveRun, narrow: bool) -> Rows:
    rows: list[Sequence[str]] = [["last decisions", "", ""] if narrow else ["last decisions", "", "", "", ""]]
    latest = [decision for world in run.recent for decision in world.decisions]
    for item in latest[:SHOWN_DECISIONS]:
        rows.append(_decision(item, narrow))
    return rows


def _decision(item: LiveDecision, narrow: bool) -> list[str]:
    state = item.state.replace("_", " ")
    if narrow:
        return [f"{item.window} {item.contestant}", state, shown(item.words or item.decision)]
    where = f"{item.world} window {item.window}"
    decision = shown(item.decision, SHOWN_CHARACTERS // 3)
    return [where, f"{item.seat} {item.contestant}", state, decision, shown(item.words)]


def _right(head: Sequence[str]) -> tuple[int, ...]:
    return tuple(at for at, name in enumerate(head) if name in _NUMBERS)


def _table(rows: Rows, width: int) -> Table:
    """Lay rows out for a terminal: no cell wraps, and where room lacks the widest columns are cut first."""
    from rich.table import Table
    from rich.text import Text

    right = _right(rows[0])
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False)
    for at, size in enumerate(_widths(rows, width)):
        table.add_column(
            Text(rows[0][at], style="dim"),
            justify="right" if at in right else "left",
            no_wrap=True,
            overflow="ellipsis",
            width=size,
        )
    for row in rows[1:]:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    return table


def _widths(rows: Rows, width: int) -> list[int]:
    from rich.cells import cell_len

    widths = [max(cell_len(row[at]) for row in rows) for at in range(len(rows[0]))]
    excess = sum(widths) + GAP * len(widths) - width
    while excess > 0 and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
        excess -= 1
    return [max(1, size) for size in widths]
