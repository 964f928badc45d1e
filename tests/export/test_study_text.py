"""A study's values written as YAML again: read back by the strict reader, they are the same values."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.study.yaml import read_yaml, yaml_text

TRAPS = ("NO", "1e3", "010", "null", "~", "on", "y", "a: b", "# x", "'", '"', "\\", "- x", "=", "<<", "")
texts = st.sampled_from(TRAPS) | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
keys = texts.filter(bool) | st.integers(0, 10**14)
scalars = texts | st.integers(0, 10**14) | st.booleans() | st.none()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(keys, values, min_size=1, max_size=4))
def test_what_is_written_is_read_back(study: dict[Any, Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        path.write_text(yaml_text(study), encoding="utf-8")
        assert read_yaml(path).value == study


def test_plain_words_stay_plain() -> None:
    assert yaml_text({"routes": [{"id": "one", "api_base": "[hidden]"}], "repeats": {11: 1}}) == (
        'routes:\n- id: one\n  api_base: "[hidden]"\nrepeats:\n  11: 1\n'
    )
