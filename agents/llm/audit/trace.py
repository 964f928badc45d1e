"""The audit trace of a seat, as JSON lines: derived from the journal's records, not written beside them.

The records already hold every message once, in order: what a request sent is the system prompt, the
user message and all that came before its intent, whose chain digest binds it. Deriving the trace when
it is wanted makes it as complete as a trace written live, equal after any number of kills, and unable
to end a decision by a full disk. Events and files are cut to fixed sizes, and marked where they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from agents.llm.text import cut_bytes, to_json
from tournament.records import Json, Record

EVENT_BYTES: Final = 64 * 1024
FILE_BYTES: Final = 16 * 1024 * 1024
# Room for the marks of a cut, and for the line that says that the file ends early.
_MARK: Final = 512
_LEAST: Final = 256


def trace_lines(windows: Iterable[Sequence[Record]]) -> Iterator[str]:
    """Yield the events of a seat's windows as JSON lines, within 64 KiB each and 16 MiB together."""
    size = 0
    for records in windows:
        for record in records:
            line = event_line(record)
            size += len(line.encode()) + 1
            if size > FILE_BYTES - _MARK:
                place = {"window": record.window, "sequence": record.sequence}
                yield to_json(
                    {"trace_cut": f"at {FILE_BYTES} bytes; the journal holds the rest", "from": place}
                )
                return
            yield line


def event_line(record: Record) -> str:
    """Return one record as a JSON line; texts are cut, the longest first, until it fits."""
    body = record.body
    event = {"window": record.window, "sequence": record.sequence, "kind": record.kind, "body": body}
    line = to_json(event)
    room = EVENT_BYTES - _MARK
    longest = EVENT_BYTES // 4
    while len(line.encode()) > room and longest >= _LEAST:
        line = to_json({**event, "body": _shortened(body, longest), "cut": True})
        longest //= 2
    if len(line.encode()) <= room:
        return line
    text = cut_bytes(json.dumps(body), room // 2)
    return to_json({**event, "body": text, "cut": True})


def _shortened(value: Json, longest: int) -> Json:
    if isinstance(value, str):
        size = len(value.encode())
        return value if size <= longest else f"{cut_bytes(value, longest)}[cut: {longest} of {size} bytes]"
    if isinstance(value, Mapping):
        return {key: _shortened(item, longest) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item, longest) for item in value]
    return value
