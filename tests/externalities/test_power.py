"""The planner: seeds for an effect, effects for seeds, and what neither formula nor search may step over."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from externalities import power
from externalities.components import components
from externalities.resampling import stream
from tests.externalities.test_components import sample

READY_PRIVATE_SD = 6_698_496.1679  # cents, pooled over the private effects of the ready study
READY_DIRECTED_SD = 1_553_706.2197


@pytest.mark.parametrize(
    ("effect", "sd", "seeds"), [(16_750_000, READY_PRIVATE_SD, 4), (5_500_000, READY_DIRECTED_SD, 3)]
)
def test_the_ready_study_needs_four_seeds_for_167500_dollars_and_three_for_55000(effect, sd, seeds):
    assert power.seeds_needed(effect, sd**2, 0.05, 0.8) == seeds


def test_a_larger_effect_never_needs_more_seeds_over_1500_ratios_of_effect_to_deviation():
    needed = [power.seeds_needed(ratio, 1.0, 0.05, 0.8) for ratio in np.linspace(0.5, 20, 1500)]
    assert needed[0] == 34
    assert needed[-1] == 2
    assert all(more >= fewer for more, fewer in pairwise(needed))


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.05, 0.5])
@pytest.mark.parametrize("seeds", [2, 3, 5, 30, 500])
def test_power_rises_with_the_effect_from_the_level_to_one(seeds, alpha):
    found = [power.t_power(ratio, 1.0, seeds, alpha) for ratio in np.geomspace(1e-3, 1e7, 60)]
    assert found[0] == pytest.approx(alpha, rel=0.05)
    assert found[-1] == pytest.approx(1.0)
    assert all(after >= before - 1e-10 for before, after in pairwise(found))


@pytest.mark.parametrize("seeds", [2, 3, 8, 25])
@pytest.mark.parametrize("ratio", [0.3, 1.0, 2.0])
def test_power_is_statsmodels(seeds, ratio):
    expected = TTestPower().power(effect_size=ratio, nobs=seeds, alpha=0.05)
    assert power.t_power(ratio * 7, 49.0, seeds, 0.05) == pytest.approx(expected, abs=1e-6)


def test_needed_seeds_and_detectable_effects_answer_each_other():
    needed = power.seeds_needed(1.0, 1.0, 0.05, 0.8)
    assert needed == 10  # statsmodels: 9.94
    assert power.t_power(1.0, 1.0, needed, 0.05) >= 0.8 > power.t_power(1.0, 1.0, needed - 1, 0.05)
    least = power.detectable(4.0, 12, 0.05, 0.9)
    assert power.t_power(least, 4.0, 12, 0.05) == pytest.approx(0.9)
    assert power.detectable(4.0, 1, 0.05, 0.9) is None
    assert power.seeds_needed(0.001, 1.0, 0.05, 0.8) is None


def test_simulation_agrees_with_the_formula():
    parts = power.Variances(seed=2.0, repeat=3.0, separable=True)
    share, error = power.simulated_power(1.5, parts, 9, 2, 0.05, stream("", "test"))
    assert share == pytest.approx(power.t_power(1.5, parts.of_seed_mean(2), 9, 0.05), abs=4 * error)


def test_plans_stand_at_both_ends_of_the_variances():
    found = components([sample({1: [1, 30], 2: [50, 71], 3: [90, 111], 4: [10, 15]})], 0.95)
    designs = power.plan(found, 40.0, alpha=0.05, power=0.8, repeats=[1, 4], generator=stream("", "test"))
    seeds = {(design.end, design.repeats): design.seeds for design in designs}
    assert seeds["low", 1] < seeds["estimate", 1] < seeds["high", 1]
    assert seeds["estimate", 4] <= seeds["estimate", 1]
    assert all(abs(design.power - design.simulated) < 5 * design.simulated_error for design in designs)


def test_without_repeats_a_plan_does_not_pretend_to_know_what_they_would_do():
    found = components([sample({1: [1], 2: [50], 3: [90]})], 0.95)
    designs = power.plan(found, 40.0, alpha=0.05, power=0.8, repeats=[1, 2, 3], generator=stream("", "t"))
    assert {design.repeats for design in designs} == {1}
    assert not designs[0].variances.separable


def test_a_power_no_greater_than_the_level_needs_no_effect():
    assert power.detectable(4.0, 12, 0.05, 0.05) == 0.0
