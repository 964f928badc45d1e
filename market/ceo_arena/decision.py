"""What a decision may hold: checked whole before any of it is applied, with one reason when refused.

`read` turns JSON into an Order of plain integers or raises Refused; `commitments` prices its one-off
actions. Both are pure: the same functions serve a desk's check, its preview and the settlement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from market.ceo_arena.exogenous import PROJECTS, REPORTS, Tenders
from market.ceo_arena.parameters import CHANNELS, PRODUCTS, SEGMENTS, Parameters
from market.ceo_arena.state import NONE, State

FIELDS = (
    "prices",
    "promotions",
    "reorder_targets",
    "development",
    "marketing",
    "reliability",
    "support",
    "capacity",
    "innovation",
    "research",
    "bids",
)
PLAIN_DECIMAL = re.compile(r"0|[1-9][0-9]{0,8}")


class Refused(Exception):
    """A decision that may not be applied; the text says what is wrong and what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A decision as integers: products, segments, channels and tenders by index, innovation tiers from 0.

    `capacity` is ("expand" | "downsize", tier) or ("cancel", 0).
    """

    prices: tuple[tuple[int, int], ...] = ()
    promotions: tuple[tuple[int, int], ...] = ()
    targets: tuple[tuple[int, int], ...] = ()
    development: tuple[tuple[int, int], ...] = ()
    marketing: tuple[tuple[int, int, int], ...] = ()
    reliability: int | None = None
    support: int | None = None
    capacity: tuple[str, int] | None = None
    innovation: tuple[int, ...] = ()
    research: tuple[int, ...] = ()
    bids: tuple[tuple[int, int], ...] = field(default=())


def integer(value: Any, low: int, high: int, place: str) -> int:
    """Return an integral JSON number within bounds; raises Refused."""
    if type(value) is int:
        number = value
    elif type(value) is float and value.is_integer():
        number = int(value)
    else:
        raise Refused(f"{place} must be a whole number from {low} to {high}, got {_shown(value)}")
    if not low <= number <= high:
        raise Refused(f"{place} must be from {low} to {high}, got {_shown(value)}")
    return number


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    return text if len(text) <= 60 else text[:57] + "..."


def _mapping(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Refused(f"{place} must be an object, got {_shown(value)}")
    return value


def _index(name: Any, names: tuple[str, ...], place: str) -> int:
    if not isinstance(name, str) or name not in names:
        raise Refused(f"{place}: unknown {_shown(name)}; allowed: {', '.join(names)}")
    return names.index(name)


def _cells(
    value: Any, names: tuple[str, ...], low: int, high: Callable[[int], int], place: str
) -> tuple[tuple[int, int], ...]:
    cells = []
    for name, amount in _mapping(value, place).items():
        number = _index(name, names, place)
        cells.append((number, integer(amount, low, high(number), f"{place}.{name}")))
    return tuple(cells)


def _marketing(value: Any, limit: int) -> tuple[tuple[int, int, int], ...]:
    cells = []
    for segment, channels in _mapping(value, "marketing").items():
        s = _index(segment, SEGMENTS, "marketing")
        for k, amount in _cells(channels, CHANNELS, 0, lambda _: limit, f"marketing.{segment}"):
            cells.append((s, k, amount))
    return tuple(cells)


def _capacity(value: Any, parameters: Parameters) -> tuple[str, int]:
    action = _mapping(value, "capacity")
    if len(action) != 1:
        raise Refused("capacity takes exactly one of expand, downsize, cancel")
    name, amount = next(iter(action.items()))
    if name == "cancel":
        if amount is not True:
            raise Refused(f"capacity.cancel must be true, got {_shown(amount)}")
        return "cancel", 0
    if name not in ("expand", "downsize"):
        raise Refused(f"capacity: unknown {_shown(name)}; allowed: expand, downsize, cancel")
    return name, integer(amount, 0, len(parameters.throughput) - 1, f"capacity.{name}")


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise Refused(f"{place} must be a list, got {_shown(value)}")
    return list(value)


def _research(value: Any) -> tuple[int, ...]:
    segments = tuple(_index(item, SEGMENTS, "research") for item in _list(value, "research"))
    if len(set(segments)) != len(segments):
        raise Refused("research: each segment at most once in a decision")
    return segments


def _bids(value: Any, tenders: Tenders, day: int) -> tuple[tuple[int, int], ...]:
    bids = []
    for key, amount in _mapping(value, "bids").items():
        if not isinstance(key, str) or not PLAIN_DECIMAL.fullmatch(key):
            raise Refused(f"bids: {_shown(key)} is not a tender number in plain decimals")
        number = int(key)
        if number not in open_tenders(tenders, day):
            opened = ", ".join(str(k) for k in open_tenders(tenders, day)) or "none"
            raise Refused(f"bids: tender {number} is not open now; open: {opened}")
        bids.append((number, integer(amount, 1, int(tenders.reservation[number]), f"bids.{number}")))
    return tuple(bids)


def open_tenders(tenders: Tenders, day: int) -> list[int]:
    """Return the tenders open to a decision with `day` days completed."""
    opened = (tenders.opens <= day + 1) & (tenders.closes > day)
    return [int(k) for k in opened.nonzero()[0]]


def read(decision: Any, parameters: Parameters, tenders: Tenders, day: int) -> Order:
    """Return the decision as an Order; raises Refused for anything malformed or out of range."""
    items = _mapping(decision, "a decision")
    for name in items:
        if name not in FIELDS:
            raise Refused(f"unknown field {_shown(name)}; allowed: {', '.join(FIELDS)}")
    readers: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "prices": ("prices", lambda v: _cells(
            v, PRODUCTS, 1, lambda j: parameters.price_limit * parameters.list_price[j], "prices")),
        "promotions": ("promotions", lambda v: _cells(
            v, PRODUCTS, 0, lambda _: parameters.promotion_limit, "promotions")),
        "reorder_targets": ("targets", lambda v: _cells(
            v, PRODUCTS, 0, lambda _: parameters.target_limit, "reorder_targets")),
        "development": ("development", lambda v: _cells(
            v, PRODUCTS, 0, lambda _: parameters.budget_limit, "development")),
        "marketing": ("marketing", lambda v: _marketing(v, parameters.budget_limit)),
        "reliability": ("reliability", lambda v: integer(v, 0, parameters.budget_limit, "reliability")),
        "support": ("support", lambda v: integer(v, 0, parameters.budget_limit, "support")),
        "capacity": ("capacity", lambda v: _capacity(v, parameters)),
        "innovation": ("innovation", lambda v: tuple(
            integer(tier, 1, 3, "innovation") - 1 for tier in _list(v, "innovation"))),
        "research": ("research", _research),
        "bids": ("bids", lambda v: _bids(v, tenders, day)),
    }  # fmt: skip
    read_fields = {readers[name][0]: readers[name][1](value) for name, value in items.items()}
    return Order(**read_fields)


def running_projects(state: State, i: int, day: int) -> list[int]:
    """Return the seat's projects still running at a decision with `day` days completed."""
    count = int(state.project_count[i])
    return [n for n in range(count) if state.project_ready[i, n] > day]


