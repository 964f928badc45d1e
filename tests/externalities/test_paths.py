"""Paths of firms by window: a market's series with the contestants' names, and their averages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from externalities.write import write_externalities
from tests.externalities import synthetic
from tests.externalities.tables import table
from tournament.published import OutcomeColumn, Published, Series

PUBLISHED = Published(
    columns=(
        OutcomeColumn(name="score_cents", kind="money", unit="cents", sentence="what counts", role="score"),
    ),
    accounts=(),
    series=(
        Series(name="share_of_tea", title="Tea", sentence="share of tea", kind="share"),
        Series(name="posted", title="Posted", sentence="posted price", kind="ratio", averaged=False),
    ),
    daily_cash="purse_cents",
)


def played(folder: Path, left: bool = False) -> Path:
    """Write six worlds of two firms and two windows; firm b has left in the second window if `left`."""
    made = synthetic.rows(lineup=("a", "b"), repeats={3: 1, 4: 1})
    run = synthetic.write_run(folder / "run", made, published=PUBLISHED)
    for number, world in enumerate(sorted({row["world"] for row in made})):
        place = run / "worlds" / world
        place.mkdir(parents=True)
        gone = np.array([False, False, False, left])
        cells = {
            "purse_cents": np.array([100.0, 200.0, 300.0, 400.0]) + 10 * number,
            "share_of_tea": np.array([0.25, 0.75, 0.5, 0.5]),
            "posted": np.array([1.0, 2.0, 3.0, 4.0]),
        }
        pd.DataFrame(
            {
                "window": [0, 0, 1, 1],
                "last_day": [7, 7, 9, 9],
                "seat": [1, 2, 1, 2],
                "in_business": ~gone,
                **{name: np.where(gone, np.nan, values) for name, values in cells.items()},
            }
        ).to_parquet(place / "series.parquet")
    write_externalities(run)
    return run


def test_every_firm_has_its_path_under_its_contestants_name(tmp_path: Path) -> None:
    every = pd.read_parquet(played(tmp_path) / "externalities" / "paths.parquet")
    assert list(every.columns) == [
        "world", "window", "last_day", "seat", "contestant", "in_business", "purse_cents", "share_of_tea", "posted"
    ]  # fmt: skip
    assert every["contestant"].tolist()[:8] == ["a", "b", "a", "b"] * 2
    instead = every[every["world"] == "rule-for-b.r0.s4.n1"]
    assert instead["contestant"].tolist() == ["a", "rule"] * 2
    assert instead["posted"].tolist() == [1, 2, 3, 4]


def test_cash_and_averaged_series_are_means_over_a_contestants_firms(tmp_path: Path) -> None:
    rows = [item for item in table(played(tmp_path), "paths.csv") if item["contestant"] == "a"]
    assert list(rows[0]) == [
        "reference", "contestant", "window", "last_day", "firms", "purse_cents", "share_of_tea"
    ]  # fmt: skip
    assert [(item["window"], item["last_day"], item["firms"]) for item in rows] == [
        ("0", "7", "4"),
        ("1", "9", "4"),
    ]
    assert [float(item["purse_cents"]) for item in rows] == [125, 325]
    assert [float(item["share_of_tea"]) for item in rows] == [0.25, 0.5]


def test_a_firm_that_has_left_has_no_value_from_then_on(tmp_path: Path) -> None:
    run = played(tmp_path, left=True)
    gone = [item["window"] for item in table(run, "paths.csv") if item["contestant"] == "b"]
    assert gone == ["0"]
    every = pd.read_parquet(run / "externalities" / "paths.parquet")
    left = every[(every["contestant"] == "b") & (every["window"] == 1)]
    assert not left["in_business"].any()
    assert left["share_of_tea"].isna().all()


def test_a_run_whose_worlds_have_no_series_says_so_and_has_no_paths(tmp_path: Path) -> None:
    made = synthetic.rows(lineup=("a", "b"))
    run = synthetic.write_run(tmp_path / "run", made)
    assert "paths: not offered by this run's market" in write_externalities(run).text
    assert not (run / "externalities" / "paths.csv").exists()


def test_paths_are_written_once_and_not_again_without_salvage(tmp_path: Path) -> None:
    run = synthetic.write_run(tmp_path / "run", synthetic.rows(lineup=("a", "b")))
    world = run / "worlds" / "ref.r0.s11.n1"
    world.mkdir(parents=True)
    pd.DataFrame(
        {
            "window": [0, 0],
            "last_day": [7, 7],
            "seat": [1, 2],
            "in_business": [True, True],
            **dict.fromkeys(
                ("cash_cents", "revenue_share", "stockout_share", "spending_cents", "relative_price"), 1.0
            ),
        }
    ).to_parquet(world / "series.parquet")
    write_externalities(run)
    assert float(table(run, "paths.csv")[0]["relative_price"]) == pytest.approx(1.0)
    assert (run / "externalities" / "cash" / "operating.csv").exists()
    assert not (run / "externalities" / "cash" / "paths.csv").exists()
