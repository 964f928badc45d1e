"""`tournament report` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.arena import tournament
from tests.reports import runs

FOLDERS = ("worlds", "contestants", "figures", "tables")


def small(folder: Path) -> Path:
    return runs.made(folder, repeats={1: 1}, references={"rule": {1: 1}}, windows=1)


def test_a_report_is_written_and_named(tmp_path: Path) -> None:
    run = small(tmp_path)
    done = tournament("report", run, cwd=tmp_path)
    assert done.stdout == f"report in {run / 'report' / 'index.html'}\n"
    names = {path.name for path in (run / "report").iterdir()}
    assert names == {"index.html", "report.md", "claims.json", "made.json", *FOLDERS}


def test_only_what_is_asked_for_is_written(tmp_path: Path) -> None:
    run = small(tmp_path)
    told = json.loads(tournament("report", run, "--format", "csv", "--json", cwd=tmp_path).stdout)
    assert told == {"folder": str(run / "report"), "index": None, "pages": 0, "figures": 0, "notices": []}
    assert {path.name for path in (run / "report").iterdir()} == {"tables", "claims.json", "made.json"}
    assert {path.suffix for path in (run / "report" / "tables").iterdir()} == {".csv"}
    tournament("report", run, "--format", "latex,md", cwd=tmp_path)
    assert {path.suffix for path in (run / "report" / "tables").iterdir()} == {".csv", ".md", ".tex"}
    text = (run / "report" / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# made\n\n## Who earns?\n\n- ")
    for line in text.splitlines():
        if line.startswith("!["):
            assert (run / "report" / line.split("](")[1].rstrip(")")).is_file()


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    done = tournament("report", tmp_path, cwd=tmp_path, expect=2)
    assert done.stderr == f"error: {tmp_path} is not a run directory: it has no manifest.json\n"
    run = small(tmp_path)
    done = tournament("report", run, "--format", "html,docx", cwd=tmp_path, expect=2)
    assert done.stderr == "error: --format: 'html,docx' is not a list of html, md, latex, csv\n"
    (run / "externalities" / "operating.csv").write_text("rank\n1\n", encoding="utf-8")
    done = tournament("report", run, cwd=tmp_path, expect=4)
    assert done.stderr.endswith("operating.csv has no column reference\n")


def test_a_run_without_statistics_says_so(tmp_path: Path) -> None:
    run = runs.made(tmp_path, repeats={1: 1}, references={}, windows=1, statistics=False)
    done = tournament("report", run, "--format", "md", cwd=tmp_path)
    assert done.stdout.startswith("note: there is no externalities/summary.json\n")


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_report_made_again_from_anywhere_has_the_same_bytes(tmp_path: Path) -> None:
    run = small(tmp_path)
    tournament("report", run, cwd=tmp_path)
    before = bytes_of(run / "report")
    assert {Path(name).suffix for name in before} > {".pdf", ".png", ".svg", ".html"}
    tournament("report", ".", cwd=run)
    assert bytes_of(run / "report") == before


def test_a_run_stays_verifiable_and_unchanged_by_its_report(panel: Path) -> None:
    done = tournament("verify", panel, cwd=panel, expect=0)
    assert "damage" not in done.stdout.lower() or "no damage" in done.stdout.lower()
