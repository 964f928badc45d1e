"""A damaged conversation of an unfinished world is found, named, and stops that world alone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agents.llm.window import grammar, state
from tests.cli.arena import tournament

STUDY = """\
study: panel
market: {{id: ceo_arena@1, overrides: {{days: 14}}}}
seeds: [11]
contestants:
  rule: {{policy: rule@1}}
  one: {{policy: llm@1, route: good}}
  two: {{policy: llm@1, route: good}}
lineup: [one, two]
references: [{{contestant: rule}}]
routes: [{{id: good, model: mock/wholesaler, price: {{input: 1.0, output: 4.0}}}}]
limits: {{usd_per_world: {cap}}}
"""
WORLD = "rule-for-two.r0.s11.n1"
OTHERS = ("ref.r0.s11.n1", "rule-for-one.r0.s11.n1")
JOURNAL = f"worlds/{WORLD}/journal.sqlite"
FIRST_REPLY = "seat = 1 AND window = 0 AND sequence = 2"
RENUMBER = "UPDATE events SET sequence = sequence - {by} WHERE seat = 1 AND window = 0 AND sequence >= {at}"
CUT = f"UPDATE events SET body = substr(body, 1, 50) WHERE {FIRST_REPLY}"
NOT_UTF8 = f"UPDATE events SET body = CAST(x'7b22736563726574ff' AS TEXT) WHERE {FIRST_REPLY}"
GAP = f"DELETE FROM events WHERE {FIRST_REPLY}"


@pytest.fixture(scope="module")
def suspended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run `r` whose worlds a dollar cap has suspended, the damaged one after a window."""
    folder = tmp_path_factory.mktemp("suspended")
    (folder / "panel.yaml").write_text(STUDY.format(cap=0.2), encoding="utf-8")
    tournament("run", "panel.yaml", "--out", "r", cwd=folder, expect=3)
    (folder / "panel.yaml").write_text(STUDY.format(cap=5), encoding="utf-8")
    return folder


@pytest.fixture
def folder(suspended: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(suspended, tmp_path / "folder"))


def sql(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return change


def garbage(path: Path) -> None:
    path.write_bytes(b"secret words " * 400)


DAMAGE = [
    pytest.param(sql(CUT), "seat 1, window 0, sequence 2: the record is not JSON", id="cut"),
    pytest.param(sql(NOT_UTF8), "seat 1, window 0, sequence 2: the record is not UTF-8", id="not UTF-8"),
    pytest.param(sql(GAP), "seat 1, window 0, sequence 2: the record is missing", id="gap"),
    pytest.param(garbage, "file is not a database", id="garbage"),
]
UNGRAMMATICAL = [
    pytest.param(
        sql(GAP, RENUMBER.format(by=1, at=3)), "sequence 2: a result after an intent", id="no reply"
    ),
    pytest.param(
        sql(
            "DELETE FROM events WHERE seat = 1 AND window = 0 AND kind = 'result' AND sequence = 3",
            RENUMBER.format(by=1, at=4),
        ),
        "sequence",
        id="no result",
    ),
    pytest.param(
        sql(f"UPDATE events SET body = '{{}}' WHERE {FIRST_REPLY}"),
        "sequence 2: a reply without a readable ordinal",
        id="empty",
    ),
    pytest.param(
        sql(
            "INSERT INTO events SELECT seat, window, (SELECT max(sequence) + 1 FROM events WHERE seat = 1"
            " AND window = 0), kind, body FROM events WHERE seat = 1 AND window = 0 AND sequence = 1"
        ),
        "an intent after a close",
        id="after the close",
    ),
    pytest.param(
        sql("DELETE FROM events WHERE seat = 1 AND window = 0 AND kind = 'close'"),
        "no close, though the window's decision was taken",
        id="no close",
    ),
    pytest.param(
        sql("DELETE FROM events WHERE seat = 1 AND window = 0"), "sequence 0: no close", id="nothing"
    ),
    pytest.param(
        sql("UPDATE events SET kind = 'reward' WHERE seat = 1 AND window = 0 AND sequence = 1"),
        "sequence 1: a record of unknown kind 'reward'",
        id="unknown",
    ),
]


@pytest.mark.parametrize(("damage", "told"), [*DAMAGE, *UNGRAMMATICAL])
def test_verify_names_world_file_seat_window_and_sequence(
    folder: Path, damage: Callable[[Path], None], told: str
) -> None:
    damage(folder / "r" / JOURNAL)
    done = tournament("verify", "r", "--json", cwd=folder, expect=4)
    (found,) = json.loads(done.stdout)["damage"]
    assert (found["world"], found["file"]) == (WORLD, JOURNAL)
    assert told in found["detail"]
    assert "secret" not in found["detail"]


@pytest.mark.parametrize(("damage", "told"), [*DAMAGE, UNGRAMMATICAL[0], UNGRAMMATICAL[2]])
def test_a_run_leaves_that_world_as_it_is_and_plays_the_others(
    folder: Path, damage: Callable[[Path], None], told: str
) -> None:
    damage(folder / "r" / JOURNAL)
    before = (folder / "r" / JOURNAL).read_bytes()
    done = tournament("run", "panel.yaml", "--out", "r", cwd=folder, expect=3)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("invalid: ")]
    assert f"invalid: {WORLD}: r/{JOURNAL} is damaged: " in line
    assert told in line
    assert "secret" not in done.stdout + done.stderr
    assert "2 done, 0 interrupted, 0 suspended, 0 not started, 1 invalid, of 3 worlds" in done.stdout
    assert (folder / "r" / JOURNAL).read_bytes() == before
    status = tournament("status", "r", "--json", cwd=folder)
    states = {world["world"]: world["state"] for world in json.loads(status.stdout)["worlds"]}
    assert states == {WORLD: "invalid", **dict.fromkeys(OTHERS, "done")}
    shown = tournament("status", "r", cwd=folder).stdout
    assert told in shown
    watched = json.loads(tournament("watch", "r", "--once", "--json", cwd=folder).stdout)
    (world,) = [item["status"] for item in watched["worlds"] if item["status"]["world"] == WORLD]
    assert world["state"] == "invalid"
    assert told in world["reason"]
    assert "what invalid worlds have cost is not in these sums" in shown


def test_a_whole_conversation_is_all_as_recorded_and_goes_on(folder: Path) -> None:
    assert "all as recorded" in tournament("verify", "r", cwd=folder).stdout
    tournament("run", "panel.yaml", "--out", "r", cwd=folder)
    assert "all as recorded" in tournament("verify", "r", cwd=folder).stdout


def test_a_damaged_world_counts_against_the_studys_cap_with_what_its_own_cap_allows(folder: Path) -> None:
    sql(CUT)(folder / "r" / JOURNAL)
    study = folder / "panel.yaml"
    study.write_text(STUDY.format(cap="5, usd: 5.1"), encoding="utf-8")
    done = tournament("run", "panel.yaml", "--out", "r", cwd=folder, expect=3)
    assert "the study has spent $5." in done.stdout
    study.write_text(STUDY.format(cap="5").replace("usd_per_world", "usd"), encoding="utf-8")
    done = tournament("run", "panel.yaml", "--out", "r", cwd=folder, expect=3)
    assert "of what its world has spent, limits.usd counts the $0." in done.stderr
    assert "2 done" in done.stdout


def test_the_grammar_knows_every_kind_of_record_that_is_folded() -> None:
    assert grammar.FIELDS.keys() == grammar.FOLLOWS.keys() - {""} == state._STEPS.keys() | {"open"}
