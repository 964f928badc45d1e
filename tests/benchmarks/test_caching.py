"""What caching saves, measured in its short form: the marks are sent, and the page prints what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.caching import Cache, main

PAGE = Path(__file__).parents[2] / "docs" / "routes.md"
BLOCK = re.compile(r"<!-- output: python -m benchmarks.caching -->\n```\n(.*?)```", re.DOTALL)


def saved(text: str) -> int:
    (percent,) = re.findall(r"saved with \S+: (\d+)% of the cost of a window", text)
    return int(percent)


@pytest.mark.slow
def test_a_window_costs_what_the_page_says_less_with_marks(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--windows", "1"])
    printed = capsys.readouterr().out
    (page,) = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert abs(saved(printed) - saved(page)) <= 5
    off, on = re.findall(r"of them read from a cache +([\d,]+) +([\d,]+)", printed)[0]
    assert (off, int(on.replace(",", "")) > 50_000) == ("0", True)


def asked(*texts: str, marked: int | None) -> dict[str, object]:
    """A request of one user turn after another, one of them marked."""
    turns = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
    if marked is not None:
        turns[marked]["content"][0]["cache_control"] = {"type": "ephemeral"}  # type: ignore[index]
    return {"tools": [], "system": "", "messages": turns}


def test_the_cache_reads_what_it_kept_and_bills_every_token_once() -> None:
    cache, long = Cache(), "x" * 8000
    first = cache.bill(asked(long, marked=0))
    assert first["cache_creation_input_tokens"] > 1900
    again = cache.bill(asked(long, "and more", marked=1))
    assert again["cache_read_input_tokens"] == first["cache_creation_input_tokens"]
    assert 0 < again["cache_creation_input_tokens"] < 100
    assert again["input_tokens"] == 0
    other = cache.bill(asked("y" * 8000, "and more", marked=1))
    assert other["cache_read_input_tokens"] == 0
    short = Cache()
    assert short.bill(asked("x" * 400, marked=0))["cache_creation_input_tokens"] == 0
    assert short.kept == {}
    unmarked = cache.bill(asked(long, marked=None))
    assert (unmarked["cache_read_input_tokens"], unmarked["cache_creation_input_tokens"]) == (0, 0)
