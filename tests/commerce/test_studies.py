"""The ready studies of `commerce@1`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament.study.file import load_study

STUDIES = Path(__file__).parents[2] / "lineups" / "studies"


@pytest.mark.parametrize(
    ("name", "worlds", "outcomes", "windows"), [("commerce", 27, 216, 31), ("commerce-smoke", 8, 24, 10)]
)
def test_a_ready_study_has_the_worlds_that_it_promises(
    name: str, worlds: int, outcomes: int, windows: int
) -> None:
    study = load_study(STUDIES / f"{name}.yaml")
    specs = study.worlds()
    assert (study.id, len(specs), sum(len(spec.seats) for spec in specs)) == (name, worlds, outcomes)
    assert study.market.windows == windows
