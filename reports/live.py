"""A run as it is at this moment, read from its files again and again without disturbing it.

Journals are opened for the length of a few queries and never written; a finished world is read once.
What cannot be read at an instant (a world just beginning or just ending) keeps its last picture. Windows
that are settled are accounted for once: each look costs what has happened since the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from agents.llm.accounting.usage import Account, account_of, totals
from agents.llm.window.grammar import record_fault
from lineups.values import WorldSpec
from tournament.errors import ArenaError
from tournament.journal.reader import JournalReader, has_begun, read_journal
from tournament.journal.rows import damaged
from tournament.journal.writer import JOURNAL
from tournament.records import Record
from tournament.rundir.layout import published_of, read_canonical, read_plan, world_folder
from tournament.rundir.lock import owner_of
from tournament.rundir.manifest import Manifest, read_manifest, world_file
from tournament.rundir.status import WorldStatus, dollar_caps, journal_status

USAGE: Final = "usage.parquet"
DECISIONS: Final = 16
NOBODY: Final = Account()


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRetry:
    """A seat that waits for its route to be asked again; `until` is Unix time, None where nobody said."""

    fault: str
    until: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSeat:
    """A seat: its Score so far, what it does in the open window, its route and account if a model fills it."""

    seat: int
    contestant: str
    route: str | None
    score_cents: int | None
    doing: str
    retry: LiveRetry | None
    account: Account | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveDecision:
    """A closed window of one seat; `words` is its rationale, or the reason why it is no sealed decision."""

    world: str
    window: int
    seat: int
    contestant: str
    state: str
    decision: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveWorld:
    """A world: where it stands, its seats, its latest decisions; `changed` orders worlds by activity."""

    status: WorldStatus
    seats: tuple[LiveSeat, ...]
    decisions: tuple[LiveDecision, ...]
    changed: float

    @property
    def spent(self) -> Account:
        return sum((seat.account or NOBODY for seat in self.seats), NOBODY)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """A run's worlds in order of play. Caps are those of the study file that the run was begun with.

    `currency` and `currency_sign` are those of Scores; what models cost is in US dollars always.
    """

    run: str
    study: str
    study_hash: str
    owner: str | None
    currency: str
    currency_sign: str
    usd: float | None
    usd_per_world: float | None
    worlds: tuple[LiveWorld, ...]

    @property
    def spent(self) -> Account:
        return sum((world.spent for world in self.worlds), NOBODY)

    @property
    def routes(self) -> Mapping[str, Account]:
        """What each route has done, by name."""
        found: dict[str, Account] = {}
        for seat in (seat for world in self.worlds for seat in world.seats):
            if seat.route is not None:
                found[seat.route] = found.setdefault(seat.route, NOBODY) + (seat.account or NOBODY)
        return dict(sorted(found.items()))

    @property
    def recent(self) -> list[LiveWorld]:
        """Worlds by activity: those in play first, the latest change first among them."""
        return sorted(self.worlds, key=lambda world: (world.status.state != "running", -world.changed))


@dataclass(slots=True)
class _Settled:
    """What a seat's settled windows have cost, read once: windows before `window` are in `account`."""

    window: int = 0
    account: Account = NOBODY


