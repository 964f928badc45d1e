"""Tables that `merchant@1` adds to the report: the paper's Table 1, orders and anomalies, fines, months."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from market.merchant.accounts import ACCOUNTS, DEPOSIT_ACCOUNT, LATE_FINE
from market.merchant.months import StoreMonth, by_month, month_name, spread, store_months
from market.merchant.stores import FATES, Store, by_contestant, mean, stores
from tournament.report_parts import CellKind, CellValue, PartColumn, PartTable, Room, RunTables, SeatedWorld

FINES: Final = tuple(f"{name}_cents" for name in ACCOUNTS[LATE_FINE:DEPOSIT_ACCOUNT])
FINE_TITLES: Final = ("Late", "Stockout", "Short of cash", "Return", "Bad review")
FATE_TITLES: Final = (
    *("Normal", "Late", "Cancelled", "Returned", "Refunded", "Bad review"),
    *("Stockout", "Short of cash"),
)
OUTCOMES: Final = "outcomes.csv"
Measure = Callable[[Store], float | None]

TABLE_ONE: Final[tuple[tuple[str, CellKind, Measure], ...]] = (
    ("Net assets", "money", lambda store: store.net_assets_cents),
    ("GMV", "money", lambda store: store.whole("gmv_cents")),
    ("Net profit margin", "share", lambda store: store.margin),
    ("Orders", "count", lambda store: store.whole("orders")),
    ("Fines", "unit_price", lambda store: store.whole("fines_cents")),
    ("Store rating", "decimal", lambda store: store.rating),
    ("Anomaly rate", "share", lambda store: store.anomaly_rate),
    ("Active listings", "decimal", lambda store: store.listings),
    ("SWR", "share", lambda store: store.sustained),
    ("Tool calls", "count", lambda store: store.tool_calls),
)
TABLE_ONE_NOTES: Final = (
    "Net assets: the Score and the initial capital. Net profit margin: Score over GMV. Anomaly rate: orders late or"
    " not normal, and stockouts, over orders and stockouts. Store rating and active listings: means over days.",
    "SWR (sustained window rate): the least share of active windows in any 60 in a row (30 days); a dash where a"
    " store had fewer. A model's window is active with a tool call beside the one that sealed it. A policy without"
    " a model reads its desk at every window or never: it counts as active in all of them if it ever decided"
    " anything, else in none.",
)


def _sources(worlds: Iterable[SeatedWorld], *names: str) -> tuple[str, ...]:
    found = [f"worlds/{spec.world}/{name}.parquet" for spec in worlds for name in names]
    return tuple(found) if len(found) <= 4 else tuple(f"worlds/*/{name}.parquet" for name in names)


def table_one(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """The paper's Table 1 for the study's own contestants: means over their stores."""
    groups = by_contestant(run, stores(run))
    if not groups:
        return None
    rows = [
        (name, len(group), *(mean(group, value) for _, _, value in TABLE_ONE))
        for name, group in groups.items()
    ]
    heads = (PartColumn(title="Contestant"), PartColumn(title="Stores", kind="count"))
    return PartTable(
        columns=(*heads, *(PartColumn(title=title, kind=kind) for title, kind, _ in TABLE_ONE)),
        rows=rows,
        notes=("Means over every store of a contestant in the finished worlds.", *TABLE_ONE_NOTES),
        files=(OUTCOMES, *_sources(run.worlds(), "orders", "windows")),
    )


def stores_of(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """The same measures of one contestant, a row a store."""
    mine = [spec for spec in run.worlds() if subject in spec.seats]
    rows = [
        (store.world, store.seat, *(value(store) for _, _, value in TABLE_ONE))
        for store in stores(run, mine)
        if store.contestant == subject
    ]
    if not rows:
        return None
    heads = (PartColumn(title="World"), PartColumn(title="Seat", kind="count"))
    return PartTable(
        columns=(*heads, *(PartColumn(title=title, kind=kind) for title, kind, _ in TABLE_ONE)),
        rows=rows,
        notes=TABLE_ONE_NOTES,
        files=(OUTCOMES, *_sources(mine, "orders", "windows")),
    )


def order_fates(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """What became of buyers, by contestant: means over its stores."""
    groups = by_contestant(run, stores(run))
    rows = [(name, len(group), *_fate_cells(group)) for name, group in groups.items()]
    heads = (PartColumn(title="Contestant"), PartColumn(title="Stores", kind="count"))
    return _fate_table(run.worlds(), heads, rows)


def world_order_fates(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """What became of the buyers of each store of a world."""
    mine = [spec for spec in run.worlds() if spec.world == subject]
    rows = [(store.contestant, store.seat, *_fate_cells([store])) for store in stores(run, mine)]
    return _fate_table(mine, (PartColumn(title="Store"), PartColumn(title="Seat", kind="count")), rows)


def _fate_cells(group: Sequence[Store]) -> tuple[float | None, ...]:
    counts = [mean(group, lambda store, name=name: _fate(store, name)) for name in FATES]  # type: ignore[misc]
    return (mean(group, lambda store: store.whole("orders")), *counts, mean(group, lambda s: s.anomaly_rate))


def _fate(store: Store, name: str) -> int | None:
    return None if store.fates is None else store.fates[name]


def _fate_table(
    worlds: Sequence[SeatedWorld], heads: tuple[PartColumn, ...], rows: Sequence[Sequence[CellValue]]
) -> PartTable | None:
    # Rows of a run whose worlds keep no table of orders hold nothing but the count of orders.
    if not any(row[3] is not None for row in rows):
        return None
    return PartTable(
        columns=(
            *heads,
            PartColumn(title="Orders", kind="count"),
            *(PartColumn(title=title, kind="count") for title in FATE_TITLES),
            PartColumn(title="Anomaly rate", kind="share"),
        ),
        rows=rows,
        notes=(
            "Normal to Bad review add up to the orders; Late are those that ended well all the same. Stockouts and"
            " buyers whose goods the store could not pay for are no orders.",
        ),
        files=(OUTCOMES, *_sources(worlds, "orders")),
    )


def fines_by_seat(run: RunTables, world: str) -> Sequence[tuple[int, ...]] | None:
    """Return each seat's fines paid by kind, in cents; None where the world does not tell them apart."""
    daily = run.table(world, "daily")
    if daily is None or any(name not in daily for name in FINES):
        return None
    seats = np.array(daily["seat"], dtype=np.int64)
    cents = np.array([daily[name] for name in FINES], dtype=np.int64)
    return [
        tuple(cents[:, seats == seat].sum(axis=1).tolist())
        for seat in range(1, int(seats.max(initial=0)) + 1)
    ]


