"""What no decision moves: demand, public indices, signals, rates, supplier prices, inquiries, drawn before day 0."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from market.commerce.catalog import Catalog, Ints, Reals, rounded
from market.commerce.cells import key_of
from market.commerce.parameters import (
    APPROACHING,
    CATEGORIES,
    CODES,
    COUNTRIES,
    DAYS,
    DEMAND_SIGNALS,
    DOMAIN,
    DORMANT,
    ENDING,
    FESTIVALS,
    INQUIRY_TRIES,
    KINDS,
    MILLION,
    OFFERS,
    PEAK,
    ROWS,
    SIGNALS,
    SKUS,
    SKUS_IN_CATEGORY,
    SUPPLY_DELAY,
)
from market.tapes import stream

RATE_ROWS = 34
LEVELS = (2.2, 1.0, 1.0, 0.4, 0.4, 0.4)
DOLLAR = COUNTRIES.index("US")
CELL_NAMES = ("arrival", "quantity", "choice", "refund")


class Signal(NamedTuple):
    """A public announcement; `genuine` and `size` stay hidden. `end` is the first day without effect."""

    number: int
    kind: str
    announced: int
    category: int
    country: int
    genuine: bool
    size: float
    onset: int
    end: int


class Inquiry(NamedTuple):
    """A business buyer's request; `willing` (r) stays hidden."""

    number: int
    day: int
    sku: int
    country: int
    units: int
    message: int
    willing: float


class Exogenous(NamedTuple):
    """Arrays have a row a day, from 0 to the day after the last; `delay` is by supplier country."""

    demand: Reals
    phase: Ints
    trend: Ints
    interest: Ints
    duty: Ints
    freight: Ints
    currency: Ints
    wholesale: Ints
    delay: Ints
    keys: np.ndarray
    signals: tuple[Signal, ...]
    inquiries: tuple[Inquiry, ...]


def appeal(seed: int) -> list[list[float]]:
    """Return the hidden demand level A by category and country: one strong country, two middling, three weak."""
    noise = stream(DOMAIN, seed, "appeal").standard_normal((15, 6)).tolist()
    order = stream(DOMAIN, seed, "appeal-order").random((15, 6)).tolist()
    levels = [[0.0] * 6 for _ in CATEGORIES]
    for c in range(len(CATEGORIES)):
        ranked = sorted(range(6), key=lambda k: (order[c][k], k))
        for level, k in zip(LEVELS, ranked, strict=True):
            levels[c][k] = level * math.exp(0.15 * noise[c][k])
    return levels


def festival_effects() -> tuple[Reals, Ints]:
    """Return the factor on demand and the phase number by day, category and country."""
    factor = np.ones((ROWS, 15, 6))
    phase = np.full((ROWS, 15, 6), DORMANT, dtype=np.int64)
    rank = {PEAK: 0, APPROACHING: 1, ENDING: 2, DORMANT: 3}
    for festival in FESTIVALS:
        h, p = festival.factor, festival.peak
        early = 1 + 0.4 * (h - 1)
        days = ((p - 2, early, APPROACHING), (p - 1, early, APPROACHING), (p, h, PEAK), (p + 1, h, PEAK))
        for d, effect, name in (*days, (p + 2, 0.9, ENDING)):
            for c in (CODES.index(code) for code in festival.categories):
                for k in (COUNTRIES.index(code) for code in festival.countries):
                    factor[d, c, k] = min(factor[d, c, k] * effect, 2.2)
                    if rank[name] < rank[int(phase[d, c, k])]:
                        phase[d, c, k] = name
    return factor, phase


def _signals(seed: int) -> tuple[Signal, ...]:
    signals = []
    for i, x in enumerate(stream(DOMAIN, seed, "signal").random((SIGNALS, 6)).tolist()):
        announced = 1 + int(24 * x[0])
        kind = "demand" if i < DEMAND_SIGNALS else KINDS[1 + i % 3]
        signals.append(
            Signal(
                number=i,
                kind=kind,
                announced=announced,
                category=int(15 * x[1]),
                country=int(6 * x[2]),
                genuine=x[3] < 0.6,
                size=x[4],
                onset=announced + 2,
                end=announced + 8 + int(4 * x[5]),
            )
        )
    return tuple(signals)


def _demand(seed: int, signals: tuple[Signal, ...]) -> tuple[Reals, Ints]:
    factor, phase = festival_effects()
    demand = np.array(appeal(seed)) * factor
    for signal in (item for item in signals if item.kind == "demand"):
        first = signal.onset if signal.genuine else signal.announced + 1
        effect = 2.5 + 1.5 * signal.size if signal.genuine else 0.85
        demand[first : signal.end, signal.category, signal.country] *= effect
    return demand, phase


