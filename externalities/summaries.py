"""private_summary.csv, directed_summary.csv and market_summary.csv: every effect pooled over seeds.

Each effect carries its interval, its p-values and what the design allows them to be: with few seeds a
sign-flip test cannot reject whatever the data say, and the table says so instead of "not significant".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from externalities.bounds import Bounds
from externalities.effects import Sample, cluster_table
from externalities.inference import (
    FEWEST_CLUSTERS,
    Array,
    Limits,
    SeedMeans,
    bca_interval,
    benjamini_hochberg,
    benjamini_yekutieli,
    bootstrap_means,
    percentile_interval,
    seed_means,
    sign_flip,
    smallest_flip_p,
    t_interval,
    t_p,
)
from externalities.rows import Row, TableSpec, optional

CANNOT = "cannot reject by design"
VERDICTS = ("rejected", "not rejected", CANNOT)


class Estimate(Row):
    """An effect pooled over seeds with equal weights."""

    observations: int = Field(description="matched pairs that are there")
    planned: int = Field(description="matched pairs that the plan holds")
    clusters: int = Field(description="seeds with an observation: the clusters, G")
    mean_cents: float | None = Field(description="mean of seed means, repeats averaged within a seed first")
    sd_cents: float | None = Field(description="sample SD (n - 1) of seed means")
    positive_seeds: int = Field(description="seeds whose mean is above zero")
    negative_seeds: int = Field(description="seeds whose mean is below zero")
    se_cents: float | None = Field(description="sd / sqrt(G); empty from one cluster")
    ci_level: float = Field(description="confidence level of all intervals")
    t_low_cents: float | None = Field(description="t(G - 1) interval on seed means, lower end")
    t_high_cents: float | None = Field(description="the same, upper end")
    percentile_low_cents: float | None = Field(description="cluster bootstrap, percentile, lower end")
    percentile_high_cents: float | None = Field(description="the same, upper end")
    bca_low_cents: float | None = Field(
        description="cluster bootstrap, bias-corrected accelerated, lower end"
    )
    bca_high_cents: float | None = Field(description="the same, upper end")
    bootstrap: str = Field(description="number of resamples, or why there is no bootstrap")
    p_t: float | None = Field(description="two-sided p of mean / se against t(G - 1)")
    p_flip: float | None = Field(
        description="two-sided sign-flip p (needs symmetry about zero), from 6 clusters on"
    )
    p_max_t: float | None = Field(
        description="the same, adjusted for all effects of the table by joint flips and max-T"
    )
    p_smallest: float | None = Field(
        description="smallest sign-flip p that this many clusters can give, raw or adjusted by max-T"
    )
    p_bh: float | None = Field(
        description="Benjamini-Hochberg over the table: of p_flip from 6 clusters on, of p_t below"
    )
    p_by: float | None = Field(description="Benjamini-Yekutieli over the same, valid under any dependence")
    verdict: str = Field(
        description=f"by max-T at 1 - ci_level: `rejected`, `not rejected`, `{CANNOT}` or empty"
    )
    bound_low_cents: float | None = Field(
        description="least mean that missing worlds leave possible within the range of Scores seen; "
        "empty where no Score was seen or there is no effect"
    )
    bound_high_cents: float | None = Field(description="greatest such mean")
    sign: str = Field(description="`+`, `-`, `0`, or `undetermined` by those bounds")
    note: str = Field(description="why a value is missing")


class _Entrant(Row):
    entrant: str = Field(description="contestant that was replaced; several at once are joined with `+`")


class _Directed(_Entrant):
    rival: str = Field(description="contestant whose Score is compared")


class _Market(_Entrant):
    estimand: str = Field(description="`total` (the rivals' sum), `mean` (total / rivals) or `market`")


class _Reference(Row):
    reference: str = Field(description="contestant that took the entrant's seat")


class PrivateSummaryRow(Estimate, _Reference, _Entrant):
    """A pooled private gain."""


class DirectedSummaryRow(Estimate, _Reference, _Directed):
    """A pooled directed externality."""


class MarketSummaryRow(Estimate, _Reference, _Market):
    """A pooled total or mean externality or market difference."""


PRIVATE_SUMMARY = TableSpec(
    file="private_summary.csv", row=PrivateSummaryRow, description="Private gains pooled over seeds."
)
DIRECTED_SUMMARY = TableSpec(
    file="directed_summary.csv",
    row=DirectedSummaryRow,
    description="Directed externalities pooled over seeds.",
)
MARKET_SUMMARY = TableSpec(
    file="market_summary.csv",
    row=MarketSummaryRow,
    description="Total and mean externalities and market differences pooled over seeds.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How to infer: confidence level, bootstrap draws, and the named generator of a family."""

    level: float
    draws: int
    stream: Callable[[str], np.random.Generator]


