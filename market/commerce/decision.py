"""What a decision may hold: its form is checked whole, before anything of it is applied.

`read` turns JSON into an Order of plain integers or raises Refused. Whether an item can be paid for or
is in stock is found out item by item when it is applied (`actions`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from market.commerce.parameters import (
    CODES,
    COUNTRIES,
    FOCUS_LIMIT,
    INCOTERMS,
    MOST_AD,
    MOST_BUYS,
    MOST_CENTS,
    MOST_LISTINGS,
    MOST_PRICE,
    MOST_PROMOTION,
    MOST_UNITS,
    OFFER_IDS,
    SKU_IDS,
    SPEEDS,
    TIER_PERCENT,
    TIER_UNITS,
)

FIELDS = ("focus", "borrow", "factor", "repay", "liquidate", "permits", "buy", "delist", "list", "replies")
FACTS = ("quality", "freight", "duty", "permit")
PAYMENTS = ("cash", "net7")

_OFFERS = {name: j for j, name in enumerate(OFFER_IDS)}
_SKUS = {name: s for s, name in enumerate(SKU_IDS)}
_COUNTRIES = {name: k for k, name in enumerate(COUNTRIES)}
_CATEGORIES = {name: c for c, name in enumerate(CODES)}
_SKUS_ALLOWED = f"{SKU_IDS[0]} to {SKU_IDS[-1]}, see the table skus"
_COUNTRIES_ALLOWED = ", ".join(COUNTRIES)
_SPEEDS = {name: n for n, name in enumerate(SPEEDS)}
_INCOTERMS = {name: n for n, name in enumerate(INCOTERMS)}


class Refused(Exception):
    """A decision that may not be applied; the text says what is wrong and what is allowed."""


class Buy(NamedTuple):
    offer: int
    units: int
    net7: bool


class Listing(NamedTuple):
    """A listing's new values; None keeps the standing one."""

    sku: int
    country: int
    price: int | None
    speed: int | None
    incoterm: int | None
    ad: int | None
    promotion: int | None
    tiers: tuple[tuple[int, int], ...] | None


class Reply(NamedTuple):
    """An answer to an inquiry; `facts` by name."""

    inquiry: int
    price: int
    speed: int
    facts: Mapping[str, int]


class Order(NamedTuple):
    """A decision as integers, SKUs and the rest by index."""

    focus: tuple[int, ...] | None
    borrow: int | None
    factor: int | None
    repay: int | None
    liquidate: tuple[tuple[int, int], ...]
    permits: tuple[tuple[int, int], ...]
    buy: tuple[Buy, ...]
    delist: tuple[tuple[int, int], ...]
    list: tuple[Listing, ...]
    replies: tuple[Reply, ...]


