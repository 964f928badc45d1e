"""The tables of a store's database that grow: rows of completed half-days stand, new ones are added behind.

Each reader yields the rows of the half-days after a version alone, off logs that are cut by half-day:
what a window costs does not grow with the year.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from market.merchant.accounts import (
    LATE_FINE,
    PROCUREMENT,
    REVIEW_FINE,
    SETTLED_PRICE,
)
from market.merchant.catalog import product_ids
from market.merchant.categories import CATEGORIES, keyword_category, keyword_name
from market.merchant.figures import STAR_THRESHOLDS
from market.merchant.parameters import WINDOWS_A_DAY
from market.merchant.report import told
from market.merchant.state import (
    BORN,
    CANCEL,
    CHANGE_AFTER,
    CHANGE_BEFORE,
    CHANGE_HOUR,
    CHANGE_KIND,
    CHANGE_PRODUCT,
    CHANGE_SEATS,
    CHANGES,
    COST,
    COUNTERS,
    EVENT_CENTS,
    EVENT_HOUR,
    EVENT_KIND,
    EVENT_ORDER,
    EVENT_PRODUCT,
    EVENT_SEAT,
    EVENTS,
    FINES,
    LATE,
    NEVER,
    NUMBER,
    ON_SETTLE,
    OUTCOME,
    PRICE,
    PRODUCT,
    REFUND,
    RETURN,
    Ints,
)

if TYPE_CHECKING:
    from market.merchant.world import MerchantWorld

Rows = Iterable[tuple[Any, ...]]
# By outcome: normal, cancel, return, refund, review.
ENDINGS = ("settled", "cancelled", "returned", "refunded", "bad_review")


def stars_of(rating: float) -> int:
    """Return the star level of a published rating."""
    return 1 + sum(rating >= threshold for threshold in STAR_THRESHOLDS)


def order_id(m: int, number: int) -> str:
    """Return the id of a seat's order by its number."""
    return f"{m + 1}-{number}"


def _events(world: MerchantWorld, m: int, after: int) -> Ints:
    """Return a seat's events of the half-days after a version."""
    marks = world.history.marks
    first = int(marks[after - 1, 1]) if after else 0
    event: Ints = world.books.event[first : int(marks[world.version - 1, 1]) if world.version else 0]
    own: Ints = event[event[:, EVENT_SEAT] == m]
    return own


def order_events(world: MerchantWorld, m: int, after: int) -> Rows:
    ids, order = product_ids(world.parameters.products), world.books.order
    for row in _events(world, m, after).tolist():
        o = row[EVENT_ORDER]
        yield (
            row[EVENT_HOUR] // 24 + 1,
            row[EVENT_HOUR] % 24,
            None if o == NEVER else order_id(m, int(order[o, NUMBER])),
            ids[row[EVENT_PRODUCT]],
            EVENTS[row[EVENT_KIND]],
            row[EVENT_CENTS],
        )


def closed_orders(world: MerchantWorld, m: int, after: int) -> Rows:
    event = _events(world, m, after)
    ids = product_ids(world.parameters.products)
    ended = event[event[:, EVENT_KIND] >= ON_SETTLE]
    for hour, order in zip(
        ended[:, EVENT_HOUR].tolist(), world.books.order[ended[:, EVENT_ORDER]].tolist(), strict=True
    ):
        gross = {CANCEL: 0, RETURN: 0, REFUND: -order[COST]}.get(order[OUTCOME], order[PRICE] - order[COST])
        yield (
            order_id(m, order[NUMBER]),
            ids[order[PRODUCT]],
            order[BORN] // 24 + 1,
            hour // 24 + 1,
            hour % 24,
            ENDINGS[order[OUTCOME]],
            order[LATE],
            order[PRICE],
            order[COST],
            order[FINES],
            gross - order[FINES],
        )


