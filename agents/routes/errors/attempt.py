"""One attempt that brought no reply: the value that says why, and the exception that carries it.

`AttemptFailure` is the only form in which a failure travels inside the routes: classification makes it,
the retry loop reads it, records and suspensions are worded from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol

from tournament.foreign_text import bounded
from tournament.records import ModelReply, ModelRequest

DETAIL_CHARACTERS: Final = 2000
# What is read of an error's text: its reason is at the beginning, a page of HTML may follow.
MESSAGE_CHARACTERS: Final = 8_000
FailureKind = Literal[
    "transport",
    "configuration",
    "overflow",
    "content_filter",
    "length",
    "malformed_call",
    "history",
    "harness",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFailure:
    """Why one attempt brought no reply.

    `code` is short and kept in records, `detail` quotes the provider, bounded, `status` is its HTTP status, if it
    answered. `retry_after` is its wish for a wait, unparsed. `cost_usd` is what the attempt cost, None
    if that is unknown. `slow_down` asks every seat of the route to slow down.
    """

    kind: FailureKind
    code: str
    detail: str = ""
    status: int | None = None
    retry_after: str | None = None
    cost_usd: float | None = 0.0
    slow_down: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", bounded(self.detail, MESSAGE_CHARACTERS))

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else self.code

    @property
    def label(self) -> str:
        """Kind and code, as records of attempts keep them."""
        return f"{self.kind}: {self.code}"


class AttemptError(Exception):
    """Raised by a caller whose attempt brought no reply."""

    def __init__(self, failure: AttemptFailure) -> None:
        super().__init__(str(failure))
        self.failure = failure


class Caller(Protocol):
    """Makes one request of a provider, once."""

    async def send(self, request: ModelRequest, number: int) -> ModelReply:
        """Return the reply of attempt `number` (from 1).

        Raises AttemptError, and tournament.errors.IdentityMismatch with the reply of a model not accepted.
        """
        ...


def attempt_error(
    kind: FailureKind,
    code: str,
    detail: str,
    *,
    status: int | None = None,
    cost_usd: float | None = 0.0,
) -> AttemptError:
    """Return the error of a failure whose kind is known without reading the provider's words."""
    return AttemptError(AttemptFailure(kind=kind, code=code, detail=detail, status=status, cost_usd=cost_usd))
