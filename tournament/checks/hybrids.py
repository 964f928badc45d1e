"""Checking a decomposed run: every hybrid world replays, and repeats the seals of its sources."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from lineups.values import WorldSpec
from tournament.checks.replay import check_journal
from tournament.errors import ArenaError
from tournament.experiments.decompose import TABLE, table_text
from tournament.experiments.hybrid import (
    PLAN,
    Hybrid,
    hybrid_file,
    hybrid_folder,
    hybrids_of,
    played_of,
    read_hybrids,
    source_faults,
)
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.rundir.layout import published_of
from tournament.rundir.manifest import Manifest


def check_hybrids(
    run: Path, manifest: Manifest, plan: Sequence[WorldSpec], damaged: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield (world, file, what is wrong) for every hybrid that does not replay or repeat its sources.

    Their plan must follow from the study's, their table from their journals. `damaged` holds files already
    known to be damaged: those are not read again. Hybrids that no manifest names yet are an interrupted
    command's, and are made again by the same one.
    """
    if PLAN not in manifest.files:
        return
    hybrids = read_hybrids(run)
    known = {hybrid.spec.world: hybrid for hybrid in hybrids_of(plan, [spec.world for spec in plan])}
    for hybrid in hybrids:
        if known.get(hybrid.spec.world) != hybrid:
            yield hybrid.spec.world, PLAN, "names a hybrid that does not follow from the study"
            return
    yield from _journal_faults(run, manifest, hybrids, damaged)
    if not damaged and TABLE in manifest.files:
        played = [played_of(run, hybrid) for hybrid in hybrids]
        if (run / TABLE).read_text(encoding="utf-8") != table_text(played, published_of(run)):
            yield "", TABLE, "is not what follows from the hybrids' journals"


def _journal_faults(
    run: Path, manifest: Manifest, hybrids: Sequence[Hybrid], damaged: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    for hybrid in hybrids:
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
