"""The parts of the report that `commerce@1` brings show the numbers that its tables hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from market.commerce import report_charts, report_tables
from market.commerce.companies import Company, companies, events_of, totals
from market.commerce.parameters import COUNTRIES, SKU_IDS
from market.commerce.published import PUBLISHED
from market.commerce.report_parts import PARTS
from market.commerce.state import ACCOUNTS
from tests.cli.arena import tournament
from tournament.journal.reader import read_journal
from tournament.journal.writer import JOURNAL
from tournament.published import Published
from tournament.registry import report_parts
from tournament.report_parts import Columns, PartTable, Room

WIDE, NARROW = Room(width=900, narrow=False), Room(width=344, narrow=True)
STUDY = """\
study: traders
market: commerce@1
seeds: [11, 29]
contestants:
  bayes: {policy: commerce-bayes@1}
  nearcost: {policy: commerce-nearcost@1}
  reckless: {policy: commerce-ladder-service-reckless@1}
lineup: [bayes, nearcost]
replace: [bayes]
references: [{contestant: reckless}]
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
    steps: int = 31

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


def rows(names: str, *values: Sequence[Any]) -> Columns:
    """Return a table of rows by column name."""
    return {name: [row[at] for row in values] for at, name in enumerate(names.split())}


def cells(table: PartTable | None, *first: str) -> dict[str, Any]:
    """Return the one row that begins with some words, by column title."""
    assert table is not None
    (row,) = [row for row in table.rows if tuple(row[: len(first)]) == first]
    return dict(zip([column.title for column in table.columns], row, strict=True))


SALE = "day seat sku country units revenue_cents freight_cents duty_cents goods_cents contribution_cents"
REPLY = (
    "inquiry day seat sku country persona coverage false_claim won units revenue_cents freight_cents"
    " duty_cents goods_cents"
)


def two_companies() -> Run:
    """One world: `one` buys, sells, advertises and answers, `two` does nothing."""
    run = Run(specs=(Spec(world="w", seats=("one", "two")),), results={"w": (outcome(expired=3), outcome())})
    run.tables["w", "sales"] = rows(
        SALE,
        (4, 1, "SH-01", "US", 10, 40_000, 3_000, 2_000, 10_000, 25_000),
        (5, 1, "SH-02", "US", 10, 20_000, 3_000, 1_000, 12_000, 4_000),
        (9, 1, "EL-01", "CN", 5, 50_000, 500, 0, 30_000, 19_500),
    )
    run.tables["w", "replies"] = rows(
        REPLY,
        (0, 2, 1, "SH-01", "US", "urgent", 1.0, 0, 1, 20, 60_000, 12_000, 4_000, 20_000),
        (1, 3, 1, "SH-01", "EU", "formal", 0.5, 1, 0, 30, 0, 0, 0, 0),
        (2, 3, 1, "SH-01", "EU", "urgent", 0.0, 1, 1, 0, 0, 0, 0, 0),
    )
    run.tables["w", "purchases"] = rows(
        "seat window sku units unit_cents",
        (1, 0, "SH-01", 40, 1_000),
        (1, 4, "SH-02", 20, 1_200),
        (1, 11, "EL-01", 10, 6_000),
    )
    run.tables["w", "ads"] = rows(
        "day seat sku country spend_cents orders attributed_return_cents",
        (4, 1, "SH-01", "US", 600, 1, 2_000),
        (5, 1, "SH-01", "US", 600, 0, 0),
    )
    run.tables["w", "permits"] = rows("seat country fee_cents", (1, "US", 40_000), (1, "SA", 31_000))
    run.tables["w", "violations"] = rows(
        "seat country sales fine_cents", (1, "EU", 2, 150_000), (1, "EU", 1, 150_000)
    )
    run.tables["w", "signals"] = rows(
        "signal kind category country announced start end genuine",
        (0, "demand", "SH", "US", 3, 5, 13, 1),
        (1, "demand", "EL", "CN", 9, 11, 20, 0),
        (2, "tariff", "EL", "CN", 9, 11, 20, 1),
    )
    return run


def test_landed_cost_by_route_is_worked_out_by_hand_with_won_inquiries() -> None:
    told = cells(report_tables.routes(two_companies(), None, WIDE), "one", "US")
    # Ten and ten of consumers and twenty of the inquiry; 120,000 of revenue.
    assert (told["Units"], told["Share of units"]) == (40, 40 / 45)
    assert told["Revenue a unit"] == 120_000 / 40
    assert (told["Goods"], told["Freight"], told["Duty"]) == (42_000 / 40, 18_000 / 40, 7_000 / 40)
    assert told["Landed cost"] == 67_000 / 40
    assert told["Margin"] == pytest.approx(53_000 / 120_000)
    table = report_tables.routes(two_companies(), None, WIDE)
    assert table is not None
    assert [row[:2] for row in table.rows] == [("one", "CN"), ("one", "US")]


