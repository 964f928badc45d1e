"""The kernel cache: an edited callee in another module is never missed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from market import jit

CALLEE = "from market.jit import kernel\n\n\n@kernel\ndef inner(x):\n    return x + {step}\n"
CALLER = (
    "from market.jit import kernel\nfrom market.callee import inner\n\n\n"
    "@kernel\ndef outer(x):\n    return inner(x) * 10\n"
)


def outcome(package: Path, home: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "HOME": str(home)}
    program = "from market.caller import outer; from market.jit import CACHE_FOLDER; print(outer(1), CACHE_FOLDER.name)"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=home, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_change_in_a_called_module_changes_the_result_and_the_cache_folder(tmp_path: Path) -> None:
    package = tmp_path / "source" / "market"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    shutil.copy(jit.__file__, package / "jit.py")
    (package / "caller.py").write_text(CALLER)
    (package / "callee.py").write_text(CALLEE.format(step=1))
    first = outcome(package, tmp_path)
    assert first.startswith("20 ")
    assert outcome(package, tmp_path) == first
    (package / "callee.py").write_text(CALLEE.format(step=2))
    second = outcome(package, tmp_path)
    assert second.startswith("30 ")
    assert second.split()[1] != first.split()[1]


@pytest.mark.slow
def test_kernels_are_compiled_in_a_process_that_ends_and_only_read_here(tmp_path: Path) -> None:
    program = (
        "from market.ceo_arena.market import MARKET\n"
        "said = []\n"
        "MARKET.prepare(said.append)\n"
        "from market.ceo_arena.day import advance\n"
        "stats = advance.stats\n"
        "print(len(said), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path)}
    told = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert told == [["1", "1", "0"], ["0", "1", "0"]]


def test_every_module_that_defines_kernels_is_part_of_the_key() -> None:
    names = {path.name for path in jit.kernel_sources()}
    assert {"day.py", "demand.py", "finance.py", "production.py"} <= names


def test_another_markets_kernels_leave_a_markets_cache_alone(tmp_path: Path) -> None:
    package = tmp_path / "source" / "market"
    for market in ("first", "second"):
        (package / market).mkdir(parents=True)
        (package / market / "__init__.py").write_text("")
        (package / market / "day.py").write_text(CALLEE.format(step=1))
    (package / "__init__.py").write_text("")
    shutil.copy(jit.__file__, package / "jit.py")
    before = {market: market_folder(package, tmp_path, market) for market in ("first", "second")}
    (package / "second" / "day.py").write_text(CALLEE.format(step=2))
    (package / "third").mkdir()
    (package / "third" / "day.py").write_text(CALLEE.format(step=3))
    assert market_folder(package, tmp_path, "first") == before["first"]
    assert market_folder(package, tmp_path, "second") != before["second"]


def market_folder(package: Path, home: Path, market: str) -> str:
    """Where numba keeps a market's kernels, told by numba itself."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "HOME": str(home)}
    program = f"from market.{market}.day import inner; inner(1); print(inner.stats.cache_path)"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=home, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
