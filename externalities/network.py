"""The externality network: a signed weighted digraph of directed effects.

An edge B -> A carries the mean directed effect of B on A in cents: below zero B harms A. Networks of
signed weights have no one measure of anything, so several small ones are given, each on a stated graph.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from externalities.stability import StabilityRow
from externalities.summaries import DirectedSummaryRow, PrivateSummaryRow

LONGEST_CYCLE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The graph with its node measures as attributes, and the measures of the whole."""

    graph: Any
    measures: Mapping[str, Any]


def network(
    reference: str,
    private: Sequence[PrivateSummaryRow],
    directed: Sequence[DirectedSummaryRow],
    stability: Sequence[StabilityRow],
) -> Network:
    """Return the network against one reference policy; effects without a finished pair have no edge.

    Source: CEO Arena, section 4.3.
    """
    stable = {(row.entrant, row.rival): row for row in stability if row.estimand == "directed"}
    graph: Any = nx.DiGraph(reference=reference)
    gains = {row.entrant: row.mean_cents for row in private}
    for name in dict.fromkeys([*gains, *(row.rival for row in directed)]):
        graph.add_node(name)
        if gains.get(name) is not None:
            graph.nodes[name]["private_cents"] = gains[name]
    for row in directed:
        if row.mean_cents is not None:
            graph.add_edge(row.entrant, row.rival, **_edge(row, stable[row.entrant, row.rival]))
    _strengths(graph)
    return Network(graph=graph, measures=_measures(graph))


def _edge(row: DirectedSummaryRow, observed: StabilityRow) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "weight": row.mean_cents,
        "harm": bool(row.mean_cents is not None and row.mean_cents < 0),
        "clusters": row.clusters,
        "observations": observed.observations,
        "same_sign": observed.same_sign,
        "exceeds_sd": bool(observed.exceeds_sd),
        "verdict": row.verdict,
    }
    for name, value in (("sd", row.sd_cents), ("low", row.t_low_cents), ("high", row.t_high_cents)):
        if value is not None:
            attributes[name] = value
    return attributes


def _strengths(graph: Any) -> None:
    """Set strengths out and in, whole and by sign (Barrat et al. 2004, on signed weights)."""
    for name in graph.nodes:
        out = [weight for _, _, weight in graph.out_edges(name, data="weight")]
        into = [weight for _, _, weight in graph.in_edges(name, data="weight")]
        graph.nodes[name].update(
            out_strength=float(sum(out)),
            in_strength=float(sum(into)),
            harm_done=float(-sum(weight for weight in out if weight < 0)),
            help_given=float(sum(weight for weight in out if weight > 0)),
            harm_taken=float(-sum(weight for weight in into if weight < 0)),
            help_taken=float(sum(weight for weight in into if weight > 0)),
        )


def _measures(graph: Any) -> dict[str, Any]:
    harm = _part(graph, lambda edge: edge["weight"] < 0)
    stable = _part(graph, lambda edge: edge["exceeds_sd"])
    return {
        "edges": graph.number_of_edges(),
        "harmful_edges": harm.number_of_edges(),
        "stable_edges": [[source, target] for source, target in stable.edges],
        "reciprocity": _reciprocity(graph),
        "harm_cycles": {
            "longest": LONGEST_CYCLE,
            "count": _cycle_counts(harm),
            "stable": _cycles(_part(stable, lambda edge: edge["weight"] < 0)),
        },
        "communities": _communities(graph),
        "dominance": _dominance(graph),
    }


def _part(graph: Any, kept: Any) -> Any:
    """Return the subgraph of all nodes and the edges kept."""
    part: Any = nx.DiGraph()
    part.add_nodes_from(graph.nodes)
    part.add_edges_from((a, b, edge) for a, b, edge in graph.edges(data=True) if kept(edge))
    return part


