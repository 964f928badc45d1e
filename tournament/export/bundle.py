"""Exporting a run: an archive that others can check, and that tells nobody's keys, gateways or thoughts.

What is not known to be public stays out: journals are made anew, traces are redacted, tables are
copied only after their bytes have been checked against the manifest, and before the archive gets its
name every text in it is searched for private words. The export is itself a run directory: the same
manifest, plan and replay verify it, and a list of checksums that any other program can check too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from lineups.values import WorldSpec
from tournament import seal
from tournament.errors import DamageError, InputError
from tournament.experiments.hybrid import HYBRIDS, hybrid_file, read_hybrids
from tournament.experiments.hybrid import PLAN as HYBRID_PLAN
from tournament.export.archive import files_below
from tournament.export.journal import FreeTexts, file_receipts, public_reason, write_public_journal
from tournament.export.study import StudyRedaction, rewritten_study
from tournament.journal.reader import JournalReader, has_begun, read_journal
from tournament.journal.writer import JOURNAL
from tournament.records import Json, Record
from tournament.rundir.checked import require_checked
from tournament.rundir.layout import CANONICAL, PLAN, STUDY, read_canonical, read_plan
from tournament.rundir.manifest import Manifest, read_manifest, world_file, write_manifest
from tournament.rundir.outcomes import OUTCOMES_CSV, OUTCOMES_PARQUET
from tournament.rundir.parquet import write_parquet
from tournament.storage import disk_errors, sha256_of
from tournament.study.yaml import read_yaml

NOTE: Final = "export.json"
SUMS: Final = "SHA256SUMS"
TRACE: Final = "trace"
RECEIPTS: Final = "private-files"
EXTERNALITIES: Final = "externalities"
REPORT: Final = "report"
WINDOWS: Final = "windows.parquet"
LEFT_OUT: Final = (
    "values of keys, names of the variables that hold them, gateway addresses, accounts and regions",
    "model reasoning in every form, signatures and provider fields, response ids",
    "the words of failed requests (their kind, status, time and cost are in the trace)",
    "events of journals: trace/WORLD/seat-N.jsonl holds what of them is public",
    "texts of private files as they were at the end: private-files/WORLD.jsonl holds their receipts, the trace"
    " every write",
    "memos of policies, and choices of windows that were not settled",
    "report/, and copies of traces and private files beside the journals",
)


class Redaction(FreeTexts, StudyRedaction, Protocol):
    """What the rooms that speak to models know to be private."""

    def trace(self, windows: Iterable[Sequence[Record]]) -> Iterator[str]:
        """Yield the public audit trace of a seat's windows as JSON lines."""
        ...

    def found(self, text: str) -> str | None:
        """Return what private thing a text holds, in words that may be told, or None."""
        ...


