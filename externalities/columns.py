"""The outcome columns of the contract and what each account does to a Score.

The one place that says which columns are cents, which of them enter and which leave a firm's cash,
and which are counts: every other module asks here, so that no statistic knows what is traded.
"""

from __future__ import annotations

from typing import Literal

ScoreKind = Literal["score", "cash"]

KEY_COLUMNS = (
    "world",
    "lineup",
    "reference",
    "replaced_seat",
    "rotation",
    "seed",
    "repeat",
    "seat",
    "contestant",
)

# Sign with which an account's cents enter the Score: cash is the start plus these, Score adds salvage.
ACCOUNT_SIGNS = {
    "revenue": 1,
    "procurement": -1,
    "holding": -1,
    "development": -1,
    "marketing": -1,
    "reliability": -1,
    "support": -1,
    "overhead": -1,
    "capacity": -1,
    "innovation": -1,
    "research": -1,
    "refunds": -1,
    "penalties": -1,
    "salvage": 1,
}
INCOME = "revenue"
SALVAGE = "salvage"

COUNT_COLUMNS = (
    "units_sold",
    "tenders_won",
    "windows_sealed",
    "windows_refused",
    "windows_exhausted",
)
OPTIONAL_COUNTS = ("consumer_orders",)

METRIC_COLUMNS = (
    "score_cents",
    "final_cash_cents",
    *(f"{account}_cents" for account in ACCOUNT_SIGNS),
    *COUNT_COLUMNS,
)


def account_columns(kind: ScoreKind) -> tuple[str, ...]:
    """Return the accounts that make up a Score of this kind (the cash-only score leaves salvage out)."""
    return tuple(account for account in ACCOUNT_SIGNS if kind == "score" or account != SALVAGE)
