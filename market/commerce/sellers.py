"""The sixty scripted sellers: who they are under a seed, and how each archetype prices and restocks.

Their behaviour answers the published prices, the seats' included; only who they are is exogenous.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from market.commerce.books import move, send
from market.commerce.catalog import Catalog, Ints, Reals, rounded
from market.commerce.exogenous import Exogenous
from market.commerce.parameters import (
    APPROACHING,
    ARCHETYPES,
    CATEGORIES,
    COUNTRIES,
    CROSS_BORDER,
    DOMAIN,
    ENDING,
    LIQUIDATOR,
    LOAN_INTEREST,
    PEAK,
    PREMIUM,
    SKUS,
    SNIPER,
    TIERS,
    TRACKER,
    UNDERCUTTER,
    VELOCITY,
    WHOLESALE,
)
from market.commerce.state import (
    INTEREST,
    LOANS,
    OVERHEAD,
    PROCUREMENT,
    Goods,
    History,
    Luck,
    Scratch,
    State,
)
from market.jit import kernel
from market.tapes import stream

MID, MOST_SKUS, MOST_COUNTRIES = 2, 45, 4
FIRST_MARKUP = 0.9


class Crowd(NamedTuple):
    """Sellers by number: archetype, tier, SKUs and countries (filled up with -1), offer used by SKU.

    `markup` is the velocity archetype's, by SKU. `tier_*` and `type_*` are the tables of parameters.
    """

    archetype: Ints
    tier: Ints
    skus: Ints
    countries: Ints
    offer: Ints
    markup: Reals
    borrowed: Ints
    tier_capital: Ints
    tier_overhead: Ints
    tier_scale: Reals
    type_target: Ints
    type_price: Reals
    type_ad: Ints
    type_price_by_phase: Reals
    type_stock_by_phase: Reals


def _assortment(keys: list[float], home: int, most: int) -> list[int]:
    """Return the SKUs with the smallest keys, those of the home category half a point ahead."""
    ranked = sorted(range(SKUS), key=lambda s: (keys[s] - (0.5 if s // 9 == home else 0.0), s))
    return sorted(ranked[:most])


def _best_offer(catalog: Catalog, wholesale: list[int], source: str, offers: list[int]) -> int:
    """Return the one offer that a seller of this kind always uses; ties go to the smaller number."""
    quality, lead = catalog.offers.advertised_quality.tolist(), catalog.offers.advertised_lead.tolist()
    keys = {
        "price": lambda j: (wholesale[j], j),
        "quality": lambda j: (-quality[j], j),
        "lead": lambda j: (lead[j], j),
        "number": lambda j: (0, j),
    }
    return min(offers, key=keys[source])


def crowd(catalog: Catalog, drawn: Exogenous, seed: int, sellers: int) -> Crowd:
    """Return who the scripted sellers are."""
    who = stream(DOMAIN, seed, "seller").random((60, 3)).tolist()
    sku_keys = stream(DOMAIN, seed, "seller-sku").random((60, SKUS)).tolist()
    country_keys = stream(DOMAIN, seed, "seller-country").random((60, len(COUNTRIES))).tolist()
    wholesale = drawn.wholesale[0].tolist()
    by_sku = [np.flatnonzero(catalog.offers.sku == s).tolist() for s in range(SKUS)]
    used = {
        source: [_best_offer(catalog, wholesale, source, offers) for offers in by_sku]
        for source in ("price", "quality", "lead", "number")
    }
    made = _tables(sellers)
    made.skus[:], made.countries[:] = -1, -1
    for i in range(sellers):
        baseline = i < len(ARCHETYPES)
        archetype = i if baseline else int(10 * who[i][0])
        tier = MID if baseline else next(t for t, size in enumerate(TIERS) if who[i][1] < size.share)
        chosen = _assortment(sku_keys[i], int(len(CATEGORIES) * who[i][2]), TIERS[tier].skus)
        ranked = sorted(range(len(COUNTRIES)), key=lambda k: (country_keys[i][k], k))
        places = sorted(ranked[: TIERS[tier].countries])
        made.archetype[i], made.tier[i] = archetype, tier
        made.skus[i, : len(chosen)], made.countries[i, : len(places)] = chosen, places
        made.offer[i] = used[ARCHETYPES[archetype].source]
    return made


def _tables(sellers: int) -> Crowd:
    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Crowd(
        archetype=ints(sellers),
        tier=ints(sellers),
        skus=ints(sellers, MOST_SKUS),
        countries=ints(sellers, MOST_COUNTRIES),
        offer=ints(sellers, SKUS),
        markup=np.full((sellers, SKUS), FIRST_MARKUP),
        borrowed=ints(sellers),
        tier_capital=np.array([tier.capital for tier in TIERS]),
        tier_overhead=np.array([tier.overhead for tier in TIERS]),
        tier_scale=np.array([tier.scale for tier in TIERS]),
        type_target=np.array([item.target for item in ARCHETYPES]),
        type_price=np.array([item.price for item in ARCHETYPES]),
        type_ad=np.array([item.ad for item in ARCHETYPES]),
        type_price_by_phase=np.array([item.price_by_phase for item in ARCHETYPES], dtype=np.float64),
        type_stock_by_phase=np.array([item.stock_by_phase for item in ARCHETYPES], dtype=np.float64),
    )


def found(catalog: Catalog, drawn: Exogenous, who: Crowd, state: State, seats: int) -> None:
    """Give every seller its first stock and prices, which are the ones published before day 0."""
    offers = catalog.offers
    for i in range(len(who.archetype)):
        f, kind, size = seats + i, ARCHETYPES[int(who.archetype[i])], TIERS[int(who.tier[i])]
        state.cash[f] = size.capital
        for s in who.skus[i, : size.skus].tolist():
            j = int(who.offer[i, s])
            price = int(drawn.wholesale[0, j])
            units = min(int(kind.target * size.scale), size.capital // 2 // size.skus // price)
            state.stock[f, s] = units
            state.stock_cost[f, s] = units * price
            state.quality[f, s] = units * int(offers.quality[j])
            state.cash[f] -= units * price
            for k in who.countries[i, : size.countries].tolist():
                asked = rounded(kind.price * int(catalog.guide[s, k]))
                state.price[f, s, k] = asked
                state.published[f, s, k] = asked if units > 0 else 0


@kernel
def rivals_sorted(state: State, scratch: Scratch, f: int, s: int, k: int) -> int:
    """Sort the other firms' published prices of a cell into the work space; return how many."""
    count = 0
    for other in range(state.published.shape[0]):
        price = state.published[other, s, k]
        if other != f and price > 0:
            place = count
            while place > 0 and scratch.seen[place - 1] > price:
                scratch.seen[place] = scratch.seen[place - 1]
                place -= 1
            scratch.seen[place] = price
            count += 1
    return count


