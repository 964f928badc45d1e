"""The search for the reference policy: 24 fixed rules, each among eight background rules of its kind.

The grid, the worlds and the figures to compare with are the market specification's (section 12, after
the CEO Arena paper's Appendix C). Markets and policies are named as a study file names them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Final

import anyio

from tournament.playing.play import play_unrecorded
from tournament.playing.pool import map_processes
from tournament.ports import Policy
from tournament.records import Json, SeatContext
from tournament.registry import market_kind, policy_kind
from tournament.storage import disk_errors, write_atomic

MARKET: Final = "ceo_arena@1"
POLICY: Final = "rule@1"
DEVELOPMENT_SEEDS: Final = (101, 102, 103)
VALIDATION_SEEDS: Final = (201, 202, 203)
SCOPES: Final = ("all", "single")
MULTIPLIERS: Final = (0.9, 1.0, 1.1)
SPENDINGS: Final = ("light", "standard")
FLOORS: Final = (5_000_000, 15_000_000)
FOCUS: Final = (("value", "A"), ("mainstream", "B"), ("premium", "C"))
BACKGROUND: Final = 8

# Section 12 of the market's specification; means in whole dollars.
SPECIFIED_WINNER: Final = 17
SPECIFIED_TIE: Final = 18
SPECIFIED_DEVELOPMENT: Final = 71_823
SPECIFIED_VALIDATION: Final = 87_587
SPECIFIED_RANKS: Final = (3, 2, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One point of the grid; candidates count from 1."""

    number: int
    scope: str
    multiplier: float
    spending: str
    floor_cents: int

    def parameters(self) -> Mapping[str, Json]:
        return {
            "scope": self.scope,
            "multiplier": self.multiplier,
            "spending": self.spending,
            "floor_cents": self.floor_cents,
            "segment": "mainstream",
            "product": "B",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A candidate's Scores by development seed, in cents."""

    candidate: Candidate
    scores_cents: tuple[int, ...]

    @property
    def mean_cents(self) -> float:
        return fmean(self.scores_cents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One figure of the specification beside what came out."""

    what: str
    expected: str
    found: str

    @property
    def agrees(self) -> bool:
        return self.expected == self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The outcome: candidates from the best mean down (ties: the lower number first) and the winner's validation."""

    seeds: tuple[int, ...]
    ranked: tuple[Row, ...]
    validation_scores_cents: tuple[int, ...]
    validation_ranks: tuple[int, ...]
    comparison: tuple[Comparison, ...]

    @property
    def validation_mean_cents(self) -> float:
        return fmean(self.validation_scores_cents)


def candidates() -> tuple[Candidate, ...]:
    """Return the grid, the last factor varying fastest."""
    grid = product(SCOPES, MULTIPLIERS, SPENDINGS, FLOORS)
    return tuple(
        Candidate(number=number, scope=scope, multiplier=multiplier, spending=spending, floor_cents=floor)
        for number, (scope, multiplier, spending, floor) in enumerate(grid, start=1)
    )


def search(jobs: int, note: Callable[[str], None]) -> Search:
    """Play the 72 development and 3 validation worlds in `jobs` processes."""
    market_kind(MARKET).prepare(note)
    grid = candidates()
    tasks = list(product(grid, DEVELOPMENT_SEEDS))
    played = map_processes(play_candidate, tasks, jobs)
    rows = [_row(candidate, tasks, played) for candidate in grid]
    ranked = tuple(sorted(rows, key=lambda row: (-sum(row.scores_cents), row.candidate.number)))
    validation = [play_candidate((ranked[0].candidate, seed)) for seed in VALIDATION_SEEDS]
    ranks = tuple(1 + sum(score > scores[0] for score in scores[1:]) for scores in validation)
    scores = tuple(scores[0] for scores in validation)
    return Search(
        seeds=DEVELOPMENT_SEEDS,
        ranked=ranked,
        validation_scores_cents=scores,
        validation_ranks=ranks,
        comparison=_compare(ranked, rows, fmean(scores), ranks),
    )


def play_candidate(task: tuple[Candidate, int]) -> tuple[int, ...]:
    """Return the Scores of the candidate in seat 1 and of the eight background rules at a seed, in cents."""
    candidate, seed = task
    background = [{"segment": segment, "product": kind} for segment, kind in FOCUS]
    seats: list[Mapping[str, Json]] = [candidate.parameters()]
    seats += [background[index % len(background)] for index in range(BACKGROUND)]
    world = market_kind(MARKET).configure({}).open(seed, len(seats))
    kind = policy_kind(POLICY)
    policies: dict[int, Policy] = {
        seat: kind.build(
            kind.resolve(parameters, Path()),
            SeatContext(world=f"candidate-{candidate.number}.s{seed}", seat=seat, contestant=POLICY),
        )
        for seat, parameters in enumerate(seats, start=1)
    }
    anyio.run(play_unrecorded, world, policies)
    return tuple(world.scores())


def facts(found: Search) -> dict[str, Json]:
    """Return the search as JSON."""
    return {
        "seeds": list(found.seeds),
        "winner": found.ranked[0].candidate.number,
        "candidates": [
            {
                **asdict(row.candidate),
                "rank": rank,
                "scores_cents": list(row.scores_cents),
                "mean_cents": row.mean_cents,
            }
            for rank, row in enumerate(found.ranked, start=1)
        ],
        "validation": {
            "seeds": list(VALIDATION_SEEDS),
            "scores_cents": list(found.validation_scores_cents),
            "mean_cents": found.validation_mean_cents,
            "ranks": list(found.validation_ranks),
        },
        "comparison": [{**asdict(line), "agrees": line.agrees} for line in found.comparison],
    }


def write_search(found: Search, folder: Path) -> None:
    """Write `rule_search.json` and `rule_search.csv` (a row a candidate, from the best)."""
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / "rule_search.json", json.dumps(facts(found), indent=1) + "\n")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    seeds = [f"score_cents_s{seed}" for seed in found.seeds]
    writer.writerow(
        ["rank", "candidate", "scope", "multiplier", "spending", "floor_cents", *seeds, "mean_score_cents"]
    )
    for rank, row in enumerate(found.ranked, start=1):
        writer.writerow([rank, *asdict(row.candidate).values(), *row.scores_cents, f"{row.mean_cents:.4f}"])
    write_atomic(folder / "rule_search.csv", stream.getvalue())


def _row(
    candidate: Candidate, tasks: Sequence[tuple[Candidate, int]], played: Sequence[tuple[int, ...]]
) -> Row:
    found = zip(tasks, played, strict=True)
    return Row(
        candidate=candidate,
        scores_cents=tuple(scores[0] for (played_by, _), scores in found if played_by == candidate),
    )


def _compare(
    ranked: Sequence[Row], rows: Sequence[Row], validation: float, ranks: tuple[int, ...]
) -> tuple[Comparison, ...]:
    best = ranked[0]
    tied = [row.candidate.number for row in ranked[1:] if row.scores_cents == best.scores_cents]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    apart = [even.candidate.number for odd, even in pairs if odd.scores_cents != even.scores_cents]
    return tuple(
        Comparison(what=what, expected=str(expected), found=str(found))
        for what, expected, found in (
            ("winner", SPECIFIED_WINNER, best.candidate.number),
            ("tied with", SPECIFIED_TIE, _listed(tied)),
            ("winner's development mean, dollars", SPECIFIED_DEVELOPMENT, round(best.mean_cents / 100)),
            ("winner's validation mean, dollars", SPECIFIED_VALIDATION, round(validation / 100)),
            ("winner's validation ranks of nine", _listed(SPECIFIED_RANKS), _listed(ranks)),
            ("candidates that the cash floor tells apart", "none", _listed(apart)),
        )
    )


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