def test_sell_through_and_margin_are_told_by_category_and_by_sku() -> None:
    told = cells(report_tables.products(two_companies(), None, WIDE), "one", "SH shoes")
    assert (told["Bought"], told["Sold"], told["Sell-through"]) == (60, 40, pytest.approx(40 / 60))
    assert (told["Cost of purchases"], told["Revenue"]) == (64_000, 120_000)
    assert (told["Contribution"], told["Margin"]) == (53_000, pytest.approx(53 / 120))
    skus = report_tables.skus_of(two_companies(), "one", WIDE)
    assert skus is not None
    assert [row[0] for row in skus.rows] == ["SH-01", "EL-01", "SH-02"]
    assert cells(skus, "SH-02")["Margin"] == pytest.approx(0.2)


def test_permits_fines_ads_and_replies_are_those_of_their_tables() -> None:
    run = two_companies()
    kept = cells(report_tables.compliance(run, None, WIDE), "one")
    assert (kept["Permits"], kept["Fees"], kept["Sales without a permit"]) == (2, 71_000, 3)
    assert (kept["Fines"], kept["Fines, EU"], kept["Fines, US"]) == (300_000, 300_000, 0)
    ads = cells(report_tables.advertising(run, None, WIDE), "one")
    assert (ads["Listing-days"], ads["Spent"], ads["Orders there"]) == (2, 1_200, 1)
    assert ads["Over revenue"] == pytest.approx(1_200 / 170_000)
    assert (ads["Return a dollar"], ads["Net"]) == (pytest.approx(2_000 / 1_200), 800)
    assert cells(report_tables.advertising(run, None, WIDE), "two")["Return a dollar"] is None
    every = cells(report_tables.inquiries(run, None, WIDE), "one", "all")
    assert (every["Answered"], every["Won"], every["Conversion"]) == (3, 2, pytest.approx(2 / 3))
    assert (every["Coverage"], every["False claims"], every["Expired"]) == (0.5, 1, 3)
    assert every["Margin"] == pytest.approx(24 / 60)
    urgent = cells(report_tables.inquiries(run, None, WIDE), "one", "urgent")
    assert (urgent["Answered"], urgent["Won"]) == (2, 2)


def test_capital_in_the_news_is_told_apart_by_whether_it_came_true() -> None:
    run = two_companies()
    told = cells(report_tables.events(run, None, WIDE), "one")
    # SH-02 was bought on day 3, within the true news; EL-01 on day 10 within the rumour; SH-01 before any.
    assert (told["Bought on true news"], told["Bought on rumours"]) == (24_000, 60_000)
    assert told["Rumours' share"] == pytest.approx(60 / 84)
    assert told["News' share of purchases"] == pytest.approx(84 / 124)
    # Of shoes in US days 5 to 12: the second sale alone, for the first was on day 4.
    assert (told["Units sold in events"], told["Contribution there"]) == (10, 4_000)
    assert told["Share of all"] == pytest.approx(4_000 / 48_500)
    world = report_tables.world_events(run, "w", WIDE)
    assert world is not None
    assert [tuple(row) for row in world.rows] == [
        ("SH in US", "came true", 3, 5, 13, 10, 0),
        ("EL in CN", "a rumour", 9, 11, 20, None, None),
    ]


def worlds_of(worth: Mapping[str, Sequence[tuple[int, int, int]]]) -> Run:
    """Worlds of one seat: net worth by contestant, seed and repeat."""
    run = Run(specs=[])
    specs = []
    for name, cases in worth.items():
        for seed, repeat, cents in cases:
            world = f"{name}.{seed}.{repeat}"
            specs.append(Spec(world=world, seats=(name,), seed=seed, repeat=repeat))
            run.results[world] = (outcome(score_cents=cents - 8_000_000),)
    run.specs = specs
    return run


def test_table_six_is_over_seeds_and_over_repeats_of_an_only_seed() -> None:
    run = worlds_of(
        {"one": [(11, 1, 9_000_000), (11, 2, 11_000_000), (29, 1, 7_000_000), (29, 2, 9_000_000)],
         "two": [(11, 1, 4_000_000), (29, 1, 4_400_000)]}
    )  # fmt: skip
    told = cells(report_tables.uncertainty(run, None, WIDE), "one")
    assert (told["Worlds"], told["Draws"], told["Net worth"]) == (4, 2, 9_000_000)
    # Draws of 10 and 8 million: SD sqrt(2) million, Student's t of one degree of freedom 12.706.
    assert told["SD"] == pytest.approx(1_414_213.6, abs=1)
    assert told["95 % from"] == pytest.approx(9_000_000 - 12_706_205, abs=10)
    assert (told["Least"], told["Most"], told["Kept"]) == (7_000_000, 11_000_000, 0.75)
    alone = worlds_of({"one": [(11, 1, 9_000_000), (11, 2, 11_000_000)]})
    told = cells(report_tables.uncertainty(alone, None, WIDE), "one")
    assert (told["Draws"], told["SD"]) == (2, pytest.approx(1_414_213.6, abs=1))
    single = worlds_of({"one": [(11, 1, 9_000_000)]})
    told = cells(report_tables.uncertainty(single, None, WIDE), "one")
    assert (told["SD"], told["95 % from"]) == (None, None)


