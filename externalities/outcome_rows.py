"""Models of the tables that the statistics read: documentation, and the check that they are what they say.

The files are written by the run; their columns stand here once more only as words.
"""

from __future__ import annotations

from pydantic import Field

from externalities.rows import Row, TableSpec


class OutcomeRow(Row):
    """One seat of one finished world."""

    world: str = Field(description="`<lineup>.r<rotation>.s<seed>.n<repeat>`")
    lineup: str = Field(description="`ref`, or `<reference>-for-<replaced>`")
    reference: str = Field(description="reference policy; empty in the reference lineup")
    replaced_seat: str = Field(
        description="seat it took, several joined with `+`; empty in the reference lineup"
    )
    rotation: int = Field(description="cyclic seat shift of the lineup")
    seed: int = Field(description="economic seed")
    repeat: int = Field(description="repeat of the seed, from 1")
    seat: int = Field(description="seat, from 1")
    contestant: str = Field(description="contestant in the seat")
    score_cents: int = Field(description="Score: final cash + salvage - initial enterprise value")
    final_cash_cents: int = Field(
        description="closing cash of the last day; cash at exit for a bankrupt firm"
    )
    salvage_cents: int = Field(description="liquidation value of stock on hand and paid inbound units")
    bankrupt_day: int | None = Field(
        description="day whose close found cash below zero; empty for the others"
    )
    revenue_cents: int = Field(description="revenue booked on delivery")
    procurement_cents: int = Field(description="goods ordered")
    holding_cents: int = Field(description="holding cost of stock")
    development_cents: int = Field(description="development budgets spent")
    marketing_cents: int = Field(description="marketing budgets spent")
    reliability_cents: int = Field(description="reliability budget spent")
    support_cents: int = Field(description="support budget spent")
    overhead_cents: int = Field(description="overhead of the capacity tier")
    capacity_cents: int = Field(description="capacity changes, less refunds of cancelled ones")
    innovation_cents: int = Field(description="innovation projects bought")
    research_cents: int = Field(description="market research bought")
    refunds_cents: int = Field(description="refunds to customers")
    penalties_cents: int = Field(description="penalties for undelivered contracts")
    units_sold: int = Field(description="units delivered, contracts included")
    tenders_won: int = Field(description="tenders won")
    windows_sealed: int = Field(description="windows sealed and applied")
    windows_refused: int = Field(description="windows whose sealed decision was refused whole")
    windows_exhausted: int = Field(description="windows that ended with the budget exhausted")
    consumer_orders: int = Field(description="consumer units delivered at once plus backorders placed")


class HybridRow(Row):
    """One seat of one hybrid world."""

    world: str = Field(description="`<replacement world>.forward`, `.reverse` or `.noise`")
    order: str = Field(description="forward, reverse or noise")
    control: str = Field(description="reference-lineup world of the matched pair")
    treated: str = Field(description="replacement world of the matched pair")
    noise_repeat: int | None = Field(description="repeat whose rivals' seals are played; empty but for noise")
    seat: int = Field(description="seat, from 1")
    contestant: str = Field(description="contestant whose seals are played")
    source: str = Field(description="world in which they were sealed")
    score_cents: int = Field(description="Score in the hybrid world")
    final_cash_cents: int = Field(description="final cash in the hybrid world")
    salvage_cents: int = Field(description="salvage in the hybrid world")
    windows: int = Field(description="windows the seat was in business for")
    windows_refused: int = Field(description="windows whose repeated decision was refused")
    windows_unsealed: int = Field(description="windows for which the source holds no seal: nothing changed")


OUTCOMES = TableSpec(
    file="outcomes.csv", row=OutcomeRow, description="One row a seat of every finished world."
)
HYBRIDS = TableSpec(
    file="hybrids/hybrids.csv",
    row=HybridRow,
    description="Scores of the hybrid worlds (after `tournament decompose`).",
)
