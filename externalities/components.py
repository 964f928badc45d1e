"""Variance components of an effect: what seeds and repeats contribute, with chi-square intervals.

Repeats of a seed tell the noise of deciding again; seeds tell that plus the economy. A design without
repeats shows only their sum, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field
from scipy import stats

from externalities.effects import Sample
from externalities.rows import Row, TableSpec

POOLED = ""
LEAST_DEGREES = 1.0  # below this a chi-square interval spans everything


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A variance in cents squared, its degrees of freedom and interval; None is undefined, with a note."""

    name: str
    variance: float | None
    degrees: float | None
    low: float | None
    high: float | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """`repeat`: within a seed; `seed`: between seeds beyond that; `single`: one observation a seed."""

    seed: Component
    repeat: Component
    single: Component

    @property
    def share(self) -> float | None:
        """Return the seed's share of a single observation's variance, None where it cannot be told."""
        if self.seed.variance is None or not self.single.variance:
            return None
        return self.seed.variance / self.single.variance


class ComponentRow(Row):
    """A variance component of one entrant's effect, or pooled over all effects of an estimand."""

    reference: str = Field(description="contestant that took the entrant's seat")
    estimand: str = Field(description="private, directed, total or market")
    entrant: str = Field(description="entrant; empty: pooled over the estimand's effects")
    component: str = Field(
        description="`seed` (between seeds), `repeat` (within a seed) or `single` (their sum)"
    )
    sd_cents: float | None = Field(description="square root of the variance")
    variance: float | None = Field(description="variance, in cents squared")
    degrees: float | None = Field(description="degrees of freedom (Satterthwaite's for seed and single)")
    sd_low_cents: float | None = Field(description="chi-square interval of the standard deviation, lower end")
    sd_high_cents: float | None = Field(description="the same, upper end")
    share: float | None = Field(description="share of a single observation's variance")
    note: str = Field(description="why a value is missing, or what the number leaves out")


COMPONENTS = TableSpec(
    file="components.csv",
    row=ComponentRow,
    description="Variance of effects between seeds and between repeats.",
)


def components(group: Sequence[Sample], level: float) -> Components:
    """Return seed and repeat variance by the method of moments, pooled over the samples.

    With mean squares B between and W within seeds and n0 the effective number of repeats,
    seed = (B - W) / n0 (Searle, Casella and McCulloch 1992, section 3.6). Pooling adds sums of squares
    and degrees of freedom, as if effects that share reference worlds were independent.
    """
    between, within, top, bottom, weights = 0.0, 0.0, 0, 0, 0.0
    for sample in group:
        values = list(sample.by_seed().values())
        if len(values) < 2:
            continue
        sizes = np.array([len(observed) for observed in values], dtype=np.float64)
        means = np.array([np.mean(observed) for observed in values])
        grand = float((sizes * means).sum() / sizes.sum())
        between += float((sizes * (means - grand) ** 2).sum())
        within += float(sum(((np.array(v) - np.mean(v)) ** 2).sum() for v in values))
        top += len(values) - 1
        bottom += int(sizes.sum()) - len(values)
        weights += float(sizes.sum() - (sizes**2).sum() / sizes.sum())
    if top == 0:
        nothing = "fewer than two seeds"
        return Components(
            seed=_undefined("seed", nothing),
            repeat=_undefined("repeat", nothing),
            single=_undefined("single", nothing),
        )
    repeat = _repeat(within, bottom, level)
    if repeat.variance is None:
        single = _chi_square("single", between / top, top, level, "seed and repeat together")
        return Components(seed=_undefined("seed", repeat.note), repeat=repeat, single=single)
    return _separated(between / top, top, repeat, bottom, weights / top, level)


def _repeat(within: float, degrees: int, level: float) -> Component:
    if degrees == 0:
        return _undefined("repeat", "no seed has two repeats: seed and repeat cannot be told apart")
    return _chi_square("repeat", within / degrees, degrees, level)


def _separated(
    between: float, top: int, repeat: Component, bottom: int, repeats: float, level: float
) -> Components:
    within = repeat.variance or 0.0
    seed = (between - within) / repeats
    if seed > 0:
        freedom = (between - within) ** 2 / (between**2 / top + within**2 / bottom)
        by_seed = _chi_square("seed", seed, freedom, level, "")
    else:
        pooled = (between * top + within * bottom) / (top + bottom)
        ceiling = max(between, pooled) * top / float(stats.chi2.ppf((1 - level) / 2, top)) / repeats
        by_seed = Component(
            name="seed",
            variance=0.0,
            degrees=None,
            low=0.0,
            high=ceiling,
            note="at the boundary: seeds differ no more than repeats; the upper end is all variance's",
        )
    parts = (between / repeats, within * (repeats - 1) / repeats)
    single = max(seed, 0.0) + within
    spread = parts[0] ** 2 / top + parts[1] ** 2 / bottom
    freedom = sum(parts) ** 2 / spread if spread > 0 else float(top)
    return Components(
        seed=by_seed,
        repeat=repeat,
        single=_chi_square("single", single, freedom, level, "Satterthwaite's degrees of freedom"),
    )


def _chi_square(name: str, variance: float, degrees: float, level: float, note: str = "") -> Component:
    """Return df s^2 / chi2 at both tails (Searle, Casella and McCulloch 1992, section 3.6)."""
    tail = (1 - level) / 2
    if degrees < LEAST_DEGREES:
        few = "under one effective degree of freedom: no interval"
        note = f"{note}; {few}" if note else few
        return Component(name=name, variance=variance, degrees=degrees, low=None, high=None, note=note)
    return Component(
        name=name,
        variance=variance,
        degrees=degrees,
        low=degrees * variance / float(stats.chi2.isf(tail, degrees)),
        high=degrees * variance / float(stats.chi2.ppf(tail, degrees)),
        note=note,
    )


def _undefined(name: str, note: str) -> Component:
    return Component(name=name, variance=None, degrees=None, low=None, high=None, note=note)


def component_rows(reference: str, families: Sequence[Sequence[Sample]], level: float) -> list[Row]:
    """Return pooled components of each estimand, then those of each entrant.

    Source: Searle, Casella and McCulloch 1992.
    """
    rows: list[Row] = []
    for family in families:
        if not family:
            continue
        rows += _rows(reference, family, POOLED, level)
        for entrant in dict.fromkeys(sample.entrant for sample in family):
            mine = [sample for sample in family if sample.entrant == entrant]
            rows += _rows(reference, mine, entrant, level)
    return rows


def _rows(reference: str, family: Sequence[Sample], entrant: str, level: float) -> list[Row]:
    found = components(family, level)
    total = found.single.variance
    return [
        ComponentRow(
            reference=reference,
            estimand=family[0].estimand,
            entrant=entrant,
            component=part.name,
            sd_cents=_root(part.variance),
            variance=part.variance,
            degrees=part.degrees,
            sd_low_cents=_root(part.low),
            sd_high_cents=_root(part.high),
            share=part.variance / total if part.variance is not None and total else None,
            note=part.note,
        )
        for part in (found.seed, found.repeat, found.single)
    ]


def _root(variance: float | None) -> float | None:
    return None if variance is None else float(np.sqrt(variance))
