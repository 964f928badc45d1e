"""Compiled kernels with a disk cache that can not go stale.

numba keys its cache by the file that holds a function, so an edited callee in another module would be
missed. Here the cache folder is named by a hash of every kernel source, the compiler's and numpy's
versions and the processor; it is set before the first kernel is decorated.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from numba import config

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent


def kernel_sources() -> list[Path]:
    """Return every source below this package that defines kernels, in a fixed order."""
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if b"from market.jit import kernel" in path.read_bytes()
    ]


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return f"{platform.machine()} {platform.processor()}"
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    wanted = ("model name", "flags", "Features", "CPU part")
    return platform.machine() + "".join(sorted({line for line in lines if line.startswith(wanted)}))


def cache_key() -> str:
    """Return the hex digest that names the cache folder."""
    digest = hashlib.sha256()
    for part in (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version()):
        digest.update(part.encode() + b"\0")
    digest.update(_processor().encode() + b"\0")
    for path in kernel_sources():
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:24]


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
if CACHE_FOLDER is not None:
    setattr(config, "CACHE_DIR", str(CACHE_FOLDER))  # noqa: B010 - the stub does not know it


def is_compiled() -> bool:
    """Tell whether some process has already filled the cache for these sources on this processor."""
    return CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob("*.advance-*.nbc"))


def kernel(function: Kernel) -> Kernel:
    """Compile a function in nopython mode, inlined where it is called: one compilation for a whole day.

    Kernels allocate nothing, so reference counting is off: with named tuples of fifty arrays it costs
    more than the arithmetic. Fast-math stays off: sums run in the order written.
    """
    options: dict[str, Any] = {"_nrt": False, "nogil": True, "error_model": "numpy", "inline": "always"}
    compiled: Kernel = numba.njit(cache=CACHE_FOLDER is not None, **options)(function)
    return compiled
