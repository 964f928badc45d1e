"""Columns of the tables that show the market: the same for every seat, but for prices that depend on its orders."""

from __future__ import annotations

from typing import Final

INTEGER, REAL, TEXT = "INTEGER", "REAL", "TEXT"
Spec = tuple[str, str, tuple[tuple[str, str, str], ...]]

DAY = ("day", INTEGER, "Day, 0 to 29.")
SKU = ("sku", TEXT, "SKU, such as SH-04.")
COUNTRY = ("country", TEXT, "Country: CN, US, EU, BR, VN or SA.")
CATEGORY = ("category", TEXT, "Category code, such as SH.")
OFFER = ("offer", TEXT, "Supplier offer, such as O0123.")
SUPPLIER = ("supplier", TEXT, "Supplier, such as S0123.")

MARKET: Final[tuple[Spec, ...]] = (
    (
        "scenario",
        "The calendar and the score, one row.",
        (
            ("market", TEXT, "Name of the market."),
            ("phase", TEXT, "setup (before day 0) or trading."),
            ("day", INTEGER, "Day that this decision stands for; 0 in the setup."),
            ("days", INTEGER, "Days in all, from 0."),
            ("days_left", INTEGER, "Days still to be played."),
            ("window", INTEGER, "Decision window, 0 is the setup."),
            ("windows", INTEGER, "Decision windows in all."),
            ("seats", INTEGER, "Companies like yours."),
            ("sellers", INTEGER, "Scripted sellers beside them."),
            ("capital_cents", INTEGER, "Cash before the setup."),
            ("score_formula", TEXT, "How the terminal Score is computed."),
        ),
    ),
    (
        "skus",
        "The goods.",
        (
            SKU,
            CATEGORY,
            ("name", TEXT, "Category in words."),
            ("interest", INTEGER, "Public interest, 100 is middling."),
        ),
    ),
    (
        "guide_prices",
        "What such goods usually sell for, by country.",
        (SKU, COUNTRY, ("guide_cents", INTEGER, "Guide price of a unit.")),
    ),
    (
        "sku_interest",
        "Public interest in a SKU: noisy, constant.",
        (SKU, ("interest", INTEGER, "100 is middling.")),
    ),
    (
        "trend_index",
        "Public demand index by day: noisy; that of a day is known before it.",
        (DAY, CATEGORY, COUNTRY, ("index_value", INTEGER, "50 is an ordinary level.")),
    ),
    (
        "market_offers",
        "Every company's public prices of the last completed day, where it had stock.",
        (
            ("company", INTEGER, "Company; seats first, scripted sellers after them."),
            SKU,
            COUNTRY,
            ("price_cents", INTEGER, "Price before promotion and tiers."),
            ("own", INTEGER, "1 for your own."),
        ),
    ),
    (
        "festivals",
        "The public calendar.",
        (
            ("name", TEXT, "Festival."),
            COUNTRY,
            CATEGORY,
            ("first_day", INTEGER, "First day of the approach."),
            ("peak_day", INTEGER, "First of two peak days."),
            ("last_day", INTEGER, "Day on which it ends."),
        ),
    ),
    (
        "signals",
        "News so far: announced changes of demand, duty, freight and supply; some are false.",
        (
            ("signal", INTEGER, "Number."),
            ("kind", TEXT, "demand, tariff, freight or supply."),
            CATEGORY,
            COUNTRY,
            ("announced", INTEGER, "Day of the announcement."),
            ("start", INTEGER, "Expected first day."),
            ("end", INTEGER, "Expected first day without effect."),
            ("corroborated", INTEGER, "1 where evidence has confirmed it."),
        ),
    ),
    (
        "supplier_offers",
        "All supplier offers today; prices include delivery to your warehouse in CN.",
        (
            OFFER,
            SKU,
            SUPPLIER,
            ("country", TEXT, "Supplier's country."),
            ("price_cents", INTEGER, "Price of a unit today, before discounts."),
            ("moq", INTEGER, "Fewest units of an order."),
            ("stock", INTEGER, "Most units of an order."),
            ("advertised_quality", INTEGER, "Thousandths, as advertised."),
            ("advertised_lead", INTEGER, "Days to delivery, as advertised."),
            ("known_quality", INTEGER, "Thousandths, from your own deliveries, or NULL."),
            ("known_lead", INTEGER, "Days, of your last delivery after the setup, or NULL."),
        ),
    ),
    (
        "offer_history",
        "Supplier prices of earlier days.",
        (DAY, OFFER, ("price_cents", INTEGER, "Price of a unit before discounts.")),
    ),
    (
        "freight_rates",
        "Freight from CN today.",
        (
            SKU,
            COUNTRY,
            ("standard_cents", INTEGER, "A unit, standard speed."),
            ("express_cents", INTEGER, "A unit, express."),
        ),
    ),
    (
        "tariffs",
        "Import duty today.",
        (CATEGORY, COUNTRY, ("duty_permille", INTEGER, "Per mille of the unit price paid.")),
    ),
    (
        "currency",
        "Exchange rates by day.",
        (DAY, COUNTRY, ("rate_micros", INTEGER, "Millionths of a dollar for a unit of local money.")),
    ),
    (
        "permit_requirements",
        "Import permits by category and country.",
        (
            CATEGORY,
            COUNTRY,
            ("needed", INTEGER, "1 where a permit is needed."),
            ("fee_cents", INTEGER, "Fee, paid at once."),
            ("processing_days", INTEGER, "Days until it is valid."),
        ),
    ),
    (
        "inquiries",
        "Business inquiries open now.",
        (
            ("inquiry", INTEGER, "Number."),
            ("day", INTEGER, "Day on which it came."),
            ("last_day", INTEGER, "Last day on which it can be answered."),
            SKU,
            COUNTRY,
            ("units", INTEGER, "Units wanted."),
            ("text", TEXT, "The buyer's words."),
            ("can_serve", INTEGER, "1 where you have a listing there and the stock now."),
        ),
    ),
)
