"""The display criterion |mean| > SD, and how often it fires when there is nothing to see.

The paper prints it over five observations of which three share a seed. Its chance rate depends on how
much of the variance the seed carries, so it is computed for the actual cluster sizes, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import integrate

SHARES = (0.0, 0.25, 0.5, 0.75)


def exceeds_sd(mean: float, sd: float | None) -> bool | None:
    """Return |mean| > SD (CEO Arena, section 4.3), None where the SD is undefined."""
    return None if sd is None else abs(mean) > sd


def structure(clusters: Sequence[int]) -> str:
    """Return cluster sizes as text, largest first: `3+1+1`."""
    return "+".join(str(size) for size in sorted(clusters, reverse=True))


def chance_rate(clusters: Sequence[int], share: float) -> float | None:
    """Return P(|mean| > SD) for zero-mean normals whose seed carries `share` of the variance.

    `clusters` holds the observations of each seed. With A = 11'/n^2 - (I - 11'/n)/(n - 1) the event is
    x'Ax > 0, a quadratic form in normals whose distribution Imhof (1961, equation 3.2) gives as an
    integral. None for fewer than two observations.
    """
    sizes = sorted(clusters, reverse=True)
    n = sum(sizes)
    if n < 2:
        return None
    covariance = (1 - share) * np.eye(n)
    start = 0
    for size in sizes:
        covariance[start : start + size, start : start + size] += share
        start += size
    ones = np.ones((n, n)) / n
    form = ones / n - (np.eye(n) - ones) / (n - 1)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    weights = np.linalg.eigvalsh(root.T @ form @ root)
    kept = weights[np.abs(weights) > 1e-12]
    return 1.0 if (kept > 0).all() else _upper_tail(kept / np.abs(kept).max())


def _upper_tail(weights: NDArray[np.float64]) -> float:
    """Return P(sum w_i z_i^2 > 0) by Imhof's integral over u = v / (1 - v)."""

    def integrand(v: float) -> float:
        u = v / (1 - v)
        angle = 0.5 * np.arctan(weights * u).sum()
        damping = np.prod((1 + (weights * u) ** 2) ** 0.25)
        return float(np.sin(angle) / (u * damping) / (1 - v) ** 2)

    area, _ = integrate.quad(integrand, 0, 1, limit=400, epsabs=1e-10)
    return float(min(max(0.5 + area / np.pi, 0.0), 1.0))
