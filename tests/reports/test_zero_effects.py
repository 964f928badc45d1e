"""A study in which every contestant plays the reference policy: effects are zero, and are drawn as zeros."""

from __future__ import annotations

from pathlib import Path

from tests.cli.arena import study, tournament
from tests.externalities.tables import table


def test_a_report_of_contestants_that_play_the_reference_policy_is_drawn(tmp_path: Path) -> None:
    same = "{policy: stand@1, params: {price: 95}}"
    path = study(tmp_path, price=95, third=same, seeds=(1,))
    path.write_text(path.read_text(encoding="utf-8").replace("{policy: haggler@1}", same), encoding="utf-8")
    tournament("run", path, "--out", "r", "--jobs", "1", cwd=tmp_path)
    effects = table(tmp_path / "r", "directed_summary.csv")
    assert {float(item["mean_cents"]) for item in effects} == {0.0}
    tournament("report", "r", cwd=tmp_path)
    assert (tmp_path / "r" / "report" / "index.html").exists()
