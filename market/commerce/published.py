"""What `commerce@1` publishes: its outcome columns, accounts, measures and paths, in words (contract, section 11)."""

from __future__ import annotations

from typing import Final, Literal

from market.commerce.state import ACCOUNTS
from tournament.published import (
    EffectAccount,
    EventTable,
    MeasureColumn,
    OutcomeColumn,
    Published,
    Role,
    Series,
    SkillArea,
    TimeAxis,
)

MOST_SEATS: Final = 8

_COUNTS: Final = (
    ("orders", "orders", "consumer orders", True),
    ("units_sold", "units", "units sold to consumers", True),
    ("refunds", "units", "units refunded", True),
    ("violations", "violations", "sales without a permit that was needed", True),
    ("replies", "inquiries", "buyers' inquiries answered", False),
    ("converted", "inquiries", "inquiries won", True),
    ("false_claims", "inquiries", "answers that claimed what was not so", False),
    ("expired", "inquiries", "inquiries that nobody answered in time", False),
    ("skus_bought", "SKUs", "different SKUs bought", False),
    ("supplier_orders", "orders", "orders to suppliers", False),
    ("items_refused", "items", "items of decisions that were refused", False),
)
# Ledger account, outcome column, sign in the Score, group, what it is.
_FLOWS: Final[tuple[tuple[str, str, Literal[-1, 1], str, str], ...]] = (
    ("receipts", "receipts", 1, "income", "cash received from buyers"),
    ("factoring", "factoring", 1, "income", "receivables sold before they were due, net"),
    ("liquidation", "liquidation", 1, "income", "stock sold off"),
    ("loans", "loans", 1, "spending", "borrowed less repaid"),
    ("procurement", "procurement_paid", -1, "goods", "paid to suppliers"),
    ("freight", "freight", -1, "goods", "freight"),
    ("duty", "duty", -1, "goods", "duty"),
    ("ads", "ads", -1, "spending", "advertising"),
    ("permits", "permits", -1, "spending", "permits"),
    ("fines", "fines", -1, "spending", "fines for sales without a permit"),
    ("overhead", "overhead", -1, "spending", "overhead and focus fees"),
    ("interest", "interest", -1, "spending", "interest on loans and overdrafts"),
)


def _money(name: str, sentence: str, role: Role = "", *, summary: bool = False) -> OutcomeColumn:
    return OutcomeColumn(
        name=f"{name}_cents", kind="money", unit="cents", sentence=sentence, role=role, summary=summary
    )


def _ratio(name: str, sentence: str) -> OutcomeColumn:
    return OutcomeColumn(
        name=f"{name}_thousandths", kind="ratio", unit="thousandths", sentence=sentence, summary=True
    )


def _path(name: str, title: str, sentence: str, kind: str) -> Series:
    return Series.model_validate({"name": name, "title": title, "sentence": sentence, "kind": kind})


def _columns() -> tuple[OutcomeColumn, ...]:
    shown = {"freight", "duty", "ads", "fines"}
    named = {
        column: _money(column, sentence, summary=column in shown) for _, column, _, _, sentence in _FLOWS
    }
    return (
        _money("score", "net worth at the end, less the initial capital", "score"),
        _money("final_cash", "cash at the end", "cash", summary=True),
        _money("salvage", "receivables and goods at their final value, less debt", "salvage", summary=True),
        OutcomeColumn(
            name="bankrupt_day", kind="time", unit="day", sentence="always empty: overdrafts have no limit"
        ),
        _money("revenue", "consumer sales when made", "income", summary=True),
        _money("service_revenue", "sales by inquiries when made", summary=True),
        *(named[name] for name in ("freight", "duty", "ads", "fines")),
        _money("procurement", "goods ordered from suppliers", summary=True),
        *(named[name] for name in ("permits", "liquidation", "interest", "overhead")),
        _money("factoring_fees", "fees for receivables sold before they were due"),
        *(
            OutcomeColumn(name=name, kind="count", unit=unit, sentence=sentence, summary=summary)
            for name, unit, sentence, summary in _COUNTS[:-1]
        ),
        _ratio("sell_through", "units sold / units bought, 0 where none was bought"),
        _ratio("order_margin", "contribution / sales, 0 where nothing was sold"),
        OutcomeColumn(
            name="items_refused", kind="count", unit="items", sentence="items of decisions that were refused"
        ),
        _money("receivables", "receivables at the end"),
        _money("goods_salvage", "goods at their final value"),
        _money("debt", "loans and payables at the end"),
        *(named[name] for name in ("receipts", "factoring", "loans", "procurement_paid")),
    )


PUBLISHED: Final = Published(
    columns=_columns(),
    accounts=(
        *(
            EffectAccount.model_validate(
                {
                    "name": column,
                    "column": f"{column}_cents",
                    "sign": sign,
                    "group": group,
                    "ledger": (account,),
                }
            )
            for account, column, sign, group, _ in _FLOWS
        ),
        EffectAccount(name="salvage", column="salvage_cents", sign=1, group="terminal", scores=("score",)),
    ),
    effect_counts=("orders", "units_sold", "converted"),
    measures=(
        MeasureColumn(
            name="seats_share",
            title="Contestants' share",
            unit="share",
            sentence="units sold by contestants / units sold by contestants and scripted sellers",
        ),
        MeasureColumn(
            name="units_per_demand",
            title="Demand served",
            unit="ratio",
            sentence="units sold / demand, by category",
        ),
        MeasureColumn(
            name="inquiries_won",
            title="Inquiries won",
            unit="share",
            sentence="settled inquiries that a contestant won / settled inquiries",
        ),
        MeasureColumn(
            name="refund_share",
            title="Refund share",
            unit="share",
            sentence="contestants' units refunded / sold",
        ),
    ),
    group="category",
    series=(
        _path("receivables_cents", "Receivables", "owed by buyers at the day's end", "money"),
        _path("stock_cost_cents", "Stock", "cost of units on hand at the day's end", "money"),
        _path("loan_cents", "Loan", "loan at the day's end", "money"),
        _path("orders", "Orders", "consumer orders of the day", "count"),
        _path(
            "revenue_share",
            "Share of contestants' sales",
            "share of all contestants' sales of the day",
            "share",
        ),
        _path("ads_cents", "Advertising", "spent on advertising in the day", "money"),
    ),
    events=(EventTable(table="inquiries", title="Inquiries", moment="closed_day", seat="winner_seat"),),
    skills=(
        SkillArea(
            name="sourcing", title="Sourcing", sentence="landed cost against quality, lead time and terms"
        ),
        SkillArea(name="pricing", title="Pricing", sentence="margin kept against sixty sellers and rivals"),
        SkillArea(name="compliance", title="Compliance", sentence="permits in time, and no fines"),
        SkillArea(name="advertising", title="Advertising", sentence="return of a dollar of advertising"),
        SkillArea(name="service", title="Service", sentence="inquiries answered truthfully, and won"),
        SkillArea(name="finance", title="Finance", sentence="credit that earns more than it costs"),
    ),
    time=TimeAxis(named=("the setup",)),
    most_seats=MOST_SEATS,
    daily_cash="cash_cents",
    cash_fact="cash_cents",
)

assert {account for account, *_ in _FLOWS} == set(ACCOUNTS) - {"capital"}, "an account without a flow"
