"""Intervals and error control for many effects measured on a few seeds.

Seeds are the clusters: repeats of a seed share its economy and are averaged before anything else.
Every function takes an array of seed means of shape (clusters, effects), NaN where a seed is missing.
Few clusters decide what can be said at all (Cameron and Miller 2015, section VI): below six of them a
percentile bootstrap is little more than the range and sign flips cannot reach five per cent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]

FEWEST_CLUSTERS = 6
EXACT_FLIPS_UP_TO = 14
SAMPLED_FLIPS = 10_000
TIE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedMeans:
    """Means over clusters of each effect: all arrays have shape (effects,); NaN is undefined."""

    clusters: NDArray[np.int64]
    mean: Array
    sd: Array
    se: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Interval ends, each of shape (effects,)."""

    low: Array
    high: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipTest:
    """p-values of joint sign flips: raw, max-T adjusted, and whether all flips were enumerated."""

    raw: Array
    adjusted: Array
    flips: int
    exact: bool


def seed_means(x: Array) -> SeedMeans:
    """Return mean, sample SD (n - 1) and SE over clusters; SD and SE are NaN from one cluster.

    se = sd / sqrt(G) on cluster means (Cameron and Miller 2015, section II).
    """
    present = ~np.isnan(x)
    clusters = present.sum(axis=0)
    filled = np.where(present, x, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = filled.sum(axis=0) / clusters
        deviations = np.where(present, x - mean, 0.0)
        sd = np.sqrt((deviations**2).sum(axis=0) / np.where(clusters > 1, clusters - 1, np.nan))
        return SeedMeans(clusters=clusters, mean=mean, sd=sd, se=sd / np.sqrt(clusters))


def t_interval(means: SeedMeans, level: float) -> Limits:
    """Return mean +- t(G - 1) se, the small-cluster interval (Cameron and Miller 2015, section VI.D)."""
    quantile = _t_quantile(means.clusters, 0.5 + level / 2)
    return Limits(low=means.mean - quantile * means.se, high=means.mean + quantile * means.se)


def t_p(means: SeedMeans) -> Array:
    """Return the two-sided p of mean / se against t(G - 1); an effect without spread has none.

    Source: Student 1908.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(means.se > 0, np.abs(means.mean) / means.se, np.nan)
    p: Array = 2 * stats.t.sf(statistic, np.maximum(means.clusters - 1, 1))
    return p


def _t_quantile(clusters: NDArray[np.int64], probability: float) -> Array:
    degrees = np.where(clusters > 1, clusters - 1.0, np.nan)
    quantile: Array = np.asarray(stats.t.ppf(probability, degrees), dtype=np.float64)
    return quantile


def bootstrap_means(x: Array, draws: int, generator: np.random.Generator) -> Array:
    """Return means of cluster resamples, shape (draws, effects): whole seeds, the same for all effects.

    One matrix of multiplicities serves every effect (Efron and Tibshirani 1993, chapter 13).
    """
    clusters = x.shape[0]
    picks = generator.integers(0, clusters, size=(draws, clusters))
    weights = np.zeros((draws, clusters))
    np.add.at(weights, (np.arange(draws)[:, None], picks), 1.0)
    present = ~np.isnan(x)
    totals: Array = weights @ np.where(present, x, 0.0)
    if present.all():
        return totals / float(clusters)
    counts = weights @ present.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Array = totals / np.where(counts > 0, counts, np.nan)
    return means


def percentile_interval(resampled: Array, level: float) -> Limits:
    """Return the percentile interval of resampled means (Efron and Tibshirani 1993, chapter 13)."""
    tail = (1 - level) / 2
    low, high = np.nanquantile(resampled, [tail, 1 - tail], axis=0)
    return Limits(low=low, high=high)


def bca_interval(x: Array, resampled: Array, level: float) -> Limits:
    """Return the bias-corrected accelerated interval, acceleration from leaving one cluster out.

    a = sum d^3 / (6 (sum d^2)^1.5), d = mean - leave-one-out mean (Efron 1987, equation 6.6). Where all
    resamples lie on one side of the estimate the correction has no value and the ends are NaN.
    """
    means = seed_means(x).mean
    below = (resampled < means).mean(axis=0) + 0.5 * (resampled == means).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = stats.norm.ppf(np.where((below > 0) & (below < 1), below, np.nan))
        influence = np.where(np.isnan(x), 0.0, x - means)
        spread = (influence**2).sum(axis=0)
        acceleration = np.where(spread > 0, (influence**3).sum(axis=0) / (6 * spread**1.5), np.nan)
    ends = []
    for probability in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + stats.norm.ppf(probability)
        adjusted = stats.norm.cdf(bias + shifted / (1 - acceleration * shifted))
        ends.append(_column_quantiles(resampled, adjusted))
    return Limits(low=ends[0], high=ends[1])


def _column_quantiles(values: Array, probabilities: Array) -> Array:
    """Return for each column the quantile of its own probability, NaN where that is NaN."""
    ordered = np.sort(values, axis=0)
    usable = (~np.isnan(values)).sum(axis=0)
    place = np.nan_to_num(probabilities) * (usable - 1)
    lower = np.floor(place).astype(int)
    upper = np.minimum(lower + 1, np.maximum(usable - 1, 0))
    columns = np.arange(values.shape[1])
    between = ordered[lower, columns] + (place - lower) * (ordered[upper, columns] - ordered[lower, columns])
    return np.where(np.isnan(probabilities), np.nan, between)


def sign_flip(x: Array, generator: np.random.Generator) -> FlipTest:
    """Return joint sign-flip p-values, raw and max-T adjusted (Westfall and Young 1993, section 2.5).

    The statistic is |sum x| / sqrt(sum x^2), a monotone form of |t|; each flip is drawn once for all
    effects, which keeps their dependence. It needs symmetry of each seed's vector about zero under the
    null. Flips come in pairs of equal value, so half of all are enumerated; above 2^14 they are sampled
    with the identity among them (Phipson and Smyth 2010).
    """
    clusters = x.shape[0]
    exact = clusters <= EXACT_FLIPS_UP_TO
    signs = _all_signs(clusters) if exact else _some_signs(clusters, generator)
    filled = np.nan_to_num(x)
    size = np.sqrt((filled**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(size > 0, np.abs(signs @ filled) / size, 0.0)
    observed = statistics[0] - TIE
    raw = (statistics >= observed).mean(axis=0)
    highest = np.sort(statistics.max(axis=1))
    adjusted = 1 - np.searchsorted(highest, observed, side="left") / len(highest)
    undefined = np.isnan(x).all(axis=0)
    return FlipTest(
        raw=np.where(undefined, np.nan, raw),
        adjusted=np.where(undefined, np.nan, adjusted),
        flips=len(signs) * 2 if exact else len(signs),
        exact=exact,
    )


def _all_signs(clusters: int) -> Array:
    """Return one of each pair of opposite sign vectors, the identity first: shape (2^(G-1), G)."""
    rest = np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters - 1)[None, :] & 1
    signs: Array = np.ones((len(rest), clusters), dtype=np.float64)
    signs[:, 1:] -= 2.0 * rest
    return signs


def _some_signs(clusters: int, generator: np.random.Generator) -> Array:
    signs: Array = 1.0 - 2.0 * generator.integers(0, 2, size=(SAMPLED_FLIPS, clusters)).astype(np.float64)
    signs[0] = 1.0
    return signs


def smallest_flip_p(clusters: int) -> float:
    """Return the smallest p that sign flips of this many clusters can give: 2 / 2^G, raw or max-T.

    The adjusted value has the same floor: an effect of equal seed means reaches the greatest statistic there
    is, sqrt(G), under the identity and its opposite alone, and effects of unequal ones never reach it.

    Source: Phipson and Smyth 2010.
    """
    exact = 2.0 ** (1 - clusters)
    return exact if clusters <= EXACT_FLIPS_UP_TO else max(exact, 1 / SAMPLED_FLIPS)


def benjamini_hochberg(p: Array) -> Array:
    """Return step-up adjusted p (Benjamini and Hochberg 1995); NaN stays out of the family."""
    return _adjusted(p, "bh")


def benjamini_yekutieli(p: Array) -> Array:
    """Return step-up adjusted p under any dependence (Benjamini and Yekutieli 2001)."""
    return _adjusted(p, "by")


def _adjusted(p: Array, method: Literal["bh", "by"]) -> Array:
    result = np.full_like(p, np.nan)
    defined = ~np.isnan(p)
    if defined.any():
        result[defined] = stats.false_discovery_control(p[defined], method=method)
    return result
