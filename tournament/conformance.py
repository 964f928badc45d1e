"""The suite that every market and every policy must pass, for their authors to run in their own tests.

`check_market` and `check_policy` know no market by name: they act through the desk's own tools and
compare what two worlds publish. A violation raises ConformanceError with one sentence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import anyio
import numpy as np
from pydantic import BaseModel

from tournament.conformance_drawing import DraftChangedError, decisions_drawn, drawn_decision
from tournament.conformance_published import declaration_faults
from tournament.errors import InputError
from tournament.playing.play import close_window, replay
from tournament.ports import Desk, Market, MarketKind, Policy, PolicyKind, World
from tournament.records import Choice, Decision, Decisions, Json, SeatContext, Settlement

Propose = Callable[[Desk], Decision]


class ConformanceError(AssertionError):
    """What a market or policy does that it must not do."""


def check_market(
    kind: MarketKind,
    *,
    seed: int,
    seats: int,
    private: Propose,
    overrides: Mapping[str, Json] | None = None,
    exogenous: Sequence[str] = (),
    never_negative: Collection[str] = (),
) -> None:
    """Raise ConformanceError at the first rule that a market breaks.

    `private` returns a rival's decision that can have no public effect within its window; `exogenous`
    names the columns of the market table that no decision may move, `never_negative` keys of the
    observation, at any depth, whose numbers may not fall below zero. A market that passes is taken by
    every command: what it declares (`Published`) is what its worlds give.
    """
    market = kind.configure(overrides or {})
    _require(market.id == kind.id, f"market {kind.id} configures a market named {market.id}")
    rows = _drawn(market, seed, seats)
    first = _played(market, seed, seats, rows)
    _check_time(market, first)
    _check_determinism(market, seed, seats, rows, first)
    _check_books(market, seed, seats, rows)
    for fault in declaration_faults(market, seed, seats, rows):
        raise ConformanceError(f"{market.id}: {fault}")
    _check_seats(market, seed)
    _check_signs(market, seed, seats, rows, frozenset(never_negative))
    _check_growth(market, seed, seats, rows)
    _check_exogenous(market, seed, seats, rows, exogenous)
    _check_purity(market, seed, seats, rows, first)
    _check_null(market, seed, seats)
    if seats > 1:
        _check_secrecy(market, seed, seats, private)


def check_policy(
    kind: PolicyKind,
    parameters: Mapping[str, Json],
    market: Market,
    *,
    folder: Path = Path(),
    seed: int = 7,
    seats: int = 3,
) -> None:
    """Raise ConformanceError at the first rule that a model-free policy breaks when it fills every seat."""
    _require(
        not kind.markets or market.id in kind.markets, f"policy {kind.id} does not speak market {market.id}"
    )
    resolved = kind.resolve(parameters, folder)
    again = kind.parameters.model_validate_json(resolved.model_dump_json())
    _require(again == resolved, f"policy {kind.id}: its parameters do not survive JSON")
    _require(
        kind.identity(resolved) == kind.identity(again), f"policy {kind.id}: one set of parameters, two ids"
    )
    once = anyio.run(_play_policy, kind, resolved, market.open(seed, seats), False)
    anew = anyio.run(_play_policy, kind, again, market.open(seed, seats), True)
    _require(
        once == anew,
        f"policy {kind.id} decides otherwise when it is built anew for each window: it keeps more than"
        " its memo, or draws on chance or a clock",
    )


def _require(held: bool, sentence: str) -> None:
    if not held:
        raise ConformanceError(sentence)


def _drawn(market: Market, seed: int, seats: int) -> list[list[Decision | None]]:
    """Return a world's drawn decisions; every tool that was called must have been given arguments that fit."""
    called: Counter[str] = Counter()
    try:
        rows = decisions_drawn(market, seed, seats, called)
    except DraftChangedError as fault:
        raise ConformanceError(f"{market.id}: {fault}") from None
    untried = sorted(name for name, count in called.items() if not count)
    _require(
        not untried,
        f"{market.id}: no arguments of tool {', '.join(untried)} could be drawn from its schema and from what"
        " the desk shows: give its open fields examples",
    )
    return rows


def _played(market: Market, seed: int, seats: int, rows: Sequence[Decisions]) -> list[Settlement]:
    return list(replay(market.open(seed, seats), rows))


def _check_time(market: Market, settlements: Sequence[Settlement]) -> None:
    _require(len(settlements) == market.windows, f"{market.id}: windows played differ from windows promised")
    day = 0
    for number, settlement in enumerate(settlements):
        _require(
            settlement.window == number, f"{market.id}: window {number} calls itself {settlement.window}"
        )
        _require(
            settlement.first_day == day + 1, f"{market.id}: window {number} does not start on the next day"
        )
        days = settlement.last_day - settlement.first_day + 1
        _require(len(settlement.hashes) == days, f"{market.id}: window {number} has not one hash a day")
        accounts = settlement.postings[:, 2]
        known = bool(((accounts >= 0) & (accounts < len(market.accounts))).all())
        _require(known, f"{market.id}: window {number} posts to an account without a name")
        day = settlement.last_day
    _require(day == market.days, f"{market.id}: the last window ends on day {day} of {market.days}")


