"""`tournament compare`: estimates of several runs side by side, where they may stand side by side."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cli.arena import ROOT, TOY, tournament

Rows = list[dict[str, str]]
STUDY = """\
study: {name}
market: {{id: lemonade@1, overrides: {{days: {days}}}}}
seeds: {seeds}
contestants:
  base: {{policy: stand@1, params: {{price: {base}}}}}
  a: {{policy: haggler@1}}
  b: {{policy: stand@1, params: {{price: 80}}}}
  {third}: {{policy: stand@1, params: {{price: {price}}}}}
lineup: [{lineup}]
references: [{{contestant: base}}]
"""


def play(
    folder: Path,
    name: str,
    *,
    days: int = 28,
    seeds: Sequence[int] = (1, 2),
    base: int = 95,
    third: str = "c",
    price: int = 70,
    lineup: str = "a, b, c",
    more: Sequence[str] = (),
) -> Path:
    """Play a study of three lemonade stands into a run directory of its name."""
    text = STUDY.format(
        name=name, days=days, seeds=list(seeds), base=base, third=third, price=price, lineup=lineup
    )
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    tournament("run", f"{name}.yaml", "--out", name, *more, cwd=folder)
    return folder / name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs that most tests compare."""
    found = tmp_path_factory.mktemp("runs")
    play(found, "first")
    play(found, "again")
    play(found, "other", third="d", price=75, lineup="a, b, d")
    play(found, "longer", seeds=(1, 2, 3))
    play(found, "short", days=21)
    return found


def table(folder: Path, *runs: str) -> Rows:
    done = tournament("compare", *runs, "--format", "csv", cwd=folder)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def chosen(rows: Rows, **keys: str) -> Rows:
    return [row for row in rows if all(row[key] == value for key, value in keys.items())]


def one(rows: Rows, **keys: str) -> dict[str, str]:
    (row,) = chosen(rows, **keys)
    return row


