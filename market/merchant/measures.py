"""What `merchant@1` measures of a finished world: market health by category, and stores' paths by window.

Computed once, from the world's own tables, when it ends; what `published.py` declares comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tournament.records import Measured

Columns = Mapping[str, NDArray[Any]]

# Counts of a half-day that are anomalies of the order flow, beside stockouts.
ANOMALOUS: Final = ("late", "cancelled", "returned", "refunded", "bad_reviews")

# What the five digits of a product's id are worth.
DECIMALS: Final = 10 ** np.arange(4, -1, -1)


def measures(market: Columns, orders: Columns, shelf: Columns) -> tuple[Measured, ...]:
    """Return the health of the market, from its tables `market`, `orders` and `shelf`."""
    born, empty = len(orders["seat"]), int(market["stockouts"].sum())
    odd = int(((orders["outcome"] != "normal") | (orders["late"] != 0)).sum())
    cost = int(orders["cost_cents"].sum())
    none = "no orders"
    return (
        _share("fill_rate", born, born + empty, none),
        _share("anomaly_rate", odd + empty, born + empty, none),
        _share("shared_offers", _shared(shelf), len(shelf["seat"]), "no listings"),
        Measured(
            name="mean_markup",
            group="",
            value=int(orders["price_cents"].sum()) / cost - 1 if cost else None,
            note="" if cost else none,
        ),
        *_by_category(market),
    )


def _shared(shelf: Columns) -> int:
    """Count listings of a product that another store lists in the same window."""
    digits = shelf["product"].astype("U6").view(np.uint32).reshape(-1, 6)[:, 1:].astype(np.int64) - ord("0")
    _, counts = np.unique(shelf["window"] * 10**5 + digits @ DECIMALS, return_counts=True)
    return int(counts[counts > 1].sum())


def _by_category(market: Columns) -> Iterator[Measured]:
    orders, stockouts = market["orders"], market["stockouts"]
    yield _share("stockout_share", int(stockouts.sum()), int((orders + stockouts).sum()), "no orders")
    for category in sorted(set(market["category"].tolist())):
        rows = market["category"] == category
        missed, asked = int(stockouts[rows].sum()), int((orders + stockouts)[rows].sum())
        yield _share("stockout_share", missed, asked, "no orders", category)


def _share(name: str, part: int, whole: int, missing: str, group: str = "") -> Measured:
    value = part / whole if whole else None
    return Measured(name=name, group=group, value=value, note="" if whole else missing)


def series(daily: Columns, exits: Sequence[int | None]) -> dict[str, NDArray[Any]]:
    """Return every store's path, a row a window and seat; `exits` is the window each store closed in.

    A store that has closed by a window's end has no value (NaN) there.
    """
    seats = len(exits)
    windows = len(daily["day"]) // seats
    left = np.array([windows if window is None else window for window in exits])
    open_at_end = np.arange(windows)[:, None] < left[None, :]

    def table(name: str) -> NDArray[np.float64]:
        return daily[name].astype(np.float64).reshape(windows, seats)

    orders, stockouts, gmv = table("orders"), table("stockouts"), table("gmv_cents")
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = {
            **{
                name: table(name)
                for name in (
                    *("cash_cents", "deposit_cents", "receivable_cents", "in_transit_cents"),
                    *("rating", "listings"),
                )
            },
            "orders": orders,
            "gmv_share": gmv / gmv.sum(axis=1, keepdims=True),
            "stockout_share": stockouts / (orders + stockouts),
        }
    return {
        "window": np.repeat(np.arange(windows), seats),
        "last_day": np.repeat(np.arange(1, windows + 1), seats),
        "seat": np.tile(np.arange(1, seats + 1), windows),
        "in_business": open_at_end.ravel(),
        **{name: np.where(open_at_end, values, np.nan).ravel() for name, values in cells.items()},
    }
