"""Dollar caps per world and per study, asked before every request and restored from the journals.

A cap is kept, not hit: a request goes out only if it could not exceed the cap at its worst. While
other requests are in flight their worst counts too; a request that would fit without them waits for
them, one that would not fit at all stops its world at the durable point where it stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tournament.errors import Suspension


@dataclass(slots=True)
class Reservation:
    """A request's worst cost while it is in flight, and what it has cost: failed attempts, then its reply."""

    cost_usd: float
    attempts_usd: float = 0.0

    def charge(self, usd: float) -> None:
        """Add what an attempt without a reply has cost, at its worst where nobody knows."""
        self.attempts_usd += usd

    def settle(self, cost_usd: float) -> None:
        """Say what the last attempt cost; left unsaid (the process was stopped), it counts at its worst."""
        self.cost_usd = cost_usd

    def settle_if_known(self, cost_usd: float | None) -> None:
        """Settle a reply; one without a price goes on counting at its worst."""
        if cost_usd is not None:
            self.cost_usd = cost_usd


class SpendMeter:
    """One for all worlds of a run; without caps it only adds up."""

    def __init__(self, *, usd: float | None = None, usd_per_world: float | None = None) -> None:
        self._usd = usd
        self._usd_per_world = usd_per_world
        self._spent: dict[str, float] = {}
        self._flying: dict[str, float] = {}
        self._settled = asyncio.Event()

    @property
    def capped(self) -> bool:
        return self._usd is not None or self._usd_per_world is not None

    def spent(self, world: str | None = None) -> float:
        """Return the dollars counted so far, of one world or of all."""
        return sum(self._spent.values()) if world is None else self._spent.setdefault(world, 0.0)

    def restore(self, world: str, usd: float) -> None:
        """Count what a world's journal says it has cost: known costs, and bounds where a reply was lost."""
        self._spent[world] = usd

    @asynccontextmanager
    async def reserved(self, world: str, bound_usd: float | None, route: str) -> AsyncIterator[Reservation]:
        """Hold a request's worst cost against the caps while it is in flight.

        Raises Suspension(kind="budget") where the caps leave no room for it, and
        Suspension(kind="configuration") where a cap is set and the route has no known price.
        """
        if bound_usd is None and self.capped:
            raise Suspension(
                f"route {route} has no known price, so a dollar cap can't be kept: give its entry a price,"
                " or drop limits.usd and limits.usd_per_world",
                kind="configuration",
                route=route,
            )
        bound = bound_usd or 0.0
        await self._room(world, bound, route)
        self._flying[world] = self._flying.setdefault(world, 0.0) + bound
        reservation = Reservation(cost_usd=bound)
        try:
            yield reservation
        finally:
            self._flying[world] -= bound
            self._spent[world] = self.spent(world) + reservation.attempts_usd + reservation.cost_usd
            self._settled.set()

    async def _room(self, world: str, bound: float, route: str) -> None:
        while True:
            self._require(world, bound, route)
            if self._fits(world, bound):
                return
            self._settled.clear()
            await self._settled.wait()

    def _fits(self, world: str, bound: float) -> bool:
        flying = self._flying.setdefault(world, 0.0)
        per_world = self._usd_per_world is None or self.spent(world) + flying + bound <= self._usd_per_world
        return per_world and (
            self._usd is None or self.spent() + sum(self._flying.values()) + bound <= self._usd
        )

    def _require(self, world: str, bound: float, route: str) -> None:
        if self._usd_per_world is not None and self.spent(world) + bound > self._usd_per_world:
            self._stop(
                f"world {world}", self.spent(world), bound, self._usd_per_world, "usd_per_world", route
            )
        if self._usd is not None and self.spent() + bound > self._usd:
            self._stop("the study", self.spent(), bound, self._usd, "usd", route)

    def _stop(self, whose: str, spent: float, bound: float, cap: float, limit: str, route: str) -> None:
        raise Suspension(
            f"{whose} has spent ${spent:.4f} and the next reply could cost ${bound:.4f}, beyond"
            f" limits.{limit} of ${cap:g}; raise the limit and run again to go on from here",
            kind="budget",
            route=route,
        )
