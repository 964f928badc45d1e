"""The desk of one seat: all that a policy may see of `merchant@1`, and checks that change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from market.merchant.decision import Refused
from market.merchant.facts import observe
from tournament.records import Decision, Json, Table, Tool

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld


class MerchantDesk:
    """A view bound to one seat (from 1) and to the world version at which it was opened."""

    def __init__(self, world: MerchantWorld, seat: int) -> None:
        self._world = world
        self._seat = seat
        self._version = world.version
        self._window = world.window

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
        return self._window

    @cached_property
    def _facts(self) -> Mapping[str, Json]:
        return observe(self._world, self._seat - 1)

    def facts(self) -> Mapping[str, Json]:
        return self._facts

    def check(self, decision: Json) -> str | None:
        return self._world.refusal(self._seat - 1, decision)

    def null(self) -> Decision:
        return {}

    def preview(self, decision: Decision) -> Mapping[str, Json]:
        """Return `accepted`, `refusal`, `listings_after`, `slots_left`, `cash_cents`, `deposit_cents`,
        `daily_cost_cents` (the day's procurement if yesterday's orders repeat; None before day 2) and
        `warnings` of a draft."""
        from market.merchant.preview import preview  # noqa: PLC0415

        try:
            order = self._world.order(self._seat - 1, decision)
        except Refused as reason:
            return {"accepted": False, "refusal": str(reason)}
        return preview(self.facts(), order)

    def tools(self) -> Sequence[Tool]:
        from market.merchant.tools import tools_of  # noqa: PLC0415

        return tools_of(self.check)

    def tables(self) -> Sequence[Table]:
        from market.merchant.schema import SCHEMA  # noqa: PLC0415 - only seats that query need the schema

        return SCHEMA

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        from market.merchant.growing import GROWING  # noqa: PLC0415
        from market.merchant.tables import READERS  # noqa: PLC0415

        if table in GROWING:
            return GROWING[table](self._world, self._seat - 1, after)
        return READERS[table](self._world, self._seat - 1, self.facts())

    def guide(self) -> str:
        from market.merchant.brief import guide  # noqa: PLC0415

        return guide(self._world.parameters, self._world.seats)

    def brief(self) -> str:
        from market.merchant.brief import brief  # noqa: PLC0415

        return brief(self._world, self._seat - 1, self.facts())
