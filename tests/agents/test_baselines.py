"""Rule, No Action and Scripted, each through the registry and a desk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.agents.desks import CONTEXT, facts, played
from tournament import registry
from tournament.errors import InputError
from tournament.ports import Policy


def built(policy_id: str, folder: Path = Path(), **parameters: Any) -> Policy:
    kind = registry.policy_kind(policy_id)
    return kind.build(kind.resolve(parameters, folder), CONTEXT)


async def test_rule_is_candidate_17_list_prices_and_light_spending_on_mainstream_and_b() -> None:
    choice = await played(built("rule@1"), facts())
    assert choice.decision == {
        "prices": {"A": 4000, "B": 7500, "C": 13500},
        "reorder_targets": {"A": 150, "B": 100, "C": 50},
        "development": {"A": 0, "B": 5000, "C": 0},
        "marketing": {
            "mainstream": {"affiliate": 1667, "display": 1667, "search": 1666},
            "premium": {"affiliate": 0, "display": 0, "search": 0},
            "value": {"affiliate": 0, "display": 0, "search": 0},
        },
        "reliability": 2500,
        "support": 5000,
    }


@pytest.mark.parametrize(("cash", "support"), [(5_000_001, 5000), (5_000_000, 0), (-1, 0)])
async def test_rule_stops_all_four_budgets_at_or_below_its_floor(cash: int, support: int) -> None:
    choice = await played(built("rule@1"), facts(cash_cents=cash))
    decision = choice.decision
    assert decision["support"] == support
    assert (decision["reliability"] > 0) is (support > 0)
    assert (sum(decision["development"].values()) > 0) is (support > 0)
    assert (sum(decision["marketing"]["mainstream"].values()) > 0) is (support > 0)
    assert decision["prices"]["B"] == 7500


async def test_rule_over_all_scopes_splits_to_the_cent_with_the_rest_on_the_first_cells() -> None:
    choice = await played(built("rule@1", scope="all", spending="standard", multiplier=1.1), facts())
    decision = choice.decision
    assert decision["prices"] == {"A": 4400, "B": 8250, "C": 14850}
    assert decision["development"] == {"A": 5000, "B": 5000, "C": 5000}
    cells = [cents for row in decision["marketing"].values() for cents in row.values()]
    assert cells == [1667] * 6 + [1666] * 3
    assert sum(cells) == 15_000


async def test_rule_takes_four_explicit_budgets_and_its_own_targets() -> None:
    rule = built(
        "rule@1",
        segment="premium",
        product="C",
        spending={"development": 100, "marketing": 7, "reliability": 3, "support": 4},
        targets={"A": 1, "B": 2, "C": 3},
    )
    decision = (await played(rule, facts())).decision
    assert decision["development"] == {"A": 0, "B": 0, "C": 100}
    assert decision["marketing"]["premium"] == {"affiliate": 3, "display": 2, "search": 2}
    assert (decision["reliability"], decision["support"]) == (3, 4)
    assert decision["reorder_targets"] == {"A": 1, "B": 2, "C": 3}


def test_an_identity_carries_a_hash_of_every_parameter() -> None:
    rule = registry.policy_kind("rule@1")
    default = rule.identity(rule.resolve({}, Path()))
    assert default.startswith("rule@1-")
    assert default == rule.identity(rule.resolve({"multiplier": 1}, Path()))
    others = {
        rule.identity(rule.resolve(parameters, Path()))
        for parameters in (
            {"multiplier": 0.9},
            {"floor_cents": 15_000_000},
            {"scope": "all"},
            {"targets": {"C": 51}},
            {"spending": "standard"},
        )
    }
    assert len(others | {default}) == 6


@pytest.mark.parametrize(
    "parameters",
    [
        {"multiplyer": 1.0},
        {"multiplier": "1.0"},
        {"multiplier": True},
        {"product": "D"},
        {"targets": {"A": -1}},
    ],
)
def test_rule_refuses_parameters_it_does_not_know(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        registry.policy_kind("rule@1").resolve(parameters, Path())


async def test_no_action_seals_the_empty_decision_and_speaks_every_market() -> None:
    assert registry.policy_kind("no_action@1").markets == frozenset()
    assert (await played(built("no_action@1"), facts(day=49))).decision == {}


async def test_a_script_plays_its_windows_in_order_and_then_holds(tmp_path: Path) -> None:
    windows = [{"support": 1}, {}, {"support": 3, "prices": {"A": -5}}]
    (tmp_path / "mine.json").write_text(json.dumps({"windows": windows}))
    script = built("scripted@1", tmp_path, file="mine.json")
    sealed = [(await played(script, facts(day=7 * window))).decision for window in range(5)]
    assert sealed == [*windows, {}, {}]


def test_a_script_is_its_content_wherever_the_file_lies(tmp_path: Path) -> None:
    kind = registry.policy_kind("scripted@1")
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.json").write_text('{"windows": [{"support": 1000.0}]}')
    (tmp_path / "deep" / "b.json").write_bytes(b'\xef\xbb\xbf{\r\n "windows": [{"support": 1e3}]\r\n}')
    resolved = [
        kind.resolve({"file": "a.json"}, tmp_path),
        kind.resolve({"file": "deep/b.json"}, tmp_path),
        kind.resolve({"windows": [{"support": 1000}]}, tmp_path),
    ]
    assert len({kind.identity(parameters) for parameters in resolved}) == 1
    (tmp_path / "a.json").unlink()
    assert kind.resolve(resolved[0].model_dump(), tmp_path) == resolved[0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"windows": [\n{"support": 1,}]}', r"mine\.json:2:15: invalid JSON"),
        ('{"windows": [{"support": NaN}]}', "'NaN' is not a JSON value"),
        ('{"windows": [{"support": 1, "support": 2}]}', "'support' is given twice"),
        ('{"windows": [{}, 5]}', r"windows\[1\]: is no object"),
        ('{"window": []}', "a script is"),
        ("[]", "a script is"),
        ("", "ends where a value is expected"),
    ],
)
def test_a_broken_script_is_refused_in_one_line_with_its_place(
    tmp_path: Path, content: str, says: str
) -> None:
    (tmp_path / "mine.json").write_text(content)
    with pytest.raises(InputError, match=says) as refusal:
        built("scripted@1", tmp_path, file="mine.json")
    assert "\n" not in str(refusal.value)
    assert "mine.json" in str(refusal.value)


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_a_script_that_is_missing_or_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        built("scripted@1", tmp_path, file=name)


@pytest.mark.parametrize("parameters", [{}, {"file": "a.json", "windows": []}])
def test_a_script_has_exactly_one_source(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="either file or windows"):
        registry.policy_kind("scripted@1").resolve(parameters, Path())


def test_an_unknown_policy_is_refused_with_what_is_known() -> None:
    with pytest.raises(InputError, match=r"unknown policy 'rule'; .*rule@1"):
        registry.policy_kind("rule")


def test_a_policy_that_speaks_another_vocabulary_is_refused() -> None:
    with pytest.raises(InputError, match="rule@1 does not speak market auction@1; it speaks ceo_arena@1"):
        registry.require_vocabulary(registry.policy_kind("rule@1"), "auction@1")
    registry.require_vocabulary(registry.policy_kind("no_action@1"), "auction@1")
