"""Every fault seen in the field has a test: one that carries its id, or the one named here."""

from __future__ import annotations

import json
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
CASES = Path(__file__).with_name("faults.jsonl")

# Cases of rooms whose tests speak of the thing and not of the case.
ELSEWHERE = {
    "ERR-03": (
        "externalities/test_summaries.py",
        "test_ranks_and_signs_become_bounds_where_a_world_is_missing",
    ),
    "RES-03": ("cli/test_run.py", "test_a_changed_study_is_refused_with_the_difference_shown"),
    "RES-05": ("cli/test_run.py", "test_a_disk_that_fills_up_stops_the_run_in_one_line_and_loses_nothing"),
    "RES-07": ("cli/test_run.py", "test_a_second_process_on_one_run_directory_refuses_and_names_the_first"),
    "RES-09": ("cli/test_interrupt.py", "test_one_signal_stops_at_a_durable_point_and_the_account_adds_up"),
    "RES-13": ("cli/test_run.py", "test_a_read_only_output_folder_is_named_before_anything_is_played"),
    "TTY-01": ("cli/test_run.py", "test_a_console_that_lacks_characters_stops_nothing"),
    "YML-01": ("study/test_yaml.py", "test_a_trap_is_refused_in_one_line_with_its_place"),
    "YML-03": ("study/test_yaml.py", "test_a_trap_is_refused_in_one_line_with_its_place"),
    "YML-05": ("study/test_yaml.py", "test_a_trap_is_refused_in_one_line_with_its_place"),
    "YML-07": ("study/test_yaml.py", "test_a_byte_order_mark_and_carriage_returns_change_nothing"),
}


def test_every_case_is_named_by_a_test() -> None:
    known = [json.loads(line)["id"] for line in CASES.read_text(encoding="utf-8").splitlines()]
    assert len(known) == len(set(known)) == 64
    sources = [path for path in TESTS.rglob("*") if path.suffix in (".py", ".jsonl") and path != CASES]
    named = "\n".join(path.read_text(encoding="utf-8") for path in sources if path != Path(__file__))
    missing = [
        case
        for case in known
        if case not in ELSEWHERE and not re.search(case.replace("-", "[-_]"), named, re.IGNORECASE)
    ]
    assert missing == []


def test_what_is_shown_elsewhere_is_still_there() -> None:
    for case, (file, name) in ELSEWHERE.items():
        assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8"), case
