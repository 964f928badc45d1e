"""What a study will take before anything runs: worlds, balance, time, tokens and dollars.

Time is an estimate for one machine; tokens and dollars of model contestants are upper bounds from
their window budgets and their routes' prices. What cannot be bounded is None, and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from lineups.balance import Attendance, attendance
from lineups.values import WorldSpec
from tournament.records import Json
from tournament.study.file import Contestant, Study

# Core seconds of one seat's window in a world without models, journal included, and of starting workers.
SECONDS_PER_WINDOW = 0.0006
STARTING_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowBound:
    """The most that one decision window of one contestant can take; None where nothing bounds it."""

    tokens: int | None
    usd: float | None
    seconds: float | None


Bounds = Callable[[Contestant], WindowBound | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DollarLimit:
    """The most dollars that a study can take; `reason` names the cap of the study that says so, if one does."""

    usd: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of a whole study. `seconds` is None with model contestants whose windows nothing bounds in time.

    `usd` bounds what windows can cost, `limit` that and the study's own caps.
    """

    seconds: float | None
    tokens: int | None
    usd: float | None
    limit: DollarLimit | None
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A study's worlds in the order of play, who sits how often where, and the cost of it all."""

    study: Study
    worlds: tuple[WorldSpec, ...]
    attendance: tuple[Attendance, ...]
    cost: Cost


def plan_study(study: Study, *, jobs: int, live_worlds: int, bounds: Bounds | None = None) -> Plan:
    """Return the plan of a study.

    `jobs` worker processes play the worlds without models; `live_worlds` with models run at once
    unless the study's limits say otherwise; `bounds` speaks for model contestants.
    """
    worlds = study.worlds()
    return Plan(
        study=study,
        worlds=worlds,
        attendance=attendance(worlds),
        cost=_cost(study, worlds, jobs, live_worlds, bounds),
    )


def plan_facts(plan: Plan) -> dict[str, Json]:
    """Return the plan as JSON: what the `plan` command prints."""
    study = plan.study
    names = Counter(spec.lineup for spec in plan.worlds)
    return {
        "study": study.id,
        "hash": study.hash,
        "directory": study.directory,
        "scenario": study.market.scenario,
        "days": study.market.days,
        "windows": study.market.windows,
        "seats": len(study.design.lineup),
        "seeds": list(study.design.seeds),
        "repeats": {str(seed): count for seed, count in study.design.repeats.items()},
        "rotations": list(study.design.rotations),
        "lineups": [{"lineup": lineup, "worlds": count} for lineup, count in names.items()],
        "worlds": len(plan.worlds),
        "contestants": [_contestant_facts(study, row) for row in plan.attendance],
        "cost": asdict(plan.cost) | {"unknown": list(plan.cost.unknown)},
        "notes": _notes(plan),
    }


def _contestant_facts(study: Study, row: Attendance) -> Mapping[str, Json]:
    contestant = study.contestants[row.contestant]
    return {
        "contestant": row.contestant,
        "policy": contestant.kind.id,
        "identity": contestant.identity,
        "model_free": contestant.kind.model_free,
        "worlds": row.worlds,
        "seats": {str(seat): count for seat, count in row.seats.items()},
    }


def _notes(plan: Plan) -> list[str]:
    entrants = [row for row in plan.attendance if row.contestant in plan.study.design.lineup]
    notes = []
    if entrants and all(row.seat_bound for row in entrants):
        notes.append("every entrant keeps one seat: seat and entrant are one effect (rotations part them)")
    elif not all(row.even for row in entrants):
        notes.append("entrants sit unequally often in their seats")
    notes += [f"nothing bounds the cost of {contestant}" for contestant in plan.cost.unknown]
    return notes


def _cost(
    study: Study, worlds: Sequence[WorldSpec], jobs: int, live_worlds: int, bounds: Bounds | None
) -> Cost:
    windows = study.market.windows
    seated = Counter(contestant for spec in worlds for contestant in spec.seats)
    models = _bounds(study, seated, bounds)
    local = [spec for spec in worlds if not models.keys() & set(spec.seats)]
    live = len(worlds) - len(local)
    working = sum(len(spec.seats) for spec in local) * windows * SECONDS_PER_WINDOW
    seconds: list[float | None] = [STARTING_SECONDS + working / max(1, min(jobs, len(local)))]
    if live:
        waves = -(-live // (study.limits.worlds or live_worlds))
        longest = [bound.seconds if bound else None for bound in models.values()]
        slowest = None if None in longest else max(filter(None, longest), default=0.0)
        seconds.append(_times(slowest, waves * windows))
    tokens = [
        _times(bound.tokens if bound else None, seated[name] * windows) for name, bound in models.items()
    ]
    usd = [_times(bound.usd if bound else None, seated[name] * windows) for name, bound in models.items()]
    total, dollars = _sum(tokens), _sum(usd)
    return Cost(
        seconds=_sum(seconds),
        tokens=None if total is None else round(total),
        usd=dollars,
        limit=_limit(study, dollars, live),
        unknown=tuple(
            name for name, bound in models.items() if bound is None or None in asdict(bound).values()
        ),
    )


def _limit(study: Study, usd: float | None, live: int) -> DollarLimit | None:
    """Return the least of the bound on all windows and the study's caps; `live` worlds have models."""
    caps = study.limits
    known = [
        DollarLimit(usd=amount, reason=reason)
        for amount, reason in (
            (usd, ""),
            (caps.usd, "limits.usd"),
            (_times(caps.usd_per_world, live), f"limits.usd_per_world in {live} worlds"),
        )
        if amount is not None
    ]
    return min(known, key=lambda limit: limit.usd, default=None) if live else DollarLimit(usd=0.0, reason="")


def _bounds(study: Study, seated: Mapping[str, int], bounds: Bounds | None) -> dict[str, WindowBound | None]:
    """Model contestants and what bounds a window of each."""
    models = [name for name in seated if not study.contestants[name].kind.model_free]
    return {name: bounds(study.contestants[name]) if bounds else None for name in models}


def _times(amount: float | None, count: int) -> float | None:
    return None if amount is None else amount * count


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known, 0.0) if len(known) == len(parts) else None
