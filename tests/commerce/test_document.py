"""docs/markets/commerce.md is what the code says."""

from __future__ import annotations

from market.commerce.document import PAGE, render


def test_the_page_is_current() -> None:
    told = "run python -m market.commerce.document"
    assert PAGE.read_text(encoding="utf-8") == render(), told


def test_the_page_names_every_call_by_area() -> None:
    text = render()
    for name in ("buy_initial_inventory", "supplier_scorecard", "factor_receivables", "landed_cost"):
        assert name in text
