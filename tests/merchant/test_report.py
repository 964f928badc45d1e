"""The parts of the report that `merchant@1` brings show the numbers that its tables hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.merchant.quality import MERCHANT_QUALITY
from agents.merchant.rule import MERCHANT_RULE
from market.merchant import report_charts, report_tables
from market.merchant.accounts import ACCOUNTS
from market.merchant.activity import activities
from market.merchant.alignment import percentiles
from market.merchant.months import month_label, month_name, store_months
from market.merchant.outcomes import fines_by_kind
from market.merchant.published import PUBLISHED
from market.merchant.report_parts import PARTS
from market.merchant.stores import FATES, stores
from tests.cli.arena import tournament
from tests.merchant.worlds import opened, play
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.published import Published
from tournament.registry import report_parts
from tournament.report_parts import Columns, PartTable, Room

WIDE, NARROW = Room(width=900, narrow=False), Room(width=344, narrow=True)
STUDY = """\
study: months
market: {id: merchant@1, overrides: {days: 40, products: 120}}
seeds: [11]
contestants:
  rule: {policy: merchant-rule@1}
  quality: {policy: merchant-quality@1}
  idle: {policy: no_action@1}
lineup: [quality, rule]
references: [{contestant: idle}]
"""


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A finished world as a part sees it."""

    world: str
    seats: tuple[str, ...]
    reference: str | None = None
    rotation: int = 0
    seed: int = 11
    repeat: int = 1


@dataclass(kw_only=True)
class Run:
    """A run of tables written by hand."""

    specs: Sequence[Spec]
    tables: dict[tuple[str, str], Columns] = field(default_factory=dict)
    results: dict[str, Sequence[Mapping[str, int | None]]] = field(default_factory=dict)
    published: Published = PUBLISHED
    steps: int = 730

    @property
    def contestants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for spec in self.specs for name in spec.seats))

    def worlds(self) -> Sequence[Spec]:
        return self.specs

    reference_worlds = worlds

    def table(self, world: str, name: str) -> Columns | None:
        return self.tables.get((world, name))

    def outcomes(self, world: str) -> Sequence[Mapping[str, int | None]]:
        return self.results[world]

    def color(self, name: str) -> str:
        return "#315dca"

    def money(self, cents: float) -> str:
        return f"{cents / 100:.2f}"


def outcome(**known: int | None) -> Mapping[str, int | None]:
    return dict.fromkeys(PUBLISHED.outcome_names(), 0) | known


def decided(seats: Mapping[int, Sequence[bool]]) -> Columns:
    """A table of windows: who sealed something in which."""
    found = [(w, seat, done) for seat, flags in seats.items() for w, done in enumerate(flags)]
    return {
        "window": [w for w, _, _ in found],
        "seat": [seat for _, seat, _ in found],
        "decision_json": ['{"delist":["P00001"]}' if done else "{}" for _, _, done in found],
    }


def used(seat: int, calls: Sequence[int], sealed: Sequence[int]) -> Columns:
    """A model's table of usage: its tool calls and whether it sealed, by window."""
    return {
        "seat": [seat] * len(calls),
        "window": list(range(len(calls))),
        "tool_calls": list(calls),
        "sealed": list(sealed),
    }


def cells(table: PartTable | None, first: str) -> dict[str, Any]:
    """Return the one row that begins with a word, by column title."""
    assert table is not None
    (row,) = [row for row in table.rows if row[0] == first]
    return dict(zip([column.title for column in table.columns], row, strict=True))


