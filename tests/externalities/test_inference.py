"""Intervals and error control against independent references, and what few clusters allow."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from externalities import inference
from externalities.resampling import stream

SEEDS = np.array([[1.0, -2.0], [3.0, 0.5], [2.5, 4.0], [0.5, 1.0], [4.0, -1.0], [2.0, 2.5], [3.5, 0.25]])


def test_t_intervals_and_p_values_are_scipys():
    means = inference.seed_means(SEEDS)
    limits = inference.t_interval(means, 0.9)
    reference = stats.ttest_1samp(SEEDS, 0.0)
    ends = reference.confidence_interval(0.9)
    assert np.allclose(limits.low, ends.low)
    assert np.allclose(limits.high, ends.high)
    assert np.allclose(inference.t_p(means), reference.pvalue)


def test_one_cluster_has_a_mean_and_no_error():
    means = inference.seed_means(SEEDS[:1])
    assert means.mean.tolist() == SEEDS[0].tolist()
    assert np.isnan(means.sd).all()
    assert np.isnan(inference.t_interval(means, 0.95).low).all()
    assert np.isnan(inference.t_p(means)).all()


def test_a_missing_seed_leaves_the_others_of_its_effect():
    table = SEEDS.copy()
    table[2, 0] = np.nan
    means = inference.seed_means(table)
    assert means.clusters.tolist() == [6, 7]
    assert means.mean[0] == pytest.approx(np.delete(SEEDS[:, 0], 2).mean())
    assert means.sd[0] == pytest.approx(np.delete(SEEDS[:, 0], 2).std(ddof=1))


def test_bootstrap_intervals_agree_with_scipys():
    skewed = np.random.default_rng(3).exponential(size=(12, 2)) - np.array([0.0, 2.0])
    resampled = inference.bootstrap_means(skewed, 40_000, stream("", "test"))
    percentile = inference.percentile_interval(resampled, 0.95)
    corrected = inference.bca_interval(skewed, resampled, 0.95)
    for column in range(2):
        for limits, method in ((percentile, "percentile"), (corrected, "BCa")):
            reference = stats.bootstrap(
                (skewed[:, column],), np.mean, n_resamples=40_000, method=method, rng=np.random.default_rng(1)
            ).confidence_interval
            assert limits.low[column] == pytest.approx(reference.low, abs=0.02)
            assert limits.high[column] == pytest.approx(reference.high, abs=0.02)


def test_whole_seeds_are_resampled_the_same_for_all_effects():
    doubled = np.column_stack([SEEDS[:, 0], 2 * SEEDS[:, 0]])
    resampled = inference.bootstrap_means(doubled, 500, stream("", "test"))
    assert np.allclose(resampled[:, 1], 2 * resampled[:, 0])


def test_raw_sign_flips_are_scipys_permutation_test():
    found = inference.sign_flip(SEEDS, stream("", "test"))
    for column in range(2):
        reference = stats.permutation_test(
            (SEEDS[:, column],), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        assert found.raw[column] == pytest.approx(reference.pvalue)
    assert found.exact
    assert found.flips == 2**7


def test_max_t_is_what_enumeration_by_hand_gives():
    statistics = []
    for signs in product((1, -1), repeat=len(SEEDS)):
        flipped = SEEDS * np.array(signs)[:, None]
        statistics.append(np.abs(flipped.mean(axis=0)) / (flipped.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))))
    table = np.array(statistics)
    expected = [(table.max(axis=1) >= table[0, column] - 1e-9).mean() for column in range(2)]
    assert inference.sign_flip(SEEDS, stream("", "test")).adjusted == pytest.approx(expected)


@pytest.mark.parametrize(("clusters", "smallest"), [(3, 0.25), (5, 0.0625), (6, 0.03125)])
def test_the_smallest_attainable_p_is_attained_by_seeds_that_all_agree(clusters, smallest):
    agreeing = np.full((clusters, 3), 5.0) + np.arange(clusters)[:, None]
    found = inference.sign_flip(agreeing, stream("", "test"))
    assert inference.smallest_flip_p(clusters) == smallest
    assert found.raw == pytest.approx([smallest] * 3)
    assert found.adjusted == pytest.approx([smallest] * 3)


def test_many_clusters_sample_flips_with_the_identity_among_them():
    agreeing = np.full((20, 2), 5.0) + np.arange(20)[:, None] / 10
    found = inference.sign_flip(agreeing, stream("", "test"))
    assert not found.exact
    assert (found.raw >= 1 / found.flips).all()
    assert (found.raw < 0.001).all()


def test_step_up_adjustments_are_the_papers():
    # Benjamini and Hochberg (1995), section 3.2: fifteen p-values, four rejected at 0.05.
    p = np.array([.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719,
                  .6528, .7590, 1.0])  # fmt: skip
    adjusted = inference.benjamini_hochberg(p)
    assert (adjusted <= 0.05).sum() == 4
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)
    harmonic = sum(1 / k for k in range(1, 16))
    assert inference.benjamini_yekutieli(p)[3] == pytest.approx(0.0095 * 15 / 4 * harmonic)


def test_an_undefined_p_stays_out_of_the_family():
    with_gap = inference.benjamini_hochberg(np.array([0.01, np.nan, 0.04]))
    assert np.isnan(with_gap[1])
    assert with_gap[[0, 2]] == pytest.approx([0.02, 0.04])


tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(6, 9), st.integers(2, 5)),
    elements=st.floats(-1e6, 1e6).map(lambda value: round(value, 2)),
)


@settings(max_examples=40, deadline=None)
@given(table=tables, order=st.randoms(use_true_random=False))
def test_reordering_effects_or_seeds_reorders_results_and_changes_none(table, order):
    columns = list(range(table.shape[1]))
    rows = list(range(table.shape[0]))
    order.shuffle(columns)
    order.shuffle(rows)
    mixed = table[np.ix_(rows, columns)]
    plain, moved = inference.seed_means(table), inference.seed_means(mixed)
    assert np.allclose(plain.mean[columns], moved.mean)
    assert np.allclose(plain.sd[columns], moved.sd)
    one, other = (inference.sign_flip(values, stream("", "test")) for values in (table, mixed))
    assert np.allclose(one.raw[columns], other.raw)
    assert np.allclose(one.adjusted[columns], other.adjusted)


@settings(max_examples=40, deadline=None)
@given(table=tables, scale=st.floats(0.01, 100))
def test_currency_changes_no_p_value_and_scales_intervals(table, scale):
    plain, scaled = inference.seed_means(table), inference.seed_means(table * scale)
    assert np.allclose(inference.t_p(plain), inference.t_p(scaled), equal_nan=True)
    assert np.allclose(
        inference.t_interval(plain, 0.95).low * scale, inference.t_interval(scaled, 0.95).low, rtol=1e-6
    )


@settings(max_examples=40, deadline=None)
@given(table=tables)
def test_adjusted_p_is_never_below_raw_and_never_below_the_smallest(table):
    found = inference.sign_flip(table, stream("", "test"))
    assert (found.adjusted >= found.raw - 1e-12).all()
    assert (found.raw >= inference.smallest_flip_p(len(table)) - 1e-12).all()


def test_named_streams_are_reproducible_and_independent():
    assert stream("hash", "a").random() == stream("hash", "a").random()
    assert stream("hash", "a").random() != stream("hash", "b").random()
    assert stream("hash", "a").random() != stream("other", "a").random()


@pytest.mark.parametrize("clusters", [3, 6, 9])
def test_max_t_has_the_same_floor_as_a_raw_sign_flip(clusters):
    one_seed_alone = np.eye(clusters)[:, : 4 if clusters > 3 else 2] * 100 + 1.0
    table = np.column_stack([np.full(clusters, 7.0), one_seed_alone])
    found = inference.sign_flip(table, stream("", "floor"))
    assert found.adjusted[0] == found.raw[0] == inference.smallest_flip_p(clusters) == 2.0 ** (1 - clusters)
