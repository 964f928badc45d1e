"""What each provider route has done in a run, read from usage tables and journals without disturbing it.

Finished worlds have a usage table; of the others every event is read. A count that a provider did not
give is not zero here either: replies of unknown usage and of unknown price are told beside the sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.llm.accounting.usage import Account, totals, usage_columns
from lineups.values import WorldSpec
from tournament.errors import DamageError
from tournament.journal.conversations import checked_conversations, policies_of
from tournament.journal.reader import JournalReader, read_journal
from tournament.journal.writer import JOURNAL
from tournament.rundir.layout import read_canonical, read_plan, world_folder

USAGE = "usage.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A seat that waits for its route now; `until` is Unix time, None where the route did not say."""

    world: str
    seat: int
    fault: str
    until: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteStatus:
    """One route over all worlds of a run so far."""

    route: str
    account: Account
    retrying: tuple[Retry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What the models of a run have done so far, by route and by world; worlds that are invalid are left out."""

    routes: tuple[RouteStatus, ...]
    worlds: Mapping[str, Account]

    @property
    def counted(self) -> float:
        """Dollars that a cap of the study counts."""
        return sum(account.spent_usd for account in self.worlds.values())

    @property
    def max_world_cost(self) -> float:
        """Dollars that a cap of a world counts in the dearest one."""
        return max((account.spent_usd for account in self.worlds.values()), default=0.0)


def spending(run: Path) -> Spending:
    """Return what the models of a run have done so far; empty for a run without models."""
    canonical = read_canonical(run)
    if not _routes(canonical):
        return Spending(routes=(), worlds={})
    rows: list[Mapping[str, Any]] = []
    retries: dict[str, list[Retry]] = {}
    for spec in read_plan(run):
        path = world_folder(run, spec.world) / JOURNAL
        table = path.with_name(USAGE)
        if table.exists():
            rows += _table(table)
        if table.exists() or not path.exists():
            continue
        try:
            with read_journal(path) as reader:
                rows += _live(reader, canonical, spec, retries)
        except DamageError:
            continue  # told by the world's own status
    routes = tuple(
        RouteStatus(route=route, account=account, retrying=tuple(retries.get(route, ())))
        for (route,), account in sorted(totals(rows, "route").items())
    )
    worlds = {world: account for (world,), account in totals(rows, "world").items()}
    return Spending(routes=routes, worlds=worlds)


def _routes(canonical: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the route of each contestant that has one."""
    contestants = canonical["contestants"]
    return {name: entry["route"] for name, entry in contestants.items() if entry["route"] is not None}


def _table(path: Path) -> Sequence[Mapping[str, Any]]:
    from pyarrow import parquet

    rows: list[Mapping[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def _live(
    reader: JournalReader, canonical: Mapping[str, Any], spec: WorldSpec, retries: dict[str, list[Retry]]
) -> list[Mapping[str, Any]]:
    """Return a row a window of what an unfinished world's journal tells; raises DamageError."""
    routes = _routes(canonical)
    rows: list[Mapping[str, Any]] = []
    for seat, _, records in checked_conversations(reader, policies_of(canonical, spec.seats)):
        if spec.seats[seat - 1] not in routes:
            continue
        route = routes[spec.seats[seat - 1]]
        rows.append({"world": spec.world, **usage_columns(route, records)})
        last = records[-1]
        if last.kind == "attempt":
            retry = Retry(world=spec.world, seat=seat, fault=last.body["fault"], until=last.body["until"])
            retries.setdefault(route, []).append(retry)
    return rows
