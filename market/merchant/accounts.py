"""The ledger's accounts: signed movements of a merchant's cash, by number."""

from __future__ import annotations

from typing import Final

ACCOUNTS: Final = (
    *("capital", "procurement", "cancelled", "returned", "settled"),
    *("fine_late", "fine_stockout", "fine_short", "fine_return", "fine_review", "deposit"),
)
CAPITAL, PROCUREMENT, CANCELLED_COST, RETURNED_COST, SETTLED_PRICE = range(5)
LATE_FINE, STOCKOUT_FINE, SHORT_FINE, RETURN_FINE, REVIEW_FINE, DEPOSIT_ACCOUNT = range(5, 11)
