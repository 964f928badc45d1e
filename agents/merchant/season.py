"""Season rider: lists what the daily report calls hot or rising, and dearer products before cheap ones.

The MerchantBench paper finds that good merchants follow the market's dated signals (Section 5); the
report is the only public one that looks ahead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

import numpy as np
from pydantic import Field

from agents.merchant.explorer import ExplorerParameters, explore
from agents.merchant.reading import MERCHANT, Reals, moving, static
from agents.strategy import Facts, Move, Strategy
from tournament.records import Json

KEYWORDS: Final = 80


class SeasonParameters(ExplorerParameters):
    """The explorer's, and the price over cost."""

    multiple: Annotated[float, Field(gt=1, le=10)] = 1.9


def decide(merchant: SeasonParameters, facts: Facts, memo: Json) -> Move:
    """Explore by the report's keywords, in the order in which it shows them."""

    def score() -> Reals:
        known, seen = static(facts), moving(facts)
        hot, rising = np.zeros(KEYWORDS), np.zeros(KEYWORDS)
        for place, keyword in enumerate(facts["report"]["hot"]):
            hot[keyword] = 1.2 - 0.05 * place
        for place, keyword in enumerate(facts["report"]["rising"]):
            rising[keyword] = 1.0 - 0.04 * place
        worth = 0.3 * (known.rating + known.supplier_rating) + 0.25 * seen.log_thousands
        attraction: Reals = worth + hot[known.keyword] + rising[known.keyword]
        return attraction

    barred = None if memo is None else memo["barred"]
    move, barred = explore(merchant, facts, barred, lambda _: merchant.multiple, score)
    return replace(move, memo={"barred": barred})


MERCHANT_SEASON: Final = Strategy(
    id="merchant-season@1",
    summary="lists what the daily report calls hot or rising, and keeps what sells",
    parameters=SeasonParameters,
    decide=decide,
    traits=("explorer", "seasonal"),
    markets=MERCHANT,
)