def shown(value: Any) -> str:
    """Return a value for an error message, cut where it is long."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    return text if len(text) <= 60 else text[:57] + "..."


def integer(value: Any, low: int, high: int, place: str) -> int:
    """Return an integral JSON number within bounds; raises Refused naming the place."""
    if type(value) is int:
        number = value
    elif type(value) is float and value.is_integer():
        number = int(value)
    else:
        raise Refused(f"{place} must be a whole number from {low} to {high}, got {shown(value)}")
    if not low <= number <= high:
        raise Refused(f"{place} must be from {low} to {high}, got {shown(value)}")
    return number


def _mapping(value: Any, place: str) -> Mapping[str, Any]:
    if type(value) is not dict and not isinstance(value, Mapping):
        raise Refused(f"{place} must be an object, got {shown(value)}")
    return value


def _list(value: Any, place: str, most: int | None = None) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise Refused(f"{place} must be a list, got {shown(value)}")
    if most is not None and len(value) > most:
        raise Refused(f"{place} takes at most {most} items, got {len(value)}")
    return list(value)


def _named(value: Any, known: Mapping[str, int], place: str, allowed: str) -> int:
    if not isinstance(value, str) or value not in known:
        raise Refused(f"{place}: unknown {shown(value)}; allowed: {allowed}")
    return known[value]


def _sku(value: Any, place: str) -> int:
    return _named(value, _SKUS, place, _SKUS_ALLOWED)


def _country(value: Any, place: str) -> int:
    return _named(value, _COUNTRIES, place, _COUNTRIES_ALLOWED)


def _category(value: Any, place: str) -> int:
    return _named(value, _CATEGORIES, place, ", ".join(CODES))


def _once(items: list[Any], place: str, what: str) -> None:
    if len(set(items)) != len(items):
        raise Refused(f"{place}: {what} at most once in a decision")


def _pair(value: Any, place: str, first: Callable[[Any, str], int], names: str) -> tuple[int, int]:
    pair = _list(value, place)
    if len(pair) != 2:
        raise Refused(f"{place} takes [{names}], got {shown(value)}")
    return first(pair[0], place), _country(pair[1], place)


def _focus(value: Any) -> tuple[int, ...]:
    focus = [_category(item, "focus") for item in _list(value, "focus", FOCUS_LIMIT)]
    _once(focus, "focus", "each category")
    return tuple(focus)


def _liquidate(value: Any) -> tuple[tuple[int, int], ...]:
    return tuple(
        sorted(
            (_sku(name, "liquidate"), integer(units, 1, MOST_UNITS, f"liquidate.{name}"))
            for name, units in _mapping(value, "liquidate").items()
        )
    )


def _permits(value: Any) -> tuple[tuple[int, int], ...]:
    pairs = [
        _pair(item, f"permits[{n}]", _category, "category, country")
        for n, item in enumerate(_list(value, "permits"))
    ]
    _once(pairs, "permits", "each category and country")
    return tuple(pairs)


def _delist(value: Any) -> tuple[tuple[int, int], ...]:
    pairs = [
        _pair(item, f"delist[{n}]", _sku, "SKU, country") for n, item in enumerate(_list(value, "delist"))
    ]
    _once(pairs, "delist", "each SKU and country")
    return tuple(pairs)


def _buy(value: Any) -> tuple[Buy, ...]:
    buys = []
    for n, item in enumerate(_list(value, "buy", MOST_BUYS)):
        place = f"buy[{n}]"
        parts = _list(item, place)
        if len(parts) not in (2, 3):
            raise Refused(f"{place} takes [offer, units] or [offer, units, payment], got {shown(item)}")
        offer = _named(parts[0], _OFFERS, place, f"{OFFER_IDS[0]} to {OFFER_IDS[-1]}")
        units = integer(parts[1], 1, MOST_UNITS, f"{place} units")
        payment = parts[2] if len(parts) == 3 else PAYMENTS[0]
        if not isinstance(payment, str) or payment not in PAYMENTS:
            raise Refused(f"{place}: unknown payment {shown(payment)}; allowed: {', '.join(PAYMENTS)}")
        buys.append(Buy(offer, units, payment == "net7"))
    return tuple(buys)


def _tiers(value: Any, place: str) -> tuple[tuple[int, int], ...]:
    tiers = []
    for item in _list(value, place, 2):
        step = _list(item, place)
        if len(step) != 2:
            raise Refused(f"{place} takes [units, percent] steps, got {shown(item)}")
        tiers.append(
            (
                integer(step[0], *TIER_UNITS, f"{place} units"),
                integer(step[1], *TIER_PERCENT, f"{place} percent"),
            )
        )
    if len(tiers) == 2 and tiers[0][0] >= tiers[1][0]:
        raise Refused(f"{place}: the second step must begin at more units than the first")
    return tuple(tiers)


LISTING_FIELDS = ("sku", "country", "price", "speed", "incoterm", "ad", "promotion", "tiers")


def _known(value: Mapping[str, Any], fields: tuple[str, ...], needed: int, place: str) -> None:
    """Refuse unknown fields, and the absence of the first `needed` ones."""
    for name in value:
        if name not in fields:
            raise Refused(f"{place}: unknown field {shown(name)}; allowed: {', '.join(fields)}")
    for name in fields[:needed]:
        if name not in value:
            raise Refused(f"{place}: {name} is missing")


_LISTING_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "price": lambda cents, place: integer(cents, 1, MOST_PRICE, place),
    "speed": lambda name, place: _named(name, _SPEEDS, place, ", ".join(SPEEDS)),
    "incoterm": lambda name, place: _named(name, _INCOTERMS, place, ", ".join(INCOTERMS)),
    "ad": lambda cents, place: integer(cents, 0, MOST_AD, place),
    "promotion": lambda percent, place: integer(percent, 0, MOST_PROMOTION, place),
    "tiers": _tiers,
}


_UNCHANGED: Mapping[str, None] = dict.fromkeys(_LISTING_READERS)
_LISTING_NAMES = frozenset(LISTING_FIELDS)
# Bounds of the fields that are nothing but a number.
_PLAIN = {"price": (1, MOST_PRICE), "ad": (0, MOST_AD), "promotion": (0, MOST_PROMOTION)}


def _listing(value: Any, n: int) -> Listing:
    """Read the n-th listing; its place is told only of what is refused, for there are hundreds a decision."""
    item = _mapping(value, f"list[{n}]") if type(value) is not dict else value
    values: dict[str, Any] = dict(_UNCHANGED)
    for name, given in item.items():
        low, high = _PLAIN.get(name, (1, 0))
        if type(given) is int and low <= given <= high:
            values[name] = given
        elif name in _UNCHANGED:
            values[name] = _LISTING_READERS[name](given, f"list[{n}].{name}")
    if not (item.keys() <= _LISTING_NAMES and "sku" in item and "country" in item):
        _known(item, LISTING_FIELDS, 2, f"list[{n}]")
    sku, country = item["sku"], item["country"]
    s = _SKUS.get(sku) if type(sku) is str else None
    k = _COUNTRIES.get(country) if type(country) is str else None
    place = _sku(sku, f"list[{n}]") if s is None else s
    return Listing(place, _country(country, f"list[{n}]") if k is None else k, *values.values())


def _listings(value: Any) -> tuple[Listing, ...]:
    items = [_listing(item, n) for n, item in enumerate(_list(value, "list", MOST_LISTINGS))]
    _once([item[:2] for item in items], "list", "each SKU and country")
    return tuple(items)


def _reply(value: Any, place: str, open_inquiries: tuple[int, ...]) -> Reply:
    item = _mapping(value, place)
    _known(item, ("inquiry", "price", "speed", "facts"), 2, place)
    number = integer(item["inquiry"], 0, MOST_CENTS, f"{place}.inquiry")
    if number not in open_inquiries:
        raise Refused(f"{place}: inquiry {number} is not open now; see the table inquiries")
    facts = {}
    for name, claim in _mapping(item.get("facts", {}), f"{place}.facts").items():
        if name not in FACTS:
            raise Refused(f"{place}.facts: unknown {shown(name)}; allowed: {', '.join(FACTS)}")
        facts[name] = integer(claim, 0, MOST_CENTS, f"{place}.facts.{name}")
    speed = _named(item.get("speed", SPEEDS[0]), _SPEEDS, f"{place}.speed", ", ".join(SPEEDS))
    return Reply(number, integer(item["price"], 1, MOST_PRICE, f"{place}.price"), speed, facts)


def _replies(value: Any, open_inquiries: tuple[int, ...]) -> tuple[Reply, ...]:
    items = [_reply(item, f"replies[{n}]", open_inquiries) for n, item in enumerate(_list(value, "replies"))]
    _once([item.inquiry for item in items], "replies", "each inquiry")
    return tuple(items)


def read(decision: Any, open_inquiries: tuple[int, ...]) -> Order:
    """Return the decision as an Order; raises Refused for anything malformed or out of range."""
    readers: Mapping[str, Callable[[Any], Any]] = {
        "focus": _focus,
        "borrow": lambda cents: integer(cents, 1, MOST_CENTS, "borrow"),
        "factor": lambda cents: integer(cents, 1, MOST_CENTS, "factor"),
        "repay": lambda cents: integer(cents, 1, MOST_CENTS, "repay"),
        "liquidate": _liquidate,
        "permits": _permits,
        "buy": _buy,
        "delist": _delist,
        "list": _listings,
        "replies": lambda items: _replies(items, open_inquiries),
    }
    fields: dict[str, Any] = dict.fromkeys(FIELDS, ())
    fields |= dict.fromkeys(("focus", "borrow", "factor", "repay"))
    for name, value in _mapping(decision, "a decision").items():
        if name not in readers:
            raise Refused(f"unknown field {shown(name)}; allowed: {', '.join(FIELDS)}")
        fields[name] = readers[name](value)
    return Order(**fields)
