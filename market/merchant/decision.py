"""What a decision may hold: checked whole before any of it is applied, with one reason when refused.

`read` turns JSON into an Order of plain integers or raises Refused; the same function serves a desk's
check, its preview and the settlement.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from market.merchant.catalog import product_id, product_numbers
from market.merchant.figures import PRICE_LIMIT, SLOTS

FIELDS = ("delist", "reprice", "list")
Priced = tuple[tuple[int, int], ...]


class Refused(Exception):
    """A decision that may not be applied; the text says what is wrong and what is allowed."""


class Order(NamedTuple):
    """A decision as integers: products by number, prices in fen."""

    delist: tuple[int, ...]
    reprice: Priced
    listing: Priced


def shown(value: Any) -> str:
    """Return a value as a message shows it, short."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    return text if len(text) <= 60 else text[:57] + "..."


def _product(name: Any, n: int, place: str) -> int:
    number = product_numbers(n).get(name) if isinstance(name, str) else None
    if number is None:
        raise Refused(f"{place}: {shown(name)} is not a product; allowed: P00000 to {product_id(n - 1)}")
    return number


def _price(value: Any, place: str) -> int:
    if type(value) is int:
        price = value
    elif type(value) is float and value.is_integer():
        price = int(value)
    else:
        raise Refused(f"{place} must be whole fen from 1 to {PRICE_LIMIT}, got {shown(value)}")
    if not 1 <= price <= PRICE_LIMIT:
        raise Refused(f"{place} must be from 1 to {PRICE_LIMIT} fen, got {shown(value)}")
    return price


def _priced(value: Any, n: int, field: str) -> Priced:
    """Return products and prices by product: an object has no order, and no receipt may tell of one."""
    if not isinstance(value, Mapping):
        raise Refused(f"{field} must be an object of product and price, got {shown(value)}")
    return tuple(
        (_product(name, n, field), _price(value[name], f"{field}.{name}")) for name in sorted(value, key=str)
    )


def _delisted(value: Any, n: int) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise Refused(f"delist must be a list of products, got {shown(value)}")
    products = tuple(_product(name, n, "delist") for name in value)
    if len(set(products)) < len(products):
        twice = next(i for i in products if products.count(i) > 1)
        raise Refused(f"delist: {product_id(twice)} is there twice; each product at most once")
    return products


def read(decision: Any, shelf: Container[int], listed: int, available: NDArray[np.int8]) -> Order:
    """Return the decision as an Order; raises Refused.

    `shelf` holds the products listed now, `listed` is their number, `available` is by product.
    """
    if not isinstance(decision, Mapping):
        raise Refused(f"a decision must be an object, got {shown(decision)}")
    unknown = [name for name in decision if name not in FIELDS]
    if unknown:
        raise Refused(f"unknown field {shown(unknown[0])}; allowed: {', '.join(FIELDS)}")
    n = len(available)
    order = Order(
        delist=_delisted(decision.get("delist", []), n),
        reprice=_priced(decision.get("reprice", {}), n, "reprice"),
        listing=_priced(decision.get("list", {}), n, "list"),
    )
    _check_state(order, shelf, listed, available)
    return order


def _check_state(order: Order, shelf: Container[int], listed: int, available: NDArray[np.int8]) -> None:
    leaving = frozenset(order.delist)
    for i in order.delist:
        if i not in shelf:
            raise Refused(f"delist: {product_id(i)} is not listed now")
    for i, _ in order.reprice:
        if i not in shelf:
            raise Refused(f"reprice: {product_id(i)} is not listed now")
        if i in leaving:
            raise Refused(f"reprice: {product_id(i)} is in delist too; list it again to relaunch it")
    for i, _ in order.listing:
        if i in shelf and i not in leaving:
            raise Refused(f"list: {product_id(i)} is listed now; reprice it, or delist it too to relaunch it")
        if not available[i]:
            raise Refused(f"list: {product_id(i)} is not available from its supplier now")
    after = listed - len(order.delist) + len(order.listing)
    if after > SLOTS:
        raise Refused(f"list: {after} listings would stand, at most {SLOTS} are allowed")