def fines(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Fines paid by kind and contestant: means over its stores."""
    groups = fines_of(run)
    rows: list[tuple[CellValue, ...]] = [
        (name, len(group), *_mean_fines(group)) for name, group in groups.items()
    ]
    return _fine_table(run.worlds(), (PartColumn(title="Contestant"), "Stores"), rows)


def fines_of(run: RunTables) -> Mapping[str, Sequence[tuple[int, ...]]]:
    """Return the stores' fines by kind of every contestant that has some store, in the study's order."""
    groups: dict[str, list[tuple[int, ...]]] = {name: [] for name in run.contestants}
    for spec in run.worlds():
        for contestant, paid in zip(spec.seats, fines_by_seat(run, spec.world) or (), strict=False):
            groups[contestant].append(paid)
    return {name: group for name, group in groups.items() if group}


def world_fines(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Fines paid by kind, of each store of a world."""
    mine = [spec for spec in run.worlds() if spec.world == subject]
    rows: list[tuple[CellValue, ...]] = [
        (contestant, seat, *paid, sum(paid))
        for spec in mine
        for seat, (contestant, paid) in enumerate(
            zip(spec.seats, fines_by_seat(run, spec.world) or (), strict=False), start=1
        )
    ]
    return _fine_table(mine, (PartColumn(title="Store"), "Seat"), rows)


def _mean_fines(group: Sequence[tuple[int, ...]]) -> tuple[float, ...]:
    """Return the means by kind, and of all kinds together."""
    kinds = [sum(kind) / len(group) for kind in zip(*group, strict=True)]
    return (*kinds, sum(map(sum, group)) / len(group))


def _fine_table(
    worlds: Sequence[SeatedWorld], heads: tuple[PartColumn, str], rows: Sequence[Sequence[CellValue]]
) -> PartTable | None:
    if not rows:
        return None
    first, second = heads
    titles = (*FINE_TITLES, "All fines")
    return PartTable(
        columns=(
            first,
            PartColumn(title=second, kind="count"),
            *(PartColumn(title=title, kind="unit_price") for title in titles),
        ),
        rows=rows,
        notes=("Paid from cash and deposit; what neither held was forgiven and is not in it.",),
        files=_sources(worlds, "daily"),
    )


def months(run: RunTables, subject: str | None, room: Room) -> PartTable | None:
    """Every contestant's months: means over its stores."""
    groups = by_month(run, store_months(run))
    if not groups:
        return None
    return PartTable(
        columns=(
            PartColumn(title="Contestant"),
            PartColumn(title="Month"),
            PartColumn(title="Stores", kind="count"),
            PartColumn(title="Effective windows", kind="share"),
            PartColumn(title="Tool calls", kind="count"),
            PartColumn(title="Net profit", kind="money"),
            PartColumn(title="GMV", kind="money"),
            PartColumn(title="Net profit margin", kind="share"),
            PartColumn(title="Orders", kind="count"),
            PartColumn(title="Listings", kind="decimal"),
            PartColumn(title="Portfolio alignment", kind="decimal"),
            PartColumn(title="its SD", kind="decimal"),
        ),
        rows=[_month_row(name, month, group) for (name, month), group in groups.items()],
        notes=(
            "Means over a contestant's stores; the margin is their net profit over their GMV. Net profit: what net"
            " assets grew by. Portfolio alignment: over listed product-hours, the product's percentile of latent"
            " demand among available products that day, 0 to 100; the SD is over stores.",
        ),
        files=_sources(run.worlds(), "daily", "windows", "alignment"),
    )


def _month_row(name: str, month: int, group: Sequence[StoreMonth]) -> Sequence[CellValue]:
    aligned = spread([item.alignment for item in group])
    return (
        name,
        month_name(month),
        len(group),
        _mean([item.effective for item in group]),
        _mean([item.calls for item in group]),
        _mean([item.profit_cents for item in group]),
        _mean([item.gmv_cents for item in group]),
        margin(group),
        _mean([item.orders for item in group]),
        _mean([item.listings for item in group]),
        None if aligned is None else aligned.mean,
        None if aligned is None else aligned.sd,
    )


def margin(group: Sequence[StoreMonth]) -> float | None:
    """Return the stores' net profit over their GMV; None without an order."""
    gmv = sum(item.gmv_cents for item in group)
    return sum(item.profit_cents for item in group) / gmv if gmv else None


def _mean(values: Sequence[float | None]) -> float | None:
    found = spread(values)
    return None if found is None else found.mean
