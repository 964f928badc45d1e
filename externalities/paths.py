"""How firms went through a world, window by window: paths.parquet for every firm, paths.csv on average.

What a reader wants to see moving - prices, empty shelves, spending, share of the market - from the
daily tables, once, so that pictures only draw. A firm that has left has no value from then on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from externalities.health import posted_prices, products, window_days
from externalities.inference import Array
from externalities.outcomes import PlayedWorld
from externalities.rows import Row, TableSpec, csv_text, optional
from externalities.run_files import Run
from tournament.rundir.parquet import write_parquet
from tournament.storage import write_atomic

if TYPE_CHECKING:
    import pandas as pd

PATHS_PARQUET: Final = "paths.parquet"
CHOSEN: Final = ("development", "marketing", "reliability", "support", "capacity", "innovation", "research")
MEASURES: Final = ("cash_cents", "revenue_share", "stockout_share", "spending_cents", "relative_price")
Columns = Mapping[str, NDArray[Any] | Sequence[Any]]
Ints = NDArray[np.int64]


class PathRow(Row):
    """One contestant's average firm in one window of a reference set."""

    reference: str = Field(description="reference policy whose set of lineups is averaged")
    contestant: str = Field(description="contestant id")
    window: int = Field(description="decision window, from 0")
    last_day: int = Field(description="its last day")
    firms: int = Field(description="firms still in business at its end: seats in finished worlds")
    cash_cents: float | None = Field(description="closing cash of the last day, mean over those firms")
    revenue_share: float | None = Field(description="share of all firms' revenue in the window, mean")
    stockout_share: float | None = Field(
        description="first-round demand that was not served at once / first-round demand, mean"
    )
    spending_cents: float | None = Field(
        description=f"spent a day on {', '.join(CHOSEN)}, mean; what trade and overhead cost is left out"
    )
    relative_price: float | None = Field(
        description="posted price / mean posted price of firms in business, mean over products, days, firms"
    )


PATHS = TableSpec(
    file="paths.csv", row=PathRow, description="How each contestant's firms go through a world, on average."
)


def write_paths(run: Run, folder: Path) -> dict[str, str]:
    """Write both files where the run has daily tables; return their hashes by path within the run."""
    table = path_table(run)
    if table is None:
        return {}
    texts = csv_text(PATHS.row, path_rows(run, table))
    written = {
        folder / PATHS.file: write_atomic(folder / PATHS.file, texts),
        folder / PATHS_PARQUET: write_parquet(
            folder / PATHS_PARQUET, {str(name): table[name].to_numpy() for name in table.columns}
        ),
    }
    return {path.relative_to(run.path).as_posix(): digest for path, digest in written.items()}


def path_table(run: Run) -> pd.DataFrame | None:
    """Return a row a world, window and seat, or None where no finished world has a daily table."""
    import pandas as pd  # noqa: PLC0415

    found = [pd.DataFrame(columns) for columns in _worlds(run.path, run.worlds)]
    return pd.concat(found, ignore_index=True) if found else None


def _worlds(run: Path, worlds: Sequence[PlayedWorld]) -> Iterator[Columns]:
    import pandas as pd  # noqa: PLC0415

    for world in worlds:
        folder = run / "worlds" / world.world
        if (folder / "daily.parquet").exists():
            daily = pd.read_parquet(folder / "daily.parquet").sort_values(["day", "seat"], kind="stable")
            yield _columns(world, daily, window_days(folder))


def _columns(world: PlayedWorld, daily: pd.DataFrame, window: int) -> Columns:
    """Return one world's columns, in the order of windows and seats."""
    seats = len(world.seats)
    days = len(daily) // seats
    ends = np.minimum(np.arange(window, days + window, window), days)
    exits = np.array([day or days + 1 for day in world.bankrupt_days])
    open_at_end = ends[:, None] < exits[None, :]
    cells = _measures(daily, seats, np.arange(0, days, window), exits)
    return {
        "world": [world.world] * (len(ends) * seats),
        "window": np.repeat(np.arange(len(ends)), seats),
        "last_day": np.repeat(ends, seats),
        "seat": np.tile(np.arange(1, seats + 1), len(ends)),
        "contestant": list(world.seats) * len(ends),
        "in_business": open_at_end.ravel(),
        "cash_cents": np.where(open_at_end, _by_day(daily["cash_cents"], seats)[ends - 1], np.nan).ravel(),
        **{name: np.where(open_at_end, values, np.nan).ravel() for name, values in cells.items()},
    }


def _measures(daily: pd.DataFrame, seats: int, starts: Ints, exits: Ints) -> dict[str, Array]:
    """Return windows x seats of every measure but cash; a day counts for a firm until it has left."""
    names = products(daily)
    days = len(daily) // seats
    here = np.arange(1, days + 1)[:, None] <= exits[None, :]
    length = np.add.reduceat(here.astype(np.float64), starts, axis=0)

    def summed(columns: Sequence[str]) -> Array:
        table = sum((_by_day(daily[name], seats) for name in columns), np.zeros((days, seats)))
        return np.add.reduceat(np.where(here, table, 0.0), starts, axis=0)

    demand = summed([f"demand_{name}" for name in names])
    revenue = summed([f"revenue_cents_{name}" for name in names])
    spent = [f"{name}_cents" for name in CHOSEN if f"{name}_cents" in daily.columns]
    posted = [np.where(here, posted_prices(daily, name).reshape(-1, seats), np.nan) for name in names]
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.mean([prices / _mean(prices) for prices in posted], axis=0)
        return {
            "revenue_share": revenue / revenue.sum(axis=1, keepdims=True),
            "stockout_share": 1 - summed([f"served_{name}" for name in names]) / demand,
            "spending_cents": summed(spent) / length if spent else np.full(length.shape, np.nan),
            "relative_price": np.add.reduceat(np.nan_to_num(relative), starts, axis=0) / length,
            **{
                f"posted_cents_{name}": np.add.reduceat(np.nan_to_num(prices), starts, axis=0) / length
                for name, prices in zip(names, posted, strict=True)
            },
        }


def _mean(prices: Array) -> Array:
    """Return each day's mean over firms in business; NaN on a day without any."""
    there = ~np.isnan(prices)
    mean: Array = np.nansum(prices, axis=1, keepdims=True) / there.sum(axis=1, keepdims=True)
    return mean


def _by_day(column: pd.Series[Any], seats: int) -> Array:
    return column.to_numpy(dtype=np.float64).reshape(-1, seats)


def path_rows(run: Run, table: pd.DataFrame) -> list[Row]:
    """Return means over the firms of each contestant in each reference set, every firm alike."""
    rows: list[Row] = []
    for group in run.sets:
        mine = table[table["world"].isin(group.played) & table["in_business"]]
        for name in group.contestants:
            firms = mine[mine["contestant"] == name]
            means = firms.groupby("window", sort=True)[["last_day", *MEASURES]].mean()
            counts = firms.groupby("window", sort=True).size()
            for window, values in zip(means.index, means.itertuples(index=False), strict=True):
                cells = dict(zip(MEASURES, values[1:], strict=True))
                rows.append(
                    PathRow(
                        reference=group.reference,
                        contestant=name,
                        window=int(str(window)),
                        last_day=int(values[0]),
                        firms=int(counts.loc[window]),
                        **{measure: optional(value) for measure, value in cells.items()},
                    )
                )
    return rows
