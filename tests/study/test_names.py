"""Ids, keys and scripts of a study: what could be an option, a step or a secret is refused at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.arena import study, tournament

HEX_KEY = "4f9d2a7c81b34e0f9c6a5d1e7b2c3f40"
KEYS = ["sk-proj-abcdefghijklmnop1234", "AIzaSyD0123456789abcdefghijkl", HEX_KEY]


def refusal(folder: Path, old: str, new: str) -> str:
    """Return the one line with which a study is refused after one change."""
    path = study(folder)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    done = tournament("run", path, "--dry-run", cwd=folder, expect=2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert len(done.stderr) < 1_000
    return done.stderr


@pytest.mark.parametrize("name", [".", "..", "-rf", ".git", "--help"])
def test_a_contestants_name_is_no_option_and_no_step_of_a_path(tmp_path: Path, name: str) -> None:
    assert "street.yaml:5:3" in refusal(tmp_path, "  base:", f'  "{name}":')


def test_a_study_is_not_named_like_an_option(tmp_path: Path) -> None:
    assert "street.yaml:1" in refusal(tmp_path, "study: street", "study: -rf")


def test_a_replacement_of_nobody_is_refused(tmp_path: Path) -> None:
    told = refusal(tmp_path, "lineup:", "replace: []\nlineup:")
    assert "replace: needs 1 or more items" in told


@pytest.mark.parametrize("zero", ["-0", "-0.0"])
def test_a_zero_with_a_sign_is_no_seed(tmp_path: Path, zero: str) -> None:
    assert "is zero with a sign" in refusal(tmp_path, "seeds: [1, 2]", f"seeds: [{zero}, 2]")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("study: street", "study: {key}"),
        ("study: street", "study: street\n{key}: 1"),
        ("study: street", "study: street\n{key}: {{a: 1}}"),
        ("  base:", "  {key}:"),
        ("lineup: [a", "lineup: [{key}"),
        ("contestant: base", "contestant: base, {key}: 1"),
        ("policy: haggler@1", "policy: {key}"),
        ("lineup:", "routes: {{{key}: {{model: mock/rule}}}}\nlineup:"),
    ],
)
def test_a_key_in_the_wrong_place_of_a_study_is_not_repeated(
    tmp_path: Path, key: str, old: str, new: str
) -> None:
    assert key not in refusal(tmp_path, old, new.format(key=key))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"windows": [' + b"[" * 40, "invalid JSON"),
        (b'{"windows": "' + b"\\x" * 2600 + b'"}', "invalid JSON"),
        (b'{"windows": [{"' + b"k" * 5000 + b'": 1, "' + b"k" * 5000 + b'": 1}]}', "invalid JSON"),
        (b"\x00\x00", "invalid JSON"),
        (b" " * 16_000_001, "is larger than 16,000,000 bytes"),
    ],
)
def test_a_scripts_fault_is_told_at_the_studys_line_and_short(
    tmp_path: Path, content: bytes, told: str
) -> None:
    (tmp_path / "script.json").write_bytes(content)
    line = refusal(
        tmp_path,
        "  base: {policy: stand@1, params: {price: 95}}",
        "  base: {policy: scripted@1, params: {file: script.json}}",
    )
    assert "street.yaml:5:" in line
    assert "contestants.base.params.file" in line
    assert told in line


@pytest.mark.parametrize("name", ["a\\0b", "absent.json", "."])
def test_a_script_that_is_no_file_is_told_at_the_studys_line(tmp_path: Path, name: str) -> None:
    line = refusal(
        tmp_path,
        "  base: {policy: stand@1, params: {price: 95}}",
        f'  base: {{policy: scripted@1, params: {{file: "{name}"}}}}',
    )
    assert "street.yaml:5:" in line
    assert "cannot be read" in line


def test_what_a_study_says_reaches_the_terminal_as_text(tmp_path: Path) -> None:
    line = refusal(tmp_path, "policy: haggler@1", 'policy: "x\\e]0;owned\\a\\n\\u202eerror: forged"')
    assert line.removesuffix("\n").isprintable()
