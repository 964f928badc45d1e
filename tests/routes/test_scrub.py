"""No text that leaves a route gives away a key, whole, in part or encoded; a reply keeps what is no key."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.routes.errors.redaction import HIDDEN, PIECE, scrubber

KEY = "qz7~canary>>>0123456789?ABCdef"
keys = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=PIECE, max_size=60)


@pytest.mark.parametrize("form", [KEY, f"{KEY}:", f":{KEY}"])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_key_in_base64_is_hidden_in_texts_and_in_replies(form, encode):
    encoded = encode(form.encode()).decode()
    scrub = scrubber([KEY], None)
    for shown in (encoded, encoded.rstrip("=")):
        assert scrub.text(f"refused <{shown}>") == f"refused <{HIDDEN}>"
        assert scrub.value({"content": f"<{shown}>"}) == {"content": f"<{HIDDEN}>"}


@given(keys, st.binary(max_size=9), st.binary(max_size=9))
def test_a_key_encoded_together_with_anything_gives_away_too_little_to_use(key, before, after):
    shown = scrubber([key], None).text(b64encode(before + key.encode() + after).decode())
    assert HIDDEN in shown
    assert b64encode(key.encode()).decode()[:PIECE] not in shown.replace(HIDDEN, "")


@given(keys, st.data())
def test_no_run_of_a_key_survives_wherever_it_is_quoted(key, data):
    first = data.draw(st.integers(0, len(key) - PIECE))
    last = data.draw(st.integers(first + PIECE, len(key)))
    shown = scrubber([key], None).text(f"\u2039{key[first:last]}\u203a and \u2039{key[:PIECE]}\u203a")
    assert not any(key[at : at + PIECE] in shown.replace(HIDDEN, "") for at in range(len(key) - PIECE + 1))
    assert shown.startswith("\u2039")
    assert " and " in shown
    assert shown.endswith("\u203a")


def test_a_shorter_run_and_a_partial_quote_in_a_reply_stay():
    scrub = scrubber([KEY], None)
    assert scrub.text(f"about {KEY[4:11]} things") == f"about {KEY[4:11]} things"
    assert scrub.value([f"{KEY[4:20]}", KEY]) == [KEY[4:20], HIDDEN]


def test_two_quotes_are_two_and_neighbours_stay():
    scrub = scrubber([KEY], None)
    assert scrub.text(f"a {KEY[:9]} b {KEY[3:14]} c") == f"a {HIDDEN} b {HIDDEN} c"
