"""Bounds where worlds are missing: what estimates could have been, never an imputed zero.

A missing world's Scores are let run over the range that the set's finished worlds show, each firm to
its own worst and best (Manski 2003, chapter 1): a rank or sign that survives that is certain within
that range, and one that does not is shown as undetermined.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from externalities.design import ReferenceSet
from externalities.effects import planned_effects
from externalities.outcomes import Cents
from lineups.pairs import MatchedPair, matched_pairs
from lineups.values import Draw, WorldSpec
from tournament.published import ScoreKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The least and greatest mean, in cents; equal where nothing is missing, infinite where nothing is known."""

    low: float
    high: float

    @property
    def sign(self) -> str:
        """Return `+`, `-` or `0` where the sign is certain, else `undetermined`."""
        if self.low > 0:
            return "+"
        if self.high < 0:
            return "-"
        return "0" if self.low == self.high == 0 else "undetermined"


UNKNOWN = Bounds(low=-math.inf, high=math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Envelope:
    """Least and greatest Scores by seat of a planned world."""

    low: Cents
    high: Cents


def score_bounds(group: ReferenceSet, kind: ScoreKind) -> Mapping[str, Bounds]:
    """Return bounds of every contestant's Mean Score, weighted as the mean is (Manski 2003).

    A set without a finished world shows no range of Scores: every rank is possible.
    """
    if not group.played:
        return {name: UNKNOWN for world in group.planned for name in world.seats}
    envelopes = _envelopes(group, kind)
    cells: dict[str, dict[tuple[int, str], list[tuple[int, int]]]] = {}
    for world in group.planned:
        seat_of = envelopes[world.world]
        for seat, name in enumerate(world.seats):
            cell = cells.setdefault(name, {}).setdefault((world.draw.seed, world.lineup), [])
            cell.append((int(seat_of.low[seat]), int(seat_of.high[seat])))
    return {name: _by_seed(table) for name, table in cells.items()}


def effect_bounds(group: ReferenceSet, kind: ScoreKind) -> Mapping[tuple[str, str, str], Bounds]:
    """Return bounds of mean effects by (estimand, entrant, rival); rival is empty but for `directed`.

    Source: Manski 2003.
    """
    if not group.played:
        return dict.fromkeys(planned_effects(group), UNKNOWN)
    envelopes = _envelopes(group, kind)
    found: dict[tuple[str, str, str], dict[Draw, tuple[int, int]]] = {}
    for pair in matched_pairs(group.planned):
        for key, ends in _effects(pair, envelopes).items():
            found.setdefault(key, {})[pair.draw] = ends
    return {
        key: _by_seed(_grouped(found[key])) if key in found else UNKNOWN for key in planned_effects(group)
    }


def _grouped(table: Mapping[Draw, tuple[int, int]]) -> dict[tuple[int, str], list[tuple[int, int]]]:
    cells: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for draw, ends in table.items():
        cells.setdefault((draw.seed, ""), []).append(ends)
    return cells


def _effects(
    pair: MatchedPair[WorldSpec], envelopes: Mapping[str, _Envelope]
) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Return (low, high) of every effect of one pair."""
    with_entrant, without = envelopes[pair.control.world], envelopes[pair.treated.world]
    low, high = with_entrant.low - without.high, with_entrant.high - without.low
    entrant, rivals = pair.entrant, list(pair.rivals)
    groups = {
        ("private", entrant, ""): list(pair.replaced),
        **({("total", entrant, ""): rivals} if rivals else {}),
        ("market", entrant, ""): list(range(len(low))),
        **{("directed", entrant, pair.control.seats[seat]): [seat] for seat in rivals},
    }
    return {key: (int(low[seats].sum()), int(high[seats].sum())) for key, seats in groups.items()}


def _envelopes(group: ReferenceSet, kind: ScoreKind) -> dict[str, _Envelope]:
    scores = {name: world.scores(kind) for name, world in group.played.items()}
    every = np.concatenate(list(scores.values()))
    least, most = int(every.min()), int(every.max())
    result = {}
    for world in group.planned:
        if world.world in scores:
            result[world.world] = _Envelope(low=scores[world.world], high=scores[world.world])
        else:
            size = len(world.seats)
            result[world.world] = _Envelope(
                low=np.full(size, least, dtype=np.int64), high=np.full(size, most, dtype=np.int64)
            )
    return result


def _by_seed(cells: Mapping[tuple[int, str], list[tuple[int, int]]]) -> Bounds:
    """Average draws within a cell, cells within a seed, then seeds: the weights of every mean here."""
    seeds: dict[int, list[tuple[float, float]]] = {}
    for (seed, _), ends in cells.items():
        count = len(ends)
        average = (sum(low for low, _ in ends) / count, sum(high for _, high in ends) / count)
        seeds.setdefault(seed, []).append(average)
    lows = [sum(low for low, _ in table) / len(table) for table in seeds.values()]
    highs = [sum(high for _, high in table) / len(table) for table in seeds.values()]
    return Bounds(low=sum(lows) / len(lows), high=sum(highs) / len(highs))
