"""The break-in campaign in its short form: whatever is tried holds, and every kind is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.breakage import FORGERIES, FULL, KINDS, SHORT, campaign


@pytest.mark.slow
def test_the_short_campaign_loses_nothing(tmp_path: Path) -> None:
    found = campaign(tmp_path, SHORT, seed=0)
    assert {kind: result.tried for kind, result in found.items()} == SHORT
    assert {name: lost for result in found.values() for name, lost in result.lost.items()} == {}


def test_the_full_campaign_has_a_thousand_kills_and_ten_thousand_faults_and_every_kind() -> None:
    assert set(FULL) == set(SHORT) == set(KINDS)
    assert FULL["kills"] >= 1000
    assert sum(size for kind, size in FULL.items() if kind != "kills") >= 10_000
    assert SHORT["forgeries"] >= len(FORGERIES)
