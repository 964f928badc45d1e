"""Files that are whole or absent: atomic writes, a probe of the output folder, the disk's refusals in words.

A run is worth days and dollars: whatever is published goes through a temporary file, fsync, rename
and an fsync of the folder, and an operating-system error becomes one line that names the file.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tournament.errors import StorageError

FREE_BYTES_NEEDED: Final = 32 * 1024 * 1024
RESUMABLE: Final = "nothing recorded is lost; the same command continues the run once this is mended"


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a StorageError that names the file."""
    try:
        yield
    except OSError as fault:
        raise refused(path, fault.strerror or str(fault)) from fault


def refused(path: Path, reason: str) -> StorageError:
    """Return the error for a write that the disk refused."""
    return StorageError(f"cannot write {path}: {reason}")


@contextmanager
def resumable() -> Iterator[None]:
    """Let a refused write say that nothing is lost: around what playing a run writes, and nothing else."""
    try:
        yield
    except StorageError as fault:
        if RESUMABLE in str(fault):
            raise
        raise StorageError(f"{fault}; {RESUMABLE}") from fault


def fsync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish(temporary: Path, path: Path) -> None:
    """Give a finished temporary file its name, so that no instant shows half of it."""
    with disk_errors(path):
        descriptor = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
        fsync_folder(path.parent)


def write_atomic(path: Path, content: bytes | str) -> str:
    """Write a file atomically and durably; return the SHA-256 of its bytes (hex)."""
    raw = content.encode() if isinstance(content, str) else content
    temporary = temporary_beside(path)
    with disk_errors(path):
        try:
            temporary.write_bytes(raw)
            publish(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return hashlib.sha256(raw).hexdigest()


def temporary_beside(path: Path) -> Path:
    """Return the name under which a file is prepared: hidden, in the same folder."""
    return path.with_name(f".{path.name}.new")


# Waits for the end of who started it, however that comes, and then removes what it was told to.
_SWEEPER: Final = (
    "import shutil, sys; sys.stdin.buffer.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"
)


@contextmanager
def scratch_folder(beside: Path | None, prefix: str) -> Iterator[Path]:
    """Yield a new folder, in `beside` or where temporary files go, that is gone after this process.

    A process of its own session removes it, so that no signal to this one or to its group leaves it behind.
    """
    home = beside or Path(tempfile.gettempdir())
    folder = home / f"{prefix}{secrets.token_hex(8)}"
    with disk_errors(home):
        sweeper = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SWEEPER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        with disk_errors(folder):
            folder.mkdir(mode=0o700)
        yield folder
    finally:
        sweeper.communicate()
        shutil.rmtree(folder, ignore_errors=True)  # where the sweeper itself was ended from outside


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes (hex)."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def probe(folder: Path) -> None:
    """Try every operation a run needs on its output folder before anything is played or paid."""
    first, second = folder / ".probe", folder / ".probe.renamed"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(first, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        try:
            os.write(descriptor, b"probe")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(first, second)
        second.unlink()
        free = shutil.disk_usage(folder).free
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise StorageError(f"the output folder {folder} cannot be used: {reason}") from fault
    if free < FREE_BYTES_NEEDED:
        raise StorageError(f"the output folder {folder} has {free // 2**20} MB free; 32 MB are needed")
