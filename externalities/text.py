"""The tables that a reader at a terminal needs first, as plain text.

Money is rounded here and nowhere else; files hold cents.
"""

from __future__ import annotations

from collections.abc import Sequence

from externalities.analysis import Analysis, Group
from externalities.decomposition import DecompositionMeanRow
from externalities.effects import NO_RIVALS, ONE_SEAT
from externalities.offered import not_offered
from externalities.run_files import Run
from externalities.salvage import SalvageRow, changes
from externalities.summaries import (
    CANNOT,
    VERDICTS,
    Estimate,
    MarketSummaryRow,
    PrivateSummaryRow,
)
from tournament.published import Currency
from tournament.text_table import aligned

SHOWN_MISSING = 5
UNITS = {"USD": "dollars"}


def render(run: Run, found: Analysis, salvage: Sequence[SalvageRow], references: Sequence[str]) -> str:
    """Return the text for these reference policies; what the market does not offer is said at the end."""
    name = "Score" if found.kind == "score" else "Cash-only score"
    unit = UNITS.get(run.published.currency.code, run.published.currency.code)
    pairs = sum(len(group.pairs) for group in run.sets)
    lines = [
        f"{run.study or 'run'}: {len(run.worlds)} of {len(run.planned)} worlds, {pairs} matched pairs;"
        f" {name} in thousands of {unit}"
    ]
    lines += _missing(run.missing)
    for group in run.sets:
        if group.reference in references:
            lines += ["", *_group(group.reference, found.groups[group.reference])]
    lines += _agreement(found)
    lines += _salvage(salvage)
    lines += not_offered(run)
    return "\n".join(lines) + "\n"


def _missing(missing: Sequence[str]) -> list[str]:
    if not missing:
        return []
    more = f" and {len(missing) - SHOWN_MISSING} more" if len(missing) > SHOWN_MISSING else ""
    return [
        f"missing: {', '.join(missing[:SHOWN_MISSING])}{more}; estimates use what is there, ranks are bounds"
    ]


def _group(reference: str, group: Group) -> list[str]:
    lines = [f"Operating performance{f', reference policy {reference}' if reference else ''}"]
    lines += _operating(group)
    if not group.private:
        return lines
    lines += ["", f"Private returns and externalities against {reference}"]
    lines += [*_effects(group), ""]
    lines += _directed(reference, group)
    return [*lines, "", *_evidence(group)]


def _directed(reference: str, group: Group) -> list[str]:
    """Return the matrix of directed effects, or why there is none."""
    if all(row.note == ONE_SEAT for row in group.market if row.estimand == "total"):
        return [f"Externalities against {reference}: undefined, they need rivals"]
    return [
        f"Directed externalities against {reference}, entrant by rival; * where |mean| > SD",
        *_matrix(group),
    ]


def _operating(group: Group) -> list[str]:
    """Return Mean Scores, with bankruptcies where the market's firms can leave."""
    exits = any(row.bankruptcies is not None for row in group.operating)
    told = ("bankrupt",) if exits else ()
    return columns(
        ("rank", "<contestant", "Mean Score", "interval", "SD", *told, "n"),
        [
            (
                _rank(row.rank, row.rank_best, row.rank_worst),
                row.contestant,
                thousands(row.mean_score_cents),
                interval(row.ci_low_cents, row.ci_high_cents),
                thousands(row.sd_cents),
                *(("" if row.bankruptcy_rate is None else f"{row.bankruptcy_rate:.1%}",) if exits else ()),
                str(row.outcomes),
            )
            for row in group.operating
        ],
    )


def _matrix(group: Group) -> list[str]:
    """Return mean directed effects, rivals by the number of their row; a star where |mean| > SD."""
    stable = {(row.entrant, row.rival) for row in group.stability if row.exceeds_sd}
    means = {(row.entrant, row.rival): row.mean_cents for row in group.directed}
    rivals = sorted({row.rival for row in group.directed}, key=_order(group).index)
    rows = []
    for entrant in dict.fromkeys(row.entrant for row in group.directed):
        number = f"{rivals.index(entrant) + 1} " if entrant in rivals else ""
        cells = [
            thousands(means[entrant, rival]) + ("*" if (entrant, rival) in stable else " ")
            if (entrant, rival) in means
            else ""
            for rival in rivals
        ]
        rows.append((f"{number}{entrant}", *cells))
    return columns(("<entrant", *(f"{index} " for index in range(1, len(rivals) + 1))), rows)


def _order(group: Group) -> list[str]:
    """Return rivals in seat order: that of the entrants, then whoever is never replaced."""
    entrants = [name for row in group.private for name in row.entrant.split("+")]
    return list(dict.fromkeys([*entrants, *(row.rival for row in group.directed)]))


def _effects(group: Group) -> list[str]:
    by_estimand: dict[str, dict[str, MarketSummaryRow]] = {}
    for row in group.market:
        by_estimand.setdefault(row.estimand, {})[row.entrant] = row
    return columns(
        ("<entrant", "private", "interval", "total ext.", "mean ext.", "market", "interval", "market > 0"),
        [_effect(row, by_estimand) for row in group.private],
    )


