"""What all tests share: whether a browser must be there."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--browser",
        choices=("auto", "required", "off"),
        default="auto",
        help="tests that open the report in a browser: run where chromium and its driver are installed (auto),"
        " fail without them (required), or leave out (off)",
    )
