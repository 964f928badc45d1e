"""Demand by product and day, and the totals by keyword that reports and the market table are made of.

D[i, d] = demand[i] x shape[keyword, d] x growth[i, week]: kept as growth alone, a year of days by
product would take hundreds of megabytes.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from market.jit import kernel, routine
from market.merchant.catalog import Catalog, Reals
from market.merchant.categories import KEYWORDS
from market.merchant.figures import DOMAIN, MOST_INTENSITY
from market.merchant.season import WEEKS, YEAR, exposures, hour_weights, keyword_shapes
from market.tapes import stream

NOISE: Final = 0.5 * math.sqrt(1 - 0.9**2)


class Year(NamedTuple):
    """The exogenous demand of one world of n products."""

    growth: Reals  # (n, 53) exp(trend - .125) by week
    totals: Reals  # (80, 365) sum of D over the products of a keyword
    shape: Reals  # (80, 365)
    weight: Reals  # (10, 24)
    exposure: Reals  # (8761,)


@kernel
def grow(catalog: Catalog, year: Year) -> None:
    """Turn the normals in `growth` into growth, and sum every keyword's demand by day."""
    growth, totals, shape = year.growth, year.totals, year.shape
    for i in range(growth.shape[0]):
        k = catalog.keyword[i]
        trend = 0.0
        for v in range(growth.shape[1]):
            trend = 0.5 * growth[i, v] if v == 0 else 0.9 * trend + NOISE * growth[i, v]
            growth[i, v] = math.exp(trend - 0.125)
            for d in range(7 * v, min(7 * v + 7, shape.shape[1])):
                totals[k, d] += catalog.demand[i] * shape[k, d] * growth[i, v]


def year_of(catalog: Catalog, seed: int) -> Year:
    """Return the year of a world under one economic seed."""
    year = Year(
        growth=stream(DOMAIN, seed, "trend").standard_normal((len(catalog.base), WEEKS)),
        totals=np.zeros((KEYWORDS, YEAR)),
        shape=keyword_shapes(),
        weight=hour_weights(),
        exposure=exposures(),
    )
    grow(catalog, year)
    return year


@kernel
def daily_demand(catalog: Catalog, year: Year, i: int, d: int) -> float:
    """Return D of a product on a day: what one full-exposure store at p = b would sell."""
    return catalog.demand[i] * year.shape[catalog.keyword[i], d] * year.growth[i, d // 7]


@kernel
def intensity(demand: float, pull: float) -> float:
    """Return the capped mean of an hour's arrivals."""
    return min(demand * pull, MOST_INTENSITY)


@routine
def arrivals(mean: float, draw: float) -> int:
    """Return Poisson arrivals by inversion of one uniform draw."""
    if draw < 1 - mean:
        return 0
    p = math.exp(-mean)
    total = p
    n = 0
    while draw >= total and n < 400:
        n += 1
        p = p * mean / n
        total = total + p
    return n
