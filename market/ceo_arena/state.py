"""The mutable state of a world and its day-by-day history, as named tuples of arrays.

Only the kernels and the application of decisions write here; desks and outcomes read. Seats are
indexed from 0 here, days from 0 (index t - 1) in histories.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.ceo_arena.exogenous import PROJECTS, REPORTS
from market.ceo_arena.parameters import CHANNELS, PRODUCTS, SEGMENTS, Parameters

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

NONE = -1

# Ledger accounts by number: signed movements of a firm's cash.
ACCOUNTS: tuple[str, ...] = (
    *(f"revenue:{product}:{segment}" for product in PRODUCTS for segment in SEGMENTS),
    *(f"revenue:{product}:enterprise" for product in PRODUCTS),
    *(f"procurement:{product}" for product in PRODUCTS),
    *(f"holding:{product}" for product in PRODUCTS),
    *(f"development:{product}" for product in PRODUCTS),
    *(f"marketing:{segment}:{channel}" for segment in SEGMENTS for channel in CHANNELS),
    "reliability",
    "support",
    "overhead",
    "capacity:expansion",
    "capacity:downsizing",
    "capacity:cancellation",
    "innovation",
    "research",
    "refunds",
    "penalties",
    "capital",
)
REVENUE = 0
ENTERPRISE = ACCOUNTS.index("revenue:A:enterprise")
PROCUREMENT = ACCOUNTS.index("procurement:A")
HOLDING = ACCOUNTS.index("holding:A")
DEVELOPMENT = ACCOUNTS.index("development:A")
MARKETING = ACCOUNTS.index("marketing:mainstream:affiliate")
RELIABILITY = ACCOUNTS.index("reliability")
SUPPORT = ACCOUNTS.index("support")
OVERHEAD = ACCOUNTS.index("overhead")
EXPANSION = ACCOUNTS.index("capacity:expansion")
DOWNSIZING = ACCOUNTS.index("capacity:downsizing")
CANCELLATION = ACCOUNTS.index("capacity:cancellation")
INNOVATION = ACCOUNTS.index("innovation")
RESEARCH = ACCOUNTS.index("research")
REFUNDS = ACCOUNTS.index("refunds")
PENALTIES = ACCOUNTS.index("penalties")
CAPITAL = ACCOUNTS.index("capital")


class State(NamedTuple):
    """N firms, 3 products, 3 segments, 3 channels, R backorder slots, L inbound slots, M tenders.

    Inbound and backorder rings are indexed by day modulo their length. A tender's owner is NONE while
    no contract runs; `tender_left` counts undelivered units. Money in cents, knowledge and goodwill in
    dollars.
    """

    cash: Ints  # (N,)
    active: Ints  # (N,) 1 or 0
    exit_day: Ints  # (N,) 0 while active
    tier: Ints  # (N,)
    pending_tier: Ints  # (N,) NONE without a pending change
    pending_ordered: Ints  # (N,) days completed when ordered
    pending_days: Ints  # (N,)
    pending_prepaid: Ints  # (N,)
    stock: Ints  # (N, 3)
    reserved: Ints  # (N, 3) units that contracts hold
    inbound: Ints  # (N, 3, L)
    backorders: Ints  # (N, R, 3 segments, 3 products)
    backorder_price: Ints  # (N, R, 3 products)
    waiting: Ints  # (N, 3 products) sum of the backorder ring
    prices: Ints  # (N, 3)
    promotions: Ints  # (N, 3)
    targets: Ints  # (N, 3)
    development: Ints  # (N, 3)
    marketing: Ints  # (N, 3 segments, 3 channels)
    reliability_budget: Ints  # (N,)
    support_budget: Ints  # (N,)
    bids: Ints  # (N, M) 0 without a bid
    tender_owner: Ints  # (M,)
    tender_left: Ints  # (M,)
    tender_price: Ints  # (M,)
    tender_winner: Ints  # (M,) kept for the public record
    project_ready: Ints  # (N, 64) day of step 2
    project_tier: Ints  # (N, 64) from 0
    project_start: Ints  # (N, 64) days completed
    project_count: Ints  # (N,)
    report_sampled: Ints  # (N, 256) day
    report_segment: Ints  # (N, 256)
    report_count: Ints  # (N,)
    won: Ints  # (N,) tenders
    knowledge: Reals  # (N, 3)
    goodwill: Reals  # (N, 3 segments)
    reliability: Reals  # (N,)
    satisfaction: Reals  # (N, 3)
    loyalty: Reals  # (N, 3)
    reference: Reals  # (N, 3 products)
    fatigue: Reals  # (N, 3 products)


class History(NamedTuple):
    """What each day left behind, index t - 1 for day t; units are pieces, money cents.

    `demand` and `served` are consumer round 1; `delivered` has the three segments and, last, enterprise
    contracts; `ordered` counts consumer units delivered at once and backorders placed. `core` holds the
    closing values of everything slow-moving, for the daily hash.
    """

    ledger: Ints  # (T, N, accounts)
    demand: Ints  # (T, N, 3 segments, 3 products)
    served: Ints  # (T, N, 3, 3)
    delivered: Ints  # (T, N, 4, 3)
    ordered: Ints  # (T, N, 3)
    cash: Ints  # (T, N)
    stock: Ints  # (T, N, 3)
    inbound: Ints  # (T, N, 3)
    waiting: Ints  # (T, N, 3)
    price: Ints  # (T, N, 3) list decision
    promotion: Ints  # (T, N, 3)
    posted: Ints  # (T, N, 3)
    active: Ints  # (T, N) at the day's start
    inclusive: Reals  # (T, 3) round 1
    sold: Ints  # (T, 3) round 1 and 2
    unserved: Ints  # (T, 3) customers who wanted to buy and left
    fines: Ints  # (T, N) units of expired contracts
    core: Reals  # (T, N, 32)
    deep: Ints  # (T, N) 64-bit mix of rings, contracts and jobs


class Scratch(NamedTuple):
    """Working arrays of one day, allocated once: kernels allocate nothing."""

    capacity: Ints  # (N,) units that may still leave today
    ratio: Reals  # (N, 3 products) posted price over list price
    discount: Reals  # (N, 3) promotion that a customer notices
    gap: Reals  # (N, 3) quality above base
    attraction: Reals  # (N, 3) exp(v / (1 - sigma))
    assigned: Ints  # (N, 3)


def new_scratch(seats: int) -> Scratch:
    """Return working arrays for `seats` firms."""
    return Scratch(
        capacity=np.zeros(seats, dtype=np.int64),
        ratio=np.zeros((seats, 3)),
        discount=np.zeros((seats, 3)),
        gap=np.zeros((seats, 3)),
        attraction=np.zeros((seats, 3)),
        assigned=np.zeros((seats, 3), dtype=np.int64),
    )


def _initial(values: tuple[int, ...] | tuple[float, ...], seats: int, kind: type) -> NDArray[np.generic]:
    return np.tile(np.array(values, dtype=kind), (seats, 1))


def new_state(parameters: Parameters, seats: int, tenders: int) -> State:
    """Return the state before day 1."""
    ring = parameters.backorder_days + 1
    slots = max(parameters.lead_time) + 1

    def ints(*shape: int, value: int = 0) -> Ints:
        return np.full(shape, value, dtype=np.int64)

    def reals(*shape: int, value: float = 0.0) -> Reals:
        return np.full(shape, value, dtype=np.float64)

    return State(
        cash=ints(seats, value=parameters.initial_cash),
        active=ints(seats, value=1),
        exit_day=ints(seats),
        tier=ints(seats),
        pending_tier=ints(seats, value=NONE),
        pending_ordered=ints(seats),
        pending_days=ints(seats),
        pending_prepaid=ints(seats),
        stock=_initial(parameters.initial_stock, seats, np.int64),  # type: ignore[arg-type]
        reserved=ints(seats, 3),
        inbound=ints(seats, 3, slots),
        backorders=ints(seats, ring, 3, 3),
        backorder_price=ints(seats, ring, 3),
        waiting=ints(seats, 3),
        prices=_initial(parameters.list_price, seats, np.int64),  # type: ignore[arg-type]
        promotions=ints(seats, 3),
        targets=_initial(parameters.initial_target, seats, np.int64),  # type: ignore[arg-type]
        development=ints(seats, 3),
        marketing=ints(seats, 3, 3),
        reliability_budget=ints(seats),
        support_budget=ints(seats),
        bids=ints(seats, max(1, tenders)),
        tender_owner=ints(max(1, tenders), value=NONE),
        tender_left=ints(max(1, tenders)),
        tender_price=ints(max(1, tenders)),
        tender_winner=ints(max(1, tenders), value=NONE),
        project_ready=ints(seats, PROJECTS),
        project_tier=ints(seats, PROJECTS),
        project_start=ints(seats, PROJECTS),
        project_count=ints(seats),
        report_sampled=ints(seats, REPORTS),
        report_segment=ints(seats, REPORTS),
        report_count=ints(seats),
        won=ints(seats),
        knowledge=reals(seats, 3),
        goodwill=reals(seats, 3),
        reliability=reals(seats, value=parameters.initial_reliability),
        satisfaction=reals(seats, 3, value=parameters.initial_satisfaction),
        loyalty=reals(seats, 3),
        reference=reals(seats, 3, value=1.0),
        fatigue=reals(seats, 3),
    )


CORE = 32


def new_history(days: int, seats: int) -> History:
    """Return an empty history of `days` days."""

    def ints(*shape: int) -> Ints:
        return np.zeros((days, *shape), dtype=np.int64)

    return History(
        ledger=ints(seats, len(ACCOUNTS)),
        demand=ints(seats, 3, 3),
        served=ints(seats, 3, 3),
        delivered=ints(seats, 4, 3),
        ordered=ints(seats, 3),
        cash=ints(seats),
        stock=ints(seats, 3),
        inbound=ints(seats, 3),
        waiting=ints(seats, 3),
        price=ints(seats, 3),
        promotion=ints(seats, 3),
        posted=ints(seats, 3),
        active=ints(seats),
        inclusive=np.zeros((days, 3)),
        sold=ints(3),
        unserved=ints(3),
        fines=ints(seats),
        core=np.zeros((days, seats, CORE)),
        deep=ints(seats),
    )
