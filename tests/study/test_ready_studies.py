"""The studies that ship: what they resolve to, and that a newcomer's template is one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lineups.starter import starter_study
from tournament.plan import plan_study
from tournament.registry import policies
from tournament.study import load_study

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "lineups" / "studies"


@pytest.mark.parametrize(
    ("file", "study", "worlds", "outcomes", "days"),
    [
        (ROOT / "lineups.yaml", "ready", 27, 216, 500),
        (STUDIES / "robustness.yaml", "robustness", 53, 424, 500),
        (STUDIES / "smoke.yaml", "smoke", 8, 24, 70),
        (STUDIES / "panel.yaml", "panel", 27, 216, 500),
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
