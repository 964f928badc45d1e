"""Publishing finished worlds: their tables, the outcome files, and the manifest that vouches for them.

The manifest is written after the files it names are durable. Outcome tables and manifest are rewritten
whole, so on a long run they wait until rewriting costs a small share of the time between; a crash in
that time costs a replay, never a result. Outcome tables are finished files, and stand in the manifest,
once every planned world has ended.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from lineups.values import WorldSpec
from tournament.playing.task import WorldResult
from tournament.published import Published
from tournament.rundir.layout import world_folder
from tournament.rundir.manifest import Manifest, world_file, write_manifest
from tournament.rundir.outcomes import (
    OUTCOMES_CSV,
    OUTCOMES_PARQUET,
    TEXT_COLUMNS,
    EndedWorld,
    csv_text,
    table,
)
from tournament.rundir.parquet import Columns, write_parquet
from tournament.storage import write_atomic

REWRITE_SHARE: Final = 20


class Publisher:
    """The one writer of a run's published files; used by one task at a time."""

    def __init__(
        self, run: Path, manifest: Manifest, worlds: Sequence[WorldSpec], published: Published
    ) -> None:
        self.manifest = manifest
        self._published = published
        self._run = run
        self._specs = {spec.world: spec for spec in worlds}
        self._ended: dict[str, EndedWorld] = {}
        self._pending: dict[str, str] = {}
        self._flushed = 0.0
        self._cost = 0.0

    @property
    def count(self) -> int:
        """Worlds that have ended."""
        return len(self._ended)

    @property
    def complete(self) -> bool:
        """Whether every planned world has ended."""
        return len(self._ended) == len(self._specs)

    def restore(self, worlds: Iterable[EndedWorld]) -> None:
        """Take in worlds that were finished before."""
        self._ended |= {world.spec.world: world for world in worlds}

    def publish(self, result: WorldResult) -> None:
        """Write an ended world's tables and, unless done a moment ago, everything over all worlds."""
        folder = world_folder(self._run, result.world)
        tables: tuple[tuple[str, Columns | None], ...] = (
            ("daily.parquet", result.daily),
            ("windows.parquet", result.windows_table),
            ("market.parquet", result.market),
            ("measures.parquet", result.measures),
            ("series.parquet", result.series),
            ("usage.parquet", result.usage),
            *((f"{name}.parquet", columns) for name, columns in result.extra.items()),
        )
        for name, columns in tables:
            if columns is not None:
                self._pending[world_file(result.world, name)] = write_parquet(folder / name, columns)
        self._pending[world_file(result.world, "journal.sqlite")] = result.journal_sha256
        self._ended[result.world] = EndedWorld(
            spec=self._specs[result.world], metrics=result.outcomes, windows=result.window_states
        )
        if time.monotonic() - self._flushed > REWRITE_SHARE * self._cost:
            self.flush()

    def flush(self) -> None:
        """Bring outcome tables and manifest up to date, durably."""
        there = all((self._run / name).exists() for name in (OUTCOMES_CSV, OUTCOMES_PARQUET))
        # Until every world has ended no manifest vouches for the tables: what lies there is written anew.
        if not self._ended or (there and not self._pending and self.complete):
            return
        started = time.monotonic()
        names, rows = table(self._ended.values(), self._published)
        outcomes = {
            OUTCOMES_CSV: write_atomic(self._run / OUTCOMES_CSV, csv_text(names, rows)),
            OUTCOMES_PARQUET: write_parquet(
                self._run / OUTCOMES_PARQUET,
                {name: [row[name] for row in rows] for name in names},
                texts=TEXT_COLUMNS,
            ),
        }
        self.manifest = self.manifest.with_files({**self._pending, **(outcomes if self.complete else {})})
        write_manifest(self._run, self.manifest)
        self._pending = {}
        self._flushed = time.monotonic()
        self._cost = self._flushed - started
