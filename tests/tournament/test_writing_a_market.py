"""The market of docs/writing-a-market.md, read from its page, is built, installed, and taken by every command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "writing-a-market.md"
FILES = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"<!-- commands: ferries -->\n```bash\n(.*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's folder, with the package installed in `site` beside it."""
    folder = tmp_path_factory.mktemp("ferries")
    for name, text in FILES.findall(PAGE.read_text(encoding="utf-8")):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    install = ["install", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--target", "site", "."]
    subprocess.run([sys.executable, "-m", "pip", *install], cwd=folder, check=True, capture_output=True)
    return folder


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter where the installed package, and not its sources, is found.

    A call of pytest knows none of the options that this suite's own call was given by the environment.
    """
    places = os.pathsep.join([str(folder / "site"), str(PAGE.parents[1])])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-P", *words],
        cwd=folder,
        env={**inherited, "PYTHONPATH": places, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def printed_commands() -> list[list[str]]:
    (block,) = COMMANDS.findall(PAGE.read_text(encoding="utf-8"))
    return [line.split() for line in block.splitlines() if line.startswith("tournament ")]


def test_its_conformance_test_passes(built: Path) -> None:
    done = call(built, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "test_ferries.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_every_printed_command_takes_it(built: Path) -> None:
    for words in printed_commands():
        done = call(built, "-m", *words)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
    tables = built / "run" / "externalities"
    accounts = (tables / "accounts.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "tickets_cents" in accounts
    assert "revenue_cents" not in accounts
    assert "carried" in (tables / "health.csv").read_text(encoding="utf-8")
    assert "fare_cents" in (tables / "paths.csv").read_text(encoding="utf-8").splitlines()[0]
    assert (tables / "decomposition.csv").exists()
    page = (built / "run" / "report" / "index.html").read_text(encoding="utf-8")
    assert "sailing" in page
    for word in ("Tenders", "Innovation", "innovation", "procurement"):
        assert word not in page, f"the report of ferries speaks of {word}"


def test_a_run_is_read_where_its_market_is_not_installed(built: Path) -> None:
    done = call(built, "-m", "tournament", "run", "ferries.yaml", "--out", "alone", "--seed", "1")
    assert done.returncode == 0, done.stderr
    (built / "site").rename(built / "elsewhere")
    try:
        for words in (["externalities", "alone"], ["report", "alone"], ["status", "alone", "--json"]):
            read = call(built, "-m", "tournament", *words)
            assert read.returncode == 0, f"{words}: {read.stdout}{read.stderr}"
    finally:
        (built / "elsewhere").rename(built / "site")
    manifest = json.loads((built / "alone" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["scenario"]["published"]["time"]["unit"] == "sailing"
