"""Windows of a world as a page tells them: new values, cut texts, notes as differences, bounded memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.audit.file_history import file_changes
from reports.changes import LINES, changed_file
from reports.pages.html import write_page
from reports.tables.model import Grid
from reports.view import open_view
from reports.windows import RATIONALE_CHARACTERS, flat, windows
from tests.reports import runs
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL

WORLD = "ref.r0.s1.n1"
NOTHING = Grid(name="none", title="None", columns=(), rows=(), files=(), missing="nothing")


def one_world(folder: Path, **shape: object) -> Path:
    return runs.made(folder, references={}, repeats={1: 1}, statistics=False, **shape)  # type: ignore[arg-type]


def test_what_is_new_in_a_decision_is_marked_and_a_refusal_changes_nothing(tmp_path: Path) -> None:
    told = list(windows(open_view(one_world(tmp_path)), WORLD))
    assert [(window.number, window.first_day, window.last_day) for window in told] == [
        (0, 1, 7),
        (1, 8, 14),
        (2, 15, 21),
    ]
    first, second = told[1].entries[0], told[1].entries[1]
    assert [(item.label, item.value, item.changed) for item in first.decision["prices"]] == [
        ("tea", "101", True)
    ]
    assert [item.changed for item in first.decision["budget"]] == [False]
    assert (second.state, second.reason) == ("refused", "too dear")
    later = told[2].entries[1].decision["prices"][0]
    assert (later.value, later.changed) == ("102", True)


def test_only_notable_receipts_are_listed(tmp_path: Path) -> None:
    entry = next(windows(open_view(one_world(tmp_path)), WORLD)).entries[0]
    assert [(item.action, item.cents) for item in entry.receipts] == [("project", -1234500)]
    assert entry.routine == 0


def test_a_long_rationale_is_cut_with_the_place_of_the_rest(tmp_path: Path) -> None:
    run = one_world(tmp_path, rationale="x" * (RATIONALE_CHARACTERS + 1))
    entry = list(windows(open_view(run), WORLD))[2].entries[1]
    assert entry.rationale.shown == "x" * RATIONALE_CHARACTERS + "…"
    assert (
        entry.rationale.place == "4,001 characters; the rest: journal.sqlite, table seals, window 2, seat 2"
    )


def test_control_characters_are_shown_as_pictures(tmp_path: Path) -> None:
    entry = next(windows(open_view(one_world(tmp_path, rationale="a\x1b[31mb\x01\ttab")), WORLD)).entries[0]
    assert entry.rationale.shown == "a␛[31mb␁\ttab"


@pytest.mark.parametrize(
    ("decision", "values"),
    [
        ({}, []),
        ({"a": {}}, [("a", "", "none")]),
        ({"a": {"b": {"c": 1}}, "d": [1, 2]}, [("a", "b/c", "1"), ("d", "", "[1, 2]")]),
        ({"a": "text", "b": None}, [("a", "", "text"), ("b", "", "null")]),
        ([1], [("decision", "", "[1]")]),
    ],
)
def test_a_decision_of_any_market_is_laid_flat(decision: object, values: list[tuple[str, str, str]]) -> None:
    assert list(flat(decision)) == values


def test_a_seats_files_folded_from_its_records_are_the_journals_own(panel: Path) -> None:
    with read_journal(panel / "worlds" / "ref.r0.s11.n1" / JOURNAL) as journal:
        for seat in (1, 2):
            files: dict[str, str] = {}
            states: list[dict[str, str]] = []
            for window in range(3):
                for _, changes in file_changes(journal.events(seat, window), files):
                    files = {**files, **{path: text for path, text in changes.items() if text is not None}}
                    files = {path: text for path, text in files.items() if changes.get(path, "") is not None}
                    states.append(dict(files))
            assert "raise prices" in states[1]["MEMORY.md"]
            assert files == dict(journal.files(seat))


def test_a_change_shows_what_went_and_what_came() -> None:
    found = changed_file("a.md", "one\ntwo\nthree\n", "one\n2\nthree\n", "journal")
    assert list(found.lines) == [(" ", "one"), ("-", "two"), ("+", "2"), (" ", "three")]
    assert (found.kind, found.characters, found.place) == ("changed", 12, "")
    assert changed_file("a.md", None, "x", "journal").kind == "new"
    assert changed_file("a.md", "x", None, "journal").kind == "deleted"


def test_a_long_change_is_cut_with_the_place_of_the_whole() -> None:
    found = changed_file("a.md", "", "\n".join(map(str, range(5000))), "journal.sqlite, table events")
    assert len(found.lines) == LINES
    assert found.place == "cut; the whole text: journal.sqlite, table events"
    huge = changed_file("a.md", "", "x" * 900_000, "journal")
    assert huge.place
    assert max(len(line) for _, line in huge.lines) < 500


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_change_can_be_told_of_any_texts(before: str, after: str) -> None:
    found = changed_file("a.md", before, after, "journal")
    assert all(mark in "+- @" for mark, _ in found.lines)


def peak(folder: Path, count: int) -> int:
    """Return the most bytes that telling a world of so many windows takes."""
    run = one_world(folder, windows=count, lineup=("a", "b"))
    view = open_view(run)
    content = {"title": "t", "root": "../", "view": view, "spec": view.plan[0], "names": ["a", "b"], "lead": [],
               "own": [], "notices": [], "panels": [],
               **dict.fromkeys(("outcomes", "tenders", "health"), NOTHING)}  # fmt: skip
    write_page(folder / "warm.html", "world.html.j2", windows=(), **content)
    tracemalloc.start()
    write_page(folder / "page.html", "world.html.j2", windows=windows(view, WORLD), **content)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (folder / "page.html").read_text(encoding="utf-8").count('class="window"') == count
    return found


def test_memory_does_not_grow_with_windows(tmp_path: Path) -> None:
    short, long = peak(tmp_path / "short", 40), peak(tmp_path / "long", 400)
    assert long < 1.5 * short
