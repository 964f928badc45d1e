"""What each provider's usage comes to, and what replies cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.routes.adapter.library import litellm
from agents.routes.adapter.usage import (
    COMPLETION,
    IMPLAUSIBLE,
    MISSING,
    REASONING_BESIDE,
    REMAINDER,
    counts,
    is_reported,
    read_usage,
)
from agents.routes.entry import Price
from agents.routes.price import OwnTariff, bound_usd, cost_usd, map_name, tariff_of
from agents.routes.tokens import estimate
from tests.routes.test_entry import entry
from tournament.records import Usage


def read(usage, *, speaks=True):
    return read_usage(counts(usage), reported=is_reported({"usage": usage}), has_output=speaks)


@pytest.mark.parametrize(
    ("usage", "generated", "rule"),
    [
        pytest.param(
            {"prompt_tokens": 40, "completion_tokens": 712, "total_tokens": 752,
             "completion_tokens_details": {"reasoning_tokens": 700}},
            712, COMPLETION, id="OpenAI, DeepSeek, Qwen: reasoning inside",
        ),
        pytest.param(
            {"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 752,
             "completion_tokens_details": {"reasoning_tokens": 700}},
            712, REMAINDER, id="xAI, Gemini's OpenAI surface: reasoning outside",
        ),
        pytest.param(
            {"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 52,
             "completion_tokens_details": {"reasoning_tokens": 700}},
            712, REASONING_BESIDE, id="a total that leaves reasoning out",
        ),
        pytest.param({"input_tokens": 40, "output_tokens": 90}, 90, COMPLETION, id="Anthropic"),
        pytest.param(
            {"input_tokens": 10, "output_tokens": 20, "total_tokens": 30,
             "output_tokens_details": {"reasoning_tokens": 12}},
            20, COMPLETION, id="Responses",
        ),
        pytest.param({"prompt_tokens": 40, "completion_tokens": 0, "total_tokens": 40}, None, IMPLAUSIBLE, id="zero"),
        pytest.param({"prompt_tokens": 40, "completion_tokens": -1}, None, IMPLAUSIBLE, id="negative"),
        pytest.param({"prompt_tokens": 40, "completion_tokens": "12"}, None, IMPLAUSIBLE, id="text"),
        pytest.param({"prompt_tokens": 40}, None, IMPLAUSIBLE, id="half"),
        pytest.param({}, None, MISSING, id="empty"),
        pytest.param(None, None, MISSING, id="null"),
    ],
)  # fmt: skip
def test_generated_tokens_by_rule(usage, generated, rule):
    found = read(usage)
    assert (found.generated, found.rule) == (generated, rule)


def test_cached_input_is_inside_the_prompt_for_every_provider():
    openai = read(
        {"prompt_tokens": 15, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 5}}
    )
    anthropic = read({"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 5})
    assert (openai.prompt, openai.cached) == (anthropic.prompt, anthropic.cached) == (15, 5)


COUNTS = st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens"])


@given(st.dictionaries(COUNTS, st.integers() | st.text() | st.none()))
def test_whatever_is_reported_no_count_is_negative_or_free(usage):
    found = read(usage)
    assert found.generated is None or found.generated > 0
    assert found.prompt is None or found.prompt >= 0


def test_a_cost_is_known_only_with_price_and_counts():
    tariff = OwnTariff(price=Price(input=3.0, output=15.0, cached=0.3))
    assert cost_usd(tariff, Usage(prompt=1_000_000, generated=100_000, cached=400_000)) == pytest.approx(
        0.6 * 3 + 0.4 * 0.3 + 1.5
    )
    assert cost_usd(None, Usage(prompt=1, generated=1)) is None
    assert cost_usd(tariff, Usage(prompt=1, generated=None)) is None
    assert cost_usd(tariff, Usage(prompt=None, generated=1)) is None


@given(st.text(max_size=2000))
def test_a_bound_is_above_what_any_tokenizer_counts(text):
    tariff = OwnTariff(price=Price(input=1.0, output=0.0))
    bound = bound_usd(tariff, prompt_bytes=len(text.encode()), messages=1, ceiling=1)
    assert bound >= estimate(text) / 1e6


@pytest.mark.parametrize("text", ["", "hello", "<|endoftext|>", "half a pair \ud83d", "第一" * 50])
def test_every_text_has_an_estimate(text):
    assert (estimate(text) > 0) == bool(text)


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("openai/gpt-5", "gpt-5"),
        ("gpt-5", "gpt-5"),
        ("gemini/gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
         "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("hosted_vllm/gpt-5", None),
        ("openai/totally-new", None),
    ],
)  # fmt: skip
def test_a_price_is_the_configured_providers_own(model, listed):
    assert map_name(model, litellm().model_cost) == listed


def test_the_map_prices_cached_input_and_long_prompts_apart():
    tariff = tariff_of(entry(model="gemini/gemini-2.5-pro"), litellm)
    short = tariff(prompt=100_000, cached=0, generated=0, reasoning=0)
    assert tariff(prompt=100_000, cached=50_000, generated=0, reasoning=0) < short
    assert tariff(prompt=300_000, cached=0, generated=0, reasoning=0) > 3 * short
