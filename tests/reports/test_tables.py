"""Tables as files: the same digits in every form, units in headings, text that stays text."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.ceo_arena.published import PUBLISHED
from reports import numbers
from reports.claims import Claims
from reports.sources import Line, Sources
from reports.tables import text
from reports.tables.catalogue import BUILDERS
from reports.tables.model import Column, Grid, grid
from reports.view import open_view
from tournament.errors import DamageError

NASTY = "a_b & 50% of $x^2 {~} \\ #1 | <b> \u2212 → …\n next"


def line(**values: object) -> Line:
    return Line(file="externalities/x.csv", key={"entrant": str(values["entrant"])}, values=values)  # type: ignore[arg-type]


def small(*lines: Line) -> Grid:
    columns = (
        Column(source="entrant", label="Entrant", emphasis=True),
        Column(source="mean_cents", label="Mean", kind="money", unit="thousand USD"),
        Column(source=("low_cents", "high_cents"), label="Interval", kind="interval", unit="thousand USD"),
        Column(source="share", label="Share", kind="share"),
        Column(source="p", label="p", kind="probability"),
        Column(source="n", label="n", kind="count"),
        Column(source="flag", label="Stable", kind="flag"),
    )
    said = Claims(page="x").say("Against {who}.", who=NASTY)
    return grid(
        numbers.Units(),
        "small",
        "A table",
        columns,
        lines,
        caption=said,
        notes=("A note.",),
        strong=lambda item: item["flag"] is True,
    )


ROW = {"entrant": "ann", "mean_cents": -123456789.4, "low_cents": -2e8, "high_cents": 5e5, "share": 0.125, "p": 0.0004,
       "n": 12345, "flag": True}  # fmt: skip
HOLE = {"entrant": "bob", "mean_cents": None, "low_cents": None, "high_cents": 1.0, "share": None, "p": None, "n": None,
        "flag": None}  # fmt: skip


def test_csv_holds_numbers_in_the_units_of_its_headings() -> None:
    rows = list(csv.reader(io.StringIO(text.csv_text(small(line(**ROW), line(**HOLE))))))
    assert rows[0] == ["Entrant", "Mean (thousand USD)", "Interval low (thousand USD)", "Interval high (thousand USD)",
                       "Share (%)", "p", "n", "Stable"]  # fmt: skip
    assert rows[1] == ["ann", "-1234.56789", "-2000.0", "5.0", "12.5", "0.0004", "12345", "True"]
    assert rows[2] == ["bob", *[""] * 7]


def test_markdown_shows_what_a_page_shows_with_caption_and_source() -> None:
    lines = text.markdown(small(line(**ROW), line(**HOLE))).splitlines()
    assert lines[0] == "### A table"
    row = next(item for item in lines if item.startswith("| ann"))
    assert (
        row
        == "| ann | \u22121,234.57 | \\[\u22122,000.00, 5.00\\] | 12.5\N{NO-BREAK SPACE}% | \\<0.001 | 12,345 | yes |"
    )
    assert "| bob | – | – | – | – | – | – |" in lines
    assert lines[-2:] == ["A note.  ", "Source: externalities/x.csv."]


def test_latex_is_booktabs_with_signs_thousands_and_bold_rows() -> None:
    found = text.latex(small(line(**ROW), line(**HOLE)))
    assert r"\begin{tabular}{lrrrrrl}" in found
    assert found.index(r"\toprule") < found.index(r"\midrule") < found.index(r"\bottomrule")
    assert (
        r"\textbf{$-$1,234.57} & \textbf{[$-$2,000.00, 5.00]} & \textbf{12.5~\%} & \textbf{\textless{}0.001}"
        in found
    )
    assert r"\caption{A table. Against a\_b \& 50\% of \$x\textasciicircum{}2" in found
    assert r"\label{tab:small}" in found


@given(st.text(max_size=60))
def test_no_text_breaks_a_row(name: str) -> None:
    found = small(line(**{**ROW, "entrant": name}))
    assert len(list(csv.reader(io.StringIO(text.csv_text(found))))) == 2
    assert sum(item.startswith("| ") for item in text.markdown(found).splitlines()) == 3
    body = text.latex(found).split(r"\midrule")[1].split(r"\bottomrule")[0].strip()
    assert body.count("\n") == 0
    assert body.endswith(r"\\")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_latex_compiles(tmp_path: Path) -> None:
    document = "\n".join([r"\documentclass{article}", r"\usepackage{booktabs}", r"\usepackage[utf8]{inputenc}",
                          r"\begin{document}", text.latex(small(line(**ROW))), r"\end{document}"])  # fmt: skip
    (tmp_path / "x.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=batchmode", "x.tex"], cwd=tmp_path, check=False)
    assert done.returncode == 0


def test_every_table_is_written_in_three_forms(told: Path) -> None:
    folder = told / "report" / "tables"
    assert len(list(folder.glob("*.csv"))) == len(BUILDERS)
    for path in folder.glob("*.csv"):
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
        assert len({len(row) for row in rows}) == 1
        assert (folder / f"{path.stem}.md").read_text(encoding="utf-8").startswith("### ")
        assert r"\begin{tabular}" in (folder / f"{path.stem}.tex").read_text(encoding="utf-8")


def test_tables_show_the_published_numbers(told: Path) -> None:
    with (told / "externalities" / "operating.csv").open(encoding="utf-8", newline="") as stream:
        published = {(row["reference"], row["contestant"]): row for row in csv.DictReader(stream)}
    with (told / "report" / "tables" / "operating.csv").open(encoding="utf-8", newline="") as stream:
        shown = list(csv.DictReader(stream))
    assert len(shown) == len(published)
    for row in shown:
        source = published[row["Reference"], row["Contestant"]]
        assert float(row["Mean Score (thousand USD)"]) == pytest.approx(
            float(source["mean_score_cents"]) / 1e5, abs=1e-5
        )
        assert row["Rank"] == source["rank"]


def test_captions_tell_worlds_seeds_and_baseline(told: Path) -> None:
    found = (told / "report" / "tables" / "externalities.md").read_text(encoding="utf-8")
    assert "15 of 15 worlds; seeds 11, 29; baseline rule." in found


@pytest.mark.parametrize(
    ("cents", "shown"),
    [
        (0.0, "0.00"),
        (-0.4, "0.00"),
        (1e5, "1.00"),
        (-150.0, "0.00"),
        (-151_000.0, "\u22121.51"),
        (123456789.0, "1,234.57"),
    ],
)
def test_money_is_thousands_with_two_decimals_and_zero_has_no_sign(cents: float, shown: str) -> None:
    assert numbers.Money().bare(cents) == shown


def test_signed_money_tells_gain_and_loss() -> None:
    assert numbers.Money().signed(4_117_000) == "+$41.17k"
    assert numbers.Money().signed(-4_117_000) == "\u2212$41.17k"
    assert numbers.Money().signed(-1) == "$0.00k"
    assert numbers.count(12345.0) == "12,345"
    assert numbers.count(-1.25) == "\u22121.2"


def test_a_damaged_table_is_named_with_its_line(told: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(told / "externalities", run / "externalities")
    path = run / "externalities" / "operating.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], lines[1].replace("rule", "rule,much", 1)]), encoding="utf-8")
    with pytest.raises(DamageError, match=r"operating\.csv:2 is damaged"):
        Sources(run=run, published=PUBLISHED).table("operating.csv")


def test_lines_are_found_by_their_keys(told: Path) -> None:
    table = open_view(told).table("directed_summary.csv")
    keys = [tuple(item.key.items()) for item in table]
    assert len(keys) == len(set(keys))
    assert table.one(entrant="nobody") is None


def test_a_table_of_an_earlier_version_lacks_a_column_and_is_read_all_the_same(
    told: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(told / "externalities", run / "externalities")
    path = run / "externalities" / "operating.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [
            {name: cell for name, cell in row.items() if name != "seed_sd_cents"}
            for row in csv.DictReader(stream)
        ]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    table = Sources(run=run, published=PUBLISHED).table("operating.csv")
    assert len(table) == len(rows)
    assert all(item["seed_sd_cents"] is None for item in table)
