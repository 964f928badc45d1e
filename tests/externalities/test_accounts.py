"""Every effect as the sum of its accounts, salvage sensitivity, baselines and operating reliability."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from externalities.accounts import splits
from externalities.estimands import contrasts
from externalities.operating_reliability import SeatUsage
from externalities.write import write_externalities
from lineups.pairs import matched_pairs
from market.ceo_arena.published import PUBLISHED
from tests.externalities import synthetic
from tests.externalities.tables import analysed, document, row, table
from tournament.errors import DamageError

PARTS = [f"{account.name}_cents" for account in PUBLISHED.accounts]
TWO = {"repeats": {11: 3, 29: 1}, "references": {"rule": {11: 3, 29: 1}, "idle": {11: 1}}}


def test_the_parts_of_every_effect_sum_to_it(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(**TWO))
    accounts = table(run, "accounts.csv")
    directed = {
        (item["entrant"], item["rival"], item["reference"], item["seed"], item["repeat"]): item
        for item in table(run, "directed.csv")
    }
    assert {item["estimand"] for item in accounts} == {"private", "directed", "total"}
    for item in accounts:
        assert sum(int(item[part]) for part in PARTS) == int(item["effect_cents"])
        if item["estimand"] == "directed":
            key = (item["entrant"], item["rival"], item["reference"], item["seed"], item["repeat"])
            assert directed.pop(key)["directed_cents"] == item["effect_cents"]
    assert not directed


def test_on_cash_the_parts_sum_without_salvage(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows())
    for item in table(run, "accounts.csv", "cash"):
        assert item["salvage_cents"] == "0"
        assert sum(int(item[part]) for part in PARTS) == int(item["effect_cents"])


def test_a_saved_cost_is_a_positive_part(tmp_path):
    made = synthetic.rows(repeats={11: 1})
    run, _ = analysed(tmp_path, made)
    spent = {(item["lineup"], item["contestant"]): int(item["marketing_cents"]) for item in made}
    sold = {(item["lineup"], item["contestant"]): int(item["units_sold"]) for item in made}
    found = row(table(run, "accounts.csv"), estimand="directed", entrant="a1", rival="a2")
    assert int(found["marketing_cents"]) == spent["rule-for-a1", "a2"] - spent["ref", "a2"]
    assert int(found["units_sold"]) == sold["ref", "a2"] - sold["rule-for-a1", "a2"]
    total = row(table(run, "accounts.csv"), estimand="total", entrant="a1")
    rivals = [
        row(table(run, "accounts.csv"), estimand="directed", entrant="a1", rival=name)
        for name in ("a2", "a3", "a4")
    ]
    for part in (*PARTS, "spending_cents", "units_sold", "consumer_orders"):
        assert int(total[part]) == sum(int(item[part]) for item in rivals)


def test_means_of_parts_sum_to_the_mean_effect(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(**TWO))
    private = row(table(run, "private_summary.csv"), entrant="a1", reference="rule")
    found = row(table(run, "accounts_summary.csv"), estimand="private", entrant="a1", reference="rule")
    assert float(found["effect_cents"]) == pytest.approx(float(private["mean_cents"]), abs=1e-3)
    assert sum(float(found[part]) for part in PARTS) == pytest.approx(float(found["effect_cents"]), abs=1e-2)


@settings(max_examples=25, deadline=None)
@given(key=st.integers(0, 10_000), together=st.booleans())
def test_parts_sum_for_any_outcomes_and_for_several_replaced_at_once(key, together):
    replace = [["a1", "a2"], ["a3"]] if together else None
    pairs = matched_pairs(synthetic.worlds(synthetic.rows(key=key, replace=replace, repeats={11: 1})))
    private = [split for split in splits(pairs, "score") if split.estimand == "private"]
    assert [split.effect for split in private] == [gain.cents for gain in contrasts(pairs).private]
    for split in splits(pairs, "score"):
        assert sum(split.parts[part] for part in PARTS) == split.effect


def test_accounts_that_do_not_make_the_score_name_world_and_seat(tmp_path):
    made = synthetic.rows()
    broken = [
        {**item, "marketing_cents": str(int(item["marketing_cents"]) + 1)}
        if (item["world"], item["seat"]) == ("ref.r0.s29.n1", "3")
        else item
        for item in made
    ]
    run = synthetic.write_run(tmp_path, broken)
    with pytest.raises(
        DamageError, match=r"ref\.r0\.s29\.n1: the accounts of seat 3 do not make its cash-only score"
    ):
        write_externalities(run)


def test_outcomes_that_do_not_count_orders_leave_the_cell_empty(tmp_path):
    made = [
        {key: value for key, value in item.items() if key != "consumer_orders"} for item in synthetic.rows()
    ]
    run = synthetic.write_run(tmp_path, made, without=("consumer_orders",))
    write_externalities(run)
    assert {item["consumer_orders"] for item in table(run, "accounts.csv")} == {""}
    assert "" not in {item["units_sold"] for item in table(run, "accounts.csv")}


def test_salvage_sensitivity_counts_the_signs_that_change(tmp_path):
    run, summary = analysed(tmp_path, synthetic.rows(noise=200_000.0))
    rows = table(run, "salvage.csv")
    score = {
        (item["entrant"], item["rival"]): float(item["mean_cents"])
        for item in table(run, "directed_summary.csv")
    }
    cash = {
        (item["entrant"], item["rival"]): float(item["mean_cents"])
        for item in table(run, "directed_summary.csv", "cash")
    }
    changed = sum((score[key] > 0) != (cash[key] > 0) for key in score)
    assert changed > 0
    told = [item for item in rows if item["quantity"] == "directed"]
    assert sum(item["changes"] == "true" for item in told) == changed
    assert document(run)["salvage_changes"]["rule"]["directed"] == {"changed": changed, "of": 12}
    assert f"directed {changed} of 12" in summary.text
    assert len([item for item in rows if item["quantity"] == "rank"]) == 5


def test_baselines_are_means_of_all_repeats_at_the_seed_with_sums_before_division(tmp_path):
    made = synthetic.rows(**TWO)
    run, summary = analysed(tmp_path, made)

    def total(lineup: str, name: str) -> Fraction:
        scores = [
            int(item["score_cents"])
            for item in made
            if (item["lineup"], item["contestant"], item["seed"]) == (lineup, name, "11")
        ]
        return Fraction(sum(scores), len(scores))

    found = row(
        table(run, "baselines.csv"),
        seed="11",
        estimand="directed",
        entrant="a1",
        rival="a3",
        reference="idle",
    )
    assert (found["control_worlds"], found["baseline_worlds"]) == ("3", "1")
    expected = total("ref", "a3") - total("idle-for-a1", "a3")
    assert found["difference_cents"] == f"{float(expected):.4f}"
    rule = row(
        table(run, "baselines.csv"),
        seed="11",
        estimand="directed",
        entrant="a1",
        rival="a3",
        reference="rule",
    )
    assert rule["baseline_worlds"] == "3"
    assert rule["agrees"] == ""
    assert found["agrees"] == str(found["sign"] == rule["sign"]).lower()
    agreement = {item["estimand"]: item for item in document(run)["sign_agreement"]}
    assert agreement["directed"]["effects"] == 12
    assert agreement["market"]["effects"] == 4
    assert f"directed {agreement['directed']['agreeing']} of 12" in summary.text


def test_how_windows_ended_is_counted_by_contestant(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(repeats={11: 1}))
    found = row(table(run, "reliability.csv"), reference="all", contestant="a1")
    assert (found["worlds"], found["windows"], found["sealed"], found["refused"]) == ("4", "288", "280", "4")
    assert float(found["seal_rate"]) == pytest.approx(280 / 288)
    assert found["replies"] == found["unknown_usage_rate"] == ""
    assert row(table(run, "reliability.csv"), reference="ref", contestant="a1")["worlds"] == "1"


def test_usage_tables_add_what_models_did(tmp_path):
    import pandas as pd

    run = synthetic.write_run(tmp_path, synthetic.rows(repeats={11: 1}))
    for world in {item["world"] for item in synthetic.rows(repeats={11: 1})}:
        folder = run / "worlds" / world
        folder.mkdir(parents=True)
        pd.DataFrame(
            {
                "world": world,
                "seat": [1, 1, 2],
                "contestant": ["a1", "a1", "a2"],
                "route": "one",
                "window": [0, 1, 0],
                "sealed": [1, 1, 1],
                "replies": [3, 4, 5],
                "tool_calls": [6, 7, 1],
                "corrections": [0, 1, 0],
                "refusals": [1, 0, 0],
                "calls_as_text": [0, 0, 2],
                "unknown_usage_replies": [0, 2, 0],
                "cost_usd": [0.5, 0.5, 1.0],
            }
        ).to_parquet(folder / "usage.parquet")
    write_externalities(run)
    found = row(table(run, "reliability.csv"), reference="all", contestant="a1")
    assert (found["replies"], found["tool_calls"], found["corrections"]) == ("28", "52", "4")
    assert float(found["unknown_usage_rate"]) == pytest.approx(8 / 28)
    assert float(found["correction_rate"]) == pytest.approx(4 / 28)
    assert float(found["model_refusal_rate"]) == pytest.approx(4 / 28)
    assert float(found["replies_per_window"]) == pytest.approx(28 / 288)
    assert float(found["tool_calls_per_window"]) == pytest.approx(52 / 288)
    assert float(found["call_as_text_rate"]) == 0
    assert (found["active_windows"], float(found["sustained_window_rate"])) == ("8", 0)
    sealing_alone = row(table(run, "reliability.csv"), reference="all", contestant="a2")
    assert (sealing_alone["tool_calls"], sealing_alone["active_windows"]) == ("4", "0")
    assert row(table(run, "reliability.csv"), reference="all", contestant="a3")["replies"] == ""


@pytest.mark.parametrize(
    ("idle", "expected"), [((), 1.0), ((5,), 59 / 60), ((0, 71), 59 / 60), ((30, 40), 58 / 60)]
)
def test_the_sustained_rate_is_that_of_the_idlest_sixty_windows_in_a_row(idle, expected):
    active = tuple(window not in idle for window in range(72))
    assert SeatUsage(world="w", seat=1, counts={}, active=active).sustained == expected
    assert SeatUsage(world="w", seat=1, counts={}, active=active[:59]).sustained is None


def test_pairwise_differences_carry_simultaneous_intervals(tmp_path):
    from scipy import stats

    made = synthetic.rows(lineup=synthetic.agents(3), repeats=dict.fromkeys((1, 2, 3, 4), 1))
    run, _ = analysed(tmp_path, made)
    rows = table(run, "pairwise.csv")
    assert len(rows) == 4 * 3 / 2
    seeds: dict[tuple[str, str], list[int]] = {}
    for item in made:
        seeds.setdefault((item["contestant"], item["seed"]), []).append(int(item["score_cents"]))
    means = {key: sum(values) / len(values) for key, values in seeds.items()}
    found = rows[0]
    one = [means[found["a"], str(seed)] for seed in (1, 2, 3, 4)]
    other = [means[found["b"], str(seed)] for seed in (1, 2, 3, 4)]
    alone = stats.ttest_rel(one, other)
    assert float(found["t_low_cents"]) == pytest.approx(alone.confidence_interval(0.95).low, abs=1e-2)
    joint = alone.confidence_interval(1 - 0.05 / 6)
    assert float(found["bonferroni_high_cents"]) == pytest.approx(joint.high, abs=1e-2)
    assert float(found["probability_a_higher"]) == pytest.approx(stats.t.cdf(alone.statistic, 3))
    assert (
        float(found["tukey_low_cents"]) < float(found["difference_cents"]) < float(found["tukey_high_cents"])
    )
    assert float(found["difference_cents"]) >= 0
