"""What all tests share: whether a browser must be there."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

NOT_RUN = "not run: "

# How long drawing takes says how busy the machine is, and nothing about the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--browser",
        choices=("auto", "required", "off"),
        default="auto",
        help="tests that open the report in a browser: run where chromium and its driver are installed (auto),"
        " fail without them (required), or leave out (off)",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was not run and why: a test that nobody ran must not look like one that passed."""
    named: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if reason.removeprefix("Skipped: ").startswith(NOT_RUN):
            named.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)
    for reason, tests in named.items():
        terminalreporter.write_line(f"{len(tests)} tests {reason}")
        for test in tests:
            terminalreporter.write_line(f"  {test}")
