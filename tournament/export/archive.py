"""Archives that have equal bytes for equal content, and unpacking that trusts nothing in them.

An archive is one folder in a gzipped tar: names sorted, no times, no owners. Unpacking writes plain
files under plain names into a folder of its own and nothing else; what a damaged archive still gives
is kept, so that verification can name the file that is hit.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tournament.errors import DamageError, InputError, StorageError
from tournament.storage import disk_errors, publish, scratch_folder

SUFFIX: Final = ".tar.gz"
_GZIP: Final = b"\x1f\x8b"
_STEP: Final = re.compile(r"(?!\.+$)[A-Za-z0-9._+-]+")
_CHUNK: Final = 1 << 16
_MOST_MEMBERS: Final = 1_000_000


@dataclass(slots=True, kw_only=True)
class Unpacked:
    """An unpacked archive: its folder, and (file, what is wrong) for what could not be read whole."""

    folder: Path
    faults: list[tuple[str, str]] = field(default_factory=list)


def write_archive(folder: Path, archive: Path, root: str, *, temporary: Path) -> None:
    """Write all files of a folder into an archive under the name `root`, atomically.

    `temporary` is where it is prepared, on the same disk.
    """
    with disk_errors(archive):
        try:
            with (
                temporary.open("wb") as stream,
                gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=stream, mtime=0) as packed,
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
            ):
                for name in files_below(folder):
                    _add(tar, folder / name, f"{root}/{name}")
            publish(temporary, archive)
        finally:
            temporary.unlink(missing_ok=True)


def files_below(folder: Path) -> list[str]:
    """Return every file below a folder by its relative name: those of the folder itself first, then by name."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()]
    return sorted(names, key=lambda name: ("/" in name, name))


def _add(tar: tarfile.TarFile, path: Path, name: str) -> None:
    member = tarfile.TarInfo(name)
    member.size = path.stat().st_size
    member.mode = 0o644
    with path.open("rb") as content:
        tar.addfile(member, content)


def is_archive(path: Path) -> bool:
    """Tell whether a path is a gzipped file."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(_GZIP)) == _GZIP
    except OSError as fault:
        raise InputError(f"cannot be read: {fault.strerror}", file=path) from None


@contextmanager
def unpacked(archive: Path) -> Iterator[Unpacked]:
    """Unpack an archive into a temporary folder that ends with the context.

    Raises DamageError for an archive that holds anything but plain files under one folder.
    """
    with scratch_folder(None, "tournament-archive-") as scratch:
        found = Unpacked(folder=scratch)
        with archive.open("rb") as stream, gzip.GzipFile(fileobj=stream) as packed:
            source = _Patient(packed)
            _unpack(archive, source, found)
            source.drain()
        if source.fault:
            found.faults.append((archive.name, source.fault))
        roots = sorted(found.folder.iterdir())
        if len(roots) != 1:
            raise DamageError(f"{archive} is damaged: {source.fault or 'it does not hold one folder'}")
        yield Unpacked(folder=roots[0], faults=found.faults)


class _Patient:
    """The bytes of a compressed stream up to where it is damaged, and what is wrong there."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self.fault = ""
        self._stream = stream

    def read(self, size: int) -> bytes:
        if self.fault:
            return b""
        try:
            return self._stream.read(size)
        except (OSError, EOFError, zlib.error) as fault:
            self.fault = f"cannot be decompressed: {str(fault) or type(fault).__name__}"
            return b""

    def drain(self) -> None:
        """Read to the end, where the checksum of the whole stands."""
        while self.read(_CHUNK):
            continue


def _unpack(archive: Path, source: _Patient, found: Unpacked) -> None:
    try:
        with tarfile.open(fileobj=source, mode="r|") as tar:  # type: ignore[call-overload]
            for count, member in enumerate(tar):
                if count >= _MOST_MEMBERS:
                    raise DamageError(f"{archive} holds over {_MOST_MEMBERS} files")
                _take(archive, tar, member, found)
    except (tarfile.TarError, EOFError, ValueError, UnicodeError) as fault:
        found.faults.append((archive.name, f"is no whole archive: {fault}"))


def _take(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, found: Unpacked) -> None:
    steps = member.name.rstrip("/").split("/")
    if not all(_STEP.fullmatch(step) for step in steps) or len(steps) < 2 - member.isdir():
        raise DamageError(f"{archive} is damaged or unsafe: it holds the name {member.name[:200]!r}")
    if member.isdir():
        return
    if not member.isreg():
        raise DamageError(f"{archive} is damaged or unsafe: {member.name} is no plain file")
    if member.size > shutil.disk_usage(found.folder).free:
        raise StorageError(f"{archive} needs {member.size} bytes for {member.name}; the disk has not as much")
    path = found.folder.joinpath(*steps)
    name = "/".join(steps[1:])
    content = tar.extractfile(member)
    assert content is not None, "a plain file has content"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            shutil.copyfileobj(content, stream, _CHUNK)
            stream.flush()
            size = os.fstat(stream.fileno()).st_size
    except FileExistsError:
        raise DamageError(f"{archive} is damaged or unsafe: it holds {member.name} twice") from None
    except NotADirectoryError:
        raise DamageError(f"{archive} is damaged or unsafe: {member.name} lies below a file") from None
    except tarfile.ReadError:
        size = -1
    if size != member.size:
        found.faults.append((name, "cannot be read whole from the archive"))
