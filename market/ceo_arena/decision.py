"""What a decision may hold: checked whole before any of it is applied, with one reason when refused.

`read` turns JSON into an Order of plain integers or raises Refused; `commitments` prices its one-off
actions. Both are pure: the same functions serve a desk's check, its preview and the settlement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

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
Cells = tuple[tuple[int, int], ...]
PLAIN_DECIMAL = re.compile(r"0|[1-9][0-9]{0,8}")


class Refused(Exception):
    """A decision that may not be applied; the text says what is wrong and what is allowed."""


class Order(NamedTuple):
    """A decision as integers: products, segments, channels and tenders by index, innovation tiers from 0.

    `capacity` is ("expand" | "downsize", tier) or ("cancel", 0).
    """

    prices: Cells
    promotions: Cells
    reorder_targets: Cells
    development: Cells
    marketing: tuple[tuple[int, int, int], ...]
    reliability: int | None
    support: int | None
    capacity: tuple[str, int] | None
    innovation: tuple[int, ...]
    research: tuple[int, ...]
    bids: Cells


def integer(value: Any, low: int, high: int, *place: str) -> int:
    """Return an integral JSON number within bounds; raises Refused naming the place, joined by dots."""
    if type(value) is int:
        number = value
    elif type(value) is float and value.is_integer():
        number = int(value)
    else:
        raise Refused(f"{'.'.join(place)} must be a whole number from {low} to {high}, got {_shown(value)}")
    if not low <= number <= high:
        raise Refused(f"{'.'.join(place)} must be from {low} to {high}, got {_shown(value)}")
    return number


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    return text if len(text) <= 60 else text[:57] + "..."


def _mapping(value: Any, place: str) -> Mapping[str, Any]:
    """Return an object's members by key: it has no order, and no reason or receipt may tell of one."""
    if not isinstance(value, Mapping):
        raise Refused(f"{place} must be an object, got {_shown(value)}")
    return {key: value[key] for key in sorted(value, key=str)}


def _index(name: Any, names: tuple[str, ...], place: tuple[str, ...]) -> int:
    if not isinstance(name, str) or name not in names:
        raise Refused(f"{'.'.join(place)}: unknown {_shown(name)}; allowed: {', '.join(names)}")
    return names.index(name)


def _cells(
    value: Any, names: tuple[str, ...], low: int, highs: tuple[int, ...], *place: str
) -> tuple[tuple[int, int], ...]:
    cells = []
    for name, amount in _mapping(value, ".".join(place)).items():
        number = _index(name, names, place)
        cells.append((number, integer(amount, low, highs[number], *place, name)))
    return tuple(cells)


def _marketing(value: Any, highs: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    cells = []
    for segment, channels in _mapping(value, "marketing").items():
        s = _index(segment, SEGMENTS, ("marketing",))
        for k, amount in _cells(channels, CHANNELS, 0, highs, "marketing", segment):
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
    return name, integer(amount, 0, len(parameters.throughput) - 1, "capacity", name)


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise Refused(f"{place} must be a list, got {_shown(value)}")
    return list(value)


def _research(value: Any) -> tuple[int, ...]:
    segments = tuple(_index(item, SEGMENTS, ("research",)) for item in _list(value, "research"))
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
        bids.append((number, integer(amount, 1, int(tenders.reservation[number]), "bids", key)))
    return tuple(bids)


def open_tenders(tenders: Tenders, day: int) -> list[int]:
    """Return the tenders open to a decision with `day` days completed."""
    opened = (tenders.opens <= day + 1) & (tenders.closes > day)
    return [int(k) for k in opened.nonzero()[0]]


class Limits(NamedTuple):
    """Highest values by product or channel, worked out once a scenario."""

    prices: tuple[int, ...]
    promotions: tuple[int, ...]
    reorder_targets: tuple[int, ...]
    budget: tuple[int, ...]


def limits_of(parameters: Parameters) -> Limits:
    """Return the limits of a scenario."""
    return Limits(
        prices=tuple(parameters.price_limit * price for price in parameters.list_price),
        promotions=(parameters.promotion_limit,) * 3,
        reorder_targets=(parameters.target_limit,) * 3,
        budget=(parameters.budget_limit,) * 3,
    )


def _field(name: str, value: Any, parameters: Parameters, limits: Limits, tenders: Tenders, day: int) -> Any:
    match name:
        case "prices":
            return _cells(value, PRODUCTS, 1, limits.prices, name)
        case "promotions":
            return _cells(value, PRODUCTS, 0, limits.promotions, name)
        case "reorder_targets":
            return _cells(value, PRODUCTS, 0, limits.reorder_targets, name)
        case "development":
            return _cells(value, PRODUCTS, 0, limits.budget, name)
        case "marketing":
            return _marketing(value, limits.budget)
        case "reliability" | "support":
            return integer(value, 0, parameters.budget_limit, name)
        case "capacity":
            return _capacity(value, parameters)
        case "innovation":
            return tuple(integer(tier, 1, 3, name) - 1 for tier in _list(value, name))
        case "research":
            return _research(value)
        case "bids":
            return _bids(value, tenders, day)
        case _:
            raise Refused(f"unknown field {_shown(name)}; allowed: {', '.join(FIELDS)}")


EMPTY: Mapping[str, Any] = dict.fromkeys(FIELDS, ()) | dict.fromkeys(("reliability", "support", "capacity"))


def read(decision: Any, parameters: Parameters, limits: Limits, tenders: Tenders, day: int) -> Order:
    """Return the decision as an Order; raises Refused for anything malformed or out of range."""
    fields = dict(EMPTY)
    for name, value in _mapping(decision, "a decision").items():
        fields[name] = _field(name, value, parameters, limits, tenders, day)
    return Order(**fields)


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
