"""What asking once can come to, beside a reply: one exception for every class of fault."""

from __future__ import annotations

from typing import Final, Protocol

from agents.routes.errors.classification import FaultKind, Verdict
from tournament.records import ModelReply, ModelRequest

DETAIL_CHARACTERS: Final = 2000


class Fault(Exception):
    """One attempt that brought no reply.

    `retry_after` is the provider's own word, unparsed; `cost_usd` is what the attempt cost, None if
    that is unknown.
    """

    def __init__(
        self,
        verdict: Verdict,
        detail: str,
        *,
        status: int | None = None,
        retry_after: str | None = None,
        cost_usd: float | None = 0.0,
    ) -> None:
        super().__init__(f"{verdict.code}: {detail}" if detail else verdict.code)
        self.verdict = verdict
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        self.cost_usd = cost_usd


class Caller(Protocol):
    """Makes one request of a provider, once."""

    async def ask(self, request: ModelRequest, number: int) -> ModelReply:
        """Return the reply of attempt `number` (from 1).

        Raises Fault, and tournament.errors.IdentityMismatch with the reply of a model not accepted.
        """
        ...


def transport(code: str, detail: str, *, status: int | None = None, cost_usd: float | None = 0.0) -> Fault:
    """Return a fault that asking again may mend."""
    verdict = Verdict(kind="transport", code=code)
    return Fault(verdict, detail, status=status, cost_usd=cost_usd)


def fault_of(kind: FaultKind, code: str, detail: str, *, status: int | None = None) -> Fault:
    """Return a fault of a class that is known already."""
    return Fault(Verdict(kind=kind, code=code), detail, status=status)
