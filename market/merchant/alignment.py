"""Portfolio alignment: how much wanted what a store lists is, for reports alone.

Demand is latent, so no desk shows it. After Figure 6 of the MerchantBench paper: by month, the mean
over listed product-hours of the product's percentile of demand that day among available products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from market.merchant.parameters import WINDOWS_A_DAY
from market.merchant.season import month_of

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld


def percentiles(demand: NDArray[np.float64], available: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return each product's percentile among the available ones: the share of them with less demand, 0 to 100.

    One whose demand is the largest has 100; `demand` and `available` are by product.
    """
    ranked = np.sort(demand[available])
    below = np.searchsorted(ranked, demand, side="left")
    return 100.0 * below / max(len(ranked) - 1, 1)


def alignment(world: MerchantWorld) -> dict[str, NDArray[Any]]:
    """Return a row a month (of the calendar, from the first) and seat with listings: mean percentile."""
    played = -(-world.window // WINDOWS_A_DAY)
    months = [month_of(day) for day in range(played)]
    count = months[-1] + 1 if months else 0
    sums = np.zeros((count, world.seats))
    weights = np.zeros((count, world.seats), dtype=np.int64)
    catalog, year = world.catalog, world.year
    n = len(catalog.base)
    for day, month in enumerate(months):
        demand = catalog.demand * year.shape[catalog.keyword, day] * year.growth[:, day // 7]
        available = np.unpackbits(world.open_days[day], count=n).astype(bool)
        ranks = percentiles(demand, available)
        for offers in world.offers[WINDOWS_A_DAY * day : WINDOWS_A_DAY * day + WINDOWS_A_DAY]:
            np.add.at(sums[month], offers[:, 1], np.minimum(ranks[offers[:, 0]], 100.0))
            np.add.at(weights[month], offers[:, 1], 1)
    month_number, seat = weights.nonzero()
    return {
        "month": month_number + 1,
        "seat": seat + 1,
        "alignment": sums[month_number, seat] / weights[month_number, seat],
        "listed_hours": 12 * weights[month_number, seat],
    }