class ExportNote(BaseModel):
    """What an export is of and what it lacks; `files` are the SHA-256 of the run's own finished files."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal[1] = 1
    study: str
    study_hash: str
    planned: int
    finished: tuple[str, ...]
    unfinished: tuple[str, ...]
    not_started: tuple[str, ...]
    left_out: tuple[str, ...]
    rewritten: tuple[str, ...]
    files: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """An export as it lies in its folder: its root name, what its note says, the digest of its list of files."""

    root: str
    note: ExportNote
    files: int
    digest: str


def write_export(run: Path, folder: Path, redaction: Redaction) -> Exported:
    """Write the export of a run into an empty folder.

    Raises InputError for a folder that is no run or is an export, or where something private would be told,
    DamageError where a file is not what was published.
    """
    manifest = read_manifest(run)
    if NOTE in manifest.files:
        raise InputError("is an export already", file=run)
    plan = read_plan(run)
    require_checked(run, lambda name: not name.startswith(f"{REPORT}/"))
    _copy(run, folder, [PLAN, *_tables(run)])
    _write_study(run, folder, redaction)
    for spec in plan:
        _write_world(run, folder, spec, manifest, redaction)
    _write_hybrids(run, folder, manifest, redaction)
    note = _note(run, folder, manifest, plan)
    _write(folder / NOTE, note.model_dump_json(indent=1) + "\n")
    _require_clean(folder, redaction)
    files = {name: sha256_of(folder / name) for name in sorted(files_below(folder))}
    write_manifest(folder, manifest.model_copy(update={"files": files}))
    _write(folder / SUMS, sums_text(folder))
    return Exported(
        root=f"{manifest.study}-{manifest.study_hash[:8]}",
        note=note,
        files=len(files),
        digest=list_digest(folder),
    )


def read_note(folder: Path) -> ExportNote:
    """Return what an export says of itself; raises DamageError where that is not whole."""
    path = folder / NOTE
    try:
        return ExportNote.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as fault:
        raise DamageError(f"{path} is damaged: {str(fault).splitlines()[0]}") from None


def list_digest(folder: Path) -> str:
    """Return the SHA-256 (hex) of the canonical list of an export's files: what a signature would be put under.

    The list is `SHA256SUMS` as it must be, made anew from the files: sorted by name, a line a file.
    """
    return hashlib.sha256(sums_text(folder).encode()).hexdigest()


def sums_text(folder: Path) -> str:
    """Return the SHA-256 of every file but the list itself, as `sha256sum --check` reads it."""
    names = sorted(name for name in files_below(folder) if name != SUMS)
    return "".join(f"{sha256_of(folder / name)}  {name}\n" for name in names)


def _tables(run: Path) -> list[str]:
    """Tables over all worlds; an unfinished run has them too, though not in its manifest."""
    names = [name for name in (OUTCOMES_CSV, OUTCOMES_PARQUET) if (run / name).is_file()]
    folder = run / EXTERNALITIES
    return names + sorted(
        path.relative_to(run).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and not path.name.startswith(".")
    )


def _copy(run: Path, folder: Path, names: Iterable[str]) -> None:
    for name in names:
        _write(folder / name, (run / name).read_bytes())


def _write(path: Path, content: bytes | str) -> None:
    """Write one file of a folder that nobody else sees yet."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def _write_study(run: Path, folder: Path, redaction: Redaction) -> None:
    """Copy the study where nothing in it is private; else write what may be told of its values."""
    canonical = read_canonical(run)
    public = redaction.study(canonical)
    if public == canonical:
        _copy(run, folder, [CANONICAL])
    else:
        _write(folder / CANONICAL, seal.canonical(public) + "\n")
    shown = rewritten_study(read_yaml(run / STUDY), redaction)
    if shown is None:
        _copy(run, folder, [STUDY])
    else:
        _write(folder / STUDY, shown)


def _write_world(run: Path, folder: Path, spec: WorldSpec, manifest: Manifest, redaction: Redaction) -> None:
    source = run / world_file(spec.world, JOURNAL)
    if not has_begun(source):
        return
    target = folder / world_file(spec.world, JOURNAL)
    with disk_errors(target):
        target.parent.mkdir(parents=True)
    with read_journal(source) as journal:
        journal.query("BEGIN")  # one state of a journal that is still being written
        write_public_journal(journal, target, redaction)
        _write_seats(journal, folder, spec.world, redaction)
    if manifest.finished(spec.world):
        windows = world_file(spec.world, WINDOWS)
        mine = {name for name in manifest.files if name.startswith(world_file(spec.world, ""))}
        _copy(run, folder, sorted(mine - {world_file(spec.world, JOURNAL), windows}))
        _write_windows(run, folder, windows, redaction)


