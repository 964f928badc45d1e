"""Restricted maximum likelihood with two crossed random factors and a nested one, from cross-products.

Every world holds one observation a seat, so its effect is absorbed in closed form and only the few
levels of the crossed factors are left to invert: an evaluation costs the same for fifty worlds and for
five hundred, and does not depend on how many threads a linear algebra library takes. MixedLM of
statsmodels gives the same variances (a test holds both together), but takes crossed factors only as one
group of all observations, whose dense covariance it factorises at every step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Array = NDArray[np.float64]
STARTS = (1.0, 0.2)
BOUNDARY = 1e-6  # of the residual variance
STEP = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Variances by term, `residual` last, and their standard errors (None at the boundary or undefined).

    `converged` is False where the optimiser gave up; variances are then its last ones.
    """

    variances: Mapping[str, float]
    errors: Mapping[str, float | None]
    converged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Products:
    """Cross-products of [X, Z, y] and their sums within nested groups: all that the likelihood needs.

    `widths` counts columns of X and of each crossed factor; `sizes` observations of each nested group.
    """

    cross: Array
    sums: Array
    sizes: Array
    widths: tuple[int, ...]
    observations: int


def indicators(levels: Sequence[str]) -> Array:
    """Return one column a level, sorted by name."""
    known = {level: column for column, level in enumerate(sorted(set(levels)))}
    matrix = np.zeros((len(levels), len(known)))
    matrix[np.arange(len(levels)), [known[level] for level in levels]] = 1.0
    return matrix


def products(
    y: Array, fixed: Sequence[str], crossed: Sequence[Sequence[str]], nested: Sequence[str]
) -> Products:
    """Return the cross-products of a layout; each argument holds one entry an observation."""
    parts = [indicators(fixed), *(indicators(levels) for levels in crossed)]
    columns = np.column_stack([*parts, y])
    groups = indicators(nested)
    return Products(
        cross=columns.T @ columns,
        sums=groups.T @ columns,
        sizes=groups.sum(axis=0),
        widths=tuple(part.shape[1] for part in parts),
        observations=len(y),
    )


def deviance(made: Products, ratios: Array) -> tuple[float, float]:
    """Return logdet V + logdet X'V^-1 X at variance ratios, and the residual sum of squares.

    `ratios` are variances over the residual's: one a crossed factor, the nested one last. With A the
    nested part, P'A^-1 Q = P'Q - sum g / (1 + g n) (P'1)(1'Q) group by group, and the crossed factors
    follow by Woodbury's identity (Searle, Casella and McCulloch 1992, sections 6.6 and M.5).
    """
    nested = ratios[-1]
    shrink = nested / (1 + nested * made.sizes)
    inner = made.cross - made.sums.T @ (shrink[:, None] * made.sums)
    p = made.widths[0]
    roots = np.repeat(np.sqrt(np.maximum(ratios[:-1], 0.0)), made.widths[1:])
    crossed = inner[p:-1, p:-1] * roots[:, None] * roots[None, :] + np.eye(len(roots))
    kept = np.r_[0:p, len(inner) - 1]
    reach = inner[kept, p:-1] * roots
    rest = inner[np.ix_(kept, kept)] - reach @ np.linalg.solve(crossed, reach.T)
    design, right = rest[:p, :p], rest[:p, p]
    size = np.log1p(nested * made.sizes).sum() + np.linalg.slogdet(crossed)[1] + np.linalg.slogdet(design)[1]
    return float(size), float(rest[p, p] - right @ np.linalg.solve(design, right))


def fit(made: Products, terms: Sequence[str]) -> Fit:
    """Return REML estimates; `terms` names the crossed factors and last the nested one.

    Minimises (n - p) log rss + logdet V + logdet X'V^-1 X over ratios of standard deviations (Patterson
    and Thompson 1971); standard errors from the observed information of the variances away from zero.
    """
    freedom = made.observations - made.widths[0]

    def profile(roots: Array) -> float:
        size, rss = deviance(made, roots**2)
        if rss <= 0:
            raise np.linalg.LinAlgError("Scores fit exactly, there is no residual variance")
        return float(freedom * np.log(rss) + size)

    bounds = [(0.0, None)] * len(terms)
    rough: list[Any] = [
        optimize.minimize(profile, np.full(len(terms), start), method="L-BFGS-B", bounds=bounds)
        for start in STARTS
    ]
    best: Any = optimize.minimize(  # the surface is flat near the top: a simplex settles the last digits
        profile,
        min(rough, key=lambda result: float(result.fun)).x,
        method="Nelder-Mead",
        bounds=bounds,
        options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 4000, "maxfev": 4000},
    )
    ratios = np.where(best.x**2 > BOUNDARY, best.x**2, 0.0)
    _, rss = deviance(made, ratios)
    residual = rss / freedom
    variances = np.append(ratios * residual, residual)
    names = (*terms, "residual")
    return Fit(
        variances=dict(zip(names, variances.tolist(), strict=True)),
        errors=dict(zip(names, _errors(made, variances), strict=True)),
        converged=bool(best.success),
    )


def _errors(made: Products, variances: Array) -> list[float | None]:
    """Return standard errors by inverting the observed information of the variances above zero."""
    free = [place for place, variance in enumerate(variances.tolist()) if variance > 0]
    freedom = made.observations - made.widths[0]

    def full(values: Array) -> float:
        residual = values[-1]
        size, rss = deviance(made, values[:-1] / residual)
        return float(0.5 * (freedom * np.log(residual) + size + rss / residual))

    information = np.empty((len(free), len(free)))
    steps = STEP * variances
    for row, i in enumerate(free):
        for column, j in enumerate(free):
            moved = [
                _moved(variances, steps, ((i, a), (j, b))) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            corners = [full(point) for point in moved]
            information[row, column] = (corners[0] - corners[1] - corners[2] + corners[3]) / (
                4 * steps[i] * steps[j]
            )
    errors: list[float | None] = [None] * len(variances)
    if np.linalg.eigvalsh((information + information.T) / 2).min() > 0:
        for place, error in zip(free, np.sqrt(np.diag(np.linalg.inv(information))), strict=True):
            errors[place] = float(error)
    return errors


def _moved(point: Array, steps: Array, moves: Sequence[tuple[int, int]]) -> Array:
    shifted = point.copy()
    for place, sign in moves:
        shifted[place] += sign * steps[place]
    return shifted
