"""decomposition.csv: an entrant's direct effect on a rival, and everybody's answer to it.

Hybrid worlds, played elsewhere from recorded seals, hold everybody else's decisions still while the
entrant's seat changes; what they leave of an effect is re-decision. Here it is only subtraction. For
rivals that do not react the adaptive part is exactly zero.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field

from externalities.design import ReferenceSet
from externalities.estimands import DirectedExternality, Pair, directed_externalities
from externalities.inference import seed_means, t_interval
from externalities.rows import Row, TableSpec, optional
from tournament.errors import DamageError
from tournament.published import Published, ScoreKind

HYBRIDS = "hybrids/hybrids.csv"
MOST_REFUSED = 0.02


class DecompositionRow(Row):
    """One directed effect of one matched pair, split in both orders."""

    entrant: str = Field(description="contestant that was replaced")
    rival: str = Field(description="contestant whose Score is compared")
    reference: str = Field(description="contestant that took the entrant's seat")
    rotation: int = Field(description="cyclic seat shift of the lineup")
    seed: int = Field(description="economic seed")
    repeat: int = Field(description="repeat of the seed, from 1")
    total_cents: int = Field(description="the directed effect: direct + adaptive, exactly, in each order")
    direct_forward_cents: int = Field(
        description="S_A(L_-R) less S_A with the replacement's seals in the entrant's seat, rivals as in L_-R"
    )
    adaptive_forward_cents: int = Field(description="total less direct, forward")
    direct_reverse_cents: int = Field(
        description="S_A with the entrant's seals of L_-R in its seat, rivals as in L_-B, less S_A(L_-B)"
    )
    adaptive_reverse_cents: int = Field(description="total less direct, reverse")
    direct_mean_cents: float = Field(description="mean of both orders")
    adaptive_mean_cents: float = Field(description="mean of both orders")
    noise_cents: int | None = Field(
        description="noise floor of adaptation: S_A(L_-R) less S_A with the rivals' seals of another repeat; "
        "empty without another repeat"
    )
    noise_repeat: int | None = Field(description="the repeat whose seals those are")
    refused_share: float = Field(description="largest share of refused windows in the two hybrid worlds")
    unsealed: int = Field(description="windows in them for which a seat had no recorded seal")
    flagged: bool = Field(description="whether over 2 % of windows were refused: read with care")


class DecompositionMeanRow(Row):
    """A directed effect's parts, repeats averaged within a seed, then seeds."""

    entrant: str = Field(description="contestant that was replaced")
    rival: str = Field(description="contestant whose Score is compared")
    reference: str = Field(description="contestant that took the entrant's seat")
    clusters: int = Field(description="seeds")
    pairs: int = Field(description="matched pairs")
    total_cents: float = Field(description="mean directed effect")
    direct_cents: float = Field(description="mean direct part, both orders")
    adaptive_cents: float = Field(
        description="mean adaptive part, both orders: re-decision and sampling noise"
    )
    adaptive_low_cents: float | None = Field(description="t(G - 1) interval on seed means, lower end")
    adaptive_high_cents: float | None = Field(description="the same, upper end")
    noise_rms_cents: float | None = Field(
        description="root mean square of the noise floor; empty without one"
    )
    flagged: int = Field(description="pairs flagged for refused windows")


