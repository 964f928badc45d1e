"""Who does what to whom: the directed effects as a heat map, and as a signed network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import altair as alt

from reports import palette
from reports.charts.drawing import AnyChart, Frame, values
from reports.charts.marks import amount, interval_text, observation_text
from reports.sources import Line, read_document
from reports.view import View

STEPS: Final = (0.15, 0.35, 0.65)  # of the greatest absolute mean: where a colour gives way to the next
BEND: Final = 0.16
POINTS: Final = 14
_LABELS: Final[Mapping[str, dict[str, Any]]] = {
    "datum.x < -0.2": {"align": "right", "dx": -17},
    "datum.x > 0.2": {"align": "left", "dx": 17},
    "abs(datum.x) <= 0.2 && datum.y > 0": {"align": "center", "dy": -23},
    "abs(datum.x) <= 0.2 && datum.y <= 0": {"align": "center", "dy": 25},
}


def heat_map(view: View, frame: Frame, reference: str) -> AnyChart | None:
    """Mean directed effects, entrant by rival; a frame marks |mean| > SD (Figure 6B and 6D)."""
    lines = [
        line
        for line in view.table("directed_summary.csv").where(reference=reference)
        if line.number("mean_cents") is not None
    ]
    if not lines:
        return None
    observed = _observations(view, reference)
    stable = {
        (line.text("entrant"), line.text("rival")): line
        for line in view.table("stability.csv").where(reference=reference, estimand="directed")
    }
    cells = [
        _cell(view, line, stable.get((line.text("entrant"), line.text("rival"))), observed) for line in lines
    ]
    rows = sorted({cell["entrant"] for cell in cells}, key=view.order)
    columns = sorted({cell["rival"] for cell in cells}, key=view.order)
    greatest = max(abs(cell["k"]) for cell in cells) or 1.0
    size = (frame.width - (96 if frame.narrow else 130)) / max(len(columns), 3)
    return _heat(cells, rows, columns, _cuts(greatest), frame).properties(
        width=min(size, 92) * len(columns), height=(34 if frame.narrow else 40) * len(rows)
    )


def _heat(
    cells: list[dict[str, Any]],
    rows: Sequence[str],
    columns: Sequence[str],
    cuts: Sequence[float],
    frame: Frame,
) -> Any:
    label = alt.Axis(labelColor=palette.color("ink"), labelLimit=88 if frame.narrow else 130)
    apart = alt.Scale(paddingInner=0.06, paddingOuter=0.03)
    x = alt.X("rival:N", sort=list(columns), title=None, axis=_top(label, frame), scale=apart)
    y = alt.Y("entrant:N", sort=list(rows), title=None, axis=label, scale=apart)
    scale = alt.Scale(type="threshold", domain=list(cuts), range=palette.heat_colors())
    strong = f"datum.k < {cuts[1]} || datum.k > {cuts[-2]}"
    base = alt.Chart(values(cells)).encode(x=x, y=y)
    ink = alt.condition(strong, alt.value(palette.color("onheat")), alt.value(palette.color("ink")))
    digits = ",.0f" if frame.narrow or max(abs(cell["k"]) for cell in cells) >= 100 else ",.1f"
    return alt.layer(
        base.mark_rect(cornerRadius=2).encode(
            color=alt.Color("k:Q", scale=scale, legend=None), description="t:N"
        ),
        base.transform_filter("datum.stable")
        .mark_rect(filled=False, stroke=palette.color("ink"), strokeWidth=2, cornerRadius=2)
        .encode(),
        base.mark_text(fontSize=10 if frame.narrow else 12).encode(
            text=alt.Text("k:Q", format=digits), color=ink
        ),
    )


def _top(label: alt.Axis, frame: Frame) -> alt.Axis:
    top: alt.Axis = label.copy()
    top.orient, top.labelAngle, top.labelAlign = "top", -40, "left"
    top.labelPadding = 4 if frame.narrow else 8
    return top


def _cuts(greatest: float) -> list[float]:
    """Return eight symmetric thresholds: the middle colour is within 5 % of the greatest effect of zero."""
    positive = [_round(greatest * share) for share in (0.05, *STEPS)]
    return [-cut for cut in reversed(positive)] + positive


def _round(number: float) -> float:
    """Return the number to two significant digits, so that a legend can be read."""
    return float(f"{number:.2g}")


def _observations(view: View, reference: str) -> Mapping[tuple[str, str], Sequence[Line]]:
    found: dict[tuple[str, str], list[Line]] = {}
    for line in view.table("directed.csv").where(reference=reference):
        found.setdefault((line.text("entrant"), line.text("rival")), []).append(line)
    return found


def _cell(
    view: View, line: Line, stable: Line | None, observed: Mapping[tuple[str, str], Sequence[Line]]
) -> dict[str, Any]:
    entrant, rival, mean = line.text("entrant"), line.text("rival"), line.number("mean_cents")
    assert mean is not None
    parts = [
        f"{entrant} → {rival}: {view.money.signed(mean)}{interval_text(view, line, 't_low_cents', 't_high_cents')}"
    ]
    parts += [observation_text(view, item, "directed_cents") for item in observed.get((entrant, rival), ())]
    exceeds = stable is not None and stable["exceeds_sd"] is True
    if stable is not None:
        sign = f"{stable.whole('same_sign')} of {stable.whole('observations')} with the mean's sign"
        parts.append(f"{sign}; |mean| {'above' if exceeds else 'not above'} SD")
    return {
        "entrant": entrant,
        "rival": rival,
        "k": amount(view, mean),
        "stable": exceeds,
        "t": "\n".join(parts),
    }


def network(view: View, frame: Frame, reference: str) -> AnyChart | None:
    """The signed network of directed effects: stable effects in full, the others faint."""
    name = "network" if reference == view.first_reference else f"network-{reference}"
    document = read_document(view.run, f"externalities/{name}.json")
    if document.missing or not document.content["edges"]:
        return None
    graph = document.content
    names = sorted((node["id"] for node in graph["nodes"]), key=view.order)
    places = {name: _place(index, len(names)) for index, name in enumerate(names)}
    edges = [edge for edge in graph["edges"] if edge["source"] in places and edge["target"] in places]
    greatest = max(abs(edge["weight"]) for edge in edges) or 1.0
    curves = [row for edge in edges for row in _curve(view, edge, places, greatest)]
    side = min(frame.width - 20, 600)
    return alt.layer(*_edges(curves), *_nodes(view, graph["nodes"], places)).properties(
        width=side, height=side * 0.714
    )


def _edges(curves: list[dict[str, Any]]) -> Iterable[alt.Chart]:
    scale = alt.Scale(domain=["helps", "harms"], range=[palette.color("gain"), palette.color("loss")])
    legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=3, symbolType="stroke")
    color = alt.Color("sign:N", scale=scale, title=None, legend=legend)
    base = alt.Chart(values(curves)).encode(x=_axis("x"), y=_axis("y"), detail="edge:N", color=color)
    same = alt.Scale(domain=[0, 10], range=[0, 10])
    for stable, opacity in ((False, 0.18), (True, 0.9)):
        chosen = base.transform_filter(f"datum.stable == {str(stable).lower()}")
        yield chosen.mark_line(opacity=opacity, strokeCap="butt").encode(
            order="step:Q", strokeWidth=alt.StrokeWidth("width:Q", scale=same, legend=None), description="t:N"
        )
        yield (
            chosen.transform_filter("datum.tip")
            .mark_point(shape="triangle-up", filled=True, opacity=opacity)
            .encode(
                angle=alt.Angle("angle:Q", scale=None), size=alt.Size("head:Q", scale=None), description="t:N"
            )
        )


def _nodes(
    view: View, nodes: Sequence[Mapping[str, Any]], places: Mapping[str, tuple[float, float]]
) -> Iterable[alt.Chart]:
    rows = [
        {
            "x": places[node["id"]][0],
            "y": places[node["id"]][1],
            "name": node["id"],
            "t": f"{node['id']}: does {view.money.signed(node['out_strength'])} to its rivals together,"
            f" gets {view.money.signed(node['in_strength'])} from them",
        }
        for node in nodes
        if node["id"] in places
    ]
    base = alt.Chart(values(rows)).encode(x=_axis("x"), y=_axis("y"))
    yield base.mark_circle(
        size=620, color=palette.color("page"), stroke=palette.color("ink"), strokeWidth=1.5, opacity=1
    ).encode(description="t:N")
    for condition, place in _LABELS.items():
        chosen = base.transform_filter(condition)
        yield chosen.mark_text(fontSize=13, fontWeight="bold", **place).encode(text="name:N")


def _axis(channel: str) -> Any:
    kind = alt.X if channel == "x" else alt.Y
    domain = [-1.75, 1.75] if channel == "x" else [-1.25, 1.25]
    return kind(f"{channel}:Q", axis=None, scale=alt.Scale(domain=domain, nice=False))


def _place(index: int, count: int) -> tuple[float, float]:
    """Return a node's place on the unit circle, the first at the top, clockwise."""
    angle = math.pi / 2 - 2 * math.pi * index / count
    return math.cos(angle), math.sin(angle)


