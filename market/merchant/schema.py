"""The schema of a store's database, with a line of description for every table and column."""

from __future__ import annotations

from market.merchant.growing import GROWING
from tournament.records import Column, Table

INTEGER, REAL, TEXT = "INTEGER", "REAL", "TEXT"
Spec = tuple[str, str, str]


def _table(name: str, description: str, *columns: Spec) -> Table:
    return Table(
        name=name,
        description=description,
        grows=name in GROWING,
        columns=tuple(Column(name=column, type=kind, description=text) for column, kind, text in columns),
    )


PRODUCT = ("product", TEXT, "Product id: P and five digits.")
DAY = ("day", INTEGER, "Day, from 1.")
HOUR = ("hour", INTEGER, "Hour of the day, 0 to 23.")
ORDER = ("order_id", TEXT, "Order: seat and number from 0 by birth.")


def _cents(name: str, text: str) -> Spec:
    return f"{name}_cents", INTEGER, text


def _count(name: str, text: str) -> Spec:
    return name, INTEGER, text


OUTCOMES = (
    _count("cancelled", "Cancelled orders."),
    _count("returned", "Returned orders."),
    _count("refunded", "Orders refunded without return."),
    _count("bad_reviews", "Orders with a bad review."),
)
HELD = (
    _cents("cash", "Cash."),
    _cents("deposit", "Deposit at the platform."),
    _cents("in_transit", "Cost of orders not yet delivered."),
    _cents("receivable", "Prices of orders delivered and not yet settled."),
)
STARS = (
    ("rating", REAL, "Store rating, 1 to 5."),
    _count("stars", "Star level, 1 to 5."),
)