def _effect(row: PrivateSummaryRow, by_estimand: dict[str, dict[str, MarketSummaryRow]]) -> tuple[str, ...]:
    market = by_estimand["market"][row.entrant]
    mean = by_estimand["mean"].get(row.entrant) if "mean" in by_estimand else None
    return (
        row.entrant,
        thousands(row.mean_cents),
        interval(row.t_low_cents, row.t_high_cents),
        thousands(by_estimand["total"][row.entrant].mean_cents),
        thousands(None if mean is None else mean.mean_cents),
        thousands(market.mean_cents),
        interval(market.t_low_cents, market.t_high_cents),
        f"{market.positive_seeds}/{market.clusters}" if market.clusters else "-",
    )


def _evidence(group: Group) -> list[str]:
    """Return what the design allows to say of each family of effects, then of |mean| > SD."""
    lines = ["Evidence by family of effects; seeds are the clusters, sign flips are joint (max-T)"]
    lines += columns(
        ("<family", "effects", "seeds", "<intervals", "<bootstrap", "<sign flips"),
        [_family(name, rows) for name, rows in group.families().items() if rows],
    )
    directed = [row for row in group.stability if row.estimand == "directed" and row.exceeds_sd is not None]
    if directed:
        passing = sum(bool(row.exceeds_sd) for row in directed)
        chance = [row.chance_share_0 for row in directed if row.chance_share_0 is not None]
        estimated = [row.chance_estimated for row in directed if row.chance_estimated is not None]
        at_share = (
            f", {sum(estimated):.1f} at the estimated seed share" if len(estimated) == len(directed) else ""
        )
        lines.append(
            f"|mean| > SD: {passing} of {len(directed)} directed effects; {sum(chance):.1f} expected by chance"
            f" without seed variance{at_share}."
        )
    return lines


def _family(name: str, rows: Sequence[Estimate]) -> tuple[str, ...]:
    """Return a family's own clusters and degrees of freedom, from its least to its greatest."""
    defined = [row for row in rows if row.note not in (NO_RIVALS, ONE_SEAT)]
    if not defined:
        alone = all(row.note == ONE_SEAT for row in rows)
        reason = "none: needs rivals" if alone else "none: no rival is left"
        return (name, str(len(rows)), "-", reason, "none", "none")
    clusters = sorted({row.clusters for row in defined})
    intervals = [f"t({count - 1})" for count in clusters if count > 1]
    tested = [row for row in defined if row.verdict in VERDICTS]
    rejected = sum(row.verdict == "rejected" for row in tested)
    refused = sum(row.verdict == CANNOT for row in tested)
    flips = [f"{rejected} of {len(tested) - refused} rejected"] if len(tested) > refused else []
    flips += [CANNOT if refused == len(tested) else f"{refused} {CANNOT}"] if refused else []
    return (
        name,
        str(len(rows)),
        _span(clusters),
        " to ".join(dict.fromkeys((intervals or [_no_interval(clusters)])[:: max(len(intervals) - 1, 1)])),
        "; ".join(dict.fromkeys(row.bootstrap for row in defined)),
        "; ".join(flips) or "none",
    )


def _span(clusters: Sequence[int]) -> str:
    return str(clusters[0]) if clusters[0] == clusters[-1] else f"{clusters[0]}-{clusters[-1]}"


def _no_interval(clusters: Sequence[int]) -> str:
    return "none: one seed" if clusters[-1] else "none: no matched pair"


def _agreement(found: Analysis) -> list[str]:
    lines: dict[str, list[str]] = {}
    for item in found.agreements:
        head = f"Same sign against {item.second} as against {item.first} at seed {item.seed}"
        if item.rotation:
            head += f", rotation {item.rotation}"
        lines.setdefault(head, []).append(f"{item.estimand} {item.agreeing} of {item.effects}")
    return [f"{head}: {', '.join(parts)}" for head, parts in lines.items()]


def _salvage(rows: Sequence[SalvageRow]) -> list[str]:
    lines = []
    for reference, quantities in changes(rows).items():
        told = ", ".join(f"{name} {count['changed']} of {count['of']}" for name, count in quantities.items())
        lines.append(f"Without salvage these change{f' ({reference})' if reference else ''}: {told}")
    return lines


def decomposition_text(rows: Sequence[DecompositionMeanRow], currency: Currency) -> str:
    """Return the direct and adaptive parts of every pooled effect."""
    unit = UNITS.get(currency.code, currency.code)
    lines = [f"Directed effects, thousands of {unit}: total = direct + adaptive (mean of both orders)"]
    lines += columns(
        ("<entrant", "<rival", "<reference", "total", "direct", "adaptive", "interval", "noise", "flagged"),
        [
            (
                row.entrant,
                row.rival,
                row.reference,
                thousands(row.total_cents),
                thousands(row.direct_cents),
                thousands(row.adaptive_cents),
                interval(row.adaptive_low_cents, row.adaptive_high_cents),
                thousands(row.noise_rms_cents),
                f"{row.flagged}/{row.pairs}",
            )
            for row in rows
        ],
    )
    return "\n".join(lines)


def columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned lines: to the right, but for a column whose heading begins with `<`."""
    right = [index for index, name in enumerate(header) if not name.startswith("<")]
    table = [[name.removeprefix("<") for name in header], *rows]
    return [f"  {line}" for line in aligned(table, right=right)]


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def thousands(cents: float | None) -> str:
    """Return cents as thousands of the market's currency with two decimals, a dash for an undefined number."""
    return "-" if cents is None else f"{cents / 100_000:,.2f}"


def interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"[{thousands(low)}, {thousands(high)}]"


def _rank(rank: int | None, best: int, worst: int) -> str:
    shown = "-" if rank is None else str(rank)
    return shown if best == worst else f"{shown} ({best}-{worst})"
