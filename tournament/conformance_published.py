"""The part of the conformance suite that holds a market's declaration against what its worlds give.

Every table, chart and command above a market is made from its `Published`; what is declared and not
given, or given and not declared, would fail there, far from its cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tournament.playing.play import replay
from tournament.ports import Market
from tournament.published import OutcomeColumn, Published, ScoreKind
from tournament.records import Decisions, WorldTables

Outcomes = Sequence[Mapping[str, int | None]]

SERIES_KEYS = ("window", "last_day", "seat", "in_business")


def declaration_faults(market: Market, seed: int, seats: int, rows: Sequence[Decisions]) -> Iterator[str]:
    """Yield in one sentence each where a played world departs from what its market declares."""
    published = market.published
    if Published.model_validate_json(published.model_dump_json()) != published:
        yield "what it publishes does not survive JSON"
    world = market.open(seed, seats)
    postings = [settlement.postings for settlement in replay(world, rows)]
    outcomes, tables = world.outcomes(), world.tables()
    yield from _outcome_faults(published, outcomes)
    yield from _identity_faults(published, outcomes)
    yield from _ledger_faults(market, outcomes, np.concatenate(postings))
    yield from _table_faults(market, tables, seats)
    yield from _measure_faults(published, tables)
    yield from _series_faults(market, tables, seats)
    moments = [published.time.moment(step) for step in range(1, market.days + 1)]
    if len(set(moments)) != len(moments):
        yield "two time steps are spoken of by the same words"


def _outcome_faults(published: Published, outcomes: Outcomes) -> Iterator[str]:
    names = published.outcome_names()
    for seat, metrics in enumerate(outcomes, start=1):
        for name in names:
            if name not in metrics:
                yield f"seat {seat}: the outcome column {name} is declared and not given"
        for name in metrics:
            if name not in names:
                yield f"seat {seat}: the outcome column {name} is given and not declared"
        for column in published.columns:
            yield from _value_faults(column, seat, metrics.get(column.name))


def _value_faults(column: OutcomeColumn, seat: int, value: int | None) -> Iterator[str]:
    if value is None:
        if column.kind not in {"time", "ratio"}:
            yield f"seat {seat}: {column.name} is empty; only a time or a ratio may be"
    elif type(value) is not int:
        yield f"seat {seat}: {column.name} is a {type(value).__name__}, not a whole number"
    elif value < 0 and column.kind in {"count", "time"}:
        yield f"seat {seat}: {column.name} is {value}, below zero"


def _identity_faults(published: Published, outcomes: Outcomes) -> Iterator[str]:
    """Score less its signed accounts is one constant: firms start alike."""
    if not published.accounts:
        return
    for kind in published.score_kinds:
        rests = {
            _score(published, kind, metrics)
            - sum(account.sign * _cents(metrics, account.column) for account in published.accounts_of(kind))
            for metrics in outcomes
        }
        if len(rests) > 1:
            yield f"the accounts do not make the {kind}: what is left over differs between seats ({sorted(rests)})"


def _score(published: Published, kind: ScoreKind, metrics: Mapping[str, int | None]) -> int:
    salvage = published.role("salvage")
    left_out = _cents(metrics, salvage) if kind == "cash" and salvage is not None else 0
    return _cents(metrics, published.score) - left_out


def _cents(metrics: Mapping[str, int | None], column: str) -> int:
    return metrics.get(column) or 0


def _ledger_faults(market: Market, outcomes: Outcomes, postings: NDArray[np.int64]) -> Iterator[str]:
    numbers = {name: number for number, name in enumerate(market.accounts)}
    for account in market.published.accounts:
        unknown = [name for name in account.ledger if name not in numbers]
        if unknown:
            yield f"account {account.name}: the ledger has no account {unknown[0]}"
        if unknown or not account.ledger:
            continue
        mine = np.isin(postings[:, 2], [numbers[name] for name in account.ledger])
        for seat, metrics in enumerate(outcomes, start=1):
            posted = int(postings[mine & (postings[:, 1] == seat)][:, 3].sum())
            told = account.sign * _cents(metrics, account.column)
            if posted != told:
                yield f"seat {seat}: {account.column} says {told} cents, its ledger's postings {posted}"


def _table_faults(market: Market, tables: WorldTables, seats: int) -> Iterator[str]:
    published = market.published
    needed = ["day", "seat", *([published.daily_cash] if published.daily_cash else [])]
    for name in needed:
        if name not in tables.daily:
            yield f"the daily table has no column {name}"
    for name, column in tables.daily.items():
        if len(column) != market.days * seats:
            yield f"the daily table's {name} has {len(column)} rows, not one a step and seat"
    for event in published.events:
        table = tables.extra.get(event.table)
        if table is None:
            yield f"the events of {event.table} are declared, and there is no such table"
            continue
        for wanted in (event.moment, event.seat):
            if wanted is not None and wanted not in table:
                yield f"the table {event.table} has no column {wanted}"


def _measure_faults(published: Published, tables: WorldTables) -> Iterator[str]:
    declared = {measure.name for measure in published.measures}
    given = {measured.name for measured in tables.measures}
    for name in sorted(declared ^ given):
        yield f"the measure {name} is {'declared and not given' if name in declared else 'not declared'}"
    keys = [(measured.name, measured.group) for measured in tables.measures]
    if len(set(keys)) != len(keys):
        yield "a measure is given twice for one group"
    for measured in tables.measures:
        if measured.value is None and not measured.note:
            yield f"the measure {measured.name} is missing without a reason"
        if measured.value is not None and not math.isfinite(measured.value):
            yield f"the measure {measured.name} is {measured.value}"


def _series_faults(market: Market, tables: WorldTables, seats: int) -> Iterator[str]:
    published = market.published
    if not published.series and not tables.series:
        return
    cash = [published.daily_cash] if published.daily_cash else []
    declared = {*SERIES_KEYS, *cash, *(series.name for series in published.series)}
    for name in sorted(declared ^ set(tables.series)):
        yield f"the path {name} is {'declared and not given' if name in declared else 'not declared'}"
    for name, column in tables.series.items():
        if len(column) != market.windows * seats:
            yield f"the path {name} has {len(column)} rows, not one a window and seat"
