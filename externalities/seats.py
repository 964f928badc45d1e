"""seats.csv: what a seat is worth, where the design can tell it from who sits there.

Firms are served in the order of seats. Rotated lineups seat each contestant in several seats; a lineup
of one policy shows the order of processing by itself. In an unrotated lineup seat and contestant are
one effect, and the table says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from externalities.inference import seed_means, t_interval
from externalities.outcomes import PlayedWorld
from externalities.rows import Row, TableSpec, optional
from tournament.published import ScoreKind


class SeatRow(Row):
    """A seat's effect, estimated in one way."""

    method: str = Field(
        description="`rotations`: least squares of Score on agent, seat and world in the reference lineup; "
        "`identical policies`: deviation from the world's mean where all seats have one policy"
    )
    lineup: str = Field(description="lineup that it comes from; empty: every seat is bound to its contestant")
    seat: int | None = Field(description="seat, from 1")
    clusters: int = Field(description="seeds with an estimate")
    worlds: int = Field(description="finished worlds used")
    effect_cents: float | None = Field(
        description="mean over seeds of Score in the seat less all seats' mean"
    )
    se_cents: float | None = Field(description="standard error over seeds")
    ci_level: float = Field(description="confidence level of the interval")
    low_cents: float | None = Field(description="t(G - 1) interval on seeds, lower end")
    high_cents: float | None = Field(description="the same, upper end")
    note: str = Field(description="why a value is missing")


SEATS = TableSpec(
    file="seats.csv", row=SeatRow, description="Seat effects from rotations and one-policy lineups."
)


def seat_rows(
    worlds: Sequence[PlayedWorld], identities: Mapping[str, str], kind: ScoreKind, level: float
) -> list[Row]:
    """Return seat effects by every method that the finished worlds allow (Cochran and Cox 1957)."""
    if all(len(world.seats) == 1 for world in worlds):
        return [_bound(level, "one seat: there is no other to compare it with")]
    rows: list[Row] = []
    reference = [world for world in worlds if not world.reference]
    alike = [world for world in reference if _one_policy(world, identities)]
    if alike:
        rows += _rows("identical policies", alike, _deviations(alike, kind), level)
    rotated = [world for world in reference if len({w.draw.rotation for w in reference}) > 1]
    if rotated and not alike:
        rows += _rows("rotations", rotated, _least_squares(rotated, kind), level)
    return rows or [_bound(level)]


def _one_policy(world: PlayedWorld, identities: Mapping[str, str]) -> bool:
    known = {identities[name] for name in world.seats if name in identities}
    return len(known) == 1 and all(name in identities for name in world.seats)


def _deviations(worlds: Sequence[PlayedWorld], kind: ScoreKind) -> dict[int, list[float]]:
    """Return by seed the mean deviation of each seat from its world's mean."""
    by_seed: dict[int, list[np.ndarray]] = {}
    for world in worlds:
        scores = world.scores(kind).astype(np.float64)
        by_seed.setdefault(world.draw.seed, []).append(scores - scores.mean())
    return {seed: np.mean(rows, axis=0).tolist() for seed, rows in by_seed.items()}


def _least_squares(worlds: Sequence[PlayedWorld], kind: ScoreKind) -> dict[int, list[float]]:
    """Return by seed the seat effects of Score = world + agent + seat, summing to zero.

    Ordinary least squares within one seed, exact for a Latin square of rotations (Cochran and Cox 1957,
    section 4.3). A seed whose rotations leave seat and agent entangled is left out.
    """
    found = {}
    for seed in sorted({world.draw.seed for world in worlds}):
        here = [world for world in worlds if world.draw.seed == seed]
        effects = _solve(here, kind)
        if effects is not None:
            found[seed] = effects
    return found


def _solve(worlds: Sequence[PlayedWorld], kind: ScoreKind) -> list[float] | None:
    seats = len(worlds[0].seats)
    names = sorted({name for world in worlds for name in world.seats})
    rows, scores = [], []
    for place, world in enumerate(worlds):
        values = world.scores(kind)
        for seat, name in enumerate(world.seats):
            row = np.zeros(len(worlds) + len(names) - 1 + seats - 1)
            row[place] = 1.0
            _contrast(row, len(worlds), len(names), names.index(name))
            _contrast(row, len(worlds) + len(names) - 1, seats, seat)
            rows.append(row)
            scores.append(float(values[seat]))
    matrix = np.array(rows)
    if np.linalg.matrix_rank(matrix) < matrix.shape[1]:
        return None
    solution = np.linalg.lstsq(matrix, np.array(scores), rcond=None)[0]
    free = solution[-(seats - 1) :]
    return [*free.tolist(), -float(free.sum())]


def _contrast(row: np.ndarray, start: int, levels: int, level: int) -> None:
    """Code a factor so that its effects sum to zero: the last level is minus all others."""
    if level < levels - 1:
        row[start + level] = 1.0
    else:
        row[start : start + levels - 1] = -1.0


def _rows(
    method: str, worlds: Sequence[PlayedWorld], effects: Mapping[int, list[float]], level: float
) -> list[Row]:
    if not effects:
        return [_bound(level, "the rotations leave seat and contestant entangled")]
    means = seed_means(np.array(list(effects.values())))
    limits = t_interval(means, level)
    return [
        SeatRow(
            method=method,
            lineup=worlds[0].lineup,
            seat=seat + 1,
            clusters=len(effects),
            worlds=len(worlds),
            effect_cents=optional(means.mean[seat]),
            se_cents=optional(means.se[seat]),
            ci_level=level,
            low_cents=optional(limits.low[seat]),
            high_cents=optional(limits.high[seat]),
            note="one seed: no standard error" if len(effects) == 1 else "",
        )
        for seat in range(len(worlds[0].seats))
    ]


def _bound(
    level: float, note: str = "no rotations and no lineup of one policy: seat and contestant are one"
) -> Row:
    return SeatRow(
        method="none",
        lineup="",
        seat=None,
        clusters=0,
        worlds=0,
        effect_cents=None,
        se_cents=None,
        ci_level=level,
        low_cents=None,
        high_cents=None,
        note=note,
    )
