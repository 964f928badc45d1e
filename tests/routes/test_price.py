"""Prices that litellm's map lists: which of them are known, and that a bound is one."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.routes.adapter.library import litellm
from agents.routes.adapter.usage import counts, read_usage
from agents.routes.entry import Price
from agents.routes.price import (
    TEMPLATE_TOKENS,
    OwnTariff,
    bound_usd,
    cost_usd,
    map_name,
    tariff_of,
    window_usd,
)
from tests.routes.test_entry import entry
from tournament.records import Usage


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("a price was asked for over the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize(
    "model",
    [
        "ai21/jamba-1.5",
        "anyscale/mistralai/Mistral-7B-Instruct-v0.1",
        "azure/mistral-large-latest",
        "github_copilot/claude-haiku-4.5",
    ],
)
def test_a_listed_price_that_litellm_cannot_compute_is_unknown_without_asking_anyone(no_network, model):
    assert map_name(model, litellm().model_cost) is not None
    assert tariff_of(entry(model=model), litellm) is None


def test_a_listed_price_that_litellm_computes_is_known(no_network):
    assert tariff_of(entry(model="openai/gpt-5"), litellm) is not None


DEAR_REASONING = "dashscope/qwen-plus-latest"
DEAR_WRITING = "anthropic/claude-sonnet-4-5"


def test_reasoning_priced_above_text_is_inside_the_bounds():
    tariff = tariff_of(entry(model=DEAR_REASONING), litellm)
    prompt = 1000 + TEMPLATE_TOKENS * 3
    text = tariff(prompt=prompt, cached=0, generated=5000, reasoning=0)
    thought = tariff(prompt=prompt, cached=0, generated=5000, reasoning=5000)
    assert thought > text
    assert bound_usd(tariff, prompt_bytes=1000, messages=2, ceiling=5000) >= thought
    assert window_usd(tariff, context=prompt, replies=1, generated=5000) >= thought


def test_writing_to_a_cache_costs_what_it_is_listed_for():
    tariff = tariff_of(entry(model=DEAR_WRITING), litellm)
    usage = {"input_tokens": 1000, "output_tokens": 10, "cache_creation_input_tokens": 90_000}
    found = read_usage(counts(usage), reported=True, has_output=True)
    assert (found.prompt, found.written) == (91_000, 90_000)
    facts = litellm().model_cost["claude-sonnet-4-5"]
    assert cost_usd(tariff, found) == pytest.approx(
        1000 * facts["input_cost_per_token"]
        + 90_000 * facts["cache_creation_input_token_cost"]
        + 10 * facts["output_cost_per_token"]
    )


@pytest.mark.parametrize("name", ["cache_creation_tokens", "cache_write_tokens"])
def test_tokens_written_to_a_cache_are_read_where_gateways_put_them(name):
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "prompt_tokens_details": {name: 60}}
    assert counts(usage).written == 60
    assert counts({"prompt_tokens": 100, "completion_tokens": 1}).written is None


def test_an_entrys_own_price_takes_what_is_written_to_a_cache_as_input():
    tariff = OwnTariff(price=Price(input=2.0, output=4.0))
    assert cost_usd(tariff, Usage(prompt=1_000_000, generated=0, written=500_000)) == pytest.approx(2.0)


@given(
    st.sampled_from([DEAR_REASONING, DEAR_WRITING, "gemini/gemini-2.5-pro", "openai/gpt-5"]),
    st.integers(0, 300_000),
    st.integers(0, 60_000),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
)
def test_no_reply_costs_more_than_its_bound(model, prompt, generated, cached, written, reasoning):
    tariff = tariff_of(entry(model=model), litellm)
    usage = Usage(prompt=prompt, generated=generated, cached=cached, written=written, reasoning=reasoning)
    cost = cost_usd(tariff, usage)
    assert bound_usd(tariff, prompt_bytes=prompt, messages=0, ceiling=generated) >= cost
    window = window_usd(tariff, context=prompt, replies=1, generated=generated)
    assert window * (1 + 1e-9) >= cost
