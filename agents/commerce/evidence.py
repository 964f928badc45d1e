"""What the trader core reads of a seat's facts, as arrays by SKU and country."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.strategy import Facts
from tournament.records import Json

if TYPE_CHECKING:
    from agents.commerce.trader import TraderParameters

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

HORIZON = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Facts of one window; `duty` is a share by SKU and country, `freight` cents, `published` rivals' columns."""

    facts: Facts
    window: int
    day: int
    days_left: int
    category: Ints
    guide: Reals
    interest: Reals
    duty: Reals
    freight: Reals
    stock: Ints
    stock_cost: Ints
    inbound: Ints
    inbound_cost: Ints
    quality: Ints
    listed: Ints
    ad: Ints
    sold: Ints
    published: Ints
    needed: Ints
    fee: Ints
    state: Ints
    adjustment: Reals
    first: Mapping[str, Json] | None

    def memo(self, adjustment: Reals, keep_first: bool) -> Json:
        """Return what the next window needs."""
        kept: dict[str, Json] = {"adjustment": adjustment.tolist()}
        if keep_first:
            kept["first"] = self.first
        return kept

    def sales_a_day(self, days: int) -> Reals:
        """Return own units a day by SKU over the last days, up to so many."""
        span = min(days, self.day)
        total = np.zeros(len(self.stock))
        if span > 0:
            recent = self.sold[:, self.sold[0] >= self.day - span]
            total = np.bincount(recent[1], weights=recent[3], minlength=len(total)) / span
        return total


def columns(values: Mapping[str, Json], *names: str) -> Ints:
    """Return named columns as an array with a row each."""
    return np.array([values[name] for name in names], dtype=np.int64)


def gathered(facts: Facts, memo: Json, trader: TraderParameters) -> Evidence:
    """Return the window's evidence; under `incident: ignore` day 0's duty and freight are believed for ever."""
    first = None
    if trader.incident == "ignore":
        first = memo["first"] if memo else {"duty": facts["duty"], "freight": facts["freight"]}
    frictions = facts if first is None else first
    skus = len(facts["skus"])
    category = np.arange(skus) // (skus // len(facts["categories"]))
    offers = columns(facts["published"], "firm", "sku", "country", "price_cents")
    return Evidence(
        facts=facts,
        window=facts["window"],
        day=facts["day"],
        days_left=HORIZON - facts["day"],
        category=category,
        guide=np.array(facts["guide"], dtype=np.float64),
        interest=np.array(facts["interest"], dtype=np.float64),
        duty=np.array(frictions["duty"], dtype=np.float64)[category] / 1000.0,
        freight=np.array(frictions["freight"], dtype=np.float64),
        stock=np.array(facts["stock"], dtype=np.int64),
        stock_cost=np.array(facts["stock_cost"], dtype=np.int64),
        inbound=np.array(facts["inbound"], dtype=np.int64),
        inbound_cost=np.array(facts["inbound_cost"], dtype=np.int64),
        quality=np.array(facts["stock_quality"], dtype=np.int64),
        listed=np.array(facts["listings"]["price"], dtype=np.int64),
        ad=np.array(facts["listings"]["ad"], dtype=np.int64),
        sold=columns(facts["sold"], "day", "sku", "country", "units"),
        published=offers[:, offers[0] != facts["seat"]],
        needed=np.array(facts["permit_needed"], dtype=np.int64),
        fee=np.array(facts["permit_fee"], dtype=np.int64),
        state=np.array(facts["permit_state"], dtype=np.int64),
        adjustment=np.array(memo["adjustment"]) if memo else np.ones(skus),
        first=first,
    )
