"""How a seat's private files grew: what its recorded calls wrote, edited and deleted, in order.

The journal keeps the files as they are last; everything that they ever held follows from the calls
that were done, by the same operations that did them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from agents.llm.tools import private_files
from agents.llm.tools.arguments import DeleteFile, EditFile, WriteFile, validated
from agents.llm.tools.calls import Call, read_calls
from tournament.records import Record

_OPERATIONS: Final[
    Mapping[str, tuple[type[BaseModel], Callable[[Mapping[str, str], Any], private_files.FileResult]]]
] = {
    "write_file": (WriteFile, private_files.write_file),
    "edit_file": (EditFile, private_files.edit_file),
    "delete_file": (DeleteFile, private_files.delete_file),
}


def file_changes(
    records: Iterable[Record], files: Mapping[str, str]
) -> Iterator[tuple[Record, Mapping[str, str | None]]]:
    """Yield each record that changed a file with the new texts by path (None: deleted).

    `files` are the files before the first record, and are not changed.
    """
    now = dict(files)
    calls: tuple[Call, ...] = ()
    for record in records:
        if record.kind == "reply":
            calls = read_calls(record.body["message"], record.body["ordinal"], set())
        elif record.kind == "result" and record.body["done"] and record.body["tool"] in _OPERATIONS:
            call = calls[record.body["position"]]
            model, operation = _OPERATIONS[record.body["tool"]]
            changes = operation(now, validated(call.name, model, call.arguments)).changes
            now |= {path: text for path, text in changes.items() if text is not None}
            for path in [path for path, text in changes.items() if text is None]:
                del now[path]
            yield record, changes
