"""The rows of a seat's company database that show this window; `daily` has those by day, `schema` the columns.

Own records and public facts only; the harness owns the SQL engine and its limits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from market.ceo_arena.facts import tender_results
from market.ceo_arena.parameters import PRODUCTS, SEGMENTS
from tournament.records import Json

if TYPE_CHECKING:
    from market.ceo_arena.world import CompanyWorld

Facts = Mapping[str, Json]
Rows = Iterable[tuple[Any, ...]]


def company(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    own, pending = facts["company"], facts["company"]["pending"]
    yield (
        facts["seat"],
        facts["cash_cents"],
        own["tier"],
        own["throughput"],
        own["overhead_cents"],
        None if pending is None else pending["kind"],
        None if pending is None else pending["tier"],
        None if pending is None else pending["ready_day"],
        own["reliability"],
        *(own["satisfaction"][segment] for segment in SEGMENTS),
        *(own["quality"][product] for product in PRODUCTS),
    )


def scenario(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    formula = (
        f"final cash + liquidation value of stock on hand and paid inbound - {facts['initial_value_cents']}"
    )
    yield (
        facts["market"],
        facts["day"],
        facts["horizon"],
        facts["days_left"],
        facts["window"],
        facts["windows"],
        facts["window_days"],
        facts["seats"],
        facts["initial_value_cents"],
        formula,
    )


def products(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for name, item in facts["products"].items():
        yield (name, *item.values())


def segments(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for segment in facts["segments"]:
        yield segment, facts["company"]["satisfaction"][segment]


def channels(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for channel in facts["channels"]:
        yield (channel,)


def capacity_policy(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for item in facts["capacity"]:
        yield tuple(item.values())


def capacity_action_quotes(world: CompanyWorld, _: int, facts: Facts) -> Rows:
    own, parameters = facts["company"], world.parameters
    pending, current = own["pending"], own["tier"]
    if pending is not None:
        if pending["kind"] == "expand":
            yield "cancel", pending["tier"], -pending["cancel_refund_cents"], 0
        return
    for tier in range(len(parameters.throughput)):
        if tier > current:
            charge = parameters.capital[tier] - parameters.capital[current]
            yield "expand", tier, charge, parameters.construction[tier]
        elif tier < current:
            yield "downsize", tier, parameters.downsize_fee * (current - tier), parameters.downsize_days


def innovation_catalog(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for item in facts["innovation"]:
        yield tuple(item.values())


def research_catalog(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for segment in facts["segments"]:
        yield segment, facts["research_price_cents"]


def standing_policy(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    policy = facts["policy"]
    for field in ("prices", "promotions", "reorder_targets", "development"):
        for name, value in policy[field].items():
            yield field, name, None, value
    for segment, cells in policy["marketing"].items():
        for channel, value in cells.items():
            yield "marketing", segment, channel, value
    yield "reliability", None, None, policy["reliability"]
    yield "support", None, None, policy["support"]


def inbound_shipments(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for item in facts["inbound"]:
        yield item["product"], item["units"], item["day"]


def backlog(world: CompanyWorld, i: int, _: Facts) -> Rows:
    state, day = world.state, world.version
    ring = state.backorders.shape[1]
    for age in range(ring - 2, -1, -1):
        placed = day - age
        if placed < 1:
            continue
        for s, segment in enumerate(SEGMENTS):
            for j, product in enumerate(PRODUCTS):
                units = int(state.backorders[i, placed % ring, s, j])
                if units:
                    price = int(state.backorder_price[i, placed % ring, j])
                    yield placed, segment, product, units, price, placed + ring - 1


def contracts(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for item in facts["contracts"]:
        yield item["tender"], item["product"], item["units"], item["price_cents"], item["due_day"]


def projects(world: CompanyWorld, i: int, _: Facts) -> Rows:
    state, parameters = world.state, world.parameters
    for n in range(int(state.project_count[i])):
        tier = int(state.project_tier[i, n])
        ready = int(state.project_ready[i, n])
        running = ready > world.version
        yield (
            n,
            tier + 1,
            int(state.project_start[i, n]),
            parameters.innovation_days[tier],
            parameters.innovation_gain[tier],
            "running" if running else "completed",
            None if running else ready,
        )


def research_requests(world: CompanyWorld, i: int, _: Facts) -> Rows:
    state, length = world.state, world.parameters.window_days
    for n in range(int(state.report_count[i])):
        sampled = int(state.report_sampled[i, n])
        readable = sampled - 1 + length
        status = "delivered" if readable <= world.version else "pending"
        yield n, SEGMENTS[state.report_segment[i, n]], sampled, readable, status


def research_reports(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for item in facts["research"]:
        yield tuple(item.values())


def action_receipts(world: CompanyWorld, i: int, _: Facts) -> Rows:
    for receipt in world.receipts:
        if receipt.seat == i + 1:
            yield (
                receipt.window,
                receipt.action,
                receipt.status,
                receipt.cents,
                receipt.effective_day,
                receipt.detail,
            )


def tenders(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    for item in facts["tenders"]:
        yield tuple(item.values())


def results(world: CompanyWorld, _: int, __: Facts) -> Rows:
    for item in tender_results(world, None):
        yield tuple(item.values())


def observation(_: CompanyWorld, __: int, facts: Facts) -> Rows:
    yield (json.dumps(dict(facts), separators=(",", ":"), sort_keys=True),)


READERS: Mapping[str, Callable[[CompanyWorld, int, Facts], Rows]] = {
    "company": company,
    "scenario": scenario,
    "products": products,
    "segments": segments,
    "channels": channels,
    "capacity_policy": capacity_policy,
    "capacity_action_quotes": capacity_action_quotes,
    "innovation_catalog": innovation_catalog,
    "research_catalog": research_catalog,
    "standing_policy": standing_policy,
    "inbound_shipments": inbound_shipments,
    "backlog": backlog,
    "contracts": contracts,
    "projects": projects,
    "research_requests": research_requests,
    "research_reports": research_reports,
    "action_receipts": action_receipts,
    "tenders": tenders,
    "tender_results": results,
    "observation": observation,
}
