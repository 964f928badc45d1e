"""stability.csv: signs and spread over single observations, beside what chance alone would show.

The paper's five observations are the three main seeds and two repeats of one of them, unweighted, so
one seed counts three times; the chance rates are those of that very structure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from pydantic import Field

from externalities.components import Components
from externalities.display import SHARES, chance_rate, exceeds_sd, structure
from externalities.effects import Sample
from externalities.rows import Row, TableSpec


class StabilityRow(Row):
    """One effect over all its observations, unweighted."""

    estimand: str = Field(description="private, directed, total or market")
    entrant: str = Field(description="contestant that was replaced")
    rival: str = Field(description="contestant whose Score is compared; empty but for directed")
    reference: str = Field(description="contestant that took the entrant's seat")
    observations: int = Field(description="matched pairs, unweighted: a seed with repeats counts as often")
    structure: str = Field(description="observations of each seed, largest first: 3+1+1")
    mean_cents: float | None = Field(description="unweighted mean of the observations")
    sd_cents: float | None = Field(description="sample SD (n - 1) of the observations")
    same_sign: int = Field(description="observations that have the mean's sign")
    positive: int = Field(description="observations above zero")
    exceeds_sd: bool | None = Field(description="|mean| > SD, the paper's display criterion")
    chance_share_0: float | None = Field(description="rate of |mean| > SD by chance, no seed variance")
    chance_share_25: float | None = Field(description="the same with a quarter of the variance in the seed")
    chance_share_50: float | None = Field(description="the same with half")
    chance_share_75: float | None = Field(description="the same with three quarters")
    seed_share: float | None = Field(description="estimated share of the seed, pooled over the estimand")
    chance_estimated: float | None = Field(description="chance rate at the estimated share")
    note: str = Field(description="why a value is missing")


class ChanceRow(Row):
    """How often |mean| > SD by chance alone."""

    estimand: str = Field(description="private, directed, total or market")
    reference: str = Field(description="contestant that took the entrant's seat")
    structure: str = Field(description="observations of each seed, largest first: 3+1+1")
    effects: int = Field(description="effects with that structure")
    seed_share: float = Field(description="share of an observation's variance that its seed carries")
    source: str = Field(description="`grid`, or `estimated` by the estimand's pooled components")
    rate: float = Field(description="P(|mean| > SD) for normal effects of mean zero, a pair")
    expected: float = Field(description="rate x effects: how many would pass with nothing to see")
    passing: int = Field(description="how many do pass")


CHANCE = TableSpec(
    file="chance.csv", row=ChanceRow, description="Chance rates of |mean| > SD for the actual clusters."
)
STABILITY = TableSpec(
    file="stability.csv",
    row=StabilityRow,
    description="Sign counts, |mean| > SD and its chance rate over unweighted observations.",
)


def stability_rows(reference: str, family: Sequence[Sample], pooled: Components) -> list[StabilityRow]:
    """Return one row a sample (CEO Arena, appendix A.2); `pooled` gives the estimated seed share."""
    rates: dict[tuple[int, ...], list[float | None]] = {}
    rows = []
    for sample in family:
        sizes = tuple(len(values) for values in sample.by_seed().values())
        if sizes not in rates:
            shares = (*SHARES, pooled.share)
            rates[sizes] = [None if share is None else chance_rate(sizes, share) for share in shares]
        rows.append(_row(reference, sample, sizes, rates[sizes], pooled))
    return rows


def _row(
    reference: str,
    sample: Sample,
    sizes: tuple[int, ...],
    rates: Sequence[float | None],
    pooled: Components,
) -> StabilityRow:
    values = np.array(list(chain.from_iterable(sample.by_seed().values())), dtype=np.int64)
    mean = int(values.sum()) / len(values) if len(values) else None
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return StabilityRow(
        estimand=sample.estimand,
        entrant=sample.entrant,
        rival=sample.rival,
        reference=reference,
        observations=len(values),
        structure=structure(sizes),
        mean_cents=mean,
        sd_cents=sd,
        same_sign=0 if mean is None else int((np.sign(values) == np.sign(mean)).sum()),
        positive=int((values > 0).sum()),
        exceeds_sd=None if mean is None else exceeds_sd(mean, sd),
        chance_share_0=rates[0],
        chance_share_25=rates[1],
        chance_share_50=rates[2],
        chance_share_75=rates[3],
        seed_share=pooled.share,
        chance_estimated=rates[4],
        note=sample.undefined or _note(len(values), max(sizes, default=0), pooled),
    )


def _note(observations: int, largest: int, pooled: Components) -> str:
    if observations < 2:
        return "fewer than two observations"
    if largest == 1:
        return "one observation a seed: the chance rate is the same at every share"
    return pooled.seed.note if pooled.share is None else ""


def chance_rows(rows: Sequence[StabilityRow]) -> list[Row]:
    """Return, for each estimand and structure, the chance rate over the grid and at the estimate.

    Source: Imhof 1961.
    """
    groups: dict[tuple[str, str, str], list[StabilityRow]] = {}
    for row in rows:
        if row.observations > 1:
            groups.setdefault((row.estimand, row.reference, row.structure), []).append(row)
    found: list[Row] = []
    for (estimand, reference, sizes), members in groups.items():
        first = members[0]
        grid = (first.chance_share_0, first.chance_share_25, first.chance_share_50, first.chance_share_75)
        rates = [
            *(("grid", share, rate) for share, rate in zip(SHARES, grid, strict=True)),
            ("estimated", first.seed_share, first.chance_estimated),
        ]
        found += [
            ChanceRow(
                estimand=estimand,
                reference=reference,
                structure=sizes,
                effects=len(members),
                seed_share=share,
                source=source,
                rate=rate,
                expected=rate * len(members),
                passing=sum(bool(row.exceeds_sd) for row in members),
            )
            for source, share, rate in rates
            if share is not None and rate is not None
        ]
    return found
