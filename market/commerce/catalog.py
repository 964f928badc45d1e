"""The catalogue: SKUs, supplier offers and permits, made from `catalog_seed` and the same for every economic seed."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.commerce.parameters import (
    CATEGORIES,
    COUNTRIES,
    DOMAIN,
    FREIGHT_RATE,
    HOME,
    OFFERS,
    SKUS,
    SKUS_IN_CATEGORY,
    SUPPLIERS,
)
from market.tapes import stream

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

COUNTRY_SHARES = (0.60, 0.62, 0.66, 0.68, 0.94, 1.0)


class Offers(NamedTuple):
    """Supplier offers by number: costs in cents, qualities in thousandths, leads in days."""

    sku: Ints
    supplier: Ints
    country: Ints
    cost: Ints
    moq: Ints
    stock: Ints
    quality: Ints
    advertised_quality: Ints
    lead: Ints
    advertised_lead: Ints


class Catalog(NamedTuple):
    """SKUs (cost in cents, popularity beta, base freight and guide price by country), offers, permits."""

    category: Ints
    cost: Ints
    popularity: Reals
    freight: Ints
    guide: Ints
    offers: Offers
    permit_needed: Ints
    permit_fee: Ints
    permit_days: Ints


def rounded(value: float) -> int:
    """floor(x + 0.5), the market's only rounding."""
    return math.floor(value + 0.5)


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def _uniform(seed: int, name: str, count: int) -> list[float]:
    drawn: list[float] = stream(DOMAIN, seed, f"catalog/{name}").random(count).tolist()
    return drawn


def _normal(seed: int, name: str, count: int) -> list[float]:
    drawn: list[float] = stream(DOMAIN, seed, f"catalog/{name}").standard_normal(count).tolist()
    return drawn


def _offers(seed: int, cost: list[int]) -> Offers:
    extra = OFFERS - SUPPLIERS
    sku = [j if j < SKUS else int(SKUS * u) for j, u in enumerate(_uniform(seed, "offer-sku", OFFERS))]
    supplier = [
        j if j < SUPPLIERS else int(SUPPLIERS * u)
        for j, u in enumerate(_uniform(seed, "offer-supplier", SUPPLIERS + extra))
    ]
    home = [
        next(k for k, share in enumerate(COUNTRY_SHARES) if u < share)
        for u in _uniform(seed, "offer-country", OFFERS)
    ]
    country = [home[n] for n in supplier]
    quality = [
        rounded(1000 * min(max(0.60 + 0.16 * z, 0.15), 0.98)) for z in _normal(seed, "offer-quality", OFFERS)
    ]
    price = [
        rounded(cost[s] * math.exp(0.35 * (q / 1000.0 - 0.6) + 0.16 * z))
        for s, q, z in zip(sku, quality, _normal(seed, "offer-cost", OFFERS), strict=True)
    ]
    lead = [
        2 + int(5 * u) + (2 if k != HOME else 0)
        for u, k in zip(_uniform(seed, "offer-lead", OFFERS), country, strict=True)
    ]
    cheap = [own < cost[s] for own, s in zip(price, sku, strict=True)]
    return Offers(
        sku=_ints(sku),
        supplier=_ints(supplier),
        country=_ints(country),
        cost=_ints(price),
        moq=_ints([5 + 5 * int(10 * u) for u in _uniform(seed, "offer-moq", OFFERS)]),
        stock=_ints(
            [rounded(150 * math.exp(math.log(20.0) * u)) for u in _uniform(seed, "offer-stock", OFFERS)]
        ),
        quality=_ints(quality),
        advertised_quality=_ints(_advertised_quality(seed, quality, cheap)),
        lead=_ints(lead),
        advertised_lead=_ints(_advertised_lead(seed, lead, cheap)),
    )


def _advertised_quality(seed: int, quality: list[int], cheap: list[bool]) -> list[int]:
    lies = _uniform(seed, "offer-lie-quality", OFFERS)
    sizes = _uniform(seed, "offer-lie-quality-size", OFFERS)
    return [
        min(q + rounded(100 + 250 * size), 990) if lie < (0.40 if low else 0.10) else min(q, 990)
        for q, low, lie, size in zip(quality, cheap, lies, sizes, strict=True)
    ]


def _advertised_lead(seed: int, lead: list[int], cheap: list[bool]) -> list[int]:
    lies = _uniform(seed, "offer-lie-lead", OFFERS)
    sizes = _uniform(seed, "offer-lie-lead-size", OFFERS)
    return [
        max(1, days - (1 + int(3 * size))) if lie < (0.35 if low else 0.10) else days
        for days, low, lie, size in zip(lead, cheap, lies, sizes, strict=True)
    ]


@lru_cache(maxsize=4)
def catalog(seed: int) -> Catalog:
    """Return the catalogue of a catalogue seed; arrays are read-only and shared."""
    countries = len(COUNTRIES)
    category = [s // SKUS_IN_CATEGORY for s in range(SKUS)]
    cost = [
        rounded(CATEGORIES[c].cost * math.exp(0.45 * z))
        for c, z in zip(category, _normal(seed, "cost", SKUS), strict=True)
    ]
    freight = [
        [rounded(rate * CATEGORIES[c].weight / 100.0 * (0.7 + 0.6 * u)) for rate in FREIGHT_RATE]
        for c, u in zip(category, _uniform(seed, "weight", SKUS), strict=True)
    ]
    width = _uniform(seed, "guide", SKUS * countries)
    guide = [
        [rounded((2.6 * cost[s] + freight[s][k]) * (0.9 + 0.2 * width[countries * s + k])) for k in range(6)]
        for s in range(SKUS)
    ]
    shape = (len(CATEGORIES), countries)
    cells = len(CATEGORIES) * countries
    needed = [
        1 if n % countries > 0 and u < 0.5 else 0 for n, u in enumerate(_uniform(seed, "permit", cells))
    ]
    made = Catalog(
        category=_ints(category),
        cost=_ints(cost),
        popularity=np.array([math.exp(0.5 * z - 0.125) for z in _normal(seed, "popularity", SKUS)]),
        freight=np.array(freight, dtype=np.int64),
        guide=np.array(guide, dtype=np.int64),
        offers=_offers(seed, cost),
        permit_needed=_ints(needed).reshape(shape),
        permit_fee=_ints([30_000 + 100 * int(900 * u) for u in _uniform(seed, "permit-fee", cells)]).reshape(
            shape
        ),
        permit_days=_ints([1 + int(3 * u) for u in _uniform(seed, "permit-days", cells)]).reshape(shape),
    )
    for array in (*made.offers, *(item for item in made if isinstance(item, np.ndarray))):
        array.flags.writeable = False
    return made
