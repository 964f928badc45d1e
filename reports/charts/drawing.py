"""From a chart's specification to drawings: themed SVG for a page, SVG, PNG and PDF files for a paper.

Rendered by vl-convert without a network or a browser. A page's SVG carries what a pointer or the arrow
keys show of each mark as `data-t`; for a screen reader the drawing is one image with a description,
and its numbers stand in the table beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode
from markupsafe import Markup, escape

from reports import palette
from reports.charts.pdf import ordered_pdf

FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
PNG_SCALE: Final = 2.0
_VERSION: Final = alt.SCHEMA_VERSION.removeprefix("v").rsplit(".", 1)[0]
_LONG_NUMBER: Final = re.compile(r"(-?\d+\.\d{2})\d+")
_ROOT: Final = re.compile(r"<svg [^>]*?viewBox=\"0 0 ([\d.]+) ([\d.]+)\"[^>]*>")
_NOISE: Final = re.compile(
    r' (?:font-family="[^"]*"|role="[^"]*"|aria-roledescription="[^"]*"|aria-hidden="[^"]*"'
    r'|pointer-events="[^"]*"|opacity="1"|font-weight="normal"|font-style="normal")'
)
_AXIS_LABEL: Final = re.compile(
    r' aria-label="(?:[XY]-axis|Symbol legend|Gradient legend|Title text|Header)[^"]*"'
)
_EMPTY: Final = re.compile(r'<path class="(?:background|foreground)"[^>]*d="M0,0h0v0h0Z"[^>]*/>|<g></g>')
_CLIP: Final = re.compile(r"\bclip\d+\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """How much room a chart has: a wide page or a phone; `columns` is for small multiples."""

    name: str
    width: int
    columns: int

    @property
    def narrow(self) -> bool:
        return self.name == "narrow"

    @property
    def ticks(self) -> int:
        """How many ticks a value axis across the whole width takes."""
        return 4 if self.narrow else 9

    def panel(self, labels: int, gap: int = 24, columns: int | None = None) -> int:
        """Return the width of one small multiple when axis labels take `labels` pixels once."""
        count = columns or self.columns
        return (self.width - labels - gap * (count - 1)) // count


WIDE: Final = Frame(name="wide", width=900, columns=3)
NARROW: Final = Frame(name="narrow", width=344, columns=1)
FRAMES: Final = (WIDE, NARROW)
AnyChart = alt.TopLevelMixin | dict[str, Any]


def values(rows: list[dict[str, Any]]) -> alt.InlineData:
    """Return rows as a chart's data; the schema lets any row pass, and checking each would take seconds."""
    with debug_mode(False):
        return alt.InlineData(values=rows)


def vega_lite(chart: AnyChart) -> dict[str, Any]:
    """Return the whole specification, checked against Vega-Lite's schema."""
    spec: dict[str, Any] = (alt.Chart.from_dict(chart) if isinstance(chart, dict) else chart).to_dict()
    _hush(spec)
    spec["config"] = CONFIG
    return spec


def _hush(spec: dict[str, Any]) -> None:
    """Let a mark say what its description says, or nothing: Vega would list its fields by name."""
    if "mark" in spec and "description" not in spec.get("encoding", {}):
        mark = spec["mark"]
        spec["mark"] = {**({"type": mark} if isinstance(mark, str) else mark), "aria": False}
    for part in (
        *spec.get("layer", ()),
        *spec.get("concat", ()),
        *spec.get("hconcat", ()),
        *spec.get("vconcat", ()),
        *([spec["spec"]] if "spec" in spec else ()),
    ):
        _hush(part)


def draw(chart: AnyChart) -> str:
    """Return the drawing in stand-in colours."""
    return _numbered(vl_convert.vegalite_to_svg(vega_lite(chart), vl_version=_VERSION))


def compiled(chart: AnyChart) -> dict[str, Any]:
    """Return the chart as a Vega specification, for drawing many data in one form (`redraw`)."""
    spec: dict[str, Any] = vl_convert.vegalite_to_vega(vega_lite(chart), vl_version=_VERSION)
    return spec


def redraw(spec: Mapping[str, Any], rows: list[dict[str, Any]]) -> str:
    """Return the drawing of other rows in a compiled form: its first source is replaced."""
    first, *rest = spec["data"]
    data = [{**first, "values": rows}, *rest]
    return _numbered(vl_convert.vega_to_svg({**spec, "data": data}))


def _numbered(svg: str) -> str:
    """Return the drawing with its clip paths counted from 0: the library counts on from drawing to drawing."""
    names = {name: f"clip{place}" for place, name in enumerate(dict.fromkeys(_CLIP.findall(svg)))}
    return _CLIP.sub(lambda match: names[match.group()], svg)


def inline(svg: str, name: str, title: str, description: str) -> Markup:
    """Return a drawing as a page holds it: themed, without repetitions, named and described."""
    found = _ROOT.search(svg)
    if found is None:
        raise ValueError("no SVG root element")
    width, height = found.groups()
    body = svg[found.end() :].removesuffix("</svg>")
    body = body[body.index("/>") + 2 :] if body.startswith("<rect") else body
    for pattern in (_NOISE, _AXIS_LABEL, _EMPTY):
        body = pattern.sub("", body)
    body = _LONG_NUMBER.sub(r"\1", body).replace(" aria-label=", " data-t=")
    body = palette.with_variables(_CLIP.sub(rf"{name}-\g<0>", body))
    head = (
        f'<svg class="chart" viewBox="0 0 {width} {height}" style="max-width:{float(width):.0f}px" role="img"'
        f' aria-labelledby="{name}-t {name}-d" tabindex="0"><title id="{name}-t">{escape(title)}</title>'
        f'<desc id="{name}-d">{escape(description)}</desc>'
    )
    return Markup(f"{head}{body}</svg>")


def files(svg: str) -> dict[str, bytes]:
    """Return a drawing as a paper takes it, by suffix: in the light theme, on white."""
    plain = palette.with_colors(svg)
    return {
        "svg": plain.encode(),
        "png": vl_convert.svg_to_png(plain, scale=PNG_SCALE),
        "pdf": ordered_pdf(vl_convert.svg_to_pdf(plain)),
    }


def write_files(svg: str, folder: Path, name: str) -> list[str]:
    """Write a drawing's files and return their names."""
    written = []
    for suffix, content in files(svg).items():
        (folder / f"{name}.{suffix}").write_bytes(content)
        written.append(f"{name}.{suffix}")
    return written


def _text(size: int, name: str) -> dict[str, Any]:
    return {"labelFontSize": size, "labelColor": palette.color(name), "titleFontSize": size}


CONFIG: Final[dict[str, Any]] = {
    "font": FONT,
    "background": palette.color("page"),
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        **_text(12, "muted"),
        "titleColor": palette.color("muted"),
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "gridColor": palette.color("grid"),
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "labelFlush": False,
        "grid": True,
    },
    "axisBand": {"grid": False},
    "header": {
        "labelFontSize": 13,
        "labelFontWeight": "bold",
        "labelColor": palette.color("ink"),
        "titleColor": palette.color("muted"),
        "labelPadding": 4,
    },
    "legend": {
        **_text(12, "ink"),
        "titleColor": palette.color("muted"),
        "titleFontWeight": "normal",
        "orient": "top",
        "symbolSize": 90,
        "columnPadding": 16,
    },
    "text": {"color": palette.color("ink"), "fontSize": 12},
    "rule": {"color": palette.color("axis")},
    "facet": {"spacing": 18},
    "concat": {"spacing": 18},
}
