"""Hybrid worlds: recorded seals of several worlds of one draw played together, with no policy called.

They tell an entrant's direct effect from everybody's answer to it: rivals repeat what they sealed in one
world while the entrant's seat plays what was sealed in another. A hybrid is a world like any other: it
has a journal, its hash stands in the manifest, and verification replays it, against its sources too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from lineups.pairs import MatchedPair, matched_pairs
from lineups.plan_file import spec_from_json
from lineups.values import Draw, WorldSpec
from tournament.errors import DamageError
from tournament.journal.reader import read_journal
from tournament.journal.rows import to_text
from tournament.journal.writer import JOURNAL, open_journal
from tournament.playing.play import close_window
from tournament.playing.pool import map_processes
from tournament.ports import Market, World
from tournament.records import Choice, Json, Seal
from tournament.registry import scenario_of
from tournament.rundir.layout import world_folder
from tournament.rundir.lock import WORKERS
from tournament.rundir.manifest import Manifest
from tournament.storage import sha256_of

HYBRIDS: Final = "hybrids"
PLAN: Final = "hybrids/plan.jsonl"
ORDERS: Final = ("forward", "reverse", "noise")
UNSEALED: Final = "no seal was recorded for this window"
PARALLEL_FROM: Final = 6

Key = tuple[int, int]  # window, seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """Which world's seals each seat repeats.

    `spec` names the hybrid and its contestants by seat; `sources` the world whose seals a seat plays;
    `control` and `treated` the matched pair it belongs to; `noise_repeat` is 0 but for the noise floor.
    """

    spec: WorldSpec
    order: str
    control: str
    treated: str
    sources: tuple[str, ...]
    noise_repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedHybrid:
    """A hybrid's outcomes by seat, its windows by how they ended, and its journal's hash."""

    hybrid: Hybrid
    outcomes: tuple[Mapping[str, int | None], ...]
    refused: tuple[int, ...]
    unsealed: tuple[int, ...]
    windows: tuple[int, ...]
    journal_sha256: str


def hybrids_of(worlds: Sequence[WorldSpec], finished: Iterable[str]) -> tuple[Hybrid, ...]:
    """Return the hybrids of every matched pair whose worlds are both finished.

    Forward: rivals as in the reference world, the entrant's seat as in the replacement. Reverse: the other
    way round. Noise: the reference world with the rivals' seals of another repeat of it, where there is one.
    """
    done = set(finished)
    here = tuple(spec for spec in worlds if spec.world in done)
    controls = {spec.draw: spec for spec in here if spec.reference is None}
    found: list[Hybrid] = []
    for pair in matched_pairs(here):
        control, treated = pair.control, pair.treated
        found.append(_hybrid(pair, "forward", rivals=control, own=treated))
        found.append(_hybrid(pair, "reverse", rivals=treated, own=control))
        other = _another_repeat(control, controls)
        if other is not None:
            found.append(_hybrid(pair, "noise", rivals=other, own=control, noise_repeat=other.repeat))
    return tuple(found)


def _another_repeat(spec: WorldSpec, controls: Mapping[Draw, WorldSpec]) -> WorldSpec | None:
    """Return the reference world of the next repeat, round and round."""
    same = [
        other for other in controls.values() if (other.rotation, other.seed) == (spec.rotation, spec.seed)
    ]
    repeats = sorted(other.repeat for other in same)
    if len(repeats) < 2:
        return None
    following = repeats[(repeats.index(spec.repeat) + 1) % len(repeats)]
    return controls[replace(spec.draw, repeat=following)]


def _hybrid(
    pair: MatchedPair[WorldSpec], order: str, *, rivals: WorldSpec, own: WorldSpec, noise_repeat: int = 0
) -> Hybrid:
    """Seat the replaced contestants as in `own`, everybody else as in `rivals`."""
    control, treated = pair.control, pair.treated
    sources = [own if index in pair.replaced else rivals for index in range(len(control.seats))]
    spec = replace(
        treated,
        world=f"{treated.world}.{order}",
        lineup=f"{treated.lineup}.{order}",
        seats=tuple(source.seats[index] for index, source in enumerate(sources)),
    )
    return Hybrid(
        spec=spec,
        order=order,
        control=control.world,
        treated=treated.world,
        sources=tuple(source.world for source in sources),
        noise_repeat=noise_repeat,
    )


def play_hybrids(
    run: Path, manifest: Manifest, overrides: Mapping[str, Json], hybrids: Sequence[Hybrid], jobs: int
) -> list[PlayedHybrid]:
    """Play every hybrid into its journal under the run; one that is published already is read instead."""
    play = partial(play_hybrid, run, manifest, overrides)
    if jobs < 2 or len(hybrids) < PARALLEL_FROM:
        return [play(hybrid) for hybrid in hybrids]
    return map_processes(play, hybrids, jobs, run / WORKERS)


def play_hybrid(run: Path, manifest: Manifest, overrides: Mapping[str, Json], hybrid: Hybrid) -> PlayedHybrid:
    """Play one hybrid from its sources' seals; no policy is built or asked."""
    path = hybrid_folder(run, hybrid.spec.world) / JOURNAL
    if hybrid_file(hybrid.spec.world) not in manifest.files or not path.exists():
        shutil.rmtree(path.parent, ignore_errors=True)  # what an interrupted call left, its log included
        market = scenario_of(manifest.scenario.market, to_text(dict(overrides)))
        _record(path, market, header(manifest, overrides, hybrid), hybrid, source_seals(run, hybrid))
    return played_of(run, hybrid)


