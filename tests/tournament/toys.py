"""Worlds of lemonade stands, seated and opened, for tests of what plays and keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.toy.lemonade.market import LEMONADE, LemonadeMarket, Street
from tests.toy.lemonade.policies import HAGGLER, STAND, TALKER, Kind
from tournament.journal.writer import JOURNAL, Journal, open_journal
from tournament.playing.play import Played, play_world
from tournament.ports import Policy
from tournament.records import Json, SeatContext

HEADER: Mapping[str, Json] = {"world": "ref.r0.s1.n1", "seed": 1}
Seats = Sequence[tuple[Kind, Mapping[str, Json]]]
FREE: Seats = ((STAND, {"price": 90}), (HAGGLER, {}), (HAGGLER, {}))
PAID: Seats = ((STAND, {"price": 90}), (TALKER, {}), (TALKER, {}))


def street(seats: int = 3, seed: int = 1, **overrides: Json) -> Street:
    return market(**overrides).open(seed, seats)


def market(**overrides: Json) -> LemonadeMarket:
    return LEMONADE.configure(overrides)


def seated(seats: Seats, journal: Journal) -> dict[int, Policy]:
    return {
        number: kind.build(
            kind.resolve(parameters, Path()),
            SeatContext(world="w", seat=number, contestant=kind.id, store=journal.store(number)),
        )
        for number, (kind, parameters) in enumerate(seats, start=1)
    }


def journal_in(folder: Path, *, durable: bool = False, header: Mapping[str, Json] = HEADER) -> Journal:
    return open_journal(folder / "ref.r0.s1.n1" / JOURNAL, header, durable=durable)


async def play(
    folder: Path,
    seats: Seats = FREE,
    *,
    stop: Callable[[], bool] = lambda: False,
    told: list[tuple[int, tuple[int, ...]]] | None = None,
    **overrides: Any,
) -> tuple[Played, Street]:
    """Play lemonade in `folder` until it ends or `stop` says so; the journal is closed, not finished."""
    world = street(len(seats), **overrides)
    journal = journal_in(folder, durable=any(not kind.model_free for kind, _ in seats))
    try:
        played = await play_world(
            world,
            seated(seats, journal),
            journal,
            stop=stop,
            progress=lambda windows, scores: None if told is None else told.append((windows, tuple(scores))),
        )
    finally:
        journal.close()
    return played, world


def after(windows: int) -> Callable[[], bool]:
    """Return a stop that lets this many windows pass."""
    asked = iter(range(windows + 1))
    return lambda: next(asked) >= windows
