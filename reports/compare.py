"""Runs side by side: every published estimate next to its like of another run, and their difference.

Nothing is estimated here. Values are the cells of the runs' own tables; the one operation is a
subtraction, run less base, where both are like for like, and where they are not the row says why.
Intervals stand beside the values; a difference has none, since the runs do not say how it varies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from pydantic import Field

from externalities.rows import Row, TableSpec
from reports.compare_match import (
    Match,
    draw_matches,
    draws,
    effect_matches,
    entrants,
    obstacles,
    operating_matches,
    reference_pairs,
    source_differences,
    surroundings,
)
from reports.compare_runs import Cells, RunSide, read_sides
from reports.numbers import fitting_money
from tournament.errors import InputError

EXITS: Final = "bankruptcy_rate"
OPERATING: Final = ("mean_score_cents", "rank", EXITS)


class ComparedRow(Row):
    """One quantity of two runs; cells of the runs' tables are kept as they were written."""

    base: str = Field(description="run that differences are taken from")
    run: str = Field(description="the other run")
    table: str = Field(description="table of RUN/externalities that both values come from")
    quantity: str = Field(description="column of that table; of market_summary the estimand, in cents")
    reference: str = Field(description="reference policy, as the base calls it")
    contestant: str = Field(description="contestant or entrant, as the base calls it")
    rival: str = Field(description="rival of a directed effect, as the base calls it, else empty")
    run_contestant: str = Field(description="who it is set against in the other run")
    run_rival: str = Field(description="the rival there, else empty")
    rotation: int | None = Field(description="rotation of one matched pair; empty for what pools pairs")
    seed: int | None = Field(description="its economic seed")
    repeat: int | None = Field(description="its repeat")
    base_value: str = Field(description="value in the base")
    base_low: str = Field(description="lower end of its interval, where the table has one")
    base_high: str = Field(description="upper end")
    base_n: str = Field(description="observations behind it")
    run_value: str = Field(description="value in the other run")
    run_low: str = Field(description="lower end of its interval, where the table has one")
    run_high: str = Field(description="upper end")
    run_n: str = Field(description="observations behind it")
    difference: str = Field(description="run_value less base_value; empty where not like for like")
    why_not: str = Field(description="why there is no difference")
    note: str = Field(description="what differs all the same")


