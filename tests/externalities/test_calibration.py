"""Calibration at small size: the rules do what the tables promise, and the display rule what they warn of."""

from __future__ import annotations

import pytest

from externalities.calibration import Setting, calibrate


def found(setting: Setting) -> dict[tuple[str, str, str], object]:
    return {(row.design, row.effects, row.rule): row for row in calibrate(setting)}


@pytest.fixture(scope="module")
def few():
    return found(Setting(agents=5, designs=((1, 1, 1), (3, 1, 1)), studies=150, draws=300))


@pytest.fixture(scope="module")
def many():
    return found(Setting(agents=4, designs=((1,) * 10,), studies=150, draws=400))


def within(row, value, nominal, errors=4.5):
    return abs(value - nominal) <= errors * row.monte_carlo_error + 1e-3


def test_t_intervals_cover_with_three_seeds_and_a_percentile_bootstrap_does_not(few):
    interval = few["1+1+1", "none", "t interval"]
    assert within(interval, interval.coverage, 0.95)
    bootstrap = few["1+1+1", "none", "percentile bootstrap"]
    assert not bootstrap.reported
    assert bootstrap.coverage < 0.80
    assert bootstrap.note == "not reported: 3 clusters"


def test_sign_flips_cannot_reject_with_three_seeds_whatever_is_planted(few):
    for effects in ("none", "planted"):
        row = few["1+1+1", effects, "sign flip, max-T"]
        assert row.error_rate == 0.0
        assert row.note == "cannot reject by design"
    assert few["1+1+1", "planted", "sign flip, max-T"].power == 0.0


def test_the_display_rule_fires_at_its_chance_rate(few):
    for design in ("1+1+1", "3+1+1"):
        row = few[design, "none", "|mean| > SD"]
        assert within(row, row.error_rate, row.nominal)
        assert row.error_rate > 0.12
        assert row.familywise > 0.9


def test_max_t_keeps_the_familywise_rate_with_ten_seeds_and_finds_effects(many):
    row = many["+".join(["1"] * 10), "none", "sign flip, max-T"]
    assert row.reported
    assert row.familywise <= 0.05 + 4.5 * (0.05 * 0.95 / row.studies) ** 0.5
    raw = many["+".join(["1"] * 10), "none", "t test, raw"]
    assert within(raw, raw.error_rate, 0.05)
    assert raw.familywise > 0.25
    assert many["+".join(["1"] * 10), "planted", "sign flip, max-T"].power > 0.1


def test_step_up_keeps_the_false_discovery_rate(many):
    for rule in ("Benjamini-Hochberg", "Benjamini-Yekutieli"):
        assert many["+".join(["1"] * 10), "planted", rule].false_discovery < 0.08


def test_equal_settings_give_equal_rows():
    setting = Setting(agents=3, designs=((1, 1, 1),), studies=30, draws=50)
    assert calibrate(setting) == calibrate(setting)


def test_skewed_noise_is_simulated_too():
    rows = calibrate(Setting(agents=3, designs=((1,) * 6,), studies=40, draws=100, shape="skewed"))
    assert {row.shape for row in rows} == {"skewed"}
