"""Columns of the tables that show a seat's own company."""

from __future__ import annotations

from typing import Final

from market.commerce.schema_market import (
    CATEGORY,
    COUNTRY,
    DAY,
    INTEGER,
    OFFER,
    REAL,
    SKU,
    SUPPLIER,
    TEXT,
    Spec,
)
from market.commerce.state import ACCOUNTS

ORDER = ("order_number", INTEGER, "Your order, from 0.")
UNITS = ("units", INTEGER, "Units.")

GOODS: Final[tuple[Spec, ...]] = (
    (
        "supplier_relations",
        "Suppliers that you have ordered from.",
        (
            SUPPLIER,
            ("orders", INTEGER, "Orders placed."),
            ("status", TEXT, "none, preferred or partner."),
            ("discount_permille", INTEGER, "Discount of the next order."),
            ("net7", INTEGER, "1 where payment after seven days is given."),
        ),
    ),
    (
        "purchase_orders",
        "Your orders.",
        (
            ORDER,
            ("window", INTEGER, "Window in which it was placed."),
            OFFER,
            SKU,
            UNITS,
            ("unit_cents", INTEGER, "Price of a unit after discounts."),
            ("payment", TEXT, "cash or net7."),
            ("promised_day", INTEGER, "Day of arrival as advertised."),
        ),
    ),
    (
        "delivered_quality",
        "Your delivered orders: what was promised and what came.",
        (
            ORDER,
            OFFER,
            SKU,
            UNITS,
            ("arrived_day", INTEGER, "Day of arrival; 0 for the setup."),
            ("advertised_quality", INTEGER, "Thousandths."),
            ("quality", INTEGER, "Thousandths, as delivered."),
            ("promised_lead", INTEGER, "Days."),
            ("lead", INTEGER, "Days it took, NULL for the setup."),
        ),
    ),
    (
        "inbound",
        "Goods on their way.",
        (ORDER, SKU, UNITS, ("promised_day", INTEGER, "Day of arrival as advertised.")),
    ),
    (
        "inventory",
        "Your stock, one pool for all countries.",
        (
            SKU,
            UNITS,
            ("cost_cents", INTEGER, "What it cost."),
            ("unit_cost_cents", REAL, "Cost of a unit."),
            ("quality", INTEGER, "Thousandths, mean of the stock."),
            ("inbound", INTEGER, "Units on their way."),
            ("listings", INTEGER, "Countries where it is listed."),
        ),
    ),
    (
        "slow_stock",
        "Stock without a sale in the last three days.",
        (
            SKU,
            UNITS,
            ("cost_cents", INTEGER, "What it cost."),
            ("idle_days", INTEGER, "Fewest days without sale of its listings, NULL if unlisted."),
            ("liquidation_cents", INTEGER, "What liquidating all of it brings now."),
        ),
    ),
    (
        "listings",
        "Your listings.",
        (
            SKU,
            COUNTRY,
            ("price_cents", INTEGER, "Price."),
            ("speed", TEXT, "standard or express."),
            ("incoterm", TEXT, "DDP, DAP or FOB."),
            ("ad_cents", INTEGER, "Ad budget a day."),
            ("promotion_percent", INTEGER, "Discount for everybody."),
            ("tier1_units", INTEGER, "First quantity step, NULL if none."),
            ("tier1_percent", INTEGER, "Its discount."),
            ("tier2_units", INTEGER, "Second quantity step, NULL if none."),
            ("tier2_percent", INTEGER, "Its discount."),
            ("stock", INTEGER, "Units in the pool."),
            ("idle_days", INTEGER, "Days without sale."),
            ("permit_ok", INTEGER, "1 where no permit is lacking for the day decided now."),
        ),
    ),
    (
        "landed_cost",
        "Cost of a unit of your stock, delivered duty paid, at its standing or the guide price.",
        (
            SKU,
            COUNTRY,
            ("unit_cost_cents", INTEGER, "Cost of the stock, rounded down."),
            ("freight_cents", INTEGER, "Standard freight."),
            ("price_cents", INTEGER, "Your price there, else the guide price."),
            ("duty_cents", INTEGER, "Duty at that price."),
            ("landed_cents", INTEGER, "Sum of the three costs."),
            ("contribution_cents", INTEGER, "Price less landed cost."),
        ),
    ),
)

