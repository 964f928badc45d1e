"""Pooled effects, operating tables, bounds and stability, read from the files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from externalities.write import write_externalities
from tests.externalities import synthetic
from tests.externalities.tables import analysed, document, row, table

PAPER = {"repeats": {11: 3, 29: 1, 47: 1}, "references": {"rule": {11: 3, 29: 1, 47: 1}, "idle": {11: 1}}}
MANY = dict.fromkeys((2, 3, 5, 7, 11, 13, 17), 1)


def test_three_seeds_give_t_intervals_and_say_what_they_cannot_give(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows())
    directed = table(run, "directed_summary.csv")
    observed = [
        int(item["directed_cents"])
        for item in table(run, "directed.csv")
        if (item["entrant"], item["rival"]) == ("a1", "a2")
    ]
    found = row(directed, entrant="a1", rival="a2")
    interval = stats.ttest_1samp(observed, 0).confidence_interval(0.95)
    assert float(found["mean_cents"]) == pytest.approx(np.mean(observed), abs=1e-3)
    assert float(found["t_low_cents"]) == pytest.approx(interval.low, abs=1e-3)
    assert float(found["t_high_cents"]) == pytest.approx(interval.high, abs=1e-3)
    assert found["bootstrap"] == "not reported: 3 clusters"
    assert found["percentile_low_cents"] == found["bca_low_cents"] == found["p_flip"] == ""
    assert {item["verdict"] for item in directed} == {"cannot reject by design"}
    assert {item["p_smallest"] for item in directed} == {"0.25"}
    assert float(found["p_t"]) == pytest.approx(stats.ttest_1samp(observed, 0).pvalue, rel=1e-6)


def test_from_six_seeds_on_everything_is_reported(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(repeats=MANY))
    for item in table(run, "directed_summary.csv"):
        assert item["bootstrap"] == "10000 resamples of 7 clusters"
        assert float(item["percentile_low_cents"]) < float(item["percentile_high_cents"])
        assert float(item["p_max_t"]) >= float(item["p_flip"]) >= float(item["p_smallest"]) == 2**-6
        assert item["verdict"] in ("rejected", "not rejected")
        assert float(item["p_by"]) >= float(item["p_bh"])


def test_a_large_effect_among_many_is_found_by_max_t(tmp_path):
    def planted(name, lineup, seed, repeat):
        return 60_000_000 if name == "a2" and lineup != "rule-for-a1" else 0

    run, _ = analysed(tmp_path, synthetic.rows(repeats={**MANY, 19: 1}, extra=planted, key=8))
    directed = table(run, "directed_summary.csv")
    assert row(directed, entrant="a1", rival="a2")["verdict"] == "rejected"
    assert sum(item["verdict"] == "rejected" for item in directed) == 1


def test_repeats_are_averaged_within_a_seed_before_seeds_are_counted(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(**PAPER))
    observed: dict[str, list[int]] = {}
    for item in table(run, "private.csv"):
        if (item["entrant"], item["reference"]) == ("a3", "rule"):
            observed.setdefault(item["seed"], []).append(int(item["private_cents"]))
    found = row(table(run, "private_summary.csv"), entrant="a3", reference="rule")
    means = [np.mean(values) for values in observed.values()]
    assert (found["observations"], found["clusters"]) == ("5", "3")
    assert float(found["mean_cents"]) == pytest.approx(np.mean(means), abs=1e-3)
    assert float(found["sd_cents"]) == pytest.approx(np.std(means, ddof=1), abs=1e-3)


def test_one_seed_has_a_mean_and_a_reason(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(repeats={11: 1}))
    for item in table(run, "market_summary.csv"):
        assert item["mean_cents"] != ""
        assert item["se_cents"] == item["t_low_cents"] == item["p_t"] == ""
        assert item["note"] == "one seed: no standard error"


def test_total_and_mean_and_market_agree_with_private(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(lineup=synthetic.agents(5)))
    market = table(run, "market_summary.csv")
    for item in table(run, "private_summary.csv"):
        total = float(row(market, entrant=item["entrant"], estimand="total")["mean_cents"])
        mean = float(row(market, entrant=item["entrant"], estimand="mean")["mean_cents"])
        whole = float(row(market, entrant=item["entrant"], estimand="market")["mean_cents"])
        assert mean == pytest.approx(total / 4, abs=1e-3)
        assert float(item["mean_cents"]) + total == pytest.approx(whole, abs=1e-3)


def test_mean_score_weighs_repeats_then_lineups_then_seeds(tmp_path):
    made = synthetic.rows(**PAPER)
    run, _ = analysed(tmp_path, made)
    cells: dict[tuple[str, str], list[int]] = {}
    for item in made:
        if item["contestant"] == "a2" and item["reference"] in ("", "rule"):
            cells.setdefault((item["seed"], item["lineup"]), []).append(int(item["score_cents"]))
    by_seed: dict[str, list[float]] = {}
    for (seed, _), scores in cells.items():
        by_seed.setdefault(seed, []).append(float(np.mean(scores)))
    expected = np.mean([np.mean(lineups) for lineups in by_seed.values()])
    found = row(table(run, "operating.csv"), reference="rule", contestant="a2")
    assert float(found["mean_score_cents"]) == pytest.approx(expected, abs=1e-3)
    assert found["outcomes"] == found["planned"] == str(4 * 5)


def test_one_repeat_alone_counts_a_lineup_once_a_seed_in_a_folder_of_its_own(tmp_path):
    made = synthetic.rows(lineup=synthetic.agents(4), repeats=PAPER["repeats"])
    run, _ = analysed(tmp_path, made)
    whole = (run / "externalities" / "operating.csv").read_bytes()
    analysed(tmp_path, made, repeat=1)
    assert {item["outcomes"] for item in table(run, "operating.csv", "repeat-1")} == {"12"}
    assert (run / "externalities" / "operating.csv").read_bytes() == whole


def test_ranks_and_signs_become_bounds_where_a_world_is_missing(tmp_path):
    def spread(name, lineup, seed, repeat):
        return {"a1": 0, "a2": 1, "a3": 50, "a4": 90, "rule": 130}[name] * 1_000_000

    made = synthetic.rows(noise=1000.0, extra=spread)
    complete, _ = analysed(tmp_path / "whole", made)
    for item in table(complete, "operating.csv"):
        assert item["rank"] == item["rank_best"] == item["rank_worst"]
    for item in table(complete, "private_summary.csv"):
        assert item["bound_low_cents"] == item["bound_high_cents"] == item["mean_cents"]
    plan = [item for item in made if item["world"] != "ref.r0.s29.n1"]
    run = synthetic.write_run(tmp_path / "part", plan)
    synthetic.write_plan(run, made)
    summary = write_externalities(run)
    operating = table(run, "operating.csv")
    first, second = row(operating, contestant="a2"), row(operating, contestant="a1")
    assert (first["outcomes"], first["planned"]) == ("11", "12")
    assert (first["rank"], second["rank"]) == ("4", "5")
    assert (first["rank_best"], first["rank_worst"]) == ("4", "5")
    top = row(operating, contestant="rule")
    assert (top["rank_best"], top["rank_worst"]) == ("1", "1")
    private = row(table(run, "private_summary.csv"), entrant="a1")
    assert (private["observations"], private["planned"], private["clusters"]) == ("2", "3", "2")
    assert (
        float(private["bound_low_cents"]) < float(private["mean_cents"]) < float(private["bound_high_cents"])
    )
    assert private["sign"] == "-"
    assert row(table(run, "directed_summary.csv"), entrant="a1", rival="a2")["sign"] == "undetermined"
    assert document(run)["worlds"]["missing"] == ["ref.r0.s29.n1"]
    assert "missing: ref.r0.s29.n1" in summary.text


def test_a_contestant_without_a_world_has_no_rank_and_a_reason(tmp_path):
    made = synthetic.rows()
    run = synthetic.write_run(tmp_path, [item for item in made if item["lineup"] == "ref"])
    synthetic.write_plan(run, made)
    write_externalities(run)
    found = row(table(run, "operating.csv"), contestant="rule")
    assert (found["rank"], found["mean_score_cents"], found["note"]) == ("", "", "no completed world")
    assert {item["mean_cents"] for item in table(run, "private_summary.csv")} == {""}
    assert {item["note"] for item in table(run, "private_summary.csv")} == {"no finished pair"}


def test_equal_means_share_the_better_rank(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(noise=0.0))
    assert {item["rank"] for item in table(run, "operating.csv")} == {"1"}


def test_runs_are_ranked_on_their_own(tmp_path):
    made = synthetic.rows(**PAPER)
    run, _ = analysed(tmp_path, made)
    runs = [item for item in table(run, "operating_runs.csv") if item["reference"] == "rule"]
    assert len(runs) == 5 * 5
    scores = [
        int(item["score_cents"])
        for item in made
        if (item["contestant"], item["seed"], item["repeat"]) == ("a1", "11", "2")
        and item["reference"] != "idle"
    ]
    found = row(runs, seed="11", repeat="2", contestant="a1")
    assert float(found["mean_score_cents"]) == pytest.approx(np.mean(scores), abs=1e-3)
    assert sorted(item["rank"] for item in runs if (item["seed"], item["repeat"]) == ("11", "2")) == list(
        "12345"
    )


def test_the_five_observation_table_is_unweighted_and_carries_its_chance_rates(tmp_path):
    run, summary = analysed(tmp_path, synthetic.rows(**PAPER))
    observed = [
        int(item["directed_cents"])
        for item in table(run, "directed.csv")
        if (item["entrant"], item["rival"], item["reference"]) == ("a1", "a2", "rule")
    ]
    found = row(table(run, "stability.csv"), estimand="directed", entrant="a1", rival="a2", reference="rule")
    mean, sd = np.mean(observed), np.std(observed, ddof=1)
    assert found["structure"] == "3+1+1"
    assert float(found["mean_cents"]) == pytest.approx(mean, abs=1e-3)
    assert found["exceeds_sd"] == str(bool(abs(mean) > sd)).lower()
    assert found["same_sign"] == str(sum(np.sign(value) == np.sign(mean) for value in observed))
    rates = [float(found[f"chance_share_{share}"]) for share in (0, 25, 50, 75)]
    assert rates == pytest.approx([0.089, 0.13, 0.18, 0.24], abs=0.005)
    assert found["chance_estimated"] != ""
    assert "expected by chance" in summary.text


def test_a_negative_zero_is_never_printed(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(noise=0.0))
    for path in (run / "externalities").glob("*.csv"):
        assert "-0.0000" not in path.read_text()


def test_relabelling_contestants_relabels_every_summary(tmp_path):
    names = dict(zip(synthetic.agents(4), ("zeta", "alpha", "m-1", "b.2"), strict=True))
    plain, _ = analysed(tmp_path / "plain", synthetic.rows())
    renamed, _ = analysed(tmp_path / "renamed", synthetic.rows(lineup=list(names.values())))
    for name in (
        "operating.csv",
        "private_summary.csv",
        "directed_summary.csv",
        "pairwise.csv",
        "stability.csv",
    ):
        before = [
            {key: names.get(value, value) for key, value in item.items()} for item in table(plain, name)
        ]
        assert before == table(renamed, name)


def test_a_constant_added_to_one_world_moves_its_contrasts_and_no_other(tmp_path):
    def moved(name, lineup, seed, repeat):
        return 5_000 if (lineup, seed) == ("rule-for-a1", 29) else 0

    plain, _ = analysed(tmp_path / "plain", synthetic.rows())
    other, _ = analysed(tmp_path / "moved", synthetic.rows(extra=moved))
    for name, column in (("private.csv", "private_cents"), ("directed.csv", "directed_cents")):
        for before, after in zip(table(plain, name), table(other, name), strict=True):
            expected = 5_000 if (before["entrant"], before["seed"]) == ("a1", "29") else 0
            assert int(before[column]) - int(after[column]) == expected


def test_the_summary_document_names_study_worlds_and_resampling(tmp_path):
    run = synthetic.write_run(tmp_path, synthetic.rows())
    synthetic.write_manifest(run, "ready", "ab" * 32)
    write_externalities(run)
    found = document(run)
    assert (found["study"], found["study_hash"], found["score"]) == ("ready", "ab" * 32, "score")
    assert found["options"] == {"ci_level": 0.95, "bootstrap_draws": 10_000, "repeat": None}
    assert found["worlds"]["used"] == sorted(found["worlds"]["used"], key=found["worlds"]["used"].index)
    assert len(found["worlds"]["used"]) == found["worlds"]["finished"] == 15
    assert "ab" * 32 in found["resampling"]["name"]
    assert document(run, "cash")["score"] == "cash"
