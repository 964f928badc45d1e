"""How a plan is shown: who plays how often, and what it takes at most in time, tokens and dollars.

What keeps a bound from being known is said with what would make it known; a cap of the study is a bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tournament.cli.output import columns, duration

if TYPE_CHECKING:
    from agents.routes.entry import RouteEntry
    from tournament.study.file import Study
    from tournament.study.plan import Plan


def plan_text(planned: Plan, selected: list[str], notes: Iterable[str]) -> str:
    """Return a plan as lines for people."""
    study = planned.study
    rows = [("contestant", "policy", "worlds", "seats")]
    for row in planned.attendance:
        seats = ", ".join(
            f"{seat}" if count == row.worlds else f"{seat} ({count})" for seat, count in row.seats.items()
        )
        rows.append((row.contestant, study.contestants[row.contestant].kind.id, str(row.worlds), seats))
    lineups = dict.fromkeys(spec.lineup for spec in planned.worlds)
    seeds = ", ".join(str(seed) for seed in study.design.seeds)
    length = f"{study.market.days} {study.market.published.time.plural}, {study.market.windows} windows"
    lines = [
        f"study {study.id} ({study.hash[:8]}), market {study.market.scenario}, run directory runs/{study.directory}",
        f"{len(planned.worlds)} worlds = {len(lineups)} lineups; seeds {seeds}; {length},"
        f" {len(study.design.lineup)} seats",
    ]
    if len(selected) < len(planned.worlds):
        lines.append(
            f"{len(selected)} of them selected: {', '.join(selected[:3])}{' …' if len(selected) > 3 else ''}"
        )
    lines += ["", columns(rows, right=(2,)), "", "lineups: " + ", ".join(lineups), _cost_text(planned)]
    return "\n".join([*lines, *(f"note: {note}" for note in notes)])


def route_notes(planned: Plan) -> list[str]:
    """Return what keeps dollars unbounded, by route, and whether a cap would be wise."""
    entries = _entries(planned)
    if not entries:
        return []
    from agents.routes.adapter.library import litellm
    from agents.routes.price import context_of, tariff_of

    tariffs = {entry.id: tariff_of(entry, litellm) for entry in entries}
    unpriced = [entry.id for entry in entries if tariffs[entry.id] is None]
    endless = [
        entry.id for entry in entries if entry.id not in unpriced and context_of(entry, litellm) is None
    ]
    paid = [
        entry.id
        for entry in entries
        if (tariff := tariffs[entry.id]) is None
        or tariff(prompt=1000, cached=0, generated=1000, reasoning=0) > 0
    ]
    notes = []
    if unpriced:
        notes.append(f"no price is known of {_named(unpriced)}: give price in its entry")
    if endless:
        notes.append(
            f"nothing bounds the prompts of {_named(endless)}: give limits.context_tokens in its entry"
        )
    if paid and planned.study.limits.usd is None:
        notes.append(f"{_named(paid)} costs money and no limits.usd is set: a cap for the study is advised")
    return notes


def _named(routes: list[str]) -> str:
    return f"{'route' if len(routes) == 1 else 'each of the routes'} {', '.join(routes)}"


def _entries(planned: Plan) -> list[RouteEntry]:
    """Return the routes of who plays, in the study's order."""
    from agents.routes.build import parse_entries

    study: Study = planned.study
    used = {study.contestants[row.contestant].route for row in planned.attendance}
    return [entry for name, entry in parse_entries(study.routes).items() if name in used]


def _cost_text(planned: Plan) -> str:
    cost = planned.cost
    if all(planned.study.contestants[row.contestant].kind.model_free for row in planned.attendance):
        time = "time unknown" if cost.seconds is None else f"about {duration(cost.seconds)}"
        return f"cost: {time}, no model calls"
    time = "time unbounded" if cost.seconds is None else f"at most {duration(cost.seconds)} of active time"
    tokens = "tokens unbounded" if cost.tokens is None else f"at most {cost.tokens:,} generated tokens"
    return f"cost: {time}, {tokens}, {_dollars(planned)}"


def _dollars(planned: Plan) -> str:
    """Return the least of what windows can cost and what the study's caps allow."""
    limit = planned.cost.limit
    if limit is None:
        return "dollars unbounded"
    usd = f"${limit.usd:,.2f}" if limit.usd < 1000 else f"${limit.usd:,.0f}"
    return f"at most {usd.removesuffix('.00')}" + (f" ({limit.reason})" if limit.reason else "")
