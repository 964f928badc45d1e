"""What was not observed, or cannot be, is undetermined in every table and never a zero."""

from __future__ import annotations

from collections import Counter

import pytest

from externalities.write import write_externalities
from tests.externalities import synthetic
from tests.externalities.tables import analysed, document, row, table

ALL = [["a1", "a2", "a3"]]


@pytest.fixture(scope="module")
def unplayed(tmp_path_factory):
    """A run whose second reference policy is planned at a seed of which no world has ended."""
    made = synthetic.rows(repeats={11: 1, 29: 1}, references={"rule": {11: 1}, "idle": {29: 1}})
    run = synthetic.write_run(
        tmp_path_factory.mktemp("unplayed"), [item for item in made if item["seed"] == "11"]
    )
    synthetic.write_plan(run, made)
    write_externalities(run)
    return run


@pytest.fixture(scope="module")
def everybody(tmp_path_factory):
    """A run in which the reference policy takes all three seats at once."""
    made = synthetic.rows(
        lineup=synthetic.agents(3), replace=ALL, repeats=dict.fromkeys((1, 2, 3, 4, 5, 6), 1)
    )
    return analysed(tmp_path_factory.mktemp("everybody"), made)


def test_a_set_without_a_finished_world_leaves_every_rank_possible(unplayed):
    idle = [item for item in table(unplayed, "operating.csv") if item["reference"] == "idle"]
    assert len(idle) == 5
    assert {(item["rank"], item["rank_best"], item["rank_worst"]) for item in idle} == {("", "1", "5")}


@pytest.mark.parametrize("name", ["private_summary.csv", "directed_summary.csv", "market_summary.csv"])
def test_its_effects_have_no_bound_and_no_sign(unplayed, name):
    idle = [item for item in table(unplayed, name) if item["reference"] == "idle"]
    assert idle
    for item in idle:
        assert item["sign"] == "undetermined"
        assert item["bound_low_cents"] == item["bound_high_cents"] == item["mean_cents"] == ""


def test_no_table_gives_an_unplayed_set_a_number_of_cents(unplayed):
    for path in (unplayed / "externalities").glob("*.csv"):
        for item in table(unplayed, path.name):
            if item.get("reference") == "idle":
                assert {key: value for key, value in item.items() if key.endswith("_cents") and value} == {}


def test_no_rivals_no_externality(everybody):
    run, summary = everybody
    total = row(table(run, "market_summary.csv"), estimand="total")
    assert total["mean_cents"] == total["p_t"] == total["verdict"] == total["bound_low_cents"] == ""
    assert total["sign"] == "undetermined"
    assert total["note"] == "everybody is replaced: no rival is left, there is no externality"
    assert {item["total_externality_cents"] for item in table(run, "market.csv")} == {""}
    assert {item["estimand"] for item in table(run, "accounts.csv")} == {"private"}
    assert {item["estimand"] for item in table(run, "baselines.csv")} == {"private", "market"}
    stability = row(table(run, "stability.csv"), estimand="total")
    assert (stability["mean_cents"], stability["note"]) == ("", total["note"])
    private = row(table(run, "private_summary.csv"))
    market = row(table(run, "market_summary.csv"), estimand="market")
    assert private["mean_cents"] == market["mean_cents"] != ""
    assert "0.00" not in summary.text.split("Private returns")[1].split("Directed")[0]


def test_the_evidence_is_told_for_each_family_with_its_own_seeds(everybody):
    _, summary = everybody
    evidence = summary.text.split("Evidence by family")[1].splitlines()
    assert [line.split()[:3] for line in evidence[2:5]] == [
        ["private", "1", "6"],
        ["total", "1", "-"],
        ["market", "1", "6"],
    ]
    assert "t(5)" in evidence[2]
    assert "none: no rival is left" in evidence[3]
    assert "no matched pair" not in summary.text


def test_families_of_different_seeds_tell_their_span(tmp_path):
    made = synthetic.rows(lineup=synthetic.agents(3), repeats=dict.fromkeys(range(1, 8), 1))
    run = synthetic.write_run(
        tmp_path,
        [item for item in made if item["world"] not in ("rule-for-a1.r0.s1.n1", "rule-for-a1.r0.s2.n1")],
    )
    synthetic.write_plan(run, made)
    text = write_externalities(run).text
    assert "5-7  t(4) to t(6)" in text
    assert "1 cannot reject by design" in text


def test_verdicts_count_each_effect_once_and_each_family_by_itself(tmp_path):
    def planted(name, lineup, seed, repeat):
        return 90_000_000 if name == "a2" and lineup != "rule-for-a1" else 0

    repeats = dict.fromkeys((2, 3, 5, 7, 11, 13, 17, 19), 1)
    run, _ = analysed(tmp_path, synthetic.rows(repeats=repeats, extra=planted, key=8))
    found = document(run)["references"]["rule"]["families"]
    assert {name: family["effects"] for name, family in found.items()} == {
        "private": 4, "directed": 12, "total": 4, "market": 4
    }  # fmt: skip
    market = table(run, "market_summary.csv")
    for name, rows in {
        "private": table(run, "private_summary.csv"),
        "directed": table(run, "directed_summary.csv"),
        "total": [item for item in market if item["estimand"] == "total"],
        "market": [item for item in market if item["estimand"] == "market"],
    }.items():
        verdicts = Counter(item["verdict"] for item in rows)
        assert found[name]["rejected"] == verdicts["rejected"]
        assert found[name]["not rejected"] == verdicts["not rejected"]
        assert sum(verdicts.values()) == found[name]["effects"]
    assert found["directed"]["rejected"] == found["total"]["rejected"] == 1
