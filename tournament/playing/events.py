"""Events of a run while it goes on: values that a live display, plain lines or JSON lines show.

No event decides anything: a display that fails or is absent changes no outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """Worlds planned, selected by the filters, finished before; `windows` of each world."""

    run: str
    study: str
    study_hash: str
    planned: int
    selected: int
    finished: int
    windows: int
    jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One line for the user."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldProgress:
    """Windows settled in a world and the Score so far of each contestant by seat, in cents."""

    world: str
    windows: int
    contestants: tuple[str, ...]
    scores_cents: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldLeft:
    """A world that is not being played any more: ended and published, stopped on request, suspended, or
    invalid, since its journal is damaged."""

    world: str
    state: Literal["ended", "stopped", "suspended", "invalid"]
    windows: int
    contestants: tuple[str, ...]
    scores_cents: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The run's account: how many of the selected worlds are done, and the names of those that are not."""

    run: str
    planned: int
    selected: int
    done: int
    interrupted: tuple[str, ...]
    suspended: Mapping[str, str]
    invalid: Mapping[str, str]
    not_started: tuple[str, ...]
    exit_code: int


Event = RunStarted | Note | WorldProgress | WorldLeft | RunEnded
OnEvent = Callable[[Event], None]
