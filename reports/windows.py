"""A world's windows as its journal keeps them, one at a time: decisions, rationales, receipts, notes, usage.

A window is read, handed on and forgotten, so that a long world needs no more memory than a short one.
Long texts are cut, and the cut names the journal's row that holds the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agents.llm.audit.file_history import file_changes
from agents.llm.audit.redaction import public_reason
from reports.changes import FileChange, changed_file, visible
from reports.view import View
from tournament.journal.reader import JournalReader, read_journal
from tournament.journal.writer import JOURNAL
from tournament.records import Json, Receipt

if TYPE_CHECKING:
    import pyarrow as pa

RATIONALE_CHARACTERS: Final = 4000
DETAIL_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text that people wrote, whole or cut; `place` says where the rest is."""

    shown: str
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value of a decision; `changed` against what the seat had decided before."""

    label: str
    value: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One seat's window: what it decided and why, what became of it, what it noted, what it used."""

    seat: int
    contestant: str
    state: str
    reason: str
    rationale: Text
    decision: Mapping[str, Sequence[Setting]]
    receipts: Sequence[Receipt]
    routine: int
    notes: Sequence[FileChange]
    usage: Mapping[str, Json]
    score_cents: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedWindow:
    number: int
    first_day: int
    last_day: int
    entries: Sequence[Entry]

    @property
    def remarks(self) -> str:
        """What a closed list should tell of the window: seats that were refused or ran out."""
        states = [entry.state for entry in self.entries]
        parts = {"refused": states.count("refused"), "budget exhausted": states.count("budget_exhausted")}
        return ", ".join(f"{count} {name}" for name, count in parts.items() if count)


def windows(view: View, world: str, contestant: str | None = None) -> Iterator[PlayedWindow]:
    """Yield the settled windows of a world in order, of all seats or of one contestant's."""
    path = view.folder(world) / JOURNAL
    if not path.exists():
        return
    usage = _usage(view.folder(world))
    with read_journal(path) as journal:
        noting = frozenset(seat for (seat,) in journal.query("SELECT DISTINCT seat FROM events"))
        names = journal.header["contestants"]
        reader = _Reader(journal=journal, names=names, only=contestant, usage=usage, noting=noting)
        (count,) = journal.query("SELECT count(*) FROM windows")[0]
        for number in range(count):
            yield reader.window(number)


@dataclass(slots=True, kw_only=True)
class _Reader:
    """The fold over a journal's windows: standing decisions and files by seat."""

    journal: JournalReader
    names: Sequence[str]
    only: str | None
    usage: pa.Table | None
    noting: frozenset[int]
    standing: dict[int, dict[tuple[str, str], str]] = field(default_factory=dict)
    files: dict[int, dict[str, str]] = field(default_factory=dict)

    def window(self, number: int) -> PlayedWindow:
        ((first, last, scores),) = self.journal.query(
            "SELECT first_day, last_day, scores FROM windows WHERE window = ?", (number,)
        )
        receipts = self.journal.receipts(number)
        usage = self._used(number)
        rows = self.journal.query(
            "SELECT seat, state, decision_json, reason, rationale FROM seals WHERE window = ? ORDER BY seat",
            (number,),
        )
        entries = [
            self._entry(number, row, receipts, usage, json.loads(scores))
            for row in rows
            if self.only is None or self.names[row[0] - 1] == self.only
        ]
        return PlayedWindow(number=number, first_day=first, last_day=last, entries=entries)

    def _entry(
        self,
        number: int,
        row: tuple[int, str, str, str, str],
        receipts: Sequence[Receipt],
        usage: Mapping[int, Mapping[str, Json]],
        scores: Sequence[int],
    ) -> Entry:
        seat, state, decision, reason, rationale = row
        told = [item for item in receipts if item.seat == seat]
        notable = [item for item in told if item.cents or item.status != "applied"]
        place = f"{JOURNAL}, table seals, window {number}, seat {seat}"
        return Entry(
            seat=seat,
            contestant=self.names[seat - 1],
            state=state,
            reason=cut(public_reason(reason), DETAIL_CHARACTERS, place).shown,
            rationale=cut(rationale, RATIONALE_CHARACTERS, place),
            decision=self._settings(seat, state, json.loads(decision)),
            receipts=notable,
            routine=len(told) - len(notable),
            notes=self._notes(number, seat) if seat in self.noting else (),
            usage=usage.get(seat, {}),
            score_cents=scores[seat - 1] if seat <= len(scores) else None,
        )

    def _settings(self, seat: int, state: str, decision: Json) -> dict[str, list[Setting]]:
        """Return a decision by its fields, each value marked where it is new."""
        before = self.standing.setdefault(seat, {})
        found: dict[str, list[Setting]] = {}
        for name, label, value in flat(decision):
            changed = before.get((name, label)) != value
            found.setdefault(name, []).append(Setting(label=label, value=value, changed=changed))
            if state == "sealed":
                before[name, label] = value
        return found

    def _notes(self, number: int, seat: int) -> list[FileChange]:
        files = self.files.setdefault(seat, {})
        before = dict(files)
        places: dict[str, str] = {}
        for record, changes in file_changes(self.journal.events(seat, number), files):
            for path, text in changes.items():
                places[path] = f"{JOURNAL}, table events, seat {seat}, window {number}, {record.sequence}"
                if text is None:
                    files.pop(path, None)
                else:
                    files[path] = text
        return [
            changed_file(path, before.get(path), files.get(path), place)
            for path, place in places.items()
            if before.get(path) != files.get(path)
        ]

    def _used(self, number: int) -> dict[int, Mapping[str, Json]]:
        if self.usage is None:
            return {}
        import pyarrow.compute as pc  # noqa: PLC0415

        rows: list[dict[str, Any]] = self.usage.filter(pc.equal(self.usage["window"], number)).to_pylist()
        return {int(row["seat"]): row for row in rows}


def _usage(folder: Path) -> pa.Table | None:
    from pyarrow import parquet  # noqa: PLC0415

    path = folder / "usage.parquet"
    return parquet.read_table(path) if path.exists() else None


def flat(decision: Json) -> Iterator[tuple[str, str, str]]:
    """Yield a decision's values as (field, path within it, text), whatever market it speaks to."""
    if not isinstance(decision, dict):
        yield "decision", "", _plain(decision)
        return
    for name, value in decision.items():
        for path, leaf in _leaves(value, ()):
            yield str(name), "/".join(path), leaf


def _leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    else:
        yield path, _plain(value)


def _plain(value: Json) -> str:
    if value in ({}, []):
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(text if len(text) <= DETAIL_CHARACTERS else f"{text[:DETAIL_CHARACTERS]}…")


def cut(text: str, most: int, place: str) -> Text:
    """Return the text, or its beginning and where the rest is."""
    if len(text) <= most:
        return Text(shown=visible(text))
    return Text(shown=f"{visible(text[:most])}…", place=f"{len(text):,} characters; the rest: {place}")
