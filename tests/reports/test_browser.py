"""The report in a real browser: nothing fetched, nothing complained of, everything that should move moves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.reports import runs

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("driver")]
WIDTHS = (1280, 390)


class Window:
    """A page in the browser, and what the browser had to say about it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, width: int = 1280, theme: str = "light") -> None:
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        media = [{"name": "prefers-color-scheme", "value": theme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        self.driver.get(path.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that pages asked for since this one was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [item["params"] for item in messages if item["method"] == "Network.requestWillBeSent"]
        return [item["request"]["url"] for item in sent]

    def column(self, table: str, number: int) -> list[str]:
        script = """
          return [...document.querySelectorAll(arguments[0] + ' tbody tr')]
            .map(row => row.cells[arguments[1]].innerText)"""
        found: list[str] = self.run(script, table, number)
        return found


@pytest.fixture
def window(driver: Any) -> Iterator[Window]:
    yield Window(driver)
    driver.execute_script("try { localStorage.clear() } catch (refused) { return }")


@pytest.mark.parametrize("width", WIDTHS)
def test_every_kind_of_page_opens_without_a_request_or_a_complaint(
    told: Path, window: Window, width: int
) -> None:
    for name in ("index.html", "worlds/ref.r0.s11.n1.html", "contestants/ann.html"):
        path = told / "report" / name
        window.open(path, width)
        own = ("data:", "chrome:")  # the browser's start page may still be loading its parts
        fetched = [address for address in window.requests() if not address.startswith(own)]
        assert fetched == [path.as_uri()]
        assert window.complaints() == []


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_is_never_wider_than_the_screen(told: Path, window: Window, width: int) -> None:
    for name in ("index.html", "worlds/ref.r0.s11.n1.html", "contestants/ann.html"):
        window.open(told / "report" / name, width)
        window.run("document.querySelectorAll('details').forEach(item => { item.open = true })")
        assert window.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_charts_are_drawn_and_their_words_can_be_read(told: Path, window: Window, width: int) -> None:
    window.open(told / "report" / "index.html", width)
    window.run("document.querySelectorAll('details').forEach(item => { item.open = true })")
    script = """
      return [...document.querySelectorAll('svg.chart')].filter(svg => svg.getBoundingClientRect().width > 0).map(svg => {
        const texts = [...svg.querySelectorAll('text')].map(text => text.getBoundingClientRect());
        const box = svg.getBoundingClientRect();
        return {name: svg.querySelector('title').textContent, marks: svg.querySelectorAll('[data-t]').length,
                smallest: Math.min(...texts.map(text => text.height)), labelled: svg.getAttribute('aria-labelledby'),
                inside: texts.every(text => text.left >= box.left - 2 && text.right <= box.right + 2)};
      })"""
    charts = window.run(script)
    assert len(charts) >= 15
    for chart in charts:
        assert chart["marks"] > 0, chart
        assert chart["smallest"] >= 9, chart
        assert chart["inside"], chart
        assert chart["labelled"]


def test_tables_sort_up_and_down_by_number_and_say_so(told: Path, window: Window) -> None:
    window.open(told / "report" / "index.html")
    header = "#table-operating thead th:nth-child(4)"
    window.run(f"document.querySelector('{header} button').click()")
    assert window.run(f"return document.querySelector('{header}').getAttribute('aria-sort')") == "ascending"
    shown = [float(text.replace("\u2212", "-")) for text in window.column("#table-operating", 3)]
    assert shown == sorted(shown)
    window.run(f"document.querySelector('{header} button').click()")
    assert window.run(f"return document.querySelector('{header}').getAttribute('aria-sort')") == "descending"
    shown = [float(text.replace("\u2212", "-")) for text in window.column("#table-operating", 3)]
    assert shown == sorted(shown, reverse=True)


def test_a_table_is_filtered_by_words(told: Path, window: Window) -> None:
    window.open(told / "report" / "index.html")
    script = """
      const box = document.querySelector('#table-worlds input');
      box.value = arguments[0]; box.dispatchEvent(new Event('input'));
      return [...document.querySelectorAll('#table-worlds tbody tr')]
        .filter(row => !row.hidden).map(row => row.cells[0].innerText)"""
    assert window.run(script, "idle finished") == [
        f"idle-for-{name}.r0.s11.n1" for name in ("ann", "bob", "cem")
    ]
    assert window.run("return document.querySelector('#table-worlds output').textContent") == "3 of 15 rows"


def test_the_theme_follows_the_system_and_the_button_and_is_remembered(told: Path, window: Window) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    window.open(told / "report" / "index.html", theme="light")
    light = window.run(background)
    window.open(told / "report" / "index.html", theme="dark")
    dark = window.run(background)
    assert light != dark
    window.run("document.getElementById('theme').click()")
    assert window.run(background) == light
    window.open(told / "report" / "worlds" / "ref.r0.s11.n1.html", theme="dark")
    assert window.run(background) == light


def test_charts_change_their_colours_with_the_theme(told: Path, window: Window) -> None:
    fill = "return getComputedStyle(document.querySelector('#figure-directed .wide [data-t]')).fill"
    window.open(told / "report" / "index.html", theme="light")
    light = window.run(fill)
    window.open(told / "report" / "index.html", theme="dark")
    assert window.run(fill) != light


def test_a_cell_of_the_heat_map_shows_each_observation_on_hover_and_by_keys(
    told: Path, window: Window
) -> None:
    from selenium.webdriver import ActionChains, Keys
    from selenium.webdriver.common.by import By

    window.open(told / "report" / "index.html")
    chart = window.driver.find_element(By.CSS_SELECTOR, "#figure-directed .wide svg")
    window.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", chart)
    tip = window.driver.find_element(By.ID, "tip")
    cell = chart.find_element(By.CSS_SELECTOR, "[data-t*='→']")
    ActionChains(window.driver).move_to_element(cell).perform()
    assert "→" in tip.text
    assert tip.text.count("seed 11") == 2
    assert "SD" in tip.text
    window.run("arguments[0].focus()", chart)
    ActionChains(window.driver).send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT).perform()
    assert tip.is_displayed()
    assert len(chart.find_elements(By.CSS_SELECTOR, ".on")) == 1


def test_seats_are_chosen_and_all_windows_opened(told: Path, window: Window) -> None:
    window.open(told / "report" / "worlds" / "ref.r0.s11.n1.html")
    window.run("document.getElementById('unfold').click()")
    assert window.run("return [...document.querySelectorAll('details.window')].every(item => item.open)")
    script = """
      const box = document.getElementById('seats'); box.value = '2'; box.dispatchEvent(new Event('change'));
      return [...document.querySelectorAll('.entry')].filter(entry => !entry.hidden).map(entry => entry.dataset.seat)"""
    assert set(window.run(script)) == {"2"}


def test_links_lead_from_the_index_to_worlds_and_back(told: Path, window: Window) -> None:
    from selenium.webdriver.common.by import By

    window.open(told / "report" / "index.html")
    link = window.driver.find_element(By.CSS_SELECTOR, "#table-worlds tbody a")
    name = link.text
    window.run("arguments[0].click()", link)
    assert window.driver.find_element(By.TAG_NAME, "h1").text == name
    window.run("document.querySelector('header nav a').click()")
    assert window.driver.current_url.endswith("/report/index.html")


def test_a_script_in_a_rationale_or_a_note_is_text(told: Path, panel: Path, window: Window) -> None:
    for run in (told, panel):
        path = run / "report" / "worlds" / "ref.r0.s11.n1.html"
        window.open(path)
        window.run("document.querySelectorAll('details').forEach(item => { item.open = true })")
        assert window.driver.title.startswith("ref.r0.s11.n1")
        assert runs.HOSTILE.split(" &")[0] in window.run("return document.body.textContent")
        assert window.run("return document.scripts.length") == 1
        assert window.run("return document.images.length") == 0


def test_even_a_script_that_got_in_would_not_run_nor_reach_out(
    told: Path, window: Window, tmp_path: Path
) -> None:
    text = (told / "report" / "index.html").read_text(encoding="utf-8")
    planted = "<script>document.title='stolen'</script><img src='http://127.0.0.1:9/x'>"
    path = tmp_path / "planted.html"
    path.write_text(text.replace("<main", f"{planted}<main"), encoding="utf-8")
    window.open(path)
    assert window.driver.title != "stolen"
    assert len([entry for entry in window.complaints() if "Content Security Policy" in entry]) >= 2


def test_the_page_can_be_used_by_keyboard_and_screen_reader(told: Path, window: Window) -> None:
    from selenium.webdriver import ActionChains, Keys

    window.open(told / "report" / "index.html")
    ActionChains(window.driver).send_keys(Keys.TAB).perform()
    assert window.run("return document.activeElement.className") == "skip"
    unnamed = """
      const named = e => e.getAttribute('aria-label') || e.textContent.trim() || e.labels && e.labels.length;
      return [...document.querySelectorAll('a,button,input,select,summary,[role=region]')]
        .filter(e => !named(e)).map(e => e.outerHTML)"""
    assert window.run(unnamed) == []
    levels = window.run("return [...document.querySelectorAll('h1,h2,h3,h4')].map(e => +e.tagName[1])")
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    landmarks = (
        "return ['main', 'header', 'footer', 'nav'].map(name => document.querySelectorAll(name).length)"
    )
    assert all(window.run(landmarks))
    scopes = "return [...document.querySelectorAll('th')].every(e => e.scope)"
    assert window.run(scopes)


def test_print_shows_the_wide_charts_in_light_and_no_controls(told: Path, window: Window) -> None:
    window.open(told / "report" / "index.html", width=390, theme="dark")
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert window.run(shown, "#figure-operating .wide") == "block"
    assert window.run(shown, ".top") == "none"
    assert window.run("return getComputedStyle(document.body).color") == "rgb(28, 32, 36)"
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
