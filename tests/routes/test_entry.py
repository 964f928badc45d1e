"""What a route's entry may say, and what is found wrong with it before a cent is spent."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from agents.routes.build import group_of, open_routes
from agents.routes.check import problems
from agents.routes.entry import RouteEntry
from tournament.errors import InputError


def entry(**said: Any) -> RouteEntry:
    return RouteEntry.model_validate({"id": "one", "model": "openai/gpt-5-mini", "key_env": "K", **said})


def wrong(**said: Any) -> list[str]:
    return [str(problem) for problem in problems([entry(**said)], {"K": "k"})]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"modle": "x"}, "modle"),
        ({"ceiling": "32768"}, "ceiling"),
        ({"ceiling": True}, "ceiling"),
        ({"limits": {"concurent": 3}}, "limits.concurent"),
        ({"limits": {"concurrent": 0}}, "limits.concurrent"),
        ({"limits": {"retry": {"base_seconds": float("nan")}}}, "limits.retry.base_seconds"),
        ({"price": {"input": 1.0}}, "price.output"),
        ({"price": {"input": -1.0, "output": 1.0}}, "price.input"),
        ({"api_base": "localhost:8000"}, "api_base"),
        ({"key_env": "sk-live-key!"}, "key_env"),
        ({"transport": "websocket"}, "transport"),
        ({"settings": {"region": "x"}}, "settings.region"),
        ({"id": "a b"}, "id"),
    ],
)
def test_a_misspelt_or_mistyped_entry_is_refused_at_its_place(said, place):
    with pytest.raises(ValidationError) as refused:
        entry(**said)
    assert place in {
        ".".join(map(str, fault["loc"][: place.count(".") + 1])) for fault in refused.value.errors()
    }


NOT_OURS = ("stream", "max_tokens", "api_key", "num_retries", "drop_params", "fallbacks", "mock_response")


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_not_the_entrys_to_say_is_refused_with_its_reason(name):
    for place in ("params", "options"):
        with pytest.raises(ValidationError, match=f"`{name}` is not an inference parameter here"):
            entry(**{place: {name: 1}})


def test_the_requested_id_and_the_listed_ones_are_accepted_and_no_other():
    assert entry(accepted=["gpt-5-mini-2025-08-07"]).accepted_ids == {"gpt-5-mini", "gpt-5-mini-2025-08-07"}
    assert entry(model="openrouter/z-ai/glm-5").accepted_ids == {"z-ai/glm-5"}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"key_env": "ABSENT"}, "routes.one.key_env: the environment variable ABSENT is not set"),
        (
            {"params": {"temprature": 1}},
            "routes.one.params.temprature: not supported by openai/gpt-5-mini over chat",
        ),
        ({"params": {"temperature": 0.2}}, "routes.one.params.temperature: gpt-5-mini doesn't support temperature=0.2"),
        ({"model": "nobody/model"}, "routes.one.model: litellm knows no provider for 'nobody/model'"),
        ({"options": {"temperature": 1}}, "routes.one.options.temperature: litellm knows this one"),
        ({"transport": "messages"}, "routes.one.transport: litellm does not speak Messages with openai"),
        ({"model": "ollama_chat/x", "transport": "responses"}, "does not speak Responses with ollama_chat"),
        (
            {"transport": "responses", "params": {"reasoning_effort": "high"}},
            "routes.one.params.reasoning_effort",
        ),
        ({"model": "deepseek/deepseek-reasoner-no", "params": {"parallel": 1}}, "params.parallel"),
        ({"model": "deepseek/deepseek-reasoner"}, "litellm lists it without tool calling"),
    ],
)
def test_what_would_fail_at_the_provider_is_found_offline(said, problem):
    found = wrong(**said)
    assert any(problem in text for text in found), found


def test_a_sound_entry_has_no_problem_whatever_provider():
    assert wrong(params={"reasoning_effort": "high"}, ceiling_param="max_completion_tokens") == []
    assert wrong(transport="responses", params={"reasoning": {"effort": "high"}}) == []
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    assert wrong(model="anthropic/claude-sonnet-4-5", transport="messages", params=thinking) == []
    assert wrong(model="deepseek/deepseek-reasoner", tool_calling="confirmed") == []
    assert wrong(model="hosted_vllm/mine", api_base="http://127.0.0.1:8000/v1", options={"top_k": 20}) == []


def test_an_unknown_price_is_a_problem_only_where_dollars_are_capped():
    listed = [entry(model="openai/totally-new")]
    assert problems(listed, {"K": "k"}) == []
    assert "no dollar cap can be kept" in str(problems(listed, {"K": "k"}, priced=True)[0])
    priced = [entry(model="openai/totally-new", price={"input": 1.0, "output": 2.0})]
    assert problems(priced, {"K": "k"}, priced=True) == []


def test_a_missing_key_stops_before_anything_is_opened(tmp_path):
    with pytest.raises(InputError, match=r"routes\.one\.key_env: the environment variable K is not set"):
        open_routes([entry()], environment={"K": "  "}, folder=tmp_path)


def test_routes_of_one_model_address_and_key_share_a_limiter_and_a_group_joins_others(tmp_path):
    low, high = entry(id="low"), entry(id="high", params={"reasoning_effort": "high"})
    other = entry(id="other", model="openai/gpt-5")
    assert group_of(low) == group_of(high) != group_of(other)
    together = [
        entry(id=name, model=model, limits={"group": "account"})
        for name, model in (("a", "openai/x"), ("b", "openai/y"))
    ]
    routes = open_routes([low, high, other, *together], environment={"K": "k"}, folder=tmp_path)
    assert routes["low"].limiter is routes["high"].limiter is not routes["other"].limiter
    assert routes["a"].limiter is routes["b"].limiter


def test_routes_that_share_a_limiter_must_agree_on_it(tmp_path):
    listed = [entry(id="low"), entry(id="high", limits={"concurrent": 2})]
    with pytest.raises(InputError, match="high and low share one limiter"):
        open_routes(listed, environment={"K": "k"}, folder=tmp_path)


def test_a_limiters_name_tells_no_address():
    assert "secret.example" not in group_of(entry(api_base="https://secret.example/v1"))
