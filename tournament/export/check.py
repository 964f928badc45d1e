"""Verification of a run, of an export in its folder, and of an export's archive: one command for all three.

An export is a run directory with a list of checksums and nothing beside what it lists, so it is verified
as one, by hashes and replay. An archive is unpacked where only this check sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tournament.checks.verify import Asked, Damage, Sources, Verified, verify_run
from tournament.errors import ArenaError, DamageError, InputError
from tournament.export.archive import Unpacked, files_below, is_archive, unpacked
from tournament.export.bundle import NOTE, SUMS, list_digest, read_note
from tournament.rundir.layout import CANONICAL, PLAN, WORLDS
from tournament.rundir.manifest import MANIFEST, read_manifest
from tournament.storage import sha256_of

_MISSING: Final = "is missing"
_OWN: Final = frozenset({MANIFEST, SUMS})
_FRAME: Final = (MANIFEST, NOTE, PLAN, CANONICAL)


def verify_path(path: Path, asked: Asked, sources: Sources, on_note: Callable[[str], None]) -> Verified:
    """Check a run directory, an export's folder or its archive; raises and tells as `verify_run` does."""
    if is_archive(path):
        return _verify_archive(path, asked, sources, on_note)
    if path.is_file():
        raise InputError("is neither a run directory nor an export's archive", file=path)
    return _verify_folder(path, asked, sources, on_note)


def _verify_archive(
    archive: Path, asked: Asked, sources: Sources, on_note: Callable[[str], None]
) -> Verified:
    with unpacked(archive) as found:
        faults = [Damage(world=_world_of(name), file=name, detail=detail) for name, detail in found.faults]
        try:
            verified = _verify_folder(found.folder, asked, sources, on_note)
        except (InputError, DamageError) as fault:
            raise DamageError(f"{archive} is damaged: {_cause(found, fault)}") from None
        rest = _behind(verified.damage) if faults else list(verified.damage)
        named = {item.file for item in faults}
        damage = [*faults, *(item for item in rest if item.file not in named)]
        damage.sort(key=lambda item: item.file == archive.name)  # what is hit before what follows from it
        return replace(verified, run=str(archive), damage=tuple(damage))


def _cause(found: Unpacked, fault: ArenaError) -> str:
    """Return what keeps an archive from being verified at all: a file it does not give, or one that is torn."""
    missing = [name for name in _FRAME if not (found.folder / name).is_file()]
    first = f"it gives no {missing[0]}" if missing else str(fault).replace(f"{found.folder}/", "")
    return "; ".join([first, *(f"{name} {detail}" for name, detail in found.faults[:1])])


def _behind(damage: tuple[Damage, ...]) -> list[Damage]:
    """Name the first file that a torn archive lacks and count the others: they have one cause."""
    missing = [item for item in damage if item.detail == _MISSING]
    if len(missing) < 2:
        return list(damage)
    first = replace(missing[0], detail=f"{_MISSING}, and {len(missing) - 1} more files with it")
    return [first, *(item for item in damage if item.detail != _MISSING)]


def _verify_folder(folder: Path, asked: Asked, sources: Sources, on_note: Callable[[str], None]) -> Verified:
    manifest = read_manifest(folder)
    if NOTE not in manifest.files and not (folder / NOTE).exists():
        return verify_run(folder, asked, sources, on_note)
    rewritten = frozenset(read_note(folder).rewritten)
    verified = verify_run(folder, replace(asked, export=True, rewritten=rewritten), sources, on_note)
    named = {item.file for item in verified.damage}
    more = [*_unlisted(folder, manifest.files), *_sums(folder, manifest.files), *_note(folder)]
    return replace(
        verified,
        damage=(*verified.damage, *(item for item in more if item.file not in named)),
        digest=list_digest(folder),
    )


def _unlisted(folder: Path, listed: dict[str, str]) -> Iterator[Damage]:
    for name in files_below(folder):
        if name not in listed and name not in _OWN:
            yield Damage(world=_world_of(name), file=name, detail="is no file of this export")


def _sums(folder: Path, files: dict[str, str]) -> Iterator[Damage]:
    """Compare the list of checksums, which holds the manifest's own, with what is there.

    Where a file has the bytes that the manifest vouches for, it is the list that was changed.
    """
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        yield Damage(world="", file=SUMS, detail="is missing or cannot be read")
        return
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    there = {name for name in files_below(folder) if name != SUMS}
    for name in sorted(there | listed.keys()):
        if name not in listed or name not in there:
            yield Damage(world=_world_of(name), file=SUMS, detail=f"and the folder differ in {name}")
        elif (digest := sha256_of(folder / name)) != listed[name]:
            if name in files and digest == files[name]:
                yield Damage(world="", file=SUMS, detail=f"has another checksum for {name} than the manifest")
            else:
                detail = f"does not have the bytes that were published, or {SUMS} was changed"
                yield Damage(world=_world_of(name), file=name, detail=detail)


def _note(folder: Path) -> Iterator[Damage]:
    """Compare note and manifest."""
    manifest, note = read_manifest(folder), read_note(folder)
    if (note.study, note.study_hash) != (manifest.study, manifest.study_hash):
        yield Damage(world="", file=NOTE, detail=f"is of study {note.study} {note.study_hash[:8]}")


def _world_of(name: str) -> str:
    parts = name.split("/")
    return parts[1] if parts[0] == WORLDS and len(parts) > 2 else ""
