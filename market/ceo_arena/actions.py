"""Applying a checked decision: standing values first, then capacity, innovation and research are charged."""

from __future__ import annotations

from typing import Any

from market.ceo_arena.decision import Cells, Order, cancellation_refund, capacity_charge
from market.ceo_arena.exogenous import Exogenous
from market.ceo_arena.parameters import CHANNELS, PRODUCTS, SEGMENTS, Parameters
from market.ceo_arena.state import (
    CANCELLATION,
    DOWNSIZING,
    EXPANSION,
    INNOVATION,
    NONE,
    RESEARCH,
    History,
    State,
)
from tournament.records import Receipt

MARKETING_CELLS = tuple(f"{segment}/{channel}" for segment in SEGMENTS for channel in CHANNELS)


class Applied:
    """Books one firm's order on the window's first day and collects its receipts."""

    def __init__(
        self,
        parameters: Parameters,
        luck: Exogenous,
        state: State,
        history: History,
        i: int,
        day: int,
        window: int,
    ) -> None:
        self.parameters, self.luck, self.state, self.history = parameters, luck, state, history
        self.i, self.day, self.window = i, day, window
        self.receipts: list[Receipt] = []

    def apply(self, order: Order) -> list[Receipt]:
        """Apply every part of the order and return one receipt an action."""
        self._standing(order)
        if order.capacity is not None:
            self._capacity(order.capacity)
        for tier in order.innovation:
            self._innovate(tier)
        for segment in order.research:
            self._research(segment)
        for number, price in order.bids:
            self.state.bids[self.i, number] = price
            self._note(f"bid:{number}", 0, int(self.luck.tenders.closes[number]), f"sealed at {price} cents")
        return self.receipts

    def _note(self, action: str, cents: int, effective: int | None, detail: str) -> None:
        self.receipts.append(
            Receipt(
                seat=self.i + 1,
                window=self.window,
                action=action,
                status="applied",
                cents=cents,
                effective_day=effective,
                detail=detail,
            )
        )

    def _move(self, account: int, cents: int) -> None:
        self.history.ledger[self.day, self.i, account] += cents
        self.state.cash[self.i] += cents

    def _cells(self, action: str, row: Any, cells: Cells, names: tuple[str, ...]) -> None:
        """Set cells of one row of standing values."""
        if cells:
            before = row.tolist()
            for number, value in cells:
                row[number] = value
            changes = [f"{names[number]} {before[number]} to {value}" for number, value in cells]
            self._note(action, 0, self.day + 1, "; ".join(changes))

    def _budget(self, action: str, row: Any, value: int | None) -> None:
        if value is not None:
            before = int(row[self.i])
            row[self.i] = value
            self._note(action, 0, self.day + 1, f"{before} to {value}")

    def _standing(self, order: Order) -> None:
        i, state = self.i, self.state
        self._cells("prices", state.prices[i], order.prices, PRODUCTS)
        self._cells("promotions", state.promotions[i], order.promotions, PRODUCTS)
        self._cells("reorder_targets", state.targets[i], order.reorder_targets, PRODUCTS)
        self._cells("development", state.development[i], order.development, PRODUCTS)
        cells = tuple((3 * s + k, value) for s, k, value in order.marketing)
        self._cells("marketing", state.marketing[i].reshape(9), cells, MARKETING_CELLS)
        self._budget("reliability", state.reliability_budget, order.reliability)
        self._budget("support", state.support_budget, order.support)

    def _capacity(self, action: tuple[str, int]) -> None:
        name, tier = action
        i, state = self.i, self.state
        if name == "cancel":
            refund = cancellation_refund(self.parameters, state, i, self.day)
            state.pending_tier[i] = NONE
            self._move(CANCELLATION, refund)
            self._note("capacity:cancel", refund, self.day + 1, f"construction stopped, {refund} cents back")
            return
        charge = capacity_charge(self.parameters, state, i, action)
        days = self.parameters.construction[tier] if name == "expand" else self.parameters.downsize_days
        state.pending_tier[i] = tier
        state.pending_ordered[i] = self.day
        state.pending_days[i] = days
        state.pending_prepaid[i] = charge if name == "expand" else 0
        self._move(EXPANSION if name == "expand" else DOWNSIZING, -charge)
        self._note(f"capacity:{name}", -charge, self.day + days + 1, f"to tier {tier}")

    def _innovate(self, tier: int) -> None:
        i, state = self.i, self.state
        number = int(state.project_count[i])
        state.project_ready[i, number] = self.day + int(self.luck.project_days[i, number, tier]) + 1
        state.project_tier[i, number] = tier
        state.project_start[i, number] = self.day
        state.project_count[i] += 1
        price = self.parameters.innovation_price[tier]
        self._move(INNOVATION, -price)
        median = self.parameters.innovation_days[tier]
        self._note(f"innovation:{tier + 1}", -price, None, f"project {number}, median {median} days")

    def _research(self, segment: int) -> None:
        i, state = self.i, self.state
        number = int(state.report_count[i])
        state.report_sampled[i, number] = self.day + 1
        state.report_segment[i, number] = segment
        state.report_count[i] += 1
        price = self.parameters.research_price
        self._move(RESEARCH, -price)
        readable = self.day + self.parameters.window_days
        detail = f"sampled on day {self.day + 1}, readable with {readable} days completed"
        self._note(f"research:{SEGMENTS[segment]}", -price, readable, detail)
