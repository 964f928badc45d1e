"""A mixed model of Scores as a description: agents fixed; seed, lineup, agent x seed and world random.

It describes where the variance of Scores lies; it is not what intervals are made from. Three seeds and
firms that take demand from each other often put a variance at zero or keep the fit from converging:
then that is the result, with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field
from scipy import stats

from externalities import reml
from externalities.design import ReferenceSet
from externalities.rows import Row, TableSpec
from tournament.published import ScoreKind

CENTS_PER_UNIT = 100_000.0  # the fit is in thousands of dollars, near one in size
LEAST_DEGREES = 1.0  # below this a chi-square interval spans everything
INTERACTION = "agent x seed"
TERMS = reml.TERMS


class MixedRow(Row):
    """One variance of the mixed model."""

    reference: str = Field(description="reference set")
    term: str = Field(description="seed, lineup, agent x seed, world or residual")
    levels: int = Field(description="levels of the term; observations for the residual")
    sd_cents: float | None = Field(description="square root of the REML variance")
    degrees: float | None = Field(description="Satterthwaite's degrees of freedom 2 (variance / se)^2")
    sd_low_cents: float | None = Field(description="chi-square interval of the standard deviation, lower end")
    sd_high_cents: float | None = Field(description="the same, upper end")
    note: str = Field(description="boundary, failed fit, or why a value is missing")


MIXED = TableSpec(
    file="mixed.csv", row=MixedRow, description="Variances of a mixed model of Scores, as a description."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance:
    """A fitted variance in cents squared and its degrees of freedom; None with a note."""

    term: str
    levels: int
    variance: float | None
    degrees: float | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Observations of the fit: Score in thousands of dollars, and the level of each factor."""

    scores: np.ndarray[Any, np.dtype[np.float64]]
    agents: tuple[str, ...]
    factors: Mapping[str, tuple[str, ...]]

    def levels(self, term: str) -> int:
        return len(set(self.factors[term]))


def layout(group: ReferenceSet, kind: ScoreKind) -> Layout:
    """Return every outcome of the set as one observation."""
    scores: list[float] = []
    agents: list[str] = []
    factors: dict[str, list[str]] = {term: [] for term in TERMS}
    for name, world in sorted(group.played.items()):
        values = world.scores(kind)
        for seat, contestant in enumerate(world.seats):
            scores.append(int(values[seat]) / CENTS_PER_UNIT)
            agents.append(contestant)
            seed = str(world.draw.seed)
            levels = (seed, world.lineup, f"{contestant} at {seed}", name)
            for term, level in zip(TERMS, levels, strict=True):
                factors[term].append(level)
    return Layout(
        scores=np.array(scores, dtype=np.float64),
        agents=tuple(agents),
        factors={term: tuple(levels) for term, levels in factors.items()},
    )


def fit(data: Layout) -> list[Variance]:
    """Return REML variances of Score = agent + seed + lineup + agent x seed + world + residual.

    Crossed random intercepts (Bates et al. 2015, section 2). A design that cannot be fitted and a fit that
    fails give None with the reason; a variance estimated at zero is a result and says so.
    """
    reason = _unfit(data)
    if reason:
        return _failed(data, reason)
    left_out = {term: note for term in TERMS if (note := _confounded(data, term))}
    made = reml.products(
        data.scores, data.agents, data.factors["seed"], data.factors["lineup"], data.factors["world"]
    )
    try:
        found = reml.fit(made, [term for term in TERMS if term not in left_out])
    except np.linalg.LinAlgError as fault:
        return _failed(data, f"the fit failed: {fault}")
    if not found.converged:
        return _failed(data, "the fit did not converge")
    missing = [
        Variance(term=term, levels=data.levels(term), variance=None, degrees=None, note=note)
        for term, note in left_out.items()
    ]
    return [*missing, *(_variance(data, term, found) for term in found.variances)]


def _confounded(data: Layout, term: str) -> str:
    """Return why the design cannot tell a term's variance, nothing where it can."""
    if data.levels(term) == 1:
        return "one level"
    if term == INTERACTION and data.levels(term) == len(data.scores):
        return "one outcome for each agent and seed: agent x seed is the residual"
    return ""


def _unfit(data: Layout) -> str:
    if data.levels("seed") < 2:
        return "one seed: its variance cannot be told"
    if data.levels("world") == len(data.scores):
        return "one seat: a world is one outcome, and its variance the residual's"
    if len(data.scores) <= len(set(data.agents)) + len(TERMS):
        return "as many parameters as observations"
    return "" if float(np.ptp(data.scores)) > 0 else "all Scores are equal"


def _variance(data: Layout, term: str, found: reml.Fit) -> Variance:
    """Return one fitted variance; its degrees of freedom are 2 (variance / se)^2 where that is one or more."""
    value, error = found.variances[term], found.errors[term]
    degrees = 2 * (value / error) ** 2 if error else 0.0
    note = ""
    if value == 0:
        note = "at the boundary: estimated at zero"
    elif error is None:
        note = "the information matrix is not positive definite: no interval"
    elif degrees < LEAST_DEGREES:
        note = "near the boundary: no interval"
    return Variance(
        term=term,
        levels=len(data.scores) if term == "residual" else data.levels(term),
        variance=value * CENTS_PER_UNIT**2,
        degrees=None if note else degrees,
        note=note,
    )


def _failed(data: Layout, reason: str) -> list[Variance]:
    return [
        *(
            Variance(term=term, levels=data.levels(term), variance=None, degrees=None, note=reason)
            for term in TERMS
        ),
        Variance(term="residual", levels=len(data.scores), variance=None, degrees=None, note=reason),
    ]


def mixed_rows(group: ReferenceSet, kind: ScoreKind, level: float) -> list[Row]:
    """Return the variances with chi-square intervals, df s^2 / chi2 (Satterthwaite 1946)."""
    rows: list[Row] = []
    for item in fit(layout(group, kind)):
        low, high = _interval(item, level)
        rows.append(
            MixedRow(
                reference=group.reference,
                term=item.term,
                levels=item.levels,
                sd_cents=None if item.variance is None else item.variance**0.5,
                degrees=item.degrees,
                sd_low_cents=low,
                sd_high_cents=high,
                note=item.note,
            )
        )
    return rows


def _interval(item: Variance, level: float) -> tuple[float | None, float | None]:
    if item.variance is None or item.degrees is None:
        return None, None
    tail = (1 - level) / 2
    total = item.degrees * item.variance
    low, high = stats.chi2.isf(tail, item.degrees), stats.chi2.ppf(tail, item.degrees)
    return float((total / low) ** 0.5), float((total / high) ** 0.5) if high > 0 else None
