"""What a run's stores came to, measure by measure of the MerchantBench paper's Table 1, from published tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from market.merchant.activity import Activity, activities
from market.merchant.figures import INITIAL_CAPITAL
from tournament.report_parts import RunTables, SeatedWorld

# How an order came to its end, or why there was none; `late` are those that ended well all the same.
FATES: Final = (
    *("normal", "late", "cancelled", "returned", "refunded", "bad_review"),
    *("stockout", "short"),
)


@dataclass(frozen=True, kw_only=True)
class Store:
    """One seat of a finished world: its declared outcomes, buyers by fate, and its activity."""

    world: str
    seat: int
    contestant: str
    outcome: Mapping[str, int | None]
    fates: Mapping[str, int] | None
    anomalies: int | None
    activity: Activity | None

    def whole(self, column: str) -> int:
        """Return an outcome that every store has."""
        value = self.outcome[column]
        assert value is not None, column
        return value

    @property
    def net_assets_cents(self) -> int:
        return self.whole("score_cents") + INITIAL_CAPITAL

    @property
    def margin(self) -> float | None:
        """Net profit over GMV; None without an order."""
        gmv = self.whole("gmv_cents")
        return self.whole("score_cents") / gmv if gmv else None

    @property
    def asked(self) -> int:
        """Orders born and buyers who found no stock: what the anomaly rate is a share of."""
        return self.whole("orders") + self.whole("stockouts")

    @cached_property
    def anomaly_rate(self) -> float | None:
        return self.anomalies / self.asked if self.anomalies is not None and self.asked else None

    @property
    def rating(self) -> float:
        return self.whole("mean_rating_thousandths") / 1000

    @property
    def listings(self) -> float:
        return self.whole("mean_listings_thousandths") / 1000

    @property
    def sustained(self) -> float | None:
        return None if self.activity is None else self.activity.sustained

    @property
    def tool_calls(self) -> int | None:
        return None if self.activity is None else self.activity.tool_calls


def stores(run: RunTables, worlds: Iterable[SeatedWorld] | None = None) -> Iterator[Store]:
    """Yield every store of the finished worlds, or of some of them, in order of play and seat."""
    for spec in run.worlds() if worlds is None else worlds:
        outcomes = run.outcomes(spec.world)
        fates = _fates(run, spec.world, len(spec.seats))
        active = activities(run, spec.world)
        for m, (contestant, outcome) in enumerate(zip(spec.seats, outcomes, strict=True)):
            counted, odd = (None, None) if fates is None else fates[m]
            lost = outcome["stockouts"] or 0
            if counted is not None:
                counted |= {"stockout": lost, "short": outcome["short"] or 0}
            yield Store(
                world=spec.world,
                seat=m + 1,
                contestant=contestant,
                outcome=outcome,
                fates=counted,
                anomalies=None if odd is None else odd + lost,
                activity=active.get(m + 1),
            )


def _fates(run: RunTables, world: str, seats: int) -> list[tuple[dict[str, int], int]] | None:
    """Return by seat the orders by how they ended, and how many of them were late or not normal."""
    orders = run.table(world, "orders")
    if orders is None:
        return None
    seat = np.array(orders["seat"], dtype=np.int64)
    late = np.array(orders["late"], dtype=bool)
    outcome = np.array(orders["outcome"], dtype=str)
    fate = np.where((outcome == "normal") & late, "late", outcome)
    found = []
    for number in range(1, seats + 1):
        own = fate[seat == number]
        counts = {name: int((own == name).sum()) for name in FATES[:6]}
        odd = int(((outcome != "normal") | late)[seat == number].sum())
        found.append((counts, odd))
    return found


def by_contestant(run: RunTables, found: Iterable[Store]) -> Mapping[str, Sequence[Store]]:
    """Return stores by contestant, in the study's order; who has none is left out."""
    groups: dict[str, list[Store]] = {name: [] for name in run.contestants}
    for store in found:
        groups[store.contestant].append(store)
    return {name: group for name, group in groups.items() if group}


def mean(group: Iterable[Store], value: Callable[[Store], float | None]) -> float | None:
    """Return the mean over the stores that have the value; None where none has."""
    known = [one for one in map(value, group) if one is not None]
    return sum(known) / len(known) if known else None
