"""The catalogue: products and suppliers woven from named tapes, apart from the economic seed.

Every column is drawn at full length by its own tape, so that the catalogue of n products is the
beginning of every larger one.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.jit import kernel, routine
from market.merchant.categories import CATEGORIES, NOUNS, STYLES
from market.merchant.figures import DOMAIN, RATES, RISKS
from market.tapes import stream

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

UNIFORM: Final = (
    *("supplier-new", "supplier-old", "supplier-age", "noun", "style", "elasticity", "ship", "logistics"),
    *("capacity", "restock", "restock-hour"),
)
NORMAL: Final = (
    *("supplier-quality", "supplier-rating", "supplier-return", "quality", "rating"),
    *("risk-cancel", "risk-return", "risk-refund", "risk-review", "rate-price", "rate-delist", "rate-delay"),
    *("cost", "demand"),
)


class Tapes(NamedTuple):
    """The tapes of a catalogue of n products, each of length n, and the ranges of risks and rates."""

    u: Reals  # (11, n) in the order of UNIFORM
    z: Reals  # (14, n) in the order of NORMAL
    risk: Reals  # (4, 2) lo, hi
    rate: Reals  # (3, 2) lo, hi
    category: Reals  # (10, 3) cost scale, elasticity mean and jitter


class Catalog(NamedTuple):
    """Products by number, suppliers by number (0 to the largest in `supplier`); money in fen, times in hours."""

    supplier: Ints  # (n,)
    supplier_rating: Reals  # (n,) by supplier; only the first entries are suppliers
    return_buyers: Reals  # (n,) by supplier
    age_years: Reals  # (n,) by supplier
    keyword: Ints  # (n,) 8 x category + noun
    style: Ints  # (n,)
    rating: Reals  # (n,)
    risk: Reals  # (4, n) cumulated: cancel, return, refund, review
    rate_log: Reals  # (3, n) log(1 - hourly rate) of price, delisting and delay events
    base: Ints  # (n,) base procurement price
    demand: Reals  # (n,) base demand a day
    elasticity: Reals  # (n,)
    ship: Ints  # (n,) base dispatch hours
    transit: Ints  # (n,)
    ceiling: Ints  # (n,) most stock
    delivery: Ints  # (n,) units a day
    delivery_hour: Ints  # (n,) hour of day


@kernel
def clipped(value: float, low: float, high: float) -> float:
    """Return the value within bounds."""
    return min(max(value, low), high)


@routine
def two_decimals(value: float) -> float:
    """Round to two decimals, halves up."""
    return math.floor(value * 100 + 0.5) / 100


@routine
def squashed(value: float) -> float:
    """Return g: between 0 and 1, falling in quality."""
    return 1 / (1 + math.exp(1.2 * value))


@kernel
def weave_suppliers(tapes: Tapes, catalog: Catalog) -> None:
    """Give every product its supplier, and every supplier its public signals."""
    u, z = tapes.u, tapes.z
    suppliers = 0
    for i in range(u.shape[1]):
        if i == 0 or u[0, i] < 0.37:
            catalog.supplier[i] = suppliers
            suppliers += 1
        else:
            catalog.supplier[i] = math.floor(u[1, i] * suppliers)
    for s in range(suppliers):
        rating = 4.3 + 0.3 * (0.8 * z[0, s] + 0.6 * z[1, s])
        catalog.supplier_rating[s] = two_decimals(clipped(rating, 3.5, 5.0))
        buyers = 0.17 + 0.06 * (0.6 * z[0, s] + 0.8 * z[2, s])
        catalog.return_buyers[s] = two_decimals(clipped(buyers, 0.05, 0.30))
        catalog.age_years[s] = two_decimals(0.25 + 9.75 * u[2, s])


@kernel
def weave_risks(tapes: Tapes, catalog: Catalog, i: int, latent: float, supplier: float) -> None:
    """Set risks from the product's latent quality, and event rates from its supplier's."""
    total = 0.0
    for k in range(4):
        low, high = tapes.risk[k, 0], tapes.risk[k, 1]
        total = total + (low + (high - low) * squashed(latent + 0.8 * tapes.z[5 + k, i]))
        catalog.risk[k, i] = total
    for k in range(3):
        low, high = tapes.rate[k, 0], tapes.rate[k, 1]
        rate = low * math.exp(math.log(high / low) * squashed(supplier + 0.8 * tapes.z[9 + k, i]))
        catalog.rate_log[k, i] = math.log(1 - rate)


@kernel
def weave(tapes: Tapes, catalog: Catalog) -> None:
    """Fill a catalogue from its tapes."""
    u, z = tapes.u, tapes.z
    weave_suppliers(tapes, catalog)
    for i in range(u.shape[1]):
        c = i % 10
        supplier = z[0, catalog.supplier[i]]
        latent = math.sqrt(0.5) * supplier + math.sqrt(0.5) * z[3, i]
        weave_risks(tapes, catalog, i, latent, supplier)
        catalog.keyword[i] = 8 * c + math.floor(8 * u[3, i])
        catalog.style[i] = math.floor(24 * u[4, i])
        rating = 4.3 + 0.3 * (0.8 * latent + 0.6 * z[4, i])
        catalog.rating[i] = two_decimals(clipped(rating, 3.5, 5.0))
        cost = math.floor(2200 * tapes.category[c, 0] * math.exp(0.9 * z[12, i]) + 0.5)
        catalog.base[i] = min(max(cost, 200), 60000)
        pull = -0.35 * math.log(catalog.base[i] / 2500) + 1.1 * z[13, i] - 0.605
        catalog.demand[i] = min(0.37 * math.exp(pull), 30.0)
        catalog.elasticity[i] = tapes.category[c, 1] + tapes.category[c, 2] * (2 * u[5, i] - 1)
        catalog.ship[i] = 1 + math.floor(47 * u[6, i])
        catalog.transit[i] = 12 + math.floor(61 * u[7, i])
        catalog.ceiling[i] = math.floor(3 * math.exp(math.log(20.0) * u[8, i]))
        catalog.delivery[i] = max(1, math.floor(catalog.ceiling[i] * (0.05 + 0.25 * u[9, i])))
        catalog.delivery_hour[i] = math.floor(24 * u[10, i])


def _tapes(seed: int, n: int) -> Tapes:
    return Tapes(
        u=np.array([stream(DOMAIN, seed, f"catalog/{name}").random(n) for name in UNIFORM]),
        z=np.array([stream(DOMAIN, seed, f"catalog/{name}").standard_normal(n) for name in NORMAL]),
        risk=np.array(list(RISKS.values())),
        rate=np.array(list(RATES.values())),
        category=np.array([(row.scale, row.elasticity, row.jitter) for row in CATEGORIES]),
    )


@lru_cache(maxsize=2)
def catalog_of(seed: int, n: int) -> Catalog:
    """Return the catalogue of a seed and size; read only, shared by the worlds of a process."""

    def ints() -> Ints:
        return np.zeros(n, dtype=np.int64)

    catalog = Catalog(
        supplier=ints(),
        supplier_rating=np.zeros(n),
        return_buyers=np.zeros(n),
        age_years=np.zeros(n),
        keyword=ints(),
        style=ints(),
        rating=np.zeros(n),
        risk=np.zeros((4, n)),
        rate_log=np.zeros((3, n)),
        base=ints(),
        demand=np.zeros(n),
        elasticity=np.zeros(n),
        ship=ints(),
        transit=ints(),
        ceiling=ints(),
        delivery=ints(),
        delivery_hour=ints(),
    )
    weave(_tapes(seed, n), catalog)
    return catalog


def product_id(i: int) -> str:
    """Return the id of a product by its number: P and five digits."""
    return f"P{i:05d}"


@lru_cache(maxsize=2)
def product_ids(n: int) -> list[str]:
    """Return the ids of the first n products."""
    return [product_id(i) for i in range(n)]


@lru_cache(maxsize=2)
def product_numbers(n: int) -> dict[str, int]:
    """Return the numbers of the first n products by id."""
    return {name: i for i, name in enumerate(product_ids(n))}


@lru_cache(maxsize=2)
def titles(seed: int, n: int) -> list[str]:
    """Return every product's title: style and noun."""
    catalog = catalog_of(seed, n)
    return [
        f"{STYLES[style]} {CATEGORIES[keyword // NOUNS].nouns[keyword % NOUNS].name}"
        for style, keyword in zip(catalog.style.tolist(), catalog.keyword.tolist(), strict=True)
    ]
