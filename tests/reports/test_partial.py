"""A report of a run that is not whole says what was not observed, and counts it."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pandas as pd

from externalities.write import write_externalities
from reports.write import write_report
from tests.cli.arena import study, tournament
from tests.reports.pages import Page
from tournament.rundir.manifest import record_files
from tournament.storage import sha256_of


def test_contestants_that_no_finished_world_holds_are_counted_and_said(tmp_path: Path) -> None:
    path = study(tmp_path)
    told = tournament("run", path, "--out", "r", "--only", "base-for-c*", cwd=tmp_path).stdout
    assert "none: no matched pair" in told
    assert "one seed" not in told
    tournament("report", "r", cwd=tmp_path)
    sentences = json.loads((tmp_path / "r" / "report" / "claims.json").read_text())["sentences"]
    told_above = [item["sentence"] for item in sentences if "Mean Score above zero" in item["sentence"]]
    assert told_above
    for sentence in told_above:
        assert sentence.startswith("3 of 4 contestants have a Mean Score above zero, 1 not observed; ")


def test_generated_tokens_that_are_estimated_stand_beside_them(panel: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(panel, tmp_path / "run", ignore=shutil.ignore_patterns("report")))
    for path in run.glob("worlds/*/usage.parquet"):
        table = pd.read_parquet(path)
        table["estimated_tokens"] = table["generated_tokens"]
        table.to_parquet(path)
        record_files(run, {str(path.relative_to(run)): sha256_of(path)})
    record_files(run, write_externalities(run).files)
    write_report(run)
    with (run / "report" / "tables" / "usage.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["of them estimated"] for row in rows] == [row["Generated tokens"] for row in rows]
    assert "30 generated tokens 30 of them estimated" in Page(run / "report/worlds/ref.r0.s11.n1.html").text


def test_what_one_world_does_not_know_a_sum_of_usage_does_not_know(panel: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(panel, tmp_path / "run", ignore=shutil.ignore_patterns("report")))
    path = run / "worlds" / "rule-for-sol.r0.s11.n1" / "usage.parquet"
    pd.read_parquet(path).drop(columns="cached_tokens").to_parquet(path)
    record_files(run, {str(path.relative_to(run)): sha256_of(path)})
    write_externalities(run)
    sums = json.loads((run / "externalities" / "usage.json").read_text(encoding="utf-8"))
    known = {row["contestant"]: row["cached_tokens"] for row in sums["contestants"]}
    assert known["astra"] is None
    assert known["sol"] is not None
    assert all(row["replies"] > 0 for row in sums["contestants"])
