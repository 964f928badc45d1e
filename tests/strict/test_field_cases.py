"""The field cases are whole, their page is made from them, and those of a history are refused as they say."""

from __future__ import annotations

import re

import pytest

from tests.strict import odd
from tests.strict.chat_dialects import DIALECTS
from tests.strict.gemini_rules import GEMINI
from tests.strict.messages_rules import MESSAGES
from tests.strict.ollama_rules import OLLAMA
from tests.strict.page import KINDS, PAGE, cases, page
from tests.strict.responses_rules import RESPONSES

WIRES = {
    **{name: (wire, odd.CHAT) for name, wire in DIALECTS.items()},
    "messages": (MESSAGES, odd.MESSAGES),
    "responses": (RESPONSES, odd.RESPONSES),
    "gemini": (GEMINI, odd.GEMINI),
    "ollama": (OLLAMA, odd.OLLAMA),
}
FIELDS = {"id", "kind", "wire", "source", "what_happened", "minimal_input", "expected", "verdict"}
HISTORIES = [case for case in cases() if case["minimal_input"]["kind"] == "history"]


def test_the_page_is_the_cases():
    assert PAGE.read_text(encoding="utf-8") == page(cases()), "run python -m tests.strict.page"


def test_each_case_says_what_was_seen_where_and_what_is_right():
    listed = cases()
    assert len({case["id"] for case in listed}) == len(listed) >= 30
    assert {case["kind"] for case in listed} == set(KINDS)
    for case in listed:
        assert set(case) == FIELDS, case["id"]
        assert re.fullmatch(r"https://github\.com/[^/]+/[^/]+/(issues|pull)/\d+", case["source"]), case["id"]
        assert re.match(r"\[(model|transport|harness|operator)\] ", case["expected"]), case["id"]


@pytest.mark.parametrize("case", HISTORIES, ids=[case["id"] for case in HISTORIES])
def test_a_case_of_history_names_answers_and_a_rule_of_its_wire(case):
    wire, answers = WIRES[case["minimal_input"]["strict"]]
    assert case["minimal_input"]["rule"] in {rule.name for rule in wire.rules}
    assert set(case["minimal_input"]["odd"]) <= set(answers)
    for name in case["minimal_input"]["odd"]:
        assert answers[name]("set_price", 1).body
