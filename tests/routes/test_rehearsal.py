"""The short rehearsal: over HTTP through litellm, faults injected, killed at random, and the same in the end."""

from __future__ import annotations

import pytest

from benchmarks.rehearsal import Rehearsal, records, rehearse


@pytest.mark.slow
def test_a_study_killed_and_resumed_over_http_equals_the_unbroken_one(tmp_path):
    short = Rehearsal(days=28, seats=3, seeds=(11,), latency=0.05, faults="0.05", kills=2)
    outcome = rehearse(tmp_path, short)
    assert outcome.differences == ()
    assert outcome.worlds == 4
    assert outcome.replies == 4 * 4 * (3 + 2 + 2 + 2), "four replies a window of every model seat"
    assert outcome.injected_faults > 0
    assert outcome.kills == 2
    assert outcome.bought_again <= outcome.lost_intents
    assert outcome.passed
    assert len(records(tmp_path / "killed")) == 4
