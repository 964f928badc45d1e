"""Everything that happens whatever the firms do: macro index, phases, arrivals, tenders, luck.

All of it is drawn before day 1 from named streams, so it depends on the scenario and the seed alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.ceo_arena.parameters import Parameters
from market.tapes import stream, tie_key

DOMAIN = "ceo-arena-v1"
PROJECTS = 64
REPORTS = 256

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


class Tenders(NamedTuple):
    """One entry a tender, in order of opening; days count from 1, products from 0.

    `tie[k, i]` orders seat i (from 0) among equal bids for tender k: the smallest wins.
    """

    opens: Ints
    closes: Ints
    due: Ints
    product: Ints
    quantity: Ints
    reservation: Ints
    minimum_quality: Reals
    tie: Ints


class Exogenous(NamedTuple):
    """Paths by day (index t - 1 belongs to day t) and draws by seat.

    Shapes: macro, signal (T,); phase (T,) from 0; rate, arrivals (T, 3); choice (T, 3, 2);
    project_days, project_gain (N, 64, 3) by seat, project and tier; report_noise (N, 256, 4). `order` (N,)
    is the order in which firms are processed: the contract's is by seat; a permuted one shows symmetry.
    """

    macro: Reals
    phase: Ints
    rate: Reals
    arrivals: Ints
    choice: Reals
    signal: Reals
    project_days: Ints
    project_gain: Reals
    report_noise: Reals
    order: Ints
    tenders: Tenders


def half_up(value: float) -> int:
    """Round half up: floor(value + 0.5)."""
    return math.floor(value + 0.5)


def macro_path(parameters: Parameters, seed: int) -> Reals:
    """Return m_t: m_1 = s e_1, m_t = r m_(t-1) + s e_t."""
    shocks = stream(DOMAIN, seed, "macro").standard_normal(parameters.days)
    path = np.empty(parameters.days)
    level = 0.0
    for day, shock in enumerate(shocks):
        level = parameters.macro_retention * level + parameters.macro_spread * shock
        path[day] = level
    return path


def phase_path(parameters: Parameters, seed: int) -> Ints:
    """Return the phase of each day: balanced on day 1, then staying or moving by the day's draw."""
    draws = stream(DOMAIN, seed, "phase").random(parameters.days)
    path = np.zeros(parameters.days, dtype=np.int64)
    stay = parameters.phase_stay
    # The contract writes 180 for 3 / (1 - 59/60), which doubles would miss by an ulp.
    width = half_up(3 / (1 - stay)) if stay < 1 else 0
    phase = 0
    for day in range(1, parameters.days):
        if draws[day] >= stay:
            others = [other for other in range(4) if other != phase]
            phase = others[min(2, math.floor((draws[day] - stay) * width))]
        path[day] = phase
    return path


def arrival_rates(parameters: Parameters, macro: Reals, phase: Ints) -> Reals:
    """Return lambda by day and segment, in customers a day."""
    days = np.arange(1, parameters.days + 1, dtype=np.float64)
    rates = np.empty((parameters.days, 3))
    mix = np.array(parameters.segment_mix) * np.array(parameters.phase_mix)[phase]
    share = mix / (mix[:, 0] + mix[:, 1] + mix[:, 2])[:, None]
    for segment in range(3):
        season = np.ones(parameters.days)
        for number, period in enumerate(parameters.season_period):
            amplitude = parameters.season_amplitude[segment][number]
            shift = parameters.season_shift[segment][number]
            season = season + amplitude * np.sin(2 * np.pi * (days + shift) / period)
        rates[:, segment] = parameters.arrivals * share[:, segment] * np.exp(macro) * season
    return np.maximum(rates, 0.0)


def tender_calendar(parameters: Parameters, seed: int, seats: int) -> Tenders:
    """Return all tenders of a world; none opens whose closing leaves no delivery day."""
    last = parameters.days - parameters.tender_open_days
    opens = list(range(1, last + 1, parameters.tender_every))
    draws = stream(DOMAIN, seed, "tender")
    rows: list[tuple[int, int, int, float]] = []
    for _ in opens:
        product = int(draws.integers(3))
        quantity = half_up(parameters.arrivals * draws.uniform(*parameters.tender_size))
        quality = parameters.base_quality[product] + draws.uniform(*parameters.tender_quality)
        ceiling = half_up(parameters.tender_price_factor * parameters.list_price[product])
        rows.append((product, quantity, max(parameters.cost[product] + 1, ceiling), quality))
    tie = np.zeros((len(opens), seats), dtype=np.int64)
    for number in range(len(opens)):
        keys = [tie_key(DOMAIN, seed, f"tender-tie/{number}/{seat}") for seat in range(seats)]
        for rank, seat in enumerate(sorted(range(seats), key=keys.__getitem__)):
            tie[number, seat] = rank
    start = np.array(opens, dtype=np.int64)
    closes = start + parameters.tender_open_days - 1
    return Tenders(
        opens=start,
        closes=closes,
        due=np.minimum(closes + parameters.tender_delivery_days, parameters.days),
        product=np.array([row[0] for row in rows], dtype=np.int64),
        quantity=np.array([row[1] for row in rows], dtype=np.int64),
        reservation=np.array([row[2] for row in rows], dtype=np.int64),
        minimum_quality=np.array([row[3] for row in rows], dtype=np.float64),
        tie=tie,
    )


def project_draws(parameters: Parameters, seed: int, seats: int) -> tuple[Ints, Reals]:
    """Return duration in days and knowledge gain in dollars by seat, project number and tier."""
    days = np.empty((seats, PROJECTS, 3), dtype=np.int64)
    gain = np.empty((seats, PROJECTS, 3))
    spread = parameters.innovation_gain_spread
    for seat in range(seats):
        normal = stream(DOMAIN, seed, f"innovation/{seat}").standard_normal((PROJECTS, 2))
        stretch = np.exp(parameters.innovation_days_spread * normal[:, 0])
        factor = np.exp(spread * normal[:, 1] - spread * spread / 2)
        for tier in range(3):
            length = np.floor(parameters.innovation_days[tier] * stretch + 0.5)
            days[seat, :, tier] = np.maximum(1, length).astype(np.int64)
            gain[seat, :, tier] = parameters.innovation_gain[tier] * factor
    return days, gain


def draw(parameters: Parameters, seed: int, seats: int) -> Exogenous:
    """Return every exogenous path of one world."""
    macro = macro_path(parameters, seed)
    phase = phase_path(parameters, seed)
    rate = arrival_rates(parameters, macro, phase)
    total = rate[:, 0] + rate[:, 1] + rate[:, 2]
    noise = stream(DOMAIN, seed, "signal").standard_normal(parameters.days)
    days, gain = project_draws(parameters, seed, seats)
    reports = [
        stream(DOMAIN, seed, f"research/{seat}").standard_normal((REPORTS, 4)) for seat in range(seats)
    ]
    return Exogenous(
        macro=macro,
        phase=phase,
        rate=rate,
        arrivals=stream(DOMAIN, seed, "arrivals").poisson(rate).astype(np.int64),
        choice=stream(DOMAIN, seed, "choice").random((parameters.days, 3, 2)),
        signal=100.0 * total / parameters.arrivals * np.exp(parameters.signal_spread * noise),
        project_days=days,
        project_gain=gain,
        report_noise=np.stack(reports),
        order=np.arange(seats, dtype=np.int64),
        tenders=tender_calendar(parameters, seed, seats),
    )
