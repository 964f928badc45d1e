"""What may be set against what: runs by scenario and harness, estimates by who sat where on which draws.

Runs are comparable when they played the same scenario under the same sources with as many seats. An
estimate is like for like when its subject had the same seat, rivals, reference policy and draws in both
runs. The subject itself may differ: then the difference tells one entrant from another in one place.
Contestants are who their identities say they are, whatever a study calls them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.compare_runs import Draw, RunSide
from tournament.rundir.environment import differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Two subjects set side by side; `why` is empty where they are like for like.

    A subject is a contestant of the lineup, several joined with `+`, or a reference policy; `note` says what
    differs all the same.
    """

    base: str
    run: str
    why: str
    note: str


def obstacles(base: RunSide, run: RunSide, *, across_sources: bool) -> list[str]:
    """Return why two runs cannot be set side by side at all; empty where they can."""
    found = []
    ours, theirs = base.manifest.scenario, run.manifest.scenario
    if ours.sha256 != theirs.sha256:
        names = f"{ours.id} / {theirs.id}" if ours.id != theirs.id else f"{ours.id} with different parameters"
        found.append(f"scenario: {names}")
    if len(base.lineup) != len(run.lineup):
        found.append(f"seats: {len(base.lineup)} / {len(run.lineup)}")
    if not across_sources:
        found += [f"sources of {line}" for line in source_differences(base, run)]
    return found


def source_differences(base: RunSide, run: RunSide) -> list[str]:
    """Return the packages of both runs whose sources differ; a plug-in of one alone concerns its contestants."""
    shared = base.manifest.sources.keys() & run.manifest.sources.keys()
    return [
        f"{name}: {base.manifest.sources[name][:12]} / {run.manifest.sources[name][:12]}"
        for name in sorted(shared)
        if base.manifest.sources[name] != run.manifest.sources[name]
    ]


def surroundings(base: RunSide, run: RunSide) -> list[str]:
    """Return how platforms and libraries of two runs differ: byte identity holds for one of each alone."""
    mine, other = base.manifest, run.manifest
    lines = [*differences(mine.platform, other.platform), *differences(mine.versions, other.versions)]
    return [line.replace(" recorded, ", " / ").removesuffix(" here") for line in lines]


def reference_pairs(base: RunSide, run: RunSide) -> list[tuple[str, str]]:
    """Return the reference policies that both runs have, by identity, under each run's name for it."""
    theirs = {run.identity[name]: name for name in run.references}
    pairs = [(name, theirs.get(base.identity[name])) for name in base.references]
    return [(name, other) for name, other in pairs if other is not None]


def operating_matches(base: RunSide, run: RunSide, references: tuple[str, str]) -> list[Match]:
    """Match the contestants of the lineups, and the reference policy with itself."""
    worlds = _coverage_gap(base, run, references)
    singles = _matches(base, run, base.lineup, run.lineup)
    matches = [_with(match, worlds) for match in singles]
    company = _company(base, run, (), ())
    return [*matches, Match(base=references[0], run=references[1], why=worlds or company, note="")]


def effect_matches(base: RunSide, run: RunSide, references: tuple[str, str]) -> list[Match]:
    """Match the entrants that the reference policy replaces in both runs, over all their draws."""
    return [
        _with(match, _draw_gap(draws(base, match.base, references[0]), draws(run, match.run, references[1])))
        for match in draw_matches(base, run, references)
    ]


def draw_matches(base: RunSide, run: RunSide, references: tuple[str, str]) -> list[Match]:
    """Match entrants draw by draw: what other draws a run has does not matter."""
    return _matches(base, run, entrants(base, references[0]), entrants(run, references[1]))


def draws(side: RunSide, entrant: str, reference: str) -> frozenset[Draw]:
    """Return the draws on which an entrant's matched pair is finished."""
    return frozenset(
        (int(row["rotation"]), int(row["seed"]), int(row["repeat"]))
        for row in side.tables["private"]
        if (row["entrant"], row["reference"]) == (entrant, reference)
    )


