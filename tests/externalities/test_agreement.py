"""Intraclass correlations against published examples, and split halves."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy import stats

from externalities.agreement import OneWay, icc_agreement, icc_consistency, icc_one_way, one_way
from externalities.resampling import stream
from externalities.splits import split_half

# Shrout and Fleiss (1979), table 2: six targets, four judges.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_business_arenas_shares_give_business_arenas_coefficients():
    layout = OneWay(agents=15, observations=10, between=0.648, within=0.352)
    assert layout.f == pytest.approx(17.75, abs=0.005)
    assert layout.share_between == pytest.approx(0.648)
    for k, value in ((1, 0.626), (5, 0.893), (10, 0.944)):
        assert icc_one_way(layout, k, 0.95).value == pytest.approx(value, abs=0.0005)


# Value and 95 % interval as R's psych::ICC prints them for this table.
@pytest.mark.parametrize(
    ("coefficient", "k", "value", "low", "high"),
    [
        (icc_one_way, 1, 0.17, -0.133, 0.72),
        (icc_agreement, 1, 0.29, 0.019, 0.76),
        (icc_consistency, 1, 0.71, 0.342, 0.95),
        (icc_one_way, 4, 0.44, -0.884, 0.91),
        (icc_agreement, 4, 0.62, 0.071, 0.93),
        (icc_consistency, 4, 0.91, 0.676, 0.99),
    ],
)
def test_the_published_table_gives_the_published_coefficients_and_intervals(coefficient, k, value, low, high):
    given = one_way(SHROUT_FLEISS) if coefficient is icc_one_way else SHROUT_FLEISS
    found = coefficient(given, k, 0.95)
    assert found.value == pytest.approx(value, abs=0.005)
    assert found.low == pytest.approx(low, abs=0.005)
    assert found.high == pytest.approx(high, abs=0.005)


def test_the_one_way_f_is_scipys():
    layout = one_way(SHROUT_FLEISS)
    reference = stats.f_oneway(*SHROUT_FLEISS)
    assert layout.f == pytest.approx(reference.statistic)
    assert layout.p == pytest.approx(reference.pvalue)


def test_a_seed_effect_lowers_agreement_and_not_consistency():
    shifted = SHROUT_FLEISS + np.array([0.0, 100.0, -50.0, 10.0])
    assert icc_consistency(shifted, 1, 0.95).value == pytest.approx(
        icc_consistency(SHROUT_FLEISS, 1, 0.95).value
    )
    assert icc_agreement(shifted, 1, 0.95).value < 0.01


def test_identical_repeats_leave_nothing_to_measure_against():
    same = np.repeat(np.arange(5.0)[:, None], 3, axis=1)
    assert icc_one_way(one_way(same), 1, 0.95).value is None
    assert icc_one_way(one_way(same), 1, 0.95).note == "no variation within agents"
    assert icc_consistency(same, 1, 0.95).value is None


@pytest.mark.parametrize(("seeds", "splits"), [(4, 3), (5, 10), (6, 10), (8, 35)])
def test_all_splits_of_whole_seeds_are_enumerated_once(seeds, splits):
    table = np.random.default_rng(1).normal(size=(seeds, 5))
    found = split_half(table, stream("", "test"))
    assert found.enumerated
    assert found.splits == splits


def test_from_fifty_thousand_splits_on_they_are_drawn():
    assert comb(20, 10) / 2 > 50_000
    found = split_half(np.random.default_rng(1).normal(size=(20, 4)), stream("", "test"))
    assert not found.enumerated
    assert found.splits == 50_000


def test_three_seeds_cannot_be_halved_and_say_so():
    found = split_half(np.random.default_rng(1).normal(size=(3, 6)), stream("", "test"))
    assert found.spearman is None
    assert "fewer than 4 seeds" in found.note


def test_a_perfect_ordering_agrees_with_itself_in_every_split():
    table = np.arange(6.0)[None, :] * 10 + np.random.default_rng(2).normal(size=(6, 6)) / 10
    found = split_half(table, stream("", "test"))
    assert found.spearman == pytest.approx(1.0)
    assert found.leaders == found.leader == 1.0


def test_the_mean_correlation_is_that_of_scipy_over_the_splits():
    table = np.random.default_rng(3).normal(size=(4, 7))
    by_hand = [
        stats.spearmanr(table[[0, other]].mean(axis=0), np.delete(table, [0, other], axis=0).mean(axis=0))
        for other in (1, 2, 3)
    ]
    found = split_half(table, stream("", "test"))
    assert found.spearman == pytest.approx(np.mean([result.statistic for result in by_hand]))
