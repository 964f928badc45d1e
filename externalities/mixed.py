"""A mixed model of Scores as a description: agents fixed; seed, lineup and world random.

It describes where the variance of Scores lies; it is not what intervals are made from. Three seeds and
firms that take demand from each other often put a variance at zero or keep the fit from converging:
then that is the result, with its reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field
from scipy import stats

from externalities.columns import ScoreKind
from externalities.design import ReferenceSet
from externalities.rows import Row, TableSpec

CENTS_PER_UNIT = 100_000.0  # the fit is in thousands of dollars, near one in size
BOUNDARY = 1e-6  # of the residual variance
LEAST_DEGREES = 1.0  # below this a chi-square interval spans everything
TERMS = ("lineup", "seed", "world")


class MixedRow(Row):
    """One variance of the mixed model."""

    reference: str = Field(description="reference set")
    term: str = Field(description="seed, lineup, world or residual")
    levels: int = Field(description="levels of the term; observations for the residual")
    sd_cents: float | None = Field(description="square root of the REML variance")
    degrees: float | None = Field(
        description="Satterthwaite's degrees of freedom 2 (variance / se)^2; observations less fixed effects "
        "for the residual"
    )
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
        for seat, contestant in enumerate(world.contestants):
            scores.append(int(values[seat]) / CENTS_PER_UNIT)
            agents.append(contestant)
            for term, level in zip(TERMS, (world.lineup, str(world.draw.seed), name), strict=True):
                factors[term].append(level)
    return Layout(
        scores=np.array(scores, dtype=np.float64),
        agents=tuple(agents),
        factors={term: tuple(levels) for term, levels in factors.items()},
    )


def fit(data: Layout) -> list[Variance]:
    """Return REML variances of Score = agent + seed + lineup + world + residual.

    Crossed random intercepts (Bates et al. 2015, section 2) through statsmodels' MixedLM. A design that
    can't be fitted and a fit that fails give None with the reason.
    """
    reason = _unfit(data)
    if reason:
        return _failed(data, reason)
    terms = [term for term in TERMS if data.levels(term) > 1]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = _model(data, terms).fit(reml=True, method=["lbfgs"])
    except (np.linalg.LinAlgError, ValueError) as fault:
        return _failed(data, f"the fit failed: {fault}")
    if not result.converged:
        return _failed(data, "the fit did not converge")
    told = sorted({" ".join(str(item.message).split()) for item in caught})
    return _variances(data, terms, result, told)


def _unfit(data: Layout) -> str:
    if data.levels("seed") < 2:
        return "one seed: its variance cannot be told"
    if len(data.scores) <= len(set(data.agents)) + len(TERMS):
        return "as many parameters as observations"
    return "" if float(np.ptp(data.scores)) > 0 else "all Scores are equal"


def _model(data: Layout, terms: Sequence[str]) -> Any:
    import statsmodels.api as sm  # noqa: PLC0415
    from statsmodels.regression.mixed_linear_model import VCSpec  # noqa: PLC0415

    matrices = [_indicators(data.factors[term]) for term in terms]
    names = [
        [f"{term}[{index}]" for index in range(matrix.shape[1])]
        for term, matrix in zip(terms, matrices, strict=True)
    ]
    return sm.MixedLM(
        data.scores,
        _indicators(data.agents),
        groups=np.zeros(len(data.scores)),
        exog_vc=VCSpec(list(terms), [[name] for name in names], [[matrix] for matrix in matrices]),
    )


def _indicators(levels: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    known = sorted(set(levels))
    matrix = np.zeros((len(levels), len(known)))
    matrix[np.arange(len(levels)), [known.index(level) for level in levels]] = 1.0
    return matrix


def _variances(data: Layout, terms: Sequence[str], result: Any, told: Sequence[str]) -> list[Variance]:
    residual = float(result.scale)
    errors = np.asarray(result.bse, dtype=np.float64)[-len(terms) :] * residual
    found = []
    for term, value, error in zip(terms, np.atleast_1d(result.vcomp), errors, strict=True):
        at_zero = float(value) <= BOUNDARY * residual
        degrees = 2 * (float(value) / float(error)) ** 2 if np.isfinite(error) and error > 0 else 0.0
        sure = not at_zero and not told and degrees >= LEAST_DEGREES
        note = "at the boundary: estimated at zero" if at_zero else "" if sure else "no interval"
        found.append(
            Variance(
                term=term,
                levels=data.levels(term),
                variance=max(float(value), 0.0) * CENTS_PER_UNIT**2,
                degrees=degrees if sure else None,
                note="; ".join(part for part in (note, *told) if part),
            )
        )
    found += [
        Variance(term=term, levels=1, variance=None, degrees=None, note="one level")
        for term in TERMS
        if term not in terms
    ]
    freedom = len(data.scores) - len(set(data.agents))
    found.append(
        Variance(
            term="residual",
            levels=len(data.scores),
            variance=residual * CENTS_PER_UNIT**2,
            degrees=float(freedom),
            note="",
        )
    )
    return sorted(found, key=lambda item: item.term == "residual")


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
