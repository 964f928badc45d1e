"""The consumer market of a day: buyers by SKU and country choose among all offers or go away.

Everything a buyer's luck depends on is drawn by SKU, country, day and the buyer's number, so that two
lineups at one seed meet the same buyers.
"""

from __future__ import annotations

import math

import numpy as np

from market.commerce.books import fine_missing_permit, move, take
from market.commerce.cells import mixed, uniform
from market.commerce.parameters import DAP, DDP, EXPRESS, FOB, MILLION
from market.commerce.state import ADS, DUTY, FREIGHT, Goods, History, Luck, Scratch, State
from market.jit import kernel

ARRIVAL, QUANTITY, CHOICE, REFUND = range(4)
DUE = 2


@kernel
def hashed(luck: Luck, name: int, s: int, k: int, d: int) -> np.uint64:
    """Return the hash of a named draw at SKU, country and day; buyers are mixed in behind it."""
    return mixed(mixed(mixed(luck.keys[name], s), k), d)


@kernel
def buyers_of(goods: Goods, luck: Luck, d: int, s: int, k: int) -> int:
    """Return the number of buyers of a SKU in a country: Poisson by inversion."""
    rate = min(0.40 * goods.popularity[s] * luck.demand[d, goods.category[s], k], 30.0)
    u = uniform(hashed(luck, ARRIVAL, s, k, d))
    p = math.exp(-rate)
    total = p
    n = 0
    while u >= total and n < 100:
        n += 1
        p = p * rate / n
        total += p
    return n


@kernel
def wanted(luck: Luck, d: int, s: int, k: int, b: int) -> int:
    """Return the units that a buyer wants: exponential with mean 12, at most 120."""
    u = uniform(mixed(hashed(luck, QUANTITY, s, k, d), b))
    return min(1 + math.floor(-12.0 * math.log(1.0 - u)), 120)


@kernel
def attraction(goods: Goods, state: State, f: int, s: int, k: int) -> float:
    """Return what an offer has for a buyer beside its price."""
    quality = state.quality[f, s] / (1000.0 * state.stock[f, s])
    express = 0.25 if state.speed[f, s, k] == EXPRESS else 0.0
    focus = 0.10 if state.focus[f, goods.category[s]] == 1 else 0.0
    base = 1.2 + 1.5 * (quality - 0.5) + express + focus
    return base + 0.30 * math.log(1.0 + state.ad[f, s, k] / 100.0)


@kernel
def gather(goods: Goods, state: State, scratch: Scratch, s: int, k: int) -> int:
    """List the firms with a listing and stock, scripted sellers first; return how many."""
    count = 0
    for place in range(scratch.order.shape[0]):
        f = scratch.order[place]
        if state.price[f, s, k] > 0 and state.stock[f, s] > 0:
            scratch.firm[count] = f
            scratch.base[count] = attraction(goods, state, f, s, k)
            count += 1
    return count


@kernel
def unit_price(state: State, f: int, s: int, k: int, units: int) -> int:
    """Return a listing's price for so many units, after promotion and quantity tier."""
    tier = 0
    for step in range(2):
        if state.tier_units[f, s, k, step] > 0 and units >= state.tier_units[f, s, k, step]:
            tier = state.tier_percent[f, s, k, step]
    return state.price[f, s, k] * (100 - state.promotion[f, s, k]) * (100 - tier) // 10_000


@kernel
def freight_of(luck: Luck, d: int, s: int, k: int, express: bool) -> int:
    """Return a unit's freight in cents."""
    freight = luck.freight[d, s, k]
    return freight * 18 // 10 if express else freight


@kernel
def weigh(
    goods: Goods, luck: Luck, state: State, scratch: Scratch, d: int, s: int, k: int, count: int, units: int
) -> float:
    """Fill in every offer's price and weight for a buyer of so many units; return 1 and their sum."""
    total = 1.0
    duty = luck.duty[d, goods.category[s], k]
    for o in range(count):
        f = scratch.firm[o]
        price = unit_price(state, f, s, k, units)
        borne = 0
        if state.incoterm[f, s, k] != DDP:
            borne = price * duty // 1000
        if state.incoterm[f, s, k] == FOB:
            borne += freight_of(luck, d, s, k, state.speed[f, s, k] == EXPRESS)
        weight = 0.0
        if state.stock[f, s] > 0:
            weight = math.exp(scratch.base[o] - 2.5 * (price + 1.15 * borne) / goods.guide[s, k])
        scratch.price[o] = price
        scratch.weight[o] = weight
        total += weight
    return total


