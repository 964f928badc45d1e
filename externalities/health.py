"""health.csv: who makes the market better for customers, by lineup and as matched differences.

Concentration and spread come from outcomes, the rest from the world's daily and market tables. Which
products and segments there are is read from the tables' columns; unit costs, which no table names, are
recovered from what was procured and checked against every cent of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from externalities.columns import ScoreKind
from externalities.inference import Array
from externalities.outcomes import PlayedWorld

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure of one world; `segment` is empty for the whole market; None with a note is undefined."""

    name: str
    segment: str
    value: float | None
    note: str = ""


MEASURES: Mapping[str, str] = {
    "herfindahl_revenue": "Herfindahl index of revenue shares (Hirschman 1964): 1/firms to 1",
    "gini_revenue": "Gini coefficient of revenue (Gini 1912): 0 equal",
    "score_spread_cents": "Gini's mean difference of Scores between two firms, in cents",
    "fill_rate": "units served at once / units demanded in the first round of choice",
    "mean_markup": "revenue-weighted posted price / unit cost - 1",
    "price_following": "slope of a firm's log price change on its rivals' mean change one window earlier",
    "surplus_utils": "ln(e^v0 + e^I) - v0 of the first round, weighted by arrivals, in utils: no welfare",
    "unserved_share": "customers who wanted to buy and left with nothing / arrivals",
}


def outcome_measures(world: PlayedWorld, kind: ScoreKind) -> list[Measure]:
    """Return concentration and spread of one world, from its outcomes alone (Hirschman 1964; Gini 1912)."""
    revenue = world.metrics["revenue_cents"].astype(np.float64)
    total = float(revenue.sum())
    shares = revenue / total if total > 0 else None
    none = "no revenue"
    return [
        Measure(
            name="herfindahl_revenue",
            segment="",
            value=None if shares is None else float((shares**2).sum()),
            note=none if shares is None else "",
        ),
        Measure(
            name="gini_revenue",
            segment="",
            value=None if shares is None else gini(revenue),
            note=none if shares is None else "",
        ),
        Measure(
            name="score_spread_cents",
            segment="",
            value=mean_difference(world.scores(kind).astype(np.float64)),
        ),
    ]


def mean_difference(values: Array) -> float:
    """Return Gini's mean difference: sum |x_i - x_j| / (n (n - 1)), two firms taken at random (Gini 1912)."""
    count = len(values)
    return float(np.abs(values[:, None] - values[None, :]).sum()) / (count * (count - 1))


def gini(values: Array) -> float:
    """Return the Gini coefficient sum |x_i - x_j| / (2 n^2 mean) of amounts from zero up (Gini 1912)."""
    count = len(values)
    return mean_difference(values) * (count - 1) / count / (2 * float(values.mean()))


def table_measures(folder: Path) -> list[Measure]:
    """Return the measures that a world's daily and market tables give; none where the tables are missing."""
    import pandas as pd  # noqa: PLC0415

    daily, market = folder / "daily.parquet", folder / "market.parquet"
    found: list[Measure] = []
    empty: set[int] = set()
    if daily.exists():
        table = pd.read_parquet(daily).sort_values(["day", "seat"], kind="stable")
        found += [fill_rate(table), mean_markup(table), price_following(table, window_days(folder))]
        empty = deserted_days(table)
    if market.exists():
        customers = pd.read_parquet(market)
        customers.loc[customers["day"].isin(empty), "inclusive_value"] = -np.inf
        found += customer_measures(customers)
    return found


def deserted_days(daily: pd.DataFrame) -> set[int]:
    """Return the days on which every firm has left: there is no offer to choose from."""
    here = daily.groupby("day")["cash_cents"].any()
    return {int(str(day)) for day in here.index[~here]}


def products(daily: pd.DataFrame) -> list[str]:
    """Return product names from the columns `price_cents_<product>`."""
    prefix = "price_cents_"
    return [str(name).removeprefix(prefix) for name in daily.columns if str(name).startswith(prefix)]


def fill_rate(daily: pd.DataFrame) -> Measure:
    """Return served / demanded, both of the first round, over the whole world."""
    demand = sum(int(daily[f"demand_{name}"].sum()) for name in products(daily))
    served = sum(int(daily[f"served_{name}"].sum()) for name in products(daily))
    value = served / demand if demand else None
    return Measure(name="fill_rate", segment="", value=value, note="" if demand else "no demand")


def mean_markup(daily: pd.DataFrame) -> Measure:
    """Return sum(revenue x (price / cost - 1)) / sum(revenue), prices as posted after promotion.

    Source: Tirole 1988.
    """
    costs = unit_costs(daily)
    if costs is None:
        return Measure(
            name="mean_markup", segment="", value=None, note="unit costs do not follow from procurement"
        )
    weight, weighted = 0.0, 0.0
    for name, cost in costs.items():
        revenue = daily[f"revenue_cents_{name}"].to_numpy(dtype=np.float64)
        posted = posted_prices(daily, name)
        weight += float(revenue.sum())
        weighted += float((revenue * (posted / cost - 1)).sum())
    value = weighted / weight if weight > 0 else None
    return Measure(name="mean_markup", segment="", value=value, note="" if weight > 0 else "no revenue")