def estimates(
    family: Sequence[Sample],
    seeds: Sequence[int],
    planned: Sequence[int],
    bounds: Sequence[Bounds],
    method: Method,
    name: str,
    divisors: Sequence[int] | None = None,
) -> list[Estimate]:
    """Return one estimate a sample, tested jointly as the family `name`.

    `planned` counts the pairs that the plan holds, `divisors` scales a sample (a mean over rivals).

    Source: Cameron and Miller 2015; Westfall and Young 1993.
    """
    scale = np.array(divisors if divisors is not None else [1] * len(family), dtype=np.float64)
    table = cluster_table(family, seeds) / scale
    table = table[~np.isnan(table).all(axis=1)]
    means = seed_means(table)
    tests = _tests(table, means, method, name)
    boot = _bootstrap(table, means, method, name)
    t_limits = t_interval(means, method.level)
    return [
        Estimate(
            observations=len(sample.observations),
            planned=planned[index],
            clusters=int(means.clusters[index]),
            mean_cents=optional(means.mean[index]),
            sd_cents=optional(means.sd[index]),
            positive_seeds=int((table[:, index] > 0).sum()),
            negative_seeds=int((table[:, index] < 0).sum()),
            se_cents=optional(means.se[index]),
            ci_level=method.level,
            t_low_cents=optional(t_limits.low[index]),
            t_high_cents=optional(t_limits.high[index]),
            percentile_low_cents=optional(boot.percentile.low[index]),
            percentile_high_cents=optional(boot.percentile.high[index]),
            bca_low_cents=optional(boot.bca.low[index]),
            bca_high_cents=optional(boot.bca.high[index]),
            bootstrap=_bootstrap_note(int(means.clusters[index]), method.draws),
            p_t=optional(tests.t[index]),
            p_flip=optional(tests.flip[index]),
            p_max_t=optional(tests.max_t[index]),
            p_smallest=optional(tests.smallest[index]),
            p_bh=optional(tests.bh[index]),
            p_by=optional(tests.by[index]),
            verdict=_verdict(tests.max_t[index], tests.smallest[index], 1 - method.level),
            bound_low_cents=optional(bounds[index].low / float(scale[index])),
            bound_high_cents=optional(bounds[index].high / float(scale[index])),
            sign=bounds[index].sign,
            note=sample.undefined or _note(means, index),
        )
        for index, sample in enumerate(family)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tests:
    t: Array
    flip: Array
    max_t: Array
    smallest: Array
    bh: Array
    by: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class _Boot:
    percentile: Limits
    bca: Limits


def _tests(table: Array, means: SeedMeans, method: Method, name: str) -> _Tests:
    enough = means.clusters >= FEWEST_CLUSTERS
    p = t_p(means)
    flip, max_t = np.full_like(p, np.nan), np.full_like(p, np.nan)
    if enough.any():
        test = sign_flip(table[:, enough], method.stream(f"{name}/sign-flip"))
        flip[enough], max_t[enough] = test.raw, test.adjusted
    smallest = np.array(
        [smallest_flip_p(int(count)) if count else np.nan for count in means.clusters], dtype=np.float64
    )
    used = np.where(enough, flip, p)
    return _Tests(
        t=p,
        flip=flip,
        max_t=max_t,
        smallest=smallest,
        bh=benjamini_hochberg(used),
        by=benjamini_yekutieli(used),
    )


def _bootstrap(table: Array, means: SeedMeans, method: Method, name: str) -> _Boot:
    enough = means.clusters >= FEWEST_CLUSTERS
    ends = {key: np.full(len(enough), np.nan) for key in ("pl", "ph", "bl", "bh")}
    if enough.any():
        chosen = table[:, enough]
        resampled = bootstrap_means(chosen, method.draws, method.stream(f"{name}/bootstrap"))
        percentile = percentile_interval(resampled, method.level)
        corrected = bca_interval(chosen, resampled, method.level)
        ends["pl"][enough], ends["ph"][enough] = percentile.low, percentile.high
        ends["bl"][enough], ends["bh"][enough] = corrected.low, corrected.high
    return _Boot(
        percentile=Limits(low=ends["pl"], high=ends["ph"]), bca=Limits(low=ends["bl"], high=ends["bh"])
    )


def _bootstrap_note(clusters: int, draws: int) -> str:
    if clusters >= FEWEST_CLUSTERS:
        return f"{draws} resamples of {clusters} clusters"
    return f"not reported: {clusters} cluster{'' if clusters == 1 else 's'}"


def _verdict(adjusted: float, smallest: float, alpha: float) -> str:
    if np.isnan(smallest):
        return ""
    if smallest > alpha:
        return CANNOT
    if np.isnan(adjusted):
        return ""
    return "rejected" if adjusted <= alpha else "not rejected"


def _note(means: SeedMeans, index: int) -> str:
    if means.clusters[index] == 0:
        return "no finished pair"
    if means.clusters[index] == 1:
        return "one seed: no standard error"
    return "seed means are all equal: no t test" if means.sd[index] == 0 else ""
