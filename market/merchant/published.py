"""What `merchant@1` publishes: its outcome columns, accounts, measures and paths, in words (contract, section 13)."""

from __future__ import annotations

from typing import Final

from market.merchant.accounts import ACCOUNTS, DEPOSIT_ACCOUNT, LATE_FINE
from market.merchant.parameters import WINDOWS_A_DAY
from tournament.published import (
    Currency,
    EffectAccount,
    MeasureColumn,
    OutcomeColumn,
    Published,
    Role,
    Series,
    SkillArea,
    TimeAxis,
)

_COUNTS: Final = (
    ("orders", "orders", "orders born", True),
    ("units_sold", "units", "orders that were paid for: settled, also with a bad review", True),
    ("stockouts", "orders", "orders lost because the supplier had nothing", True),
    ("short", "orders", "orders lost because cash did not cover the supplier's price", False),
    ("late", "orders", "orders not dispatched within 48 hours", True),
    ("cancelled", "orders", "orders cancelled by the buyer before dispatch", False),
    ("returned", "orders", "orders returned", False),
    ("refunded", "orders", "orders refunded without return", False),
    ("bad_reviews", "orders", "orders settled with a bad review", False),
)


def _money(name: str, sentence: str, role: Role = "", *, summary: bool = False) -> OutcomeColumn:
    return OutcomeColumn(
        name=f"{name}_cents", kind="money", unit="cents", sentence=sentence, role=role, summary=summary
    )


def _path(name: str, title: str, sentence: str, kind: str, *, from_zero: bool = True) -> Series:
    return Series.model_validate(
        {"name": name, "title": title, "sentence": sentence, "kind": kind, "from_zero": from_zero}
    )


PUBLISHED: Final = Published(
    columns=(
        _money("score", "net assets after the drain, less the initial capital", "score"),
        _money("final_cash", "cash after the drain", "cash", summary=True),
        _money(
            "salvage", "deposit, goods in transit and receivables after the drain", "salvage", summary=True
        ),
        OutcomeColumn(
            name="bankrupt_day",
            kind="time",
            unit="day",
            sentence="day on which the platform closed the store, else empty",
            role="exit",
            summary=True,
        ),
        _money("revenue", "sale prices of settled orders", "income", summary=True),
        _money(
            "procurement",
            "paid to suppliers, less what cancelled and returned goods brought back",
            summary=True,
        ),
        _money("fines", "fines paid from cash and deposit", summary=True),
        _money("fines_unpaid", "fines that neither cash nor deposit covered: forgiven"),
        _money("gmv", "sale prices of orders born", summary=True),
        *(
            OutcomeColumn(name=name, kind="count", unit=unit, sentence=sentence, summary=summary)
            for name, unit, sentence, summary in _COUNTS
        ),
        OutcomeColumn(
            name="mean_rating_thousandths",
            kind="ratio",
            unit="thousandths",
            sentence="mean of the published daily ratings, 1,000 to 5,000",
            summary=True,
        ),
        OutcomeColumn(
            name="mean_listings_thousandths",
            kind="ratio",
            unit="thousandths",
            sentence="mean listings at day ends",
            summary=True,
        ),
    ),
    accounts=(
        EffectAccount(name="revenue", column="revenue_cents", sign=1, group="income", ledger=("settled",)),
        EffectAccount(
            name="procurement",
            column="procurement_cents",
            sign=-1,
            group="goods",
            ledger=("procurement", "cancelled", "returned"),
        ),
        EffectAccount(
            name="fines",
            column="fines_cents",
            sign=-1,
            group="spending",
            ledger=ACCOUNTS[LATE_FINE:DEPOSIT_ACCOUNT],
        ),
        EffectAccount(name="salvage", column="salvage_cents", sign=-1, group="terminal", scores=("cash",)),
    ),
    effect_counts=("orders", "units_sold", "stockouts"),
    measures=(
        MeasureColumn(
            name="fill_rate", title="Fill rate", unit="share", sentence="orders born / orders and stockouts"
        ),
        MeasureColumn(
            name="anomaly_rate",
            title="Anomaly rate",
            unit="share",
            sentence="(orders late or not normal + stockouts) / (orders + stockouts)",
        ),
        MeasureColumn(
            name="shared_offers",
            title="Shared offers",
            unit="share",
            sentence="listings of a product that another store lists in the same window / listings",
        ),
        MeasureColumn(
            name="mean_markup",
            title="Mean mark-up",
            unit="share",
            sentence="sum of sale prices / sum of supplier prices of orders born - 1",
        ),
        MeasureColumn(
            name="stockout_share",
            title="Stockout share",
            unit="share",
            sentence="stockouts / orders and stockouts, by category",
        ),
    ),
    group="category",
    series=(
        _path("deposit_cents", "Deposit", "deposit at the window's end", "money"),
        _path(
            "receivable_cents", "Receivables", "delivered and not yet settled, at the window's end", "money"
        ),
        _path(
            "in_transit_cents", "Goods in transit", "cost of goods on their way, at the window's end", "money"
        ),
        _path("rating", "Store rating", "published rating at the window's end", "ratio", from_zero=False),
        _path("listings", "Listings", "listings at the window's end", "count"),
        _path("orders", "Orders", "orders born in the window", "count"),
        _path("gmv_share", "Share of all stores' sales", "share of the sale prices of orders born", "share"),
        _path(
            "stockout_share",
            "Share of demand that found no stock",
            "stockouts / orders and stockouts",
            "share",
        ),
    ),
    skills=(
        SkillArea(
            name="selection",
            title="Selection",
            sentence="products that sell, at a margin, with few anomalies",
        ),
        SkillArea(
            name="pricing",
            title="Pricing",
            sentence="mark-ups near the best price, answers to rivals' offers",
        ),
        SkillArea(
            name="supply",
            title="Supply",
            sentence="listings dropped before suppliers' stock or dispatch fails",
        ),
        SkillArea(
            name="service",
            title="Service",
            sentence="fines, late orders, refunds and what they do to the rating",
        ),
        SkillArea(
            name="cash", title="Cash", sentence="cash kept above what orders need, receivables turned over"
        ),
        SkillArea(
            name="continuity", title="Continuity", sentence="a shelf that is tended through the whole year"
        ),
    ),
    time=TimeAxis(unit="half-day", plural="half-days", steps_per_day=WINDOWS_A_DAY),
    currency=Currency(code="RMB", sign="¥"),
    daily_cash="cash_cents",
    cash_fact="cash_cents",
)
