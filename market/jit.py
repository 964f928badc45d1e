"""Compiled kernels with a disk cache that can not go stale.

numba keys its cache by the file that holds a function, so an edited callee in another module would be
missed. Here the cache folder is named by a hash of the kernel sources, the compiler's and numpy's
versions and the processor; it is set before a kernel is decorated. Each market's kernels have a folder
of their own below it, named by their sources alone: a change in one market never compiles another again.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from numba import config

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_SELF = Path(__file__).resolve()
PACKAGE = _SELF.parent
_DEFINES_KERNELS = re.compile(rb"^from market\.jit import .*\b(kernel|routine)\b", re.MULTILINE)


def kernel_sources() -> list[Path]:
    """Return every source below this package that defines kernels, in a fixed order."""
    return _sources("**/*.py")


def _sources(pattern: str) -> list[Path]:
    found = sorted(PACKAGE.glob(pattern))
    return [path for path in found if path == _SELF or _DEFINES_KERNELS.search(path.read_bytes())]


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return f"{platform.machine()} {platform.processor()}"
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    wanted = ("model name", "flags", "Features", "CPU part")
    return platform.machine() + "".join(sorted({line for line in lines if line.startswith(wanted)}))


def cache_key() -> str:
    """Return the hex digest that names the cache folder: compiler, processor and the sources that markets share."""
    digest = hashlib.sha256()
    for part in (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version()):
        digest.update(part.encode() + b"\0")
    digest.update(_processor().encode() + b"\0")
    _add_sources(digest, _sources("*.py"))
    return digest.hexdigest()[:24]


def market_key(market: str) -> str:
    """Return the name of the folder of one market's kernels (`market` is its package below this one)."""
    digest = hashlib.sha256()
    _add_sources(digest, _sources(f"{market}/**/*.py"))
    return f"{market}-{digest.hexdigest()[:16]}"


def _add_sources(digest: hashlib._Hash, paths: list[Path]) -> None:
    for path in paths:
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes())


def _writable_folder() -> Path | None:
    key = cache_key()
    roots = (Path.home() / ".cache", Path(tempfile.gettempdir()) / f"ceo-arena-{os.getuid()}")
    for root in roots:
        folder = root / "ceo-arena" / "kernels" / key
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor, probe = tempfile.mkstemp(dir=folder)
        except OSError:
            continue
        os.close(descriptor)
        os.unlink(probe)
        return folder
    return None


CACHE_FOLDER = _writable_folder()


@cache
def market_folder(market: str) -> Path | None:
    """Return where one market's kernels are cached; None where nothing can be."""
    return CACHE_FOLDER and CACHE_FOLDER / market_key(market)


def is_compiled(market: str) -> bool:
    """Tell whether some process has already filled a market's cache for these sources on this processor."""
    folder = market_folder(market)
    return folder is not None and any(folder.rglob("*.advance-*.nbc"))


def _enter_folder(module: str) -> None:
    """Point numba's cache, which it reads when a function is decorated, at the folder of the module's market."""
    parts = module.split(".")
    folder = market_folder(parts[1]) if len(parts) > 2 else CACHE_FOLDER
    if folder is not None:
        setattr(config, "CACHE_DIR", str(folder))  # noqa: B010 - the stub does not know it


def kernel(function: Kernel) -> Kernel:
    """Compile a function in nopython mode, inlined where it is called: one compilation for a whole day.

    Kernels allocate nothing, so reference counting is off: with named tuples of fifty arrays it costs
    more than the arithmetic. Fast-math stays off: sums run in the order written.
    """
    return _compiled(function, inline="always")


def routine(function: Kernel) -> Kernel:
    """Compile a kernel by itself and call it: for what is used in many places of one program."""
    return _compiled(function, inline="never")


def _compiled(function: Kernel, inline: str) -> Kernel:
    _enter_folder(function.__module__)
    options: dict[str, Any] = {"_nrt": False, "nogil": True, "error_model": "numpy", "inline": inline}
    compiled: Kernel = numba.njit(cache=CACHE_FOLDER is not None, **options)(function)
    return compiled
