"""The three summary tables of a reference set: which effects form a family, and what scales them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from externalities.bounds import Bounds
from externalities.design import ReferenceSet
from externalities.effects import Estimand, Sample
from externalities.summaries import (
    DirectedSummaryRow,
    Estimate,
    MarketSummaryRow,
    Method,
    PrivateSummaryRow,
    estimates,
)
from lineups.pairs import matched_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Summaries:
    """Pooled effects of one reference set."""

    private: list[PrivateSummaryRow]
    directed: list[DirectedSummaryRow]
    market: list[MarketSummaryRow]


def summary_rows(
    group: ReferenceSet,
    families: Mapping[Estimand, tuple[Sample, ...]],
    bounds: Mapping[tuple[str, str, str], Bounds],
    method: Method,
) -> Summaries:
    """Return all pooled effects: private, directed, and total, mean and market are a family each.

    Source: CEO Arena, table 3.
    """
    planned = Counter(pair.entrant for pair in matched_pairs(group.planned))

    def pooled(family: Sequence[Sample], name: str, divisors: Sequence[int] | None = None) -> list[Estimate]:
        return estimates(
            family,
            group.seeds,
            [planned[sample.entrant] for sample in family],
            [bounds[sample.key] for sample in family],
            method,
            name,
            divisors,
        )

    rivals = {entrant: group.rivals_of(entrant) for entrant in group.entrants}
    shared = [sample for sample in families["total"] if rivals[sample.entrant]]
    private = zip(families["private"], pooled(families["private"], "private"), strict=True)
    directed = zip(families["directed"], pooled(families["directed"], "directed"), strict=True)
    market = [
        ("total", families["total"], pooled(families["total"], "total")),
        ("mean", shared, pooled(shared, "mean", [rivals[sample.entrant] for sample in shared])),
        ("market", families["market"], pooled(families["market"], "market")),
    ]
    reference = group.reference
    return Summaries(
        private=[
            PrivateSummaryRow(entrant=sample.entrant, reference=reference, **dict(estimate))
            for sample, estimate in private
        ],
        directed=[
            DirectedSummaryRow(
                entrant=sample.entrant, rival=sample.rival, reference=reference, **dict(estimate)
            )
            for sample, estimate in directed
        ],
        market=[
            MarketSummaryRow(entrant=sample.entrant, estimand=name, reference=reference, **dict(estimate))
            for name, family, found in market
            for sample, estimate in zip(family, found, strict=True)
        ],
    )