@dataclass(slots=True)
class Watcher:
    """Reads one run; keeps what cannot change any more."""

    run: Path
    _done: dict[str, LiveWorld] = field(default_factory=dict)
    _last: dict[str, LiveWorld] = field(default_factory=dict)
    _settled: dict[tuple[str, int], _Settled] = field(default_factory=dict)

    def look(self) -> LiveRun:
        """Return the run as it is now; raises InputError for a folder that is no run (any more)."""
        manifest = read_manifest(self.run)
        owner = owner_of(self.run)
        routes = _routes(self.run)
        usd, usd_per_world = dollar_caps(self.run)
        currency = published_of(self.run).currency
        return LiveRun(
            run=str(self.run),
            study=manifest.study,
            study_hash=manifest.study_hash,
            owner=owner,
            currency=currency.code,
            currency_sign=currency.sign,
            usd=usd,
            usd_per_world=usd_per_world,
            worlds=tuple(
                self._world(manifest, spec, routes, owned=owner is not None) for spec in read_plan(self.run)
            ),
        )

    def _world(
        self, manifest: Manifest, spec: WorldSpec, routes: Mapping[str, str | None], *, owned: bool
    ) -> LiveWorld:
        if spec.world in self._done:
            return self._done[spec.world]
        path = world_folder(self.run, spec.world) / JOURNAL
        if not has_begun(path):
            return _blank(manifest, spec, routes)
        try:
            with read_journal(path) as journal:
                found = self._read(manifest, spec, routes, journal, owned=owned)
        except ArenaError as fault:
            return self._unreadable(manifest, spec, routes, str(fault), owned=owned)
        self._last[spec.world] = found
        if found.status.state == "done":
            self._done[spec.world] = found
        return found

    def _unreadable(
        self,
        manifest: Manifest,
        spec: WorldSpec,
        routes: Mapping[str, str | None],
        reason: str,
        *,
        owned: bool,
    ) -> LiveWorld:
        """Return the last picture of a world that somebody plays now; else say what is wrong with it."""
        if spec.world in self._last:
            return self._last[spec.world]
        blank = _blank(manifest, spec, routes)
        status = replace(
            blank.status, state="running" if owned else "invalid", reason="" if owned else reason
        )
        return replace(blank, status=status)

    def _read(
        self,
        manifest: Manifest,
        spec: WorldSpec,
        routes: Mapping[str, str | None],
        journal: JournalReader,
        *,
        owned: bool,
    ) -> LiveWorld:
        status = journal_status(manifest, spec, journal, owned=owned)
        if status.state == "done":
            accounts = self._published(manifest, spec.world)
            open_records: Mapping[int, Sequence[Record]] = {}
        else:
            accounts, open_records = self._accounts(spec, routes, journal, status.windows)
        playing = status.state == "running" and status.windows < status.of
        doing = _doings(journal, status, open_records) if playing else {}
        seats = tuple(
            LiveSeat(
                seat=seat,
                contestant=name,
                route=routes[name],
                score_cents=status.scores_cents[seat - 1] if status.scores_cents else None,
                doing=doing.get(seat, ""),
                retry=_retry(open_records.get(seat, ())),
                account=None if routes[name] is None else accounts.get(seat, NOBODY),
            )
            for seat, name in enumerate(spec.seats, start=1)
        )
        return LiveWorld(
            status=status, seats=seats, decisions=_decisions(journal, spec), changed=_changed(journal.path)
        )

    def _published(self, manifest: Manifest, world: str) -> Mapping[int, Account]:
        """Return each seat's account out of a finished world's table of usage, if it has one."""
        name = world_file(world, USAGE)
        if name not in manifest.files:
            return {}
        from pyarrow import parquet  # noqa: PLC0415

        rows = parquet.read_table(self.run / name).to_pylist()
        return {seat: account for (seat,), account in totals(rows, "seat").items()}

    def _accounts(
        self, spec: WorldSpec, routes: Mapping[str, str | None], journal: JournalReader, window: int
    ) -> tuple[dict[int, Account], dict[int, Sequence[Record]]]:
        """Return each model seat's account, and its records of the window that is open."""
        accounts: dict[int, Account] = {}
        records: dict[int, Sequence[Record]] = {}
        for seat, name in enumerate(spec.seats, start=1):
            if routes[name] is None:
                continue
            settled = self._settled.setdefault((spec.world, seat), _Settled())
            while settled.window < window:
                settled.account += account_of(_records(journal, seat, settled.window))
                settled.window += 1
            records[seat] = _records(journal, seat, window)
            accounts[seat] = settled.account + account_of(records[seat])
        return accounts, records