def two_stores() -> Run:
    """Two worlds of two seats: `model` in both, `plain` once, `idle` once; ten orders of `model` in the first."""
    run = Run(specs=(Spec(world="w1", seats=("model", "plain")), Spec(world="w2", seats=("model", "idle"))))
    run.results["w1"] = (
        outcome(
            score_cents=500_000, gmv_cents=1_000_000, orders=10, stockouts=2, short=1, fines_cents=3_100,
            mean_rating_thousandths=3_900, mean_listings_thousandths=42_500,
        ),
        outcome(score_cents=-1_000, gmv_cents=50_000, orders=1, mean_rating_thousandths=4_000),
    )  # fmt: skip
    run.results["w2"] = (
        outcome(
            score_cents=100_000, gmv_cents=400_000, orders=10, mean_rating_thousandths=4_100,
            mean_listings_thousandths=37_500, fines_cents=900,
        ),
        outcome(mean_rating_thousandths=4_000),
    )  # fmt: skip
    ends = ["normal"] * 5 + ["cancelled", "returned", "refunded", "bad_review", "bad_review"]
    late = [1, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    run.tables["w1", "orders"] = {
        "seat": [1] * 10 + [2],
        "late": [*late, 0],
        "outcome": [*ends, "normal"],
    }
    run.tables["w2", "orders"] = {"seat": [1] * 10, "late": [0] * 10, "outcome": ["normal"] * 10}
    return run


def test_table_one_is_what_the_paper_prints_worked_out_by_hand() -> None:
    told = cells(report_tables.table_one(two_stores(), None, WIDE), "model")
    assert told["Stores"] == 2
    assert told["Net assets"] == (800_000 + 400_000) / 2
    assert told["GMV"] == 700_000
    assert told["Net profit margin"] == pytest.approx((0.5 + 0.25) / 2)
    assert told["Orders"] == 10
    assert told["Fines"] == 2_000
    assert told["Store rating"] == pytest.approx(4.0)
    # Two late, one cancelled, one returned, one refunded, two bad reviews (one of them late too), two stockouts.
    assert told["Anomaly rate"] == pytest.approx(((7 + 2) / 12 + 0 / 10) / 2)
    assert told["Active listings"] == pytest.approx(40.0)
    assert (told["SWR"], told["Tool calls"]) == (None, None)
    idle = cells(report_tables.table_one(two_stores(), None, WIDE), "idle")
    assert (idle["Net assets"], idle["Net profit margin"], idle["Anomaly rate"]) == (300_000, None, None)


def test_the_fate_of_every_buyer_is_told_once() -> None:
    told = cells(report_tables.world_order_fates(two_stores(), "w1", WIDE), "model")
    names = report_tables.FATE_TITLES
    assert [told[name] for name in names] == [3, 2, 1, 1, 1, 2, 2, 1]
    assert sum(told[name] for name in names[:6]) == told["Orders"]
    both = cells(report_tables.order_fates(two_stores(), None, WIDE), "model")
    assert both["Normal"] == (3 + 10) / 2


def test_swr_is_the_least_share_of_active_windows_in_thirty_days() -> None:
    """Of 70 windows a model was idle in the 5 of 20 to 24, and only sealed in 62."""
    run = Run(specs=(Spec(world="w1", seats=("model", "plain", "idle")),))
    calls = [0 if 20 <= w < 25 else 1 if w == 62 else 3 for w in range(70)]
    sealed = [0 if 20 <= w < 25 else 1 for w in range(70)]
    plain = [w == 3 for w in range(70)]
    run.tables["w1", "windows"] = decided({1: [True] * 70, 2: plain, 3: [False] * 70})
    run.tables["w1", "usage"] = used(1, calls, sealed)
    found = activities(run, "w1")
    # Runs of sixty that begin in windows 3 to 10 hold all six.
    assert found[1].sustained == pytest.approx(54 / 60)
    assert found[1].tool_calls == sum(calls)
    assert (found[2].sustained, found[2].tool_calls) == (1.0, None)
    assert (found[3].sustained, found[3].tool_calls) == (0.0, None)
    short = Run(specs=run.specs)
    short.tables["w1", "windows"] = decided({1: [True] * 59})
    assert activities(short, "w1")[1].sustained is None


def test_months_are_those_of_the_calendar_and_their_profit_is_what_net_assets_grew_by() -> None:
    """Thirty days of June and one of July, cash alone growing by 10 fen a half-day, by 1,000 in July's two."""
    run = Run(specs=(Spec(world="w1", seats=("model",)),))
    half_days = range(62)
    cash = [200_000 + 10 * (min(h, 59) + 1) + 1_000 * max(0, h - 59) for h in half_days]
    run.tables["w1", "daily"] = {
        "calendar_day": [h // 2 + 1 for h in half_days],
        "seat": [1] * 62,
        "cash_cents": cash,
        "deposit_cents": [100_000] * 62,
        "in_transit_cents": [0] * 62,
        "receivable_cents": [0] * 62,
        "orders": [1] * 62,
        "gmv_cents": [100] * 62,
        "listings": [50] * 60 + [10, 20],
    }
    run.tables["w1", "windows"] = decided({1: [True] * 62})
    run.tables["w1", "usage"] = used(1, [2] * 30 + [1] * 30 + [2, 1], [1] * 62)
    run.tables["w1", "alignment"] = {"seat": [1, 1], "month": [1, 2], "alignment": [60.0, 80.0]}
    june, july = store_months(run)
    assert [month_name(month) for month in (0, 1, 11)] == ["June 2025", "July 2025", "May 2026"]
    assert [month_label(month) for month in (0, 6, 7)] == ["Jun", "Dec", "Jan"]
    assert (june.profit_cents, july.profit_cents) == (600, 2_000)
    assert (june.gmv_cents, june.orders, june.listings, july.listings) == (6_000, 60, 50.0, 15.0)
    assert (june.effective, june.calls, july.effective, july.calls) == (0.5, 90, 0.5, 3)
    assert (june.alignment, july.alignment) == (60.0, 80.0)
    table = report_tables.months(run, None, WIDE)
    assert table is not None
    titles = [column.title for column in table.columns]
    told = dict(zip(titles, table.rows[1], strict=True))
    assert (told["Month"], told["Net profit"], told["Portfolio alignment"]) == ("July 2025", 2_000, 80.0)
    assert told["Net profit margin"] == 10.0


def test_what_a_run_does_not_keep_is_said_and_not_drawn() -> None:
    run = Run(specs=())
    for part in PARTS:
        assert part.build(run, "w1", WIDE) is None, part.name
        assert part.needs
    bare = Run(specs=(Spec(world="w1", seats=("model",)),), results={"w1": (outcome(),)})
    bare.tables["w1", "daily"] = {"seat": [1], "calendar_day": [1]}
    assert report_tables.fines(bare, None, WIDE) is None
    assert report_tables.order_fates(bare, None, WIDE) is None
    assert cells(report_tables.table_one(bare, None, WIDE), "model")["Anomaly rate"] is None


def drawn(chart: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the one data set of a chart's specification."""
    (values,) = chart["datasets"].values()
    found: Sequence[Mapping[str, Any]] = values
    return found


def test_charts_hold_what_tables_hold_and_a_narrow_one_is_one_panel_across() -> None:
    run = two_stores()
    wide = report_charts.anomalies(run, None, WIDE).to_dict()
    bars = {(row["name"], row["kind"]): row["value"] for row in drawn(wide)}
    # Buyers of both stores of `model`: ten orders, two stockouts and one short; ten orders.
    assert bars["model", "Returned"] == pytest.approx(1 / 23)
    assert bars["model", "Stockout"] == pytest.approx(2 / 23)
    assert wide["columns"] == 3
    assert report_charts.anomalies(run, None, NARROW).to_dict()["columns"] == 1


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three worlds of two stores over forty days."""
    folder = tmp_path_factory.mktemp("months")
    (folder / "months.yaml").write_text(STUDY, encoding="utf-8")
    tournament("run", "months.yaml", "--out", "r", "--jobs", "2", cwd=folder)
    return folder / "r"


def read(run: Path) -> Any:
    """Return the run as the report gives it to a part."""
    from reports.parts import ViewTables
    from reports.view import open_view

    return ViewTables(view=open_view(run))


def test_the_market_is_registered_with_its_parts() -> None:
    assert report_parts("merchant@1") == PARTS


def test_fines_by_kind_are_the_ledgers_postings(run_folder: Path) -> None:
    found = read(run_folder)
    total = 0
    for spec in found.worlds():
        paid = report_tables.fines_by_seat(found, spec.world)
        assert paid is not None
        with read_journal(run_folder / "worlds" / spec.world / JOURNAL) as journal:
            postings = journal.postings()
        for seat, outcome_row in enumerate(found.outcomes(spec.world), start=1):
            own = postings[postings[:, 1] == seat]
            kinds = range(ACCOUNTS.index("fine_late"), ACCOUNTS.index("fine_review") + 1)
            assert paid[seat - 1] == tuple(-int(own[own[:, 2] == kind, 3].sum()) for kind in kinds)
            assert sum(paid[seat - 1]) == outcome_row["fines_cents"]
            total += sum(paid[seat - 1])
    assert total > 0


def test_a_played_stores_months_add_up_to_its_score_and_its_orders(run_folder: Path) -> None:
    found = read(run_folder)
    months = list(store_months(found))
    for store in stores(found):
        own = [item for item in months if (item.world, item.contestant) == (store.world, store.contestant)]
        assert [item.month for item in own] == [0, 1]
        assert sum(item.profit_cents for item in own) == store.whole("score_cents")
        assert sum(item.orders for item in own) == store.whole("orders")
        assert sum(item.gmv_cents for item in own) == store.whole("gmv_cents")
        assert store.fates is not None
        assert sum(store.fates[name] for name in FATES[:6]) == store.whole("orders")
        assert all((item.effective == 0) == (store.contestant == "idle") for item in own)


def test_the_anomaly_rate_of_a_world_is_that_of_its_stores(run_folder: Path) -> None:
    found = read(run_folder)
    for spec in found.worlds():
        measures = found.table(spec.world, "measures")
        told = dict(zip(measures["measure"], measures["value"], strict=True))["anomaly_rate"]
        mine = [store for store in stores(found, [spec]) if store.asked]
        odd = sum(store.anomalies or 0 for store in mine)
        assert odd / sum(store.asked for store in mine) == pytest.approx(told)


def test_alignment_is_the_mean_percentile_over_listed_product_hours() -> None:
    """Counted product by product: the share of available products that are wanted less that day."""
    days, seats = 33, 2
    world = play(opened({"days": days, "products": 60}, seats=seats), [MERCHANT_RULE, MERCHANT_QUALITY])
    table = world.tables().extra["alignment"]
    shelf = world.tables().extra["shelf"]
    listed = list(
        zip(shelf["window"].tolist(), shelf["seat"].tolist(), shelf["product"].tolist(), strict=True)
    )
    ranks: dict[tuple[int, int], list[float]] = {}
    for day in range(days):
        wanted = [
            float(world.catalog.demand[i] * world.year.shape[world.catalog.keyword[i], day])
            * float(world.year.growth[i, day // 7])
            for i in range(60)
        ]
        there = [i for i in range(60) if world.open_days[day][i // 8] >> (7 - i % 8) & 1]
        for window, seat, product in listed:
            if window // 2 == day:
                less = sum(wanted[i] < wanted[int(product[1:])] for i in there)
                share = min(100.0, 100.0 * less / (len(there) - 1))
                ranks.setdefault((1 if day < 30 else 2, seat), []).append(share)
    found = dict(
        zip(
            zip(table["month"].tolist(), table["seat"].tolist(), strict=True), table["alignment"], strict=True
        )
    )
    assert found.keys() == ranks.keys()
    for key, values in ranks.items():
        assert found[key] == pytest.approx(sum(values) / len(values))
    hours = table["listed_hours"].reshape(-1).tolist()
    assert sum(hours) == 12 * len(listed)


def test_the_product_wanted_most_has_percentile_one_hundred() -> None:
    demand, available = np.array([1.0, 4.0, 2.0, 9.0]), np.array([True, True, True, False])
    assert np.minimum(percentiles(demand, available), 100).tolist() == [0.0, 100.0, 50.0, 100.0]


def test_fines_of_a_half_day_are_told_apart_by_kind() -> None:
    ledger = np.zeros((1, 11), dtype=np.int64)
    ledger[0, 5:10] = [-300, -500, -500, -800, -1_000]
    found = {name: int(cents[0]) for name, cents in fines_by_kind(ledger).items()}
    assert found == {
        "fine_late_cents": 300,
        "fine_stockout_cents": 500,
        "fine_short_cents": 500,
        "fine_return_cents": 800,
        "fine_review_cents": 1_000,
    }
