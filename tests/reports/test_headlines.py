"""The answers follow the tables: who earns, at whose expense, how sure."""

from __future__ import annotations

from pathlib import Path

from externalities.write import write_externalities
from reports.claims import Claims
from reports.headlines import answers, design_caption
from reports.view import open_view
from tests.externalities import synthetic
from tests.reports import runs


def told(folder: Path, extra: synthetic.ScoreOf, seeds: int = 3) -> list[str]:
    """Return the answers to a run whose scores have planted effects and a cent of noise."""
    repeats = dict.fromkeys(range(1, seeds + 1), 1)
    run = runs.made(folder, repeats=repeats, references={"rule": repeats}, windows=1, statistics=False)
    rows = synthetic.rows(
        lineup=("ann", "bob", "cem"),
        references={"rule": repeats},
        repeats=repeats,
        noise=1.0,
        extra=extra,
    )
    synthetic.write_run(run, rows)
    write_externalities(run)
    view = open_view(run)
    return [" ".join(part.text for part in answer.sentences) for answer in answers(view, Claims(page="x"))]


def planted(contestant: str, lineup: str, seed: int, repeat: int) -> int:
    """Ann earns 3 million cents at bob's expense: bob loses 2 million while ann is there."""
    score = {"ann": 3_000_000, "bob": 1_000_000, "cem": 500_000, "rule": 0}[contestant] + 1000 * seed
    return score - (2_000_000 if contestant == "bob" and lineup != "rule-for-ann" else 0)


def test_the_earner_the_payer_and_their_sum_are_named(tmp_path: Path) -> None:
    who, whose, sure = told(tmp_path, planted)
    assert who.startswith(
        "ann has the highest Mean Score, $30.02k, with a 95\N{NO-BREAK SPACE}% interval from"
    )
    assert (
        "ann gains most for itself, +$30.00k; its rivals together get \u2212$20.00k, all firms together +$10.00k"
        in whose
    )
    assert "Rivals lose most with ann: together \u2212$20.00k against rule in its seat." in whose
    assert (
        "The greatest harm of one to another: ann to bob, \u2212$20.00k, with that sign in 3 of 3 seeds."
        in whose
    )
    assert "No sign-flip test can reject" in sure


def test_nobody_gains_where_all_lose(tmp_path: Path) -> None:
    _, whose, _ = told(tmp_path, lambda contestant, *_: 0 if contestant == "rule" else -1_000_000)
    assert whose.startswith("Nobody gains for itself; ann loses least, \u2212$10.00k")


def test_with_enough_seeds_the_tests_speak(tmp_path: Path) -> None:
    _, _, sure = told(tmp_path, planted, seeds=8)
    assert "By joint sign flips" in sure
    assert "cannot" not in sure


def test_a_caption_says_worlds_seeds_and_baseline_or_that_nobody_was_replaced(tmp_path: Path) -> None:
    view = open_view(runs.made(tmp_path / "one", repeats={4: 1}, references={"rule": {4: 1}}, windows=1))
    assert design_caption(view, Claims(page="x"), "rule").text == "4 of 4 worlds; seeds 4; baseline rule."
    alone = open_view(runs.made(tmp_path / "two", repeats={4: 1}, references={}, windows=1))
    assert design_caption(alone, Claims(page="x"), "").text == "1 of 1 worlds; seeds 4; nobody is replaced."
