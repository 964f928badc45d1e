"""Checking a decomposed run: every hybrid world replays, and repeats the seals of its sources."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from tournament.checks.replay import check_journal
from tournament.errors import ArenaError
from tournament.experiments.hybrid import hybrid_file, hybrid_folder, read_hybrids, source_faults
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.rundir.manifest import Manifest


def check_hybrids(run: Path, manifest: Manifest, damaged: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (world, file, what is wrong) for every hybrid that does not replay or repeat its sources.

    `damaged` holds files already known to be damaged: those are not read again.
    """
    for hybrid in read_hybrids(run):
        world, name = hybrid.spec.world, hybrid_file(hybrid.spec.world)
        if name in damaged or not (run / name).is_file():
            continue
        try:
            with read_journal(hybrid_folder(run, world) / JOURNAL) as journal:
                complaint = journal.damage()
                found = [complaint] if complaint else check_journal(journal, hybrid.spec, manifest.scenario)
            found += list(source_faults(run, hybrid))
        except ArenaError as fault:
            found = [str(fault)]
        for detail in found:
            yield world, name, detail