STORE_TABLES: tuple[Table, ...] = (
    _table(
        "store",
        "Your store now, one row.",
        _count("seat", "Your seat."),
        *HELD,
        _cents("net_assets", "Sum of the four."),
        _cents("fines_paid", "Fines paid so far."),
        *STARS,
        ("demand_multiplier", REAL, "What your stars do to traffic."),
        _count("active_listings", "Listings."),
        _count("slots", "Most listings allowed."),
    ),
    _table(
        "scenario",
        "The calendar and the score, one row.",
        ("market", TEXT, "Name of the market."),
        DAY,
        HOUR,
        _count("window", "Decision window, from 0; one every 12 hours."),
        _count("windows", "Decision windows in all."),
        _count("days_left", "Days left, this one included."),
        _count("seats", "Stores on the platform."),
        _cents("initial_capital", "Initial cash and deposit."),
        ("score_formula", TEXT, "How the terminal Score is computed."),
        ("competition", TEXT, "share: stores on one product share its buyers; none: each has its own."),
    ),
    _table(
        "platform_rules",
        "Fines, deadlines and limits of the platform.",
        ("rule", TEXT, "Name of the rule."),
        _cents("value", "Fen, or NULL where the rule moves none."),
        _count("hours", "Hours, or NULL where the rule has no clock."),
        ("description", TEXT, "What it says."),
    ),
    _table(
        "products",
        "The catalogue, with each product's supplier offer now.",
        PRODUCT,
        ("title", TEXT, "Title."),
        ("category", TEXT, "Category."),
        ("keyword", TEXT, "Search keyword."),
        _count("supplier", "Supplier."),
        _count("available", "1 if its supplier offers it now."),
        _cents("price", "Supplier price now."),
        _count("stock", "Units at the supplier now, for all stores."),
        _count("ship_hours", "Dispatch hours now."),
        _count("logistics_hours", "Transit hours."),
        ("rating", REAL, "Product rating."),
    ),
    _table(
        "suppliers",
        "Suppliers.",
        _count("supplier", "Supplier."),
        ("rating", REAL, "Supplier rating."),
        ("return_buyer_rate", REAL, "Share of buyers who come back."),
        ("age_years", REAL, "Years on the platform."),
        _count("products", "Products in the catalogue."),
    ),
    _table(
        "listings",
        "Your shelf now; sums since each listing.",
        PRODUCT,
        ("title", TEXT, "Title."),
        _cents("price", "Your price."),
        _cents("supplier_price", "Supplier price now."),
        _count("available", "1 if its supplier offers it now."),
        _count("stock", "Units at the supplier now."),
        _count("ship_hours", "Dispatch hours now."),
        _count("listed_day", "Day of listing."),
        _count("age_days", "Full days since."),
        _count("days_without_sales", "Full days since the last sale, or since listing."),
        _count("orders", "Orders."),
        _cents("gmv", "Their sale prices."),
        _count("stockouts", "Buyers met without stock or supplier."),
        _cents("fines", "Fines."),
        _count("open_orders", "Orders not yet ended."),
        _cents("net_profit", "Profit of ended orders after fines."),
    ),
    _table(
        "open_orders",
        "Your orders not yet ended.",
        ORDER,
        PRODUCT,
        ("day", INTEGER, "Day of the order."),
        HOUR,
        ("status", TEXT, "ordered, late, shipped or delivered."),
        _cents("price", "Sale price."),
        _cents("cost", "Procurement cost."),
        _count("expected_delivery_day", "Day on which it is or was to arrive."),
        _cents("fines", "Fines so far."),
    ),
)
LOG_TABLES: tuple[Table, ...] = (
    _table(
        "closed_orders",
        "Your orders that have ended.",
        ORDER,
        PRODUCT,
        _count("ordered_day", "Day of the order."),
        _count("closed_day", "Day of its end."),
        _count("closed_hour", "Hour of its end."),
        ("outcome", TEXT, "settled, bad_review, returned, refunded or cancelled."),
        _count("late", "1 if it was not shipped within 48 hours."),
        _cents("price", "Sale price."),
        _cents("cost", "Procurement cost."),
        _cents("fines", "Fines."),
        _cents("net_profit", "Profit after fines."),
    ),
    _table(
        "order_events",
        "Everything that happened to your orders, and buyers whom you could not serve.",
        DAY,
        HOUR,
        ("order_id", TEXT, "Order, or NULL for a stockout or short."),
        PRODUCT,
        (
            "event",
            TEXT,
            "ordered, stockout, short, late, shipped, delivered, settled, bad_review, returned, refunded, cancelled.",
        ),
        ("cents", INTEGER, "What it moved in cash and deposit."),
    ),
    _table(
        "supply_changes",
        "Changes at suppliers of products that you listed at that hour.",
        DAY,
        HOUR,
        PRODUCT,
        ("change", TEXT, "price, delisted, relisted or dispatch."),
        _count("before", "Fen, availability or hours before."),
        _count("after", "The same after."),
    ),
    _table(
        "daily_performance",
        "Your store by completed day.",
        DAY,
        _count("orders", "Orders."),
        _cents("gmv", "Their sale prices."),
        _cents("cost", "Procurement paid."),
        _cents("settled", "Revenue settled."),
        _cents("fines", "Fines paid."),
        _count("stockouts", "Buyers met without stock or supplier."),
        _count("short", "Buyers whose order your cash could not procure."),
        _count("late", "Orders that grew late."),
        *OUTCOMES,
        *STARS,
        _count("listings", "Listings at the day's end."),
        *HELD,
    ),
    _table(
        "product_performance",
        "Every product that you ever listed, over its life in your store.",
        PRODUCT,
        _count("orders", "Orders."),
        _cents("gmv", "Their sale prices."),
        _cents("gross_profit", "Profit of ended orders before fines."),
        _cents("net_profit", "The same after fines."),
        _cents("fines", "Fines."),
        _count("late", "Orders that grew late."),
        _count("stockouts", "Buyers met without stock or supplier."),
        *OUTCOMES,
    ),
    _table(
        "receivable_aging",
        "Orders delivered and not yet settled.",
        _count("days_since_delivery", "Full days since delivery."),
        _count("orders", "Orders."),
        ("cents", INTEGER, "Their sale prices."),
    ),
)
PUBLIC_TABLES: tuple[Table, ...] = (
    _table("daily_report", "The platform's report of each day.", DAY, ("text", TEXT, "The report.")),
    _table(
        "report_categories",
        "The reports' categories.",
        DAY,
        ("category", TEXT, "Category."),
        _count("momentum_percent", "Sales of the last 7 days against the 7 before, or NULL."),
    ),
    _table(
        "report_keywords",
        "The reports' keywords.",
        DAY,
        ("list", TEXT, "hot or rising."),
        _count("rank", "Place, from 1."),
        ("keyword", TEXT, "Search keyword."),
        ("category", TEXT, "Its category."),
    ),
    _table(
        "offers",
        "Every store's shelf as it stood 24 hours ago.",
        _count("seat", "Store."),
        PRODUCT,
        _cents("price", "Its price."),
        _count("stars", "Its star level."),
    ),
    _table(
        "action_receipts",
        "What became of your decisions.",
        _count("window", "Decision window."),
        ("action", TEXT, "delist, reprice, list, decision or closure."),
        ("status", TEXT, "applied, refused or expired."),
        ("cents", INTEGER, "Fen moved."),
        _count("effective_period", "Half-day from which it holds, from 1; NULL if refused."),
        ("detail", TEXT, "Product and price, or the reason."),
    ),
)
SCHEMA = (*STORE_TABLES, *LOG_TABLES, *PUBLIC_TABLES)