def _check_seats(market: Market, seed: int) -> None:
    """A market seats as many as it declares, and refuses one more or fewer."""
    least, most = market.published.least_seats, market.published.most_seats
    for seats in (least, most):
        _require(
            market.open(seed, seats).active() == tuple(range(1, seats + 1)),
            f"{market.id}: it declares {least} to {most} seats and does not open with {seats}",
        )
    for seats in (least - 1, most + 1):
        try:
            market.open(seed, seats)
        except InputError:
            continue
        raise ConformanceError(f"{market.id}: it declares {least} to {most} seats and opens with {seats}")


def _check_determinism(
    market: Market, seed: int, seats: int, rows: Sequence[Decisions], first: Sequence[Settlement]
) -> None:
    """The same decisions, also after a passage through JSON (which is resumption), give the same world.

    A seat checks and previews its draft with the keys of objects in the order in which it staged them; what
    is settled has them sorted. The order must say nothing.
    """
    restored = json.loads(json.dumps(rows))
    for before, after in zip(first, _played(market, seed, seats, restored), strict=True):
        _require(_same(before, after), f"{market.id}: window {before.window} replays to another state")
    for before, after in zip(first, _played(market, seed, seats, _reversed_keys(restored)), strict=True):
        _require(
            _same(before, after),
            f"{market.id}: window {before.window} depends on the order of a decision's keys",
        )


def _same(before: Settlement, after: Settlement) -> bool:
    same = before.hashes == after.hashes and before.receipts == after.receipts
    same = same and before.refusals == after.refusals
    return same and np.array_equal(before.postings, after.postings)


def _reversed_keys(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _reversed_keys(value[key]) for key in reversed(value)}
    return [_reversed_keys(item) for item in value] if isinstance(value, list) else value


def _check_books(market: Market, seed: int, seats: int, rows: Sequence[Decisions]) -> None:
    """A seat's cash is the sum of its postings, wherever cash is shown."""
    cash_fact, cash_column = market.published.cash_fact, market.published.role("cash")
    world = market.open(seed, seats)
    sums = np.zeros(seats + 1, dtype=np.int64)
    for settlement in replay(world, rows):
        np.add.at(sums, settlement.postings[:, 1], settlement.postings[:, 3])
        for seat in world.active() if world.window < world.windows else ():
            cash = sums[seat] if cash_fact is None else world.desk(seat).facts()[cash_fact]
            _require(
                cash == sums[seat],
                f"{market.id}: seat {seat} has {cash} cents after window {settlement.window}, its postings"
                f" sum to {sums[seat]}",
            )
    for seat, metrics in enumerate(world.outcomes(), start=1):
        _require(
            cash_column is None or metrics[cash_column] == sums[seat],
            f"{market.id}: seat {seat} ends with unposted cash",
        )
        _require(
            metrics[market.published.score] == world.scores()[seat - 1],
            f"{market.id}: seat {seat} has two Scores",
        )


def _check_signs(
    market: Market, seed: int, seats: int, rows: Sequence[Decisions], never_negative: frozenset[str]
) -> None:
    world = market.open(seed, seats)
    for settlement in replay(world, rows):
        for seat in world.active() if world.window < world.windows else ():
            facts = world.desk(seat).facts()
            _require_plain(market, facts)
            for name, number in _numbers(facts, ""):
                _require(
                    number >= 0 or not never_negative & set(name.split(".")),
                    f"{market.id}: seat {seat} sees {name} = {number} after window {settlement.window}",
                )
    tables = world.tables()
    for name, column in (*tables.daily.items(), *tables.market.items()):
        counted = not name.endswith("_cents") and np.issubdtype(column.dtype, np.integer)
        _require(not counted or bool((column >= 0).all()), f"{market.id}: the column {name} goes below zero")


def _check_growth(market: Market, seed: int, seats: int, rows: Sequence[Decisions]) -> None:
    """A table that grows keeps its rows, and tells the new ones apart."""
    world = market.open(seed, seats)
    known: dict[tuple[int, str], list[tuple[Any, ...]]] = {}
    before = 0
    for row in rows:
        for seat in world.active():
            desk = world.desk(seat)
            for table in (table.name for table in desk.tables() if table.grows):
                held = [*known.get((seat, table), ()), *desk.rows(table, before)]
                _require(
                    held == list(desk.rows(table)),
                    f"{market.id}: seat {seat}'s table {table} at day {desk.version} is not that of day"
                    f" {before} and new rows behind it",
                )
                known[seat, table] = held
        before = world.version
        world.settle(row)


def _require_plain(market: Market, facts: Mapping[str, Json]) -> None:
    try:
        again = json.loads(json.dumps(facts, allow_nan=False))
    except (TypeError, ValueError) as fault:
        raise ConformanceError(f"{market.id}: facts are not JSON: {fault}") from None
    _require(again == facts, f"{market.id}: facts hold what JSON does not give back")


