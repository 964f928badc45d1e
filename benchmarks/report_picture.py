"""The README's picture of a report: `python -m benchmarks.report_picture RUN docs/report.png`.

A real page in a real browser: the index of RUN/report on a desktop in the light theme, beside it a part
of the same page on a phone in the dark theme. Needs Debian's chromium and chromium-driver.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from selenium import webdriver

HEIGHT: Final = 1180
DESKTOP, PHONE, GAP = 1280, 390, 28
FIRST_SECTION: Final = "answers"
PHONE_SECTION: Final = "directed"
FLAGS: Final = (
    "headless=new",
    "no-sandbox",
    "disable-gpu",
    "disable-quic",
    "no-first-run",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "hide-scrollbars",
)


def main(run: Path, picture: Path) -> None:
    """Take both pictures and write them side by side."""
    index = (run / "report" / "index.html").resolve()
    with _browser() as browser:
        wide = _shot(browser, index.as_uri(), DESKTOP, "light", FIRST_SECTION)
        narrow = _shot(browser, index.as_uri(), PHONE, "dark", PHONE_SECTION)
        browser.get(_beside(wide, narrow))
        _resize(browser, DESKTOP + GAP + PHONE)
        picture.write_bytes(browser.get_screenshot_as_png())
    sys.stdout.write(f"{picture}: {picture.stat().st_size:,} bytes\n")


@contextmanager
def _browser() -> Iterator[Any]:
    profile = tempfile.mkdtemp(prefix="report-picture-")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in (*FLAGS, f"user-data-dir={profile}", f"window-size={DESKTOP},{HEIGHT}"):
        options.add_argument(f"--{flag}")
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        yield browser
    finally:
        browser.quit()
        shutil.rmtree(profile, ignore_errors=True)


def _shot(browser: Any, address: str, width: int, theme: str, section: str) -> str:
    """Return a picture of the page as base64, scrolled to a section."""
    _resize(browser, width)
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get(address)
    if section != FIRST_SECTION:
        place = "document.getElementById(arguments[0]).getBoundingClientRect().top + scrollY"
        browser.execute_script(f"scrollTo({{top: {place} - 30, behavior: 'instant'}})", section)
    return str(browser.get_screenshot_as_base64())


def _resize(browser: Any, width: int) -> None:
    size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def _beside(wide: str, narrow: str) -> str:
    """Return the address of a page that holds both pictures."""
    images = "".join(f'<img src="data:image/png;base64,{picture}">' for picture in (wide, narrow))
    style = f"body{{margin:0;display:flex;gap:{GAP}px;background:#d7dade}}"
    return f"data:text/html,<style>{quote(style)}</style>{quote(images)}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
