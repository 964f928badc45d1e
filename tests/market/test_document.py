"""docs/markets/ceo_arena.md says what the code does."""

from __future__ import annotations

from market.ceo_arena.document import PAGE, parameter_rows, render, tool_rows
from market.ceo_arena.parameters import Parameters
from market.ceo_arena.tools import tools_of


def test_the_page_is_the_one_that_the_code_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == render()


def test_every_parameter_is_on_the_page_with_unit_and_origin() -> None:
    rows = parameter_rows()
    assert [row[0] for row in rows] == list(Parameters.model_fields)
    assert all(unit and origin and meaning for _, _, unit, origin, meaning in rows)


def test_every_tool_is_on_the_page_with_its_text_and_each_argument_with_what_it_may_be() -> None:
    rows = tool_rows()
    tools = tools_of(Parameters())
    assert [(row[0], row[1]) for row in rows if row[0]] == [(f"`{t.name}`", t.description) for t in tools]
    arguments = sum(len(tool.arguments.model_fields) for tool in tools)
    with_arguments = [row for row in rows if row[2] != "none"]
    assert len(with_arguments) == arguments
    assert all(allowed and meaning for _, _, _, allowed, meaning in with_arguments)
