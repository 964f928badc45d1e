"""The fixed figures of `merchant@1`: money, clocks, ratings and ranges, with the contract's words for each.

Money is integer fen. They are no parameters: the published results of the market stand on all of them.
"""

from __future__ import annotations

from typing import Final

DOMAIN: Final = "merchant-v1"
INITIAL_CASH: Final = 200_000
FULL_DEPOSIT: Final = 100_000
INITIAL_CAPITAL: Final = INITIAL_CASH + FULL_DEPOSIT
SLOTS: Final = 50
PRICE_LIMIT: Final = 1_000_000
MOST_SEATS: Final = 16

FINE_LATE: Final = 300
FINE_STOCKOUT: Final = 500
FINE_SHORT: Final = 500
FINE_RETURN: Final = 800
FINE_REVIEW: Final = 500

DISPATCH_HOURS: Final = 48
SETTLE_HOURS: Final = 168
# Most hours from an order to its end: dispatch 47 + 12 + 84, transit 72, settlement 168.
LONGEST_ORDER: Final = 383
MOST_ARRIVALS: Final = 400
MOST_INTENSITY: Final = 50.0

# Evidence of an ended order or a stockout: score, weight.
NORMAL: Final = (4.5, 1.0)
LATE: Final = (3.0, 1.0)
RETURNED: Final = (2.0, 1.0)
REFUNDED: Final = (1.5, 2.0)
REVIEWED: Final = (1.0, 2.0)
STOCKOUT: Final = (1.0, 3.0)
PRIOR_SCORE: Final = 4.0
PRIOR_WEIGHT: Final = 20.0
FADE: Final = 2.0 ** (-1 / 30)
STAR_THRESHOLDS: Final = (2.50, 3.30, 3.80, 4.20)
STAR_MULTIPLIERS: Final = (0.10, 0.35, 0.80, 1.00, 1.20)
INITIAL_STARS: Final = 4

# Ranges lo, hi of the risks of an order and of the hourly rates of supplier events.
RISKS: Final = {
    "risk-cancel": (0.01, 0.08),
    "risk-return": (0.02, 0.10),
    "risk-refund": (0.005, 0.03),
    "risk-review": (0.01, 0.10),
}
RATES: Final = {
    "rate-price": (0.001, 0.01),
    "rate-delist": (0.0005, 0.005),
    "rate-delay": (0.0005, 0.003),
}
EVENT_HORIZON: Final = 8760

# Hours of exposure: the ramp of a new listing, and every age that a year can give it.
RAMP_HOURS: Final = 336
MOST_HOURS: Final = 8760
