"""Paths of firms by window, worked by hand on a market of two firms and two windows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from externalities.write import write_externalities
from tests.externalities import synthetic
from tests.externalities.tables import table


def played(folder: Path, exit_day: int | None = None) -> Path:
    """Write one world: tea at 100 and 200 cents, firm 1 short of tea in window 1, both developing."""
    made = synthetic.rows(lineup=("a", "b"), references={}, repeats={3: 1})
    for row in made:
        row["bankrupt_day"] = str(exit_day) if exit_day and row["contestant"] == "b" else ""
    run = synthetic.write_run(folder / "run", made)
    world = run / "worlds" / made[0]["world"]
    world.mkdir(parents=True)
    pd.DataFrame(
        [
            {
                "day": day,
                "seat": seat,
                "cash_cents": 1000 * seat + day,
                "price_cents_tea": 100 * seat,
                "promotion_percent_tea": 0,
                "stock_tea": 5,
                "inbound_tea": 0,
                "demand_tea": 10,
                "served_tea": 5 if seat == 1 and day > 2 else 10,
                "delivered_tea": 10,
                "revenue_cents_tea": 300 if seat == 1 else 100,
                "development_cents": 7 * seat,
                "procurement_cents": 0,
            }
            for day in range(1, 4)
            for seat in (1, 2)
        ]
    ).to_parquet(world / "daily.parquet")
    pd.DataFrame({"window": [0, 0, 1, 1]}).to_parquet(world / "windows.parquet")
    write_externalities(run)
    return run


def test_a_firm_is_measured_window_by_window(tmp_path: Path) -> None:
    rows = table(played(tmp_path), "paths.csv")
    first = [row for row in rows if row["contestant"] == "a"]
    assert [(row["window"], row["last_day"], row["firms"]) for row in first] == [
        ("0", "2", "1"),
        ("1", "3", "1"),
    ]
    assert [float(row["cash_cents"]) for row in first] == [1002, 1003]
    assert [float(row["revenue_share"]) for row in first] == [0.75, 0.75]
    assert [float(row["stockout_share"]) for row in first] == [0, 0.5]
    assert [float(row["spending_cents"]) for row in first] == [7, 7]
    assert float(first[0]["relative_price"]) == pytest.approx(100 / 150)


def test_a_firm_that_has_left_has_no_value_from_then_on(tmp_path: Path) -> None:
    run = played(tmp_path, exit_day=2)
    gone = [row for row in table(run, "paths.csv") if row["contestant"] == "b"]
    assert gone == []
    every = pd.read_parquet(run / "externalities" / "paths.parquet")
    left = every[every["contestant"] == "b"]
    assert not left["in_business"].any()
    assert left["revenue_share"].isna().all()
    stays = every[every["contestant"] == "a"]
    assert stays["relative_price"].tolist() == [pytest.approx(100 / 150), pytest.approx(1.0)]


def test_paths_are_written_once_and_not_again_without_salvage(tmp_path: Path) -> None:
    run = played(tmp_path)
    assert not (run / "externalities" / "cash" / "paths.csv").exists()
    assert {"posted_cents_tea"} <= set(pd.read_parquet(run / "externalities" / "paths.parquet").columns)
