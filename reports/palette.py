"""Colours of a report: one set of names, a light and a dark theme, safe for colour-blind eyes and print.

Charts are drawn in stand-in colours that no theme uses; a page replaces them by CSS variables, a figure
file by the light theme's colours. Firms differ by hue and lightness under every common colour vision
deficiency, by dash beyond eight, and are labelled besides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

SERIES: Final = 8
DASHES: Final[tuple[Sequence[int], ...]] = ((), (6, 3), (2, 2))
HEAT_STEPS: Final = 9

LIGHT: Final[Mapping[str, str]] = {
    "ink": "#1c2024", "muted": "#5a636c", "grid": "#e4e6e8", "axis": "#a7aeb5", "page": "#ffffff",
    "c1": "#315dca", "c2": "#c44e02", "c3": "#369674", "c4": "#a34792", "c5": "#30343a", "c6": "#0899fd",
    "c7": "#be8c03", "c8": "#7d3c1a",
    "gain": "#2a6fb0", "loss": "#c25a0c", "other": "#8d96a0", "faint": "#c9ced3",
    "h1": "#9a4300", "h2": "#d0722a", "h3": "#ecaa7c", "h4": "#f8dcc8", "h5": "#f3f3f1",
    "h6": "#d3e4f3", "h7": "#94bfe2", "h8": "#4a8cc4", "h9": "#124f86",
    "onheat": "#ffffff",
}  # fmt: skip
DARK: Final[Mapping[str, str]] = {
    "ink": "#e8eaec", "muted": "#a3acb5", "grid": "#2b3138", "axis": "#59626b", "page": "#15181c",
    "c1": "#5f9bf8", "c2": "#ed7e46", "c3": "#25d59f", "c4": "#bf85b2", "c5": "#edf0ec", "c6": "#b4d2fb",
    "c7": "#e7bc39", "c8": "#b8646c",
    "gain": "#5aa5e6", "loss": "#ec8a45", "other": "#7c858e", "faint": "#454d55",
    "h1": "#f3a868", "h2": "#c8742f", "h3": "#8a4f24", "h4": "#4b3426", "h5": "#22272c",
    "h6": "#243a4e", "h7": "#2b5f8c", "h8": "#4192d0", "h9": "#8fcbf9",
    "onheat": "#0f1215",
}  # fmt: skip

_NAMES: Final = tuple(LIGHT)
_STAND_INS: Final[Mapping[str, str]] = {name: f"#f00d{index:02x}" for index, name in enumerate(_NAMES)}
_STAND_IN: Final = re.compile(r"#f00d([0-9a-f]{2})")


def color(name: str) -> str:
    """Return the stand-in of a named colour."""
    return _STAND_INS[name]


def series_color(place: int) -> str:
    """Return the colour of the firm in this place of the study's order."""
    return color(f"c{place % SERIES + 1}")


def series_dash(place: int) -> Sequence[int]:
    """Return its dash: solid for the first eight."""
    return DASHES[place // SERIES % len(DASHES)]


def heat_colors() -> list[str]:
    """Return the steps from strongest loss to strongest gain."""
    return [color(f"h{step}") for step in range(1, HEAT_STEPS + 1)]


def with_variables(svg: str) -> str:
    """Return the drawing in CSS variables, which a theme defines."""
    return _STAND_IN.sub(lambda match: f"var(--{_NAMES[int(match.group(1), 16)]})", svg)


def with_colors(svg: str, theme: Mapping[str, str] = LIGHT) -> str:
    """Return the drawing in one theme's colours."""
    return _STAND_IN.sub(lambda match: theme[_NAMES[int(match.group(1), 16)]], svg)


def css_variables(theme: Mapping[str, str]) -> str:
    return " ".join(f"--{name}:{value};" for name, value in theme.items())
