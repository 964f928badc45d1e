"""The classes of faults, status by status and code by code, and the waits that they ask for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.routes.errors.classification import (
    back_off,
    body_codes,
    body_delay,
    body_message,
    classify,
    failed_generation,
    retry_after,
)

DAY = 1_796_292_900.0  # Thu, 03 Dec 2026 10:15:00 GMT


def verdict(status: int, body: Any) -> tuple[str, str]:
    found = classify(status, body_codes(body), body_message(body))
    return found.kind, found.code


def error(message: str = "", **said: Any) -> dict[str, Any]:
    return {"error": {"message": message, **said}}


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (429, error("slow down"), ("transport", "rate_limit")),
        (429, error("quota used up", code="insufficient_quota"), ("configuration", "insufficient_quota")),
        (429, error("You exceeded your current quota, check billing"), ("configuration", "quota")),
        (
            429,
            error("You exceeded your current quota", status="RESOURCE_EXHAUSTED"),
            ("transport", "rate_limit"),
        ),
        (429, {"error": "too many requests"}, ("transport", "rate_limit")),
        (500, error("boom"), ("transport", "server_error")),
        (502, "<html>", ("transport", "bad_gateway")),
        (503, error("busy"), ("transport", "unavailable")),
        (504, "<html>", ("transport", "gateway_timeout")),
        (529, error("overloaded", type="overloaded_error"), ("transport", "overloaded")),
        (520, None, ("transport", "server_error_520")),
        (408, None, ("transport", "request_timeout")),
        (409, None, ("transport", "conflict")),
        (301, None, ("transport", "unexpected_status_301")),
        (500, error("prompt is too long: 210000 tokens > 200000 maximum"), ("overflow", "context_window")),
        (401, error("no"), ("configuration", "unauthorized")),
        (402, error("Insufficient credits", code=402), ("configuration", "payment_required")),
        (403, None, ("configuration", "forbidden")),
        (404, error("no such model", code="model_not_found"), ("configuration", "model_not_found")),
        (404, "<html>", ("configuration", "not_found")),
        (400, error("Your credit balance is too low to access the API"), ("configuration", "quota")),
        (400, error("API key not valid. Please pass a valid API key."), ("configuration", "unauthorized")),
        (400, error("Model gpt-9 does not exist"), ("configuration", "model_not_found")),
        (400, error("Unsupported parameter: 'top_k'"), ("configuration", "unsupported_parameter")),
        (400, error("x", code="unsupported_parameter"), ("configuration", "unsupported_parameter")),
        (400, error("tool calling is not supported"), ("configuration", "unsupported_parameter")),
        (413, error("TPM", code="rate_limit_exceeded"), ("configuration", "request_above_rate_limit")),
        (400, error("x", code="context_length_exceeded"), ("overflow", "context_length_exceeded")),
        (400, error("This model's maximum context length is 8192 tokens"), ("overflow", "context_window")),
        (400, error("the request exceeds the available context size"), ("overflow", "context_window")),
        (400, error("The input token count (2000000) exceeds the maximum"), ("overflow", "context_window")),
        (400, error("prompt is too long: 1 tokens > 2"), ("overflow", "context_window")),
        (413, error("too large"), ("history", "request_too_large")),
        (400, error("x", code="content_filter"), ("content_filter", "content_filter")),
        (400, error("rejected by our content management policy"), ("content_filter", "content_filter")),
        (400, error("max_tokens or model output limit was reached"), ("length", "output_limit")),
        (400, error("could not parse the JSON body"), ("history", "bad_request_400")),
        (
            400,
            error("messages.1: a thinking block must come before tool_use"),
            ("history", "refused_history"),
        ),
        (400, error("function call lacks thought_signature"), ("history", "refused_history")),
        (422, error("messages: field required"), ("history", "bad_request_422")),
    ],
)
def test_a_fault_is_what_status_and_body_say(status, body, expected):
    assert verdict(status, body) == expected


def test_only_limits_and_overload_slow_all_seats_down():
    slowing = {status for status in range(400, 600) if classify(status, frozenset(), "").slow_down}
    assert slowing == {429, 498, 503, 529}


def test_codes_are_found_wherever_providers_put_them():
    azure = {"error": {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}
    google = [{"error": {"status": "RESOURCE_EXHAUSTED", "message": "m"}}]
    assert body_codes(azure) == {"x", "responsibleaipolicyviolation"}
    assert body_codes(google) == {"resource_exhausted"}
    assert body_message(google) == "m"
    assert body_codes("text") == frozenset()
    assert body_message({"detail": "no"}) == "no"


def test_googles_own_delay_is_read():
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    assert body_delay([{"error": {"details": [info]}}]) == "34.5"
    assert body_delay({"error": {"details": ["x", {}]}}) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7.0), ("0.5", 0.5), (" 3 ", 3.0), ("-5", 0.0), ("1e3", None), ("nan", None), ("inf", None),
        ("", None), (None, None), ("soon", None), ("9" * 1000, 60.0), ("61", 60.0),
        ("Thu, 03 Dec 2026 10:15:20 GMT", 20.0), ("Thu, 03 Dec 2026 10:14:00 GMT", 0.0),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None), ("Thu, 03 Dec 2026 10:15:20 -0000", 20.0),
        ("Fri, 03 Dec 2027 10:15:00 GMT", 60.0),
    ],
)  # fmt: skip
def test_a_retry_after_is_seconds_or_a_date_and_never_beyond_its_bounds(text, expected):
    assert retry_after(text, now=DAY, cap=60.0) == expected


@given(st.text() | st.floats().map(str) | st.integers().map(str))
def test_no_retry_after_breaks_or_leaves_the_bounds(text):
    waited = retry_after(text, now=DAY, cap=60.0)
    assert waited is None or 0.0 <= waited <= 60.0


@given(
    st.integers(1, 10_000),
    st.floats(0.01, 10),
    st.floats(0.01, 1000),
    st.floats(0, 1, exclude_max=True),
)
def test_a_back_off_is_bounded_and_has_full_jitter(number, base, cap, jitter):
    wait = back_off(number, base=base, cap=cap, jitter=jitter)
    assert 0.0 <= wait <= cap
    assert back_off(number, base=base, cap=cap, jitter=0.0) == 0.0
    assert back_off(number + 1, base=base, cap=cap, jitter=jitter) >= wait


LEAF = st.none() | st.text() | st.integers()
NAMES = st.sampled_from(
    ["error", "code", "type", "message", "details", "innererror", "metadata", "raw", "failed_generation"]
)
BODIES = st.recursive(LEAF, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner))


@given(st.integers(100, 599), BODIES)
def test_every_answer_has_a_class(status, body):
    kinds = {
        "transport",
        "configuration",
        "overflow",
        "content_filter",
        "length",
        "malformed_call",
        "history",
        "harness",
    }
    assert verdict(status, body)[0] in kinds
    assert isinstance(failed_generation(body), str)
