"""The ready studies of `commerce@1` through every command that a run meets, as a user types them."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.arena import ROOT, identity, tournament
from tournament.rundir.layout import read_plan

STUDIES = ROOT / "lineups" / "studies"
OWN_TABLES = ("uncertainty", "routes", "products", "compliance", "advertising", "inquiries", "events")


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the smoke study played whole, as run `r`."""
    folder = tmp_path_factory.mktemp("smoke")
    tournament("run", STUDIES / "commerce-smoke.yaml", "--out", "r", "--jobs", "2", cwd=folder)
    return folder


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def shortened(folder: Path, name: str, *, days: int) -> Path:
    """Write a ready study over fewer days and one seed, and nothing else changed."""
    lines = (STUDIES / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    short = [
        f"market: {{id: commerce@1, overrides: {{days: {days}}}}}"
        if line == "market: commerce@1"
        else "seeds: [11]"
        if line.startswith("seeds:")
        else line
        for line in lines
    ]
    assert sum(a != b for a, b in zip(lines, short, strict=True)) == 2
    path = folder / f"{name}.yaml"
    path.write_text("\n".join(short) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "worlds", "seats", "windows"),
    [("commerce-smoke", 8, 3, 10), ("commerce-solo", 110, 1, 31), ("commerce", 27, 8, 31)],
)
def test_a_ready_study_is_planned(tmp_path: Path, name: str, worlds: int, seats: int, windows: int) -> None:
    done = tournament("plan", STUDIES / f"{name}.yaml", cwd=tmp_path)
    assert f"study {name} (" in done.stdout
    assert f"{worlds} worlds = " in done.stdout
    assert f"{windows} windows, {seats} seat" in done.stdout


def test_every_world_of_the_smoke_study_is_replayed_as_it_was_played(smoke: Path) -> None:
    done = tournament("verify", "r", cwd=smoke)
    assert "8 of 8 worlds finished and replayed" in done.stdout
    assert "all as recorded" in done.stdout


def test_externalities_are_written_again_to_the_same_bytes_and_rivals_feel_each_other(smoke: Path) -> None:
    before = identity(smoke / "r")
    tournament("externalities", "r", cwd=smoke)
    assert identity(smoke / "r") == before
    directed = table(smoke / "r" / "externalities" / "directed.csv")
    assert len(directed) == 2 * 3 * 2
    # Sixty sellers dilute it, yet consumers and inquiries are shared.
    assert any(int(row["directed_cents"]) != 0 for row in directed)
    for row in table(smoke / "r" / "externalities" / "accounts.csv"):
        # `spending` is a sum of some of the others.
        parts = {name: int(cents) for name, cents in row.items() if name.endswith("_cents") and cents}
        effect, _ = parts.pop("effect_cents"), parts.pop("spending_cents")
        assert effect == sum(parts.values())


def test_the_direct_and_the_adaptive_part_add_up_to_the_effect(smoke: Path) -> None:
    run = smoke / "decomposed"
    shutil.copytree(smoke / "r", run)
    tournament("decompose", "decomposed", cwd=smoke)
    parts = table(run / "externalities" / "decomposition.csv")
    directed = table(run / "externalities" / "directed.csv")
    keys = ("entrant", "rival", "reference", "rotation", "seed", "repeat")
    whole = {tuple(row[key] for key in keys): int(row["directed_cents"]) for row in directed}
    for order in ("forward", "reverse"):
        found = {
            tuple(row[key] for key in keys): int(row[f"direct_{order}_cents"])
            + int(row[f"adaptive_{order}_cents"])
            for row in parts
        }
        assert found == whole


def test_the_report_has_the_markets_own_parts_beside_the_standard_ones(smoke: Path) -> None:
    tournament("report", "r", "--format", "html,csv,md", cwd=smoke)
    report = smoke / "r" / "report"
    for name in OWN_TABLES:
        assert table(report / "tables" / f"{name}.csv"), name
    index = (report / "index.html").read_text(encoding="utf-8")
    for heading in ("Routes and landed cost", "Events and rumours", "Uncertainty by contestant"):
        assert heading in index
    contestant = (report / "contestants" / "premium.html").read_text(encoding="utf-8")
    assert "Sell-through and margin by SKU" in contestant


def test_a_run_of_one_of_its_seeds_is_compared_with_it(smoke: Path) -> None:
    text = (STUDIES / "commerce-smoke.yaml").read_text(encoding="utf-8")
    (smoke / "one.yaml").write_text(text.replace("seeds: [11, 29]", "seeds: [11]"), encoding="utf-8")
    tournament("run", "one.yaml", "--out", "one", "--jobs", "2", cwd=smoke)
    done = tournament("compare", "r", "one", "--format", "csv", cwd=smoke)
    for name in ("wholesaler", "premium", "broker"):
        assert name in done.stdout
    scores = {(row["world"], row["seat"]): row["score_cents"] for row in table(smoke / "r" / "outcomes.csv")}
    again = table(smoke / "one" / "outcomes.csv")
    assert len(again) == 12
    assert all(scores[row["world"], row["seat"]] == row["score_cents"] for row in again)


def test_an_export_is_verified_elsewhere(smoke: Path, tmp_path: Path) -> None:
    tournament("export", "r", "--out", tmp_path / "r.tar.gz", cwd=smoke)
    done = tournament("verify", "r.tar.gz", cwd=tmp_path)
    assert "8 of 8 worlds" in done.stdout


def test_a_look_at_the_run_speaks_of_its_money(smoke: Path) -> None:
    done = tournament("watch", "r", "--once", cwd=smoke)
    assert "8 worlds: 8 done; 80 of 80 windows" in done.stdout
    assert "$" in done.stdout
    told = json.loads(tournament("watch", "r", "--once", "--json", cwd=smoke).stdout)
    assert {world["status"]["state"] for world in told["worlds"]} == {"done"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "worlds"), [("commerce-solo", 11), ("commerce", 9)])
def test_a_shortened_copy_of_a_ready_study_is_played_verified_and_reported(
    tmp_path: Path, name: str, worlds: int
) -> None:
    path = shortened(tmp_path, name, days=6)
    tournament("run", path, "--out", "r", "--jobs", "2", cwd=tmp_path)
    assert len(read_plan(tmp_path / "r")) == worlds
    done = tournament("verify", "r", cwd=tmp_path)
    assert f"{worlds} of {worlds} worlds finished and replayed" in done.stdout
    tournament("report", "r", "--format", "html,csv", cwd=tmp_path)
    rows = table(tmp_path / "r" / "report" / "tables" / "uncertainty.csv")
    contestants = {row["contestant"] for row in table(tmp_path / "r" / "outcomes.csv")}
    assert {row["Contestant"] for row in rows} == contestants
