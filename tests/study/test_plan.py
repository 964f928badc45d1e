"""The plan of a study: worlds, balance, and what can and cannot be known of its cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agents.no_action import NoActionKind
from tournament.study.file import Study, load_study
from tournament.study.model import RunLimits
from tournament.study.plan import WindowBound, plan_facts, plan_study

STUDY = """\
study: plan
market: {id: ceo_arena@1, overrides: {days: 70}}
seeds: [11, 29]
contestants:
  rule: {policy: rule@1}
  a: {policy: no_action@1}
  b: {policy: no_action@1}
  c: {policy: no_action@1}
lineup: [a, b, c]
references: [{contestant: rule}]
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    (tmp_path / "study.yaml").write_text(STUDY)
    return load_study(tmp_path / "study.yaml")


@dataclass(frozen=True, slots=True)
class _Speaking(NoActionKind):
    model_free: bool = False


def with_model(study: Study, *names: str) -> Study:
    """The study as if the named contestants were models."""
    contestants = {
        name: replace(contestant, kind=_Speaking()) if name in names else contestant
        for name, contestant in study.contestants.items()
    }
    return replace(study, contestants=contestants)


def test_a_plan_counts_lineups_worlds_and_seats(study: Study) -> None:
    facts = plan_facts(plan_study(study, jobs=2, live_worlds=8))
    assert facts["lineups"] == [
        {"lineup": "ref", "worlds": 2},
        {"lineup": "rule-for-a", "worlds": 2},
        {"lineup": "rule-for-b", "worlds": 2},
        {"lineup": "rule-for-c", "worlds": 2},
    ]
    assert (facts["worlds"], facts["windows"], facts["seats"]) == (8, 10, 3)
    assert {row["contestant"]: (row["worlds"], row["seats"]) for row in facts["contestants"]} == {
        "a": (6, {"1": 6}),
        "b": (6, {"2": 6}),
        "c": (6, {"3": 6}),
        "rule": (6, {"1": 2, "2": 2, "3": 2}),
    }
    assert any("one effect" in note for note in facts["notes"])


def test_a_study_without_models_costs_no_tokens_and_no_dollars(study: Study) -> None:
    one, two = (plan_study(study, jobs=jobs, live_worlds=8).cost for jobs in (1, 2))
    assert (one.tokens, one.usd, one.unknown) == (0, 0.0, ())
    assert one.seconds is not None
    assert two.seconds is not None
    assert one.seconds > two.seconds > 0


def test_model_contestants_are_bounded_by_their_windows_and_prices(study: Study) -> None:
    speaking = with_model(study, "a", "b")
    bound = WindowBound(tokens=1000, usd=0.5, seconds=60.0)
    cost = plan_study(speaking, jobs=2, live_worlds=4, bounds=lambda contestant: bound).cost
    seats_played = 6 + 6
    assert cost.tokens == seats_played * 10 * 1000
    assert cost.usd == pytest.approx(seats_played * 10 * 0.5)
    assert cost.seconds is not None
    assert cost.seconds >= 2 * 10 * 60.0
    narrow = plan_study(
        replace(speaking, limits=RunLimits(worlds=1)), jobs=2, live_worlds=4, bounds=lambda contestant: bound
    ).cost
    assert narrow.seconds is not None
    assert narrow.seconds > cost.seconds


def test_what_nothing_bounds_is_unknown_and_named(study: Study) -> None:
    cost = plan_study(with_model(study, "a"), jobs=2, live_worlds=4).cost
    assert (cost.tokens, cost.usd, cost.seconds, cost.unknown) == (None, None, None, ("a",))
    priceless = WindowBound(tokens=10, usd=None, seconds=1.0)
    partly = plan_study(with_model(study, "a"), jobs=2, live_worlds=4, bounds=lambda contestant: priceless)
    assert partly.cost.tokens == 6 * 10 * 10
    assert partly.cost.usd is None
    assert "nothing bounds the cost of a" in plan_facts(partly)["notes"]
