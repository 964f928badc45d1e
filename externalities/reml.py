"""Restricted maximum likelihood of Scores: lineups crossed with seeds, agents and worlds within seeds.

All that is random but the lineup lies within seeds, so worlds, then agent x seed, then the seed itself
are absorbed seed by seed, all seeds at once, and only the few lineups are left to invert: an evaluation
takes a millisecond for five hundred worlds, and its matrices are too small for the number of a linear
algebra library's threads to change a digit.

MixedLM of statsmodels fits the same model and is what a test holds this against. It is not what makes
the table: on the ready study its usual start and optimiser end at a likelihood of -957.06 (the best is
-955.037) or do not converge, its optimisers agree on standard deviations to a hundredth of a per cent
and not to the digits printed, none of them ever reports a variance at zero as zero, and one likelihood
of 1,440 outcomes takes it a quarter of a second, of which a fit needs hundreds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Array = NDArray[np.float64]
STARTS = (1.0, 0.2)
BOUNDARY = 1e-6  # of the residual variance
STEP = 1e-4
TERMS: Final = ("seed", "lineup", "agent x seed", "world")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Variances by term, `residual` last, and their standard errors (None at the boundary or undefined).

    `converged` is False where the optimiser gave up; variances are then its last ones. `deviance` is
    (n - p) log rss + logdet V + logdet X'V^-1 X at them: minus twice the likelihood, but for a constant.
    """

    variances: Mapping[str, float]
    errors: Mapping[str, float | None]
    converged: bool
    deviance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Products:
    """Cross-products of [agents, lineups, 1, y] by seed, of shape (seeds, m, m): all that the likelihood needs.

    `worlds` holds, for each number of seats that a world has, how many such worlds there are and the
    cross-products of their column sums, by seed. `agents` and `lineups` count columns.
    """

    cross: Array
    worlds: Mapping[int, tuple[int, Array]]
    agents: int
    lineups: int
    observations: int


def indicators(levels: Sequence[str]) -> Array:
    """Return one column a level, sorted by name."""
    known = {level: column for column, level in enumerate(sorted(set(levels)))}
    matrix = np.zeros((len(levels), len(known)))
    matrix[np.arange(len(levels)), [known[level] for level in levels]] = 1.0
    return matrix


def products(
    y: Array, agents: Sequence[str], seeds: Sequence[str], lineups: Sequence[str], worlds: Sequence[str]
) -> Products:
    """Return the cross-products of a layout; each argument holds one entry an observation."""
    fixed, crossed = indicators(agents), indicators(lineups)
    columns = np.column_stack([fixed, crossed, np.ones(len(y)), y])
    by_seed, by_world = indicators(seeds), indicators(worlds)
    sums, sizes = by_world.T @ columns, by_world.sum(axis=0).astype(int)
    home = (by_world.T @ by_seed) > 0
    return Products(
        cross=np.stack([columns[mine > 0].T @ columns[mine > 0] for mine in by_seed.T]),
        worlds={
            int(size): (
                int((sizes == size).sum()),
                np.stack([sums[(sizes == size) & mine].T @ sums[(sizes == size) & mine] for mine in home.T]),
            )
            for size in np.unique(sizes)
        },
        agents=fixed.shape[1],
        lineups=crossed.shape[1],
        observations=len(y),
    )


def deviance(made: Products, ratios: Mapping[str, float]) -> tuple[float, float]:
    """Return logdet V + logdet X'V^-1 X at variance ratios, and the residual sum of squares.

    `ratios` are variances over the residual's, by term. Absorbing a term Z of ratio r takes P'Q to
    P'Q - P'Z (I / r + Z'Z)^-1 Z'Q and adds logdet(I + r Z'Z): Woodbury's identity, worlds first (Searle,
    Casella and McCulloch 1992, sections 6.6 and M.5).
    """
    p, size, inner = made.agents, 0.0, made.cross
    for seats, (count, sums) in made.worlds.items():
        world = ratios["world"]
        size += count * float(np.log1p(world * seats))
        inner = inner - world / (1 + world * seats) * sums
    kept = np.arange(inner.shape[-1])
    nested, inner = _absorb(inner, slice(0, p), kept, ratios["agent x seed"])
    one = p + made.lineups
    grown, inner = _absorb(inner, slice(one, one + 1), np.r_[0:one, one + 1], ratios["seed"])
    rest = inner.sum(axis=0, keepdims=True)
    more, rest = _absorb(rest, slice(p, one), np.r_[0:p, one], ratios["lineup"])
    design, right, total = rest[0, :p, :p], rest[0, :p, p], rest[0, p, p]
    size += nested + grown + more + float(np.linalg.slogdet(design)[1])
    return float(size), float(total - right @ np.linalg.solve(design, right))


def _absorb(blocks: Array, term: slice, kept: NDArray[np.int64], ratio: float) -> tuple[float, Array]:
    """Return the determinant's growth and the blocks with the term's columns absorbed, of the kept ones."""
    root = max(ratio, 0.0) ** 0.5
    own = blocks[:, term, term] * root**2
    own = own + np.eye(own.shape[-1])
    rest = blocks[:, kept[:, None], kept[None, :]]
    reach = blocks[:, kept, term] * root
    absorbed: Array = rest - reach @ np.linalg.solve(own, reach.transpose(0, 2, 1))
    return float(np.linalg.slogdet(own)[1].sum()), absorbed


def fit(made: Products, terms: Sequence[str]) -> Fit:
    """Return REML estimates of these of `TERMS`; the others have no variance.

    Minimises (n - p) log rss + logdet V + logdet X'V^-1 X over ratios of standard deviations (Patterson
    and Thompson 1971); standard errors from the observed information of the variances away from zero.
    """
    freedom = made.observations - made.agents

    def profile(roots: Array) -> float:
        size, rss = deviance(made, _named(terms, roots**2))
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
    size, rss = deviance(made, _named(terms, ratios))
    residual = rss / freedom
    variances = np.append(ratios * residual, residual)
    names = (*terms, "residual")
    return Fit(
        variances=dict(zip(names, variances.tolist(), strict=True)),
        errors=dict(zip(names, _errors(made, terms, variances), strict=True)),
        converged=bool(best.success),
        deviance=float(freedom * np.log(rss) + size),
    )


def _named(terms: Sequence[str], ratios: Array) -> dict[str, float]:
    return dict.fromkeys(TERMS, 0.0) | dict(zip(terms, ratios.tolist(), strict=True))


def _errors(made: Products, terms: Sequence[str], variances: Array) -> list[float | None]:
    """Return standard errors by inverting the observed information of the variances above zero."""
    free = [place for place, variance in enumerate(variances.tolist()) if variance > 0]
    freedom = made.observations - made.agents

    def full(values: Array) -> float:
        residual = values[-1]
        size, rss = deviance(made, _named(terms, values[:-1] / residual))
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
