"""summary.json: provenance and the figures that a program asks for first.

Everything in it follows from files and options; it holds no clock reading and no path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from externalities.analysis import Analysis, Group, Options
from externalities.inference import FEWEST_CLUSTERS
from externalities.offered import not_offered
from externalities.operating import OperatingRow
from externalities.run_files import Run
from externalities.salvage import Means, Ranks, SalvageRow, changes, salvage_rows
from externalities.summaries import VERDICTS, Estimate
from tournament.records import Json


def summary(run: Run, found: Analysis, options: Options, salvage: Sequence[SalvageRow]) -> dict[str, Json]:
    """Return the document of one kind of Score; `not_offered` is there where something is not."""
    lacking = not_offered(run)
    return {
        "study": run.study,
        "study_hash": run.study_hash,
        "score": found.kind,
        "options": {"ci_level": options.level, "bootstrap_draws": options.draws, "repeat": options.repeat},
        "resampling": {
            "generator": "Philox keyed by SHA-256",
            "name": f"ceo-arena-statistics/{run.study_hash}/{found.kind}/<reference>/<family>/<method>",
        },
        "worlds": {
            "planned": len(run.planned),
            "finished": len(run.worlds),
            "used": [world.world for world in run.worlds],
            "missing": list(run.missing),
        },
        "pairs": sum(len(group.pairs) for group in run.sets),
        "identity_checked": "private + total = market difference in every pair, in cents",
        "references": {
            group.reference: _reference(found.groups[group.reference], group.seeds) for group in run.sets
        },
        "sign_agreement": [asdict(agreement) for agreement in found.agreements],
        **({"salvage_changes": changes(salvage)} if run.published.offers_cash_score else {}),
        **({"not_offered": lacking} if lacking else {}),
        "files": [spec.file for spec in found.tables],
    }


def _reference(group: Group, seeds: Sequence[int]) -> dict[str, Json]:
    effects: list[Estimate] = [*group.private, *group.directed, *group.market]
    clusters = max((row.clusters for row in effects), default=0)
    return {
        "seeds": list(seeds),
        "clusters": clusters,
        "bootstrap": clusters >= FEWEST_CLUSTERS or f"not reported: {clusters} clusters",
        "counts": _counts(group),
        "operating": [_operating(row) for row in group.operating],
        "private": {row.entrant: _effect(row) for row in group.private},
        "market": {row.entrant: _effect(row) for row in group.market if row.estimand == "market"},
        "total": {row.entrant: _effect(row) for row in group.market if row.estimand == "total"},
        "families": {name: _family(rows) for name, rows in group.families().items()},
        "display_criterion": _criterion(group),
        "network": group.network.measures,
    }


def _counts(group: Group) -> dict[str, Json]:
    """Return how many contestants, outcomes and effects there are, and how many of them have which sign."""
    ranked = [row for row in group.operating if row.mean_score_cents is not None]
    market = [row for row in group.market if row.estimand == "market" and row.mean_cents is not None]
    directed = [row for row in group.directed if row.mean_cents is not None]
    return {
        "contestants": len(ranked),
        "all_contestants": len(group.operating),
        "unobserved_contestants": len(group.operating) - len(ranked),
        "positive_mean_scores": sum((row.mean_score_cents or 0) > 0 for row in ranked),
        "outcomes": sum(row.outcomes for row in group.operating),
        "bankruptcies": _sum([row.bankruptcies for row in group.operating]),
        "negative_scores": sum(row.negative_scores for row in group.operating),
        "entrants": len(market),
        "positive_market_differences": sum((row.mean_cents or 0) > 0 for row in market),
        "directed_effects": len(directed),
        "harmful_directed_effects": sum((row.mean_cents or 0) < 0 for row in directed),
    }


def _sum(counts: Sequence[int | None]) -> int | None:
    """Return the sum of counts, None where the market does not tell them."""
    told = [count for count in counts if count is not None]
    return sum(told) if len(told) == len(counts) else None


def _operating(row: OperatingRow) -> dict[str, Json]:
    return {
        "contestant": row.contestant,
        "rank": row.rank,
        "rank_bounds": [row.rank_best, row.rank_worst],
        "mean_score_cents": row.mean_score_cents,
        "bankruptcy_rate": row.bankruptcy_rate,
        "outcomes": row.outcomes,
    }


def _effect(row: Estimate) -> dict[str, Json]:
    return {
        "mean_cents": row.mean_cents,
        "t_interval_cents": [row.t_low_cents, row.t_high_cents],
        "positive_seeds": row.positive_seeds,
        "clusters": row.clusters,
        "verdict": row.verdict,
    }


def _family(effects: Sequence[Estimate]) -> dict[str, Json]:
    """Return what one family of effects, tested jointly at a level of its own, was found to be."""
    return {
        "effects": len(effects),
        "clusters": max((row.clusters for row in effects), default=0),
        **{name: sum(row.verdict == name for row in effects) for name in VERDICTS},
    }


def _criterion(group: Group) -> dict[str, Json]:
    """Return how many effects of each estimand pass |mean| > SD, and how many would by chance."""
    found: dict[str, Json] = {}
    for estimand in dict.fromkeys(row.estimand for row in group.stability):
        rows = [row for row in group.stability if row.estimand == estimand and row.exceeds_sd is not None]
        found[estimand] = {
            "passing": sum(bool(row.exceeds_sd) for row in rows),
            "of": len(rows),
            "by_chance_without_seed_variance": _total([row.chance_share_0 for row in rows]),
            "by_chance_at_estimated_share": _total([row.chance_estimated for row in rows]),
        }
    return found


def _total(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return sum(known) if rates and len(known) == len(rates) else None


def salvage(on_score: Analysis, on_cash: Analysis) -> list[SalvageRow]:
    """Return ranks and signs on both kinds of Score."""
    return salvage_rows((_means(on_score), _means(on_cash)), (_ranks(on_score), _ranks(on_cash)))


def _means(found: Analysis) -> Means:
    means: dict[tuple[str, str, str, str], float | None] = {}
    for reference, group in found.groups.items():
        means |= {("rank", reference, row.contestant, ""): row.mean_score_cents for row in group.operating}
        means |= {("private", reference, row.entrant, ""): row.mean_cents for row in group.private}
        means |= {("directed", reference, row.entrant, row.rival): row.mean_cents for row in group.directed}
        means |= {
            (row.estimand, reference, row.entrant, ""): row.mean_cents
            for row in group.market
            if row.estimand != "mean"
        }
    return means


def _ranks(found: Analysis) -> Ranks:
    ranks: Mapping[tuple[str, str], int | None] = {
        (reference, row.contestant): row.rank
        for reference, group in found.groups.items()
        for row in group.operating
    }
    return ranks
