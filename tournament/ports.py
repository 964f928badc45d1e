"""The seams as small Protocols: Market, World, Desk, Policy, PolicyKind, SeatStore.

The play loop never reads a payload; the market never learns a policy's name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel

from tournament.published import Published
from tournament.records import (
    Attempt,
    Choice,
    Decision,
    Decisions,
    Json,
    MarketTool,
    ModelReply,
    ModelRequest,
    Record,
    SeatContext,
    Settlement,
    Table,
    WorldTables,
)


class Desk(Protocol):
    """All that one seat may touch: own and public facts, and checks that change nothing."""

    @property
    def market_id(self) -> str: ...

    @property
    def seat(self) -> int:
        """Seat, from 1."""
        ...

    @property
    def version(self) -> int:
        """Days completed."""
        ...

    @property
    def window(self) -> int:
        """Window to decide, from 0."""
        ...

    def facts(self) -> Mapping[str, Json]:
        """Return the observation as JSON values: what a rule policy decides on."""
        ...

    def check(self, decision: Json) -> str | None:
        """Return why the decision would be refused whole, or None; pure."""
        ...

    def null(self) -> Decision:
        """Return the decision that changes nothing."""
        ...

    def preview(self, decision: Decision) -> Mapping[str, Json]:
        """Return one-off commitments, daily cost, funds after and warnings of a draft; pure."""
        ...

    def tools(self) -> Sequence[MarketTool]:
        """Return the market's actions and questions as typed tools."""
        ...

    def tables(self) -> Sequence[Table]:
        """Return the schema of the seat's company database."""
        ...

    def rows(self, table: str, after: int = 0) -> Iterable[tuple[Any, ...]]:
        """Yield one table's rows in the order of its columns.

        Of a table that grows, the rows that this seat's desk at version `after` (days) did not have.
        """
        ...

    def guide(self) -> str:
        """Return the market's rules in words, for a system prompt: the same for every seat and day."""
        ...

    def brief(self) -> str:
        """Return the factual briefing of this window, for the user message."""
        ...


class World(Protocol):
    """One market being played: windows in order, one desk a seat."""

    @property
    def windows(self) -> int:
        """Decision windows in the whole world."""
        ...

    @property
    def window(self) -> int:
        """Windows settled so far: also the index of the next one."""
        ...

    @property
    def version(self) -> int:
        """Days completed."""
        ...

    def active(self) -> tuple[int, ...]:
        """Seats that still decide, in order."""
        ...

    def desk(self, seat: int) -> Desk: ...

    def settle(self, decisions: Decisions) -> Settlement:
        """Apply one decision a seat (None: nothing to apply) in seat order and play the window's days."""
        ...

    def scores(self) -> tuple[int, ...]:
        """Score of each seat, in cents, as it would be if the world ended now."""
        ...

    def outcomes(self) -> tuple[Mapping[str, int | None], ...]:
        """Return each seat's metrics of a finished world, keyed by outcome column."""
        ...

    def tables(self) -> WorldTables: ...


class Market(Protocol):
    """A scenario: rules with all parameters fixed."""

    @property
    def id(self) -> str:
        """Registered name, such as `ceo_arena@1`."""
        ...

    @property
    def scenario(self) -> str:
        """Name of the parameter set: the id, or with overrides the id and their hash."""
        ...

    @property
    def days(self) -> int: ...

    @property
    def windows(self) -> int: ...

    @property
    def accounts(self) -> tuple[str, ...]:
        """Names of the ledger's accounts, by account number."""
        ...

    @property
    def published(self) -> Published:
        """What this scenario's worlds give to readers, in words; the same for every seed."""
        ...

    def describe(self) -> Mapping[str, Json]:
        """Return every parameter as JSON, for hashes and documents."""
        ...

    def open(self, seed: int, seats: int) -> World: ...


class MarketKind(Protocol):
    """A registered market, before its overrides are known."""

    @property
    def id(self) -> str: ...

    @property
    def summary(self) -> str: ...

    def configure(self, overrides: Mapping[str, Json]) -> Market:
        """Return the scenario; raises InputError naming an unknown or impossible override."""
        ...

    def prepare(self, announce: Callable[[str], None]) -> None:
        """Compile and cache whatever playing needs, once, before workers start.

        `announce` is called with one line where that takes noticeable time.
        """
        ...


class Policy(Protocol):
    """What decides for a seat: stateless between windows but for the memo."""

    async def decide(self, desk: Desk, memo: Json) -> Choice: ...


class PolicyKind(Protocol):
    """A registered policy with its parameter model."""

    @property
    def id(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def markets(self) -> frozenset[str]:
        """Market ids whose vocabulary it speaks; empty: any."""
        ...

    @property
    def model_free(self) -> bool: ...

    @property
    def parameters(self) -> type[BaseModel]: ...

    def resolve(self, parameters: Mapping[str, Json], folder: Path) -> BaseModel:
        """Validate, and read files named relative to the study's folder into the parameters."""
        ...

    def identity(self, parameters: BaseModel) -> str:
        """Return an id that binds every parameter."""
        ...

    def build(self, parameters: BaseModel, context: SeatContext) -> Policy: ...


@runtime_checkable
class Accountable(Protocol):
    """A policy kind whose windows cost something, and which accounts for them from its seats' records."""

    def usage(self, parameters: BaseModel, records: Sequence[Record]) -> Mapping[str, Json]:
        """Return one window's row of `usage.parquet` beyond world, seat, contestant and window; same columns."""
        ...


@runtime_checkable
class Recording(Protocol):
    """A policy kind that knows which records its windows may have, so that a damaged journal is found."""

    def record_fault(self, records: Sequence[Record], *, closed: bool) -> str:
        """Return what is wrong with one window's records, or an empty text; `closed` windows were decided."""
        ...


class SeatStore(Protocol):
    """The durable store of one seat in one world's journal.

    A window is the fold of its records: whatever a policy must not lose or do twice goes through
    `append`, which returns once the event, and the private files that changed with it, are durable together.
    """

    def records(self, window: int) -> Sequence[Record]: ...

    def append(
        self,
        window: int,
        kind: str,
        body: Mapping[str, Json],
        files: Mapping[str, str | None] | None = None,
    ) -> Record:
        """Append one event; `files` maps a path to its new text, or None to delete it."""
        ...

    def files(self) -> Mapping[str, str]:
        """Return the seat's private files by path; a text is read when it is asked for."""
        ...

    def file_sizes(self) -> Mapping[str, int]:
        """Return the characters of each private file, by path in order."""
        ...


class ModelRoute(Protocol):
    """A provider route: one retry loop, one limiter for all seats that share it."""

    @property
    def id(self) -> str: ...

    @property
    def ceiling(self) -> int:
        """Most tokens that one response may generate."""
        ...

    def estimate_tokens(self, text: str) -> int:
        """Return the tokenizer's count, for replies without usage."""
        ...

    def cost_bound_usd(self, request: ModelRequest) -> float | None:
        """Return the most that the request can cost, or None where no price is known."""
        ...

    @property
    def least_ceiling(self) -> int:
        """Fewest tokens that a request may ask for: a phase with less left is over."""
        ...

    async def complete(
        self,
        request: ModelRequest,
        record: Callable[[Attempt], None],
        again: Callable[[], Awaitable[None]],
    ) -> ModelReply:
        """Return one reply; `record` hears of every attempt before any wait, `again` is awaited after it,
        before the next request goes out, and may raise Suspension.

        Raises tournament.errors.ContextOverflow (behaviour) and Suspension (everything else that
        the route's own bounded retries could not mend).
        """
        ...
