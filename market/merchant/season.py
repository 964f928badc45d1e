"""The year of `merchant@1`: weekdays, festivals, and the seasonal shape of every keyword.

Shapes are exogenous and the same under every seed; a day counts from 0 here.
"""

from __future__ import annotations

import math
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from market.merchant.categories import CATEGORIES, KEYWORDS, NOUNS
from market.merchant.figures import MOST_HOURS, RAMP_HOURS

YEAR: Final = 365
WEEKS: Final = 53
FIRST_DATE: Final = date(2025, 6, 1)
# From Sunday, the weekday of day 0.
WEEKDAYS: Final = (0.86, 1.06, 1.08, 1.07, 1.05, 1.00, 0.88)
KNOTS: Final = (
    *((0, 1.15), (12, 1.2), (15, 1.7), (17, 2.2), (19, 1.3), (22, 0.9), (60, 0.92), (85, 1.0)),
    *((120, 1.0), (140, 1.1), (151, 1.3), (152, 1.8), (155, 1.6), (157, 1.2), (162, 1.5), (163, 2.3)),
    *((165, 1.2), (168, 1.0), (190, 1.1), (193, 1.3), (195, 1.05), (215, 1.1), (235, 1.15), (246, 0.8)),
    *((254, 0.35), (261, 0.18), (266, 0.3), (273, 0.8), (280, 1.05), (300, 1.0), (335, 1.05), (364, 1.1)),
)
# Name, first and last day number (from 1).
FESTIVALS: Final = (
    ("618", 18, 18),
    ("Mid-Autumn", 128, 128),
    ("11.11 first wave", 153, 153),
    ("11.11 final day", 164, 164),
    ("12.12", 195, 195),
    ("New Year goods", 221, 240),
    ("Spring Festival", 262, 262),
)
NOTICE_DAYS: Final = 21


def date_of(day: int) -> date:
    """Return the date of a day, from 0."""
    return FIRST_DATE + timedelta(days=day)


def month_of(day: int) -> int:
    """Return the calendar month of a day (from 0), counted from that of day 0."""
    when = date_of(day)
    return 12 * (when.year - FIRST_DATE.year) + when.month - FIRST_DATE.month


def festival(day: int) -> float:
    """Return the festival factor F of a day: linear between knots, the later segment deciding at a knot."""
    for (a, first), (b, last) in zip(KNOTS[-2::-1], KNOTS[:0:-1], strict=True):
        if a <= day <= b:
            return first + (last - first) * (day - a) / (b - a)
    raise ValueError(f"day {day} is not one of 0 to {YEAR - 1}")


def _shape(amplitude: float, peak: int) -> list[float]:
    raw = []
    for day in range(YEAR):
        wave = math.exp(amplitude * math.cos(2.0 * math.pi * (day - peak) / 365.0))
        raw.append(festival(day) * WEEKDAYS[day % 7] * wave)
    total = 0.0
    for value in raw:
        total += value
    mean = total / 365.0
    return [value / mean for value in raw]


@lru_cache(maxsize=1)
def keyword_shapes() -> NDArray[np.float64]:
    """Return s of shape (80 keywords, 365 days): mean 1 over the year."""
    nouns = [CATEGORIES[k // NOUNS].nouns[k % NOUNS] for k in range(KEYWORDS)]
    return np.array([_shape(noun.amplitude, noun.peak) for noun in nouns])


@lru_cache(maxsize=1)
def hour_weights() -> NDArray[np.float64]:
    """Return w of shape (10 categories, 24 hours): each row sums to one."""
    return np.array([[value / sum(row.hours) for value in row.hours] for row in CATEGORIES])


@lru_cache(maxsize=1)
def exposures() -> NDArray[np.float64]:
    """Return l by age in hours, 0 to 8760: a ramp of two weeks, then a decay."""
    ramp = [0.2 + 0.8 * (age / 24) / 14 for age in range(RAMP_HOURS + 1)]
    decay = [0.1 + 0.9 * math.exp(-0.0092 * (age / 24 - 14)) for age in range(RAMP_HOURS + 1, MOST_HOURS + 1)]
    return np.array(ramp + decay)


def upcoming(day: int) -> list[tuple[str, int, int]]:
    """Return name, first and last day number of the festivals within the next 21 days of a day (from 0)."""
    number = day + 1
    return [row for row in FESTIVALS if row[2] >= number and row[1] <= number + NOTICE_DAYS]