def _reciprocity(graph: Any) -> dict[str, Any]:
    """Return shares of mutual pairs by sign, and Pearson's correlation of w_AB with w_BA.

    The correlation is that of Squartini et al. (2013) in its simplest form; None below three pairs.
    """
    pairs = [
        (graph[a][b]["weight"], graph[b][a]["weight"])
        for a, b in graph.edges
        if graph.has_edge(b, a) and str(a) < str(b)
    ]
    both = [(float(x), float(y)) for x, y in pairs] + [(float(y), float(x)) for x, y in pairs]
    return {
        "mutual_pairs": len(pairs),
        "both_harm": sum(x < 0 and y < 0 for x, y in pairs),
        "both_help": sum(x > 0 and y > 0 for x, y in pairs),
        "opposite": sum(x * y < 0 for x, y in pairs),
        "weight_correlation": _correlation(both) if len(pairs) >= 3 else None,
    }


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    count = len(pairs)
    middle = sum(x for x, _ in pairs) / count
    spread = sum((x - middle) ** 2 for x, _ in pairs)
    return sum((x - middle) * (y - middle) for x, y in pairs) / spread if spread > 0 else None


def _cycle_counts(harm: Any) -> dict[str, int]:
    """Count simple cycles of harm by length, up to the longest (Johnson 1975)."""
    counts = {str(length): 0 for length in range(2, LONGEST_CYCLE + 1)}
    for cycle in nx.simple_cycles(harm, length_bound=LONGEST_CYCLE):
        counts[str(len(cycle))] += 1
    return counts


def _cycles(graph: Any) -> list[list[str]]:
    """Return the cycles themselves, each from its first name on, sorted."""
    found = []
    for cycle in nx.simple_cycles(graph, length_bound=LONGEST_CYCLE):
        start = cycle.index(min(cycle))
        found.append([str(name) for name in cycle[start:] + cycle[:start]])
    return sorted(found, key=lambda cycle: (len(cycle), cycle))


def _communities(graph: Any) -> list[list[str]]:
    """Return groups that help each other: greedy modularity on the help part of w_AB + w_BA.

    Clauset, Newman and Moore (2004). Nodes that nobody helps on balance stand alone.
    """
    helping: Any = nx.Graph()
    helping.add_nodes_from(graph.nodes)
    for a, b in graph.edges:
        both = graph[a][b]["weight"] + (graph[b][a]["weight"] if graph.has_edge(b, a) else 0.0)
        if both > 0:
            helping.add_edge(a, b, weight=float(both))
    if helping.number_of_edges() == 0:
        return [[str(name)] for name in sorted(helping.nodes)]
    found = nx.community.greedy_modularity_communities(helping, weight="weight")
    return sorted((sorted(str(name) for name in group) for group in found), key=lambda g: (-len(g), g))


def _dominance(graph: Any) -> list[list[str]]:
    """Return strong components of "harms it more than it is harmed", those on top first.

    A dominates B where w_AB < w_BA: a tournament, whose condensation is a linear order (Harary and Moser
    1966). Names in one component beat each other in circles and cannot be ordered.
    """
    beats: Any = nx.DiGraph()
    beats.add_nodes_from(graph.nodes)
    for a, b in graph.edges:
        if graph.has_edge(b, a) and graph[a][b]["weight"] < graph[b][a]["weight"]:
            beats.add_edge(a, b)
    condensed = nx.condensation(beats)
    groups = {index: sorted(str(name) for name in condensed.nodes[index]["members"]) for index in condensed}
    order = nx.lexicographical_topological_sort(condensed, key=lambda index: groups[index])
    return [groups[index] for index in order]


def graphml_text(found: Network) -> str:
    """Return the graph as GraphML that networkx reads back; written without lxml, so bytes are equal."""
    stream = io.BytesIO()
    nx.write_graphml_xml(found.graph, stream, encoding="utf-8", prettyprint=True)
    return stream.getvalue().decode("utf-8") + "\n"


def json_text(found: Network) -> str:
    """Return nodes, edges and measures as JSON; `networkx.node_link_graph(..., edges="edges")` reads it."""
    document = nx.node_link_data(found.graph, edges="edges") | {"measures": found.measures}
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