class _Frictions(NamedTuple):
    duty: Ints
    freight: Reals
    supply: Reals
    delay: Ints


def _frictions(signals: tuple[Signal, ...]) -> _Frictions:
    """Return duty and the factors that genuine incidents put on freight and on suppliers."""
    table = np.array([category.duty for category in CATEGORIES], dtype=np.int64)
    duty = np.repeat(table[None], ROWS, axis=0)
    freight, supply = np.ones((ROWS, 6)), np.ones((ROWS, 6))
    delay = np.zeros((ROWS, 6), dtype=np.int64)
    for signal in (item for item in signals if item.genuine):
        days, k = slice(signal.onset, signal.end), signal.country
        if signal.kind == "tariff":
            duty[days, signal.category, k] += 150 + int(200 * signal.size)
        elif signal.kind == "freight":
            freight[days, k] *= 1.5 + signal.size
        elif signal.kind == "supply":
            supply[days, k] *= 1.2 + 0.3 * signal.size
            delay[days, k] += SUPPLY_DELAY
    return _Frictions(duty, freight, supply, delay)


def _currency(seed: int) -> Ints:
    noise = stream(DOMAIN, seed, "currency").standard_normal((RATE_ROWS - 1, 6)).tolist()
    rates = [[MILLION] * 6]
    logs = [0.0] * 6
    for row in noise:
        logs = [s + 0.005 * z for s, z in zip(logs, row, strict=True)]
        rates.append([rounded(MILLION * math.exp(s)) if k != DOLLAR else MILLION for k, s in enumerate(logs)])
    return np.array(rates, dtype=np.int64)


def _wholesale(seed: int, catalog: Catalog, phase: Ints, supply: Reals) -> Ints:
    macro = stream(DOMAIN, seed, "macro").standard_normal(ROWS).tolist()
    own = stream(DOMAIN, seed, "wholesale").standard_normal(OFFERS).tolist()
    offers = catalog.offers
    rush = (phase == APPROACHING).any(axis=2).tolist()
    rows, m = [], 0.0
    terms = list(
        zip(
            offers.cost.tolist(),
            own,
            (offers.sku // SKUS_IN_CATEGORY).tolist(),
            offers.country.tolist(),
            strict=True,
        )
    )
    for d in range(ROWS):
        m = m + 0.006 * macro[d]
        factor, rushed = supply[d].tolist(), rush[d]
        rows.append(
            [
                rounded(cost * math.exp(m + 0.04 * z) * (1.06 if rushed[c] else 1.0) * factor[k])
                for cost, z, c, k in terms
            ]
        )
    return np.array(rows, dtype=np.int64)


def _inquiries(seed: int, demand: Reals) -> tuple[Inquiry, ...]:
    tape = stream(DOMAIN, seed, "inquiry").random((DAYS, INQUIRY_TRIES, 6)).tolist()
    found: list[Inquiry] = []
    for d, row in enumerate(tape):
        for x in row:
            s, k = int(SKUS * x[0]), int(6 * x[1])
            if x[2] < 0.35 * float(demand[d, s // SKUS_IN_CATEGORY, k]):
                units, message = 20 + int(60 * x[3]), int(12 * x[4])
                found.append(Inquiry(len(found), d, s, k, units, message, 0.75 + 0.4 * x[5]))
    return tuple(found)


def draw(catalog: Catalog, seed: int) -> Exogenous:
    """Return every exogenous path of an economic seed."""
    signals = _signals(seed)
    demand, phase = _demand(seed, signals)
    frictions = _frictions(signals)
    noise = stream(DOMAIN, seed, "trend").standard_normal((ROWS, 15, 6))
    beta = catalog.popularity.tolist()
    interest = stream(DOMAIN, seed, "interest").standard_normal(SKUS).tolist()
    spread = np.array([math.exp(0.25 * z) for z in noise.ravel().tolist()]).reshape(noise.shape)
    freight = np.floor(catalog.freight[None] * frictions.freight[:, None, :] + 0.5).astype(np.int64)
    return Exogenous(
        demand=demand,
        phase=phase,
        trend=np.floor(50 * demand * spread + 0.5).astype(np.int64),
        interest=np.array(
            [rounded(100 * b * math.exp(0.25 * z)) for b, z in zip(beta, interest, strict=True)],
            dtype=np.int64,
        ),
        duty=frictions.duty,
        freight=freight,
        currency=_currency(seed),
        wholesale=_wholesale(seed, catalog, phase, frictions.supply),
        delay=frictions.delay,
        keys=np.array([key_of(seed, name) for name in CELL_NAMES], dtype=np.uint64),
        signals=signals,
        inquiries=_inquiries(seed, demand),
    )
