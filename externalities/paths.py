"""How firms went through a world, window by window: paths.parquet for every firm, paths.csv on average.

What a reader wants to see moving the market declares as series and writes when a world ends; here it
meets the contestants' names, once, so that pictures only draw. A firm that has left has no value from
then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field, create_model

from externalities.outcomes import PlayedWorld
from externalities.rows import Row, TableSpec, csv_text, optional
from externalities.run_files import Run
from tournament.published import Published
from tournament.rundir.parquet import write_parquet
from tournament.storage import write_atomic

if TYPE_CHECKING:
    import pandas as pd

PATHS_PARQUET: Final = "paths.parquet"
SERIES_PARQUET: Final = "series.parquet"


class _Keys(Row):
    reference: str = Field(description="reference policy whose set of lineups is averaged")
    contestant: str = Field(description="contestant id")
    window: int = Field(description="decision window, from 0")
    last_day: int = Field(description="its last day")
    firms: int = Field(description="firms still in business at its end: seats in finished worlds")


@cache
def paths_table(published: Published) -> TableSpec:
    """Return the table of a market's averaged paths: closing cash, where there is cash, then its series."""
    fields: dict[str, Any] = {}
    if published.daily_cash is not None:
        told = f"closing cash of the last {published.time.unit}, mean over those firms"
        fields[published.daily_cash] = (float | None, Field(description=told))
    for series in published.series:
        if series.averaged:
            fields[series.name] = (
                float | None,
                Field(description=f"{series.sentence}; mean over those firms"),
            )
    row: type[Row] = create_model(
        "PathRow",
        __base__=_Keys,
        __doc__="One contestant's average firm in one window of a reference set.",
        **fields,
    )
    return TableSpec(
        file="paths.csv", row=row, description="How each contestant's firms go through a world, on average."
    )


def averaged(published: Published) -> tuple[str, ...]:
    """Return the columns of paths.csv that are means."""
    row = paths_table(published).row
    return tuple(name for name in row.model_fields if name not in _Keys.model_fields)


def write_paths(run: Run, folder: Path) -> dict[str, str]:
    """Write both files where the run's worlds have series; return their hashes by path within the run."""
    table = path_table(run)
    if table is None:
        return {}
    texts = csv_text(paths_table(run.published).row, path_rows(run, table))
    path = folder / paths_table(run.published).file
    written = {
        path: write_atomic(path, texts),
        folder / PATHS_PARQUET: write_parquet(
            folder / PATHS_PARQUET, {str(name): table[name].to_numpy() for name in table.columns}
        ),
    }
    return {path.relative_to(run.path).as_posix(): digest for path, digest in written.items()}


def path_table(run: Run) -> pd.DataFrame | None:
    """Return a row a world, window and seat, or None where no finished world has series."""
    import pandas as pd  # noqa: PLC0415

    found = list(_worlds(run.path, run.worlds))
    return pd.concat(found, ignore_index=True) if found else None


def _worlds(run: Path, worlds: tuple[PlayedWorld, ...]) -> Iterator[pd.DataFrame]:
    import pandas as pd  # noqa: PLC0415

    for world in worlds:
        path = run / "worlds" / world.world / SERIES_PARQUET
        if path.exists():
            table = pd.read_parquet(path)
            table.insert(0, "world", world.world)
            names = [world.seats[seat - 1] for seat in table["seat"]]
            table.insert(list(table.columns).index("seat") + 1, "contestant", names)
            yield table


def path_rows(run: Run, table: pd.DataFrame) -> list[Row]:
    """Return means over the firms of each contestant in each reference set, every firm alike."""
    rows: list[Row] = []
    row, measures = paths_table(run.published).row, list(averaged(run.published))
    for group in run.sets:
        mine = table[table["world"].isin(group.played) & table["in_business"]]
        for name in group.contestants:
            firms = mine[mine["contestant"] == name]
            means = firms.groupby("window", sort=True)[["last_day", *measures]].mean()
            counts = firms.groupby("window", sort=True).size()
            for window, values in zip(means.index, means.itertuples(index=False), strict=True):
                cells = dict(zip(measures, values[1:], strict=True))
                keys = {"reference": group.reference, "contestant": name, "window": int(str(window))}
                counted = {"last_day": int(values[0]), "firms": int(counts.loc[window])}
                told = {measure: optional(value) for measure, value in cells.items()}
                rows.append(row.model_validate({**keys, **counted, **told}))
    return rows
