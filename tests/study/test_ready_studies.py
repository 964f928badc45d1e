"""The studies that ship: what they resolve to, and that a newcomer's template is one of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.routes.check import problems
from agents.routes.entry import RouteEntry
from lineups.starter import starter_study
from tournament.registry import policies
from tournament.study.file import load_study
from tournament.study.plan import plan_study

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "lineups" / "studies"


@pytest.mark.parametrize(
    ("file", "study", "worlds", "outcomes", "days"),
    [
        (ROOT / "lineups.yaml", "ready", 27, 216, 500),
        (STUDIES / "robustness.yaml", "robustness", 53, 424, 500),
        (STUDIES / "smoke.yaml", "smoke", 8, 24, 70),
        (STUDIES / "panel.yaml", "panel", 27, 216, 500),
        (STUDIES / "merchant.yaml", "merchant", 27, 216, 730),
        (STUDIES / "merchant-smoke.yaml", "merchant-smoke", 8, 24, 42),
    ],
)
def test_a_ready_study_has_the_worlds_that_it_promises(
    file: Path, study: str, worlds: int, outcomes: int, days: int
) -> None:
    resolved = load_study(file)
    specs = resolved.worlds()
    assert (resolved.id, len(specs), sum(len(spec.seats) for spec in specs)) == (study, worlds, outcomes)
    assert resolved.market.days == days


def test_the_main_evaluation_gives_24_outcomes_an_agent() -> None:
    plan = plan_study(load_study(ROOT / "lineups.yaml"), jobs=2, live_worlds=8)
    assert [row.worlds for row in plan.attendance] == [24] * 9


def test_every_strategy_of_the_library_is_registered_and_told_in_one_line() -> None:
    pages = {page.stem for page in (ROOT / "agents" / "strategies").glob("*.py")} - {"__init__", "reading"}
    assert len(pages) == 10
    assert {f"{page}@1" for page in pages} <= set(policies())


def test_the_starter_study_is_a_study(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(starter_study(), encoding="utf-8")
    study = load_study(tmp_path / "study.yaml")
    assert len(study.worlds()) == 5 * 3 + 4
    assert study.id == "my-study"
    assert all(contestant.route is None for contestant in study.contestants.values())


def test_the_starter_study_shows_a_paid_model_that_is_seated_and_capped_once_its_marks_are_gone(
    tmp_path: Path,
) -> None:
    text = re.sub(r"^#:", "", starter_study("paid", "paid.yaml"), flags=re.MULTILINE)
    (tmp_path / "paid.yaml").write_text(text, encoding="utf-8")
    study = load_study(tmp_path / "paid.yaml", RouteEntry.model_validate)
    (model,) = [contestant for contestant in study.contestants.values() if contestant.route]
    assert model.kind.id == "llm@1"
    assert sum(model.id in spec.seats for spec in study.worlds()) == 4
    assert study.routes[str(model.route)]["key_env"] == "OPENAI_API_KEY"
    assert study.limits.usd is not None
    entry = RouteEntry.model_validate(study.routes[str(model.route)])
    assert problems([entry], {"OPENAI_API_KEY": "set"}, priced=True) == []
