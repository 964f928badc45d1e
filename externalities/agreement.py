"""How far differences between agents repeat: analysis of variance and intraclass correlations.

Business Arena's Appendix H reports a one-way ICC over repeats in one shared world. Seeds crossed with
agents carry a seed effect that a one-way ICC counts as noise, so the two-way forms stand beside it:
A for absolute agreement, C for consistency of the ordering.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneWay:
    """Sums of squares of a balanced one-way layout, M agents with R observations each."""

    agents: int
    observations: int
    between: float
    within: float

    @property
    def mean_squares(self) -> tuple[float, float]:
        return (
            self.between / (self.agents - 1),
            self.within / (self.agents * (self.observations - 1)),
        )

    @property
    def f(self) -> float | None:
        """F = MS between / MS within; None without variation within."""
        between, within = self.mean_squares
        return between / within if within > 0 else None

    @property
    def p(self) -> float | None:
        degrees = (self.agents - 1, self.agents * (self.observations - 1))
        return None if self.f is None else float(stats.f.sf(self.f, *degrees))

    @property
    def share_between(self) -> float | None:
        """Return SS between / SS total, the share that Appendix H prints."""
        total = self.between + self.within
        return self.between / total if total > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """An intraclass correlation with its F interval; `value` is None with a `note` where undefined."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    note: str


def one_way(table: Array) -> OneWay:
    """Return sums of squares of agents x observations (M, R), as in Appendix H of Business Arena."""
    agents, observations = table.shape
    means = table.mean(axis=1)
    return OneWay(
        agents=agents,
        observations=observations,
        between=float(observations * ((means - table.mean()) ** 2).sum()),
        within=float(((table - means[:, None]) ** 2).sum()),
    )


def icc_one_way(layout: OneWay, k: int, level: float) -> Coefficient:
    """Return ICC(1,k) = (MSB - MSW) / (MSB + (R/k - 1) MSW) with its F interval.

    Shrout and Fleiss (1979), cases (1,1) and (1,k); k other than R projects by Spearman and Brown.
    """
    name = f"ICC(1,{k})"
    if layout.f is None:
        return _undefined(name, "no variation within agents")
    tail = (1 - level) / 2
    top, bottom = layout.agents - 1, layout.agents * (layout.observations - 1)
    ends = (layout.f / stats.f.isf(tail, top, bottom), layout.f * stats.f.isf(tail, bottom, top))
    value, low, high = (_stepped(_single(f, layout.observations), k) for f in (layout.f, *ends))
    return Coefficient(name=name, value=value, low=low, high=high, note="")


def icc_consistency(table: Array, k: int, level: float) -> Coefficient:
    """Return ICC(C,k) = (MSR - MSE) / (MSR + (n/k - 1) MSE) with its F interval.

    McGraw and Wong (1996), tables 4 and 7; ICC(3,k) of Shrout and Fleiss (1979).
    """
    name = f"ICC(C,{k})"
    rows, _, error = _mean_squares(table)
    if error <= 0:
        return _undefined(name, "no interaction of agent and seed to measure against")
    agents, seeds = table.shape
    tail = (1 - level) / 2
    top, bottom = agents - 1, (agents - 1) * (seeds - 1)
    f = rows / error
    ends = (f / stats.f.isf(tail, top, bottom), f * stats.f.isf(tail, bottom, top))
    value, low, high = (_stepped(_single(ratio, seeds), k) for ratio in (f, *ends))
    return Coefficient(name=name, value=value, low=low, high=high, note="")


def icc_agreement(table: Array, k: int, level: float) -> Coefficient:
    """Return ICC(A,k): agreement in absolute cents, the seed's own variance counted as error.

    ICC(A,1) = (MSR - MSE) / (MSR + (n - 1) MSE + n (MSC - MSE) / M), with Satterthwaite's degrees of
    freedom in the F interval: McGraw and Wong (1996), tables 4 and 7; ICC(2,1) of Shrout and Fleiss (1979).
    """
    name = f"ICC(A,{k})"
    rows, columns, error = _mean_squares(table)
    if error <= 0:
        return _undefined(name, "no interaction of agent and seed to measure against")
    agents, seeds = table.shape
    value = (rows - error) / (rows + (seeds - 1) * error + seeds * (columns - error) / agents)
    if not 0 <= value < 1:
        note = "the agents' variance is estimated at or below zero: no interval"
        return Coefficient(name=name, value=_stepped(value, k), low=None, high=None, note=note)
    a = seeds * value / (agents * (1 - value))
    b = 1 + seeds * value * (agents - 1) / (agents * (1 - value))
    freedom = (a * columns + b * error) ** 2 / (
        (a * columns) ** 2 / (seeds - 1) + (b * error) ** 2 / ((agents - 1) * (seeds - 1))
    )
    tail = (1 - level) / 2
    lower_f, upper_f = stats.f.isf(tail, agents - 1, freedom), stats.f.isf(tail, freedom, agents - 1)
    rest = seeds * columns + (agents * seeds - agents - seeds) * error
    if not np.isfinite([lower_f, upper_f]).all():
        note = "too few effective degrees of freedom: no interval"
        return Coefficient(name=name, value=_stepped(value, k), low=None, high=None, note=note)
    low = agents * (rows - lower_f * error) / (lower_f * rest + agents * rows)
    high = agents * (upper_f * rows - error) / (rest + agents * upper_f * rows)
    return Coefficient(
        name=name,
        value=_stepped(value, k),
        low=_stepped(float(low), k),
        high=_stepped(float(high), k),
        note="",
    )


def _mean_squares(table: Array) -> tuple[float, float, float]:
    """Return mean squares of agents, seeds and their interaction of a table (agents, seeds)."""
    agents, seeds = table.shape
    grand, by_agent, by_seed = table.mean(), table.mean(axis=1), table.mean(axis=0)
    rest = table - by_agent[:, None] - by_seed[None, :] + grand
    return (
        float(seeds * ((by_agent - grand) ** 2).sum() / (agents - 1)),
        float(agents * ((by_seed - grand) ** 2).sum() / (seeds - 1)),
        float((rest**2).sum() / ((agents - 1) * (seeds - 1))),
    )


def _single(f: float, observations: int) -> float:
    return (f - 1) / (f + observations - 1)


def _stepped(single: float, k: int) -> float | None:
    """Return the reliability of a mean of k from that of one (Spearman 1910; Brown 1910).

    A reliability so negative that the step has no meaning gives None.
    """
    bottom = 1 + (k - 1) * single
    return float(k * single / bottom) if bottom > 0 else None


def _undefined(name: str, note: str) -> Coefficient:
    return Coefficient(name=name, value=None, low=None, high=None, note=note)