def header(manifest: Manifest, overrides: Mapping[str, Json], hybrid: Hybrid) -> dict[str, Json]:
    """Return what the hybrid's journal is bound to: a world's header, with sources for policies."""
    spec = hybrid.spec
    return {
        "world": spec.world,
        "market": manifest.scenario.market,
        "overrides": dict(overrides),
        "scenario": manifest.scenario.id,
        "seed": spec.seed,
        "repeat": spec.repeat,
        "contestants": list(spec.seats),
        "policies": [f"seals of {world}" for world in hybrid.sources],
    }


def source_seals(run: Path, hybrid: Hybrid) -> dict[Key, Seal]:
    """Return the seals to repeat, by window and seat."""
    wanted: dict[str, set[int]] = {}
    for seat, world in enumerate(hybrid.sources, start=1):
        wanted.setdefault(world, set()).add(seat)
    found: dict[Key, Seal] = {}
    for world, seats in wanted.items():
        with read_journal(world_folder(run, world) / JOURNAL) as journal:
            found |= {(item.window, item.seat): item for item in journal.seals() if item.seat in seats}
    return found


def _record(
    path: Path, market: Market, bound: Mapping[str, Json], hybrid: Hybrid, seals: Mapping[Key, Seal]
) -> None:
    journal = open_journal(path, bound, durable=False)
    try:
        world = market.open(hybrid.spec.seed, len(hybrid.spec.seats))
        while world.window < world.windows:
            closed = close_window(world, _choices(world, seals))
            journal.close_window(closed, world.outcomes() if world.window == world.windows else None)
        journal.finish()
    finally:
        journal.close()


def _choices(world: World, seals: Mapping[Key, Seal]) -> dict[int, Choice]:
    """Return each active seat's recorded decision; a seat that had left in its source changes nothing."""
    choices = {}
    for seat in world.active():
        recorded = seals.get((world.window, seat))
        if recorded is None:
            choices[seat] = Choice(
                decision=world.desk(seat).null(), state="budget_exhausted", reason=UNSEALED
            )
        else:
            exhausted = recorded.state == "budget_exhausted"
            choices[seat] = Choice(
                decision=recorded.decision,
                state="budget_exhausted" if exhausted else "sealed",
                reason=recorded.reason if exhausted else "",
            )
    return choices


def played_of(run: Path, hybrid: Hybrid) -> PlayedHybrid:
    """Return a played hybrid as its journal keeps it."""
    path = hybrid_folder(run, hybrid.spec.world) / JOURNAL
    seats = range(1, len(hybrid.spec.seats) + 1)
    with read_journal(path) as journal:
        seals = journal.seals()
        outcomes = journal.outcomes()
    return PlayedHybrid(
        hybrid=hybrid,
        outcomes=outcomes,
        refused=tuple(sum(item.seat == seat and item.state == "refused" for item in seals) for seat in seats),
        unsealed=tuple(
            sum(item.seat == seat and item.reason == UNSEALED for item in seals) for seat in seats
        ),
        windows=tuple(sum(item.seat == seat for item in seals) for seat in seats),
        journal_sha256=sha256_of(path),
    )


def hybrid_folder(run: Path, world: str) -> Path:
    return run / HYBRIDS / world


def hybrid_file(world: str) -> str:
    """Return a hybrid's journal as the manifest names it."""
    return f"{HYBRIDS}/{world}/{JOURNAL}"


def plan_text(hybrids: Iterable[Hybrid]) -> str:
    """Return hybrids as JSON lines, for verification on another machine."""
    return "".join(json.dumps(asdict(hybrid), ensure_ascii=False) + "\n" for hybrid in hybrids)


def read_hybrids(run: Path) -> tuple[Hybrid, ...]:
    """Return the hybrids that a run holds, none if it was never decomposed."""
    path = run / PLAN
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return tuple(_restored(json.loads(line)) for line in lines)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, KeyError) as fault:
        raise DamageError(f"{path} is damaged: {fault}") from None


def _restored(line: dict[str, Json]) -> Hybrid:
    return Hybrid(**{**line, "spec": spec_from_json(line["spec"]), "sources": tuple(line["sources"])})


def source_faults(run: Path, hybrid: Hybrid) -> Iterator[str]:
    """Yield where a hybrid's journal does not repeat its sources' seals."""
    seals = source_seals(run, hybrid)
    with read_journal(hybrid_folder(run, hybrid.spec.world) / JOURNAL) as journal:
        for item in journal.seals():
            source = seals.get((item.window, item.seat))
            repeats = item.reason == UNSEALED if source is None else item.decision == source.decision
            if not repeats:
                yield f"window {item.window}, seat {item.seat}: not what {hybrid.sources[item.seat - 1]} sealed"
                return
