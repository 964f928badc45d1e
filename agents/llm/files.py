"""The seat's private files: text under plain relative paths, held in the journal.

There is no file system behind them, so no link and no way out; the rules on paths keep an export to
a real folder just as safe. Each operation is pure: it takes the files as they are and returns what
to tell the CEO and what changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agents.llm.arguments import DeleteFile, EditFile, ReadFile, RefusedCall, WriteFile
from agents.llm.text import RESULT_BYTES, brief, to_json
from tournament.records import Json

FILE_BYTES: Final = 1_000_000
FILES: Final = 200
PATH_CHARACTERS: Final = 200
_PATH: Final = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*")
# Names that some systems keep for devices: an export must be able to write every file.
_RESERVED: Final = re.compile(r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_ALLOWED: Final = "relative, of letters, digits and . _ - /, without . or .. as a step"
# JSON around a file's text, and the worst case of what escapes add, must fit into one result.
_ENVELOPE: Final = 1024

Files = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What the CEO is told, and the changed files (None: deleted)."""

    told: Mapping[str, Json]
    changes: Mapping[str, str | None]


def checked_path(path: str) -> str:
    """Return the path; raises RefusedCall where it is not a plain relative one."""
    if len(path) > PATH_CHARACTERS:
        raise RefusedCall(f"The path has {len(path)} characters; at most {PATH_CHARACTERS} are allowed.")
    steps = path.split("/")
    if not _PATH.fullmatch(path) or any(step.strip(".") == "" for step in steps):
        raise RefusedCall(f"The path {brief(ascii(path), 80)} is not allowed: it must be {_ALLOWED}.")
    for step in steps:
        if _RESERVED.fullmatch(step) or step.endswith("."):
            raise RefusedCall(f"The path {path} is not allowed: {step} is reserved on some systems.")
    return path


def list_files(sizes: Mapping[str, int]) -> FileResult:
    """List the files by path with their characters."""
    entries = [{"path": path, "characters": sizes[path]} for path in sorted(sizes)]
    return FileResult(told={"files": entries, "count": len(entries), "most": FILES}, changes={})


def read_file(files: Files, asked: ReadFile) -> FileResult:
    text = _existing(files, asked.path)
    part = text[asked.offset : asked.offset + asked.limit]
    while len(to_json(part).encode()) > RESULT_BYTES - _ENVELOPE:
        part = part[: len(part) * 3 // 4]
    end = asked.offset + len(part)
    told = {
        "path": asked.path,
        "characters": len(text),
        "offset": asked.offset,
        "text": part,
        "next_offset": end if end < len(text) else None,
    }
    return FileResult(told=told, changes={})


def write_file(files: Files, asked: WriteFile) -> FileResult:
    path = checked_path(asked.path)
    if path not in files:
        _require_room(files, path)
    return _written(path, asked.text, created=path not in files)


def edit_file(files: Files, asked: EditFile) -> FileResult:
    text = _existing(files, asked.path)
    place = text.find(asked.old)
    if place < 0 or text.find(asked.old, place + 1) >= 0:
        found = "does not occur" if place < 0 else "occurs more than once"
        raise RefusedCall(f"{asked.path} is unchanged: old must occur exactly once, it {found}.")
    changed = text[:place] + asked.new + text[place + len(asked.old) :]
    return _written(asked.path, changed, created=False)


def delete_file(files: Files, asked: DeleteFile) -> FileResult:
    _existing(files, asked.path)
    return FileResult(told={"deleted": asked.path}, changes={asked.path: None})


def _existing(files: Files, path: str) -> str:
    checked_path(path)
    if path not in files:
        raise RefusedCall(f"There is no file {path}; list_files shows what there is.")
    return files[path]


def _require_room(files: Files, path: str) -> None:
    """A new file must not exceed the count, nor stand where an export needs a folder or another spelling."""
    if len(files) >= FILES:
        raise RefusedCall(
            f"There are {len(files)} files already, and at most {FILES} are allowed; delete one."
        )
    folded = path.casefold()
    for other in files:
        known = other.casefold()
        if known == folded:
            raise RefusedCall(f"{path} differs from the file {other} in upper and lower case only.")
        if known.startswith(f"{folded}/") or folded.startswith(f"{known}/"):
            raise RefusedCall(f"{path} and {other} can't both exist: one would be a folder of the other.")


def _written(path: str, text: str, *, created: bool) -> FileResult:
    size = len(text.encode())
    if size > FILE_BYTES:
        raise RefusedCall(f"{path} is unchanged: {size} bytes, at most {FILE_BYTES} are allowed.")
    told = {"written": path, "created": created, "characters": len(text), "bytes": size}
    return FileResult(told=told, changes={path: text})
