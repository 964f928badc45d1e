"""The ladders of `commerce@1` with the figures of Business Arena's Appendix C, and its demand estimators.

The paper's ladders ran on its own data and test policy: the order is what is compared, not the level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.ladders import Arm, Ladder, Outcomes
from market.commerce.catalog import catalog
from market.commerce.exogenous import appeal, draw
from market.commerce.parameters import CAPITAL_CENTS, DOMAIN
from market.tapes import stream

PREFIX = "commerce-ladder-"
DEFAULTS = f"{PREFIX}defaults@1"
ALSO = (DEFAULTS,)


def _of(policy: str, outcomes: Outcomes, name: str) -> list[float]:
    values = [row[name] for row in outcomes[policy]]
    return [float(value) if value is not None else math.nan for value in values]


def net_worth(policy: str, outcomes: Outcomes) -> list[float]:
    """Final net worth in dollars."""
    return [(score + CAPITAL_CENTS) / 100 for score in _of(policy, outcomes, "score_cents")]


def gain_per_ad_dollar(policy: str, outcomes: Outcomes) -> list[float]:
    """Net worth above that of the same operator without ads, for every dollar of ads."""
    without = _of(DEFAULTS, outcomes, "score_cents")
    with_ads, spent = _of(policy, outcomes, "score_cents"), _of(policy, outcomes, "ads_cents")
    return [(a - b) / s for a, b, s in zip(with_ads, without, spent, strict=True)]


def _ladder(name: str, *arms: tuple[str, str, float | None]) -> Ladder:
    return Ladder(
        name=name,
        arms=tuple(Arm(name=arm, policy=f"{PREFIX}{row}@1", paper=paper) for arm, row, paper in arms),
        measure=net_worth,
        unit="final net worth, dollars",
    )


LADDERS = (
    _ladder(
        "sourcing",
        ("evidence", "defaults", 144_069),
        ("cheapest", "sourcing-cheapest", 80_433),
        ("bulk", "sourcing-bulk", 65_816),
    ),
    _ladder(
        "pricing",
        ("disciplined", "defaults", 144_069),
        ("high", "price-high", 93_806),
        ("near", "price-near", 35_697),
    ),
    _ladder("route", ("aware", "defaults", 99_899), ("blind", "route-blind", 70_267)),
    _ladder(
        "relations",
        ("none", "defaults", 105_382),
        ("fit", "relation-fit", 104_423),
        ("naive", "relation-naive", 96_610),
        ("chase", "relation-chase", 88_462),
    ),
    Ladder(
        name="advertising",
        arms=(
            Arm(name="small", policy=f"{PREFIX}ads-small@1", paper=21.45),
            Arm(name="gated", policy=f"{PREFIX}ads-gated@1", paper=6.53),
            Arm(name="blind", policy=f"{PREFIX}ads-blind@1", paper=4.94),
        ),
        measure=gain_per_ad_dollar,
        unit="net worth gained per ad dollar",
    ),
    _ladder(
        "events",
        ("gated", "events-gated", 115_791),
        ("always", "events-always", 109_183),
        ("ignore", "defaults", 91_883),
    ),
    _ladder(
        "incidents",
        ("active", "defaults", 106_693),
        ("ignore", "incident-ignore", 103_106),
        ("trap", "incident-trap", 74_264),
    ),
    _ladder(
        "service",
        ("safe", "defaults", 90_388),
        ("ignored", "service-ignored", 86_728),
        ("reckless", "service-reckless", 57_875),
    ),
    _ladder("compliance", ("gate", "defaults", None), ("ignore", "permits-ignore", None)),
)

PAPER_RHO = {
    "public": 0.972,
    "three levels": 0.963,
    "country means": 0.260,
    "fabricated": -0.039,
    "reversed": -0.972,
}


def estimators(seed: int) -> dict[str, NDArray[np.float64]]:
    """Return estimates of log demand by category and country from the index of days 0 to 4, and bad ones."""
    index = draw(catalog(2026), seed).trend[:5].mean(axis=0)
    public = np.log(np.maximum(index, 1.0))
    means = np.broadcast_to(public.mean(axis=0), public.shape)
    return {
        "public": public,
        "three levels": np.digitize(index, (32, 75)).astype(np.float64),
        "country means": means,
        "fabricated": stream(DOMAIN, seed, "fabricated").standard_normal(public.shape),
        "reversed": -public,
    }


def more(outcomes: Outcomes, seeds: Sequence[int]) -> list[str]:
    """Return the lines that are no ladder of policies: demand inference, and the arms' other figures."""
    lines = ["demand inference (Pearson correlation with the hidden level, mean over seeds)"]
    rows: dict[str, list[float]] = {name: [] for name in PAPER_RHO}
    hits = []
    for seed in seeds:
        truth = np.log(np.array(appeal(seed)))
        made = estimators(seed)
        for name, estimate in made.items():
            rows[name].append(float(np.corrcoef(truth.ravel(), estimate.ravel())[0, 1]))
        hits.append(float((made["public"].argmax(axis=1) == truth.argmax(axis=1)).mean()))
    for name, paper in PAPER_RHO.items():
        lines.append(f"  {name:<16} paper {paper:>10.3f}   here {np.mean(rows[name]):>12.3f}")
    lines.append(f"  best country found: paper 93.3 %, here {100 * np.mean(hits):.1f} %")
    lines.append("other figures (means over seeds)")
    for policy in sorted(outcomes):
        figures = (
            f"orders {np.mean(_of(policy, outcomes, 'orders')):7.0f}",
            f"margin {np.mean(_of(policy, outcomes, 'order_margin_thousandths')) / 10:6.1f} %",
            f"ads ${np.mean(_of(policy, outcomes, 'ads_cents')) / 100:9,.0f}",
            f"fines ${np.mean(_of(policy, outcomes, 'fines_cents')) / 100:9,.0f}",
            f"revenue ${np.mean(_of(policy, outcomes, 'revenue_cents')) / 100:10,.0f}",
        )
        lines.append(f"  {policy.removeprefix(PREFIX):<20} {', '.join(figures)}")
    return lines
