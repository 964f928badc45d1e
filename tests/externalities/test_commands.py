"""The commands of the statistics as a user meets them, and the generated description of their tables."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from externalities import outputs
from externalities.outcome_rows import hybrids_table, outcomes_table
from externalities.write import write_externalities
from market.ceo_arena.published import PUBLISHED
from tests.cli.arena import ROOT, study, tournament
from tests.externalities import synthetic
from tests.externalities.tables import table
from tournament.experiments.decompose import DESIGN_COLUMNS, WINDOW_COLUMNS, score_columns

THREE_SEEDS = {
    "repeats": {11: 2, 29: 1, 47: 1},
    "references": {"rule": {11: 2, 29: 1, 47: 1}, "idle": {11: 1}},
}


@pytest.fixture(scope="module")
def street(tmp_path_factory):
    folder = tmp_path_factory.mktemp("street")
    tournament("run", study(folder, seeds=(1, 2, 3)), "--out", "r", "--jobs", "1", cwd=folder)
    return folder / "r"


def test_the_description_of_all_tables_is_current():
    assert (ROOT / "docs" / "outputs.md").read_text(encoding="utf-8") == outputs.markdown(PUBLISHED), (
        outputs.COMMAND
    )


def test_every_file_written_is_described(tmp_path):
    run = synthetic.write_run(tmp_path, synthetic.rows(**THREE_SEEDS))
    described = (ROOT / "docs" / "outputs.md").read_text(encoding="utf-8")
    for name in write_externalities(run).files:
        file = Path(name).name
        assert file in described or file.startswith("network-")


def test_columns_written_are_the_columns_described(tmp_path):
    run = synthetic.write_run(tmp_path, synthetic.rows())
    header = (run / "outcomes.csv").read_text(encoding="utf-8").splitlines()[0]
    assert list(outcomes_table(PUBLISHED).row.model_fields) == header.split(",")
    hybrids = [*DESIGN_COLUMNS, *score_columns(PUBLISHED), *WINDOW_COLUMNS]
    assert list(hybrids_table(PUBLISHED).row.model_fields) == hybrids


def test_externalities_shows_the_tables_and_answers_programs(street):
    done = tournament("externalities", "r", cwd=street.parent)
    for words in ("Mean Score", "Private returns and externalities against base", "cannot reject by design"):
        assert words in done.stdout
    answer = json.loads(tournament("externalities", "r", "--json", cwd=street.parent).stdout)
    assert answer["references"]["base"]["clusters"] == 3
    assert [item["rank"] for item in answer["references"]["base"]["operating"]] == [1, 2, 3, 4]


def test_the_run_itself_leaves_the_same_bytes_as_the_command(street):
    before = {path: path.read_bytes() for path in sorted((street / "externalities").rglob("*.*"))}
    tournament("externalities", "r", cwd=street.parent)
    assert {path: path.read_bytes() for path in before} == before


def test_score_and_baseline_choose_what_is_shown_and_a_level_has_its_own_folder(street):
    done = tournament(
        "externalities", "r", "--score", "cash", "--baseline", "base", "--ci", "0.8", cwd=street.parent
    )
    assert "Cash-only score" in done.stdout
    assert {item["ci_level"] for item in table(street, "private_summary.csv", "ci-0.8")} == {"0.8"}
    assert {item["ci_level"] for item in table(street, "private_summary.csv")} == {"0.95"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("externalities", "r", "--baseline", "nobody"),
            "no reference policy nobody in this run; there is base",
        ),
        (("externalities", "r", "--ci", "95"), "95 is not between 0.5 and 0.9999"),
        (("externalities", "r", "--repeat", "7"), "no world has repeat 7"),
        (("power", "r", "--effect", "10", "--entrant", "nobody"), "no entrant nobody; there is a, b, c"),
        (("power", "r", "--effect", "10", "--repeats", "1,x"), "is not a list of counts"),
        (("power", "r", "--effect", "10", "--power", "0.04"), "0.04 is not above the level 0.05"),
        (("calibrate", "--share", "2"), "2 is not between 0 and 1"),
        (("externalities", "nowhere"), "is not a run directory"),
    ],
)
def test_wrong_usage_is_told_in_one_line(street, arguments, told):
    done = tournament(*arguments, cwd=street.parent, expect=2)
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_power_answers_with_seeds_worlds_and_a_simulated_check(street):
    done = tournament("power", "r", "--effect", "5", "--estimand", "private", cwd=street.parent)
    assert "needed" in done.stdout
    assert "present" in done.stdout
    assert "no usage tables: replies and dollars unknown" in done.stdout
    found = [item for item in table(street, "power.csv") if item["question"] == "needed" and item["seeds"]]
    for item in found:
        assert int(item["worlds"]) == 4 * int(item["seeds"]) * int(float(item["repeats"]))
        error = 5 * float(item["simulation_error"]) + 1e-6
        assert abs(float(item["power"]) - float(item["simulated_power"])) < error
    assert tournament("verify", "r", cwd=street.parent).returncode == 0


@pytest.mark.parametrize(("unpriced", "dollars"), [(0, 1.5), (1, None)])
def test_power_prices_a_study_by_what_its_worlds_have_cost(street, tmp_path, unpriced, dollars):
    run = tmp_path / "r"
    shutil.copytree(street, run)
    for world in run.glob("worlds/*"):
        used = {"replies": [6, 14], "cost_usd": [1.0, 0.5], "unpriced_replies": [0, unpriced]}
        pd.DataFrame(used).to_parquet(world / "usage.parquet")
    tournament("power", "r", "--effect", "5", "--estimand", "private", cwd=tmp_path)
    needed = [item for item in table(run, "power.csv") if item["question"] == "needed" and item["seeds"]]
    assert needed
    for item in needed:
        worlds = int(item["worlds"])
        assert float(item["model_replies"]) == 20 * worlds
        assert item["usd"] == "" if dollars is None else float(item["usd"]) == dollars * worlds
        assert ("replies without a price: dollars unknown" in item["note"]) == (dollars is None)


def test_calibrate_prints_every_rule_and_writes_the_table(tmp_path):
    done = tournament(
        "calibrate", "--studies", "20", "--seeds", "3", "--agents", "3", "--out", "c.csv", cwd=tmp_path
    )
    for rule in ("|mean| > SD", "t interval", "percentile bootstrap", "sign flip, max-T"):
        assert rule in done.stdout
    with (tmp_path / "c.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {item["design"] for item in rows} == {"1+1+1", "3+1+1"}
    assert {item["studies"] for item in rows} == {"20"}
