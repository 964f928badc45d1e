"""The estimands and the three matched tables, through the files they are read from and written to."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from externalities.estimands import contrasts
from externalities.write import write_externalities
from lineups.pairs import matched_pairs
from tests.externalities import synthetic
from tournament.errors import DamageError, InputError

SCORES = {
    # (lineup, contestant) -> cents, two entrants and a rival, worked by hand
    ("ref", "a1"): 1000,
    ("ref", "a2"): -300,
    ("ref", "a3"): 50,
    ("rule-for-a1", "rule"): 400,
    ("rule-for-a1", "a2"): 100,
    ("rule-for-a1", "a3"): 49,
    ("rule-for-a2", "rule"): -700,
    ("rule-for-a2", "a1"): 1003,
    ("rule-for-a2", "a3"): 50,
    ("rule-for-a3", "rule"): 0,
    ("rule-for-a3", "a1"): 1000,
    ("rule-for-a3", "a2"): -300,
}


def by_hand():
    return synthetic.rows(
        lineup=synthetic.agents(3),
        repeats={11: 1},
        noise=0.0,
        extra=lambda name, lineup, seed, repeat: SCORES[lineup, name],
    )


def table(run: Path, name: str) -> list[dict[str, str]]:
    with (run / "externalities" / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_table_worked_by_hand_comes_out_to_the_cent(tmp_path):
    run = synthetic.write_run(tmp_path, by_hand())
    write_externalities(run)
    assert {row["entrant"]: row["private_cents"] for row in table(run, "private.csv")} == {
        "a1": "600",
        "a2": "400",
        "a3": "50",
    }
    directed = {(row["entrant"], row["rival"]): row["directed_cents"] for row in table(run, "directed.csv")}
    assert directed == {
        ("a1", "a2"): "-400",
        ("a1", "a3"): "1",
        ("a2", "a1"): "-3",
        ("a2", "a3"): "0",
        ("a3", "a1"): "0",
        ("a3", "a2"): "0",
    }
    market = {row["entrant"]: row for row in table(run, "market.csv")}
    assert market["a1"]["total_externality_cents"] == "-399"
    assert market["a1"]["mean_externality_cents"] == "-199.5000"
    assert market["a1"]["market_difference_cents"] == "201"
    assert market["a3"]["mean_externality_cents"] == "0.0000"


def test_headers_are_the_contracts(tmp_path):
    run = synthetic.write_run(tmp_path, by_hand())
    write_externalities(run)
    folder = run / "externalities"
    assert (
        (folder / "private.csv")
        .read_text()
        .startswith("entrant,reference,rotation,seed,repeat,private_cents\n")
    )
    assert (
        (folder / "directed.csv")
        .read_text()
        .startswith("entrant,rival,reference,rotation,seed,repeat,directed_cents\n")
    )
    assert (
        (folder / "market.csv")
        .read_text()
        .startswith(
            "entrant,reference,rotation,seed,repeat,total_externality_cents,"
            "mean_externality_cents,market_difference_cents\n"
        )
    )


def test_pairs_match_rotation_seed_and_repeat_and_several_references(tmp_path):
    made = synthetic.rows(
        repeats={11: 3, 29: 1, 47: 1},
        references={"rule": {11: 3, 29: 1, 47: 1}, "idle": {11: 1}},
        rotations=(0, 1),
    )
    pairs = matched_pairs(synthetic.worlds(made))
    assert len(pairs) == 2 * 4 * (5 + 1)
    for pair in pairs:
        assert pair.control.draw == pair.treated.draw == pair.draw
        seat = pair.replaced[0]
        assert pair.control.seats[seat] == pair.entrant
        assert pair.treated.seats[seat] == pair.reference


def test_several_replaced_at_once_are_summed_over_their_seats():
    made = synthetic.rows(replace=[["a1", "a3"]], repeats={11: 1})
    (pair,) = matched_pairs(synthetic.worlds(made))
    found = contrasts([pair])
    control, treated = pair.control.scores("score"), pair.treated.scores("score")
    assert pair.entrant == "a1+a3"
    assert found.private[0].cents == control[0] - treated[0] + control[2] - treated[2]
    assert [effect.rival for effect in found.directed] == ["a2", "a4"]
    assert found.market[0].mean_cents == found.market[0].total_cents / 2


def test_a_missing_world_costs_its_own_pairs_only(tmp_path):
    whole = synthetic.rows()
    without_treated = [row for row in whole if row["world"] != "rule-for-a2.r0.s29.n1"]
    without_control = [row for row in whole if row["world"] != "ref.r0.s29.n1"]
    assert len(matched_pairs(synthetic.worlds(whole))) == 12
    assert len(matched_pairs(synthetic.worlds(without_treated))) == 11
    assert len(matched_pairs(synthetic.worlds(without_control))) == 8
    only_reference = synthetic.write_run(tmp_path, [row for row in whole if row["reference"] == ""])
    write_externalities(only_reference)
    assert table(only_reference, "private.csv") == []


def test_the_cash_score_leaves_salvage_out():
    pairs = matched_pairs(synthetic.worlds(synthetic.rows()))
    for pair, score, cash in zip(
        pairs, contrasts(pairs).private, contrasts(pairs, "cash").private, strict=True
    ):
        seat = pair.replaced[0]
        salvage = pair.control.metrics["salvage_cents"] - pair.treated.metrics["salvage_cents"]
        assert score.cents - cash.cents == salvage[seat]


@settings(max_examples=30, deadline=None)
@given(key=st.integers(0, 10_000), count=st.integers(2, 6), shuffle=st.integers(0, 99))
def test_private_and_total_make_the_market_difference_in_any_row_order(key, count, shuffle):
    made = synthetic.rows(lineup=synthetic.agents(count), key=key, rotations=(0, 1))
    mixed = made.copy()
    random.Random(shuffle).shuffle(mixed)
    found = contrasts(matched_pairs(synthetic.worlds(mixed)))
    assert found == contrasts(matched_pairs(synthetic.worlds(made)))
    for gain, difference in zip(found.private, found.market, strict=True):
        directed = [
            effect.cents
            for effect in found.directed
            if (effect.entrant, effect.reference, effect.draw) == (gain.entrant, gain.reference, gain.draw)
        ]
        assert sum(directed) == difference.total_cents
        assert gain.cents + sum(directed) == difference.market_cents


@settings(max_examples=20, deadline=None)
@given(constant=st.integers(-(10**9), 10**9))
def test_a_constant_added_to_every_firm_at_one_seed_changes_no_contrast(constant):
    plain = synthetic.rows()
    moved = synthetic.rows(extra=lambda name, lineup, seed, repeat: constant if seed == 29 else 0)
    before, after = (contrasts(matched_pairs(synthetic.worlds(made))) for made in (plain, moved))
    assert before == after


def test_relabelling_contestants_relabels_the_tables():
    names = {"a1": "zeta", "a2": "alpha", "a3": "m-1", "a4": "b.2", "rule": "house"}
    plain = contrasts(matched_pairs(synthetic.worlds(synthetic.rows())))
    renamed = contrasts(
        matched_pairs(
            synthetic.worlds(
                synthetic.rows(
                    lineup=[names[name] for name in synthetic.agents(4)],
                    references={"house": {11: 1, 29: 1, 47: 1}},
                )
            )
        )
    )
    assert {
        (names[effect.entrant], names[effect.rival], effect.draw, effect.cents) for effect in plain.directed
    } == {(effect.entrant, effect.rival, effect.draw, effect.cents) for effect in renamed.directed}


def test_a_pair_that_differs_elsewhere_is_damage():
    made = synthetic.rows()
    swapped = [
        {**row, "contestant": "stranger"} if (row["lineup"], row["seat"]) == ("rule-for-a1", "3") else row
        for row in made
    ]
    with pytest.raises(DamageError, match="do not differ"):
        matched_pairs(synthetic.worlds(swapped))


def test_a_run_without_outcomes_is_told_in_one_line(tmp_path):
    with pytest.raises(InputError, match=r"is not a run directory: it has no manifest\.json"):
        write_externalities(tmp_path)
    synthetic.write_manifest(tmp_path, "", "")
    with pytest.raises(InputError, match="no outcomes yet"):
        write_externalities(tmp_path)


def test_a_word_where_a_number_belongs_names_file_and_line(tmp_path):
    made = by_hand()
    made[3] = {**made[3], "score_cents": "NaN"}
    run = synthetic.write_run(tmp_path, made)
    with pytest.raises(DamageError, match=r"outcomes\.csv:5: score_cents is 'NaN'"):
        write_externalities(run)


def test_equal_outcomes_give_equal_bytes(tmp_path):
    made = synthetic.rows()
    first = write_externalities(synthetic.write_run(tmp_path / "one", made))
    second = write_externalities(synthetic.write_run(tmp_path / "two", list(reversed(made))))
    assert first.files == second.files
    assert first.text == second.text
