"""Charts: one specification gives every form; colours are the themes' own and can be told apart by everybody."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports import palette
from reports.charts import drawing
from reports.charts.registry import charts
from reports.view import open_view
from tests.reports import runs

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
SERIES = [f"c{number}" for number in range(1, palette.SERIES + 1)]
STEPS = [f"h{number}" for number in range(1, palette.HEAT_STEPS + 1)]
THEMES = {"light": palette.LIGHT, "dark": palette.DARK}
LEAST_DIFFERENCE = 0.08  # in Oklab; 0.02 is just noticeable side by side
LEAST_CONTRAST = 3.0


def linear(color: str) -> Any:
    part = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def oklab(light: Any) -> Any:
    cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
    lab = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
    return lab @ np.cbrt(cones @ np.clip(light, 0, 1))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of WCAG 2."""
    low, high = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (first, second))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", THEMES)
def test_colours_of_firms_can_be_told_apart_by_every_eye(theme: str, vision: str) -> None:
    seen = [oklab(VISIONS[vision] @ linear(THEMES[theme][name])) for name in SERIES]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
    assert nearest > LEAST_DIFFERENCE


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", THEMES)
def test_loss_and_gain_can_be_told_apart_by_every_eye(theme: str, vision: str) -> None:
    seen = [oklab(VISIONS[vision] @ linear(THEMES[theme][name])) for name in STEPS]
    for worse, better in zip(seen[:4], reversed(seen[5:]), strict=True):
        assert np.linalg.norm(worse - better) > LEAST_DIFFERENCE / 2


@pytest.mark.parametrize("theme", THEMES)
def test_lines_and_words_stand_out_from_the_page_and_numbers_from_their_cells(theme: str) -> None:
    colors = THEMES[theme]
    for name in (*SERIES, "gain", "loss"):
        assert contrast(colors[name], colors["page"]) >= LEAST_CONTRAST, name
    for name in ("ink", "muted"):
        assert contrast(colors[name], colors["page"]) >= 4.5, name
    for number, name in enumerate(STEPS, start=1):
        ink = "onheat" if number in (1, 2, 8, 9) else "ink"
        assert contrast(colors[ink], colors[name]) >= LEAST_CONTRAST, name


def test_every_chart_is_drawn_in_both_frames_within_its_room(told: Path) -> None:
    view = open_view(told)
    drawn = 0
    for chart in charts(view):
        for frame in drawing.FRAMES:
            built = chart.build(view, frame)
            if built is None:
                continue
            drawn += 1
            size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing.draw(built))
            assert size is not None
            assert float(size.group(1)) <= frame.width * 1.16, (chart.name, frame.name)
    assert drawn >= 2 * 15


def test_a_chart_without_data_is_none_and_says_what_it_needs(tmp_path: Path) -> None:
    view = open_view(runs.made(tmp_path, repeats={1: 1}, references={}, statistics=False))
    for chart in charts(view):
        if not chart.name.startswith("cash"):
            assert chart.build(view, drawing.WIDE) is None, chart.name
        assert chart.needs


def test_figures_come_as_svg_png_and_pdf_in_the_light_theme(told: Path) -> None:
    folder = told / "report" / "figures"
    names = {path.stem for path in folder.iterdir()}
    assert {"operating", "private-market", "directed", "network", "cash-agents", "baselines"} <= names
    for name in names:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        svg = (folder / f"{name}.svg").read_text(encoding="utf-8")
        assert "#f00d" not in svg
        assert "var(--" not in svg
        assert 'fill="#ffffff"' in svg


def test_a_page_holds_no_colour_but_the_themes(told: Path) -> None:
    text = (told / "report" / "index.html").read_text(encoding="utf-8")
    drawings = "".join(re.findall(r'<svg class="chart".*?</svg>', text, flags=re.DOTALL))
    assert "#f00d" not in drawings
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', drawings)) <= {
        "none", "transparent", *(f"var(--{name})" for name in palette.LIGHT)
    }  # fmt: skip


def test_marks_say_words_of_their_own_and_not_their_fields(told: Path) -> None:
    text = (told / "report" / "index.html").read_text(encoding="utf-8")
    said = re.findall(r'data-t="([^"]*)"', text)
    assert len(said) > 200
    assert not [words for words in said if re.match(r"\w+: [^;]*; \w+: ", words)]


def test_hostile_names_stay_text_in_a_drawing(tmp_path: Path) -> None:
    run = runs.made(tmp_path, lineup=['<script>"&', "b"], repeats={1: 1}, references={"rule": {1: 1}})
    view = open_view(run)
    chart = next(chart for chart in charts(view) if chart.name == "directed")
    built = chart.build(view, drawing.WIDE)
    assert built is not None
    svg = drawing.inline(drawing.draw(built), "x", 'a "title" <b>', "d")
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    assert "a &#34;title&#34; &lt;b&gt;" in svg