@kernel
def chosen(scratch: Scratch, count: int, x: float) -> int:
    """Return the place of the first offer with x below the weights up to it, or -1."""
    place = -1
    run = 1.0
    if x >= 1.0:
        for o in range(count):
            run += scratch.weight[o]
            if place < 0 and x < run:
                place = o
    return place


@kernel
def record(
    goods: Goods,
    history: History,
    d: int,
    f: int,
    s: int,
    k: int,
    n: int,
    kept: bool,
    revenue: int,
    freight: int,
    duty: int,
    cost: int,
) -> None:
    """Write one order into the day's records; a seat's also by listing."""
    history.sold[d, f, s] += n
    history.market_orders[d, goods.category[s], k] += 1
    history.market_units[d, goods.category[s], k] += n
    history.world_units[d, s, k] += n
    if f < history.orders.shape[1]:
        history.orders[d, f, s, k] += 1
        history.units[d, f, s, k] += n
        history.contribution[d, f, s, k] += revenue - freight - duty - cost
        history.freight[d, f, s, k] += freight
        history.duty[d, f, s, k] += duty
        if kept:
            history.revenue[d, f, s, k] += revenue
        else:
            history.refunds[d, f, s, k] += 1
            history.returned[d, f, s] += n


@kernel
def sell(
    goods: Goods,
    luck: Luck,
    state: State,
    history: History,
    scratch: Scratch,
    d: int,
    s: int,
    k: int,
    b: int,
    place: int,
    units: int,
) -> None:
    """Let a buyer have the goods: charges now, the money two days later, or the goods come back for nothing."""
    f, price = scratch.firm[place], scratch.price[place]
    n = min(units, state.stock[f, s])
    lack = 1.0 - state.quality[f, s] / (1000.0 * state.stock[f, s])
    cost = take(state.stock, state.stock_cost, state.quality, f, s, n)
    term = state.incoterm[f, s, k]
    freight = 0
    duty = 0
    if term in (DDP, DAP):
        freight = freight_of(luck, d, s, k, state.speed[f, s, k] == EXPRESS) * n
    if term == DDP:
        duty = price * luck.duty[d, goods.category[s], k] // 1000 * n
    move(state.cash, history.ledger, d + 1, f, FREIGHT, -freight)
    move(state.cash, history.ledger, d + 1, f, DUTY, -duty)
    kept = uniform(mixed(hashed(luck, REFUND, s, k, d), b)) >= 0.25 * lack * lack
    revenue = price * n if kept else 0
    if kept:
        state.receivables[f, d + DUE, k] += revenue * MILLION // luck.currency[d, k]
        if f < history.orders.shape[1]:
            share = 1.0 - math.exp(-0.30 * math.log(1.0 + state.ad[f, s, k] / 100.0))
            gain = (revenue - freight - duty - cost) * share
            history.ad_return[d, f, s, k] += math.floor(gain)
    state.idle[f, s, k] = 0
    record(goods, history, d, f, s, k, n, kept, revenue, freight, duty, cost)
    if f < history.orders.shape[1]:
        fine_missing_permit(goods, state, history, d + 1, f, s, k)


@kernel
def open_listings(state: State, history: History, d: int) -> None:
    """Count a day without sale for every listing, and charge the ads of those with stock."""
    firms, skus, countries = state.price.shape
    for f in range(firms):
        for s in range(skus):
            for k in range(countries):
                if state.price[f, s, k] > 0:
                    state.idle[f, s, k] += 1
                    ad = state.ad[f, s, k]
                    if ad > 0 and state.stock[f, s] > 0:
                        move(state.cash, history.ledger, d + 1, f, ADS, -ad)
                        if f < history.orders.shape[1]:
                            history.ad_spend[d, f, s, k] += ad


@kernel
def serve_consumers(
    goods: Goods, luck: Luck, state: State, history: History, scratch: Scratch, d: int
) -> None:
    """Play every cell of a day: SKUs ascending, countries in an order that turns with the day."""
    skus, countries = goods.guide.shape
    for s in range(skus):
        for turn in range(countries):
            k = (turn + d) % countries
            count = gather(goods, state, scratch, s, k)
            if count > 0:
                history.market_offers[d, goods.category[s], k] += count
                for b in range(buyers_of(goods, luck, d, s, k)):
                    units = wanted(luck, d, s, k, b)
                    total = weigh(goods, luck, state, scratch, d, s, k, count, units)
                    x = uniform(mixed(hashed(luck, CHOICE, s, k, d), b)) * total
                    place = chosen(scratch, count, x)
                    if place >= 0:
                        sell(goods, luck, state, history, scratch, d, s, k, b, place, units)
