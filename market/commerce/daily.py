"""The rows of a seat's company database that only ever grow: each reader yields those behind an earlier version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from market.commerce.catalog import Ints
from market.commerce.parameters import COUNTRIES, OFFER_IDS, SKU_IDS
from market.commerce.state import ACCOUNTS

if TYPE_CHECKING:
    from market.commerce.actions import Purchase
    from market.commerce.world import CommerceWorld

Rows = Iterable[tuple[Any, ...]]


def completed(world: CommerceWorld, after: int) -> slice:
    """Return the days completed now that were not at version `after`: window 0 completes none."""
    return slice(max(after - 1, 0), max(world.version - 1, 0))


def _by_listing(days: slice, when: Ints, *columns: Ints) -> Iterator[tuple[Any, ...]]:
    """Yield day, SKU, country and the columns' values wherever `when` is not zero."""
    day, sku, country = when[days].nonzero()
    values = [column[days][day, sku, country].tolist() for column in columns]
    for d, s, k, *row in zip(
        (day + days.start).tolist(), sku.tolist(), country.tolist(), *values, strict=True
    ):
        yield (d, SKU_IDS[s], COUNTRIES[k], *row)


def offer_history(world: CommerceWorld, _: int, after: int) -> Rows:
    days = completed(world, after)
    for d in range(days.start, days.stop):
        for j, cents in enumerate(world.drawn.wholesale[d].tolist()):
            yield d, OFFER_IDS[j], cents


def _new(item: Purchase, world: CommerceWorld, after: int) -> bool:
    return after < item.known_version <= world.version


def purchase_orders(world: CommerceWorld, i: int, after: int) -> Rows:
    sku = world.catalog.offers.sku
    for item in world.purchases[i]:
        if item.window >= after:
            payment = "net7" if item.net7 else "cash"
            yield (
                item.number,
                item.window,
                OFFER_IDS[item.offer],
                SKU_IDS[int(sku[item.offer])],
                item.units,
                item.unit_price,
                payment,
                item.promised_day,
            )


def delivered_quality(world: CommerceWorld, i: int, after: int) -> Rows:
    offers = world.catalog.offers
    arrived = [item for item in world.purchases[i] if _new(item, world, after)]
    for item in sorted(arrived, key=lambda item: (item.known_version, item.number)):
        yield (
            item.number,
            OFFER_IDS[item.offer],
            SKU_IDS[int(offers.sku[item.offer])],
            item.units,
            item.arrives,
            int(offers.advertised_quality[item.offer]),
            int(offers.quality[item.offer]),
            item.promised,
            None if item.window == 0 else item.arrives - (item.window - 1),
        )


def violations(world: CommerceWorld, i: int, after: int) -> Rows:
    history = world.history
    return _by_listing(
        completed(world, after), history.violations[:, i], history.violations[:, i], history.fines[:, i]
    )


def inquiry_results(world: CommerceWorld, i: int, after: int) -> Rows:
    days = completed(world, after)
    for item in world.closed:
        if days.start <= item.day < days.stop:
            asked, own = item.inquiry, item.winner == i
            result = item.state if item.state != "won" else "won" if own else "lost"
            price, revenue = (item.price, item.revenue) if own else (None, None)
            yield (
                item.day,
                asked.number,
                SKU_IDS[asked.sku],
                COUNTRIES[asked.country],
                asked.units,
                result,
                price,
                revenue,
            )


def ad_performance(world: CommerceWorld, i: int, after: int) -> Rows:
    h = world.history
    spend = h.ad_spend[:, i]
    return _by_listing(
        completed(world, after), spend, spend, h.orders[:, i], h.units[:, i], h.ad_return[:, i]
    )


def daily_sales(world: CommerceWorld, i: int, after: int) -> Rows:
    h = world.history
    orders = h.orders[:, i]
    return _by_listing(
        completed(world, after), orders, orders, h.units[:, i], h.revenue[:, i], h.contribution[:, i]
    )


def daily_cashflow(world: CommerceWorld, i: int, after: int) -> Rows:
    history = world.history
    for w in range(after, world.version):
        yield (w, *history.ledger[w, i].tolist(), int(history.cash[w, i]))


def ledger(world: CommerceWorld, i: int, after: int) -> Rows:
    for w in range(after, world.version):
        for name, cents in zip(ACCOUNTS, world.history.ledger[w, i].tolist(), strict=True):
            if cents:
                yield w, name, cents


def action_receipts(world: CommerceWorld, i: int, after: int) -> Rows:
    for item in world.receipts:
        if item.seat == i + 1 and item.window >= after:
            yield item.window, item.action, item.status, item.cents, item.effective_day, item.detail


DAILY: Mapping[str, Callable[[CommerceWorld, int, int], Rows]] = {
    "offer_history": offer_history,
    "purchase_orders": purchase_orders,
    "delivered_quality": delivered_quality,
    "violations": violations,
    "inquiry_results": inquiry_results,
    "ad_performance": ad_performance,
    "daily_sales": daily_sales,
    "daily_cashflow": daily_cashflow,
    "ledger": ledger,
    "action_receipts": action_receipts,
}
