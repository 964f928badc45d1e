"""What a run was made with: hashes of the sources that decide, library versions, the platform.

An unfinished run continues only under the sources that began it: half a study under one market or
prompt and half under another is no study. Every text file of the packages that play is hashed, prompts
included; the commands and reports, which decide nothing, are left out.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

LIBRARIES: Final = ("numpy", "numba", "llvmlite", "pydantic", "anyio", "litellm", "pandas", "pyarrow")
OWN: Final = ("tournament", "lineups")
_TEXT: Final = frozenset({".py", ".md", ".txt", ".j2", ".yaml", ".json"})
_DECIDES_NOTHING: Final = "cli"


def source_hashes(kinds: Iterable[Any]) -> dict[str, str]:
    """Return the SHA-256 of each package that decides: ours, and those of the markets and policies used."""
    modules = {type(kind).__module__ for kind in kinds} | {
        kind.parameters.__module__ for kind in kinds if hasattr(kind, "parameters")
    }
    return hashes_of({*OWN, *(module.split(".")[0] for module in modules)})


def hashes_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each package's text files; a package that is not installed is left out."""
    return {package: _package_hash(package) for package in sorted(packages) if find_spec(package)}


def versions() -> dict[str, str]:
    """Return the versions that a result may depend on; a library that is not installed is left out."""
    found = {"python": platform.python_version(), "sqlite": _sqlite_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def platform_facts() -> dict[str, str]:
    """Return the platform for which byte identity holds."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "python": sys.implementation.cache_tag or "",
    }


def differences(recorded: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """Return what differs, as `name: recorded, here`."""
    names = sorted({*recorded, *here})
    return [
        f"{name}: {_short(recorded, name)} recorded, {_short(here, name)} here"
        for name in names
        if name not in recorded or name not in here or recorded[name] != here[name]
    ]


def _short(values: Mapping[str, str], name: str) -> str:
    return values[name][:12] if name in values else "none"


def _package_hash(package: str) -> str:
    origin = import_module(package).__file__
    if origin is None:
        return ""
    root = Path(origin)
    files = _text_files(root.parent) if root.name == "__init__.py" else [root]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(root.parent).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _text_files(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in _TEXT and path.relative_to(folder).parts[0] != _DECIDES_NOTHING
    ]


def _sqlite_version() -> str:
    import sqlite3  # noqa: PLC0415

    return sqlite3.sqlite_version