BOOKS: Final[tuple[Spec, ...]] = (
    (
        "company",
        "Your company today, one row.",
        (
            ("seat", INTEGER, "Your seat."),
            ("cash_cents", INTEGER, "Cash; below zero is an overdraft."),
            ("loan_cents", INTEGER, "Loan outstanding."),
            ("payables_cents", INTEGER, "Owed to suppliers."),
            ("receivables_cents", INTEGER, "Owed to you, at today's rates."),
            ("stock_cost_cents", INTEGER, "What the stock cost."),
            ("inbound_cost_cents", INTEGER, "What the goods on their way cost."),
            ("net_worth_cents", INTEGER, "Cash + receivables + 40 percent of goods - loan - payables."),
            ("violations", INTEGER, "Sales without a needed permit so far."),
            ("focus", TEXT, "Focus categories."),
        ),
    ),
    (
        "permits",
        "Permits held or applied for.",
        (
            CATEGORY,
            COUNTRY,
            ("valid_from_day", INTEGER, "First day on which it is valid."),
            ("valid_now", INTEGER, "1 if so."),
        ),
    ),
    (
        "violations",
        "Sales without a needed permit.",
        (DAY, SKU, COUNTRY, ("sales", INTEGER, "Sales fined."), ("fine_cents", INTEGER, "Fines of them.")),
    ),
    (
        "inquiry_results",
        "What became of inquiries.",
        (
            ("closed_day", INTEGER, "Day on which it was settled."),
            ("inquiry", INTEGER, "Number."),
            SKU,
            COUNTRY,
            UNITS,
            (
                "result",
                TEXT,
                "won (by you), lost (to another company), gone (too dear) or expired (no valid reply).",
            ),
            ("price_cents", INTEGER, "Your price where you won, else NULL."),
            ("revenue_cents", INTEGER, "Your revenue where you won, else NULL."),
        ),
    ),
    (
        "ad_performance",
        "Your ads by day and listing.",
        (
            DAY,
            SKU,
            COUNTRY,
            ("spend_cents", INTEGER, "Charged."),
            ("orders", INTEGER, "Orders of the listing."),
            UNITS,
            ("attributed_return_cents", INTEGER, "Contribution of the orders that the ad is credited with."),
        ),
    ),
    (
        "daily_sales",
        "Your consumer sales.",
        (
            DAY,
            SKU,
            COUNTRY,
            ("orders", INTEGER, "Orders."),
            ("units", INTEGER, "Units sent, those that came back included."),
            ("revenue_cents", INTEGER, "Revenue of the orders kept."),
            ("contribution_cents", INTEGER, "Revenue less freight, duty and cost of the goods."),
        ),
    ),
    (
        "receivables",
        "Owed to you.",
        (
            ("due_day", INTEGER, "Paid at the end of this day."),
            COUNTRY,
            ("local_cents", INTEGER, "Local hundredths."),
            ("value_cents", INTEGER, "At today's rate."),
        ),
    ),
    (
        "payables",
        "Owed to suppliers.",
        (("due_day", INTEGER, "Paid at the end of this day."), ("cents", INTEGER, "Amount.")),
    ),
    (
        "daily_cashflow",
        "Cash by window: 0 is the setup, window w decides day w - 1.",
        (
            ("window", INTEGER, "Window."),
            *((f"{name}_cents", INTEGER, f"Account {name}: what came in is positive.") for name in ACCOUNTS),
            ("closing_cash_cents", INTEGER, "Cash at its close."),
        ),
    ),
    (
        "ledger",
        "Every account that moved, by window.",
        (
            ("window", INTEGER, "Window."),
            ("account", TEXT, "Account."),
            ("cents", INTEGER, "What came in is positive."),
        ),
    ),
    (
        "action_receipts",
        "What became of your actions.",
        (
            ("window", INTEGER, "Window."),
            ("action", TEXT, "Action."),
            ("status", TEXT, "applied, refused or expired."),
            ("cents", INTEGER, "What came in is positive."),
            ("effective_window", INTEGER, "Window from which it holds, or NULL."),
            ("detail", TEXT, "Why, and what was charged."),
        ),
    ),
)

FIRM: Final = (*GOODS, *BOOKS)