def cancellation_refund(parameters: Parameters, state: State, i: int, day: int) -> int:
    """Return what cancelling the pending expansion now would give back, in cents."""
    days = int(state.pending_days[i])
    left = int(state.pending_ordered[i]) + days - day
    return parameters.cancel_refund_tenths * int(state.pending_prepaid[i]) * left // (10 * days)


def capacity_charge(parameters: Parameters, state: State, i: int, action: tuple[str, int]) -> int:
    """Return the charge of a capacity action in cents, or raise Refused where it is not possible now."""
    name, tier = action
    current, pending = int(state.tier[i]), int(state.pending_tier[i])
    if name == "cancel":
        if pending == NONE or pending < current:
            raise Refused("capacity.cancel: no expansion is pending (a downsizing can not be cancelled)")
        return 0
    if pending != NONE:
        raise Refused(f"capacity: a change to tier {pending} is pending; one at a time")
    if name == "expand":
        if tier <= current:
            raise Refused(f"capacity.expand: the tier must be above the current {current}, got {tier}")
        return parameters.capital[tier] - parameters.capital[current]
    if tier >= current:
        raise Refused(f"capacity.downsize: the tier must be below the current {current}, got {tier}")
    return parameters.downsize_fee * (current - tier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitments:
    """One-off charges of an order, in cents."""

    capacity: int
    innovation: int
    research: int

    @property
    def total(self) -> int:
        return self.capacity + self.innovation + self.research


def commitments(order: Order, parameters: Parameters, state: State, i: int, day: int) -> Commitments:
    """Price the one-off actions; raises Refused where a limit is passed or today's cash does not cover them."""
    capacity = capacity_charge(parameters, state, i, order.capacity) if order.capacity else 0
    if order.innovation:
        running = len(running_projects(state, i, day))
        if running + len(order.innovation) > parameters.project_limit:
            raise Refused(
                f"innovation: at most {parameters.project_limit} projects at once; {running} running, "
                f"{len(order.innovation)} new"
            )
        if int(state.project_count[i]) + len(order.innovation) > PROJECTS:
            raise Refused(f"innovation: at most {PROJECTS} projects in all")
    if int(state.report_count[i]) + len(order.research) > REPORTS:
        raise Refused(f"research: at most {REPORTS} reports in all")
    priced = Commitments(
        capacity=capacity,
        innovation=sum(parameters.innovation_price[tier] for tier in order.innovation),
        research=parameters.research_price * len(order.research),
    )
    cash = int(state.cash[i])
    if priced.total > cash:
        raise Refused(f"one-off charges of {priced.total} cents exceed today's cash of {cash} cents")
    return priced
