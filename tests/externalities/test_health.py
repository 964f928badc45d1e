"""Market health: concentration and spread from outcomes, and what a market measured of its worlds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from externalities import health
from externalities.write import write_externalities
from tests.externalities import synthetic
from tests.externalities.tables import document, row, table

FROM_OUTCOMES = {"herfindahl_revenue", "gini_revenue", "score_spread_cents"}


def measured(run: Path, world: str, rows: list[tuple[str, str, float | None, str]]) -> None:
    """Write what a market measured of one world: measure, group, value, note."""
    folder = run / "worlds" / world
    folder.mkdir(parents=True)
    names = ("measure", "group", "value", "note")
    pd.DataFrame(rows, columns=names).astype({"value": float}).to_parquet(folder / "measures.parquet")


def test_concentration_and_spread_of_a_small_market():
    made = synthetic.rows(lineup=synthetic.agents(2), noise=0.0, repeats={11: 1})
    (world, *_) = synthetic.worlds(made)
    revenue = world.metrics["revenue_cents"]
    found = {item.name: item.value for item in health.outcome_measures(world, "score")}
    shares = revenue / revenue.sum()
    assert found["herfindahl_revenue"] == pytest.approx(float((shares**2).sum()))
    assert found["gini_revenue"] == pytest.approx(abs(shares[0] - shares[1]) / 2)
    assert found["score_spread_cents"] == 0.0
    assert health.mean_difference(np.array([1.0, 4.0, 10.0])) == pytest.approx((3 + 9 + 6) / 3)
    assert health.gini(np.array([1.0, 1.0, 1.0])) == 0.0


def test_what_the_market_measured_is_told_by_world_by_lineup_and_as_matched_differences(tmp_path):
    made = synthetic.rows(lineup=synthetic.agents(2))
    run = synthetic.write_run(tmp_path, made)
    values = {}
    for index, world in enumerate(sorted({item["world"] for item in made})):
        values[world] = 0.1 * index**2
        measured(
            run,
            world,
            [("any_rate", "", values[world], ""), ("any_rate", "x", None, "nobody"), ("other", "x", 2.0, "")],
        )
    write_externalities(run)
    worlds = table(run, "health.csv")
    here = [item["measure"] for item in worlds if item["world"] == "ref.r0.s11.n1"]
    assert here[-3:] == ["any_rate", "any_rate", "other"]
    missing = row(worlds, world="ref.r0.s11.n1", measure="any_rate", segment="x")
    assert (missing["value"], missing["note"]) == ("", "nobody")
    found = row(table(run, "health_differences.csv"), entrant="a1", measure="any_rate", segment="")
    by_seed = [values[f"ref.r0.s{seed}.n1"] - values[f"rule-for-a1.r0.s{seed}.n1"] for seed in (11, 29, 47)]
    assert float(found["mean"]) == pytest.approx(np.mean(by_seed), abs=1e-7)
    assert (found["clusters"], found["pairs"]) == ("3", "3")
    lineup = row(table(run, "health_lineups.csv"), lineup="ref", measure="other", segment="x")
    assert (lineup["mean"], float(lineup["sd"])) == ("2", 0.0)


def test_a_run_whose_worlds_have_no_measures_says_so_and_tells_concentration(tmp_path):
    run = synthetic.write_run(tmp_path, synthetic.rows(lineup=synthetic.agents(2)))
    told = write_externalities(run)
    assert {item["measure"] for item in table(run, "health.csv")} == FROM_OUTCOMES
    assert "measures: not offered by this run's market" in told.text.splitlines()
    assert "measures: not offered by this run's market" in document(run)["not_offered"]
