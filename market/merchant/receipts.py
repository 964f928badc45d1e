"""Receipts: what became of every item of a decision, and of a store that closed."""

from __future__ import annotations

from collections.abc import Iterator

from market.merchant.catalog import product_id
from market.merchant.decision import Order
from tournament.records import Receipt


def applied(seat: int, window: int, order: Order) -> Iterator[Receipt]:
    """Yield one receipt an item, in the order in which it was applied."""
    for i in order.delist:
        yield _applied(seat, window, "delist", product_id(i))
    for i, price in order.reprice:
        yield _applied(seat, window, "reprice", f"{product_id(i)} at {price}")
    for i, price in order.listing:
        yield _applied(seat, window, "list", f"{product_id(i)} at {price}")


def _applied(seat: int, window: int, action: str, detail: str) -> Receipt:
    return Receipt(
        seat=seat,
        window=window,
        action=action,
        status="applied",
        cents=0,
        effective_day=window + 1,
        detail=detail,
    )


def refused(seat: int, window: int, reason: str) -> Receipt:
    """Return the one receipt of a decision refused whole."""
    return Receipt(
        seat=seat,
        window=window,
        action="decision",
        status="refused",
        cents=0,
        effective_day=None,
        detail=reason,
    )


def closure(seat: int, window: int) -> Receipt:
    """Return the receipt of a store whose deposit was exhausted in a window."""
    return Receipt(
        seat=seat,
        window=window,
        action="closure",
        status="expired",
        cents=0,
        effective_day=window + 1,
        detail="the deposit is exhausted: the store is closed, its orders run to their end",
    )
