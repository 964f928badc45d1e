"""Reports that several tests look at, made once, and a headless browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reports.write import write_report
from tests.reports import runs

NOT_RUN = "not run: no chromium with chromedriver; install both, or pass --browser=required to insist"


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made run of two reference policies with its whole report."""
    run = runs.made(
        tmp_path_factory.mktemp("told"),
        references={"rule": {11: 2, 29: 1}, "idle": {11: 1}},
        repeats={11: 2, 29: 1},
        rationale=runs.HOSTILE,
    )
    write_report(run)
    return run


@pytest.fixture(scope="session")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that two models played, with its whole report."""
    run = runs.played(tmp_path_factory.mktemp("panel"))
    write_report(run)
    return run


@pytest.fixture(scope="session")
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window, or a skip that names what was not run."""
    wanted = request.config.getoption("--browser")
    chromium, service = shutil.which("chromium"), shutil.which("chromedriver")
    if wanted == "off":
        pytest.skip("not run: --browser=off")
    if chromium is None or service is None:
        if wanted == "required":
            pytest.fail("--browser=required, but chromium and chromedriver are not both installed")
        pytest.skip(NOT_RUN)
    found = _open(chromium, service, tmp_path_factory.mktemp("profile"))
    yield found
    found.quit()


def _open(chromium: str, service: str, profile: Path) -> Any:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "disable-dev-shm-usage",
        f"user-data-dir={profile}",
        "window-size=1280,1000",
    ):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(service))


@pytest.fixture(scope="session")
def claims(told: Path) -> list[dict[str, Any]]:
    listed = json.loads((told / "report" / "claims.json").read_text(encoding="utf-8"))
    sentences: list[dict[str, Any]] = listed["sentences"]
    return sentences