COMPARED: Final = TableSpec(
    file="compare.csv", row=ComparedRow, description="Estimates of two runs side by side."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One run against a base, each with its study and hash: rows, and what is said about both or one of them.

    `money_unit` is how amounts are shown for people; rows hold cents.
    """

    base: str
    run: str
    base_study: str
    run_study: str
    scenario: str
    money_unit: str
    rows: tuple[ComparedRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """All comparisons, and why each other run stands alone."""

    comparisons: tuple[Comparison, ...]
    alone: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """Two comparable runs under one reference policy, by each run's name for it."""

    base: RunSide
    run: RunSide
    names: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where a value stands: table, column, the keys of its row in either run, its interval and count."""

    table: str
    column: str
    ours: Mapping[str, str]
    theirs: Mapping[str, str]
    interval: tuple[str, str] | None = None
    count: str = ""


def compare(runs: Sequence[Path], *, across_sources: bool = False) -> Compared:
    """Return every run beside the first one given that it is comparable with.

    Raises InputError where nothing is like for like, saying why, and DamageError for a changed table.
    """
    comparisons: list[Comparison] = []
    apart: list[tuple[str, str, str]] = []
    waiting = read_sides(runs)
    labels = [side.label for side in waiting]
    while waiting:
        base, *others = waiting
        waiting = []
        for run in others:
            against = "; ".join(obstacles(base, run, across_sources=across_sources))
            if against:
                waiting.append(run)
                apart.append((base.label, run.label, against))
            else:
                comparisons.append(_comparison(base, run))
    if not any(row.difference for item in comparisons for row in item.rows):
        raise InputError(f"nothing is comparable: {' | '.join(_reasons(comparisons, apart))}")
    paired = {label for item in comparisons for label in (item.base, item.run)}
    return Compared(
        comparisons=tuple(comparisons),
        alone=tuple(
            f"{first} and {second}: {why}"
            for first, second, why in apart
            if not {first, second} <= paired and {first, second} & (set(labels) - paired)
        ),
    )


def _reasons(comparisons: Sequence[Comparison], apart: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    for first, second, why in apart:
        yield f"{first} and {second}: {why}"
    for item in comparisons:
        found = list(dict.fromkeys(row.why_not for row in item.rows)) or list(item.notes)
        yield f"{item.base} and {item.run}: {'; '.join(found[:3])}"


def _comparison(base: RunSide, run: RunSide) -> Comparison:
    shared = [_Sides(base=base, run=run, names=names) for names in reference_pairs(base, run)]
    rows: list[ComparedRow] = []
    for sides in shared:
        rows += _operating(sides)
        rows += _summaries(sides)
        rows += _observations(sides)
    notes = [f"sources differ: {line}" for line in source_differences(base, run)]
    notes += [f"surroundings differ: {line}" for line in surroundings(base, run)]
    return Comparison(
        base=base.label,
        run=run.label,
        base_study=_study(base),
        run_study=_study(run),
        scenario=base.manifest.scenario.id,
        money_unit=_unit(base, rows),
        rows=tuple(rows),
        notes=(*notes, *_alone(base, run, [sides.names for sides in shared])),
    )


def _unit(base: RunSide, rows: Sequence[ComparedRow]) -> str:
    """Return thousands of the market's currency where a mean reaches one, else single units."""
    means = [row for row in rows if row.quantity.endswith("_cents")]
    shown = [Decimal(cents) for row in means for cents in (row.base_value, row.run_value) if cents]
    most = max(map(abs, shown), default=Decimal(0))
    return fitting_money(base.published.currency, float(most)).unit


def _study(side: RunSide) -> str:
    return f"{side.manifest.study} {side.manifest.study_hash[:8]}"


def _alone(base: RunSide, run: RunSide, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Say which reference policies and entrants one run has and the other has not."""
    for at, side in enumerate((base, run)):
        shared = {pair[at] for pair in pairs}
        for reference in side.references:
            if reference not in shared:
                yield f"only {side.label} has the reference policy {reference} ({side.identity[reference]})"
    for pair in pairs:
        matched = draw_matches(base, run, pair)
        for at, side in enumerate((base, run)):
            names = {(match.base, match.run)[at] for match in matched}
            missing = [name for name in entrants(side, pair[at]) if name not in names]
            if missing:
                yield f"against {pair[at]}, only {side.label} replaces {', '.join(missing)}"


def _operating(sides: _Sides) -> Iterator[ComparedRow]:
    for match in operating_matches(sides.base, sides.run, sides.names):
        keys = {"contestant": match.base}, {"contestant": match.run}
        for column in OPERATING:
            if column == EXITS and sides.base.published.role("exit") is None:
                continue
            interval = ("ci_low_cents", "ci_high_cents") if column == OPERATING[0] else None
            source = _Source(
                table="operating",
                column=column,
                ours=keys[0],
                theirs=keys[1],
                interval=interval,
                count="outcomes",
            )
            yield from _row(sides, match, source)


def _summaries(sides: _Sides) -> Iterator[ComparedRow]:
    """Yield what pools matched pairs: private; total, mean and market; directed by rival."""
    for match in effect_matches(sides.base, sides.run, sides.names):
        keyed: list[tuple[str, dict[str, str], dict[str, str]]] = [("private_summary", {}, {})]
        for estimand in ("total", "mean", "market"):
            keyed.append(("market_summary", {"estimand": estimand}, {"estimand": estimand}))
        for rival, other in _rivals(sides, match):
            keyed.append(("directed_summary", {"rival": rival}, {"rival": other}))
        for table, ours, theirs in keyed:
            source = _Source(
                table=table,
                column="mean_cents",
                ours={"entrant": match.base, **ours},
                theirs={"entrant": match.run, **theirs},
                interval=("t_low_cents", "t_high_cents"),
                count="observations",
            )
            yield from _row(sides, match, source)


def _rivals(sides: _Sides, match: Match) -> Iterator[tuple[str, str]]:
    """Yield rivals by seat; where they are not the same contestants, the match says so."""
    replaced = {*sides.base.seats(match.base), *sides.run.seats(match.run)}
    for seat in range(1, len(sides.base.lineup) + 1):
        if seat not in replaced:
            yield sides.base.at((seat,)), sides.run.at((seat,))


def _observations(sides: _Sides) -> Iterator[ComparedRow]:
    """Yield matched pair by matched pair what both runs have of the same draw."""
    base, run = sides.base, sides.run
    for match in draw_matches(base, run, sides.names):
        common = draws(base, match.base, sides.names[0]) & draws(run, match.run, sides.names[1])
        for draw in sorted(common):
            place = dict(zip(("rotation", "seed", "repeat"), map(str, draw), strict=True))
            keyed: list[tuple[str, str, dict[str, str], dict[str, str]]] = [
                ("private", "private_cents", {}, {}),
                ("market", "total_externality_cents", {}, {}),
                ("market", "mean_externality_cents", {}, {}),
                ("market", "market_difference_cents", {}, {}),
            ]
            for rival, other in _rivals(sides, match):
                keyed.append(("directed", "directed_cents", {"rival": rival}, {"rival": other}))
            for table, column, ours, theirs in keyed:
                source = _Source(
                    table=table,
                    column=column,
                    ours={"entrant": match.base, **place, **ours},
                    theirs={"entrant": match.run, **place, **theirs},
                )
                yield from _row(sides, match, source)


def _row(sides: _Sides, match: Match, source: _Source) -> Iterator[ComparedRow]:
    """Yield the row of a value that both runs' tables have."""
    ours = _cells(sides.base, source.table, {"reference": sides.names[0], **source.ours})
    theirs = _cells(sides.run, source.table, {"reference": sides.names[1], **source.theirs})
    if ours is None or theirs is None:
        return
    mine, its = ours[source.column], theirs[source.column]
    low, high = source.interval or ("", "")
    undefined = "" if mine and its else "undefined in one of the runs"
    why_not = match.why or undefined
    yield ComparedRow(
        base=sides.base.label,
        run=sides.run.label,
        table=source.table,
        quantity=f"{ours['estimand']}_cents" if "estimand" in ours else source.column,
        reference=sides.names[0],
        contestant=match.base,
        rival=_cell(ours, "rival"),
        run_contestant=match.run,
        run_rival=_cell(theirs, "rival"),
        rotation=_number(ours, "rotation"),
        seed=_number(ours, "seed"),
        repeat=_number(ours, "repeat"),
        base_value=mine,
        base_low=_cell(ours, low),
        base_high=_cell(ours, high),
        base_n=_cell(ours, source.count),
        run_value=its,
        run_low=_cell(theirs, low),
        run_high=_cell(theirs, high),
        run_n=_cell(theirs, source.count),
        difference="" if why_not else f"{Decimal(its) - Decimal(mine):f}",
        why_not=why_not,
        note=match.note,
    )


def _cells(side: RunSide, table: str, keys: Mapping[str, str]) -> Cells | None:
    """Return the row of a table that has these keys, or None."""
    return next(
        (row for row in side.tables[table] if all(row[key] == value for key, value in keys.items())), None
    )


def _cell(cells: Cells, column: str) -> str:
    return cells.get(column, "")


def _number(cells: Cells, column: str) -> int | None:
    return int(cells[column]) if column in cells else None
