"""The desk of one seat: all that a policy may see of `commerce@1`, and checks that change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from market.commerce.decision import Refused
from market.commerce.facts import observe
from tournament.records import Decision, Json, MarketTool, Table

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld


class CommerceDesk:
    """A view bound to one seat (from 1) and to the world version at which it was opened."""

    def __init__(self, world: CommerceWorld, seat: int) -> None:
        self._world = world
        self._seat = seat
        self._version = world.version

    @property
    def market_id(self) -> str:
        return self._world.market_id

    @property
    def seat(self) -> int:
        return self._seat

    @property
    def version(self) -> int:
        return self._version

    @property
    def window(self) -> int:
        return self._version

    @cached_property
    def _facts(self) -> Mapping[str, Json]:
        return observe(self._world, self._seat - 1)

    def facts(self) -> Mapping[str, Json]:
        return self._facts

    def check(self, decision: Json) -> str | None:
        return self._world.refusal(decision)

    def null(self) -> Decision:
        return {}

    def preview(self, decision: Decision) -> Mapping[str, Json]:
        """Return `accepted`, `refusal`, `items` in order with the cash behind each, `refused_items` and why,
        `cents_by_kind`, `daily_ads_cents`, `cash_after_cents`, `net_worth_after_cents` and `warnings`."""
        from market.commerce.preview import Trial, refused_whole  # noqa: PLC0415 - a policy needs no preview

        try:
            order = self._world.order(decision)
        except Refused as reason:
            return refused_whole(str(reason))
        return Trial(self._world, self._seat - 1, order).summary()

    def tools(self) -> Sequence[MarketTool]:
        """Return the calls that only read or calculate, then those that stage; each names its area."""
        from market.commerce.queries import queries_of  # noqa: PLC0415
        from market.commerce.tools import tools_of  # noqa: PLC0415

        i = self._seat - 1
        return (*queries_of(self._world, i, self.facts()), *tools_of(self._world, i))

    def tables(self) -> Sequence[Table]:
        from market.commerce.schema import SCHEMA  # noqa: PLC0415

        return SCHEMA

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        from market.commerce.daily import DAILY  # noqa: PLC0415
        from market.commerce.tables import READERS  # noqa: PLC0415

        if table in DAILY:
            return DAILY[table](self._world, self._seat - 1, after)
        return READERS[table](self._world, self._seat - 1, self.facts())

    def guide(self) -> str:
        from market.commerce.brief import guide  # noqa: PLC0415

        return guide(self._world.parameters, self._world.seats)

    def brief(self) -> str:
        from market.commerce.brief import brief  # noqa: PLC0415

        return brief(self._world, self._seat - 1, self.facts())
