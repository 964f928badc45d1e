"""Statistics on markets of other words: another currency, one seat, no cash, no exits, no income."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from externalities.write import write_externalities
from tests.cli.arena import study, tournament
from tests.externalities import synthetic
from tests.externalities.tables import document, row, table
from tournament.errors import InputError
from tournament.published import EffectAccount, OutcomeColumn, Published

BARE = Published(
    columns=(
        OutcomeColumn(name="points", kind="money", unit="cents", sentence="what counts", role="score"),
        OutcomeColumn(name="won", kind="money", unit="cents", sentence="games won"),
        OutcomeColumn(name="lost", kind="money", unit="cents", sentence="games lost"),
        OutcomeColumn(name="games", kind="count", unit="games", sentence="games played"),
    ),
    accounts=(
        EffectAccount(name="wins", column="won", sign=1, scores=("score",), group="income"),
        EffectAccount(name="losses", column="lost", sign=-1, scores=("score",), group="spending"),
    ),
    effect_counts=("games",),
)
SOLO = """study: solo
market: lemonade@1
seeds: [1, 2, 3]
contestants:
  base: {policy: stand@1, params: {price: 100}}
  a: {policy: stand@1, params: {price: 60}}
lineup: [a]
references: [{contestant: base}]
"""


def bare(folder: Path, **design: object) -> Path:
    """Write a run of a market that has a Score, two accounts and a count, and nothing else."""
    made = [
        {
            **item,
            "points": item["score_cents"],
            "won": str(int(item["score_cents"]) + 7_000_000),
            "lost": "6000000",
            "games": item["units_sold"],
        }
        for item in synthetic.rows(**design)
    ]
    run = synthetic.write_run(folder, made, published=BARE)
    synthetic.write_plan(run, made)
    return run


@pytest.fixture(scope="module")
def street(tmp_path_factory):
    folder = tmp_path_factory.mktemp("street")
    tournament("run", study(folder, seeds=(1, 2)), "--out", "r", "--jobs", "1", cwd=folder)
    return folder / "r"


@pytest.fixture(scope="module")
def solo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solo")
    (folder / "solo.yaml").write_text(SOLO, encoding="utf-8")
    tournament("run", "solo.yaml", "--out", "r", "--jobs", "1", cwd=folder)
    return folder / "r"


def test_the_accounts_of_another_market_are_the_columns(street):
    accounts = table(street, "accounts.csv")
    columns = list(accounts[0])
    assert columns[columns.index("effect_cents") :] == [
        "effect_cents", "takings_cents", "fruit_cents", "lemons_cents", "spending_cents", "glasses"
    ]  # fmt: skip
    for item in accounts:
        parts = (int(item[name]) for name in ("takings_cents", "fruit_cents", "lemons_cents"))
        assert sum(parts) == int(item["effect_cents"])
        assert item["spending_cents"] == item["fruit_cents"]
    assert {item["lemons_cents"] for item in table(street, "accounts.csv", "cash")} == {"0"}


def test_its_health_and_paths_are_what_it_declares(street):
    assert {item["measure"] for item in table(street, "health.csv")} == {
        "herfindahl_takings", "gini_takings", "score_spread_cents", "thirst_quenched"
    }  # fmt: skip
    assert list(table(street, "paths.csv")[0])[-2:] == ["till_cents", "glasses_sold"]


def test_its_currency_is_told_and_nothing_is_said_to_be_missing(street):
    told = tournament("externalities", "r", cwd=street.parent).stdout
    assert "Score in thousands of EUR" in told
    assert "not offered" not in told
    assert "not_offered" not in document(street)


def test_a_study_of_one_seat_tells_private_effects_and_that_externality_needs_rivals(solo):
    assert len(table(solo, "private.csv")) == 3
    private = row(table(solo, "private_summary.csv"))
    assert float(private["mean_cents"]) != 0
    assert private["clusters"] == "3"
    assert row(table(solo, "stability.csv"), estimand="private")["observations"] == "3"
    total = row(table(solo, "market_summary.csv"), estimand="total")
    assert (total["mean_cents"], total["note"]) == ("", "one seat: an externality needs rivals")
    assert row(table(solo, "stability.csv"), estimand="total")["note"] == total["note"]
    assert table(solo, "directed.csv") == []
    assert {item["note"] for item in table(solo, "seats.csv")} == {
        "one seat: there is no other to compare it with"
    }
    spread = [item for item in table(solo, "health.csv") if item["measure"] == "score_spread_cents"]
    assert {(item["value"], item["note"]) for item in spread} == {("", "one firm: nothing to compare")}


def test_its_commands_say_so_in_a_line(solo):
    told = tournament("externalities", "r", cwd=solo.parent).stdout
    assert "Externalities against base: undefined, they need rivals" in told
    done = tournament("decompose", "r", cwd=solo.parent)
    assert done.stdout.startswith("decomposition: undefined, direct and adaptive effects need rivals")
    assert not (solo / "hybrids").exists()
    assert json.loads(tournament("decompose", "r", "--json", cwd=solo.parent).stdout)["hybrids"] == 0
    assert "total" in tournament("power", "r", "--effect", "5", cwd=solo.parent).stdout
    assert "all as recorded" in tournament("verify", "r", cwd=solo.parent).stdout


def test_what_a_market_does_not_declare_is_not_written_and_said_not_to_be_offered(tmp_path):
    run = bare(tmp_path / "r")
    told = write_externalities(run).text
    for name in ("cash-only score", "concentration of income", "bankruptcies", "measures", "paths"):
        assert f"{name}: not offered by this run's market" in told.splitlines()
    folder = run / "externalities"
    assert not (folder / "cash").exists()
    assert not (folder / "salvage.csv").exists()
    assert {item["measure"] for item in table(run, "health.csv")} == {"score_spread_cents"}
    operating = table(run, "operating.csv")
    assert {(item["bankruptcies"], item["bankruptcy_rate"]) for item in operating} == {("", "")}
    assert "bankrupt " not in told
    assert document(run)["references"]["rule"]["counts"]["bankruptcies"] is None
    assert "salvage_changes" not in document(run)
    for item in table(run, "accounts.csv"):
        assert int(item["wins_cents"]) + int(item["losses_cents"]) == int(item["effect_cents"])
        assert item["spending_cents"] == item["losses_cents"]


def test_the_cash_only_score_that_is_not_offered_is_refused_in_a_line(tmp_path):
    run = bare(tmp_path / "r")
    with pytest.raises(InputError, match="cash-only score: not offered by this run's market"):
        write_externalities(run, shown="cash")
    done = tournament("externalities", "r", "--score", "cash", cwd=tmp_path, expect=2)
    assert len(done.stderr.strip().splitlines()) == 1
    assert "cash-only score: not offered" in done.stderr


def test_a_market_that_declares_no_accounts_has_no_account_tables(tmp_path):
    made = [{**item, "points": item["score_cents"]} for item in synthetic.rows()]
    published = Published(columns=BARE.columns[:1], accounts=())
    run = synthetic.write_run(tmp_path, made, published=published)
    assert "accounts of effects: not offered by this run's market" in write_externalities(run).text
    assert not (run / "externalities" / "accounts.csv").exists()
    assert (run / "externalities" / "directed_summary.csv").exists()
