"""Direct and adaptive externality: hybrid worlds of lemonade stands, played from recorded seals alone."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.arena import rows, study, talker, tournament
from tests.externalities.tables import row, table

STAND = "{policy: stand@1, params: {price: 60}}"
HAGGLER = "{policy: haggler@1}"


def decomposed(folder: Path, file: Path) -> Path:
    tournament("run", file, "--out", "r", "--jobs", "1", cwd=folder)
    tournament("decompose", "r", "--jobs", "1", cwd=folder)
    return folder / "r"


@pytest.fixture(scope="module")
def street(tmp_path_factory):
    """Two hagglers and a stand, seed 1 played twice."""
    folder = tmp_path_factory.mktemp("street")
    file = study(folder)
    file.write_text(file.read_text().replace("seeds: [1, 2]", "seeds: [1, 2]\nrepeats: {1: 2, 2: 1}"))
    return decomposed(folder, file)


@pytest.fixture
def own_street(street, tmp_path):
    """Return a copy of the run that a test may change."""
    return Path(shutil.copytree(street, tmp_path / "r"))


def test_both_orders_sum_to_the_effect_and_hagglers_adapt(street):
    directed = table(street, "directed.csv")
    found = table(street, "decomposition.csv")
    assert len(found) == len(directed) == 3 * 6
    for item, effect in zip(found, directed, strict=True):
        total = int(item["total_cents"])
        assert total == int(effect["directed_cents"])
        for order in ("forward", "reverse"):
            assert int(item[f"direct_{order}_cents"]) + int(item[f"adaptive_{order}_cents"]) == total
        assert float(item["direct_mean_cents"]) + float(item["adaptive_mean_cents"]) == total
    assert any(int(item["adaptive_forward_cents"]) for item in found)
    pooled = row(table(street, "decomposition_summary.csv"), entrant="a", rival="b")
    assert (pooled["clusters"], pooled["pairs"]) == ("2", "3")


def test_another_repeat_gives_a_noise_floor(street):
    found = table(street, "decomposition.csv")
    assert {item["noise_repeat"] for item in found if item["seed"] == "1"} == {"1", "2"}
    # Policies without a model decide alike in every repeat: their noise floor is zero.
    assert {item["noise_cents"] for item in found if item["seed"] == "1"} == {"0"}
    assert {item["noise_cents"] for item in found if item["seed"] == "2"} == {""}


def test_rivals_that_do_not_react_have_an_adaptive_part_of_exactly_zero(tmp_path):
    file = study(tmp_path, third="{policy: stand@1, params: {price: 70}}")
    file.write_text(file.read_text().replace(HAGGLER, STAND))
    found = table(decomposed(tmp_path, file), "decomposition.csv")
    assert any(int(item["total_cents"]) for item in found)
    for item in found:
        assert item["adaptive_forward_cents"] == item["adaptive_reverse_cents"] == "0"


@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_hybrids_repeat_their_sources_seals_seat_by_seat(street, order):
    hybrid = street / "hybrids" / f"base-for-b.r0.s1.n1.{order}" / "journal.sqlite"
    control = street / "worlds" / "ref.r0.s1.n1" / "journal.sqlite"
    treated = street / "worlds" / "base-for-b.r0.s1.n1" / "journal.sqlite"
    rivals, own = (control, treated) if order == "forward" else (treated, control)
    for seal in rows(hybrid, "seals"):
        source = own if seal[1] == 2 else rivals
        assert seal[:4] in [other[:4] for other in rows(source, "seals")]


@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_a_hybrids_outcomes_are_in_the_table_that_statistics_read(street, order):
    with (street / "hybrids" / "hybrids.csv").open(newline="") as stream:
        hybrids = list(csv.DictReader(stream))
    found = row(hybrids, treated="base-for-a.r0.s1.n1", order=order, seat="1")
    assert found["contestant"] == ("base" if order == "forward" else "a")
    assert found["source"] == ("base-for-a.r0.s1.n1" if order == "forward" else "ref.r0.s1.n1")


def test_no_policy_is_called_and_refused_decisions_are_flagged(tmp_path):
    log = tmp_path / "calls.log"
    file = study(tmp_path, price=999, third=talker(log))
    tournament("run", file, "--out", "r", "--jobs", "1", cwd=tmp_path)
    asked = log.read_text()
    assert asked
    done = tournament("decompose", "r", "--jobs", "1", cwd=tmp_path)
    assert log.read_text() == asked
    assert "no policy called" in done.stdout
    found = table(tmp_path / "r", "decomposition.csv")
    assert "a" in {item["entrant"] for item in found if item["flagged"] == "true"}
    assert all((float(item["refused_share"]) > 0.02) == (item["flagged"] == "true") for item in found)


def test_verification_replays_hybrids_and_names_one_that_was_changed(own_street):
    manifest = json.loads((own_street / "manifest.json").read_text())
    name = "hybrids/base-for-a.r0.s1.n1.forward/journal.sqlite"
    assert name in manifest["files"]
    assert "hybrids/hybrids.csv" in manifest["files"]
    assert "all as recorded" in tournament("verify", "r", cwd=own_street.parent).stdout
    shutil.copyfile(own_street / "hybrids/base-for-a.r0.s2.n1.forward/journal.sqlite", own_street / name)
    assert name in tournament("verify", "r", cwd=own_street.parent, expect=4).stdout


def test_decomposing_again_changes_no_byte_and_externalities_keeps_the_table(own_street):
    kept = [path for path in sorted(own_street.rglob("*")) if path.suffix in (".csv", ".json", ".jsonl")]
    before = {path: path.read_bytes() for path in kept}
    tournament("decompose", "r", cwd=own_street.parent)
    tournament("externalities", "r", cwd=own_street.parent)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.slow
def test_a_partial_run_is_decomposed_as_far_as_it_goes(tmp_path):
    file = study(tmp_path)
    tournament("run", file, "--out", "r", "--only", "ref.*", cwd=tmp_path)
    done = tournament("decompose", "r", cwd=tmp_path, expect=2)
    assert "no matched pair of worlds is finished" in done.stderr
    tournament("run", file, "--out", "r", "--seed", "1", cwd=tmp_path)
    tournament("decompose", "r", cwd=tmp_path)
    assert {item["seed"] for item in table(tmp_path / "r", "decomposition.csv")} == {"1"}
    tournament("run", file, "--out", "r", cwd=tmp_path)
    tournament("decompose", "r", cwd=tmp_path)
    assert {item["seed"] for item in table(tmp_path / "r", "decomposition.csv")} == {"1", "2"}
    assert "all as recorded" in tournament("verify", "r", cwd=tmp_path).stdout