def test_reliability_is_the_share_of_variance_between_contestants() -> None:
    # Means 10 and 2, variances 2 and 2: between is 32 - 2/2, within 2.
    found = report_tables.reliability(
        report_tables.Spread(worlds=[], units=units) for units in ([9.0, 11.0], [1.0, 3.0])
    )
    assert found == (pytest.approx(31 / 33), pytest.approx(31 / 32), 2)
    uneven = [report_tables.Spread(worlds=[], units=units) for units in ([9.0, 11.0], [1.0])]
    assert report_tables.reliability(uneven) is None
    with_note = report_tables.uncertainty(
        worlds_of({"one": [(1, 1, 9), (2, 1, 11)], "two": [(1, 1, 1), (2, 1, 3)]}), None, WIDE
    )
    assert with_note is not None
    assert "ICC(1,1) 0.939 of one draw, ICC(1,2) 0.969 of 2" in with_note.notes[1]


def test_what_a_run_does_not_keep_is_said_and_not_drawn() -> None:
    run = Run(specs=())
    for part in PARTS:
        assert part.build(run, "w1", WIDE) is None, part.name
        assert part.needs
    bare = Run(specs=(Spec(world="w", seats=("one",)),), results={"w": (outcome(),)})
    shown = {part.name for part in PARTS if part.build(bare, "w" if part.place == "world" else "one", WIDE)}
    assert shown == {"net-worth", "uncertainty", "contestant-companies"}


