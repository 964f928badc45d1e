"""The one exception tree: what a user can mend, what an outage does, and what is a bug.

Everything that a command shows to a person as one clear line derives from ArenaError; anything
else that escapes is a bug. Each class carries the exit code of its kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tournament.foreign_text import one_line

FaultKind = Literal["transport", "configuration", "identity", "budget", "harness", "damage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a world cannot go on: the class of the fault, the route it came from, the line that people read.

    The one form in which a fault travels from where it happened to results, records and status. Its
    message may quote a provider: it is one bounded line, whatever was quoted.
    """

    kind: FaultKind
    message: str
    route: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", one_line(self.message))


class ArenaError(Exception):
    """A condition that a command reports in one line and ends with `exit_code`."""

    exit_code = 2

    @property
    def lines(self) -> Sequence[str]:
        """What a command says of it, one line a thing that is wrong."""
        return (str(self),)


class InputError(ArenaError):
    """Bad input or usage: what was wrong, where, and what is allowed."""

    def __init__(
        self,
        message: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
    ) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        where = ": ".join(part for part in (place, field) if part)
        super().__init__(f"{where}: {message}" if where else message)


class InputErrors(InputError):
    """Several things that are wrong with an input, each told in a line of its own."""

    def __init__(self, faults: Sequence[InputError]) -> None:
        self._lines = tuple(map(str, faults))
        super().__init__("; ".join(self._lines))

    @property
    def lines(self) -> Sequence[str]:
        return self._lines


class DirectoryError(ArenaError):
    """A run directory that is locked by another process or belongs to another study."""

    exit_code = 5


class StorageError(ArenaError):
    """The disk refused a write; what was durable before stays durable."""

    exit_code = 2


class DamageError(ArenaError):
    """A published file or a replay that does not agree with its record."""

    exit_code = 4


class Suspension(ArenaError):
    """A world cannot go on now through no fault of a contestant; it resumes from its last durable point.

    `fault` is the same as a value; its kind is never `damage`.
    """

    exit_code = 3

    def __init__(self, message: str, *, kind: FaultKind, route: str | None = None) -> None:
        self.fault = Fault(kind=kind, message=message, route=route)
        super().__init__(self.fault.message)

    @property
    def kind(self) -> FaultKind:
        return self.fault.kind

    @property
    def route(self) -> str | None:
        return self.fault.route


class ContextOverflow(ArenaError):
    """A model's context window is exceeded by its own conversation: behaviour, which ends the window."""


class IdentityMismatch(Suspension):
    """The provider answered under a model id that the route does not accept; the reply is only kept."""

    def __init__(self, message: str, *, route: str, reply: object) -> None:
        super().__init__(message, kind="identity", route=route)
        self.reply = reply
