"""Pages: what they hold, what they say when something is missing, and that nobody's text becomes markup."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest

from reports.pages.index import LAYOUT
from reports.view import open_view, slug
from reports.write import write_report
from tests.reports import runs
from tests.reports.pages import Page
from tournament.rundir.manifest import record_files
from tournament.storage import sha256_of

LIMIT = 6_000_000


def report(run: Path) -> Page:
    write_report(run, ("html",))
    return Page(run / "report" / "index.html")


def test_the_index_holds_every_section_and_answers_first(told: Path) -> None:
    page = Page(told / "report" / "index.html")
    headings = page.all("h2")
    assert headings == [
        "Answers",
        *(layout.title for layout in LAYOUT),
        "Worlds",
        "Contestants",
        "Provenance",
    ]
    assert page.all("h3")[:3] == ["Who earns?", "At whose expense?", "How sure is it?"]
    assert (told / "report" / "index.html").stat().st_size < LIMIT


def test_every_link_leads_to_a_file_of_the_report_or_a_place_of_the_page(told: Path) -> None:
    for path in (told / "report").rglob("*.html"):
        page = Page(path)
        for link in page.links:
            place, _, anchor = link.partition("#")
            assert "//" not in link
            if place:
                assert (path.parent / unquote(place)).is_file(), (path.name, link)
            else:
                assert anchor in page.ids, (path.name, link)


def test_ids_are_unique_on_every_page(told: Path) -> None:
    for path in (told / "report").rglob("*.html"):
        ids = Page(path).ids
        assert len(ids) == len(set(ids)), path


def test_there_is_a_page_a_world_and_a_page_a_contestant(told: Path) -> None:
    view = open_view(told)
    names = {path.name for path in (told / "report" / "worlds").iterdir()}
    assert names == {f"{spec.world}.html" for spec in view.plan}
    names = {path.name for path in (told / "report" / "contestants").iterdir()}
    assert names == {f"{name}.html" for name in view.contestants}


def test_a_world_is_told_window_by_window(told: Path) -> None:
    page = Page(told / "report" / "worlds" / "ref.r0.s11.n1.html")
    assert [text for text in page.all("summary") if text.startswith("Window")] == [
        "Window 0 days 1 to 7",
        "Window 1 days 8 to 14 1 refused",
        "Window 2 days 15 to 21",
    ]
    assert "prices tea 100" in page.text
    assert "too dear" in page.text
    assert "project: applied, \u221212,345.00 USD, from day 4" in page.text


def test_nothing_that_others_wrote_is_markup(told: Path) -> None:
    for path in (told / "report").rglob("*.html"):
        page = Page(path)
        assert page.tags.count("script") == 1, path
        assert "img" not in page.tags
        assert not [name for name, _ in page.attributes if name.startswith("on")]
    page = Page(told / "report" / "worlds" / "ref.r0.s11.n1.html")
    assert any('<script>document.title="stolen"</script>' in text for text in page.all("blockquote"))


def test_unicode_and_markup_in_names_are_text_and_have_files_of_their_own(tmp_path: Path) -> None:
    names = ["<b>bold</b>", "Ünï ☃", "../up"]
    run = runs.made(tmp_path, lineup=names, repeats={11: 1}, references={"rule": {11: 1}})
    write_report(run)
    page = Page(run / "report" / "index.html")
    assert "b" not in page.tags
    for name in names:
        assert name in page.all("a")
        assert (run / "report" / "contestants" / f"{slug(name)}.html").is_file()
    assert not (run / "report" / "up.html").exists()
    tex = (run / "report" / "tables" / "operating.tex").read_text(encoding="utf-8")
    assert r"\textless{}b\textgreater{}" in tex


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ({"repeats": {11: 1}, "references": {"rule": {11: 1}}}, "there is no interval and no test"),
        ({"references": {}, "repeats": {5: 1}}, "The study replaces nobody"),
        ({"lineup": ("ann", "bob")}, "Rivals"),
        ({"bankrupt": True}, "firms leave early"),
        ({"statistics": False}, "The statistics are missing"),
    ],
    ids=["one seed", "one world", "two seats", "bankrupt field", "no statistics"],
)
def test_a_run_of_any_shape_has_a_report_that_says_what_is_missing(
    tmp_path: Path, shape: dict[str, object], sentence: str
) -> None:
    page = report(runs.made(tmp_path, **shape))  # type: ignore[arg-type]
    assert sentence in page.text


def test_sixteen_seats_have_colours_and_dashes_of_their_own(tmp_path: Path) -> None:
    lineup = [f"firm-{number}" for number in range(16)]
    run = runs.made(tmp_path, lineup=lineup, repeats={3: 1}, references={"rule": {3: 1}}, windows=1)
    page = report(run)
    assert set(lineup) <= set(page.all("a"))
    world = (run / "report" / "worlds" / "ref.r0.s3.n1.html").read_text(encoding="utf-8")
    assert world.count('stroke-dasharray="6 3"') >= 8


def test_unfinished_and_invalid_worlds_are_named_and_counted_in_nothing(tmp_path: Path) -> None:
    left = ["rule-for-ann.r0.s11.n1", "rule-for-bob.r0.s29.n1"]
    run = runs.made(tmp_path, unfinished=left)
    (run / "worlds" / left[1] / "journal.sqlite").write_bytes(b"no journal at all")
    page = report(run)
    assert f"{left[0]}: unfinished" in page.text
    assert f"{left[1]}: invalid" in page.text
    assert "Of 8 planned worlds 6 were analysed" in page.text
    begun = Page(run / "report" / "worlds" / f"{left[0]}.html")
    assert "This world is unfinished" in begun.text
    assert "the world has not ended" in begun.text
    assert "Window 0" in begun.text
    assert "This world is invalid" in Page(run / "report" / "worlds" / f"{left[1]}.html").text


def test_a_run_of_which_no_world_has_ended_has_a_report(tmp_path: Path) -> None:
    left = ["ref.r0.s1.n1", *(f"rule-for-{name}.r0.s1.n1" for name in ("ann", "bob", "cem"))]
    run = runs.made(tmp_path, repeats={1: 1}, references={"rule": {1: 1}}, unfinished=left)
    page = report(run)
    assert "No world has ended and been analysed" in page.text
    assert len(page.all(".missing")) > 10


def test_statistics_of_other_worlds_than_have_ended_are_said_to_be_stale(tmp_path: Path) -> None:
    run = runs.made(tmp_path, repeats={1: 1}, references={"rule": {1: 1}}, windows=1)
    lines = (run / "outcomes.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "outcomes.csv").write_text("".join(lines[:-3]), encoding="utf-8")
    record_files(run, {"outcomes.csv": sha256_of(run / "outcomes.csv")})
    assert "made from other worlds than have ended" in report(run).text


def test_a_later_report_forgets_pages_that_the_run_has_not(tmp_path: Path) -> None:
    run = runs.made(tmp_path, repeats={1: 1}, references={}, windows=1, statistics=False)
    write_report(run, ("html",))
    old = run / "report" / "worlds" / "gone.html"
    old.write_text("old", encoding="utf-8")
    write_report(run, ("html",))
    assert not old.exists()


def test_models_notes_grow_as_differences_and_usage_is_told(panel: Path) -> None:
    page = Page(panel / "report" / "worlds" / "ref.r0.s11.n1.html")
    notes = [text for text in page.all("summary") if text.startswith("MEMORY.md")]
    assert [note.split(",")[0] for note in notes[::2]] == [
        "MEMORY.md new",
        "MEMORY.md changed",
        "MEMORY.md deleted",
    ]
    assert "- hold prices" in page.all(".del")
    assert "+ raise prices" in page.all(".add")
    assert "2 replies 2 tool calls 240 prompt tokens 30 generated tokens 0.0040 USD" in page.all(".usage")
    assert any("2 failed attempts" in text for text in page.all(".usage"))
    own = Page(panel / "report" / "contestants" / "astra.html")
    assert "+ raise prices" in own.all(".add")
    assert "llm@1" in own.text


def test_usage_is_summed_by_contestant_and_faults_are_listed_by_world_and_seat(panel: Path) -> None:
    folder = panel / "report" / "tables"
    used = list(csv.DictReader(io.StringIO((folder / "usage.csv").read_text(encoding="utf-8"))))
    tables = [pd.read_parquet(path) for path in sorted(panel.glob("worlds/*/usage.parquet"))]
    sums = pd.concat(tables).groupby("contestant")[["replies", "generated_tokens", "cost_usd"]].sum()
    assert [row["Contestant"] for row in used] == ["astra", "sol"]
    for row in used:
        mine = sums.loc[row["Contestant"]]
        assert (float(row["Replies"]), float(row["Generated tokens"])) == (
            mine["replies"],
            mine["generated_tokens"],
        )
        assert float(row["Known cost (USD)"]) == pytest.approx(mine["cost_usd"])
    faults = list(csv.DictReader(io.StringIO((folder / "faults.csv").read_text(encoding="utf-8"))))
    assert [(row["World"], row["Contestant"]) for row in faults] == [
        ("ref.r0.s11.n1", "sol"),
        ("rule-for-astra.r0.s11.n1", "sol"),
    ]
    assert faults[0]["Failed attempts"] == "6"


def test_a_report_of_equal_files_is_equal(told: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(told, tmp_path / "run", ignore=shutil.ignore_patterns("report")))
    write_report(run, workers=1)
    for path in sorted((told / "report").rglob("*")):
        if path.suffix in (".html", ".csv", ".md", ".tex", ".json", ".svg"):
            again = run / "report" / path.relative_to(told / "report")
            assert again.read_bytes() == path.read_bytes(), path.name


PRIVATE_STUDY = """\
study: made
contestants:
  model: {policy: llm@1, route: one, params: {note: "see https://inside.example/wiki"}}
