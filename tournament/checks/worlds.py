"""What follows from one world's journal beside its replay: who played it, and its tables on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lineups.values import WorldSpec
from tournament import seal
from tournament.checks.tables import parquet_fault
from tournament.journal.reader import JournalReader
from tournament.playing.columns import USAGE, usage_columns, usage_rows
from tournament.ports import Accountable
from tournament.records import Json
from tournament.registry import policy_kind
from tournament.rundir.manifest import Manifest, world_file
from tournament.rundir.parquet import Columns


def bound_faults(journal: JournalReader, canonical: Mapping[str, Json], spec: WorldSpec) -> Iterator[str]:
    """Yield where a journal says that other policies, or another market, played than the study names."""
    identities = [canonical["contestants"][name]["identity"] for name in spec.seats]
    if journal.header.get("policies") != identities:
        yield "its header has other policies than the study"
    if journal.header.get("overrides") != canonical["market"]["overrides"]:
        yield "its header has another market than the study"


def derived_usage(
    journal: JournalReader, canonical: Mapping[str, Json], spec: WorldSpec
) -> dict[str, Columns]:
    """Return a world's table of usage as its records give it, where a seat accounts for itself."""
    rows: list[Mapping[str, Json]] = []
    windows = len(journal.windows())
    for number, name in enumerate(spec.seats, start=1):
        entry = canonical["contestants"][name]
        kind = policy_kind(entry["policy"])
        if not isinstance(kind, Accountable):
            continue
        parameters = kind.parameters.model_validate_json(seal.canonical(entry["parameters"]))
        keys = {"world": spec.world, "seat": number, "contestant": name}
        records = {window: journal.events(number, window) for window in range(windows)}
        rows += usage_rows(entry["policy"], parameters, keys, records)
    found = usage_columns(rows)
    return {} if found is None else {USAGE: found}


def table_faults(
    run: Path, manifest: Manifest, world: str, derived: Mapping[str, Columns], *, export: bool
) -> Iterator[tuple[str, str]]:
    """Yield (file, what is wrong) of a finished world's tables; an export keeps its usage underived."""
    start = world_file(world, "")
    listed = {name.removeprefix(start) for name in manifest.files if name.startswith(start)}
    for name, columns in derived.items():
        if name not in listed:
            yield f"{start}{name}", "follows from the journal and was never published"
        elif fault := parquet_fault(run / start / name, columns):
            yield f"{start}{name}", fault
    kept = {"journal.sqlite", *derived, *([USAGE] if export else [])}
    for name in sorted(listed - kept):
        yield f"{start}{name}", "does not follow from the journal"
