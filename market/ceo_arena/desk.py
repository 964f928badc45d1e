"""The desk of one seat: all that a policy may see of `ceo_arena@1`, and checks that change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from market.ceo_arena.decision import Order, Refused, commitments, read
from market.ceo_arena.facts import observe
from market.ceo_arena.parameters import PRODUCTS
from market.ceo_arena.tools import tools_of
from tournament.records import Decision, Json, Table, Tool

if TYPE_CHECKING:
    from market.ceo_arena.world import CompanyWorld


class CompanyDesk:
    """A view bound to one seat (from 1) and to the world version at which it was opened."""

    def __init__(self, world: CompanyWorld, seat: int) -> None:
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
        """Return `accepted`, `refusal`, `one_off_cents` by kind, `refund_cents` of a cancelled expansion (it
        pays for nothing else in the draft), `daily_cost_cents` (recurring budgets and overhead),
        `cash_after_cents` and `warnings` of a draft."""
        world, i = self._world, self._seat - 1
        try:
            order = read(decision, world.parameters, world.limits, world.luck.tenders, world.version)
            priced = commitments(order, world.parameters, world.state, i, world.version)
        except Refused as reason:
            return {"accepted": False, "refusal": str(reason)}
        facts = self.facts()
        daily = self._daily_cost(order)
        cancelled = order.capacity is not None and order.capacity[0] == "cancel"
        refund = facts["company"]["pending"]["cancel_refund_cents"] if cancelled else 0
        after = facts["cash_cents"] - priced.total + refund
        return {
            "accepted": True,
            "refusal": None,
            "one_off_cents": {
                "capacity": priced.capacity,
                "innovation": priced.innovation,
                "research": priced.research,
                "total": priced.total,
            },
            "refund_cents": refund,
            "daily_cost_cents": daily,
            "cash_after_cents": after,
            "warnings": self._warnings(order, daily, after),
        }

    def _daily_cost(self, order: Order) -> int:
        state, i = self._world.state, self._seat - 1
        development = state.development[i].tolist()
        marketing = state.marketing[i].tolist()
        for j, cents in order.development:
            development[j] = cents
        for s, k, cents in order.marketing:
            marketing[s][k] = cents
        reliability = state.reliability_budget[i] if order.reliability is None else order.reliability
        support = state.support_budget[i] if order.support is None else order.support
        overhead = self._world.parameters.overhead[int(state.tier[i])]
        spent = sum(development) + sum(map(sum, marketing))
        return int(spent + reliability + support + overhead)

    def _warnings(self, order: Order, daily: int, after: int) -> list[str]:
        facts = self.facts()
        warnings = []
        if daily * facts["window_days"] > after:
            warnings.append("a window of daily costs exceeds the cash left: sales must cover the rest")
        warnings += self._losing(order)
        if order.capacity and order.capacity[0] == "expand":
            ready = facts["day"] + self._world.parameters.construction[order.capacity[1]] + 1
            if ready > facts["horizon"]:
                warnings.append(f"the expansion would be ready on day {ready}, after the horizon")
        for tier in order.innovation:
            median = self._world.parameters.innovation_days[tier]
            if median >= facts["days_left"]:
                warnings.append(f"innovation tier {tier + 1} has a median of {median} days, past the horizon")
        return warnings

    def _losing(self, order: Order) -> list[str]:
        """Warn of products whose price or promotion the draft changes, and that would sell at no gain."""
        state, i = self._world.state, self._seat - 1
        prices, promotions = state.prices[i].tolist(), state.promotions[i].tolist()
        for j, price in order.prices:
            prices[j] = price
        for j, percent in order.promotions:
            promotions[j] = percent
        warnings = []
        for j in sorted({j for j, _ in (*order.prices, *order.promotions)}):
            cost = self._world.parameters.cost[j]
            if (prices[j] * (100 - promotions[j]) + 50) // 100 <= cost:
                offer = f"{prices[j]} cents less {promotions[j]} %" if promotions[j] else f"{prices[j]} cents"
                warnings.append(
                    f"product {PRODUCTS[j]} at {offer} does not exceed its procurement cost of {cost} cents"
                )
        return warnings

    def tools(self) -> Sequence[Tool]:
        return tools_of(self._world.parameters)

    def tables(self) -> Sequence[Table]:
        from market.ceo_arena.schema import SCHEMA  # noqa: PLC0415 - only seats that query need the schema

        return SCHEMA

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        from market.ceo_arena.daily import DAILY  # noqa: PLC0415
        from market.ceo_arena.tables import READERS  # noqa: PLC0415

        if table in DAILY:
            return DAILY[table](self._world, self._seat - 1, after)
        return READERS[table](self._world, self._seat - 1, self.facts())

    def guide(self) -> str:
        from market.ceo_arena.brief import guide  # noqa: PLC0415

        return guide(self._world.parameters, self._world.seats)

    def brief(self) -> str:
        from market.ceo_arena.brief import brief  # noqa: PLC0415

        return brief(self.facts())
