"""The play loop: seats decide concurrently on one version, the market settles, the journal keeps.

The loop never reads a payload. What is recorded is replayed instead of asked again, so that a world
interrupted at any instant ends as one that never was; replay itself takes no policy at all, which is
what verification and hybrid worlds are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import anyio

from tournament import seal
from tournament.errors import ArenaError, DamageError, InputError, Suspension
from tournament.journal.rows import damaged
from tournament.journal.writer import ClosedWindow, Journal
from tournament.ports import Policy, World
from tournament.records import Choice, Decision, Decisions, Json, Seal, Settlement

Progress = Callable[[int, Sequence[int]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How far a world came: `stopped` at the end of a window on request, `suspended` by an outage."""

    state: Literal["ended", "stopped", "suspended"]
    windows: int
    suspension: Suspension | None = None


async def play_world(
    world: World,
    policies: Mapping[int, Policy],
    journal: Journal,
    *,
    stop: Callable[[], bool],
    progress: Progress,
) -> Played:
    """Play a fresh world to its end, from where its journal stands.

    `policies` has one policy a seat; `stop` is asked before each window, `progress` is told the windows
    settled and every seat's score so far. Raises DamageError where the journal does not replay.
    """
    restore(world, journal)
    memos = dict(journal.memos())
    progress(world.window, world.scores())
    if journal.ended:
        return Played(state="ended", windows=world.window)
    if "suspended" in journal.meta():
        journal.resume()
    while world.window < world.windows:
        if stop():
            return Played(state="stopped", windows=world.window)
        choices, suspension = await _decide(world, policies, journal, memos)
        if suspension is not None:
            journal.suspend(suspension)
            return Played(state="suspended", windows=world.window, suspension=suspension)
        closed = close_window(world, choices)
        outcomes = world.outcomes() if world.window == world.windows else None
        journal.close_window(closed, outcomes)
        memos.update(closed.memos)
        progress(world.window, closed.scores)
    return Played(state="ended", windows=world.window)


async def play_unrecorded(world: World, policies: Mapping[int, Policy]) -> None:
    """Play a fresh world to its end and keep nothing: for searches whose worlds are cheaper than their files."""
    memos: dict[int, Json] = {}
    while world.window < world.windows:
        choices = {
            seat: _settled_form(world, seat, await policies[seat].decide(world.desk(seat), memos.get(seat)))
            for seat in world.active()
        }
        memos.update(close_window(world, choices).memos)


def restore(world: World, journal: Journal) -> None:
    """Bring a fresh world to where its journal stands by replay, checking every daily hash."""
    windows = len(journal.windows())
    try:
        rows = decisions_by_window(journal.seals(), seats=len(world.scores()), windows=windows)
    except IndexError:
        raise damaged(journal.path, "it has a seal outside its windows or seats") from None
    hashes = journal.days()
    for settlement in replay(world, rows):
        require_days(settlement, hashes, journal.path.parent.name)
    if world.version != len(hashes):
        raise damaged(journal.path, "the days and the seals recorded do not belong together")


def replay(world: World, rows: Iterable[Decisions]) -> Iterator[Settlement]:
    """Settle recorded decisions one window after another; no policy is called."""
    for row in rows:
        yield world.settle(row)


def decisions_by_window(seals: Iterable[Seal], *, seats: int, windows: int) -> list[list[Decision | None]]:
    """Arrange seals as one row of decisions a window; a seat without a seal (it has left) holds None."""
    rows: list[list[Decision | None]] = [[None] * seats for _ in range(windows)]
    for item in seals:
        rows[item.window][item.seat - 1] = item.decision
    return rows


def require_days(settlement: Settlement, hashes: Sequence[str], world: str) -> None:
    """Raise DamageError at the first day whose replayed state is not the recorded one."""
    for day, digest in enumerate(settlement.hashes, start=settlement.first_day):
        if day > len(hashes) or hashes[day - 1] != digest:
            raise DamageError(
                f"world {world}: day {day} replays to another state than was recorded: its journal is"
                " damaged, or was written by another market version, numpy or platform"
            )


def close_window(world: World, choices: Mapping[int, Choice]) -> ClosedWindow:
    """Settle one choice for each active seat, in seat order, and seal what became of it."""
    window = world.window
    seats = len(world.scores())
    row: list[Decision | None] = [None] * seats
    for seat, choice in choices.items():
        row[seat - 1] = choice.decision
    settlement = world.settle(row)
    return ClosedWindow(
        seals=[_seal(window, seat, choices[seat], settlement) for seat in sorted(choices)],
        memos={seat: choice.memo for seat, choice in choices.items()},
        settlement=settlement,
        scores=world.scores(),
    )


def _seal(window: int, seat: int, choice: Choice, settlement: Settlement) -> Seal:
    refused = choice.state == "sealed" and seat in settlement.refusals
    return Seal(
        window=window,
        seat=seat,
        state="refused" if refused else choice.state,
        decision=choice.decision,
        reason=settlement.refusals[seat] if refused else choice.reason,
        rationale=choice.rationale,
    )


async def _decide(
    world: World, policies: Mapping[int, Policy], journal: Journal, memos: Mapping[int, Json]
) -> tuple[Mapping[int, Choice], Suspension | None]:
    """Ask every active seat at once; one seat's outage lets the others finish what they have begun.

    Model-free seats have nothing to wait for: asked in turn they answer the same, for a fraction of the cost.
    """
    window = world.window
    choices = dict(journal.choices(window)) if journal.durable else {}
    faults: dict[int, ArenaError] = {}

    async def ask(seat: int) -> None:
        try:
            made = await policies[seat].decide(world.desk(seat), memos.get(seat))
            choices[seat] = _settled_form(world, seat, made)
            if journal.durable:
                journal.keep_choice(window, seat, choices[seat])
        except ArenaError as fault:
            faults[seat] = fault

    seats = [seat for seat in world.active() if seat not in choices]
    if journal.durable:
        async with anyio.create_task_group() as group:
            for seat in seats:
                group.start_soon(ask, seat)
    else:
        for seat in seats:
            await ask(seat)
    return choices, _suspension(faults)


def _settled_form(world: World, seat: int, choice: Choice) -> Choice:
    """Return the choice as the journal gives it back, keys in order: nobody may see another one before a resume."""
    exhausted = choice.state == "budget_exhausted"
    decision = world.desk(seat).null() if exhausted else choice.decision
    try:
        plain, memo = seal.as_kept(decision), seal.as_kept(choice.memo)
    except InputError as fault:
        raise InputError(f"the policy of seat {seat} answered what is not JSON: {fault}") from fault
    return Choice(
        decision=plain, memo=memo, rationale=choice.rationale, state=choice.state, reason=choice.reason
    )


def _suspension(faults: Mapping[int, ArenaError]) -> Suspension | None:
    """Return the first seat's outage; anything that no resumption can mend is raised."""
    for seat in sorted(faults):
        if not isinstance(faults[seat], Suspension):
            raise faults[seat]
    for seat in sorted(faults):
        fault = faults[seat]
        if isinstance(fault, Suspension):
            return Suspension(f"seat {seat}: {fault}", kind=fault.kind, route=fault.route)
    return None
