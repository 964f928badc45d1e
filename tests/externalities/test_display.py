"""Chance rates of |mean| > SD for the cluster structure that is really there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from externalities.display import chance_rate, exceeds_sd, structure


def test_five_independent_normals_pass_in_nine_of_a_hundred():
    assert chance_rate([1] * 5, 0.0) == pytest.approx(0.089, abs=0.0005)


@pytest.mark.parametrize(("share", "rate"), [(0.25, 0.13), (0.5, 0.18), (0.75, 0.24)])
def test_one_seed_three_times_among_five_passes_more_often_the_more_the_seed_carries(share, rate):
    assert chance_rate([3, 1, 1], share) == pytest.approx(rate, abs=0.005)


@settings(max_examples=25, deadline=None)
@given(n=st.integers(2, 30), share=st.floats(0, 0.99))
def test_single_observations_have_the_rate_of_a_t_test_at_any_share(n, share):
    assert chance_rate([1] * n, share) == pytest.approx(2 * stats.t.sf(np.sqrt(n), n - 1), abs=1e-6)


@pytest.mark.parametrize(("sizes", "share"), [([3, 1, 1], 0.5), ([2, 2, 2], 0.3), ([4, 2, 1], 0.9)])
def test_the_rate_is_what_simulation_gives(sizes, share):
    generator = np.random.default_rng(5)
    seeds = np.repeat(np.arange(len(sizes)), sizes)
    count = 100_000
    values = np.sqrt(share) * generator.normal(size=(count, len(sizes)))[:, seeds]
    values += np.sqrt(1 - share) * generator.normal(size=(count, len(seeds)))
    simulated = (np.abs(values.mean(axis=1)) > values.std(axis=1, ddof=1)).mean()
    assert chance_rate(sizes, share) == pytest.approx(simulated, abs=0.006)


def test_a_seed_that_carries_everything_makes_repeats_of_it_always_pass():
    assert chance_rate([2], 1.0) == 1.0


def test_what_one_observation_would_do_is_undefined():
    assert chance_rate([1], 0.5) is None
    assert exceeds_sd(5.0, None) is None
    assert structure([1, 3, 1]) == "3+1+1"
