"""Reading what seats were told and said, checked: a record that cannot be so is damage, never skipped.

Replay knows nothing of conversations, and a finished world's are vouched for by the file's hash. Those of
an unfinished world are checked here, for verify, for status, and before a run goes on from them: what a
lost record had cost, or had changed, would else vanish without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tournament import registry
from tournament.errors import InputError
from tournament.journal.rows import damaged
from tournament.ports import Recording
from tournament.records import Json, Record

Conversation = tuple[int, int, Sequence[Record]]


class Conversations(Protocol):
    """An open journal, be it for reading or for writing."""

    path: Path

    def conversations(self) -> list[tuple[int, int]]: ...

    def events(self, seat: int, window: int) -> Sequence[Record]: ...

    def decided(self) -> list[tuple[int, int]]: ...


def policies_of(canonical: Mapping[str, Json], seats: Sequence[str]) -> list[str]:
    """Return the policy of each seat of a world, by its contestants' names."""
    return [canonical["contestants"][name]["policy"] for name in seats]


def checked_conversations(journal: Conversations, policies: Sequence[str]) -> Iterator[Conversation]:
    """Yield (seat, window, records) of every window of a journal; `policies` has one id a seat.

    Raises DamageError naming file, seat, window and sequence.
    """
    recording: dict[int, Recording] = {}
    for seat, policy in enumerate(policies, start=1):
        kind = _kind(policy)
        if isinstance(kind, Recording):
            recording[seat] = kind
    decided = {pair for pair in journal.decided() if pair[0] in recording}
    recorded = journal.conversations()
    for seat, window in sorted({*recorded, *decided}):
        if not 1 <= seat <= len(policies):
            raise damaged(journal.path, f"seat {seat}, window {window}: the world has no such seat")
        records = journal.events(seat, window)
        if seat in recording:
            fault = recording[seat].record_fault(records, closed=(seat, window) in decided)
            if fault:
                raise damaged(journal.path, f"seat {seat}, window {window}, {fault}")
        yield seat, window, records


def require_conversations(journal: Conversations, policies: Sequence[str]) -> None:
    """Raise DamageError for the first record that cannot be so."""
    for _ in checked_conversations(journal, policies):
        pass


def _kind(policy: str) -> object:
    """Return the registered kind, or None where the package that plays it is not installed here."""
    try:
        return registry.policy_kind(policy)
    except InputError:
        return None
