"""Strict JSON: what is read, what is refused, and the one text that is hashed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament import seal
from tournament.errors import InputError

numbers = st.integers(-(2**53), 2**53) | st.floats(-1e15, 1e15, allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_canonical_json_says_reads_back_as_the_same_value_and_text(value: Any) -> None:
    text = seal.canonical(value)
    assert seal.parse(text) == value
    assert seal.canonical(seal.parse(text)) == text


@given(values)
def test_spelling_does_not_change_the_digest(value: Any) -> None:
    spread = json.dumps(value, indent=3)
    assert seal.digest(seal.parse("\ufeff" + spread.replace("\n", "\r\n"))) == seal.digest(value)


def test_integral_numbers_are_integers_however_written() -> None:
    assert seal.canonical(seal.parse('{"b": 1000.0, "a": [1e3, -0.0, 1.5]}')) == '{"a":[1000,0,1.5],"b":1000}'
    assert seal.canonical({"a": 1000.0}) == '{"a":1000}'


def test_true_is_not_one() -> None:
    assert seal.canonical({"a": True}) == '{"a":true}'
    assert seal.digest(True) != seal.digest(1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a":1,\n"a":2}', "2:1: invalid JSON: the key 'a' is given twice"),
        ("[NaN]", "1:2: invalid JSON: 'NaN' is not a JSON value"),
        ("[-Infinity]", "'-Infinity' is not a JSON value"),
        ("[1e999]", r"1e999 is beyond 2\*\*53"),
        ("9" * 5000, "a number of 5000 characters"),
        (str(2**53 + 1), r"beyond 2\*\*53"),
        ("[" * 5000, "nested deeper than 32 levels"),
        ('{"a":' * 50, "nested deeper than 32 levels"),
        ("[012]", "'012' is not a JSON value"),
        ("[+1]", r"'\+1' is not a JSON value"),
        ("[1 2]", "',' or ']' expected"),
        ('{"a":1 "b":2}', "',' or '}' expected"),
        ('{"a" 1}', "':' expected"),
        ("{'a':1}", "a key in double quotes expected"),
        ('"\\ud800"', "half a surrogate pair"),
        ('"abc', "unterminated string"),
        ("", "ends where a value is expected"),
        ('{"a":', "ends where a value is expected"),
        ("{} {}", "text after the JSON value"),
    ],
)
def test_a_refusal_is_one_line_with_its_place(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refusal:
        seal.parse(text)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 200


@given(st.text(max_size=60) | st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \\u', max_size=60))
def test_no_text_does_anything_but_read_or_be_refused(text: str) -> None:
    try:
        value = seal.parse(text)
    except InputError:
        return
    assert json.loads(text.removeprefix("\ufeff")) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: 2}, {"a": {1, 2}}, b"x", {"a": "\ud800"}])
def test_what_json_cannot_hold_has_no_digest(value: Any) -> None:
    with pytest.raises(InputError):
        seal.digest(value)