DECOMPOSITION = TableSpec(
    file="decomposition.csv",
    row=DecompositionRow,
    description="Direct and adaptive part of every directed effect (after `tournament decompose`).",
)
DECOMPOSITION_SUMMARY = TableSpec(
    file="decomposition_summary.csv",
    row=DecompositionMeanRow,
    description="The same, averaged over seeds (after `tournament decompose`).",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridWorld:
    """Scores by seat and kind of a hybrid world, in cents, with its windows over all seats."""

    scores: Mapping[ScoreKind, tuple[int, ...]]
    windows: int
    refused: int
    unsealed: int
    noise_repeat: int | None

    def score(self, seat: int, kind: ScoreKind) -> int:
        """Return a seat's Score, seats counted from 0."""
        return self.scores[kind][seat]


Hybrids = Mapping[tuple[str, str], HybridWorld]  # (treated world, order)


def read_hybrids(path: Path, published: Published) -> Hybrids:
    """Return the hybrid worlds of a run, none where it was never decomposed."""
    by_world: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                by_world.setdefault((row["treated"], row["order"]), []).append(row)
        return {key: _world(rows, published) for key, rows in by_world.items()}
    except FileNotFoundError:
        return {}
    except (KeyError, ValueError) as fault:
        raise DamageError(f"{path} is damaged: {fault}") from fault


def _world(rows: Sequence[Mapping[str, str]], published: Published) -> HybridWorld:
    seats = sorted(rows, key=lambda row: int(row["seat"]))
    scores = tuple(int(row[published.score]) for row in seats)
    kinds: dict[ScoreKind, tuple[int, ...]] = {"score": scores}
    salvage = published.role("salvage")
    if salvage is not None:
        left_out = (int(row[salvage]) for row in seats)
        kinds["cash"] = tuple(score - cents for score, cents in zip(scores, left_out, strict=True))
    return HybridWorld(
        scores=kinds,
        windows=sum(int(row["windows"]) for row in seats),
        refused=sum(int(row["windows_refused"]) for row in seats),
        unsealed=sum(int(row["windows_unsealed"]) for row in seats),
        noise_repeat=int(seats[0]["noise_repeat"]) if seats[0]["noise_repeat"] else None,
    )


def decomposition_rows(group: ReferenceSet, hybrids: Hybrids, kind: ScoreKind) -> list[DecompositionRow]:
    """Return both orders of every directed effect whose hybrids are there.

    Forward: direct = S_A(L_-R) - S_A(forward hybrid). Reverse: direct = S_A(reverse hybrid) - S_A(L_-B).
    The two differ by the interaction of the entrant's change with the rivals' (Oaxaca 1973 has the same
    two orders).
    """
    rows = []
    for pair in group.pairs:
        name = pair.treated.world
        if (name, "forward") in hybrids and (name, "reverse") in hybrids:
            rows += [
                _row(pair, seat, effect, hybrids, kind)
                for seat, effect in zip(pair.rivals, directed_externalities(pair, kind), strict=True)
            ]
    return rows


def _row(
    pair: Pair, seat: int, effect: DirectedExternality, hybrids: Hybrids, kind: ScoreKind
) -> DecompositionRow:
    forward, reverse = (hybrids[pair.treated.world, order] for order in ("forward", "reverse"))
    noise = hybrids.get((pair.treated.world, "noise"))
    present, absent = int(pair.control.scores(kind)[seat]), int(pair.treated.scores(kind)[seat])
    direct_forward = present - forward.score(seat, kind)
    direct_reverse = reverse.score(seat, kind) - absent
    refused = max(world.refused / world.windows for world in (forward, reverse))
    return DecompositionRow(
        entrant=pair.entrant,
        rival=effect.rival,
        reference=pair.reference,
        rotation=pair.draw.rotation,
        seed=pair.draw.seed,
        repeat=pair.draw.repeat,
        total_cents=effect.cents,
        direct_forward_cents=direct_forward,
        adaptive_forward_cents=effect.cents - direct_forward,
        direct_reverse_cents=direct_reverse,
        adaptive_reverse_cents=effect.cents - direct_reverse,
        direct_mean_cents=(direct_forward + direct_reverse) / 2,
        adaptive_mean_cents=effect.cents - (direct_forward + direct_reverse) / 2,
        noise_cents=None if noise is None else present - noise.score(seat, kind),
        noise_repeat=None if noise is None else noise.noise_repeat,
        refused_share=refused,
        unsealed=forward.unsealed + reverse.unsealed,
        flagged=refused > MOST_REFUSED,
    )


def decomposition_mean_rows(rows: Sequence[DecompositionRow], level: float) -> list[DecompositionMeanRow]:
    """Return each effect's parts over seeds, with the t(G - 1) interval of the adaptive part.

    Source: Cameron and Miller 2015.
    """
    by_effect: dict[tuple[str, str, str], dict[int, list[DecompositionRow]]] = {}
    for row in rows:
        key = (row.entrant, row.rival, row.reference)
        by_effect.setdefault(key, {}).setdefault(row.seed, []).append(row)
    return [_mean(key, seeds, level) for key, seeds in by_effect.items()]


def _mean(
    key: tuple[str, str, str], seeds: Mapping[int, Sequence[DecompositionRow]], level: float
) -> DecompositionMeanRow:
    table = np.array(
        [
            [
                sum(getattr(row, column) for row in rows) / len(rows)
                for column in ("total_cents", "direct_mean_cents", "adaptive_mean_cents")
            ]
            for rows in seeds.values()
        ]
    )
    means = seed_means(table)
    limits = t_interval(means, level)
    every = [row for rows in seeds.values() for row in rows]
    noise = [row.noise_cents for row in every if row.noise_cents is not None]
    return DecompositionMeanRow(
        entrant=key[0],
        rival=key[1],
        reference=key[2],
        clusters=len(seeds),
        pairs=len(every),
        total_cents=float(means.mean[0]),
        direct_cents=float(means.mean[1]),
        adaptive_cents=float(means.mean[2]),
        adaptive_low_cents=optional(limits.low[2]),
        adaptive_high_cents=optional(limits.high[2]),
        noise_rms_cents=(sum(value**2 for value in noise) / len(noise)) ** 0.5 if noise else None,
        flagged=sum(row.flagged for row in every),
    )