def _write_seats(journal: JournalReader, folder: Path, world: str, redaction: Redaction) -> None:
    """Write each seat's public trace, and receipts of all seats' private files."""
    for (seat,) in journal.query("SELECT DISTINCT seat FROM events ORDER BY seat"):
        windows = journal.query("SELECT DISTINCT window FROM events WHERE seat = ? ORDER BY window", (seat,))
        lines = redaction.trace(journal.events(seat, window) for (window,) in windows)
        path = folder / TRACE / world / f"seat-{seat}.jsonl"
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                stream.writelines(f"{line}\n" for line in lines)
    receipts = file_receipts(journal)
    if receipts:
        text = "".join(json.dumps(asdict(receipt), ensure_ascii=False) + "\n" for receipt in receipts)
        _write(folder / RECEIPTS / f"{world}.jsonl", text)


def _write_windows(run: Path, folder: Path, name: str, redaction: Redaction) -> None:
    """Copy a table of windows, or write it anew where a reason or rationale holds private words."""
    columns = _parquet_columns(run / name)
    endings = zip(columns["state"], columns["reason"], strict=True)
    shown = {
        **columns,
        "reason": [public_reason(redaction, state, reason) for state, reason in endings],
        "rationale": [redaction.text(text) for text in columns["rationale"]],
    }
    if shown == columns:
        _copy(run, folder, [name])
    else:
        write_parquet(folder / name, shown)


def _write_hybrids(run: Path, folder: Path, manifest: Manifest, redaction: Redaction) -> None:
    if HYBRID_PLAN not in manifest.files:
        return
    for hybrid in read_hybrids(run):
        name = hybrid_file(hybrid.spec.world)
        with disk_errors(folder / name):
            (folder / name).parent.mkdir(parents=True)
        with read_journal(run / name) as journal:
            write_public_journal(journal, folder / name, redaction)
    others = [
        name for name in manifest.files if name.startswith(f"{HYBRIDS}/") and not name.endswith(JOURNAL)
    ]
    _copy(run, folder, others)


def _note(run: Path, folder: Path, manifest: Manifest, plan: Sequence[WorldSpec]) -> ExportNote:
    started = [spec.world for spec in plan if (folder / world_file(spec.world, JOURNAL)).exists()]
    there = set(files_below(folder))
    return ExportNote(
        study=manifest.study,
        study_hash=manifest.study_hash,
        planned=len(plan),
        finished=tuple(world for world in started if manifest.finished(world)),
        unfinished=tuple(world for world in started if not manifest.finished(world)),
        not_started=tuple(spec.world for spec in plan if spec.world not in started),
        left_out=LEFT_OUT,
        rewritten=tuple(
            name
            for name in sorted(there & manifest.files.keys())
            if sha256_of(folder / name) != manifest.files[name]
        ),
        files=manifest.files,
    )


def _require_clean(folder: Path, redaction: Redaction) -> None:
    """Search every text of the export: what was not taken out must not go out."""
    for name in files_below(folder):
        for text in _texts(folder / name):
            found = redaction.found(text)
            if found is not None:
                raise InputError(f"not exported: {name} would tell {found}, where it cannot be left out")


def _texts(path: Path) -> Iterator[str]:
    """Yield the texts of a file: cells of tables and rows of journals, which bytes alone may hold in pieces."""
    if path.suffix == ".parquet":
        for values in _parquet_columns(path, texts_alone=True).values():
            yield from (value for value in values if isinstance(value, str))
        return
    if path.name == JOURNAL:
        with read_journal(path) as journal:
            for table in ("meta", "seals", "receipts", "outcomes"):
                cells = chain.from_iterable(journal.query(f"SELECT * FROM {table}"))
                yield from (cell for cell in cells if isinstance(cell, str))
    yield path.read_bytes().decode("utf-8", errors="replace")


def _parquet_columns(path: Path, *, texts_alone: bool = False) -> dict[str, list[Json]]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    table = parquet.read_table(path)
    if texts_alone:
        table = table.select([item.name for item in table.schema if not pa.types.is_primitive(item.type)])
    columns: dict[str, list[Json]] = table.to_pydict()
    return columns
