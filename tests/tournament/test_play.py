"""The play loop asks each seat once a window, settles in seat order, and continues what was interrupted."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from tests.tournament.toys import FREE, PAID, Seats, after, journal_in, market, play, street
from tests.toy.lemonade.market import Counter, Street
from tests.toy.lemonade.policies import BROKEN, STAND, TALKER
from tournament.errors import DamageError, Fault, InputError
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.playing.play import Played, decisions_by_window, play_world, replay
from tournament.ports import Desk, Policy, World
from tournament.records import Choice, Decisions, Json, Seal, Settlement


def path_in(folder: Path) -> Path:
    return folder / "ref.r0.s1.n1" / JOURNAL


def kept(folder: Path) -> tuple[object, ...]:
    """What must not depend on interruptions: seals, receipts, hashes, postings, outcomes, events, files."""
    with read_journal(path_in(folder)) as journal:
        receipts = [journal.receipts(row[0]) for row in journal.windows()]
        events = [journal.events(seat, row[0]) for seat in (1, 2, 3) for row in journal.windows()]
        return (
            journal.seals(),
            journal.memos(),
            receipts,
            journal.days(),
            journal.postings().tolist(),
            journal.outcomes(),
            events,
            [journal.files(seat) for seat in (1, 2, 3)],
        )


@pytest.mark.parametrize("seats", [FREE, PAID], ids=["free", "paid"])
async def test_interrupted_after_every_window_equals_uninterrupted(tmp_path: Path, seats: Seats) -> None:
    await play(tmp_path / "whole", seats)
    states = []
    for _ in range(5):
        played, _ = await play(tmp_path / "pieces", seats, stop=after(1))
        states.append((played.state, played.windows))
    assert states == [
        ("stopped", 1),
        ("stopped", 2),
        ("stopped", 3),
        ("ended", 4),
        ("ended", 4),
    ]
    assert kept(tmp_path / "pieces") == kept(tmp_path / "whole")


async def test_a_memo_reaches_the_next_window_also_after_a_resume(tmp_path: Path) -> None:
    await play(tmp_path, stop=after(3))
    await play(tmp_path)
    with read_journal(path_in(tmp_path)) as journal:
        assert journal.memos() == {1: None, 2: 4, 3: 4}


async def test_a_refused_decision_is_sealed_with_its_reason_and_changes_nothing(tmp_path: Path) -> None:
    _, world = await play(tmp_path, ((STAND, {"price": 999}), (STAND, {"price": 90})))
    with read_journal(path_in(tmp_path)) as journal:
        states = {(seal.seat, seal.state, seal.reason) for seal in journal.seals()}
        assert journal.seals()[0].decision == {"price": 999}
    assert states == {(1, "refused", "price is 1 to 300"), (2, "sealed", "")}
    assert world.stands[0].price == 100


async def test_an_exhausted_budget_discards_the_draft_and_is_not_a_refusal(tmp_path: Path) -> None:
    await play(tmp_path, PAID)
    with read_journal(path_in(tmp_path)) as journal:
        states = [(seal.window, seal.state, seal.reason) for seal in journal.seals() if seal.seat == 2]
        exhausted = next(seal for seal in journal.seals() if seal.state == "budget_exhausted")
    assert states[1] == (1, "budget_exhausted", "out of breath")
    assert [state for _, state, _ in states].count("budget_exhausted") == 1
    assert exhausted.decision == {}


async def test_a_firm_that_has_left_is_not_consulted_again(tmp_path: Path) -> None:
    await play(tmp_path, FREE, stop=after(3), cash_cents=500, rent_cents=2000)
    _, world = await play(tmp_path, FREE, cash_cents=500, rent_cents=2000)
    left = [stand.left_on for stand in world.stands]
    assert all(day is not None and day < 14 for day in left)
    with read_journal(path_in(tmp_path)) as journal:
        for seat, day in enumerate(left, start=1):
            last = max(seal.window for seal in journal.seals() if seal.seat == seat)
            assert day is not None
            assert last * 7 < day
            assert journal.outcomes()[seat - 1]["closed_on"] == day


class Backwards:
    """Names what it decides and what it remembers in an order that no journal keeps."""

    def __init__(self) -> None:
        self.remembered: list[Json] = []

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        self.remembered.append(memo)
        return Choice(
            decision={"zest": {"y": 1, "b": 2}, "price": 90}, memo={"z": [{"y": 1, "b": 2}], "a": 1}
        )


async def test_a_world_and_its_policies_meet_the_order_of_keys_that_a_resume_would_bring_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[Json] = []
    settle = Street.settle

    def watched(world: Street, decisions: Decisions) -> Settlement:
        settled.extend(decisions)
        return settle(world, decisions)

    monkeypatch.setattr(Street, "settle", watched)
    policy, journal = Backwards(), journal_in(tmp_path)
    await play_world(street(1), {1: policy}, journal, stop=after(2), progress=lambda windows, scores: None)
    journal.close()
    with read_journal(path_in(tmp_path)) as kept_journal:
        again = [seal.decision for seal in kept_journal.seals()]
        memo = kept_journal.memos()[1]
    assert list(map(json.dumps, settled)) == list(map(json.dumps, again))
    assert len(settled) == 2
    assert json.dumps(policy.remembered[1]) == json.dumps(memo)


@dataclass(slots=True)
class Watcher:
    """Takes part in a rendezvous of all seats and notes what it saw and in which order."""

    together: anyio.Event
    present: list[int]
    seen: list[tuple[int, int, int]] = field(default_factory=list)

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        self.present.append(desk.seat)
        self.seen.append((desk.seat, desk.version, desk.facts()["public_prices"][0]))
        if len(self.present) % 3 == 0:
            self.together.set()
        await self.together.wait()
        await anyio.sleep(0.002 * (3 - desk.seat))
        return Choice(decision={"price": 50 + desk.seat})


async def test_seats_decide_at_once_on_one_version_and_settle_in_seat_order(tmp_path: Path) -> None:
    """Every seat waits for all to have begun, and seat 1 answers last: order of reply buys nothing."""
    watcher = Watcher(anyio.Event(), [])
    world = street(3, days=7)
    journal = journal_in(tmp_path, durable=True)
    policies: dict[int, Policy] = dict.fromkeys((1, 2, 3), watcher)
    await play_world(world, policies, journal, stop=lambda: False, progress=lambda *_: None)
    assert sorted(watcher.seen) == [(1, 0, 100), (2, 0, 100), (3, 0, 100)]
    assert [seal.seat for seal in journal.seals()] == [1, 2, 3]
    journal.close()


async def test_an_outage_of_one_seat_suspends_the_world_and_buys_nothing_twice(tmp_path: Path) -> None:
    log, outage = tmp_path / "calls", tmp_path / "outage"
    seats: Seats = (
        (STAND, {"price": 90}),
        (TALKER, {"log": str(log)}),
        (TALKER, {"log": str(log), "outage": str(outage)}),
    )
    outage.touch()
    for _ in range(3):
        played, _ = await play(tmp_path / "run", seats)
        assert (played.state, played.windows) == ("suspended", 2)
        assert played.suspension is not None
        assert (played.suspension.kind, str(played.suspension)) == (
            "transport",
            "seat 3: the provider is down",
        )
    with read_journal(path_in(tmp_path / "run")) as journal:
        assert journal.suspended == Fault(
            kind="transport", route="toy", message="seat 3: the provider is down"
        )
        assert sorted(journal.choices(2)) == [1, 2]
    outage.unlink()
    await play(tmp_path / "run", seats)
    with read_journal(path_in(tmp_path / "run")) as journal:
        assert journal.suspended is None
    calls = log.read_text().splitlines()
    assert len(calls) == len(set(calls)) == 8
    await play(tmp_path / "whole", PAID)
    assert kept(tmp_path / "run") == kept(tmp_path / "whole")


async def test_a_bug_in_a_policy_is_no_outage(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        await play(tmp_path / "free", ((STAND, {}), (BROKEN, {})))
    with pytest.raises(BaseExceptionGroup) as caught:
        await play(tmp_path / "paid", ((TALKER, {}), (BROKEN, {})))
    assert caught.group_contains(ZeroDivisionError)


@dataclass(frozen=True, slots=True)
class Says:
    answer: Json

    async def decide(self, desk: Desk, memo: Json) -> Choice:
        return Choice(decision=self.answer)


@pytest.mark.parametrize("answer", [{"price": float("nan")}, {"price": {1, 2}}, {1: 2}], ids=str)
async def test_an_answer_that_is_not_json_stops_with_the_seats_name(tmp_path: Path, answer: Json) -> None:
    journal = journal_in(tmp_path)
    policies: Mapping[int, Policy] = {1: Says({}), 2: Says(answer)}
    with pytest.raises(InputError, match="the policy of seat 2 answered what is not JSON"):
        await play_world(street(2), policies, journal, stop=lambda: False, progress=lambda *_: None)
    assert journal.seals() == ()
    journal.close()


async def test_two_spellings_of_a_number_are_one_seal(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    policies: Mapping[int, Policy] = {1: Says({"price": 80.0}), 2: Says({"price": 80})}
    await play_world(street(2), policies, journal, stop=lambda: False, progress=lambda *_: None)
    assert {seal.state for seal in journal.seals()} == {"sealed"}
    assert journal.seals()[0].decision == journal.seals()[1].decision == {"price": 80}
    journal.close()


async def test_progress_tells_every_window_and_the_scores_so_far(tmp_path: Path) -> None:
    told: list[tuple[int, tuple[int, ...]]] = []
    _, world = await play(tmp_path, told=told)
    assert [windows for windows, _ in told] == [0, 1, 2, 3, 4]
    assert told[-1][1] == world.scores()


async def test_a_journal_whose_days_were_changed_does_not_replay(tmp_path: Path) -> None:
    await play(tmp_path, stop=after(3))
    connection = sqlite3.connect(path_in(tmp_path))
    other = hashlib.sha256(b"").hexdigest()
    connection.execute("UPDATE days SET hash = ? WHERE day = 9", (other,))
    connection.commit()
    connection.close()
    with pytest.raises(DamageError, match=r"world ref\.r0\.s1\.n1: day 9 replays to another state"):
        await play(tmp_path)


async def test_a_changed_decision_shows_on_the_first_day_that_it_touches(tmp_path: Path) -> None:
    await play(tmp_path, stop=after(3))
    connection = sqlite3.connect(path_in(tmp_path))
    connection.execute("UPDATE seals SET decision_json = '{\"price\":91}' WHERE window = 1 AND seat = 1")
    connection.commit()
    connection.close()
    with pytest.raises(DamageError, match="day 8 replays to another state"):
        await play(tmp_path)


def replayed(rows: Iterable[Decisions]) -> World:
    world = market().open(1, 3)
    assert len(list(replay(world, rows))) == world.windows
    return world


async def test_replay_reproduces_a_world_and_calls_no_policy(tmp_path: Path) -> None:
    consulted = []

    class Counting(Counter):
        def facts(self) -> Mapping[str, Json]:
            consulted.append(self.seat)
            return super().facts()

    _, world = await play(tmp_path)
    with read_journal(path_in(tmp_path)) as journal:
        rows = decisions_by_window(journal.seals(), seats=3, windows=4)
    again = replayed(rows)
    assert consulted == []
    assert again.outcomes() == world.outcomes()


async def test_a_hybrid_world_plays_any_decisions_by_seat(tmp_path: Path) -> None:
    """One seat's seals exchanged for another's: the world differs, and nobody was consulted."""
    await play(tmp_path)
    with read_journal(path_in(tmp_path)) as journal:
        rows = decisions_by_window(journal.seals(), seats=3, windows=4)
    hybrid = replayed([[{"price": 40}, row[1], None] for row in rows])
    assert hybrid.scores() != replayed(rows).scores()
    assert hybrid.window == hybrid.windows


def test_decisions_by_window_leaves_a_gap_for_a_seat_that_has_left() -> None:
    seals = [
        Seal(window=0, seat=1, state="sealed", decision={"price": 1}),
        Seal(window=0, seat=2, state="sealed", decision={"price": 2}),
        Seal(window=1, seat=2, state="sealed", decision={"price": 3}),
    ]
    rows = decisions_by_window(seals, seats=2, windows=3)
    assert rows == [[{"price": 1}, {"price": 2}], [None, {"price": 3}], [None, None]]


async def test_an_ended_world_is_rebuilt_without_a_question(tmp_path: Path) -> None:
    await play(tmp_path)
    journal = journal_in(tmp_path)
    nobody: Mapping[int, Policy] = {}
    world = street(3)
    played = await play_world(world, nobody, journal, stop=lambda: False, progress=lambda *_: None)
    assert played == Played(state="ended", windows=4)
    assert journal.meta()["ended"] is True
    journal.close()
