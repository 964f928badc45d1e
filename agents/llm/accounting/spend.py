"""Dollar caps per world and per study, asked before every request and restored from the journals.

A cap is kept, not hit: a request goes out only if it could not exceed the cap at its worst, and so
does each repetition of one whose answer was lost. While other requests are in flight their worst
counts too; a request that would fit without them waits for them, one that would not fit at all stops
its world at the durable point where it stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tournament.errors import Suspension


@dataclass(slots=True, eq=False)
class Reservation:
    """A request's worst cost, held while it is in flight, and what its last attempt has cost."""

    meter: SpendMeter
    world: str
    route: str
    bound_usd: float
    cost_usd: float

    def charge(self, usd: float) -> None:
        """Count at once what an attempt without a reply has cost, at its worst where nobody knows."""
        self.meter.add(self.world, usd)

    async def again(self) -> None:
        """Ask for room anew, for one more attempt; raises Suspension(kind="budget") where there is none."""
        self.meter.release(self)
        self.cost_usd = 0.0
        await self.meter.hold(self)
        self.cost_usd = self.bound_usd

    def settle(self, cost_usd: float) -> None:
        """Say what the last attempt cost; left unsaid (the process was stopped), it counts at its worst."""
        self.cost_usd = cost_usd

    def settle_if_known(self, cost_usd: float | None) -> None:
        """Settle a reply; one without a price goes on counting at its worst."""
        if cost_usd is not None:
            self.cost_usd = cost_usd


class SpendMeter:
    """One for all worlds of a run; without caps it only adds up.

    What holds at any instant: spent + the worst of all in flight <= cap, for the study and for each world.
    A request leaves the one sum and enters the other without an await between, so nobody sees it in
    neither; what is not known to be cheaper stays counted at its worst.
    """

    def __init__(self, *, usd: float | None = None, usd_per_world: float | None = None) -> None:
        self._usd = usd
        self._usd_per_world = usd_per_world
        self._spent: dict[str, float] = {}
        self._flying: set[Reservation] = set()
        self._settled = asyncio.Event()

    @property
    def capped(self) -> bool:
        return self._usd is not None or self._usd_per_world is not None

    def spent(self, world: str | None = None) -> float:
        """Return the dollars counted so far, of one world or of all."""
        return sum(self._spent.values()) if world is None else self._spent.setdefault(world, 0.0)

    def add(self, world: str, usd: float) -> None:
        self._spent[world] = self.spent(world) + usd

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
        reservation = Reservation(meter=self, world=world, route=route, bound_usd=bound, cost_usd=bound)
        await self.hold(reservation)
        try:
            yield reservation
        finally:
            self.release(reservation)
            self.add(world, reservation.cost_usd)

    async def hold(self, reservation: Reservation) -> None:
        """Wait until the request fits beside those in flight; raises Suspension where it never will."""
        while True:
            # Two questions, since only one of them has hope: what is spent never comes back, so a request that
            # does not fit beside it stops; what is in flight may cost less than its worst, so one waits.
            self._require(reservation)
            if self._fits(reservation):
                self._flying.add(reservation)
                return
            self._settled.clear()
            await self._settled.wait()

    def release(self, reservation: Reservation) -> None:
        """Stop counting a request as in flight."""
        self._flying.discard(reservation)
        self._settled.set()

    def _fits(self, wanted: Reservation) -> bool:
        if not self.capped:
            return True
        every = sum(other.bound_usd for other in self._flying)
        own = sum(other.bound_usd for other in self._flying if other.world == wanted.world)
        bound, world = wanted.bound_usd, self.spent(wanted.world)
        return (self._usd_per_world is None or world + own + bound <= self._usd_per_world) and (
            self._usd is None or self.spent() + every + bound <= self._usd
        )

    def _require(self, wanted: Reservation) -> None:
        bound, world = wanted.bound_usd, wanted.world
        if self._usd_per_world is not None and self.spent(world) + bound > self._usd_per_world:
            self._stop(wanted, f"world {world}", self.spent(world), self._usd_per_world, "usd_per_world")
        if self._usd is not None and self.spent() + bound > self._usd:
            self._stop(wanted, "the study", self.spent(), self._usd, "usd")

    def _stop(self, wanted: Reservation, whose: str, spent: float, cap: float, limit: str) -> None:
        raise Suspension(
            f"{whose} has spent ${spent:.4f} and the next reply could cost ${wanted.bound_usd:.4f}, beyond"
            f" limits.{limit} of ${cap:g}; raise the limit and run again to go on from here",
            kind="budget",
            route=wanted.route,
        )
