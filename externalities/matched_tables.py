"""The contract's three matched tables: private.csv, directed.csv and market.csv.

One row a matched pair (and rival), never a pooled number: everything else can be made from them.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from externalities.estimands import Contrasts
from externalities.rows import Row, TableSpec

ENTRANT = Field(description="contestant that was replaced; several at once are joined with `+`")
REFERENCE = Field(description="contestant that took the entrant's seat")
RIVAL = Field(description="contestant whose Score is compared")
ROTATION = Field(description="cyclic seat shift of the lineup")
SEED = Field(description="economic seed")
REPEAT = Field(description="repeat of the seed, from 1")


class PrivateRow(Row):
    """A private gain."""

    entrant: str = ENTRANT
    reference: str = REFERENCE
    rotation: int = ROTATION
    seed: int = SEED
    repeat: int = REPEAT
    private_cents: int = Field(
        description="S_B(L_-R) - S_R(L_-B) at the entrant's seat; summed over several replaced seats"
    )


class DirectedRow(Row):
    """A directed externality."""

    entrant: str = ENTRANT
    rival: str = RIVAL
    reference: str = REFERENCE
    rotation: int = ROTATION
    seed: int = SEED
    repeat: int = REPEAT
    directed_cents: int = Field(
        description="S_A(L_-R) - S_A(L_-B): the rival's Score with the entrant less that without"
    )


class MarketRow(Row):
    """A market difference with its rivals' part."""

    entrant: str = ENTRANT
    reference: str = REFERENCE
    rotation: int = ROTATION
    seed: int = SEED
    repeat: int = REPEAT
    total_externality_cents: int | None = Field(
        description="sum of the directed externalities; empty when everybody was replaced"
    )
    mean_externality_cents: float | None = Field(
        description="total divided by the number of rivals; empty when everybody was replaced"
    )
    market_difference_cents: int = Field(description="private + total, exactly")


PRIVATE = TableSpec(file="private.csv", row=PrivateRow, description="Private gain of every matched pair.")
DIRECTED = TableSpec(
    file="directed.csv", row=DirectedRow, description="Directed externality of every matched pair and rival."
)
MARKET = TableSpec(
    file="market.csv", row=MarketRow, description="Total and mean externality and market difference."
)


def matched_rows(contrasts: Contrasts) -> Mapping[TableSpec, list[Row]]:
    """Return the rows of the three tables, in the order of the contract."""
    private: list[Row] = [
        PrivateRow(
            entrant=gain.entrant,
            reference=gain.reference,
            rotation=gain.draw.rotation,
            seed=gain.draw.seed,
            repeat=gain.draw.repeat,
            private_cents=gain.cents,
        )
        for gain in contrasts.private
    ]
    directed: list[Row] = [
        DirectedRow(
            entrant=effect.entrant,
            rival=effect.rival,
            reference=effect.reference,
            rotation=effect.draw.rotation,
            seed=effect.draw.seed,
            repeat=effect.draw.repeat,
            directed_cents=effect.cents,
        )
        for effect in contrasts.directed
    ]
    market: list[Row] = [
        MarketRow(
            entrant=difference.entrant,
            reference=difference.reference,
            rotation=difference.draw.rotation,
            seed=difference.draw.seed,
            repeat=difference.draw.repeat,
            total_externality_cents=difference.total_cents if difference.rivals else None,
            mean_externality_cents=difference.mean_cents,
            market_difference_cents=difference.market_cents,
        )
        for difference in contrasts.market
    ]
    return {PRIVATE: private, DIRECTED: directed, MARKET: market}