def supply_changes(world: MerchantWorld, m: int, after: int) -> Rows:
    marks = world.history.marks
    first = int(marks[after - 1, 2]) if after else 0
    change = world.books.change[first : int(marks[world.version - 1, 2]) if world.version else 0]
    change = change[(change[:, CHANGE_SEATS] >> m) & 1 == 1]
    ids = product_ids(world.parameters.products)
    place = (change[:, CHANGE_KIND], change[:, CHANGE_PRODUCT], change[:, CHANGE_HOUR])
    for row in change[np.lexsort(place)].tolist():
        yield (
            row[CHANGE_HOUR] // 24 + 1,
            row[CHANGE_HOUR] % 24,
            ids[row[CHANGE_PRODUCT]],
            CHANGES[row[CHANGE_KIND]],
            row[CHANGE_BEFORE],
            row[CHANGE_AFTER],
        )


def daily_performance(world: MerchantWorld, m: int, after: int) -> Rows:
    """A day's row appears when both of its half-days are over."""
    history = world.history
    first, last = after // WINDOWS_A_DAY, world.version // WINDOWS_A_DAY
    halves = slice(WINDOWS_A_DAY * first, WINDOWS_A_DAY * last)
    counted = _by_day(history.counted[halves, m])
    ledger = _by_day(history.ledger[halves, m])
    closing = history.closing[halves, m][WINDOWS_A_DAY - 1 :: WINDOWS_A_DAY].tolist()
    for day, counts, sums, closed in zip(
        range(first, last), counted.tolist(), ledger.tolist(), closing, strict=True
    ):
        count = dict(zip(COUNTERS, counts, strict=True))
        rating = float(history.rating[day, m])
        yield (
            day + 1,
            count["orders"],
            count["gmv_cents"],
            -sums[PROCUREMENT],
            sums[SETTLED_PRICE],
            -sum(sums[LATE_FINE : REVIEW_FINE + 1]),
            *(count[name] for name in ("stockouts", "short", "late", "cancelled", "returned", "refunded")),
            count["bad_reviews"],
            rating,
            stars_of(rating),
            closed[4],
            *closed[:4],
        )


def _by_day(halves: NDArray[np.int64]) -> NDArray[np.int64]:
    sums: NDArray[np.int64] = halves.reshape(-1, WINDOWS_A_DAY, halves.shape[1]).sum(axis=1)
    return sums


def _reported(world: MerchantWorld, after: int) -> range:
    """Return the days (from 0) whose reports came out after a version.

    A report is out from its day's first hour; the first, which has nothing to tell yet, joins the table
    with the first settled half-day.
    """
    known, shown = (
        min(version // WINDOWS_A_DAY + 1, world.parameters.days) if version else 0
        for version in (after, world.version)
    )
    return range(known, shown)


def daily_report(world: MerchantWorld, _: int, after: int) -> Rows:
    for day in _reported(world, after):
        yield day + 1, told(world.reports.of(day))


def report_categories(world: MerchantWorld, _: int, after: int) -> Rows:
    for day in _reported(world, after):
        for row, percent in zip(CATEGORIES, world.reports.of(day).momentum, strict=True):
            yield day + 1, row.name, percent


def report_keywords(world: MerchantWorld, _: int, after: int) -> Rows:
    for day in _reported(world, after):
        report = world.reports.of(day)
        for name, keywords in (("hot", report.hot), ("rising", report.rising)):
            for rank, keyword in enumerate(keywords, start=1):
                yield day + 1, name, rank, keyword_name(keyword), keyword_category(keyword)


def action_receipts(world: MerchantWorld, m: int, after: int) -> Iterator[tuple[Any, ...]]:
    receipts = world.receipts[m]
    for receipt in receipts[world.receipt_marks[m][after] :]:
        yield (
            receipt.window,
            receipt.action,
            receipt.status,
            receipt.cents,
            receipt.effective_day,
            receipt.detail,
        )


GROWING: Mapping[str, Callable[[MerchantWorld, int, int], Rows]] = {
    "closed_orders": closed_orders,
    "order_events": order_events,
    "supply_changes": supply_changes,
    "daily_performance": daily_performance,
    "daily_report": daily_report,
    "report_categories": report_categories,
    "report_keywords": report_keywords,
    "action_receipts": action_receipts,
}
