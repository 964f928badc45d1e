"""A power planner: how many seeds and repeats show an effect of a given size.

From estimated variance components, at both ends of their intervals, because three seeds hardly fix a
variance: a plan that looks only at the point estimate promises what it can't know. Formulas are for the
t test on seed means; every answer is checked by simulating that very test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import optimize, special, stats

from externalities.components import Components
from externalities.inference import smallest_flip_p

End = Literal["low", "estimate", "high"]
ENDS: tuple[End, ...] = ("low", "estimate", "high")
MOST_SEEDS = 500
SIMULATIONS = 20_000
FAR_TAIL = 1e-18  # of the spread, left out of the integral
NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variances:
    """Variances in cents squared, of seeds and of repeats; without repeats all of it is the seed's."""

    seed: float
    repeat: float
    separable: bool

    def of_seed_mean(self, repeats: int) -> float:
        """Return the variance of a seed's mean over repeats: seed + repeat / R."""
        return self.seed + self.repeat / repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """An answer: seeds and repeats at one end of the variances; `seeds` is None where 500 are too few."""

    end: End
    variances: Variances
    repeats: int
    seeds: int | None
    power: float | None
    simulated: float | None
    simulated_error: float | None
    flips_can_reject: bool | None


def variances(found: Components, end: End) -> Variances | None:
    """Return the components at one end of their intervals, None where they are undefined.

    Source: Searle, Casella and McCulloch 1992.
    """
    if found.single.variance is None:
        return None
    if found.seed.variance is None or found.repeat.variance is None:
        single = _end(found.single.variance, found.single.low, found.single.high, end)
        return Variances(seed=single, repeat=0.0, separable=False)
    return Variances(
        seed=_end(found.seed.variance, found.seed.low, found.seed.high, end),
        repeat=_end(found.repeat.variance, found.repeat.low, found.repeat.high, end),
        separable=True,
    )


def _end(estimate: float, low: float | None, high: float | None, end: End) -> float:
    chosen = {"low": low, "estimate": estimate, "high": high}[end]
    return estimate if chosen is None else chosen


def t_power(effect: float, variance: float, seeds: int, alpha: float) -> float:
    """Return the power of the two-sided t test on `seeds` seed means of this variance.

    With delta = effect / sqrt(variance / G) and c the critical t of G - 1 degrees of freedom, the power is
    the mean of Phi(delta - c s) + Phi(-delta - c s) over s = sqrt(chi2(G - 1) / (G - 1)): the noncentral t
    (Cohen 1988, section 2.2) by its definition. Library forms of the noncentral t and F return NaN at some
    arguments, which a search for the fewest seeds would step over.
    """
    if variance <= 0:
        return 1.0 if effect else alpha
    degrees = seeds - 1
    critical = -float(special.stdtrit(degrees, alpha / 2))
    delta = abs(effect) / (variance / seeds) ** 0.5
    widest = float(special.chdtri(degrees, FAR_TAIL) / degrees) ** 0.5
    bend = 6 / (2 * degrees) ** 0.5  # the spread's density lies within this of one
    turns = [(delta - 8) / critical, delta / critical, (delta + 8) / critical, 1 - bend, 1.0, 1 + bend]
    ends = np.unique(np.clip([0.0, *turns, widest], 0.0, widest))
    half = np.diff(ends)[:, None] / 2
    spread = ends[:-1, None] + half * (1 + NODES)
    log_density = (degrees - 1) * np.log(spread) - degrees * spread**2 / 2
    log_scale = degrees / 2 * np.log(degrees / 2) + np.log(2) - special.gammaln(degrees / 2)
    reach = critical * spread
    rejected = special.ndtr(delta - reach) + special.ndtr(-delta - reach)
    return min(float((half * WEIGHTS * np.exp(log_density + log_scale) * rejected).sum()), 1.0)


def seeds_needed(effect: float, variance: float, alpha: float, power: float) -> int | None:
    """Return the fewest seeds (from 2 to 500) whose t test has the power, None where they do not suffice.

    Source: Cohen 1988.
    """
    if t_power(effect, variance, MOST_SEEDS, alpha) < power:
        return None
    low, high = 1, MOST_SEEDS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if t_power(effect, variance, middle, alpha) >= power else (middle, high)
    return high


def detectable(variance: float, seeds: int, alpha: float, power: float) -> float | None:
    """Return the least effect in cents that `seeds` seed means show with the power; None below two seeds.

    Source: Bloom 1995.
    """
    if seeds < 2:
        return None
    if variance <= 0 or power <= alpha:
        return 0.0
    scale = (variance / seeds) ** 0.5
    upper = scale * 4 * (stats.t.isf(alpha / 2, seeds - 1) + stats.t.isf(1 - power, seeds - 1) + 1)
    return float(optimize.brentq(lambda effect: t_power(effect, variance, seeds, alpha) - power, 0.0, upper))


def simulated_power(
    effect: float,
    parts: Variances,
    seeds: int,
    repeats: int,
    alpha: float,
    generator: np.random.Generator,
    simulations: int = SIMULATIONS,
) -> tuple[float, float]:
    """Return the share of simulated studies whose t interval excludes zero, and its Monte Carlo error.

    Every simulated study draws seeds and, within them, repeats, and averages them as the tables do.

    Source: Morris, White and Crowther 2019.
    """
    between = generator.normal(0, parts.seed**0.5, size=(simulations, seeds))
    within = generator.normal(0, parts.repeat**0.5, size=(simulations, seeds, repeats)).mean(axis=2)
    means = effect + between + within
    statistic = means.mean(axis=1) / (means.std(axis=1, ddof=1) / seeds**0.5)
    share = float((np.abs(statistic) > stats.t.isf(alpha / 2, seeds - 1)).mean())
    return share, (share * (1 - share) / simulations) ** 0.5


def plan(
    found: Components,
    effect: float,
    *,
    alpha: float,
    power: float,
    repeats: Sequence[int],
    generator: np.random.Generator,
) -> list[Design]:
    """Return, at each end of the variances and for each number of repeats, the seeds that are needed.

    Without separable components only one repeat is answered: what repeats would do cannot be known.

    Source: Cohen 1988.
    """
    designs: list[Design] = []
    for end in ENDS:
        parts = variances(found, end)
        if parts is None:
            continue
        for count in repeats if parts.separable else [1]:
            designs.append(_design(parts, end, count, effect, alpha, power, generator))
    return designs


def _design(
    parts: Variances,
    end: End,
    repeats: int,
    effect: float,
    alpha: float,
    power: float,
    generator: np.random.Generator,
) -> Design:
    variance = parts.of_seed_mean(repeats)
    seeds = seeds_needed(effect, variance, alpha, power)
    if seeds is None:
        return Design(
            end=end,
            variances=parts,
            repeats=repeats,
            seeds=None,
            power=None,
            simulated=None,
            simulated_error=None,
            flips_can_reject=None,
        )
    simulations = max(min(SIMULATIONS, 20_000_000 // (seeds * repeats)), 2_000)
    share, error = simulated_power(effect, parts, seeds, repeats, alpha, generator, simulations)
    return Design(
        end=end,
        variances=parts,
        repeats=repeats,
        seeds=seeds,
        power=t_power(effect, variance, seeds, alpha),
        simulated=share,
        simulated_error=error,
        flips_can_reject=smallest_flip_p(seeds) <= alpha,
    )
