"""A run's dollar caps survive a restart: the journals say what has been spent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.llm.rig import Rig, by_ordinal, call, reply, seal
from tournament.cli.spending import restored_meter
from tournament.errors import Suspension
from tournament.journal.writer import JOURNAL, Journal, open_journal


def journal_of(run: Path, world: str) -> Journal:
    return open_journal(run / "worlds" / world / JOURNAL, {"world": world}, durable=True)


async def test_what_other_worlds_have_spent_counts_against_the_studys_cap_after_a_restart(
    tmp_path: Path,
) -> None:
    for world in ("a", "b"):
        journal = journal_of(tmp_path, world)
        await Rig(by_ordinal(reply(call("list_files")), seal()), store=journal.store(1)).play()  # type: ignore[arg-type]
        journal.close()
    meter = restored_meter(tmp_path, usd=0.017, usd_per_world=None)
    assert meter.spent("a") == pytest.approx(0.004)
    assert meter.spent() == pytest.approx(0.008)
    rig = Rig(by_ordinal(seal()), spend=meter)
    with pytest.raises(Suspension, match="the study has spent"):
        await rig.play()


def test_without_caps_no_journal_is_read(tmp_path: Path) -> None:
    journal_of(tmp_path, "a").close()
    assert restored_meter(tmp_path, usd=None, usd_per_world=None).spent() == 0