def _records(journal: JournalReader, seat: int, window: int) -> Sequence[Record]:
    """Return a model seat's records of one window; raises DamageError where they cannot be so."""
    records = journal.events(seat, window)
    fault = record_fault(records, closed=False)
    if fault:
        raise damaged(journal.path, f"seat {seat}, window {window}, {fault}")
    return records


def _routes(run: Path) -> Mapping[str, str | None]:
    return {name: entry["route"] for name, entry in read_canonical(run)["contestants"].items()}


def _blank(manifest: Manifest, spec: WorldSpec, routes: Mapping[str, str | None]) -> LiveWorld:
    status = WorldStatus(
        world=spec.world,
        state="not_started",
        windows=0,
        of=manifest.scenario.windows,
        contestants=spec.seats,
        scores_cents=(),
        reason="",
    )
    seats = tuple(
        LiveSeat(
            seat=seat,
            contestant=name,
            route=routes[name],
            score_cents=None,
            doing="",
            retry=None,
            account=None if routes[name] is None else NOBODY,
        )
        for seat, name in enumerate(spec.seats, start=1)
    )
    return LiveWorld(status=status, seats=seats, decisions=(), changed=0.0)


def _doings(
    journal: JournalReader, status: WorldStatus, records: Mapping[int, Sequence[Record]]
) -> Mapping[int, str]:
    """Return what each seat does in the open window, as far as the journal tells."""
    chosen = dict(journal.query("SELECT seat, state FROM choices WHERE window = ?", (status.windows,)))
    last = status.windows - 1
    present = {seat for (seat,) in journal.query("SELECT seat FROM seals WHERE window = ?", (last,))}
    told: dict[int, str] = {}
    for seat in range(1, len(status.contestants) + 1):
        if seat in chosen:
            told[seat] = chosen[seat].replace("_", " ")
        elif last >= 0 and seat not in present:
            told[seat] = "out of business"
        elif records.get(seat):
            told[seat] = _doing(records[seat])
    return told


def _doing(records: Sequence[Record]) -> str:
    replies = sum(record.kind == "reply" for record in records)
    count = f"{replies} {'reply' if replies == 1 else 'replies'}"
    last = records[-1]
    if last.kind == "result":
        return f"{count}, {last.body['tool']}"
    words = {"attempt": "retrying", "intent": "asking", "open": "begins", "failed": "given up"}
    return f"{count}, {words[last.kind]}" if last.kind in words else count


def _retry(records: Sequence[Record]) -> LiveRetry | None:
    if not records or records[-1].kind != "attempt":
        return None
    body = records[-1].body
    return LiveRetry(fault=body["fault"], until=body["until"])


def _decisions(journal: JournalReader, spec: WorldSpec) -> tuple[LiveDecision, ...]:
    """Return the latest decisions, the latest window first; also those that wait for their settlement."""
    columns = "window, seat, state, decision_json, reason, rationale"
    rows: list[tuple[int, int, str, str, str, str]] = []
    for table in ("choices", "seals"):
        rows += journal.query(
            f"SELECT {columns} FROM {table} ORDER BY window DESC, seat LIMIT ?", (DECISIONS,)
        )
    return tuple(_told(spec, rows[:DECISIONS]))


def _told(spec: WorldSpec, rows: Iterable[tuple[int, int, str, str, str, str]]) -> Iterator[LiveDecision]:
    for window, seat, state, decision, reason, rationale in rows:
        yield LiveDecision(
            world=spec.world,
            window=window,
            seat=seat,
            contestant=spec.seats[seat - 1],
            state=state,
            decision=decision,
            words=reason or rationale,
        )


def _changed(path: Path) -> float:
    """Return when a journal or its log was written last; a file that has just gone says nothing."""
    times = [0.0]
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            times.append(file.stat().st_mtime)
        except OSError:
            continue
    return max(times)