def unit_costs(daily: pd.DataFrame) -> Mapping[str, int] | None:
    """Return each product's procurement cost in cents, or None where it is not one number.

    What a firm ordered in a day is the rise of stock and inbound plus what it delivered; procurement is
    the orders times their costs. The costs solve that over all days and must give it back to the cent.
    """
    names = products(daily)
    orders, paid = [], []
    for _, firm in daily.groupby("seat", sort=True):
        held = np.column_stack(
            [(firm[f"stock_{name}"] + firm[f"inbound_{name}"]).to_numpy(dtype=np.float64) for name in names]
        )
        delivered = np.column_stack([firm[f"delivered_{name}"].to_numpy(dtype=np.float64) for name in names])
        open_days = firm["cash_cents"].to_numpy()[1:] > 0  # what a firm that leaves held is written off
        orders.append((np.diff(held, axis=0) + delivered[1:])[open_days])
        paid.append(firm["procurement_cents"].to_numpy(dtype=np.float64)[1:][open_days])
    matrix, cents = np.concatenate(orders), np.concatenate(paid)
    if len(matrix) == 0 or np.linalg.matrix_rank(matrix) < len(names):
        return None
    costs = np.rint(np.linalg.lstsq(matrix, cents, rcond=None)[0])
    exact = bool((costs > 0).all()) and bool((matrix @ costs == cents).all())
    return {name: int(cost) for name, cost in zip(names, costs, strict=True)} if exact else None


def posted_prices(daily: pd.DataFrame, product: str) -> Array:
    """Return posted prices in cents: floor((price x (100 - promotion) + 50) / 100)."""
    price = daily[f"price_cents_{product}"].to_numpy(dtype=np.int64)
    promotion = daily[f"promotion_percent_{product}"].to_numpy(dtype=np.int64)
    posted: Array = ((price * (100 - promotion) + 50) // 100).astype(np.float64)
    return posted


def price_following(daily: pd.DataFrame, window: int) -> Measure:
    """Return the pooled slope of own on rivals' earlier log price changes, by product.

    b = sum x y / sum x^2 with y a firm's change in a window and x its rivals' mean change in the one
    before, both less their means: a descriptive regression, which common shocks move too.

    Source: CEO Arena, section 4.4.
    """
    own, others = _price_changes(daily, window)
    if own.size == 0 or float((others - others.mean()).std()) == 0.0:
        return Measure(name="price_following", segment="", value=None, note="no price ever moved")
    x, y = others - others.mean(), own - own.mean()
    return Measure(name="price_following", segment="", value=float((x * y).sum() / (x**2).sum()))


def _price_changes(daily: pd.DataFrame, window: int) -> tuple[Array, Array]:
    """Return a firm's change and its rivals' mean change one window earlier, over products and firms."""
    seats = int(daily["seat"].max())
    open_firms = daily["cash_cents"].to_numpy().reshape(-1, seats)[::window] > 0
    own, others = [], []
    for name in products(daily):
        posted = posted_prices(daily, name).reshape(-1, seats)[::window]
        usable = open_firms & (posted > 0)
        change = np.diff(np.log(np.where(usable, posted, 1.0)), axis=0)
        present = usable[1:] & usable[:-1]
        change = np.where(present, change, 0.0)
        count = present.sum(axis=1, keepdims=True) - present
        with np.errstate(divide="ignore", invalid="ignore"):
            rivals = (change.sum(axis=1, keepdims=True) - change) / count
        kept = present[1:] & present[:-1] & (count[:-1] > 0)
        own.append(change[1:][kept])
        others.append(rivals[:-1][kept])
    return np.concatenate(own), np.concatenate(others)


def window_days(folder: Path) -> int:
    """Return the days of a decision window, from the world's tables: the last window may be shorter."""
    import pandas as pd  # noqa: PLC0415

    path = folder / "windows.parquet"
    if not path.exists():
        return 1
    windows = int(pd.read_parquet(path, columns=["window"])["window"].max()) + 1
    days = int(pd.read_parquet(folder / "daily.parquet", columns=["day"])["day"].max())
    return -(-days // windows)


def customer_measures(market: pd.DataFrame) -> list[Measure]:
    """Return surplus and unserved share, for each segment and for the whole market (Small and Rosen 1981)."""
    parts = [("", market), *((str(name), part) for name, part in market.groupby("segment", sort=True))]
    found: list[Measure] = []
    for segment, part in parts:
        arrivals = part["arrivals"].to_numpy(dtype=np.float64)
        total = float(arrivals.sum())
        if total == 0:
            found += [
                Measure(name=name, segment=segment, value=None, note="no arrivals")
                for name in ("surplus_utils", "unserved_share")
            ]
            continue
        surplus = float((arrivals * surplus_utils(part)).sum()) / total
        unserved = float(part["unserved"].sum()) / total
        found.append(Measure(name="surplus_utils", segment=segment, value=surplus))
        found.append(Measure(name="unserved_share", segment=segment, value=unserved))
    return found


def surplus_utils(market: pd.DataFrame) -> Array:
    """Return ln(e^v0 + e^I) - v0 by row: the expected utility of choosing (Small and Rosen 1981).

    A day without any offer has I at minus infinity and no surplus.
    """
    outside = market["outside_value"].to_numpy(dtype=np.float64)
    inclusive = market["inclusive_value"].to_numpy(dtype=np.float64)
    difference: Array = np.logaddexp(0.0, np.where(np.isfinite(inclusive), inclusive - outside, -np.inf))
    return difference
