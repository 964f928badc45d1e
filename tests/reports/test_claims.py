"""Every number in a sentence stands in a file: followed from claims.json to file, row and column."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from reports import numbers
from reports.claims import Claims, figure
from reports.sources import Cell
from tests.reports.pages import Page


def cell(value: Any = 12345.0) -> Cell:
    return Cell(value=value, file="externalities/x.csv", row={"entrant": "ann"}, column="mean_cents")


def follow(run: Path, number: dict[str, Any]) -> Any:
    """Return what stands in the file where a claim says that it was read."""
    if number["file"].endswith(".json"):
        value = json.loads((run / number["file"]).read_text(encoding="utf-8"))
        pointer = number["column"].split("/")[1:]
        for step in [part.replace("~1", "/").replace("~0", "~") for part in pointer]:
            value = value[int(step)] if isinstance(value, list) else value[step]
        return value
    with (run / number["file"]).open(encoding="utf-8", newline="") as stream:
        rows = [
            row
            for row in csv.DictReader(stream)
            if all(row[name] == value for name, value in number["row"].items())
        ]
    assert len(rows) == 1, number
    return rows[0][number["column"]]


def test_every_claim_names_a_cell_that_holds_its_number(told: Path, claims: list[dict[str, Any]]) -> None:
    assert len(claims) > 40
    for claim in claims:
        for number in claim["numbers"]:
            held = follow(told, number)
            if isinstance(held, list):
                assert held == number["value"]
                assert number["text"] == ", ".join(map(str, held))
            else:
                assert float(held) == pytest.approx(float(number["value"]), rel=1e-6, abs=1e-4)
            assert number["text"] in claim["sentence"]


def test_what_a_sentence_shows_is_its_cell_rounded(claims: list[dict[str, Any]]) -> None:
    shown = [number for claim in claims for number in claim["numbers"] if number["column"].endswith("_cents")]
    assert shown
    for number in shown:
        digits = float(re.sub(r"[^\d.]", "", number["text"]))
        assert digits == pytest.approx(abs(number["value"]) / 100_000, abs=0.005)
        assert ("\u2212" in number["text"]) == (number["value"] < 0 and digits > 0)


def test_no_sentence_of_the_index_has_a_number_that_is_no_claim(told: Path) -> None:
    page = Page(told / "report" / "index.html")
    claimed = set(page.all(".claim"))
    notes = " ".join(page.all(".notes"))  # what a table's words mean
    sentences = [text for text in page.all("p") if any(mark.isdigit() for mark in text)]
    assert sentences
    for text in sentences:
        if text in notes or text in page.all(".under"):
            continue
        assert any(claim in text for claim in claimed), text


def test_claims_stand_on_the_pages_that_they_name(told: Path, claims: list[dict[str, Any]]) -> None:
    for name in {claim["page"] for claim in claims if claim["page"].endswith(".html")}:
        page = Page(told / "report" / name)
        mine = [claim for claim in claims if claim["page"] == name]
        assert {claim["id"] for claim in mine} == {
            value for attribute, value in page.attributes if attribute == "data-claim"
        }


def test_a_template_with_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="a number is typed"):
        Claims(page="index.html").say("It gains 3 dollars.")


def test_a_name_cannot_fill_a_place_of_the_template() -> None:
    said = Claims(page="index.html").say(
        "{who} gains {mean}.", who="{mean}", mean=figure(cell(), numbers.Money().text)
    )
    assert said.text == "{mean} gains $0.12k."


def test_names_are_escaped_in_a_sentence() -> None:
    said = Claims(page="index.html").say("{who} gains.", who="<b>&")
    assert str(said.html) == "&lt;b&gt;&amp; gains."