routes:
  - id: one
    model: openai/vendor/model-a
    api_base: https://gateway.inside.example:8443/v1
    key_env: COMPANY_GATEWAY_KEY   # ask https://inside.example/keys
    settings: {organization: company-42}
"""


def test_the_report_shows_a_study_without_addresses_accounts_and_names_of_key_variables(
    told: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(told, tmp_path / "run", ignore=shutil.ignore_patterns("report")))
    (run / "study.yaml").write_text(PRIVATE_STUDY, encoding="utf-8")
    canonical = json.loads((run / "study.json").read_text(encoding="utf-8"))
    entry = {"id": "one", "model": "m", "api_base": "https://gateway.inside.example:8443/v1"}
    for contestant in canonical["contestants"].values():
        contestant["parameters"]["note"] = "at https://gateway.inside.example:8443/v1"
    (run / "study.json").write_text(json.dumps({**canonical, "routes": {"one": entry}}), encoding="utf-8")
    write_report(run, workers=1)
    pages = "".join(path.read_text(encoding="utf-8") for path in (run / "report").rglob("*.html"))
    assert "openai/vendor/model-a" in pages
    assert "[hidden]" in pages
    assert "at [gateway]" in pages
    for private in ("inside.example", "8443", "COMPANY_GATEWAY_KEY", "company-42"):
        assert private not in pages


@pytest.mark.parametrize("text", ["- 1\n", "a: [\n# https://inside.example", "\tkey_env: COMPANY_KEY\n"])
def test_a_study_file_that_cannot_be_read_is_not_shown(told: Path, tmp_path: Path, text: str) -> None:
    run = Path(shutil.copytree(told, tmp_path / "run", ignore=shutil.ignore_patterns("report")))
    (run / "study.yaml").write_text(text, encoding="utf-8")
    page = report(run)
    assert "The study file cannot be read as one" in page.text
    assert "inside.example" not in page.text
    assert "COMPANY_KEY" not in page.text


def test_provenance_tells_study_hashes_versions_and_commands(told: Path) -> None:
    text = Page(told / "report" / "index.html").text
    manifest = json.loads((told / "manifest.json").read_text(encoding="utf-8"))
    for value in (manifest["study_hash"], manifest["scenario"]["sha256"], manifest["versions"]["numpy"]):
        assert value in text
    assert "tournament verify run" in text