def _numbers(value: Json, name: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _numbers(item, f"{name}.{key}")
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _numbers(item, name)
    elif isinstance(value, (int, float)):
        yield name, value


def _check_exogenous(
    market: Market, seed: int, seats: int, rows: Sequence[Decisions], columns: Sequence[str]
) -> None:
    decided, silent = market.open(seed, seats), market.open(seed, seats)
    for row in rows:
        decided.settle(row)
        silent.settle([None] * seats)
    for name in columns:
        same = np.array_equal(decided.tables().market[name], silent.tables().market[name])
        _require(same, f"{market.id}: decisions move the exogenous column {name}")


def _check_null(market: Market, seed: int, seats: int) -> None:
    silent, empty = market.open(seed, seats), market.open(seed, seats)
    for seat in silent.active():
        refusal = silent.desk(seat).check(silent.desk(seat).null())
        _require(refusal is None, f"{market.id}: the decision that changes nothing is refused: {refusal}")
    while silent.window < silent.windows:
        nulls: list[Decision | None] = [None] * seats
        for seat in empty.active():
            nulls[seat - 1] = empty.desk(seat).null()
        same = silent.settle([None] * seats).hashes == empty.settle(nulls).hashes
        _require(same, f"{market.id}: the decision that changes nothing changes window {silent.window - 1}")


def _check_purity(
    market: Market, seed: int, seats: int, rows: Sequence[Decisions], first: Sequence[Settlement]
) -> None:
    """Looking, checking and previewing leave a seat's view and everybody's future as they are."""
    world = market.open(seed, seats)
    random = Random(seed + 1)
    for row, settlement in zip(rows, first, strict=True):
        for seat in world.active():
            desk = world.desk(seat)
            before = _view(desk)
            other = drawn_decision(desk, random)
            desk.check(other)
            desk.check({"no such field": 1})
            desk.preview(other)
            _require(
                _view(world.desk(seat)) == before,
                f"{market.id}: a check or preview changes seat {seat}'s view",
            )
        same = world.settle(row).hashes == settlement.hashes
        _require(same, f"{market.id}: looking at the desks changes window {settlement.window}")


def _check_secrecy(market: Market, seed: int, seats: int, private: Propose) -> None:
    """What a rival does in private does not show: two worlds that differ in it look the same to others."""
    hidden, plain = market.open(seed, seats), market.open(seed, seats)
    row: list[Decision | None] = [hidden.desk(seat).null() for seat in range(1, seats + 1)]
    changed = [*row[:-1], private(hidden.desk(seats))]
    refusal = hidden.desk(seats).check(changed[-1])
    _require(refusal is None, f"{market.id}: the private change of the test is refused: {refusal}")
    differs = hidden.settle(changed).hashes != plain.settle(row).hashes
    _require(differs, f"{market.id}: the private change of the test changes nothing")
    for seat in range(1, seats):
        same = _view(hidden.desk(seat)) == _view(plain.desk(seat))
        _require(same, f"{market.id}: seat {seat} sees what seat {seats} did in private")


def _view(desk: Desk) -> str:
    """Return all that a desk shows: facts, briefing, and every row of every table."""
    tables = {table.name: [list(row) for row in desk.rows(table.name)] for table in desk.tables()}
    return json.dumps([desk.facts(), desk.brief(), desk.guide(), tables], sort_keys=True, default=str)


async def _play_policy(
    kind: PolicyKind, parameters: BaseModel, world: World, anew: bool
) -> list[tuple[str, ...]]:
    """Return every choice of a world, as JSON; `anew` builds the policy for each window."""
    seats = world.active()
    policies = _built(kind, parameters, seats)
    memos: dict[int, Json] = {}
    shown: list[tuple[str, ...]] = []
    while world.window < world.windows:
        if anew:
            policies = _built(kind, parameters, seats)
        choices = {
            seat: await _asked(kind, policies[seat], world.desk(seat), memos.get(seat))
            for seat in world.active()
        }
        shown.append(
            tuple(json.dumps([c.decision, c.memo, c.state], sort_keys=True) for c in choices.values())
        )
        memos = {seat: json.loads(json.dumps(choice.memo)) for seat, choice in choices.items()}
        close_window(world, choices)
    return shown


async def _asked(kind: PolicyKind, policy: Policy, desk: Desk, memo: Json) -> Choice:
    before = json.dumps([desk.facts(), memo], sort_keys=True)
    choice = await policy.decide(desk, memo)
    after = json.dumps([desk.facts(), memo], sort_keys=True)
    _require(before == after, f"policy {kind.id} changes the facts or the memo that it was given")
    try:
        json.dumps([choice.decision, choice.memo], allow_nan=False)
    except (TypeError, ValueError) as fault:
        raise ConformanceError(f"policy {kind.id}: decision or memo is not JSON: {fault}") from None
    return choice


def _built(kind: PolicyKind, parameters: BaseModel, seats: Sequence[int]) -> Mapping[int, Any]:
    return {
        seat: kind.build(parameters, SeatContext(world="conformance", seat=seat, contestant=kind.id))
        for seat in seats
    }