def cells(run: Path, name: str, **keys: str) -> dict[str, str]:
    with (run / "externalities" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return one(list(csv.DictReader(stream)), **keys)


def test_two_runs_of_one_study_stand_side_by_side_and_every_difference_is_zero(folder: Path) -> None:
    rows = table(folder, "first", "again")
    assert rows
    assert {row["why_not"] for row in rows} == {""}
    assert {row["note"] for row in rows} == {""}
    assert {Decimal(row["difference"]) for row in rows} == {0}
    assert {row["table"] for row in rows} == {
        "operating", "private_summary", "market_summary", "directed_summary", "private", "market", "directed"
    }  # fmt: skip


def test_another_entrant_in_the_same_place_is_compared_with_the_first_and_named(folder: Path) -> None:
    rows = table(folder, "first", "other")
    row = one(rows, table="private_summary", contestant="c")
    ours = cells(folder / "first", "private_summary", entrant="c")
    theirs = cells(folder / "other", "private_summary", entrant="d")
    assert (row["run_contestant"], row["base_value"], row["run_value"]) == (
        "d", ours["mean_cents"], theirs["mean_cents"]
    )  # fmt: skip
    assert (row["base_low"], row["run_high"]) == (ours["t_low_cents"], theirs["t_high_cents"])
    assert Decimal(row["difference"]) == Decimal(theirs["mean_cents"]) - Decimal(ours["mean_cents"]) != 0
    assert row["note"].startswith("another entrant in this place: stand@1-")


def test_an_entrant_among_other_rivals_has_no_difference_and_the_rival_is_named(folder: Path) -> None:
    rows = table(folder, "first", "other")
    for row in (*chosen(rows, contestant="a"), *chosen(rows, contestant="base")):
        assert row["difference"] == ""
        assert row["why_not"].startswith("rivals differ: c (stand@1-")
        assert "/ d (stand@1-" in row["why_not"]
        assert row["base_value"]
        assert row["run_value"]


def test_means_over_other_seeds_are_not_subtracted_but_pairs_of_a_common_seed_are(folder: Path) -> None:
    rows = table(folder, "first", "longer")
    row = one(rows, table="private_summary", contestant="a")
    assert (row["difference"], row["why_not"]) == ("", "draws differ: seed 1+2 / seed 1+2+3")
    operating = one(rows, table="operating", quantity="mean_score_cents", contestant="a")
    assert (operating["difference"], operating["base_n"], operating["run_n"]) == ("", "6", "9")
    pairs = chosen(rows, table="private", contestant="a")
    assert [row["seed"] for row in pairs] == ["1", "2"]
    assert {row["difference"] for row in pairs} == {"0"}
    shown = tournament("compare", "first", "longer", cwd=folder).stdout
    assert "draws differ: seed 1+2 / seed 1+2+3" in shown
    assert "6 matched pairs on the same draws" in shown


def test_contestants_are_matched_by_what_they_are_not_by_what_they_are_called(tmp_path: Path) -> None:
    play(tmp_path, "one", third="c")
    play(tmp_path, "two", third="chameleon", lineup="a, b, chameleon")
    row = one(table(tmp_path, "one", "two"), table="private_summary", contestant="c")
    assert (row["run_contestant"], row["note"], Decimal(row["difference"])) == ("chameleon", "", 0)


def test_one_name_for_two_policies_is_said_to_be_another_entrant(tmp_path: Path) -> None:
    play(tmp_path, "one", price=70)
    play(tmp_path, "two", price=75)
    row = one(table(tmp_path, "one", "two"), table="private_summary", contestant="c")
    assert row["run_contestant"] == "c"
    assert row["note"].startswith("another entrant in this place")


def test_another_seat_is_another_place(tmp_path: Path) -> None:
    play(tmp_path, "one", lineup="a, b, c")
    play(tmp_path, "two", lineup="b, a, c")
    done = tournament("compare", "one", "two", cwd=tmp_path, expect=2)
    assert (
        "nothing is comparable: one and two: seat 1 / 2; seat 2 / 1; rivals differ: a (haggler@1-"
        in done.stderr
    )


def test_another_scenario_is_refused_in_one_line_that_says_why(folder: Path) -> None:
    done = tournament("compare", "first", "short", cwd=folder, expect=2)
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: nothing is comparable: first and short: scenario: lemonade@1")
    assert done.stdout == ""


def test_what_is_not_comparable_stands_apart_while_the_others_are_compared(folder: Path) -> None:
    done = tournament("compare", "short", "first", "again", cwd=folder)
    assert "again against first: study again" in done.stdout
    assert "not side by side: short and first: scenario: " in done.stdout
    told = json.loads(tournament("compare", "short", "first", "again", "--json", cwd=folder).stdout)
    assert [(item["base"], item["run"]) for item in told["comparisons"]] == [("first", "again")]
    assert any(line.startswith("short and first: scenario: ") for line in told["alone"])


def test_another_reference_policy_leaves_nothing_to_compare(folder: Path, tmp_path: Path) -> None:
    run = play(tmp_path, "dear", base=120)
    done = tournament("compare", folder / "first", run, cwd=tmp_path, expect=2)
    assert "only dear has the reference policy base (stand@1-" in done.stderr


def test_runs_of_other_sources_are_compared_only_when_asked_and_the_difference_is_said(
    folder: Path, tmp_path: Path
) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(TOY, plugin)
    policies = plugin / "lemonade" / "policies.py"
    policies.write_text(policies.read_text().replace("as ever", "as usual"))
    (tmp_path / "first.yaml").write_text((folder / "first.yaml").read_text())
    env = {"PYTHONPATH": os.pathsep.join([str(plugin), str(ROOT)])}
    tournament("run", "first.yaml", "--out", "changed", cwd=tmp_path, env=env)
    done = tournament("compare", folder / "first", "changed", cwd=tmp_path, expect=2)
    assert "nothing is comparable: first and changed: sources of lemonade: " in done.stderr
    done = tournament("compare", folder / "first", "changed", "--across-sources", cwd=tmp_path)
    assert "sources differ: lemonade: " in done.stdout
    assert "changed against first" in done.stdout


def test_an_unfinished_run_is_compared_where_it_has_the_same_worlds(folder: Path, tmp_path: Path) -> None:
    part = play(tmp_path, "first", more=("--only", "*[!c].r0.s1.*"))
    rows = table(tmp_path, str(folder / "first"), str(part))
    assert {row["contestant"] for row in chosen(rows, table="private")} == {"a", "b"}
    assert {row["difference"] for row in chosen(rows, table="private")} == {"0"}
    row = one(rows, table="private_summary", contestant="a")
    assert (row["difference"], row["why_not"]) == ("", "draws differ: seed 1+2 / seed 1")
    (row, _, _) = chosen(rows, table="operating", contestant="a")
    assert row["why_not"] == "draws differ: seed 1+2 / seed 1"
    row = one(rows, table="private_summary", contestant="c")
    assert (row["run_value"], row["why_not"]) == ("", "draws differ: seed 1+2 / none")


def test_a_table_that_was_changed_is_damage_and_a_missing_one_is_named(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "first", tmp_path / "x")
    private = tmp_path / "x" / "externalities" / "private_summary.csv"
    private.write_text(private.read_text().replace("a,base", "a,base ", 1))
    done = tournament("compare", folder / "first", "x", cwd=tmp_path, expect=4)
    assert "private_summary.csv is not what was published" in done.stderr
    private.unlink()
    done = tournament("compare", folder / "first", "x", cwd=tmp_path, expect=4)
    assert "private_summary.csv was published and is missing" in done.stderr


def test_bad_usage_is_refused_in_one_line(folder: Path) -> None:
    done = tournament("compare", "first", cwd=folder, expect=2)
    assert done.stderr == "error: a comparison needs two runs or more\n"
    done = tournament("compare", "first", "./first", cwd=folder, expect=2)
    assert "first: is given twice" in done.stderr
    done = tournament("compare", "first", "nowhere", cwd=folder, expect=2)
    assert "nowhere is not a run directory" in done.stderr


def test_people_read_aligned_text_and_papers_markdown_with_the_same_numbers(folder: Path) -> None:
    text = tournament("compare", "first", "other", cwd=folder).stdout
    row = cells(folder / "first", "private_summary", entrant="c")
    shown = f"{Decimal(row['mean_cents']) / 100:,.2f}"  # in euros: nothing here reaches a thousand
    assert any(line.startswith("c / d") and shown in line for line in text.splitlines())
    markdown = tournament("compare", "first", "other", "--format", "md", cwd=folder).stdout
    assert "## other against first: study other" in markdown
    assert f"| c / d | private | {shown} |" in markdown
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines if line.startswith("| entrant | effect")}) == 1
    assert sum(line.startswith("| a | b |") for line in lines) == 1


def test_an_export_is_compared_like_the_run_it_is_of(folder: Path, tmp_path: Path) -> None:
    tournament("export", folder / "first", "--out", "first.tar.gz", cwd=tmp_path)
    shutil.unpack_archive(tmp_path / "first.tar.gz", tmp_path / "u", filter="data")
    (unpacked,) = (tmp_path / "u").iterdir()
    rows = table(tmp_path, str(folder / "again"), str(unpacked))
    assert {Decimal(row["difference"]) for row in rows} == {0}
