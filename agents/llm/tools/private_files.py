"""The seat's private files: text under plain relative paths, held in the journal.

There is no file system behind them, so no link and no way out; the rules on paths keep an export to
a real folder just as safe. No step of a path starts with a dot or a dash: tools take the first for
their settings and the second for an option. Each operation is pure: it takes the files as they are and returns its
result and what changes; the path has been checked before, when the call was new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.llm import wording
from agents.llm.text import RESULT_BYTES, brief, to_json
from agents.llm.tools.arguments import DeleteFile, EditFile, ReadFile, RefusedCall, WriteFile
from tournament.records import Json

FILE_BYTES: Final = 1_000_000
FILES: Final = 200
PATH_CHARACTERS: Final = 200
_STEP: Final = "[A-Za-z0-9_][A-Za-z0-9._-]*"
_PATH: Final = re.compile(f"{_STEP}(?:/{_STEP})*")
# Names that some systems keep for devices: an export must be able to write every file.
_RESERVED: Final = re.compile(r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
# JSON around a file's text, and the worst case of what escapes add, must fit into one result.
_ENVELOPE: Final = 1024

Files = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """The result for the CEO, and the changed files by path (None: deleted)."""

    result: Mapping[str, Json]
    changes: Mapping[str, str | None]


def checked_path(path: str) -> str:
    """Return the path; raises RefusedCall where it is not a plain relative one."""
    if len(path) > PATH_CHARACTERS:
        raise RefusedCall(wording.PATH_LENGTH.format(characters=len(path), most=PATH_CHARACTERS))
    steps = path.split("/")
    if not _PATH.fullmatch(path):
        raise RefusedCall(wording.PATH_FORM.format(path=brief(ascii(path), 80)))
    for step in steps:
        if _RESERVED.fullmatch(step) or step.endswith("."):
            raise RefusedCall(wording.PATH_RESERVED.format(path=path, step=step))
    return path


def list_files(sizes: Mapping[str, int]) -> FileResult:
    """List the files by path with their characters."""
    entries = [{"path": path, "characters": sizes[path]} for path in sorted(sizes)]
    return FileResult(result={"files": entries, "count": len(entries), "most": FILES}, changes={})


def read_file(files: Files, given: ReadFile) -> FileResult:
    text = _existing(files, given.path)
    part = text[given.offset : given.offset + given.limit]
    while len(to_json(part).encode()) > RESULT_BYTES - _ENVELOPE:
        part = part[: len(part) * 3 // 4]
    end = given.offset + len(part)
    result = {
        "path": given.path,
        "characters": len(text),
        "offset": given.offset,
        "text": part,
        "next_offset": end if end < len(text) else None,
    }
    return FileResult(result=result, changes={})


def write_file(files: Files, given: WriteFile) -> FileResult:
    if given.path not in files:
        _require_room(files, given.path)
    return _written(given.path, given.text, created=given.path not in files)


def edit_file(files: Files, given: EditFile) -> FileResult:
    text = _existing(files, given.path)
    place = text.find(given.old)
    if place < 0 or text.find(given.old, place + 1) >= 0:
        text = wording.EDIT_ABSENT if place < 0 else wording.EDIT_AMBIGUOUS
        raise RefusedCall(text.format(path=given.path))
    changed = text[:place] + given.new + text[place + len(given.old) :]
    return _written(given.path, changed, created=False)


def delete_file(files: Files, given: DeleteFile) -> FileResult:
    _existing(files, given.path)
    return FileResult(result={"deleted": given.path}, changes={given.path: None})


def _existing(files: Files, path: str) -> str:
    if path not in files:
        raise RefusedCall(wording.NO_FILE.format(path=path))
    return files[path]


def _require_room(files: Files, path: str) -> None:
    """A new file must not exceed the count, nor stand where an export needs a folder or another spelling."""
    if len(files) >= FILES:
        raise RefusedCall(wording.TOO_MANY_FILES.format(count=len(files), most=FILES))
    folded = path.casefold()
    for other in files:
        known = other.casefold()
        if known == folded:
            raise RefusedCall(wording.PATH_CASE.format(path=path, other=other))
        if known.startswith(f"{folded}/") or folded.startswith(f"{known}/"):
            raise RefusedCall(wording.PATH_FOLDER.format(path=path, other=other))


def _written(path: str, text: str, *, created: bool) -> FileResult:
    size = len(text.encode())
    if size > FILE_BYTES:
        raise RefusedCall(wording.FILE_SIZE.format(path=path, size=size, most=FILE_BYTES))
    result = {"written": path, "created": created, "characters": len(text), "bytes": size}
    return FileResult(result=result, changes={path: text})
