"""What `ceo_arena@1` publishes: its outcome columns, accounts, measures, paths and events, in words."""

from __future__ import annotations

from typing import Final

from market.ceo_arena.outcomes import KINDS
from market.ceo_arena.parameters import PRODUCTS
from market.ceo_arena.state import ACCOUNTS
from tournament.published import (
    EffectAccount,
    EventTable,
    MeasureColumn,
    OutcomeColumn,
    Published,
    Series,
    SkillArea,
)

_LEDGER: Final = {name: ACCOUNTS[first:last] for name, first, last in KINDS}
_GOODS: Final = ("procurement", "holding")
_SPENT: Final = (
    ("procurement", "units bought from suppliers", True),
    ("holding", "storage of units on hand", False),
    ("development", "product development", True),
    ("marketing", "marketing, all segments and channels", True),
    ("reliability", "operational reliability", False),
    ("support", "customer support", False),
    ("overhead", "fixed overhead of the capacity tier", False),
    ("capacity", "capacity changes, net of refunds for cancelled ones", True),
    ("innovation", "innovation projects", True),
    ("research", "market research", False),
    ("refunds", "refunds to customers", False),
    ("penalties", "penalties for late contract units", False),
)


def _money(name: str, sentence: str, role: str = "", summary: bool = False) -> OutcomeColumn:
    return OutcomeColumn.model_validate(
        {
            "name": f"{name}_cents",
            "kind": "money",
            "unit": "cents",
            "sentence": sentence,
            "role": role,
            "summary": summary,
        }
    )


def _count(
    name: str, unit: str, sentence: str, *, summary: bool, after_windows: bool = False
) -> OutcomeColumn:
    return OutcomeColumn(
        name=name, kind="count", unit=unit, sentence=sentence, summary=summary, after_windows=after_windows
    )


PUBLISHED: Final = Published(
    columns=(
        _money("score", "final Score: final cash + salvage - initial enterprise value", "score"),
        _money("final_cash", "cash at the end, or at exit for a bankrupt firm", "cash", summary=True),
        _money("salvage", "liquidation value of units on hand and inbound", "salvage", summary=True),
        OutcomeColumn(
            name="bankrupt_day",
            kind="time",
            unit="day",
            sentence="day on which cash was found below zero, else empty",
            role="exit",
            summary=True,
        ),
        _money("revenue", "sales to consumers and enterprise contracts", "income", summary=True),
        *(_money(name, sentence, summary=summary) for name, sentence, summary in _SPENT),
        _count("units_sold", "units", "units delivered", summary=True),
        _count("tenders_won", "tenders", "tenders won", summary=True),
        _count("consumer_orders", "units", "consumer units ordered", summary=False, after_windows=True),
    ),
    accounts=(
        EffectAccount(
            name="revenue", column="revenue_cents", sign=1, group="income", ledger=_LEDGER["revenue_cents"]
        ),
        *(
            EffectAccount(
                name=name,
                column=f"{name}_cents",
                sign=-1,
                group="goods" if name in _GOODS else "spending",
                ledger=_LEDGER[f"{name}_cents"],
            )
            for name, _, _ in _SPENT
        ),
        EffectAccount(name="salvage", column="salvage_cents", sign=1, group="terminal", scores=("score",)),
    ),
    effect_counts=("units_sold", "consumer_orders", "tenders_won"),
    measures=(
        MeasureColumn(
            name="fill_rate",
            title="Fill rate",
            unit="share",
            sentence="units served at once / units demanded in the first round of choice",
        ),
        MeasureColumn(
            name="mean_markup",
            title="Mean mark-up",
            unit="share",
            sentence="revenue-weighted posted price / unit cost - 1",
        ),
        MeasureColumn(
            name="price_following",
            title="Price following",
            unit="slope",
            sentence="slope of a firm's log price change on its rivals' mean change one window earlier",
        ),
        MeasureColumn(
            name="surplus_utils",
            title="Surplus",
            unit="utils",
            sentence="ln(e^v0 + e^I) - v0 of the first round, weighted by arrivals, in utils: no welfare",
        ),
        MeasureColumn(
            name="unserved_share",
            title="Unserved share",
            unit="share",
            sentence="customers who wanted to buy and left with nothing / arrivals",
        ),
    ),
    group="segment",
    series=(
        Series(
            name="revenue_share",
            title="Share of the market's revenue",
            sentence="share of all firms' revenue in the window",
            kind="share",
        ),
        *(
            Series(
                name=f"posted_cents_{product}",
                title=f"Posted price of {product}",
                sentence=f"posted price of {product} after promotion, mean over the window's days",
                kind="money",
                from_zero=False,
                averaged=False,
            )
            for product in PRODUCTS
        ),
        Series(
            name="stockout_share",
            title="Share of demand that found no stock",
            sentence="first-round demand that was not served at once / first-round demand",
            kind="share",
        ),
        Series(
            name="spending_cents",
            title="Chosen spending a day",
            sentence="spent a day on development, marketing, reliability, support, capacity, innovation and"
            " research; what trade and overhead cost is left out",
            kind="money",
            scale="sqrt",
        ),
        Series(
            name="relative_price",
            title="Posted price / market's mean",
            sentence="posted price / mean posted price of firms in business, mean over products and days",
            kind="ratio",
            from_zero=False,
        ),
    ),
    events=(EventTable(table="tenders", title="Tenders", moment="closes_day", seat="winner_seat"),),
    skills=(
        SkillArea(name="pricing", title="Pricing", sentence="margin kept and price discipline among rivals"),
        SkillArea(
            name="inventory", title="Inventory", sentence="sell-through, stock-outs and what is left over"
        ),
        SkillArea(
            name="investment",
            title="Investment",
            sentence="development, innovation and capacity that pay back",
        ),
        SkillArea(
            name="marketing", title="Marketing", sentence="what a dollar of marketing returns by segment"
        ),
        SkillArea(name="service", title="Service", sentence="reliability, support, refunds and late units"),
        SkillArea(name="tenders", title="Tenders", sentence="bids that win at a gain, and are delivered"),
        SkillArea(
            name="research", title="Research", sentence="reports that are read before they are paid for twice"
        ),
        SkillArea(
            name="endgame", title="End game", sentence="what is wound down before the horizon liquidates it"
        ),
    ),
    least_seats=2,
    daily_cash="cash_cents",
    cash_fact="cash_cents",
)