def drawn(chart: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the one data set of a chart's specification."""
    (values,) = chart["datasets"].values()
    found: Sequence[Mapping[str, Any]] = values
    return found


def test_charts_hold_what_tables_hold_and_a_narrow_one_is_one_panel_across() -> None:
    run = two_companies()
    shares = {row["kind"]: row["value"] for row in drawn(report_charts.dollar(run, None, WIDE).to_dict())}
    assert shares["Goods"] == pytest.approx(72_000 / 170_000)
    assert shares["Fines"] == pytest.approx(300_000 / 170_000)
    both = report_charts.products(run, None, WIDE).to_dict()
    points = {(row["kind"], row["category"]): row["value"] for row in drawn(both)}
    assert points["Sell-through", "SH"] == pytest.approx(40 / 60)
    assert points["Margin", "EL"] == pytest.approx(19_500 / 50_000)
    assert both["columns"] == 2
    for part in PARTS:
        if part.shape == "chart" and part.name != "net-worth":
            assert part.build(run, None, NARROW).to_dict()["columns"] == 1, part.name
    returned = {
        row["kind"]: row["value"] for row in drawn(report_charts.advertising(run, None, WIDE).to_dict())
    }
    assert returned == {"Spent, dollars a company": 12.0, "Attributed return a dollar": 2_000 / 1_200}
    won = {row["kind"]: row["value"] for row in drawn(report_charts.inquiries(run, None, WIDE).to_dict())}
    # The formal buyer's was answered and not won: a kind that nobody won is left out.
    assert won == {"Urgent": 1.0}


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four worlds of two companies over the whole month."""
    folder = tmp_path_factory.mktemp("traders")
    (folder / "traders.yaml").write_text(STUDY, encoding="utf-8")
    tournament("run", "traders.yaml", "--out", "r", "--jobs", "2", cwd=folder)
    return folder / "r"


def read(run: Path) -> Any:
    """Return the run as the report gives it to a part."""
    from reports.parts import ViewTables
    from reports.view import open_view

    return ViewTables(view=open_view(run))


def test_the_market_is_registered_with_its_parts() -> None:
    assert report_parts("commerce@1") == PARTS


def own(table: Columns, company: Company, name: str, where: str = "") -> int:
    """Return the sum of a company's cells of a column, of rows that are set in another where one is named."""
    kept = table[where] if where else [1] * len(table["seat"])
    rows_of = zip(table["seat"], table[name], kept, strict=True)
    return sum(value for seat, value, there in rows_of if seat == company.seat and there)


def test_the_tables_of_trade_add_up_to_every_companys_outcomes(run_folder: Path) -> None:
    run = read(run_folder)
    seen = dict.fromkeys(("fines_cents", "ads_cents", "converted", "false_claims"), 0)
    for company in companies(run):
        t = {name: run.table(company.world, name) for name in ("sales", "replies", "purchases", "ads")}
        t |= {name: run.table(company.world, name) for name in ("permits", "violations")}
        value = company.whole
        for name in ("orders", "units", "refunds", "revenue_cents"):
            column = "units_sold" if name == "units" else name
            assert own(t["sales"], company, name) == value(column), name
        assert own(t["replies"], company, "revenue_cents") == value("service_revenue_cents")
        assert own(t["replies"], company, "won") == value("converted")
        assert own(t["replies"], company, "false_claim", "won") == value("false_claims")
        assert list(t["replies"]["seat"]).count(company.seat) == value("replies")
        for name in ("freight_cents", "duty_cents"):
            assert own(t["sales"], company, name) + own(t["replies"], company, name) == value(name)
        sold = own(t["sales"], company, "contribution_cents")
        for name in ("revenue_cents", "freight_cents", "duty_cents", "goods_cents"):
            sold += (1 if name == "revenue_cents" else -1) * own(t["replies"], company, name)
        sales = value("revenue_cents") + value("service_revenue_cents")
        assert sold * 1000 // sales == value("order_margin_thousandths")
        assert own(t["ads"], company, "spend_cents") == value("ads_cents")
        assert own(t["permits"], company, "fee_cents") == value("permits_cents")
        assert own(t["violations"], company, "fine_cents") == value("fines_cents")
        assert own(t["violations"], company, "sales") == value("violations")
        bought = zip(*(t["purchases"][n] for n in ("seat", "units", "unit_cents")), strict=True)
        assert sum(n * cents for seat, n, cents in bought if seat == company.seat) == value(
            "procurement_cents"
        )
        assert list(t["purchases"]["seat"]).count(company.seat) == value("supplier_orders")
        for name in seen:
            seen[name] += value(name)
    # Nothing of this is said of worlds in which it never happened.
    assert all(total > 0 for total in seen.values())


def test_sums_of_parts_are_the_outcomes_means(run_folder: Path) -> None:
    run = read(run_folder)
    for name, total in totals(run, "sold").items():
        mine = [company for company in companies(run) if company.contestant == name]
        assert total.companies == len(mine)
        sales = sum(c.whole("revenue_cents") + c.whole("service_revenue_cents") for c in mine)
        assert int(total.values[..., 1].sum()) == sales
        assert total.values.shape == (len(SKU_IDS), len(COUNTRIES), 5)
    fined = cells(report_tables.compliance(run, None, WIDE), "nearcost")
    mine = [company for company in companies(run) if company.contestant == "nearcost"]
    assert fined["Fines"] == pytest.approx(np.mean([company.whole("fines_cents") for company in mine]))
    assert fined["Fines"] == pytest.approx(sum(fined[f"Fines, {country}"] for country in COUNTRIES))


def test_news_and_permits_are_the_journals_own(run_folder: Path) -> None:
    """Fees are postings of the account; a rumour is never corroborated in what a seat was shown."""
    from market.commerce.market import MARKET

    run = read(run_folder)
    spec = run.worlds()[0]
    with read_journal(run_folder / "worlds" / spec.world / JOURNAL) as journal:
        postings = journal.postings()
    for seat in (1, 2):
        fees = [
            cents
            for at, cents in zip(
                *(run.table(spec.world, "permits")[n] for n in ("seat", "fee_cents")), strict=True
            )
            if at == seat
        ]
        paid = postings[(postings[:, 1] == seat) & (postings[:, 2] == ACCOUNTS.index("permits"))]
        assert -int(paid[:, 3].sum()) == sum(fees)
    world = MARKET.configure({}).open(spec.seed, 1)
    while world.window < world.windows - 1:
        world.settle([{}])
    shown = {row["signal"]: row["corroborated"] for row in world.desk(1).facts()["signals"]}
    events = events_of(run.table(spec.world, "signals"))
    assert len(events) == 12
    assert all(shown[event.number] == event.genuine for event in events)


def test_the_report_has_the_markets_own_sections(run_folder: Path) -> None:
    tournament("report", "r", "--format", "html,csv", cwd=run_folder.parent)
    report = run_folder / "report"
    for part in PARTS:
        if part.place == "index" and part.shape == "table":
            assert (report / "tables" / f"{part.name}.csv").stat().st_size > 100, part.name
    index = (report / "index.html").read_text(encoding="utf-8")
    for part in PARTS:
        if part.place == "index":
            assert part.section in index
            assert part.title in index
            assert part.needs not in index
    assert "Company by company" in (report / "contestants" / "bayes.html").read_text(encoding="utf-8")
    world = (report / "worlds" / f"{read(run_folder).worlds()[0].world}.html").read_text(encoding="utf-8")
    assert "Announced changes of demand" in world
