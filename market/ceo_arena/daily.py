"""The rows of a seat's company database by day: own records and public facts of every day so far.

Completed days stand, so each reader yields the rows of the days after a version alone; whole arrays
become Python numbers at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from market.ceo_arena.outcomes import by_kind
from market.ceo_arena.parameters import PRODUCTS, SEGMENTS
from market.ceo_arena.state import ENTERPRISE

if TYPE_CHECKING:
    from market.ceo_arena.world import CompanyWorld

Rows = Iterable[tuple[Any, ...]]


def daily_cashflow(world: CompanyWorld, i: int, after: int) -> Rows:
    days = slice(after, world.version)
    ledger = world.history.ledger[days, i]
    revenue, moved = by_kind(ledger)["revenue_cents"].tolist(), ledger.sum(axis=1).tolist()
    cash = world.history.cash[days, i].tolist()
    for day, came, change, left in zip(itertools.count(after + 1), revenue, moved, cash, strict=False):
        yield day, came, came - change, change, left


def daily_expenses(world: CompanyWorld, i: int, after: int) -> Rows:
    kinds = by_kind(world.history.ledger[after : world.version, i])
    names = [name for name in kinds if name != "revenue_cents"]
    for number, row in enumerate(zip(*(kinds[name].tolist() for name in names), strict=True)):
        for name, cents in zip(names, row, strict=True):
            if cents:
                yield after + number + 1, name.removesuffix("_cents"), cents


def daily_product_sales(world: CompanyWorld, i: int, after: int) -> Rows:
    history, days = world.history, slice(after, world.version)
    ledger, delivered = history.ledger[days, i], history.delivered[days, i]
    by_product = ledger[:, :ENTERPRISE].reshape(len(ledger), len(PRODUCTS), len(SEGMENTS))
    yield from _by_day(
        after,
        PRODUCTS,
        history.posted[days, i],
        history.promotion[days, i],
        history.demand[days, i].sum(axis=1),
        history.served[days, i].sum(axis=1),
        delivered[:, : len(SEGMENTS)].sum(axis=1),
        delivered[:, len(SEGMENTS)],
        by_product.sum(axis=2),
        ledger[:, ENTERPRISE : ENTERPRISE + len(PRODUCTS)],
    )


def daily_segment_service(world: CompanyWorld, i: int, after: int) -> Rows:
    history, days = world.history, slice(after, world.version)
    yield from _by_day(
        after,
        SEGMENTS,
        history.demand[days, i].sum(axis=2),
        history.served[days, i].sum(axis=2),
        history.delivered[days, i, : len(SEGMENTS)].sum(axis=2),
        history.core[days, i, 13 : 13 + len(SEGMENTS)],
    )


def inventory(world: CompanyWorld, i: int, after: int) -> Rows:
    history, days = world.history, slice(after, world.version)
    yield from _by_day(
        after,
        PRODUCTS,
        history.stock[days, i],
        history.inbound[days, i],
        history.waiting[days, i],
        history.core[days, i, 28 : 28 + len(PRODUCTS)].astype(int),
    )


def public_prices(world: CompanyWorld, _: int, after: int) -> Rows:
    history, days = world.history, slice(after, world.version)
    active = history.active[days].tolist()
    firms = [(firm, product) for firm in range(world.seats) for product in PRODUCTS]
    posted = (history.price[days], history.promotion[days], history.posted[days])
    numbers = (part.reshape(len(active), len(firms)) for part in posted)
    for day, (firm, product), *prices in _by_day(after, firms, *numbers):
        if active[day - after - 1][firm]:
            yield day, firm + 1, product, *prices


def market_signal(world: CompanyWorld, _: int, after: int) -> Rows:
    """The signal of a day is readable a window later."""
    length = world.parameters.window_days
    for number in range(max(0, after - length), max(0, world.version - length)):
        yield number + 1, float(world.luck.signal[number])


def _by_day(after: int, names: Sequence[Any], *numbers: NDArray[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield day, name and one value of each array of shape (days, names)."""
    for day, *rows in zip(itertools.count(after + 1), *(part.tolist() for part in numbers), strict=False):
        yield from zip(itertools.repeat(day), names, *rows, strict=False)


DAILY: Mapping[str, Callable[[CompanyWorld, int, int], Rows]] = {
    "daily_cashflow": daily_cashflow,
    "daily_expenses": daily_expenses,
    "daily_product_sales": daily_product_sales,
    "daily_segment_service": daily_segment_service,
    "inventory": inventory,
    "public_prices": public_prices,
    "market_signal": market_signal,
}