def entrants(side: RunSide, reference: str) -> list[str]:
    """Return whom a reference policy replaces in the run's tables, in their order."""
    rows = [row for row in side.tables["private_summary"] if row["reference"] == reference]
    return list(dict.fromkeys(row["entrant"] for row in rows))


def _matches(base: RunSide, run: RunSide, ours: Sequence[str], theirs: Sequence[str]) -> list[Match]:
    """Pair subjects: the same contestant in the same seat first, then wherever it sits, then by seat."""
    left, open_ones = list(theirs), list(ours)
    found: dict[str, str] = {}
    for same in (_same_both, _same_identity, _same_seats):
        for name in list(open_ones):
            other = next((other for other in left if same(base, run, name, other)), None)
            if other is not None:
                found[name] = other
                left.remove(other)
                open_ones.remove(name)
    return [_match(base, run, name, found[name]) for name in ours if name in found]


def _same_identity(base: RunSide, run: RunSide, name: str, other: str) -> bool:
    mine, its = base.identities(base.seats(name)), run.identities(run.seats(other))
    return sorted(mine) == sorted(its)


def _same_seats(base: RunSide, run: RunSide, name: str, other: str) -> bool:
    return base.seats(name) == run.seats(other)


def _same_both(base: RunSide, run: RunSide, name: str, other: str) -> bool:
    return _same_identity(base, run, name, other) and _same_seats(base, run, name, other)


def _match(base: RunSide, run: RunSide, name: str, other: str) -> Match:
    seats, others = base.seats(name), run.seats(other)
    if seats != others:
        return Match(base=name, run=other, why=f"seat {_list(seats)} / {_list(others)}", note="")
    mine, its = base.identities(seats), run.identities(seats)
    note = "" if mine == its else f"another entrant in this place: {'+'.join(mine)} / {'+'.join(its)}"
    return Match(base=name, run=other, why=_company(base, run, seats, seats), note=note)


def _company(base: RunSide, run: RunSide, mine: Sequence[int], its: Sequence[int]) -> str:
    """Return how the others of two lineups differ, by seat."""
    changed = [
        f"{_named(base, seat)} / {_named(run, seat)} in seat {seat}"
        for seat in range(1, len(base.lineup) + 1)
        if seat not in mine and seat not in its and base.identities((seat,)) != run.identities((seat,))
    ]
    return f"rivals differ: {', '.join(changed)}" if changed else ""


def _named(side: RunSide, seat: int) -> str:
    name = side.lineup[seat - 1]
    return f"{name} ({side.identity[name]})"


def _coverage_gap(base: RunSide, run: RunSide, references: tuple[str, str]) -> str:
    mine = base.coverage(references[0], finished=True)
    its = run.coverage(references[1], finished=True)
    if mine == its:
        return ""
    return _draw_gap(frozenset(draw for _, draw in mine), frozenset(draw for _, draw in its)) or (
        f"worlds differ: {len(mine)} / {len(its)} finished in this set"
    )


def _draw_gap(mine: frozenset[Draw], its: frozenset[Draw]) -> str:
    if mine == its:
        return ""
    return f"draws differ: {_draws(mine)} / {_draws(its)}"


def _draws(found: frozenset[Draw]) -> str:
    if not found:
        return "none"
    seeds = sorted({seed for _, seed, _ in found})
    several = "" if len(found) == len(seeds) else f" ({len(found)} draws)"
    return f"seed {_list(seeds)}{several}"


def _list(numbers: Sequence[int]) -> str:
    return "+".join(map(str, numbers)) if len(numbers) < 4 else f"{numbers[0]}..{numbers[-1]}"


def _with(match: Match, why: str) -> Match:
    reasons = "; ".join(reason for reason in (match.why, why) if reason)
    return Match(base=match.base, run=match.run, why=reasons, note=match.note)
