"""The YAML reader: what it reads, and every trap that it refuses with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.errors import InputError
from tournament.study.yaml import read_yaml


def written(tmp_path: Path, content: bytes | str) -> Path:
    file = tmp_path / "study.yaml"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def test_plain_values_have_the_types_of_yaml_1_2(tmp_path: Path) -> None:
    text = (
        "a: 1\nb: -2.50\nc: [true, null, ~, x y]\nd: '010'\ne: \"NO\"\nf: 2026-01-01\n7:\n  g: >-\n    on\n"
    )
    assert read_yaml(written(tmp_path, text)).value == {
        "a": 1,
        "b": -2.5,
        "c": [True, None, None, "x y"],
        "d": "010",
        "e": "NO",
        "f": "2026-01-01",
        7: {"g": "on"},
    }


def test_a_tab_is_text_in_quotes_and_in_comments(tmp_path: Path) -> None:
    assert read_yaml(written(tmp_path, "a: 'x\ty' #\tz\n")).value == {"a": "x\ty"}


def test_a_byte_order_mark_and_carriage_returns_change_nothing(tmp_path: Path) -> None:
    plain = read_yaml(written(tmp_path, "model: a\nlist:\n  - 1\n"))
    windows = read_yaml(written(tmp_path, b"\xef\xbb\xbfmodel: a\r\nlist:\r\n  - 1\r\n"))
    assert (windows.value, windows.text, windows.places) == (plain.value, plain.text, plain.places)
    assert read_yaml(written(tmp_path, bytes.fromhex("efbbbf6d6f64656c3a20610d0a"))).value == {"model": "a"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("players:\n  - NO\n  - SE\noff: true\n", r"2:5: players\[0\]: NO is a boolean to some"),
        ("off: true\n", "1:1: off is a boolean to some"),
        ("a: Yes", "1:4: a: Yes is a boolean"),
        ("max_tokens: 1e3\nbudget: 1.0e3\n", "1:13: max_tokens: 1e3 is a number to some .* write it out"),
        ("budget: 1.0e3\n", "1:9: budget: 1.0e3 is a number to some"),
        ("seed: 012345\nteam_id: 08\n", "1:7: seed: 012345 has a leading zero"),
        ("team_id: 08\n", "1:10: team_id: 08 has a leading zero"),
        ("a: 010", "leading zero"),
        ("a: 0o17", "no decimal number"),
        ("a: 0x1F", "no decimal number"),
        ("a: 1_000", "underscores between digits"),
        ("a: 1:30", "base 60"),
        ("a: +5", "plus sign"),
        ("a: .5", "incomplete decimal"),
        ("a: .NaN", "not a finite number"),
        ("a: -.inf", "not a finite number"),
        ("a: 9999999999999999", "15 digits at most"),
        ("<<: {a: 1}", "special meaning"),
        ("a: 1\nb: 2\na: 3\n", "3:1: a: the key is given twice, first in line 1"),
        ("a: {b: 1, b: 2}", r"1:11: a\.b: the key is given twice"),
        ("a:\n\t- 1\n", "2:1: a tab stands here; use spaces"),
        ("a: 1\n\tb: 2\n", "2:1: a tab stands here"),
        ("\ta: 1", "1:1: a tab stands here"),
        ("a:\t1", "1:3: a tab stands here"),
        ("a: [1,\t2]", "1:7: a tab stands here"),
        ("a: 1\t# why", "1:5: a tab stands here"),
        ("", "1:1: is empty"),
        ("# a comment alone\n", "1:1: is empty"),
        ("---\na: 1\n---\nb: 2\n", "3:1: a second document starts here"),
        ("a: 1\n...\nb: 2\n", "3:1: a second document starts here"),
        ("a: &x [1]\nb: *x\n", "1:4: the anchor &x is not allowed"),
        ("a: *x\n", r"1:4: the alias \*x is not allowed"),
        ("a: !!python/object:os.system {}", "1:4: a tag .* is not allowed"),
        ("%YAML 1.1\n---\na: 1\n", "directive other than 1.2"),
        ("a: [1, 2", "1:9: is not YAML: expected ',' or ']'"),
        ("a: b: c", "1:5: is not YAML"),
        ("a: @x", "1:4: is not YAML"),
        ("? [1]\n: 2", "a key must be a plain word"),
        ("true: 1", "a key must be a plain word"),
        ("a: \x00", "is not YAML"),
        ('a: "\\ud800"', "half a surrogate pair"),
        ("a: " + "[" * 40 + "]" * 40, "nested deeper than 32 levels"),
        ("[" * 100_000, "nested deeper than 32 levels"),
    ],
)
def test_a_trap_is_refused_in_one_line_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refusal:
        read_yaml(written(tmp_path, text))
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith(str(tmp_path / "study.yaml"))


def test_an_alias_bomb_is_refused_before_it_expands(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True)
    )
    with pytest.raises(InputError, match="the anchor &a is not allowed"):
        read_yaml(written(tmp_path, bomb))


@pytest.mark.parametrize("content", [b"\xff\xfea", b"a: 1\nb: \xc3\x28\n"])
def test_what_is_not_utf_8_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_yaml(written(tmp_path, content))


def test_a_missing_file_a_folder_and_an_endless_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_yaml(tmp_path / "absent.yaml")
    with pytest.raises(InputError, match="Is a directory"):
        read_yaml(tmp_path)
    with pytest.raises(InputError, match="larger than 1,000,000 bytes"):
        read_yaml(Path("/dev/zero"))


texts = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_json_is_yaml_and_reads_back_as_itself(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    file = tmp_path_factory.mktemp("yaml") / "study.yaml"
    file.write_text(json.dumps(value, ensure_ascii=False))
    assert read_yaml(file).value == value


@given(st.text(alphabet="abc01: -[]{},&*!#\n'\"|>?%@\t", max_size=40))
def test_no_text_does_anything_but_read_or_be_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    file = tmp_path_factory.mktemp("yaml") / "study.yaml"
    file.write_text(text)
    refusal = ""
    try:
        read_yaml(file)
    except InputError as fault:
        refusal = str(fault)
    assert "\n" not in refusal
    assert not refusal or "study.yaml" in refusal
