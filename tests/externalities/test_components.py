"""Variance components and the mixed model."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from externalities import mixed, reml
from externalities.components import components
from externalities.design import read_plan, reference_sets
from externalities.effects import Sample
from lineups.values import Draw
from tests.externalities import synthetic
from tests.externalities.tables import analysed, row, table

PLACES = ("seed", "lineup", "world")


def sample(by_seed: dict[int, list[int]], entrant: str = "a") -> Sample:
    observations = {
        Draw(rotation=0, seed=seed, repeat=repeat): cents
        for seed, values in by_seed.items()
        for repeat, cents in enumerate(values, start=1)
    }
    return Sample(estimand="private", entrant=entrant, rival="", observations=observations)


def group_of(tmp_path, **design):
    worlds = synthetic.worlds(synthetic.rows(**design))
    (group,) = reference_sets(read_plan(tmp_path / "none", worlds), worlds)
    return group


def test_a_balanced_table_worked_by_hand():
    # Means 2, 6, 10; within 2 each: MS within 2 on 3, MS between 2 * 16 = 32 on 2, seed (32 - 2) / 2 = 15.
    found = components([sample({1: [1, 3], 2: [5, 7], 3: [9, 11]})], 0.95)
    assert found.repeat.variance == pytest.approx(2.0)
    assert found.repeat.degrees == 3
    assert found.seed.variance == pytest.approx(15.0)
    assert found.single.variance == pytest.approx(17.0)
    assert found.share == pytest.approx(15 / 17)
    assert found.seed.degrees == pytest.approx(30**2 / (32**2 / 2 + 2**2 / 3))
    assert found.repeat.low == pytest.approx(3 * 2 / stats.chi2.ppf(0.975, 3))
    assert found.repeat.high == pytest.approx(3 * 2 / stats.chi2.ppf(0.025, 3))


def test_without_repeats_seed_and_repeat_are_told_together_and_it_says_so():
    found = components([sample({1: [1], 2: [5], 3: [9]})], 0.95)
    assert found.seed.variance is None
    assert "cannot be told apart" in found.seed.note
    assert found.single.variance == pytest.approx(np.var([1, 5, 9], ddof=1))
    assert found.share is None


def test_seeds_that_differ_no_more_than_repeats_are_at_the_boundary():
    found = components([sample({1: [0, 10], 2: [1, 9], 3: [2, 8]})], 0.95)
    assert found.seed.variance == 0.0
    assert "boundary" in found.seed.note
    assert found.seed.high > 0
    assert found.share == 0.0


def test_one_seed_has_no_component():
    found = components([sample({1: [1, 2, 3]})], 0.95)
    assert found.single.variance is None
    assert found.single.note == "fewer than two seeds"


def test_pooling_adds_sums_of_squares_and_degrees():
    one, other = sample({1: [1, 3], 2: [5, 7]}), sample({1: [0, 8], 2: [2, 2]}, "b")
    found = components([one, other], 0.95)
    assert found.repeat.degrees == 4
    assert found.repeat.variance == pytest.approx((2 + 2 + 32 + 0) / 4)


def test_moments_recover_known_variances():
    generator = np.random.default_rng(4)
    many = [
        sample(
            {
                seed: [round(level + draw) for draw in generator.normal(0, 2000, 3)]
                for seed, level in enumerate(generator.normal(0, 3000, 12))
            }
        )
        for _ in range(60)
    ]
    found = components(many, 0.95)
    assert found.seed.variance**0.5 == pytest.approx(3000, rel=0.06)
    assert found.repeat.variance**0.5 == pytest.approx(2000, rel=0.04)
    assert found.repeat.low < 2000**2 < found.repeat.high


def shocked(name, lineup, seed, repeat):
    """A large seed effect, a lineup effect, and an effect of each agent at each seed, all known."""
    own = {"a1": 1, "a2": -2, "a3": 3, "a4": -1, "rule": 0}[name] * {11: 1, 29: -1, 47: 2, 53: -2}[seed]
    by_seed = {11: 0, 29: 4_000_000, 47: -3_000_000, 53: 6_000_000}[seed]
    return by_seed + 2_000_000 * (lineup == "ref") + 1_500_000 * own


def by_statsmodels(layout):
    """Return MixedLM's best fit of several starts, and its terms' names in order."""
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM, MixedLMParams

    names = {term: term.replace(" ", "_") for term in mixed.TERMS}
    factors = {names[term]: levels for term, levels in layout.factors.items()}
    frame = pd.DataFrame({"y": layout.scores, "agent": layout.agents, "all": 1, **factors})
    formulas = {name: f"0 + C({name})" for name in names.values()}
    model = MixedLM.from_formula("y ~ 0 + C(agent)", groups="all", vc_formula=formulas, data=frame)
    found = []
    for start in (0.1, 1.0):
        begun = MixedLMParams.from_components(
            fe_params=np.zeros(model.k_fe), cov_re=np.zeros((0, 0)), vcomp=np.full(len(names), start)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found += [model.fit(start_params=begun, method=[method]) for method in ("bfgs", "powell")]
    best = max(found, key=lambda result: result.llf)
    return best, [name.replace("_", " ") for name in model.exog_vc.names]


def restricted(made, ratios):
    """Return the restricted log-likelihood of variance ratios, as statsmodels counts it."""
    size, rss = reml.deviance(made, ratios)
    freedom = made.observations - made.agents
    return -(freedom * np.log(rss) + size + freedom * (1 + np.log(2 * np.pi) - np.log(freedom))) / 2


def test_the_mixed_model_is_that_of_statsmodels_and_its_likelihood_no_less(tmp_path):
    from statsmodels.regression.mixed_linear_model import MixedLMParams

    layout = mixed.layout(group_of(tmp_path, repeats={11: 2, 29: 2, 47: 2, 53: 2}, extra=shocked), "score")
    made = reml.products(layout.scores, layout.agents, *(layout.factors[name] for name in PLACES))
    reference, terms = by_statsmodels(layout)
    fitted = reml.fit(made, mixed.TERMS).variances
    # Zero is no point at which statsmodels can be asked.
    best = {term: max(fitted[term] / fitted["residual"], 1e-9) for term in mixed.TERMS}
    for ratios in (best, dict.fromkeys(mixed.TERMS, 0.3)):
        point = MixedLMParams.from_components(
            fe_params=np.zeros(made.agents),
            cov_re=np.zeros((0, 0)),
            vcomp=np.array([ratios[term] for term in terms]),
        )
        assert restricted(made, ratios) == pytest.approx(reference.model.loglike(point), abs=1e-6)
    assert restricted(made, best) >= reference.llf - 1e-6


def test_its_variances_and_degrees_are_near_those_at_which_statsmodels_stops(tmp_path):
    layout = mixed.layout(group_of(tmp_path, repeats={11: 2, 29: 2, 47: 2, 53: 2}, extra=shocked), "score")
    found = {item.term: item for item in mixed.fit(layout)}
    reference, terms = by_statsmodels(layout)
    scale = mixed.CENTS_PER_UNIT**2
    for term, expected in zip(terms, reference.vcomp, strict=True):
        assert found[term].variance / scale == pytest.approx(expected, rel=0.05, abs=0.05)
    assert found["residual"].variance / scale == pytest.approx(reference.scale, rel=1e-3)
    place = terms.index("agent x seed")
    error = reference.bse[-4:].iloc[place] * reference.scale
    degrees = 2 * (reference.vcomp[place] / error) ** 2
    assert found["agent x seed"].degrees == pytest.approx(degrees, rel=0.15)


def test_leaving_agent_x_seed_out_puts_its_variance_elsewhere_and_loses_likelihood(tmp_path):
    layout = mixed.layout(group_of(tmp_path, repeats={11: 2, 29: 2, 47: 2, 53: 2}, extra=shocked), "score")
    made = reml.products(layout.scores, layout.agents, *(layout.factors[name] for name in PLACES))
    whole, without = reml.fit(made, mixed.TERMS), reml.fit(made, ("seed", "lineup", "world"))
    assert whole.deviance < without.deviance - 20
    assert whole.variances["residual"] < without.variances["residual"] / 2


def test_one_outcome_for_each_agent_and_seed_cannot_tell_agent_x_seed_and_says_so(tmp_path):
    made = [item for item in synthetic.rows(repeats={11: 1, 29: 1, 47: 1}) if not item["reference"]]
    worlds = synthetic.worlds(made)
    (group,) = reference_sets(read_plan(tmp_path / "none", worlds), worlds)
    found = {item.term: item for item in mixed.fit(mixed.layout(group, "score"))}
    assert found["agent x seed"].variance is None
    assert "agent x seed is the residual" in found["agent x seed"].note
    assert found["residual"].variance > 0


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        ({"repeats": {11: 2}}, "one seed"),
        ({"noise": 0.0}, "all Scores are equal"),
        ({"lineup": synthetic.agents(2), "replace": [["a1"]], "repeats": {11: 1, 29: 1}}, ""),
    ],
)
def test_a_fit_that_cannot_be_made_gives_its_reason_and_no_number(tmp_path, design, reason):
    if reason:
        found = mixed.fit(mixed.layout(group_of(tmp_path, **design), "score"))
        assert {item.variance for item in found} == {None}
        assert all(reason in item.note for item in found)
    else:
        for item in mixed.fit(mixed.layout(group_of(tmp_path, **design), "score")):
            assert item.variance is not None or item.note


def test_a_boundary_is_named(tmp_path):
    found = {item.term: item for item in mixed.fit(mixed.layout(group_of(tmp_path), "score"))}
    flat = [item for item in found.values() if item.term != "residual" and item.degrees is None]
    assert flat
    assert all(item.note for item in flat)


def test_components_of_a_run_are_in_its_table(tmp_path):
    run, _ = analysed(tmp_path, synthetic.rows(repeats={11: 3, 29: 1, 47: 1}))
    pooled = row(table(run, "components.csv"), estimand="private", entrant="", component="repeat")
    assert float(pooled["degrees"]) == 4 * 2
    # Each firm's Score has an SD of $10,000; a contrast of two has sqrt(2) times that.
    assert float(pooled["sd_low_cents"]) < 1_000_000 * 2**0.5 < float(pooled["sd_high_cents"])


def test_scores_that_the_agents_explain_exactly_leave_no_variance_and_say_so():
    worlds = [f"w{number}" for number in range(6)]
    data = mixed.Layout(
        scores=np.array([10.0, 20.0, 30.0] * 6),
        agents=("a", "b", "c") * 6,
        factors={
            "seed": tuple(str(number // 3) for number in range(6) for _ in range(3)),
            "lineup": tuple(str(number % 3) for number in range(6) for _ in range(3)),
            "agent x seed": tuple(f"{name} at {number // 3}" for number in range(6) for name in "abc"),
            "world": tuple(world for world in worlds for _ in range(3)),
        },
    )
    found = mixed.fit(data)
    assert all(item.variance is None for item in found)
    assert all("fit exactly" in item.note for item in found)
