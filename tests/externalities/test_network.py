"""The externality network and seat effects."""

from __future__ import annotations

import json

import networkx as nx
import pytest

from externalities.seats import seat_rows
from tests.externalities import synthetic
from tests.externalities.tables import analysed, row, table

# Who does what to whom, in cents: a1 harms a2, a2 harms a3, a3 harms a1; a4 helps a1 and a1 helps a4.
HARM = {
    ("a1", "a2"): -900,
    ("a2", "a3"): -800,
    ("a3", "a1"): -700,
    ("a4", "a1"): 500,
    ("a1", "a4"): 400,
}


def planted(name, lineup, seed, repeat):
    """Give each firm the sum of what those present do to it."""
    gone = lineup.removeprefix("rule-for-")
    return sum(cents for (source, target), cents in HARM.items() if target == name and source != gone)


def graph_of(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(noise=0.0, extra=planted))
    document = json.loads((run / "externalities" / "network.json").read_text())
    return run, document, nx.node_link_graph(document, edges="edges")


def test_edges_are_the_planted_effects_and_both_files_read_back(tmp_path):
    run, _, graph = graph_of(tmp_path)
    weights = {(a, b): weight for a, b, weight in graph.edges(data="weight")}
    assert weights == {(a, b): HARM.get((a, b), 0) for a in graph for b in graph if a != b}
    again = nx.read_graphml(run / "externalities" / "network.graphml")
    assert {(a, b): weight for a, b, weight in again.edges(data="weight")} == weights
    assert set(again.nodes) == set(synthetic.agents(4))
    assert again.nodes["a1"]["private_cents"] == graph.nodes["a1"]["private_cents"]


def test_strengths_are_sums_by_sign(tmp_path):
    _, _, graph = graph_of(tmp_path)
    node = graph.nodes["a1"]
    assert (node["out_strength"], node["harm_done"], node["help_given"]) == (-500, 900, 400)
    assert (node["in_strength"], node["harm_taken"], node["help_taken"]) == (-200, 700, 500)


def test_measures_see_the_cycle_the_friends_and_who_is_on_top(tmp_path):
    _, document, _ = graph_of(tmp_path)
    measures = document["measures"]
    assert measures["harm_cycles"]["count"] == {"2": 0, "3": 1, "4": 0}
    assert measures["harm_cycles"]["stable"] == [["a1", "a2", "a3"]]
    assert measures["communities"][0] == ["a1", "a4"]
    assert measures["reciprocity"]["both_help"] == 1
    assert measures["reciprocity"]["both_harm"] == 0
    assert {"a1", "a2", "a3"} <= set(max(measures["dominance"], key=len))


def test_a_chain_of_harm_is_ordered(tmp_path):
    ladder = {("a1", "a2"): -900, ("a1", "a3"): -900, ("a2", "a3"): -800}

    def harm(name, lineup, seed, repeat):
        gone = lineup.removeprefix("rule-for-")
        return sum(cents for (source, target), cents in ladder.items() if target == name and source != gone)

    run, _ = analysed(tmp_path, synthetic.rows(lineup=synthetic.agents(3), noise=0.0, extra=harm))
    document = json.loads((run / "externalities" / "network.json").read_text())
    assert document["measures"]["dominance"] == [["a1"], ["a2"], ["a3"]]
    assert document["measures"]["harm_cycles"]["stable"] == []


def test_every_reference_policy_has_its_network(tmp_path):
    made = synthetic.rows(references={"rule": {11: 1, 29: 1, 47: 1}, "idle": {11: 1}})
    run, _ = analysed(tmp_path, made)
    assert (run / "externalities" / "network.graphml").exists()
    assert (run / "externalities" / "network-idle.graphml").exists()
    assert json.loads((run / "externalities" / "network.json").read_text())["graph"] == {"reference": "rule"}


def rotated_rows(lineup, values, rotations, noise=0.0):
    """Return outcome rows in which an agent's worth and a seat's worth add up, both known."""
    made = synthetic.rows(lineup=lineup, rotations=rotations, noise=noise, repeats={11: 1, 29: 1})
    for item in made:
        worth = values[int(item["seat"]) - 1] + 1000 * int(
            item["contestant"][1:] if item["contestant"][0] == "a" else 0
        )
        for column in ("score_cents", "final_cash_cents", "revenue_cents"):
            item[column] = str(int(item[column]) + worth)
    return made


def test_rotations_tell_seats_from_agents_exactly(tmp_path):
    made = rotated_rows(synthetic.agents(4), [300, 100, -150, -250], (0, 1, 2, 3))
    rows = seat_rows(synthetic.worlds(made), {}, "score", 0.95)
    assert {item.method for item in rows} == {"rotations"}
    assert [item.effect_cents for item in rows] == pytest.approx([300, 100, -150, -250], abs=1e-6)


def test_two_rotations_of_four_seats_are_enough_only_if_they_separate(tmp_path):
    enough = seat_rows(
        synthetic.worlds(rotated_rows(synthetic.agents(4), [300, 100, -150, -250], (0, 1))), {}, "score", 0.95
    )
    assert [item.effect_cents for item in enough] == pytest.approx([300, 100, -150, -250], abs=1e-6)
    entangled = seat_rows(
        synthetic.worlds(rotated_rows(synthetic.agents(4), [300, 100, -150, -250], (0, 2))), {}, "score", 0.95
    )
    assert entangled[0].effect_cents is None
    assert "entangled" in entangled[0].note


def test_a_lineup_of_one_policy_shows_what_the_order_of_processing_is_worth():
    made = synthetic.rows(noise=0.0)
    for item in made:
        for column in ("score_cents", "final_cash_cents", "revenue_cents"):
            item[column] = str(int(item[column]) + [40, 10, -20, -30][int(item["seat"]) - 1])
    identities = dict.fromkeys(synthetic.agents(4), "rule@1-ab12")
    rows = seat_rows(synthetic.worlds(made), identities, "score", 0.95)
    assert {item.method for item in rows} == {"identical policies"}
    assert [item.effect_cents for item in rows] == pytest.approx([40, 10, -20, -30])
    assert rows[0].clusters == 3


def test_without_rotations_seat_and_contestant_are_one_and_the_table_says_so(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows())
    (found,) = table(run, "seats.csv")
    assert found["seat"] == ""
    assert "seat and contestant are one" in found["note"]


def test_rotated_pairs_stay_matched(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(rotations=(0, 1)))
    found = row(table(run, "private_summary.csv"), entrant="a1")
    assert (found["observations"], found["clusters"]) == ("6", "3")