def _curve(
    view: View, edge: Mapping[str, Any], places: Mapping[str, tuple[float, float]], greatest: float
) -> list[dict[str, Any]]:
    """Return an edge as points of a quadratic curve that bends to the right, so that both ways are seen."""
    (x0, y0), (x1, y1) = places[edge["source"]], places[edge["target"]]
    dx, dy = x1 - x0, y1 - y0
    cx, cy = (x0 + x1) / 2 + BEND * dy, (y0 + y1) / 2 - BEND * dx
    length = math.hypot(dx, dy)
    start, end = 0.11 / length, 1 - 0.13 / length
    share = abs(edge["weight"]) / greatest
    sign = "harms" if edge["weight"] < 0 else "helps"
    rows = []
    for step in range(POINTS + 1):
        t = start + (end - start) * step / POINTS
        x = (1 - t) ** 2 * x0 + 2 * t * (1 - t) * cx + t**2 * x1
        y = (1 - t) ** 2 * y0 + 2 * t * (1 - t) * cy + t**2 * y1
        rows.append({"x": round(x, 4), "y": round(y, 4), "step": step, "tip": step == POINTS})
    before, last = rows[-2], rows[-1]
    heading = math.degrees(math.atan2(last["x"] - before["x"], last["y"] - before["y"]))
    shared = {
        "edge": f"{edge['source']}→{edge['target']}",
        "sign": sign,
        "stable": bool(edge["exceeds_sd"]),
        "width": round(0.4 + 6 * share, 2),
        "head": round(30 + 270 * share),
        "angle": round(heading, 1),
        "t": f"{edge['source']} {sign} {edge['target']}: {view.money.signed(edge['weight'])},"
        f" {edge['same_sign']} of {edge['observations']} with that sign",
    }
    return [{**row, **shared} for row in rows]
