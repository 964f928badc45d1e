"""The market's staging tools by area: each puts one item into the draft, or says why it could not be sealed.

The last call on an item stands: a listing's fields, a permit or a reply of a draft are replaced, purchases add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from market.commerce import arguments as given
from market.commerce.decision import Refused
from market.commerce.preview import Trial
from tournament.errors import InputError
from tournament.records import Decision, Tool

if TYPE_CHECKING:
    from market.commerce.world import CommerceWorld

Stage = Callable[[Decision, Any], Decision]


def with_listing(draft: Decision, sku: str, country: str, fields: Mapping[str, Any]) -> Decision:
    """Return the draft with fields of one listing set over those staged before."""
    rows = list(draft.get("list", []))
    for n, row in enumerate(rows):
        if (row["sku"], row["country"]) == (sku, country):
            rows[n] = {**row, **fields}
            return {**draft, "list": rows}
    return {**draft, "list": [*rows, {"sku": sku, "country": country, **fields}]}


def _listing(draft: Decision, a: Any) -> Decision:
    fields = a.model_dump(exclude_unset=True, exclude={"sku", "country", "price_cents", "ad_cents_per_day"})
    if "promotion_percent" in fields:
        fields["promotion"] = fields.pop("promotion_percent")
    fields["price"] = a.price_cents
    if "ad_cents_per_day" in a.model_fields_set:
        fields["ad"] = a.ad_cents_per_day
    return with_listing(draft, a.sku, a.country, fields)


def _field(name: str, read: Callable[[Any], Any]) -> Stage:
    def stage(draft: Decision, a: Any) -> Decision:
        return with_listing(draft, a.sku, a.country, {name: read(a)})

    return stage


def _tiers(a: Any) -> list[list[int]]:
    return [[step.units, step.percent] for step in a.tiers]


def _buy(draft: Decision, a: Any) -> Decision:
    item = [a.offer, a.units] if a.payment == "cash" else [a.offer, a.units, a.payment]
    return {**draft, "buy": [*draft.get("buy", []), item]}


def _without(draft: Decision, field: str, keep: Callable[[Any], bool], what: str) -> Decision:
    standing = draft.get(field, [])
    rest = [item for item in standing if keep(item)]
    if len(rest) == len(standing):
        raise InputError(f"the draft holds no {what}")
    others = {name: value for name, value in draft.items() if name != field}
    return {**others, field: rest} if rest else others


def _withdraw_buy(draft: Decision, a: Any) -> Decision:
    return _without(draft, "buy", lambda item: item[0] != a.offer, f"purchase of {a.offer}")


def _withdraw_reply(draft: Decision, a: Any) -> Decision:
    return _without(
        draft, "replies", lambda item: item["inquiry"] != a.inquiry, f"reply to inquiry {a.inquiry}"
    )


def _added(field: str, read: Callable[[Any], list[str]]) -> Stage:
    def stage(draft: Decision, a: Any) -> Decision:
        item, standing = read(a), draft.get(field, [])
        return {**draft, field: [*(row for row in standing if list(row) != item), item]}

    return stage


def _delist(draft: Decision, a: Any) -> Decision:
    staged = _added("delist", lambda b: [b.sku, b.country])(draft, a)
    rows = [row for row in draft.get("list", []) if (row["sku"], row["country"]) != (a.sku, a.country)]
    rest = {name: value for name, value in staged.items() if name != "list"}
    return {**rest, "list": rows} if rows else rest


def _reply(draft: Decision, a: Any) -> Decision:
    facts = {
        name: getattr(a, name)
        for name in ("quality", "freight", "duty", "permit")
        if getattr(a, name) is not None
    }
    item = {"inquiry": a.inquiry, "price": a.price_cents, "speed": a.speed, "facts": facts}
    others = [row for row in draft.get("replies", []) if row["inquiry"] != a.inquiry]
    return {**draft, "replies": [*others, item]}


def _amount(field: str) -> Stage:
    def stage(draft: Decision, a: Any) -> Decision:
        return {**draft, field: a.cents}

    return stage


def _liquidate(draft: Decision, a: Any) -> Decision:
    return {**draft, "liquidate": {**draft.get("liquidate", {}), a.sku: a.units}}


def _focus(draft: Decision, a: Any) -> Decision:
    return {**draft, "focus": list(a.categories)}


Row = tuple[str, str, str, type[BaseModel], Stage]

# Area, name, description, arguments, stage. Discounts, fees and limits stand in the guide.
ROWS: tuple[Row, ...] = (
    (
        "sourcing",
        "buy_initial_inventory",
        "Setup only: buy from a supplier offer, in stock at once.",
        given.Buy,
        _buy,
    ),
    ("sourcing", "buy_inventory", "Buy from a supplier offer; arrives after its lead time.", given.Buy, _buy),
    (
        "sourcing",
        "withdraw_buy",
        "Take an offer's purchases out of the draft.",
        given.WithdrawBuy,
        _withdraw_buy,
    ),
    (
        "listings",
        "create_listing",
        "List a SKU in a country; what is left out starts as standard, DDP, no ad, promotion or tier.",
        given.CreateListing,
        _listing,
    ),
    (
        "listings",
        "update_price",
        "Change a listing's price.",
        given.PriceChange,
        _field("price", lambda a: a.price_cents),
    ),
    (
        "listings",
        "set_price_tiers",
        "Discount big orders: at most two steps of units and percent; an empty list ends them.",
        given.Tiers,
        _field("tiers", _tiers),
    ),
    (
        "listings",
        "set_incoterm",
        "DDP: you pay freight and duty; DAP: the buyer pays duty; FOB: the buyer pays both.",
        given.Incoterm,
        _field("incoterm", lambda a: a.incoterm),
    ),
    (
        "listings",
        "set_shipping_speed",
        "Standard, or express at 1.8 times the freight.",
        given.Speed,
        _field("speed", lambda a: a.speed),
    ),
    (
        "listings",
        "set_promotion",
        "Discount for everybody, 0 to 50 percent; it stands until changed.",
        given.Promotion,
        _field("promotion", lambda a: a.percent),
    ),
    ("listings", "delist", "End a listing.", given.Cell, _delist),
    (
        "listings",
        "declare_focus",
        "Declare up to three focus categories; free in the setup.",
        given.Focus,
        _focus,
    ),
    (
        "advertising",
        "set_ad_budget",
        "Ad budget a day of a listing; it stands until changed.",
        given.Ad,
        _field("ad", lambda a: a.cents_per_day),
    ),
    ("advertising", "stop_ads", "End a listing's ad.", given.Cell, _field("ad", lambda _: 0)),
    (
        "compliance",
        "apply_permit",
        "Apply for a category's import permit in a country; the fee is paid at once.",
        given.Permit,
        _added("permits", lambda a: [a.category, a.country]),
    ),
    (
        "service",
        "reply_inquiry",
        "Answer an open inquiry with a DDP price and facts; a fact that your records do not support costs 70 percent.",
        given.ReplyInquiry,
        _reply,
    ),
    ("service", "withdraw_reply", "Take a reply out of the draft.", given.WithdrawReply, _withdraw_reply),
    ("finance", "borrow", "Raise the loan.", given.Amount, _amount("borrow")),
    ("finance", "repay", "Pay the loan back, at most what is owed.", given.Amount, _amount("repay")),
    (
        "finance",
        "factor_receivables",
        "Sell receivables worth up to this amount for cash, less 3 percent.",
        given.Amount,
        _amount("factor"),
    ),
    (
        "recovery",
        "liquidate",
        "Sell stock off at 45 percent of its cost.",
        given.Liquidate,
        _liquidate,
    ),
)


def _item_refusal(world: CommerceWorld, i: int, before: Decision, after: Decision) -> str | None:
    """Return why what a call adds to a draft could not be sealed, or None."""
    try:
        order = world.order(after)
        known = {item.action: item.detail for item in Trial(world, i, world.order(before)).refused}
    except Refused as reason:
        return str(reason)
    for item in Trial(world, i, order).refused:
        if known.get(item.action) != item.detail:
            return f"{item.action}: {item.detail}"
    return None


def _checked(world: CommerceWorld, i: int, name: str, stage: Stage) -> Stage:
    def staged(draft: Decision, arguments: Any) -> Decision:
        if name == "buy_initial_inventory" and world.window > 0:
            raise InputError("the setup is over: use buy_inventory")
        if name == "buy_inventory" and world.window == 0:
            raise InputError("in the setup use buy_initial_inventory")
        after = stage(draft, arguments)
        reason = _item_refusal(world, i, draft, after) if not name.startswith("withdraw") else None
        if reason is not None:
            raise InputError(reason)
        return after

    return staged


def tools_of(world: CommerceWorld, i: int) -> tuple[Tool, ...]:
    """Return the staging tools of seat i (from 0) at this window; their area stands before the description."""
    return tuple(
        Tool(
            name=name,
            description=f"[{area}] {text}",
            arguments=arguments,
            stage=_checked(world, i, name, stage),
        )
        for area, name, text, arguments, stage in ROWS
    )