@kernel
def sold_lately(history: History, d: int, f: int, s: int) -> bool:
    """Tell whether a firm sold any of a SKU in the last three days."""
    units = 0
    for day in range(max(d - 3, 0), d):
        units += history.sold[day, f, s]
    return units > 0


@kernel
def aim(
    goods: Goods,
    luck: Luck,
    state: State,
    history: History,
    who: Crowd,
    scratch: Scratch,
    d: int,
    i: int,
    f: int,
    s: int,
    k: int,
    unit_cost: int,
) -> float:
    """Return the price that an archetype aims at before events."""
    kind = who.archetype[i]
    guide = goods.guide[s, k]
    freight = luck.freight[d, s, k]
    target = who.type_price[kind] * guide
    if kind in (UNDERCUTTER, TRACKER):
        count = rivals_sorted(state, scratch, f, s, k)
        if count > 0:
            if kind == UNDERCUTTER:
                target = 0.97 * scratch.seen[(count - 1) // 2]
            else:
                lowest = min(count, 3)
                total = 0
                for place in range(lowest):
                    total += scratch.seen[place]
                target = total / lowest
    elif kind == VELOCITY:
        if d >= 1:
            step = 1.03 if sold_lately(history, d, f, s) else 0.98
            who.markup[i, s] = min(max(who.markup[i, s] * step, 0.6), 1.4)
        target = who.markup[i, s] * guide
    elif kind == CROSS_BORDER:
        duty = luck.duty[d, goods.category[s], k]
        target = 2.3 * (unit_cost + freight) * 1000.0 / (1000.0 - duty / 2.0)
    elif kind == WHOLESALE:
        target = 1.9 * (unit_cost + freight)
    return target


@kernel
def reprice(
    goods: Goods,
    luck: Luck,
    state: State,
    history: History,
    who: Crowd,
    scratch: Scratch,
    d: int,
    i: int,
    f: int,
    s: int,
    k: int,
) -> None:
    """Set one listing's price, ad and promotion for the day."""
    kind = who.archetype[i]
    c = goods.category[s]
    phase = luck.phase[d, c, k]
    stock = state.stock[f, s]
    unit_cost = luck.wholesale[d, who.offer[i, s]]
    if stock > 0:
        unit_cost = state.stock_cost[f, s] // stock
    target = aim(goods, luck, state, history, who, scratch, d, i, f, s, k, unit_cost)
    target = target * who.type_price_by_phase[kind, phase]
    idle = state.idle[f, s, k]
    if kind >= PREMIUM and idle >= 10:
        target = target * max(0.65, math.pow(0.95, idle - 9.0))
    margin = 0.8 if kind == LIQUIDATOR else 1.15
    landed = unit_cost + luck.freight[d, s, k]
    floor = margin * landed * 1000.0 / (1000.0 - luck.duty[d, c, k])
    price = math.floor(max(target, floor) + 0.5)
    eager = 1.8 if phase in (APPROACHING, PEAK) else 1.0
    ad = 0
    if stock > 0:
        ad = math.floor(price * (who.type_ad[kind] * eager) / 1000.0)
    promotion = 0
    if kind == LIQUIDATOR and phase == ENDING:
        promotion = 20
    if kind == SNIPER and phase == PEAK:
        promotion = 15
    state.price[f, s, k] = price
    state.ad[f, s, k] = ad
    state.promotion[f, s, k] = promotion


@kernel
def restock(
    goods: Goods, luck: Luck, state: State, history: History, who: Crowd, d: int, i: int, f: int, s: int
) -> None:
    """Order up to the target where stock and inbound have fallen below two fifths of it."""
    kind = who.archetype[i]
    phase = 3
    for place in range(who.countries.shape[1]):
        k = who.countries[i, place]
        if k >= 0:
            phase = min(phase, luck.phase[d, goods.category[s], k])
    scale = who.tier_scale[who.tier[i]]
    target = math.floor(who.type_target[kind] * scale * who.type_stock_by_phase[kind, phase])
    held = state.stock[f, s]
    for day in range(state.inbound.shape[2]):
        held += state.inbound[f, s, day]
    if 10 * held < 4 * target:
        j = who.offer[i, s]
        price = luck.wholesale[d, j]
        n = min(target - held, goods.most[j], max(state.cash[f], 0) // 3 // price)
        if n >= goods.moq[j]:
            move(state.cash, history.ledger, d + 1, f, PROCUREMENT, -n * price)
            arrives = d + goods.lead[j] + luck.delay[d, goods.offer_country[j]]
            send(
                state.inbound,
                state.inbound_cost,
                state.inbound_quality,
                f,
                s,
                arrives,
                n,
                n * price,
                goods.quality[j],
            )


@kernel
def act(
    goods: Goods,
    luck: Luck,
    state: State,
    history: History,
    who: Crowd,
    scratch: Scratch,
    d: int,
    i: int,
    f: int,
) -> None:
    """Let one seller pay, borrow once if it is short, price its listings and restock."""
    tier = who.tier[i]
    capital = who.tier_capital[tier]
    move(state.cash, history.ledger, d + 1, f, OVERHEAD, -who.tier_overhead[tier])
    if tier >= MID and who.borrowed[i] == 0 and 10 * state.cash[f] < capital:
        who.borrowed[i] = 1
        state.loan[f] += capital // 4
        move(state.cash, history.ledger, d + 1, f, LOANS, capital // 4)
    move(state.cash, history.ledger, d + 1, f, INTEREST, -(state.loan[f] * LOAN_INTEREST // 1000))
    for place in range(who.skus.shape[1]):
        s = who.skus[i, place]
        if s >= 0:
            for spot in range(who.countries.shape[1]):
                k = who.countries[i, spot]
                if k >= 0:
                    reprice(goods, luck, state, history, who, scratch, d, i, f, s, k)
            restock(goods, luck, state, history, who, d, i, f, s)
