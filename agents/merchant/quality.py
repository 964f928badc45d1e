"""Quality first: lists what is rated best, of suppliers rated best, at a moderate mark-up.

Five stars bring a fifth more buyers, and fewer refunds eat less of the margin. The observation that good
ratings and merchandise go together is that of the MerchantBench paper's human merchants (Section 5).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field

from agents.merchant.explorer import ExplorerParameters, explore
from agents.merchant.reading import MERCHANT, Reals, static
from agents.strategy import Facts, Move, Strategy
from tournament.records import Json


class QualityParameters(ExplorerParameters):
    """The explorer's, and the price over cost."""

    multiple: Annotated[float, Field(gt=1, le=10)] = 1.9


def decide(merchant: QualityParameters, facts: Facts, memo: Json) -> Move:
    """Explore by product rating, supplier rating and the supplier's return buyers."""
    known = static(facts)

    def score() -> Reals:
        return 3 * (known.rating + 0.5 * known.supplier_rating + 2 * known.return_buyer_rate)

    barred = None if memo is None else memo["barred"]
    move, barred = explore(merchant, facts, barred, lambda _: merchant.multiple, score)
    return replace(move, memo={"barred": barred})


MERCHANT_QUALITY: Final = Strategy(
    id="merchant-quality@1",
    summary="lists the best-rated products of the best-rated suppliers, and keeps what sells",
    parameters=QualityParameters,
    decide=decide,
    traits=("explorer", "quality"),
    markets=MERCHANT,
)
