"""Frozen values that cross the seams between rooms.

Money is integer US cents; days count from 1, a world's version is the number of days completed;
seats count from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

Json = Any  # JSON value: dict with str keys, list, str, int, float, bool or None
Decision = Mapping[str, Json]
WindowState = Literal["sealed", "refused", "budget_exhausted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a policy returns for one window: a sealed decision, or an exhausted budget.

    `memo` is the JSON value that the policy gets back in its next window.
    """

    decision: Decision
    memo: Json = None
    rationale: str = ""
    state: Literal["sealed", "budget_exhausted"] = "sealed"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """One closed window of one seat, as the journal keeps it."""

    window: int
    seat: int
    state: WindowState
    decision: Decision
    reason: str = ""
    rationale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one action: applied or refused and why, the cents it moved, the day it takes effect."""

    seat: int
    window: int
    action: str
    status: Literal["applied", "refused", "completed", "expired"]
    cents: int
    effective_day: int | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """A settled window.

    `refusals` maps a seat to the reason why its decision was not applied. `postings` has one row
    (day, seat, account, cents) a movement: an account's cents enter or leave the seat's cash, so that
    cash is the sum of its postings; `accounts` names the account numbers. `hashes` holds one SHA-256
    hex digest a day, each over the day before's and the whole state.
    """

    window: int
    first_day: int
    last_day: int
    refusals: Mapping[int, str]
    receipts: tuple[Receipt, ...]
    postings: NDArray[np.int64]
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A market's action as a typed tool: one definition, rendered for every interface.

    `stage(draft, arguments)` returns the new draft (a decision); it never changes the old one.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    stage: Callable[[Decision, BaseModel], Decision]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTool:
    """A market's question as a typed tool: `answer(arguments)` returns JSON and changes nothing.

    Bound to the desk that gives it, so that it answers from what its seat may see at that version; an
    InputError is told as the reason why there is no answer. One that `queries` is closed, as the
    company's database is, once a window is in finalization.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    answer: Callable[[BaseModel], Json]
    queries: bool = False


MarketTool = Tool | ReadTool


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a company table: SQL type (INTEGER, REAL or TEXT) and one line of description."""

    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of the company database: name, one line of description, columns.

    Where it `grows`, later versions of the world only add rows, behind those of earlier ones.
    """

    name: str
    description: str
    columns: tuple[Column, ...]
    grows: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A value of one declared measure: for a group (`""`: the whole market); None with a note: undefined."""

    name: str
    group: str
    value: float | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldTables:
    """A finished world by column; what is declared in the market's `Published` is filled here.

    `daily` has a row a time step and seat (`day`, `seat`, then the market's columns), `market` a row a
    step and group, where there is one. `series` has a row a window and seat: `window, last_day, seat,
    in_business`, then the declared paths, NaN where a firm has none. `extra` holds tables of the market's
    own by name (tenders, say). Each becomes a file of the world.
    """

    daily: Mapping[str, NDArray[Any]]
    market: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    measures: tuple[Measured, ...] = ()
    series: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    extra: Mapping[str, Mapping[str, NDArray[Any] | Sequence[Any]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One durable event of a seat's window, in order of `sequence`."""

    sequence: int
    window: int
    kind: str
    body: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatContext:
    """What a policy is built with beside its parameters: who and where it is, and its durable store.

    `services` carries what the composition root gives to policies by name (an LLM policy finds its routes there).
    """

    world: str
    seat: int
    contestant: str
    store: Any = None  # a tournament.ports.SeatStore
    services: Mapping[str, Any] = field(default_factory=dict)


Decisions = Sequence[Decision | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One reply asked of a route: OpenAI-shaped messages and tools, and the ceiling on generated tokens.

    `label` names world, seat, window and ordinal for records; it is never sent.
    """

    label: str
    messages: Sequence[Mapping[str, Json]]
    tools: Sequence[Mapping[str, Json]]
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one reply: None where the provider did not say; `rule` tells how `generated` was found.

    Of the prompt, `cached` were read from a cache and `written` to one, `written_1h` of these for an hour.
    `terms` names what was bought beside the list price: a service tier, a speed, a place.
    """

    prompt: int | None
    generated: int | None
    reasoning: int | None = None
    cached: int | None = None
    written: int | None = None
    rule: str = ""
    written_1h: int | None = None
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One accounting-valid reply. `message` is the provider's, verbatim, to be sent back as it is.

    `finish` is `calls`, `stop`, `length`, `content_filter`, `refusal` or `malformed_call`;
    `cost_usd` is None where no price is known, `told_usd` what the provider says that it cost, None where it says
    nothing; `seconds` is the successful attempt's own time.
    """

    message: Mapping[str, Json]
    finish: str
    usage: Usage
    model: str
    response_id: str
    cost_usd: float | None
    seconds: float
    told_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One request that a route made, successful or not, and the wait that followed it.

    `fault` is empty for a reply; `until` is the Unix time at which the wait ends, for people to read;
    `cost_usd` is None where nobody knows whether the attempt was charged for.
    """

    number: int
    status: int | None
    fault: str
    detail: str
    wait_seconds: float
    until: float | None = None
    cost_usd: float | None = 0.0
