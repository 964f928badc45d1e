"""The manual says what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.llm.accounting.usage import COLUMNS, column_meanings
from agents.llm.document import filled
from tournament.errors import InputError

PAGE = Path(__file__).parents[2] / "docs" / "harness.md"


def test_the_generated_parts_of_the_harness_page_are_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page, "run: python -m agents.llm.document docs/harness.md"


def test_every_column_of_a_usage_table_is_described_and_the_outputs_page_leads_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, kind, meaning in column_meanings():
        assert f"| `{name}` | {kind} | {meaning} |" in page
    assert tuple(name for name, _, _ in column_meanings()) == COLUMNS
    assert "harness.md#money" in PAGE.with_name("outputs.md").read_text(encoding="utf-8")


def test_a_page_that_lacks_a_part_is_told_which() -> None:
    with pytest.raises(InputError, match="'tools'"):
        filled("nothing here")
