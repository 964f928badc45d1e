"""The kinds of record whose names have changed: journals keep what was written, readers know both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tournament.records import Record

IDENTITY_MISMATCH: Final = "identity_mismatch"
# A refused conversation goes on in a safer form.
REBUILT: Final = "rebuilt"
_EARLIER_NAMES: Final[Mapping[str, str]] = {"foreign": IDENTITY_MISMATCH}


def kind_of(record: Record) -> str:
    """Return a record's kind by its present name, whichever version wrote it."""
    return _EARLIER_NAMES.get(record.kind, record.kind)
