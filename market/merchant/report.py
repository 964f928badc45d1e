"""The daily report: noisy public signals on categories and keywords, the same for every seat.

A report of day d (from 0) is published before its first hour, from demand through the day before with
a little of what lies ahead. It is worked out when somebody first asks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from market.merchant.catalog import Catalog
from market.merchant.categories import CATEGORIES, KEYWORDS, NOUNS, keyword_category, keyword_name
from market.merchant.demand import Year
from market.merchant.figures import DOMAIN
from market.merchant.season import YEAR, date_of, upcoming
from market.tapes import stream

FIRST_MOMENTUM = 14
TOP = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One day's report: percent by category (None before day 15), hot and rising keywords in order."""

    day: int  # from 0
    momentum: tuple[int | None, ...]
    hot: tuple[int, ...]
    rising: tuple[int, ...]


class Reports:
    """The reports of one world."""

    def __init__(self, catalog: Catalog, year: Year, seed: int) -> None:
        self._year = year
        self._catalog = catalog
        self._seed = seed
        self._made: dict[int, Report] = {}

    @cached_property
    def _noise(self) -> list[list[float]]:
        rows: list[list[float]] = stream(DOMAIN, self._seed, "report").standard_normal((YEAR, 170)).tolist()
        return rows

    @cached_property
    def _products(self) -> list[int]:
        counts: list[int] = np.bincount(self._catalog.keyword, minlength=KEYWORDS).tolist()
        return counts

    @cached_property
    def _weeks(self) -> list[list[float]]:
        """Return by day every keyword's demand over seven days from then on, summed in order of day."""
        totals = self._year.totals
        sums = np.zeros((KEYWORDS, YEAR - 6))
        for day in range(7):
            sums = sums + totals[:, day : day + YEAR - 6]
        rows: list[list[float]] = sums.T.tolist()
        return rows

    def _sums(self, first: int, last: int) -> list[float]:
        """Return every keyword's demand over days `first` to before `last`, summed in order of day."""
        if last - first == 7:
            return self._weeks[first]
        sums = np.zeros(KEYWORDS)
        for day in range(first, last):
            sums = sums + self._year.totals[:, day]
        values: list[float] = sums.tolist()
        return values

    def of(self, day: int) -> Report:
        """Return the report of a day, from 0."""
        if day not in self._made:
            self._made[day] = self._report(day)
        return self._made[day]

    def _report(self, d: int) -> Report:
        days = min(7, d)
        now = self._sums(d - days, d)
        kept = [k for k in range(KEYWORDS) if self._products[k]]
        noise = self._noise[d]
        if d == 0:
            return Report(day=d, momentum=(None,) * len(CATEGORIES), hot=(), rising=())
        heat = {k: now[k] / days / self._products[k] * math.exp(0.15 * noise[10 + k]) for k in kept}
        if d < FIRST_MOMENTUM:
            return Report(day=d, momentum=(None,) * len(CATEGORIES), hot=_largest(heat), rising=())
        climb, coming = {}, self._sums(d, min(d + 7, YEAR))
        for k in kept:
            ahead = coming[k] / min(7, YEAR - d) * 7
            climb[k] = math.log(ahead / now[k]) + 0.20 * noise[90 + k]
        old = self._sums(d - 14, d - 7)
        momentum = tuple(self._momentum(c, d, now, old) for c in range(len(CATEGORIES)))
        return Report(day=d, momentum=momentum, hot=_largest(heat), rising=_largest(climb))

    def _momentum(self, c: int, d: int, now: list[float], old: list[float]) -> int:
        recent, before = 0.0, 0.0
        for k in range(NOUNS * c, NOUNS * c + NOUNS):
            recent += now[k]
            before += old[k]
        return math.floor(100 * (recent / before * math.exp(0.05 * self._noise[d][c]) - 1) + 0.5)


def _largest(values: dict[int, float]) -> tuple[int, ...]:
    """Return the keywords of the largest values, the smaller number first among equals."""
    return tuple(sorted(values, key=lambda k: (-values[k], k))[:TOP])


def told(report: Report) -> str:
    """Return a report in words."""
    when = date_of(report.day)
    lines = [f"Market report of day {report.day + 1} ({when:%A %d %B %Y})."]
    shown = [
        f"{row.name} {percent:+d}%" if percent is not None else f"{row.name} unavailable"
        for row, percent in zip(CATEGORIES, report.momentum, strict=True)
    ]
    lines.append("Sales of categories, this week against the one before: " + ", ".join(shown) + ".")
    for name, keywords in (("Hot searches", report.hot), ("Rising searches", report.rising)):
        words = ", ".join(f"{keyword_name(k)} ({keyword_category(k)})" for k in keywords)
        lines.append(f"{name}: {words or 'unavailable'}.")
    notes = ", ".join(
        f"{name} on day {first}" if first == last else f"{name} on days {first} to {last}"
        for name, first, last in upcoming(report.day)
    )
    lines.append(f"Festivals within three weeks: {notes or 'none'}.")
    return "\n".join(lines)
