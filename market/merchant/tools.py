"""The market's actions as typed tools: one pydantic definition each, staged into a draft decision.

A product stands once in a draft, the last call on it deciding; what could not be sealed is refused when
it is staged, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from market.merchant.figures import PRICE_LIMIT, SLOTS
from tournament.errors import InputError
from tournament.records import Decision, Json, Tool

Product = Annotated[str, Field(description="Product id: P and five digits.", pattern=r"^P[0-9]{5}$")]
Price = Annotated[int, Field(description="Sale price in fen.", ge=1, le=PRICE_LIMIT)]
Check = Callable[[Json], str | None]


class Arguments(BaseModel):
    """Arguments are strict: whole numbers, no strings for numbers, no unknown names."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Item(Arguments):
    product: Product
    price_cents: Price


class Items(Arguments):
    items: Annotated[list[Item], Field(description="Products and prices.", min_length=1, max_length=100)]


class Products(Arguments):
    products: Annotated[list[Product], Field(description="Product ids.", min_length=1, max_length=100)]


class One(Arguments):
    product: Product


Draft = dict[str, Any]


def _opened(draft: Decision) -> Draft:
    return {
        "delist": list(draft.get("delist", [])),
        "reprice": dict(draft.get("reprice", {})),
        "list": dict(draft.get("list", {})),
    }


def _closed(draft: Draft) -> Decision:
    return {field: value for field, value in draft.items() if value}


def _without(draft: Draft, product: str) -> None:
    """Take a product out of a draft of one's own."""
    draft["delist"] = [name for name in draft["delist"] if name != product]
    draft["reprice"].pop(product, None)
    draft["list"].pop(product, None)


def _put(draft: Decision, fields: tuple[str, ...], items: Mapping[str, int | None]) -> Decision:
    opened = _opened(draft)
    for product, price in items.items():
        _without(opened, product)
        for field in fields:
            if field == "delist":
                opened["delist"].append(product)
            else:
                opened[field][product] = price
    return _closed(opened)


def _listed(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, Items)
    return _put(draft, ("list",), {item.product: item.price_cents for item in arguments.items})


def _repriced(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, Items)
    return _put(draft, ("reprice",), {item.product: item.price_cents for item in arguments.items})


def _delisted(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, Products)
    return _put(draft, ("delist",), dict.fromkeys(arguments.products))


def _relaunched(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, Item)
    return _put(draft, ("delist", "list"), {arguments.product: arguments.price_cents})


def _withdrawn(draft: Decision, arguments: BaseModel) -> Decision:
    assert isinstance(arguments, One)
    opened = _opened(draft)
    staged = {*opened["delist"], *opened["reprice"], *opened["list"]}
    if arguments.product not in staged:
        held = ", ".join(sorted(staged)) or "none"
        raise InputError(f"the draft holds nothing for {arguments.product}; products staged: {held}")
    _without(opened, arguments.product)
    return _closed(opened)


Stage = Callable[[Decision, BaseModel], Decision]
ROWS: tuple[tuple[str, str, type[Arguments], Stage], ...] = (
    (
        "list_products",
        f"Put products on your shelf at your prices; at most {SLOTS} listings stand.",
        Items,
        _listed,
    ),
    ("delist_products", "Take products off your shelf.", Products, _delisted),
    ("adjust_prices", "Change the prices of products on your shelf; their age goes on.", Items, _repriced),
    (
        "relaunch_product",
        "Take a product off your shelf and list it again at once: its exposure starts anew.",
        Item,
        _relaunched,
    ),
    ("withdraw", "Take whatever the draft holds for a product out of it.", One, _withdrawn),
)


def tools_of(check: Check) -> tuple[Tool, ...]:
    """Return the tools; `check` tells why a draft could not be sealed, or None."""

    def checked(stage: Stage) -> Stage:
        def staged(draft: Decision, arguments: BaseModel) -> Decision:
            after = stage(draft, arguments)
            reason = check(after)
            if reason is not None:
                raise InputError(reason)
            return after

        return staged

    return tuple(
        Tool(
            name=name,
            description=text,
            arguments=arguments,
            stage=stage if name == "withdraw" else checked(stage),
        )
        for name, text, arguments, stage in ROWS
    )
