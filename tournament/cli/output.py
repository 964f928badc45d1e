"""What commands say: text for people, JSON for programs, on streams that can always be written.

A console that lacks a character gets an escape instead; a reader that has gone (a closed pipe) ends the
output, not the command. With `--json` stdout holds JSON alone and people's text goes to stderr.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from tournament.foreign_text import one_line, printable, without_keys
from tournament.text_table import aligned

if TYPE_CHECKING:
    from tournament.records import Json


_SEAT: Final = re.compile(r"\bseat \d+: ")
# What JSON may hold as it is, and a terminal should not get.
_BARE: Final = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def harden_streams() -> None:
    """Let no character that a console cannot show stop a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str, *, to_stderr: bool = False) -> bool:
    """Write lines for people; return whether anybody reads them still.

    Whatever stands in them acts on no terminal and shows no key. A part that others wrote must have become
    one line before it was put in: `foreign_text.one_line`.
    """
    return _write(sys.stderr if to_stderr else sys.stdout, without_keys(printable(text)))


def emit(value: Json) -> bool:
    """Write one JSON value as one line of stdout, at once; return whether anybody reads it still."""
    text = json.dumps(value, ensure_ascii=False)
    return _write(sys.stdout, _BARE.sub(lambda found: f"\\u{ord(found.group()):04x}", text))


def complain(text: str) -> None:
    """Write one error line."""
    _write(sys.stderr, f"error: {without_keys(one_line(text))}")


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def amount(cents: float, sign: str) -> str:
    """Return cents in whole units of the currency with this sign, with thousands: $312,003, -€68,228."""
    whole = round(cents / 100)
    return f"-{sign}{-whole:,}" if whole < 0 else f"{sign}{whole:,}"


def duration(seconds: float) -> str:
    """Return a length of time as people say it: 6 s, 3 min, 4 h 20 min."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def by_reason(reasons: Mapping[str, str]) -> list[str]:
    """Return a line for each reason with the worlds it is given for: what they share is said once.

    Which seat met it is left out where worlds differ in that alone.
    """
    shared: dict[str, list[str]] = {}
    reasons = {one_line(world): one_line(reason) for world, reason in reasons.items()}
    for world, reason in reasons.items():
        shared.setdefault(_SEAT.sub("", reason), []).append(world)
    lines = []
    for reason, worlds in shared.items():
        if len(worlds) == 1:
            lines.append(f"{worlds[0]}: {reasons[worlds[0]]}")
        else:
            same = len({reasons[world] for world in worlds}) == 1
            shown = reasons[worlds[0]] if same else reason
            lines.append(f"{len(worlds)} worlds: {shown}: {', '.join(worlds)}")
    return lines


def columns(rows: Iterable[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Return rows as aligned columns; those listed in `right` (from 0) to the right, cut to a terminal."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    lines = aligned(([one_line(cell) for cell in row] for row in rows), right=right)
    return "\n".join(line if len(line) <= width else f"{line[: width - 1]}…" for line in lines)


def _write(stream: TextIO, text: str) -> bool:
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except BrokenPipeError:
        # The reader has gone; what follows, and the interpreter's last flush, go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True
