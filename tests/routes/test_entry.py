"""What a route's entry may say, and what is found wrong with it before a cent is spent."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from pydantic import ValidationError

from agents.routes.build import group_of, open_routes
from agents.routes.check import problems
from agents.routes.entry import RouteEntry
from tournament.errors import InputError

PASTED = "wJalrXUtnFEMI-secret"
KEY_SHAPED = "sk-ant-api03-secretvalue0123456789"


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
        ({"model": "openai/"}, "model"),
        ({"model": "mock/"}, "model"),
        ({"model": "openrouter/z-ai/glm-5:online"}, "model"),
        ({"api_base": "https://"}, "api_base"),
        ({"api_base": "https://:8000/v1"}, "api_base"),
        ({"api_base": "https://one two/v1"}, "api_base"),
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


ELSEWHERE = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "messages",
    "input",
    "tools",
    "stream",
)
WEB = ("web_search_options", "plugins", "search_parameters", "enable_search", "models")


@pytest.mark.parametrize("name", [*ELSEWHERE, "n", "model", "extra_headers", *WEB])
def test_no_parameter_reaches_past_the_harness_through_an_extra_body(name):
    for options in ({name: 1}, {"extra_body": {name: 1}}, {"extra_body": {"extra_body": {name: 1}}}):
        with pytest.raises(ValidationError, match=f"{name}` is not an inference parameter here"):
            entry(options=options)


def test_a_providers_own_words_deeper_down_are_its_own():
    schema = {"type": "object", "properties": {"model": {"type": "string"}, "input": {"type": "string"}}}
    options = {"extra_body": {"guided_json": schema, "cache_salt": "a"}, "top_k": 20, "pad_token": 3}
    assert entry(options=options, params={"prompt_cache_key": "one"}).options == options


@pytest.mark.parametrize(
    "name", ["aws_secret_access_key", "api_key", "token", "secret", "password", "X-API-Key", "accessToken"]
)
def test_a_secret_in_parameters_or_settings_is_refused_at_any_depth_and_not_repeated(name):
    places: list[dict[str, Any]] = [
        {"options": {"extra_body": {"deep": [{name: PASTED}]}}},
        {"options": {"extra_query": {name: PASTED}}},
        {"options": {"note": [f"use {KEY_SHAPED}"]}},
        {"params": {"thinking": {name: PASTED}}},
        {"settings": {name: PASTED}},
    ]
    for said in places:
        with pytest.raises(ValidationError, match="key_env") as refused:
            entry(**said)
        assert PASTED not in str(refused.value)
        assert KEY_SHAPED not in str(refused.value)


NOISE = "aB3dE5fG7hI9jK1lM3nO"


@pytest.mark.parametrize(
    "name",
    ["sk_secret", "AIzaSyD_x", "gsk_abc", "hf_abcdef", "AKIAIOSFODNN7EXAMPLE", "L" * 41, NOISE, f"K_{NOISE}"],
)
def test_a_name_that_looks_like_a_key_is_no_name_of_a_variable(name):
    for said in (name, {"api_key": name}):
        with pytest.raises(ValidationError, match="must be the NAME of an environment variable") as refused:
            entry(key_env=said)
        assert name not in str(refused.value)


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "k", "AzureKey2", "HF_TOKEN", "MY_COMPANY_OPENAI_KEY_EU_WEST_1", "_KEY"]
)
def test_what_people_call_their_variables_is_a_name(name):
    assert entry(key_env=name).key_variables == {"api_key": name}


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
        (
            {"params": {"temperature": 0.2}},
            "routes.one.params.temperature: gpt-5-mini doesn't support temperature=0.2",
        ),
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


def test_litellms_advice_on_its_own_settings_is_not_passed_on():
    (told,) = wrong(params={"temperature": 0.2})
    assert "drop_params" not in told
    assert told.endswith("; leave temperature out, or give a value that the model takes")


@pytest.mark.parametrize("transport", ["chat", "messages"])
def test_a_thinking_budget_that_would_be_sent_as_something_else_is_found(transport):
    said = {"params": {"thinking": {"type": "enabled", "budget_tokens": 16_000}}, "transport": transport}
    (told,) = wrong(model="anthropic/claude-sonnet-5", **said)
    assert told.startswith("routes.one.params.thinking: ")
    assert '"type": "adaptive"' in told
    assert wrong(model="anthropic/claude-sonnet-4-5", **said) == []
    with pytest.raises(ValidationError, match="must leave at least 1024 tokens of `ceiling`, which is 16384"):
        entry(model="anthropic/claude-sonnet-4-5", ceiling=16_384, **said)


@pytest.mark.parametrize(
    "key", ["sk-two words", "sk-t\u00e4st-\u00fcber", "sk-line\nbreak", "sk-zero\u200bwidth"]
)
def test_a_key_that_no_header_can_carry_is_found_and_not_told(key, tmp_path):
    (told,) = [str(problem) for problem in problems([entry()], {"K": key})]
    assert told.startswith("routes.one.key_env: the value of the environment variable K has ")
    assert key not in told
    with pytest.raises(InputError, match="environment variable K has") as refused:
        open_routes([entry()], environment={"K": key}, folder=tmp_path)
    assert key not in str(refused.value)


def test_credentials_that_are_no_header_may_have_white_space():
    vertex = entry(model="vertex_ai/gemini-2.5-pro", key_env={"vertex_credentials": "K"})
    told = [str(problem) for problem in problems([vertex], {"K": '{"type": "service account"}'})]
    assert not any("white space" in text for text in told)


def test_a_provider_whose_sign_in_library_is_absent_is_found(monkeypatch):
    monkeypatch.setitem(sys.modules, "google", None)
    vertex = entry(model="vertex_ai/gemini-2.5-pro", key_env=None)
    (told,) = [str(problem) for problem in problems([vertex], {})]
    assert told.startswith("routes.one.model: vertex_ai needs the Python package google-auth")


def test_a_plan_looks_at_entries_and_asks_for_no_key():
    assert problems([entry(key_env="ABSENT")], None) == []
    assert [problem.place for problem in problems([entry(params={"temprature": 1})], None)] == [
        ("params", "temprature")
    ]


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
