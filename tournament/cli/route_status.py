"""What each provider route has done in a run, read from usage tables and journals without disturbing it.

Finished worlds have a usage table; of the others every event is read. A count that a provider did not
give is not zero here either: replies of unknown usage and of unknown price are told beside the sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.llm.accounts import Account
from agents.llm.reliability import totals, usage_columns
from tournament.errors import DamageError
from tournament.journal import JOURNAL
from tournament.journal_reader import JournalReader, read_journal
from tournament.rundir import read_canonical

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


def route_status(run: Path) -> tuple[RouteStatus, ...]:
    """Return the routes that have been asked, by name; empty for a run without models."""
    routes = _routes(run)
    if not routes:
        return ()
    rows: list[Mapping[str, Any]] = []
    retries: dict[str, list[Retry]] = {}
    for path in sorted((run / "worlds").glob(f"*/{JOURNAL}")):
        table = path.with_name(USAGE)
        if table.exists():
            rows += _table(table)
            continue
        try:
            with read_journal(path) as reader:
                rows += _live(reader, path.parent.name, routes, retries)
        except DamageError:
            continue  # told by the world's own status
    return tuple(
        RouteStatus(route=route, account=account, retrying=tuple(retries.get(route, ())))
        for (route,), account in sorted(totals(rows, "route").items())
    )


def _routes(run: Path) -> Mapping[str, str]:
    """Return the route of each contestant that has one."""
    contestants = read_canonical(run)["contestants"]
    return {name: entry["route"] for name, entry in contestants.items() if entry["route"] is not None}


def _table(path: Path) -> Sequence[Mapping[str, Any]]:
    from pyarrow import parquet

    rows: list[Mapping[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def _live(
    reader: JournalReader, world: str, routes: Mapping[str, str], retries: dict[str, list[Retry]]
) -> Iterator[Mapping[str, Any]]:
    contestants = reader.header["contestants"]
    windows = reader.query("SELECT DISTINCT seat, window FROM events ORDER BY seat, window")
    for seat, window in windows:
        if contestants[seat - 1] not in routes:
            continue
        route = routes[contestants[seat - 1]]
        records = reader.events(seat, window)
        yield usage_columns(route, records)
        last = records[-1]
        if last.kind == "attempt":
            retry = Retry(world=world, seat=seat, fault=last.body["fault"], until=last.body["until"])
            retries.setdefault(route, []).append(retry)
