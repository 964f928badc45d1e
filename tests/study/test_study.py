"""The study file through its front door: what it resolves to, what binds its hash, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from tournament import seal
from tournament.errors import InputError
from tournament.study.file import Study, difference, load_study, restore_study
from tournament.study.schema import schema_text

STUDY = """\
study: two
market: ceo_arena@1
seeds: [11, 29, 47]
repeats: {11: 3, 29: 1, 47: 1}
contestants:
  rule: {policy: rule@1}
  idle: {policy: no_action@1}
  cheap: {policy: rule@1, params: {multiplier: 0.9}}
  mine: {policy: scripted@1, params: {file: mine.json}}
lineup: [cheap, mine]
references:
  - {contestant: rule}
  - {contestant: idle, seeds: [11], repeats: 1}
"""
SCRIPT = '{"windows": [{"support": 1000}]}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.json").write_text(SCRIPT)
    return tmp_path


def loaded(folder: Path, old: str = "", new: str = "", name: str = "study.yaml") -> Study:
    assert old in STUDY
    (folder / name).write_text(STUDY.replace(old, new, 1) if old else STUDY)
    return load_study(folder / name)


def test_a_study_resolves_to_its_worlds_market_and_contestants(folder: Path) -> None:
    study = loaded(folder)
    assert study.market.id == "ceo_arena@1"
    assert len(study.worlds()) == 5 * 3 + 2
    assert [spec.world for spec in study.worlds()][:5] == [
        "ref.r0.s11.n1",
        "rule-for-cheap.r0.s11.n1",
        "rule-for-mine.r0.s11.n1",
        "idle-for-cheap.r0.s11.n1",
        "idle-for-mine.r0.s11.n1",
    ]
    assert study.contestants["cheap"].identity.startswith("rule@1-")
    assert study.contestants["cheap"].identity != study.contestants["rule"].identity
    assert study.directory == f"two-{study.hash[:8]}"


def test_the_hash_ignores_bytes_that_mean_nothing(folder: Path) -> None:
    study = loaded(folder)
    (folder / "windows.yaml").write_bytes(b"\xef\xbb\xbf" + STUDY.replace("\n", "\r\n").encode())
    assert load_study(folder / "windows.yaml").hash == study.hash
    assert loaded(folder, "seeds:", "# a comment\nseeds:").hash == study.hash
    assert loaded(folder, "params: {multiplier: 0.9}", "params: {'multiplier': 0.90}").hash == study.hash
    assert loaded(folder, "references:", "limits: {worlds: 1, usd: 5}\nreferences:").hash == study.hash
    assert loaded(folder, "  idle:", "  spare: {policy: no_action@1}\n  idle:").hash == study.hash


def test_the_hash_binds_everything_that_is_played(folder: Path) -> None:
    changes = [
        ("two", "three"),
        ("ceo_arena@1", "{id: ceo_arena@1, overrides: {days: 140}}"),
        ("47]\nrepeats: {11: 3, 29: 1, 47: 1}", "48]\nrepeats: {11: 3, 29: 1, 48: 1}"),
        ("{11: 3, 29: 1, 47: 1}", "3"),
        ("0.9", "0.91"),
        ("[cheap, mine]", "[mine, cheap]"),
        ("lineup: [cheap, mine]", "lineup: [cheap, mine]\nreplace: [mine]"),
        ("lineup: [cheap, mine]", "lineup: [cheap, mine]\nrotations: [0, 1]"),
        (", seeds: [11], repeats: 1", ", seeds: [11]"),
    ]
    hashes = [loaded(folder).hash, *(loaded(folder, old, new).hash for old, new in changes)]
    (folder / "mine.json").write_text('{"windows": [{"support": 1001}]}')
    hashes.append(loaded(folder).hash)
    assert len(set(hashes)) == len(hashes)


def test_moving_a_script_changes_nothing(folder: Path) -> None:
    study = loaded(folder)
    (folder / "deep").mkdir()
    (folder / "mine.json").rename(folder / "deep" / "other.json")
    assert loaded(folder, "mine.json", "deep/other.json").hash == study.hash


def test_a_study_is_restored_from_its_canonical_form_alone(folder: Path) -> None:
    study = loaded(folder, "ceo_arena@1", "{id: ceo_arena@1, overrides: {days: 70, nest: 0.4}}")
    text = seal.canonical(study.canonical())
    (folder / "mine.json").unlink()
    restored = restore_study(json.loads(text))
    assert (restored.hash, restored.worlds()) == (study.hash, study.worlds())
    assert restored.contestants["mine"].parameters == study.contestants["mine"].parameters
    assert restored.market.days == 70


def test_a_difference_is_told_field_by_field(folder: Path) -> None:
    old = loaded(folder).canonical()
    assert difference(old, old) == []
    new = loaded(folder, "multiplier: 0.9", "multiplier: 1.1").canonical()
    told = difference(old, new)
    assert "contestants.cheap.parameters.multiplier: 0.9 -> 1.1" in told
    assert any(line.startswith("contestants.cheap.identity: ") for line in told)
    assert len(told) == 2
    seeds = difference(old, loaded(folder, "repeats: {11: 3, 29: 1, 47: 1}", "repeats: 1").canonical())
    assert "repeats.11: 3 -> 1" in seeds
    (folder / "mine.json").write_text('{"windows": []}')
    script = difference(old, loaded(folder).canonical())
    assert 'contestants.mine.parameters.windows: [{"support":1000}] -> []' in script


REFUSALS = [
    ("study: two", "study: Two", r'1:8: study: the text "Two" does not fit .* letters a-z'),
    ("study: two", "study: 7", "1:8: study: must be text, not the number 7; quote it"),
    ("study: two\n", "", "1:1: study: the key is missing"),
    ("study: two", "study: two\nseed: 4", "2:1: seed: unknown key; did you mean seeds.* known: contestants"),
    ("ceo_arena@1", "ceo_aren@1", "2:9: market: unknown market .* did you mean ceo_arena@1"),
    (
        "ceo_arena@1",
        "{id: ceo_arena@1, overrides: {dayz: 1}}",
        r"2:\d+: market.overrides.dayz: unknown override",
    ),
    (
        "ceo_arena@1",
        "{id: ceo_arena@1, overrides: {days: 0}}",
        r"2:\d+: market.overrides.days: must be at least 1, not 0 \(allowed: an integer from 1 to 2,000; days",
    ),
    (
        "ceo_arena@1",
        "{id: ceo_arena@1, overrides: {days: '14'}}",
        r'overrides.days: must be an integer, not the text "14"; numbers stand without quotes \(allowed: an',
    ),
    (
        "ceo_arena@1",
        "{id: ceo_arena@1, overrides: {nest: 1}}",
        r"2:\d+: market.overrides.nest: must be below 1.*, not 1 \(allowed: a number from 0 below 1; share",
    ),
    (
        "ceo_arena@1",
        "{id: ceo_arena@1, overrides: {days: 70, cost: [1, 2, x]}}",
        r"2:62: market.overrides.cost\[2\]: must be an integer, not the text .*each an integer from 1; cents",
    ),
    (
        "study: two",
        "study: sk-ant-api03_0123456789abcdef",
        r"study: a text that looks like a key \(not shown\)",
    ),
    ("ceo_arena@1", "{overrides: {}}", "2:9: market.id: the key is missing"),
    ("ceo_arena@1", "[x]", "2:9: market: must be a single value or a mapping"),
    (
        "[11, 29, 47]",
        "[11, '29', 47]",
        r"3:13: seeds\[1\]: must be an integer, not the text .*without quotes",
    ),
    ("[11, 29, 47]", "[11, 29, 11]", r"3:17: seeds\[2\]: the seed 11 is listed twice, first in line 3"),
    ("[11, 29, 47]", "[11, 29, true]", r"3:17: seeds\[2\]: must be an integer, not the boolean true"),
    ("[11, 29, 47]", "[11, 29, 1.0]", r"seeds\[2\]: must be an integer, not the number 1.0"),
    ("[11, 29, 47]", "[11, 29, 1e3]", r"3:17: seeds\[2\]: 1e3 is a number to some"),
    ("[11, 29, 47]", "[11, 29, 010]", r"3:17: seeds\[2\]: 010 has a leading zero"),
    ("[11, 29, 47]", "[11, 29, -1]", r"seeds\[2\]: must be at least 0, not -1"),
    ("[11, 29, 47]", "[]", "seeds: needs 1 or more items"),
    ("[11, 29, 47]", "", "3:1: seeds: must be a list, not nothing"),
    ("{11: 3, 29: 1, 47: 1}", "{11: 3, 29: 1}", "4:10: repeats: the seed 47 is missing"),
    (
        "{11: 3, 29: 1, 47: 1}",
        "{11: 3, 29: 1, 47: 1, 5: 1}",
        r"repeats\[5\]: 5 is not among the seeds 11, 29, 47",
    ),
    ("{11: 3, 29: 1, 47: 1}", "{11: 3, 29: 1, 47: 0}", r"repeats\[47\]: must be at least 1"),
    ("{11: 3, 29: 1, 47: 1}", "{11: 3, 29: 1, '47': 1}", r"repeats\.47: must be an integer, not the text"),
    (
        "{11: 3, 29: 1, 47: 1}",
        "'3'",
        "repeats: must be an integer, not the text .*or a map from seed to repeats",
    ),
    (
        "rule: {policy: rule@1}",
        "rule: {policy: rule@2}",
        r"6:18: contestants.rule.policy: unknown policy 'rule@2'; did",
    ),
    (
        "rule: {policy: rule@1}",
        "rule: {polcy: rule@1}",
        "6:10: contestants.rule.polcy: unknown key; did you mean policy",
    ),
    (
        "rule: {policy: rule@1}",
        "rule:",
        "6:3: contestants.rule: must be a mapping of keys to values, not nothing",
    ),
    ("rule: {policy: rule@1}", "NO: {policy: rule@1}", "6:3: contestants: NO is a boolean to some"),
    (
        "rule: {policy: rule@1}",
        "7: {policy: rule@1}",
        r"6:3: contestants\[7\]: must be text, not the number 7; quote",
    ),
    ("rule: {policy: rule@1}", "a b: {policy: rule@1}", r'6:3: contestants.a b: the text "a b" does not fit'),
    (
        "rule: {policy: rule@1}",
        "rule: {policy: rule@1, params: {spending: lite}}",
        "must be 'light' or 'standard'",
    ),
    ("rule: {policy: rule@1}", "rule: {policy: rule@1, params: {multiplyer: 1}}", "did you mean multiplier"),
    (
        "rule: {policy: rule@1}",
        "rule: {policy: rule@1, params: {spending: {support: -1}}}",
        r"6:\d+: contestants.rule.params.spending.support: must be at least 0, not -1",
    ),
    (
        "rule: {policy: rule@1}",
        "rule: {policy: rule@1, route: x}",
        "6:33: .*route: policy rule@1 takes no route",
    ),
    ("params: {file: mine.json}", "params: {}", "9:38: contestants.mine.params: give either file or windows"),
    ("file: mine.json", "file: nope.json", "nope.json: cannot be read"),
    ("file: mine.json", "windows: [{bids: {3: 9}}]", r"9:\d+: .*the key 3 is a number; quote it"),
    (
        "[cheap, mine]",
        "[cheap, other]",
        r"10:17: lineup\[1\]: other is not declared under contestants; known: cheap",
    ),
    ("[cheap, mine]", "[cheap, cheap]", r"10:17: lineup\[1\]: cheap already sits in seat 1"),
    ("[cheap, mine]", "[cheap]", "10:9: lineup: ceo_arena@1 seats 2 to 16 firms, not 1"),
    ("[cheap, mine]", "[cheap, off]", r"10:17: lineup\[1\]: off is a boolean to some"),
    ("[cheap, mine]", "[cheap, mine, rule]", r"12:18: references\[0\].contestant: rule sits in the lineup"),
    (
        "[cheap, mine]",
        "[cheap, mine]\nreplace: [mine, rule]",
        r"11:17: replace\[1\]: rule is not in the lineup",
    ),
    (
        "[cheap, mine]",
        "[cheap, mine]\nreplace: [[mine, mine]]",
        r"replace\[0\]\[1\]: mine is already in this item",
    ),
    (
        "[cheap, mine]",
        "[cheap, mine]\nreplace: [[mine, cheap], [cheap, mine]]",
        r"replace\[1\]: this item is listed",
    ),
    ("[cheap, mine]", "[cheap, mine]\nreplace: some", "11:10: replace: must be 'all'"),
    ("[cheap, mine]", "[cheap, mine]\nreplace: [[]]", r"replace\[0\]: needs 1 or more"),
    ("[cheap, mine]", "[cheap, mine]\nrotations: [0, 2]", r"11:16: rotations\[1\]: a lineup of 2 seats has"),
    ("[cheap, mine]", "[cheap, mine]\nrotations: [1, 1]", r"rotations\[1\]: the rotation 1 is listed twice"),
    ("[cheap, mine]", "[cheap, mine]\nroutes: none.yaml", "11:9: routes: .* is no file"),
    (
        "[cheap, mine]",
        "[cheap, mine]\nlimits: {usd: '5'}",
        "11:15: limits.usd: must be a number, not the text",
    ),
    ("[cheap, mine]", "[cheap, mine]\nlimits: {usd: 0}", "limits.usd: must be above 0"),
    ("{contestant: rule}", "{contestant: ruel}", r"12:18: .*ruel is not declared .* did you mean rule\?"),
    (
        "{contestant: rule}",
        "{contestant: idle}",
        r"13:18: references\[1\].contestant: idle is already a reference",
    ),
    (
        "seeds: [11], repeats: 1",
        "seeds: [12]",
        r"references\[1\].seeds\[0\]: 12 is not among the study's seeds",
    ),
    (
        "seeds: [11], repeats: 1",
        "seeds: [11, 11]",
        r"references\[1\].seeds\[1\]: the seed 11 is listed twice",
    ),
    (
        "seeds: [11], repeats: 1",
        "repeats: 2",
        r"references\[1\].repeats: seed 29 has 1 repeats in this study",
    ),
    (
        "seeds: [11], repeats: 1",
        "seeds: [11], repeats: {29: 1}",
        r"repeats\[29\]: 29 is not among the seeds 11",
    ),
    ("  cheap:", "  MINE: {policy: rule@1}\n  cheap:", None),
    ("[cheap, mine]", "[cheap, mine]\nrouts: x", "11:1: routs: unknown key; did you mean routes"),
]


@pytest.mark.parametrize(("old", "new", "says"), REFUSALS)
def test_a_refusal_names_file_line_column_field_and_what_is_allowed(
    folder: Path, old: str, new: str, says: str | None
) -> None:
    if says is None:
        assert loaded(folder, old, new).worlds()
        return
    with pytest.raises(InputError, match=says) as refusal:
        loaded(folder, old, new)
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith(str(folder))


def test_contestants_that_differ_by_case_alone_cannot_both_be_replaced(folder: Path) -> None:
    declared = STUDY.replace("  mine:", "  Cheap: {policy: rule@1}\n  mine:")
    (folder / "study.yaml").write_text(declared.replace("[cheap, mine]", "[cheap, Cheap]"))
    with pytest.raises(InputError, match=r"5:1: contestants: two different lineups .* case alone"):
        load_study(folder / "study.yaml")


def test_a_study_that_is_no_mapping_is_refused(folder: Path) -> None:
    (folder / "study.yaml").write_text("- 1\n- 2\n")
    with pytest.raises(InputError, match="1:1: a study is a mapping of keys to values, not a list"):
        load_study(folder / "study.yaml")


@given(st.lists(st.sampled_from(STUDY.splitlines()), max_size=14))
def test_any_rearrangement_of_lines_loads_or_is_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("study")
    (folder / "mine.json").write_text(SCRIPT)
    (folder / "study.yaml").write_text("\n".join(lines))
    try:
        load_study(folder / "study.yaml")
    except InputError as refusal:
        told = str(refusal)
    else:
        told = ""
    assert "\n" not in told


class Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    model: str
    limits: dict[str, int] = {}


ROUTES = "- {id: fast, model: vendor/model-a, limits: {concurrent: 2}}\n- {id: slow, model: vendor/model-b}\n"


@pytest.mark.parametrize(
    ("routes", "says"),
    [
        ("- {id: fast, model: 5}", r"routes.yaml:1:21: \[0\].model: must be text, not the number 5"),
        ("- {id: fast, modle: x}", r"routes.yaml:1:14: \[0\].modle: unknown key; did you mean model"),
        ("- {model: x}", r"routes.yaml:1:3: \[0\]: a route needs an id"),
        (
            "- {id: a, model: x}\n- {id: a, model: x}",
            r"routes.yaml:2:8: \[1\].id: the route a is listed twice",
        ),
        ("5", "routes.yaml:1:1: must be a mapping of ids to routes, or a list of routes, not the number 5"),
        ("a: 1", "routes.yaml:1:4: a: a route must be a mapping"),
        ("fast: {model: 5}", "routes.yaml:1:15: fast.model: must be text, not the number 5"),
        ("fast: {modle: x}", "routes.yaml:1:8: fast.modle: unknown key; did you mean model"),
        ("fast: {model: x, id: slow}", "routes.yaml:1:22: fast.id: the id of this route is its key fast"),
        ("routes: {fast: {}}", "routes.yaml:1:16: routes.fast.model: the key is missing"),
        ("7: {model: x}", r"routes.yaml:1:1: \[7\]: the key 7 is a number; quote it"),
        ("routes: []\nother: 1", "routes.yaml:2:1: other: unknown key; known: routes"),
        ("- 5", r"routes.yaml:1:3: \[0\]: a route must be a mapping"),
    ],
)
def test_a_broken_route_is_refused_at_its_place(folder: Path, routes: str, says: str) -> None:
    (folder / "routes.yaml").write_text(routes)
    (folder / "study.yaml").write_text(STUDY + "routes: routes.yaml\n")
    with pytest.raises(InputError, match=says):
        load_study(folder / "study.yaml", Entry.model_validate)


def test_routes_come_from_a_file_or_stand_in_the_study(folder: Path) -> None:
    (folder / "routes.yaml").write_text(ROUTES)
    (folder / "study.yaml").write_text(STUDY + "routes: routes.yaml\n")
    from_file = load_study(folder / "study.yaml", Entry.model_validate)
    (folder / "study.yaml").write_text(
        STUDY + "routes:\n" + "".join(f"  {line}\n" for line in ROUTES.splitlines())
    )
    in_place = load_study(folder / "study.yaml", Entry.model_validate)
    assert from_file.routes == in_place.routes
    assert from_file.routes["slow"] == {"id": "slow", "model": "vendor/model-b", "limits": {}}
    assert from_file.hash == in_place.hash == loaded(folder).hash


def test_routes_are_a_mapping_of_ids_or_a_list_with_ids_and_both_are_one_study(folder: Path) -> None:
    (folder / "study.yaml").write_text(STUDY + f"routes:\n  {ROUTES.replace(chr(10), chr(10) + '  ')}")
    listed = load_study(folder / "study.yaml", Entry.model_validate)
    mapped = (
        "{fast: {model: vendor/model-a, limits: {concurrent: 2}}, slow: {id: slow, model: vendor/model-b}}"
    )
    (folder / "study.yaml").write_text(f"{STUDY}routes: {mapped}\n")
    assert load_study(folder / "study.yaml", Entry.model_validate).routes == listed.routes
    for text in (mapped, f"routes: {mapped}"):
        (folder / "routes.yaml").write_text(text)
        (folder / "study.yaml").write_text(STUDY + "routes: routes.yaml\n")
        assert load_study(folder / "study.yaml", Entry.model_validate).routes == listed.routes
        with pytest.raises(InputError, match="this is a routes file"):
            load_study(folder / "routes.yaml")


@pytest.mark.parametrize(
    ("routes", "says"),
    [
        ("{fast: 5}", r"routes.fast: must be a mapping of keys to values, not the number 5"),
        ("{fast: {model: 5}}", r"14:24: routes.fast.model: must be text, not the number 5"),
        ("5", r"routes: "),
    ],
)
def test_a_broken_route_in_a_study_s_mapping_is_refused_at_its_place(
    folder: Path, routes: str, says: str
) -> None:
    (folder / "study.yaml").write_text(f"{STUDY}routes: {routes}\n")
    with pytest.raises(InputError, match=says):
        load_study(folder / "study.yaml", Entry.model_validate)


def test_the_published_schema_is_the_model_s() -> None:
    published = Path(__file__).parents[2] / "docs" / "study.schema.json"
    assert published.read_text() == schema_text()


def test_the_schema_describes_every_field_and_allows_no_other() -> None:
    schema = json.loads(schema_text())
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == {"study", "market", "seeds", "contestants", "lineup"}
    assert all(field.get("description") or "$ref" in field for field in schema["properties"].values())
