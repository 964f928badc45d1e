"""The manual names every column of a comparison."""

from __future__ import annotations

import re

from reports.compare import ComparedRow
from tests.cli.arena import ROOT


def test_every_column_of_a_comparison_is_in_the_manual() -> None:
    text = (ROOT / "docs" / "sharing.md").read_text(encoding="utf-8")
    part = text.partition("`--format csv` has a row")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    assert re.findall(r"`(\w+)`", " ".join(cells)) == list(ComparedRow.model_fields)
