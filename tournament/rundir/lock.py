"""Who owns a run directory: operating-system locks, so that a dead owner leaves none.

The owner's lock is exclusive for the life of its process. Its workers share a second one; a new owner
takes that exclusively once, so that it starts only when no worker of a dead owner writes on.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tournament.errors import DirectoryError
from tournament.storage import disk_errors

OWNER: Final = ".owner"
WORKERS: Final = ".workers"
ORPHAN_SECONDS: Final = 30.0
PATIENCE: Final = 5


@contextmanager
def owned(run: Path, command: str, about: str = "") -> Iterator[Path]:
    """Own a run directory for a command; yields the file whose shared lock workers hold.

    `about` says more to who finds it owned, such as the study that is run.

    Raises DirectoryError naming the other owner, or saying that its workers still write.
    """
    with disk_errors(run):
        run.mkdir(parents=True, exist_ok=True)
        owner = os.open(run / OWNER, os.O_RDWR | os.O_CREAT, 0o644)
        workers = os.open(run / WORKERS, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _take(owner, run)
        _sign(owner, command, about)
        _await_orphans(workers, run)
        yield run / WORKERS
    finally:
        os.close(workers)
        os.close(owner)


def owner_of(run: Path) -> str | None:
    """Return who owns a run directory now, or None; needs no write access."""
    try:
        owner = os.open(run / OWNER, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(owner, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _signature(owner)
    finally:
        os.close(owner)
    return None


def _take(owner: int, run: Path) -> None:
    """Take the owner's lock; a moment's patience, since asking who owns it takes it for an instant."""
    for _ in range(PATIENCE):
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return
    raise DirectoryError(f"{run} is in use by {_signature(owner)}")


def _sign(owner: int, command: str, about: str) -> None:
    signature = {
        "pid": os.getpid(),
        "host": platform.node(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "command": command,
        "about": about,
    }
    os.ftruncate(owner, 0)
    os.pwrite(owner, json.dumps(signature).encode(), 0)


def _signature(owner: int) -> str:
    text = os.pread(owner, 4096, 0)
    try:
        signed = json.loads(text)
        return (
            f"`tournament {signed['command']}`{signed['about'] and ' '}{signed['about']}, process {signed['pid']}"
            f" on {signed['host']} since {signed['since']}"
        )
    except (ValueError, KeyError):
        return "another process that is just starting"


def _await_orphans(workers: int, run: Path) -> None:
    """Wait until the workers of a dead owner have noticed its death; they do so within a window."""
    until = time.monotonic() + ORPHAN_SECONDS
    while True:
        try:
            fcntl.flock(workers, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(workers, fcntl.LOCK_UN)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise DirectoryError(f"{run}: worker processes of an earlier run still write there") from None
            time.sleep(0.02)
