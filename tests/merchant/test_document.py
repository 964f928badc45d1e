"""docs/markets/merchant.md says what the code does."""

from __future__ import annotations

from market.merchant.document import PAGE, parameter_rows, render
from market.merchant.parameters import Parameters


def test_the_page_is_the_one_that_the_code_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == render()


def test_every_parameter_is_on_the_page_with_unit_and_origin() -> None:
    rows = parameter_rows()
    assert [row[0] for row in rows] == list(Parameters.model_fields)
    assert all(unit and origin and meaning for _, _, unit, origin, meaning in rows)
